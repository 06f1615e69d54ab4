/**
 * Filters of SCIM lists and paths of PATCH operations (RFC 7644 sections 3.4.2.2 and 3.5.2). Odin supports `eq` and
 * `and`, which identity providers send, and answers everything else with invalidFilter. Pure.
 */

import { parseJson } from "#app/lib/json/parse.ts";
import { textProblem } from "#app/lib/text.ts";
import { type ScimProblem, scimProblem } from "./attributes.ts";

type ScimConstant = string | number | boolean | null;

/** A comparison such as `active eq true`. Names are as written, without the schema. */
export type ScimTerm = {
  /** The schema before the name, in lower case; "" without one. */
  urn: string;
  name: string;
  part: string;
  /** The terms in brackets: `emails[type eq "work"].value eq "x"`. */
  within: ScimTerm[] | null;
  /** Undefined for brackets without a comparison. */
  value: ScimConstant | undefined;
};

/** The target of a PATCH operation: an attribute, optionally some of its values, optionally one part. */
export type ScimPath = Omit<ScimTerm, "value">;

const LONGEST = 2000;
const MAX_TERMS = 10;

/** Returns the terms of a filter, all of which must hold. Throws invalidFilter. */
export function parseScimFilter(text: string): ScimTerm[] {
  const reader = readerOf(text, "invalidFilter");
  const terms = termsOf(reader, false);
  if (!reader.isAtEnd()) reader.fail("Only terms with eq, joined by and, are supported.");
  return terms;
}

/** Returns the path of a PATCH operation. Throws invalidPath. */
export function parseScimPath(text: string): ScimPath {
  const reader = readerOf(text, "invalidPath");
  const path = pathOf(reader, false);
  if (!reader.isAtEnd()) reader.fail("It must name one attribute.");
  return path;
}

type Reader = {
  /** Returns the match of a pattern at the current position, after spaces, and moves past it. */
  take: (pattern: RegExp) => RegExpExecArray | undefined;
  isAtEnd: () => boolean;
  fail: (why: string) => never;
};

function readerOf(text: string, problem: ScimProblem): Reader {
  const what = problem === "invalidPath" ? "path" : "filter";
  const fail = (why: string): never => {
    throw scimProblem(problem, `The ${what} cannot be used. ${why}`);
  };
  if (text.length > LONGEST) fail(`It can have at most ${LONGEST} characters.`);
  let place = 0;
  const skipSpaces = () => {
    while (text[place] === " ") place++;
  };
  return {
    take(pattern) {
      skipSpaces();
      const sticky = new RegExp(pattern.source, "iy");
      sticky.lastIndex = place;
      const match = sticky.exec(text) ?? undefined;
      if (match) place += match[0].length;
      return match;
    },
    isAtEnd() {
      skipSpaces();
      return place === text.length;
    },
    fail,
  };
}

function termsOf(reader: Reader, isWithin: boolean): ScimTerm[] {
  const terms = [termOf(reader, isWithin)];
  while (reader.take(/and(?![\w$-])/)) {
    terms.push(termOf(reader, isWithin));
    if (terms.length > MAX_TERMS) reader.fail(`It can have at most ${MAX_TERMS} terms.`);
  }
  return terms;
}

function termOf(reader: Reader, isWithin: boolean): ScimTerm {
  const path = pathOf(reader, isWithin);
  const operator = reader.take(/(?!and(?![\w$-]))[a-z]+(?![\w$-])/)?.[0];
  if (operator === undefined) {
    // Brackets alone mean that a value of the attribute exists.
    if (path.within && path.part === "") return { ...path, value: undefined };
    return reader.fail("A name is followed by eq and a value.");
  }
  if (operator.toLowerCase() !== "eq") return reader.fail(`The operator ${operator} is not supported.`);
  return { ...path, value: constantOf(reader) };
}

/** A schema contains dots and colons; the name follows its last colon. */
const NAME = /(?:(urn:[\w.:-]*):)?([a-z$][\w$-]*)(?:\.([a-z$][\w$-]*))?/;

function pathOf(reader: Reader, isWithin: boolean): ScimPath {
  const [, urn = "", name, part = ""] = reader.take(NAME) ?? [];
  if (name === undefined || /^(not|and|or)$/i.test(name))
    return reader.fail("It must begin with an attribute's name.");
  const path = { urn: urn.toLowerCase(), name, part, within: null };
  if (isWithin || part !== "" || !reader.take(/\[/)) return path;
  const within = termsOf(reader, true);
  if (!reader.take(/\]/)) reader.fail("Only terms with eq, joined by and, can be in brackets.");
  const after = reader.take(/\.([a-z$][\w$-]*)/);
  return { ...path, part: after?.[1] ?? "", within };
}

const CONSTANTS: Record<string, boolean | null> = { true: true, false: false, null: null };

function constantOf(reader: Reader): ScimConstant {
  const quoted = reader.take(/"(?:[^"\\]|\\.)*"/)?.[0];
  if (quoted !== undefined) {
    const text = parseJson(quoted);
    if (typeof text === "string" && !textProblem(text, { lines: false })) return text;
    return reader.fail("A text must be a JSON string without control characters.");
  }
  const word = reader.take(/true(?!\w)|false(?!\w)|null(?!\w)|-?\d{1,15}(?:\.\d{1,15})?(?![\w.])/)?.[0];
  if (word === undefined) return reader.fail("After eq comes a text in double quotes, true, or false.");
  const constant = CONSTANTS[word.toLowerCase()];
  return constant === undefined ? Number(word) : constant;
}
