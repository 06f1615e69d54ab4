/** Recognizes the layout of a file by its heading line, or by the content of its lines. */

import { jurisdictionOf } from "#app/entities/search/jurisdiction.ts";
import { at } from "#app/lib/at.ts";
import { withoutEnd } from "#app/lib/text.ts";
import { parseEntryPlate } from "./entry.ts";
import {
  delimitersOf,
  isNamedPreset,
  layoutOfHeadings,
  type NamedPreset,
  partsOfHeadings,
  vendorOfHeadings,
} from "./headings.ts";
import { type ImportPreset, presetLabel } from "./import.ts";
import { DELIMITERS, type Delimiter, givesReason, type HotlistLayout, type SavedMapping } from "./layout.ts";
import { isSkipped, partValue, placeText } from "./layout-read.ts";
import type { Check, Preset } from "./preset-parts.ts";
import { isPositionalPreset, type PositionalPreset, PRESETS, presetOf } from "./presets.ts";

/** Returns the first records of a file, split by a delimiter; null returns whole lines as single fields. */
export type Sample = (delimiter: Delimiter | null) => string[][];

export type Recognized = { layout: HotlistLayout; label: string };

/** Maximum number of lines at the start that may be a header. */
const HEADER_LINES = 5;
/** Minimum share of lines that must match a preset. */
const MATCHING_SHARE = 0.9;

/**
 * Returns the layout of a file: of a saved mapping with the same heading line, of a known heading line, or of the only
 * preset that the lines match. Returns undefined if no preset or several match.
 */
export function recognize(sample: Sample, mappings: readonly SavedMapping[] = []): Recognized | undefined {
  return ofMappings(sample, mappings) ?? ofHeadings(sample) ?? ofLines(sample);
}

function ofMappings(sample: Sample, mappings: readonly SavedMapping[]): Recognized | undefined {
  for (const { name, layout } of mappings) {
    const { headings } = layout;
    if (!headings) continue;
    const [first] = sample(layout.delimiter);
    if (first?.length === headings.length && first.every((text, i) => text.trim() === headings[i]))
      return { layout, label: name };
  }
  return undefined;
}

/** Returns the delimiter that yields the most known headings, or the first one without headings if none is known. */
function bestHeadings(sample: Sample, delimiters: readonly Delimiter[]) {
  let best: { delimiter: Delimiter; headings: string[]; known: number } = {
    delimiter: at(delimiters, 0),
    headings: [],
    known: 0,
  };
  for (const delimiter of delimiters) {
    const headings = sample(delimiter)[0] ?? [];
    const known = partsOfHeadings(headings).length;
    if (known > best.known) best = { delimiter, headings, known };
  }
  return best;
}

function ofHeadings(sample: Sample): Recognized | undefined {
  const found = bestHeadings(sample, delimitersOf("odin"));
  const vendor = vendorOfHeadings(found.headings);
  const { layout } = layoutOfHeadings(vendor, found.headings, found.delimiter);
  return layout && givesReason(layout) ? { layout, label: presetLabel(vendor) } : undefined;
}

function ofLines(sample: Sample): Recognized | undefined {
  const matching = matchingPresets(sample);
  const [only] = matching;
  if (!only || matching.length > 1 || only === "simple") return undefined;
  return { layout: withHeader(only, sample), label: presetLabel(only) };
}

/** Returns the presets that the lines of a file match. Header lines are skipped. */
export function matchingPresets(sample: Sample): PositionalPreset[] {
  return Object.keys(PRESETS)
    .filter(isPositionalPreset)
    .filter((name) => {
      const preset = presetOf(name);
      return delimitersOfPreset(name).some((delimiter) => {
        const layout = { ...preset.layout, delimiter };
        const rows = sample(delimiter).filter((fields) => !isSkipped(layout, fields));
        const entries = rows.slice(headerLines({ ...preset, layout }, rows));
        const good = entries.filter((fields) => matchesPreset({ ...preset, layout }, fields)).length;
        return good > 0 && good >= entries.length * MATCHING_SHARE;
      });
    });
}

function delimitersOfPreset(name: PositionalPreset): (Delimiter | null)[] {
  return name === "genetec" ? delimitersOf("genetec") : [presetOf(name).layout.delimiter];
}

/** Returns a preset's layout for a file, with the file's delimiter and its number of header lines. */
function withHeader(name: PositionalPreset, sample: Sample): HotlistLayout {
  const preset = presetOf(name);
  const counted = delimitersOfPreset(name).map((delimiter) => {
    const layout = { ...preset.layout, delimiter };
    const rows = sample(delimiter);
    return {
      layout,
      good: rows.filter((fields) => matchesPreset({ ...preset, layout }, fields)).length,
      rows,
    };
  });
  const best = counted.reduce((a, b) => (b.good > a.good ? b : a));
  return { ...best.layout, header: headerLines({ ...preset, layout: best.layout }, best.rows) };
}

