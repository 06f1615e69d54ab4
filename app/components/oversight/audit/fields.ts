import { instantOfField } from "#app/components/forms/wall-times.ts";

/** The fields of the filter form as the filter: times become instants of the form's zone. */
export function auditFilterOfFields(fields: Record<string, string>) {
  return {
    ...fields,
    start: instantOfField(fields, "start", "start"),
    end: instantOfField(fields, "end", "end"),
  };
}
