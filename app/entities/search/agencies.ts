import { type AxonAgency, type SearchableAgencies, SOURCE_PROGRAMS, type SourceProgram } from "./query.ts";
import type { SearchRequest } from "./request.ts";

/** One agency that can be ticked: ticking it selects all its identifiers. */
export type AgencyOption = {
  program: SourceProgram;
  key: string;
  name: string;
  /** What a request names to search it: one for Rekor and Axon, one a camera for Axis. */
  identifiers: string[];
  /** Other names under which a request may carry the whole of it. */
  aliases: string[];
};

export type AgencyGroup = { program: SourceProgram; options: AgencyOption[] };
export type Selection = ReadonlySet<string>;

/** The lists that feed the form, with the ids by which Axon agencies are told apart. */
export type FormAgencies = Omit<SearchableAgencies, "axon"> & { axon: (AxonAgency & { id: string })[] };

/** The agencies of the form as one list a program, in the order in which they came. */
export function agencyGroups({ rekor, axon, axis }: FormAgencies): AgencyGroup[] {
  // A base URL is what a request names, unless two agencies share it. A name would not do: it is no program's own.
  const urls = new Map<string, number>();
  for (const { base_url } of axon) urls.set(base_url, (urls.get(base_url) ?? 0) + 1);
  const options: Record<SourceProgram, AgencyOption[]> = {
    Rekor: rekor.map(({ id, agency }) => ({
      program: "Rekor",
      key: id,
      name: agency,
      identifiers: [id],
      aliases: [agency],
    })),
    Axon: axon.map(({ id, agency_name, base_url }) => ({
      program: "Axon",
      key: id,
      name: agency_name,
      identifiers: [urls.get(base_url) === 1 ? base_url : id],
      aliases: [id, agency_name, base_url],
    })),
    Axis: axis.map(({ id, agency_name, integrations }) => ({
      program: "Axis",
      key: id,
      name: agency_name,
      identifiers: integrations.length > 0 ? integrations.map(({ identifier }) => identifier) : [id],
      aliases: [id, agency_name],
    })),
  };
  return SOURCE_PROGRAMS.map((program) => ({ program, options: options[program] }));
}

/** Whether all, none or a part of some agencies' identifiers are selected. */
export function stateOf(options: readonly AgencyOption[], selected: Selection): boolean | "mixed" {
  const identifiers = options.flatMap((option) => option.identifiers);
  const count = identifiers.filter((identifier) => selected.has(identifier)).length;
  if (count === 0) return false;
  return count === identifiers.length ? true : "mixed";
}

/** The selection with all identifiers of these agencies in it, or none of them. */
export function withAgencies(
  selected: Selection,
  options: readonly AgencyOption[],
  checked: boolean,
): Selection {
  const next = new Set(selected);
  for (const identifier of options.flatMap((option) => option.identifiers)) {
    if (checked) next.add(identifier);
    else next.delete(identifier);
  }
  return next;
}

/** The agencies of which anything would be searched. */
export function chosenOptions(groups: readonly AgencyGroup[], selected: Selection): AgencyOption[] {
  return groups
    .flatMap((group) => group.options)
    .filter(({ identifiers }) => identifiers.some((identifier) => selected.has(identifier)));
}

/** What an earlier request selected, as far as it can still be searched; whole agencies may have been named. */
export function selectionOf(
  groups: readonly AgencyGroup[],
  request: Pick<SearchRequest, "agencies">,
): Selection {
  const named = new Set(request.agencies);
  const known = groups.flatMap((group) => group.options);
  const selected = new Set<string>();
  for (const { identifiers, aliases } of known) {
    const whole = aliases.some((alias) => named.has(alias));
    for (const identifier of identifiers) if (whole || named.has(identifier)) selected.add(identifier);
  }
  return selected;
}
