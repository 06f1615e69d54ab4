import { instantOfField } from "#app/components/forms/wall-times.ts";

/** Returns the audit filter from form fields. Times become instants in the form's time zone. */
export function auditFilterOfFields(fields: Record<string, string>) {
  return {
    ...fields,
    start: instantOfField(fields, "start", "start"),
    end: instantOfField(fields, "end", "end"),
  };
}
