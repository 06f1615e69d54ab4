import { type Edge, momentAt, type SearchForm } from "#app/entities/search/form.ts";

/** Returns the form after one end was typed; no range button is active then. */
export function withTyped(form: SearchForm, edge: Edge, text: string, zone?: string): SearchForm {
  return { ...form, preset: undefined, [edge]: momentAt(text, edge, zone) };
}
