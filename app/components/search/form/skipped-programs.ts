import { type AgencyGroup, chosenOptions } from "#app/entities/search/agencies.ts";
import type { SearchForm } from "#app/entities/search/form.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search/query.ts";
import { listed, unsupportedBy } from "./describe.ts";

type SkippedProgram = { program: SourceProgram; filters: string[] };

/** Returns the selected programs that the search would skip, with the filters that they do not support. */
function skippedPrograms(form: SearchForm, groups: readonly AgencyGroup[]): SkippedProgram[] {
  const selected = new Set(chosenOptions(groups, form.selected).map((option) => option.program));
  return SOURCE_PROGRAMS.filter((program) => selected.has(program)).flatMap((program) => {
    const filters = unsupportedBy(program, form).map((filter) =>
      filter === "color" ? `the color ${form.color}` : filter.replaceAll("_", " "),
    );
    return filters.length > 0 ? [{ program, filters }] : [];
  });
}

/** Returns a warning about skipped programs: `Rekor will be skipped: it cannot filter by top rack.` */
export function describeSkipped(form: SearchForm, groups: readonly AgencyGroup[]): string {
  const programs = new Set(chosenOptions(groups, form.selected).map((option) => option.program));
  const skipped = skippedPrograms(form, groups);
  const sentences = skipped.map(
    ({ program, filters }) => `${program} will be skipped: it cannot filter by ${listed(filters, "or")}.`,
  );
  if (skipped.length > 0 && skipped.length === programs.size)
    sentences.push("That leaves nothing to search.");
  return sentences.join(" ");
}
