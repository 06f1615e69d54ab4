import { type AgencyGroup, withAgencies } from "#app/entities/search/agencies.ts";
import { type SearchForm, withPreset } from "#app/entities/search/form.ts";
import { RANGE_PRESETS } from "#app/entities/search/query.ts";
import { DAY } from "#app/lib/time/dates.ts";

/** Enough history to check a plate before it is added to a hotlist. */
const SPAN = 30 * DAY;

/** Returns the form with a plate filled in: all Axis cameras, over 30 days or the longest range the policy allows. */
export function withHandedPlate(
  form: SearchForm,
  plate: string,
  context: { groups: readonly AgencyGroup[]; now: number; limitDays: number },
): SearchForm {
  const { groups, now, limitDays } = context;
  const preset = RANGE_PRESETS.findLast(({ span }) => span <= Math.min(SPAN, limitDays * DAY))?.key;
  const held = groups.find(({ program }) => program === "Axis")?.options ?? [];
  const filled = { ...form, plate, selected: withAgencies(form.selected, held, true) };
  return preset ? withPreset(filled, preset, now) : filled;
}
