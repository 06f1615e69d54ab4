/** The mapping step: a guess at the columns of a file, and the layout that its form describes. */

import { jurisdictionOf } from "#app/entities/search/jurisdiction.ts";
import { fieldOfHeading, fieldsOfHeadings } from "./headings.ts";
import type { ImportStatus } from "./import.ts";
import {
  DELIMITERS,
  type Delimiter,
  givesReason,
  type HotlistLayout,
  LAYOUT_FIELDS,
  LAYOUT_HEADER_MAX,
  type LayoutField,
  type LayoutPart,
} from "./layout.ts";
import { likelyDelimiters, type Sample } from "./recognize.ts";

/** The data of the mapping step. */
export type MappingStepData = {
  group: { id: string; name: string };
  import: ImportStatus;
  /** The first lines of the file. */
  lines: string[];
  /** Known layouts that fit the lines, then the agency's own mappings. */
  suggestions: { label: string; layout: HotlistLayout }[];
  /** The agency's time zone, for dates without a zone. */
  zone: string;
  now: number;
};

/** Choices for a column. An NCIC file code is translated to the reason. */
export const COLUMN_CHOICES = [
  { value: "", label: "Ignore" },
  ...LAYOUT_FIELDS,
  { value: "reason:ncic", label: "Reason, as NCIC file code" },
] as const;
export type ColumnChoice = (typeof COLUMN_CHOICES)[number]["value"];

/** A span of a fixed-width line as users count: from one, both ends included. */
export type Span = { from: number; to: number | null; choice: ColumnChoice };

export type MappingGuess = {
  kind: HotlistLayout["kind"];
  delimiter: Delimiter;
  header: number;
  columns: ColumnChoice[];
  spans: Span[];
};

/** Returns a first guess for a file. `chosen` holds the delimiter if the user chose one. */
export function guessMapping(
  sample: Sample,
  chosen: Partial<Pick<MappingGuess, "delimiter">> = {},
): MappingGuess {
  const [likely] = likelyDelimiters(sample);
  const delimiter = chosen.delimiter ?? likely ?? ",";
  const rows = sample(delimiter);
  const header = hasHeadings(rows) ? 1 : 0;
  const width = Math.max(0, ...rows.map((fields) => fields.length));
  const body = rows.slice(header);
  const byContent = guessFields(Array.from({ length: width }, (_, n) => body.map((row) => row[n] ?? "")));
  const byName = fieldsOfHeadings(rows.slice(0, header).flat());
  const columns = byContent.map(
    (choice, n): ColumnChoice => byName[n] ?? (byName.some((field) => field === choice) ? "" : choice),
  );
  return {
    kind: likely ? "delimited" : "fixed",
    delimiter,
    header,
    columns,
    spans: guessSpans(sample(null).flat()),
  };
}

/** Returns whether the first line names the columns: it has known headings, or is the only line without a digit. */
function hasHeadings(rows: readonly string[][]): boolean {
  const [first = [], ...others] = rows;
  if (first.filter((text) => fieldOfHeading(text) !== undefined).length >= 2) return true;
  const hasDigit = (fields: readonly string[]) => fields.some((text) => /\d/.test(text));
  return others.length > 0 && !hasDigit(first) && others.filter(hasDigit).length >= others.length * 0.8;
}

/** Guesses the state column and the plate column by their values. */
function guessFields(columns: string[][]): ("plate" | "state" | "")[] {
  const share = (values: string[], test: (value: string) => boolean) => {
    const filled = values.map((value) => value.trim()).filter(Boolean);
    return filled.length === 0 ? 0 : filled.filter(test).length / filled.length;
  };
  const states = columns.map((values) =>
    share(
      values,
      (value) => /^[A-Za-z0]{2}$/.test(value) && jurisdictionOf(value, { ncic: true }) !== undefined,
    ),
  );
  const plates = columns.map((values) => {
    const like = share(values, (value) => /^(?=.*\d)[A-Z0-9][A-Z0-9 -]{1,8}[A-Z0-9]$/i.test(value));
    const mixed = share(values, (value) => /\d/.test(value) && /[A-Z]/i.test(value));
    const different = new Set(values).size / values.length;
    return like >= 0.6 && mixed >= 0.5 ? mixed + different : 0;
  });
  const plate = plates.indexOf(Math.max(0.01, ...plates));
  const state = states.findIndex((value) => value >= 0.9);
  return columns.map((_, n) => (n === plate ? "plate" : n === state ? "state" : ""));
}

