// Refuses text that could not be stored or shown unchanged, before anything else is checked.

import { AppError } from "#app/lib/errors.ts";
import { textProblem } from "#app/lib/text.ts";

/** Fields with several lines. In other fields, a line break counts as a control character. */
const FIELDS_OF_LINES = new Set([
  "acr_values",
  "addresses",
  "admin_groups",
  "comment",
  "description",
  "group_description",
  "hotlist_admin_groups",
  "hotlist_viewer_groups",
  "introduction",
  "justification",
  "member_groups",
  "note",
  "notes",
  "plates",
  "reason",
]);

/** Passwords are compared, never shown or stored, so every password chosen earlier keeps working. */
const isSecret = (name: string) => /password$/i.test(name);

/** Returns the last name of `plates[3][notes]`. */
const lastName = (name: string) => /\[(\w+)\]$/.exec(name)?.[1] ?? name;

const MAX_SHOWN = 60;

/**
 * Checks every text in a parsed body at any depth, including field names. Throws AppError bad_request with the field
 * for an unpaired surrogate or a control character.
 */
export function requireCleanText(value: unknown): void {
  // Iterative, because a body may nest deeper than the stack.
  const left: { value: unknown; name: string; path: string }[] = [{ value, name: "", path: "" }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, name, path } = next;
    if (typeof value === "string") requireCleanField(value, name, path);
    if (typeof value !== "object" || value === null) continue;
    for (const [key, part] of Object.entries(value)) {
      const isPlace = Array.isArray(value);
      if (!isPlace && textProblem(key, { lines: false })) refuse("The name of a field", key);
      const nested = isPlace ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      // Paths are only for the message. They are cut, because those of a deep body would use much memory.
      left.push({ value: part, name: isPlace ? name : key, path: nested.slice(0, 200) });
    }
  }
}

/** Does the same for the fields of a query or form. */
export function requireCleanFields(fields: Iterable<readonly [string, string]>): void {
  for (const [name, value] of fields) {
    if (textProblem(name, { lines: false })) refuse("The name of a field", name);
    requireCleanField(value, lastName(name), name);
  }
}

/** Does the same for the name of an uploaded file. */
export function requireCleanFileName(name: string): void {
  const problem = textProblem(name, { lines: false });
  if (problem) throw new AppError("bad_request", `The name of the file ${problem}.`);
}

/** Throws AppError bad_request for a query parameter with two values: one of them would be ignored. */
export function requireSingleValues(query: URLSearchParams): void {
  const known = new Map<string, string>();
  for (const [name, value] of query) {
    if ((known.get(name) ?? value) !== value)
      throw new AppError(
        "bad_request",
        `${name.slice(0, MAX_SHOWN).toWellFormed()} is given twice. Send one value.`,
      );
    known.set(name, value);
  }
}

function requireCleanField(value: string, name: string, path: string): void {
  const lines = FIELDS_OF_LINES.has(name);
  if (isSecret(name) ? value.isWellFormed() : !textProblem(value, { lines })) return;
  refuse(path === "" ? "The text" : path.slice(0, MAX_SHOWN), value, lines);
}

function refuse(field: string, value: string, lines = false): never {
  throw new AppError("bad_request", `${field} ${textProblem(value, { lines })}.`);
}
