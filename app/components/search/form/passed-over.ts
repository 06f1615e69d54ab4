import { type AgencyGroup, chosenOptions } from "#app/entities/search/agencies.ts";
import type { SearchForm } from "#app/entities/search/form.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search/query.ts";
import { listed, unsupportedBy } from "./describe.ts";

type PassedOver = { program: SourceProgram; filters: string[] };

/** The selected programs that a search would not ask, with the filters that keep it from asking. */
function passedOver(form: SearchForm, groups: readonly AgencyGroup[]): PassedOver[] {
  const selected = new Set(chosenOptions(groups, form.selected).map((option) => option.program));
  return SOURCE_PROGRAMS.filter((program) => selected.has(program)).flatMap((program) => {
    const filters = unsupportedBy(program, form).map((filter) =>
      filter === "color" ? `the color ${form.color}` : filter.replaceAll("_", " "),
    );
    return filters.length > 0 ? [{ program, filters }] : [];
  });
}

/** Says beforehand who will be passed over: `Rekor will be passed over: it cannot filter by top rack.` */
export function describePassedOver(form: SearchForm, groups: readonly AgencyGroup[]): string {
  const programs = new Set(chosenOptions(groups, form.selected).map((option) => option.program));
  const over = passedOver(form, groups);
  const sentences = over.map(
    ({ program, filters }) => `${program} will be passed over: it cannot filter by ${listed(filters, "or")}.`,
  );
  if (over.length > 0 && over.length === programs.size) sentences.push("That leaves nothing to search.");
  return sentences.join(" ");
}
