import { formValues } from "#app/components/forms/use-form-values.ts";
import type { SearchFields, WrittenMoments } from "#app/entities/search/fields.ts";
import {
  EDGES,
  type Edge,
  type Moment,
  momentAt,
  presetRange,
  type SearchForm,
} from "#app/entities/search/form.ts";
import { DEFAULT_RANGE, RANGE_PRESETS } from "#app/entities/search/query.ts";
import { wallClock } from "#app/lib/time/wall-clock.ts";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Writes values into the fields of a form by field name; fields without a value given stay. Tells who listens. */
export function writeFields(form: HTMLFormElement, fields: SearchFields): void {
  for (const element of form.elements) {
    const field = element as Field;
    const values = fields[field.name];
    if (!values) continue;
    if (field.type === "checkbox" || field.type === "radio")
      (field as HTMLInputElement).checked = values.includes(field.value);
    // Of a list, a hidden field is one of the values.
    else if (field.type === "hidden" && field.name === "agencies")
      field.disabled = !values.includes(field.value);
    else field.value = values[0] ?? "";
  }
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

/** A moment as a picker shows it in the viewer's zone. */
function shownMoment(at: number): Moment {
  return { text: wallClock(at), at };
}

/**
 * Takes over the pickers at hydration: a preset's times are written into them, and what the server wrote in its zone is
 * written in the viewer's. A time that was typed before stays and clears the preset. Returns the moments written.
 */
export function takeOverPickers(
  form: HTMLFormElement,
  initial: SearchForm,
  { now, before }: { now: number; before: WrittenMoments },
): WrittenMoments {
  const picker = (edge: Edge) => form.elements.namedItem(edge) as HTMLInputElement;
  const isTyped = (edge: Edge) => {
    const { value, defaultValue } = picker(edge);
    return value !== "" && value !== (before[edge]?.text ?? defaultValue);
  };
  const typed = EDGES.filter(isTyped);
  const chosen = formValues(form).range?.[0];
  const preset = RANGE_PRESETS.find(({ key }) => key === chosen)?.key;
  const range = presetRange(preset ?? DEFAULT_RANGE, now);
  const written: WrittenMoments = {};
  for (const edge of EDGES) {
    const at = preset ? range[edge] : initial[edge].at;
    if (typed.includes(edge)) written[edge] = momentAt(picker(edge).value, edge, undefined);
    else if (at !== undefined) written[edge] = shownMoment(at);
  }
  writeFields(form, {
    ...Object.fromEntries(Object.entries(written).map(([edge, { text }]) => [edge, [text]])),
    ...(typed.length > 0 && { range: [] }),
    zone: [Intl.DateTimeFormat().resolvedOptions().timeZone],
  });
  return written;
}
