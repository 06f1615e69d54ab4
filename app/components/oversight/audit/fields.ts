import { instantOfField, ZONE_FIELD } from "#app/components/forms/time-zone-field.tsx";
import { AUDIT_RANGES, auditRange } from "#app/entities/oversight/audit-filter.ts";
import { isTimeZone } from "#app/lib/time/wall-clock.ts";

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
