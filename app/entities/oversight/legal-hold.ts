/** A legal hold: reads of some plates that an ongoing case keeps beyond their retention. Pure, safe in the browser. */

import * as z from "zod/mini";
import { normalizePlate, PLATE_MAX_LENGTH } from "#app/entities/search/plate.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { hasNoZone, timeOf } from "#app/lib/time/wall-clock.ts";

const HOLD_MOST_PLATES = 100;
const LONGEST_MS = 366 * DAY;

export const HOLD_STATES = {
  requested: "Waits for approval",
  active: "Active",
  refused: "Refused",
  released: "Released",
} as const;

export type HoldState = keyof typeof HOLD_STATES;

/** A hold as the screen shows it. */
export type LegalHold = {
  id: string;
  case_number: string;
  reason: string;
  plates: string[];
  from: number;
  until: number;
  state: HoldState;
  requested_by_name: string;
  requested_at: number;
  decided_by_name: string | null;
  decided_at: number | null;
  released_by_name: string | null;
  released_at: number | null;
  /** Asked for by the viewer, who then cannot approve it. */
  is_own: boolean;
};

/**
 * A case number as a hold is compared by it: whoever types it elsewhere may use other capitals, and blanks that nobody
 * sees. Capitals are those of ASCII, since SQLite's `lower` knows no others.
 */
export function comparedCase(caseNumber: string): string {
  return visibleText(caseNumber).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** What of a hold the purge looks at. */
export type HeldPlate = { plate: string; from: number; until: number };

const time = z.string().check(
  z.refine((value) => timeOf(value, { zone: "UTC", edge: "start" }) !== undefined, {
    error: "Start and end of what is held are required.",
  }),
);

/** The call of POST /legal-holds/request. */
export const NewLegalHold = z
  .object({
    case_number: z.string("A case number is required.").check(
      z.trim(),
      z.maxLength(64),
      z.refine((text) => visibleText(text) !== "", { error: "A case number is required." }),
    ),
    reason: z.string("A reason is required.").check(
      z.trim(),
      z.maxLength(500),
      z.refine((text) => visibleText(text).length >= 10, {
        error: "Say in a sentence why the reads are needed.",
      }),
    ),
    /** Separated by commas or lines. */
    plates: z.string("At least one plate is required.").check(z.maxLength(4000)),
    start: time,
    end: time,
  })
  .check(
    // A time without a zone means something only once the agency is known.
    z.superRefine(({ start, end }, context) => {
      if (hasNoZone(start) || hasNoZone(end)) return;
      const problem = holdRangeProblem({ from: Date.parse(start), until: Date.parse(end) });
      if (problem) context.addIssue({ code: "custom", message: problem, input: end, path: ["end"] });
    }),
  );
export type NewLegalHold = z.infer<typeof NewLegalHold>;

/** Returns what is wrong with the range of a hold, in milliseconds, or undefined. */
export function holdRangeProblem({ from, until }: { from: number; until: number }): string | undefined {
  if (from >= until) return "The start has to lie before the end.";
  return until - from > LONGEST_MS ? "A hold covers at most a year." : undefined;
}

/** Canonical plates of the form's field, each once; or what is wrong with it. */
export function platesOfHold(text: string): { plates: string[]; problem?: undefined } | { problem: string } {
  const plates = [
    ...new Set(
      text
        .split(/[\n,;]+/)
        .map(normalizePlate)
        .filter((plate) => plate !== ""),
    ),
  ];
  if (plates.length === 0) return { problem: "At least one plate is required." };
  if (plates.length > HOLD_MOST_PLATES)
    return { problem: `A hold names at most ${HOLD_MOST_PLATES} plates.` };
  const long = plates.find((plate) => plate.length > PLATE_MAX_LENGTH);
  if (long) return { problem: `A plate has at most ${PLATE_MAX_LENGTH} characters.` };
  return { plates };
}
