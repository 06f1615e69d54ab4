import { Search, X } from "lucide-react";
import type { FormEvent } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { TimeZoneField } from "#app/components/forms/time-zone-field.tsx";
import { formValues, typeInto, useFormValues } from "#app/components/forms/use-form-values.ts";
import type { ScreenFormState } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { AUDIT_ACTS, AuditFilter } from "#app/entities/oversight/audit-filter.ts";
import { auditFilterOfFields } from "./fields.ts";

export type Named = { id: string; name: string };

/** The filter of the audit log. It is sent only on Search, because each view is audited. */
export function AuditFilterForm({
  state,
  agency,
  agencies,
  zone,
  pending,
  onSearch,
}: {
  state: ScreenFormState<unknown>;
  agency: Named;
  agencies: readonly Named[];
  /** The agency's time zone, used until scripts know the viewer's. */
  zone: string;
  pending: boolean;
  onSearch: (filter: AuditFilter) => void;
}) {
  const typed = useFormValues(state.form);
  const [start = "", end = ""] = [typed?.start?.[0], typed?.end?.[0]];
  const isBackwards = start !== "" && end !== "" && start > end;
  const problem = (name: string) => state.problem(name);

  // With scripts, only the rows are fetched and the page stays.
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBackwards) return;
    const fields = Object.entries(formValues(event.currentTarget)).map(([name, list]) => [name, list[0]]);
    const parsed = AuditFilter.safeParse(auditFilterOfFields(Object.fromEntries(fields)));
    if (parsed.success) onSearch(parsed.data);
  }
  // Resets to an empty form, not to values from a form that was sent without scripts.
  function clear() {
    for (const field of state.form.current?.elements ?? []) {
      if (field instanceof HTMLInputElement && field.type !== "hidden") typeInto(field, "");
      if (field instanceof HTMLSelectElement) typeInto(field, field.options[0]?.value ?? "");
    }
    onSearch(AuditFilter.parse({}));
  }
  const text = (name: "plate" | "user" | "case_number", most: number) => ({
    name,
    defaultValue: state.value(name),
    autoComplete: "off",
    maxLength: most,
  });

  return (
    <ScreenForm
      state={{ ...state, onSubmit: submit }}
      className="flex flex-col gap-3 rounded-md border border-line bg-raised p-3"
      aria-label="Filter the audit log"
    >
      <TimeZoneField zone={zone} />
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <Field label="Action" error={problem("acts")}>
          {(control) => (
            <Select {...control} name="acts" defaultValue={state.value("acts", "searches")}>
              {AUDIT_ACTS.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Start" error={problem("start")}>
          {(control) => (
            <Input {...control} name="start" type="datetime-local" defaultValue={state.value("start")} />
          )}
        </Field>
        <Field label="End" error={isBackwards ? "The end is before the start." : problem("end")}>
          {(control) => (
            <Input {...control} name="end" type="datetime-local" defaultValue={state.value("end")} />
          )}
        </Field>
        <Field
          label="Plate Search"
          hint="A plate as searched; add * at the end to find longer plates."
          error={problem("plate")}
        >
          {(control) => <Input {...control} {...text("plate", 40)} plate />}
        </Field>
        <Field label="User" error={problem("user")}>
          {(control) => <Input {...control} {...text("user", 200)} placeholder="Username" />}
        </Field>
        <Field label="Case number" error={problem("case_number")}>
          {(control) => <Input {...control} {...text("case_number", 64)} />}
        </Field>
        {agencies.length > 0 && (
          <Field label="Agency" error={problem("agency")}>
            {(control) => (
              <Select {...control} name="agency" defaultValue={state.value("agency", "")}>
                <option value="">{agency.name}</option>
                {agencies
                  .filter(({ id }) => id !== agency.id)
                  .map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                <option value="none">Not signed in</option>
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
    </ScreenForm>
  );
}