const SPANS_AT_FIRST = 12;

/** Guesses the spans between the columns of spaces that all lines share. */
function guessSpans(lines: string[]): Span[] {
  const width = Math.max(0, ...lines.map((line) => line.length));
  const spans: { from: number; to: number }[] = [];
  let from: number | undefined;
  for (let at = 0; at <= width; at++) {
    const isBlank = lines.every((line) => (line[at] ?? " ") === " ");
    if (!isBlank && from === undefined) from = at;
    if (isBlank && from !== undefined) {
      spans.push({ from, to: at });
      from = undefined;
    }
  }
  const first = spans.slice(0, SPANS_AT_FIRST);
  const choices = guessFields(first.map(({ from, to }) => lines.map((line) => line.slice(from, to))));
  return first.map((span, n) => ({ from: span.from + 1, to: span.to, choice: choices[n] ?? "" }));
}

/** The entries of a form: name and value. */
export type Entries = Iterable<[string, unknown]>;

function partOf(choice: string): Pick<LayoutPart, "field" | "codes"> | undefined {
  if (choice === "reason:ncic") return { field: "reason", codes: "ncic" };
  const field = LAYOUT_FIELDS.find(({ value }) => value === choice)?.value;
  return field && { field };
}

/**
 * Returns the layout that the form of the mapping step describes. Fields: `kind`, `delimiter`, `header`, `column-N` or
 * `from-N`, `to-N` and `field-N`, `state`, `reason`, `dates`, `ncic`.
 */
export function layoutOfForm(entries: Entries, sample: Sample): HotlistLayout {
  const form = new Map<string, string>();
  for (const [name, value] of entries) if (typeof value === "string") form.set(name, value);
  const text = (name: string) => form.get(name)?.trim() ?? "";
  const fixed = form.get("kind") === "fixed";
  const delimiter = DELIMITERS.find(({ value }) => value === form.get("delimiter"))?.value ?? ",";
  const headings = (fixed ? undefined : sample(delimiter)[0]) ?? [];
  const header = Math.min(Math.max(Math.trunc(Number(text("header"))) || 0, 0), LAYOUT_HEADER_MAX);
  const parts: LayoutPart[] = [];
  for (const [name, value] of form) {
    const [, what, number] = /^(column|field)-(\d+)$/.exec(name) ?? [];
    const part = what === (fixed ? "field" : "column") ? partOf(value) : undefined;
    if (!part) continue;
    const n = Number(number);
    if (fixed) {
      const from = Math.trunc(Number(text(`from-${n}`)));
      const to = Math.trunc(Number(text(`to-${n}`)));
      if (!(from >= 1)) continue;
      const hasEnd = to >= from;
      parts.push({
        ...part,
        from: from - 1,
        ...(hasEnd && { to }),
        ...labeled(part, `${from}-${hasEnd ? to : "end"}`),
      });
    } else parts.push({ ...part, column: n, ...labeled(part, header > 0 ? (headings[n] ?? "") : "") });
  }
  return {
    kind: fixed ? "fixed" : "delimited",
    delimiter: fixed ? null : delimiter,
    header,
    parts,
    reasonNeeded: true,
    ...(text("state") && { state: text("state") }),
    ...(text("reason") && { reason: text("reason") }),
    ...(text("dates") === "dmy" && { dates: "dmy" as const }),
    ...(form.has("ncic") && { ncic: true }),
    ...(!fixed && header === 1 && { headings: headings.map((heading) => heading.trim().slice(0, 100)) }),
  };
}

function labeled(part: { field: LayoutField }, label: string): { label?: string } {
  return part.field === "info" && label ? { label: label.trim().slice(0, 60) } : {};
}

/** Returns a user-facing message if a layout cannot read any file; undefined if it can. */
export function layoutProblem(layout: Pick<HotlistLayout, "parts" | "reason">): string | undefined {
  if (!layout.parts.some(({ field }) => field === "plate")) return "Choose which column is the plate.";
  if (!givesReason(layout)) return "Choose which column is the reason, or enter a reason for all plates.";
  return undefined;
}
