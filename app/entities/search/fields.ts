// The search form's fields as an HTML form sends them, by name; used by the browser and the server.

import { fieldTime } from "#app/lib/time/wall-clock.ts";
import { type AgencyGroup, type AgencyOption, type Selection, stateOf } from "./agencies.ts";
import { clearForm, type Edge, type Moment, momentAt, type SearchForm } from "./form.ts";
import { RANGE_PRESETS, SOURCE_PROGRAMS, VEHICLE_MARKS } from "./query.ts";

/** The values of the fields, by name. */
export type SearchFields = Readonly<Record<string, readonly string[]>>;

/** Times that scripts wrote into the pickers: exact, although the pickers show whole seconds. */
export type WrittenMoments = Partial<Record<Edge, Moment>>;

/** Form fields that have the same names in a POST /search-data request. */
const TEXTS = {
  plate: "plate",
  plate_state: "plateState",
  vehicle_color: "color",
  vehicle_make: "make",
  vehicle_body_type: "bodyType",
  justification: "justification",
  case_number: "caseNumber",
  purpose: "purpose",
  confirmation: "confirmation",
  supervisor: "supervisor",
} as const satisfies Record<string, keyof SearchForm>;

/**
 * Parses the form. `zone` is the IANA zone of typed times; undefined means the viewer's own. A checked program box adds
 * all its agencies. Without `written`, no script filled the pickers: then a typed time replaces the preset, an empty
 * start is the preset's span before the end, and an empty end is `now`.
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
  form.lookAlikes = fields.look_alikes?.includes("on") ?? false;
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
  const exact = (at: number): Moment => ({ text: fieldTime(at, zone), at });
  const until = end.text === "" ? exact(now) : end;
  const before = until.at === undefined ? { text: "", at: undefined } : exact(until.at - chosen.span);
  return { ...form, preset: undefined, start: start.text === "" ? before : start, end: until };
}

/** Returns the form as fields that `readSearchFields` can parse. Pickers contain what the moments show. */
export function searchFieldsOf(form: SearchForm, groups: readonly AgencyGroup[]): SearchFields {
  const texts = Object.entries(TEXTS).map(([name, key]) => [name, [form[key]]] as const);
  return {
    ...Object.fromEntries(texts),
    look_alikes: form.lookAlikes ? ["on"] : [],
    marks: form.marks,
    range: form.preset ? [form.preset] : [],
    start: [form.start.text],
    end: [form.end.text],
    agencies: agencyFields(groups, form.selected),
    programs: [],
  };
}

/** Returns the values of the agency boxes: the key of a fully selected agency, else its selected identifiers. */
export function agencyFields(groups: readonly AgencyGroup[], selected: Selection): string[] {
  return groups.flatMap(({ options }) =>
    options.flatMap((option) =>
      stateOf([option], selected) === true ? [option.key] : partOf(option, selected),
    ),
  );
}

/** Returns the selected identifiers of an agency that is only partly selected. */
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

/** Returns submitted agencies and programs that the form does not offer; a browser never sends these. */
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
