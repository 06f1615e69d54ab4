import { type AgencyGroup, withAgencies } from "#app/entities/search/agencies.ts";
import { type SearchForm, withPreset } from "#app/entities/search/form.ts";
import { RANGE_PRESETS } from "#app/entities/search/query.ts";
import { DAY } from "#app/lib/time/dates.ts";

/** Long enough for what a look at a plate before it is watched covers. */
const SPAN = 30 * DAY;

/** The form filled in for a plate: the reads that Odin holds, over a month or as long as the policy allows. */
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
