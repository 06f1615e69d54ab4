import { Search, X } from "lucide-react";
import type { FormEvent, MouseEvent } from "react";
import { hasIncompleteTime } from "#app/components/forms/incomplete-time.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { serverTime } from "#app/components/forms/server-time.ts";
import { instantOfField, TimeZoneField, ZONE_FIELD } from "#app/components/forms/time-zone-field.tsx";
import {
  type FormValues,
  formValues,
  typeInto,
  useFormValues,
} from "#app/components/forms/use-form-values.ts";
import { type ScreenFormState, showProblem } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { InputField, SelectField, TimeField } from "#app/components/ui/fields/labeled.tsx";
import {
  AUDIT_ACTS,
  AUDIT_RANGES,
  AuditFilter,
  type AuditRange,
  auditRange,
  NO_AUDIT_FILTER,
  PLATE_MATCHES,
} from "#app/entities/oversight/audit-filter.ts";
import { isTimeZone, wallClock } from "#app/lib/time/wall-clock.ts";

export type Named = { id: string; name: string };

/** Fields that take a whole line on a phone. */
const WIDE = "col-span-2 sm:col-span-1";

type Props = {
  state: ScreenFormState<unknown>;
  agency: Named;
  agencies: readonly Named[];
  /** The agency's time zone, used until scripts know the viewer's. */
  zone: string;
  /** The filter of the page that was sent without scripts. */
  shown: AuditFilter | undefined;
  pending: boolean;
  onSearch: (filter: AuditFilter) => void;
};

const CLEAR_FORM = "audit-clear";

/** The filter of the audit log. It is sent only on Search, because each view is audited. */
export function AuditFilterForm(props: Props) {
  const { state, zone, pending, onSearch } = props;
  const typed = useFormValues(state.form);
  const [start = "", end = ""] = [typed?.start?.[0], typed?.end?.[0]];
  const isExact = (typed?.plate_match?.[0] ?? state.value("plate_match")) === "exact";
  const isBackwards = typed !== undefined && endsBeforeStart(typed);

  const isShownRange = (range: AuditRange) => {
    if (!typed) return undefined;
    const shownRange = auditRange(range, serverTime());
    return shownRange.start === start && shownRange.end === end;
  };

  // With scripts, only the rows are fetched and the page stays.
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (hasIncompleteTime(event.currentTarget)) return;
    if (isBackwards) return showProblem(event.currentTarget);
    const fields = Object.entries(formValues(event.currentTarget)).map(([name, list]) => [name, list[0]]);
    const parsed = AuditFilter.safeParse(auditFilterOfFields(Object.fromEntries(fields)));
    if (parsed.success) onSearch(parsed.data);
  }
  // Resets to an empty form, not to values from a form that was sent without scripts.
  function clear(event: MouseEvent) {
    event.preventDefault();
    for (const field of state.form.current?.elements ?? []) {
      if (field instanceof HTMLInputElement && field.type !== "hidden") typeInto(field, "");
      if (field instanceof HTMLSelectElement) typeInto(field, field.options[0]?.value ?? "");
    }
    onSearch(NO_AUDIT_FILTER);
  }

  return (
    <>
      {/* Without scripts, Clear submits this empty form. */}
      <form id={CLEAR_FORM} action="/audit-log" hidden />
      <ScreenForm
        state={{ ...state, onSubmit: submit }}
        className="flex flex-col gap-3 rounded-md border border-line bg-raised p-3 print:hidden"
        aria-label="Filter the audit log"
      >
        <fieldset className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <legend className="sr-only">Time range</legend>
          {AUDIT_RANGES.map(({ value, label }) => (
            <Button
              key={value}
              type="submit"
              size="sm"
              name="range"
              value={value}
              aria-pressed={isShownRange(value)}
              onClick={() => fillRange(state.form.current, value)}
            >
              {label}
            </Button>
          ))}
          <TimeZoneField zone={zone} />
        </fieldset>
        <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
          <ActAndTimeFields {...props} isBackwards={isBackwards} />
          <TextFields state={state} isExact={isExact} />
          <AgencyField {...props} />
          <div className="col-span-2 flex flex-wrap items-end gap-2 sm:col-span-1">
            <Button type="submit" variant="primary" icon={<Search />} pending={pending}>
              Search
            </Button>
            <Button type="submit" form={CLEAR_FORM} icon={<X />} onClick={clear}>
              Clear
            </Button>
          </div>
        </div>
      </ScreenForm>
    </>
  );
}

