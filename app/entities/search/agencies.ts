import { type AxonAgency, type SearchableAgencies, SOURCE_PROGRAMS, type SourceProgram } from "./query.ts";
import type { SearchRequest } from "./request.ts";

/** An agency in the form; selecting it selects all its identifiers. */
export type AgencyOption = {
  program: SourceProgram;
  key: string;
  name: string;
  /** The identifiers that a request lists to search it: one for Rekor and Axon, one per camera for Axis. */
  identifiers: string[];
  /** Other names by which a request may name the whole agency. */
  aliases: string[];
};

export type AgencyGroup = { program: SourceProgram; options: AgencyOption[] };

/** Agencies that can only be selected as a whole, with the fields that a form needs. */
export type WholeAgencies = {
  program: SourceProgram;
  /** `parts`: single cameras of the agency that a past search names, which only the API can select. */
  options: { key: string; name: string; parts?: string[] }[];
};
export type Selection = ReadonlySet<string>;

/** The agencies of the form, with ids that distinguish Axon agencies. */
export type FormAgencies = Omit<SearchableAgencies, "axon"> & { axon: (AxonAgency & { id: string })[] };

/** Returns one list of agencies per program, in the given order. */
export function agencyGroups({ rekor, axon, axis }: FormAgencies): AgencyGroup[] {
  // A request names the base URL, or the id if agencies share the URL. Names are not unique across programs.
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

/** Returns whether all (true), none (false) or some ("mixed") of the agencies' identifiers are selected. */
export function stateOf(options: readonly AgencyOption[], selected: Selection): boolean | "mixed" {
  const identifiers = options.flatMap((option) => option.identifiers);
  const count = identifiers.filter((identifier) => selected.has(identifier)).length;
  if (count === 0) return false;
  return count === identifiers.length ? true : "mixed";
}

/** Returns the selection with these agencies' identifiers added or removed. */
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

/** Returns the agencies with at least one selected identifier. */
export function chosenOptions(groups: readonly AgencyGroup[], selected: Selection): AgencyOption[] {
  return groups
    .flatMap((group) => group.options)
    .filter(({ identifiers }) => identifiers.some((identifier) => selected.has(identifier)));
}

/** Returns the selection of an earlier request, limited to what can still be searched. */
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
