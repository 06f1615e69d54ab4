/** A legal hold keeps reads of some plates beyond their retention for an ongoing case. Pure, safe in the browser. */

import * as z from "zod/mini";
import { IdempotencyKey } from "#app/entities/idempotency-key.ts";
import { alphabetProblem, normalizePlate, PLATE_MAX_LENGTH } from "#app/entities/search/plate.ts";
import { optionalField } from "#app/lib/json/values.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { hasNoZone, isTimeZone, timeOf, wallClock } from "#app/lib/time/wall-clock.ts";
import type * as answers from "./answers.ts";

const HOLD_MOST_PLATES = 100;
const LONGEST_MS = 366 * DAY;

/** The states of a hold, with their labels. */
export const HOLD_STATES = {
  requested: "Waiting for approval",
  active: "Active",
  refused: "Refused",
  released: "Released",
} as const;

export type HoldState = keyof typeof HOLD_STATES;

/** A hold as the screen shows it. */
export type LegalHold = z.infer<typeof answers.LegalHold>;

/**
 * Returns a case number in the form that holds compare: trimmed and in lower case, since people type capitals and
 * blanks differently. Only ASCII letters change, because SQLite's `lower` changes no others.
 */
export function comparedCase(caseNumber: string): string {
  return visibleText(caseNumber).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The part of a hold that the purge reads. */
export type HeldPlate = { plate: string; from: number; until: number };

/** The records that an agency's holds keep while a step of a purge runs. The step deletes nothing from `until` on. */
export type Held = { plates: HeldPlate[]; until: number };

const time = z.string().check(
  z.refine((value) => timeOf(value, { zone: "UTC", edge: "start" }) !== undefined, {
    error: "Start and end are required.",
  }),
);

/** The body of POST /legal-holds/request. */
export const NewLegalHold = z
  .object({
    case_number: z.pipe(
      z.string("A case number is required.").check(
        z.trim(),
        z.maxLength(64, "A case number has at most 64 characters."),
        z.refine((text) => visibleText(text) !== "", { error: "A case number is required." }),
      ),
      z.transform(visibleText),
    ),
    reason: z.string("A reason is required.").check(
      z.trim(),
      z.maxLength(500, "A reason has at most 500 characters."),
      z.refine((text) => visibleText(text).length >= 10, {
        error: "Explain in a sentence why the reads are needed.",
      }),
    ),
    /** Separated by commas or line breaks. */
    plates: z
      .string("At least one plate is required.")
      .check(z.maxLength(4000, "The list of plates has at most 4,000 characters.")),
    start: time,
    end: time,
    /** The zone in which the year is counted, if the times have none. */
    time_zone: optionalField(z.string().check(z.maxLength(100))),
    idempotency_key: IdempotencyKey,
  })
  .check(
    // Times without a zone can be compared only once the agency is known.
    z.superRefine(({ start, end, time_zone: zone }, context) => {
      if (hasNoZone(start) || hasNoZone(end)) return;
      const [from, until] = [timeOf(start, { edge: "start" }), timeOf(end, { edge: "end" })];
      const problem = from !== undefined && until !== undefined && holdRangeProblem({ from, until, zone });
      if (problem) context.addIssue({ code: "custom", message: problem, input: end, path: ["end"] });
    }),
  );
export type NewLegalHold = z.infer<typeof NewLegalHold>;

/**
 * Returns the problem with a hold's range in milliseconds, or undefined. A year by the clocks of `zone` is an hour longer if
 * they were set back once more than forward. The form sends the end of the minute that was typed, which counts as that minute.
 */
export function holdRangeProblem({
  from,
  until,
  zone,
}: {
  from: number;
  until: number;
  zone?: string | undefined;
}): string | undefined {
  if (from >= until) return "The start must be before the end.";
  const byClock = (at: number) => Date.parse(`${wallClock(at, zone)}Z`) + (at % SECOND);
  const end = (until + 1) % MINUTE === 0 ? until + 1 - MINUTE : until;
  const byClocks = zone !== undefined && isTimeZone(zone) ? byClock(end) - byClock(from) : Infinity;
  return Math.min(until - from, byClocks) > LONGEST_MS ? "A hold covers at most a year." : undefined;
}

/** Returns the canonical plates in the form's field without duplicates, or the problem with them. */
export function platesOfHold(text: string): { plates: string[]; problem?: undefined } | { problem: string } {
  // Dropping wildcards like other signs would leave a plate that no vehicle has.
  if (/[*?]/.test(text.normalize("NFKC")))
    return { problem: "A hold has whole plates: * and ? cannot stand for unknown characters." };
  const plates = [
    ...new Set(
      text
        .split(/[\n,;]/)
        .map(normalizePlate)
        .filter((plate) => plate !== ""),
    ),
  ];
  if (plates.length === 0) return { problem: "At least one plate is required." };
  if (plates.length > HOLD_MOST_PLATES) return { problem: `A hold has at most ${HOLD_MOST_PLATES} plates.` };
  const long = plates.find((plate) => plate.length > PLATE_MAX_LENGTH);
  if (long) return { problem: `A plate has at most ${PLATE_MAX_LENGTH} characters.` };
  const mistaken = plates.map(alphabetProblem).find((problem) => problem !== undefined);
  if (mistaken) return { problem: mistaken };
  return { plates };
}