function fillRange(form: HTMLFormElement | null, range: AuditRange): void {
  const { start, end } = auditRange(range, serverTime());
  for (const [name, value] of [
    ["start", start],
    ["end", end],
  ] as const) {
    const field = form?.elements.namedItem(name);
    if (field instanceof HTMLInputElement) typeInto(field, value);
  }
}

/** Compares instants, because in the hour that clocks repeat in fall a range may end earlier by the clock. */
function endsBeforeStart(typed: FormValues): boolean {
  const fields = Object.fromEntries(Object.entries(typed).map(([name, list]) => [name, list[0]]));
  const [start, end] = [instantOfField(fields, "start", "start"), instantOfField(fields, "end", "end")];
  return start !== "" && end !== "" && start > end;
}

function ActAndTimeFields({
  state,
  zone,
  shown,
  isBackwards,
}: Pick<Props, "state" | "zone" | "shown"> & { isBackwards: boolean }) {
  // A refused form has no filter, so its times are shown as they were typed.
  const shownTime = (name: "start" | "end") => {
    if (!shown) return state.value(name, "");
    return shown[name] && wallClock(Date.parse(shown[name]), zone).slice(0, 16);
  };
  return (
    <>
      <SelectField
        label="Action"
        className={WIDE}
        error={state.problem("acts")}
        name="acts"
        defaultValue={state.value("acts", "searches")}
        options={AUDIT_ACTS}
      />
      <TimeField
        label="Start"
        className={WIDE}
        error={state.problem("start")}
        name="start"
        defaultValue={shownTime("start")}
      />
      <TimeField
        label="End"
        className={WIDE}
        error={isBackwards ? "The start is after the end." : state.problem("end")}
        name="end"
        edge="end"
        defaultValue={shownTime("end")}
      />
    </>
  );
}

function TextFields({ state, isExact }: Pick<Props, "state"> & { isExact: boolean }) {
  const text = (name: "plate" | "user" | "case_number", most: number) => ({
    name,
    error: state.problem(name),
    defaultValue: state.value(name),
    autoComplete: "off",
    maxLength: most,
  });
  return (
    <>
      <InputField
        label="Plate Search"
        hint={
          isExact
            ? "Add * at the end to find longer plates."
            : "Any part of a plate, without spaces or dashes."
        }
        {...text("plate", 40)}
        plate
      />
      <SelectField
        label="Plate match"
        error={state.problem("plate_match")}
        name="plate_match"
        defaultValue={state.value("plate_match", "contains")}
        options={PLATE_MATCHES}
      />
      <InputField label="User" {...text("user", 200)} placeholder="Username" />
      <InputField label="Case number" {...text("case_number", 64)} />
    </>
  );
}

/** The choice of an agency, for the owner. */
function AgencyField({ state, agency, agencies }: Pick<Props, "state" | "agency" | "agencies">) {
  if (agencies.length === 0) return null;
  return (
    <SelectField
      label="Agency"
      className={WIDE}
      error={state.problem("agency")}
      name="agency"
      defaultValue={state.value("agency", "")}
    >
      <option value="">{agency.name}</option>
      {agencies
        .filter(({ id }) => id !== agency.id)
        .map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      <option value="none">Not signed in</option>
    </SelectField>
  );
}

/**
 * Returns the audit filter from form fields. Times become instants in the form's time zone. `range` is the chosen range
 * of a form that was sent without scripts.
 */
export function auditFilterOfFields({ range, ...typed }: Record<string, string>) {
  const zone = typed[ZONE_FIELD] ?? "";
  const chosen = AUDIT_RANGES.find(({ value }) => value === range);
  const fields =
    chosen && isTimeZone(zone) ? { ...typed, ...auditRange(chosen.value, Date.now(), zone) } : typed;
  return {
    ...fields,
    start: instantOfField(fields, "start", "start"),
    end: instantOfField(fields, "end", "end"),
  };
}
