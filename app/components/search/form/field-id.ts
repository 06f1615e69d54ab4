import type { FieldName } from "#app/entities/search/form.ts";

export function fieldId(field: FieldName): string {
  return `search-${field}`;
}
