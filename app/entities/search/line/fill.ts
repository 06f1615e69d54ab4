import { type AgencyOption, withAgencies } from "#app/entities/search/agencies.ts";
import { momentAt, type SearchForm, withPreset } from "#app/entities/search/form.ts";
import { presetOf } from "#app/entities/search/query.ts";
import { fieldTime, wallClock } from "#app/lib/time/wall-clock.ts";
import type { Piece } from "./parse.ts";
import { rangeOfTimes } from "./times.ts";

/** Returns the form with the values of the line's pieces; everything else stays. Idempotent. */
export function fillForm(
  form: SearchForm,
  pieces: readonly Piece[],
  { now, zone }: { now: number; zone?: string },
): SearchForm {
  const filled = { ...form };
  const marks = new Set(form.marks);
  const agencies: AgencyOption[] = [];
  for (const { meaning } of pieces) {
    if (meaning?.kind === "plate") filled.plate = meaning.plate;
    if (meaning?.kind === "color") filled.color = meaning.value;
    if (meaning?.kind === "make") filled.make = meaning.value;
    if (meaning?.kind === "body") filled.bodyType = meaning.value;
    if (meaning?.kind === "state") filled.plateState = meaning.value;
    if (meaning?.kind === "mark") marks.add(meaning.value);
    if (meaning?.kind === "agency") agencies.push(...meaning.options);
  }
  filled.marks = [...marks];
  // Named agencies replace the selection.
  if (agencies.length > 0) filled.selected = withAgencies(new Set(), agencies, true);
  return withTimes(filled, pieces, { now, zone });
}

function withTimes(
  form: SearchForm,
  pieces: readonly Piece[],
  { now, zone }: { now: number; zone?: string | undefined },
): SearchForm {
  const times = pieces.flatMap(({ meaning }) => (meaning?.kind === "time" ? [meaning] : []));
  const range = rangeOfTimes(times, wallClock(now, zone));
  if (!range) return form;
  const preset = "span" in range ? presetOf(now - range.span, now) : undefined;
  if (preset) return withPreset(form, preset, now, zone);
  const { start, end } =
    "span" in range ? { start: fieldTime(now - range.span, zone), end: fieldTime(now, zone) } : range;
  return {
    ...form,
    preset: undefined,
    start: momentAt(start, "start", zone),
    end: momentAt(end, "end", zone),
  };
}
