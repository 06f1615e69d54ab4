// The search form as an HTML form sends it: by field name, for the browser and the server alike.

import { wallClock } from "#app/lib/time/wall-clock.ts";
import { type AgencyGroup, type AgencyOption, type Selection, stateOf } from "./agencies.ts";
import { clearForm, type Edge, type Moment, momentAt, type SearchForm } from "./form.ts";
import { RANGE_PRESETS, SOURCE_PROGRAMS, VEHICLE_MARKS } from "./query.ts";

/** What the fields hold, by name. */
export type SearchFields = Readonly<Record<string, readonly string[]>>;

/** The moments that scripts wrote into the pickers: exact where the pickers show whole seconds. */
export type WrittenMoments = Partial<Record<Edge, Moment>>;

/** The fields of the same names in a request of POST /search-data. */
const TEXTS = {
  plate: "plate",
  plate_state: "plateState",
  vehicle_color: "color",
  vehicle_make: "make",
  vehicle_body_type: "bodyType",
  justification: "justification",
  case_number: "caseNumber",
  purpose: "purpose",
} as const satisfies Record<string, keyof SearchForm>;

/**
 * Reads the form. `zone` is the IANA zone of the typed times, or undefined for the viewer's own. A box of a whole
 * program adds all its agencies. Where `written` is absent no script has filled the pickers: then a typed time replaces
 * the preset, and an empty picker takes the preset's span before the other end, or its end, the moment of the search.
 */
export function readSearchFields(
  fields: SearchFields,
  context: {
    groups: readonly AgencyGroup[];
    zone: string | undefined;
    now: number;
    written?: WrittenMoments;
  },
): SearchForm {
  const { groups, zone, now, written } = context;
  const form: SearchForm = { ...clearForm(), selected: selectedIn(fields, groups) };
  for (const [name, key] of Object.entries(TEXTS)) Object.assign(form, { [key]: fields[name]?.at(-1) ?? "" });
  form.marks = VEHICLE_MARKS.map(({ key }) => key).filter((key) => fields.marks?.includes(key));
  const range = fields.range?.at(-1);
  const chosen = RANGE_PRESETS.find(({ key }) => key === range);
  const moment = (edge: Edge): Moment => {
    const text = fields[edge]?.at(-1) ?? "";
    const known = written?.[edge];
    return known?.text === text ? known : momentAt(text, edge, zone);
  };
  const [start, end] = [moment("start"), moment("end")];
  const isTyped = written === undefined && (start.text !== "" || end.text !== "");
  if (!isTyped || !chosen) return { ...form, preset: chosen?.key, start, end };
  const exact = (at: number): Moment => ({ text: wallClock(at, zone), at });
  const until = end.text === "" ? exact(now) : end;
  const before = until.at === undefined ? { text: "", at: undefined } : exact(until.at - chosen.span);
  return { ...form, preset: undefined, start: start.text === "" ? before : start, end: until };
}

/** The form's fields; what `readSearchFields` reads back. Pickers hold what the moments show. */
export function searchFieldsOf(form: SearchForm, groups: readonly AgencyGroup[]): SearchFields {
  const texts = Object.entries(TEXTS).map(([name, key]) => [name, [form[key]]] as const);
  return {
    ...Object.fromEntries(texts),
    marks: form.marks,
    range: form.preset ? [form.preset] : [],
    start: [form.start.text],
    end: [form.end.text],
    agencies: agencyFields(groups, form.selected),
    programs: [],
  };
}

/** The values of the agencies' boxes: the key of a whole agency, the identifiers of a part of one. */
export function agencyFields(groups: readonly AgencyGroup[], selected: Selection): string[] {
  return groups.flatMap(({ options }) =>
    options.flatMap((option) =>
      stateOf([option], selected) === true ? [option.key] : partOf(option, selected),
    ),
  );
}

/** The selected identifiers of an agency of which only a part is selected. */
export function partOf(option: AgencyOption, selected: Selection): string[] {
  if (stateOf([option], selected) !== "mixed") return [];
  return option.identifiers.filter((identifier) => selected.has(identifier));
}

function selectedIn(fields: SearchFields, groups: readonly AgencyGroup[]): Selection {
  const named = new Set(fields.agencies);
  const programs = new Set(fields.programs);
  const selected = new Set<string>();
  for (const { program, options } of groups)
    for (const { key, identifiers } of options)
      for (const identifier of identifiers)
        if (programs.has(program) || named.has(key) || named.has(identifier)) selected.add(identifier);
  return selected;
}

/** The agencies and programs among the fields that the form does not offer: no browser sends any. */
export function unknownAgencies(fields: SearchFields, groups: readonly AgencyGroup[]): string[] {
  const known = new Set(
    groups.flatMap(({ options }) => options.flatMap(({ key, identifiers }) => [key, ...identifiers])),
  );
  const programs: readonly string[] = SOURCE_PROGRAMS;
  return [
    ...(fields.agencies ?? []).filter((value) => !known.has(value)),
    ...(fields.programs ?? []).filter((value) => !programs.includes(value)),
  ];
}