/**
 * Returns the number of header lines. A line with a plate and a state in the right places counts as an entry even if it
 * is damaged, so it is reported as rejected and no plate is lost silently.
 */
function headerLines(preset: Preset, rows: readonly string[][]): number {
  const first = rows.slice(0, HEADER_LINES + 1).findIndex((fields) => isEntry(preset, fields));
  return Math.max(first, 0);
}

function isEntry({ layout, checks, columns }: Preset, fields: readonly string[]): boolean {
  if (isSkipped(layout, fields)) return false;
  if (matchesPreset({ layout, checks, columns }, fields)) return true;
  const [plate, state] = plateAndState(layout, fields);
  return isPlate(plate) && /\d/.test(plate) && isState(state);
}

function plateAndState(layout: HotlistLayout, fields: readonly string[]): [string, string] {
  const value = (field: string) => {
    const part = layout.parts.find((one) => one.field === field);
    return part ? partValue(part, fields, layout.delimiter) : "";
  };
  return [value("plate"), value("state") || (layout.state ?? "")];
}

function isPlate(text: string): boolean {
  return parseEntryPlate(text, { wildcards: false }).problem === undefined && text.length <= 10;
}

function isState(text: string): boolean {
  return jurisdictionOf(text, { ncic: true }) !== undefined;
}

function matchesPreset({ layout, columns, checks }: Preset, fields: readonly string[]): boolean {
  if (columns && (fields.length < columns[0] || fields.length > columns[1])) return false;
  const [plate, state] = plateAndState(layout, fields);
  const needsState = layout.parts.some(({ field }) => field === "state");
  if (!isPlate(plate) || (needsState && !isState(state))) return false;
  return checks.every((check) => passes(check, placeText(check, fields).trim()));
}

function passes({ is }: Check, text: string): boolean {
  switch (is) {
    case "blank":
      return text === "";
    case "filled":
      return /[A-Za-z]/.test(text);
    case "day":
      return /^(\d{8}|\d{4}-\d\d-\d\d|\d{1,2}\/\d{1,2}\/\d{2,4})\b/.test(text);
    case "slashDate":
      return /^\d\d\/\d\d\/\d{4}$/.test(text);
    case "yearOrBlank":
      return /^((19|20)?\d\d|0000|9999|)$/.test(text);
    case "ncicId":
      return /^[A-Z]\d{6,9}$/i.test(text);
    case "fewCommas":
      return text.split(",").length < 5;
    case "letter":
      return /^[A-Z]$/i.test(text);
    case "code":
      return /^[A-Z0-9]{2}$/i.test(text);
    default:
      return is.includes(withoutEnd(text.toUpperCase(), /[\s-]/));
  }
}

type FoundLayout =
  | { layout: HotlistLayout; problem?: undefined; needsColumns?: undefined }
  | { layout?: undefined; problem: string; needsColumns?: undefined }
  /** A vendor's list without reasons needs one reason for all rows. The mapping step asks for it. */
  | { layout?: undefined; problem?: undefined; needsColumns: true };

/** Returns the layout of a file with the chosen preset, or a user-facing message if the file does not match it. */
export function layoutOfPreset(preset: ImportPreset, sample: Sample): FoundLayout {
  if (isNamedPreset(preset)) {
    const named = layoutOfNames(preset, sample);
    if (named.layout && preset !== "odin" && !givesReason(named.layout)) return { needsColumns: true };
    // Genetec files may have a heading line or not.
    if (named.layout || preset !== "genetec") return named;
  }
  if (!isPositionalPreset(preset)) return { problem: "This is not a known layout." };
  return { layout: withHeader(preset, sample) };
}

function layoutOfNames(preset: NamedPreset, sample: Sample) {
  const { headings, delimiter } = bestHeadings(sample, delimitersOf(preset));
  return layoutOfHeadings(preset, headings, delimiter);
}

/** Returns the delimiters that split most lines into the same number of columns, most columns first. */
export function likelyDelimiters(sample: Sample): Delimiter[] {
  return DELIMITERS.map(({ value }) => {
    const counts = sample(value).map((fields) => fields.length);
    const usual = mode(counts);
    const share = counts.filter((count) => count === usual).length / counts.length;
    return { value, usual, share };
  })
    .filter(({ value, usual, share }) => usual > 1 && share >= 0.8 && value !== " ")
    .sort((a, b) => b.usual - a.usual)
    .map(({ value }) => value);
}

function mode(counts: number[]): number {
  const times = new Map<number, number>();
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1);
  return [...times].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}
