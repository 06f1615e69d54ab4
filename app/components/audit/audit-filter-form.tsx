import { Search, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { Select } from "#app/components/ui/select.tsx";
import { AUDIT_ACTS, type AuditActs, type AuditFilter, NO_AUDIT_FILTER } from "#app/entities/audit-filter.ts";

export type Named = { id: string; name: string };

/** The filter as it stands in the form: times as the inputs write them, in the viewer's zone. */
type Draft = AuditFilter;

/** What is asked of the log. Nothing is sent before Search: each look is written down. */
export function AuditFilterForm({
  agency,
  agencies,
  pending,
  onSearch,
}: {
  agency: Named;
  agencies: readonly Named[];
  pending: boolean;
  onSearch: (filter: AuditFilter) => void;
}) {
  const [draft, setDraft] = useState<Draft>(NO_AUDIT_FILTER);
  const isBackwards = draft.start !== "" && draft.end !== "" && draft.start > draft.end;
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isBackwards) return;
    onSearch({ ...draft, start: instantOf(draft.start), end: instantOf(draft.end) });
  }
  function clear() {
    setDraft(NO_AUDIT_FILTER);
    onSearch(NO_AUDIT_FILTER);
  }

  return (
    <form
      onSubmit={submit}
      className="rounded-md border border-line bg-raised p-3"
      aria-label="Filter the audit log"
    >
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <Field label="Act">
          {(control) => (
            <Select
              {...control}
              value={draft.acts}
              onChange={(event) => change({ acts: event.target.value as AuditActs })}
            >
              {AUDIT_ACTS.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Start">
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              value={draft.start}
              onChange={(event) => change({ start: event.target.value })}
            />
          )}
        </Field>
        <Field label="End" error={isBackwards && "The end lies before the start."}>
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              value={draft.end}
              onChange={(event) => change({ end: event.target.value })}
            />
          )}
        </Field>
        <Field label="Plate Search" hint="A plate as it was searched; * at its end finds longer ones.">
          {(control) => (
            <Input
              {...control}
              plate
              autoComplete="off"
              maxLength={40}
              value={draft.plate}
              onChange={(event) => change({ plate: event.target.value })}
            />
          )}
        </Field>
        <Field label="User">
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              placeholder="Username"
              maxLength={200}
              value={draft.user}
              onChange={(event) => change({ user: event.target.value })}
            />
          )}
        </Field>
        <Field label="Case number">
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              maxLength={64}
              value={draft.case_number}
              onChange={(event) => change({ case_number: event.target.value })}
            />
          )}
        </Field>
        {agencies.length > 0 && (
          <Field label="Agency">
            {(control) => (
              <Select
                {...control}
                value={draft.agency}
                onChange={(event) => change({ agency: event.target.value })}
              >
                <option value="">{agency.name}</option>
                {agencies
                  .filter(({ id }) => id !== agency.id)
                  .map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                <option value="none">Nobody signed in</option>
              </Select>
            )}
          </Field>
        )}
        <div className="flex flex-wrap items-end gap-2">
          <Button type="submit" variant="primary" icon={<Search />} pending={pending}>
            Search
          </Button>
          <Button icon={<X />} onClick={clear}>
            Clear
          </Button>
        </div>
      </div>
    </form>
  );
}

/** A time of a picker, which is the viewer's own, as ISO. */
function instantOf(text: string): string {
  const at = text === "" ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(at) ? "" : new Date(at).toISOString();
}
