import { instantOfField } from "#app/components/forms/wall-times.ts";

/** The fields of the form as the call of POST /legal-holds/request reads them. */
export function holdOfFields(fields: Record<string, string>) {
  return {
    ...fields,
    start: instantOfField(fields, "start", "start"),
    end: instantOfField(fields, "end", "end"),
  };
}
