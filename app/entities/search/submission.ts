import { MESSAGES } from "#app/entities/messages.ts";
import { visibleText } from "#app/lib/text.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { type AgencyGroup, chosenOptions, type Selection, stateOf } from "./agencies.ts";
import {
  EDGES,
  type FieldName,
  MISSING,
  type Problems,
  rangeOf,
  type SearchForm,
  skippedText,
} from "./form.ts";
import { confirmationProblems, prohibitedReason } from "./prohibited-purpose.ts";
import { purposeProblem } from "./purpose.ts";
import { caseNumberProblem, LISTED_AGENCIES, rangeProblem, VEHICLE_MARKS } from "./query.ts";
import { SearchRequest } from "./request.ts";
import type { Searcher } from "./vague-reason.ts";

/** Returns what is wrong with a typed plate, as text for the user, or undefined. */
export function plateProblem(plate: string): string | undefined {
  return SearchRequest.shape.plate.safeParse(plate).error?.issues[0]?.message;
}

const FIELD_OF_KEY: Record<string, FieldName> = {
  plate: "plate",
  justification: "justification",
  case_number: "case_number",
  purpose: "purpose",
  confirmation: "confirmation",
  supervisor: "supervisor",
  start_time: "start",
  end_time: "end",
  agencies: "agencies",
};

export type Submission =
  | { request: SearchRequest; problems?: undefined }
  | { request?: undefined; problems: Problems };

/** Returns the request of a form, or a problem for every field that is missing or wrong. */
export function submit(
  form: SearchForm,
  context: {
    groups: readonly AgencyGroup[];
    now: number;
    limitDays: number;
    caseNumberRequired: boolean;
    purposeRequired: boolean;
    /** The user who searches. The server leaves it out: the search itself checks the confirmation and audits it. */
    searcher?: Searcher | undefined;
  },
): Submission {
  const { groups, now, limitDays, caseNumberRequired, purposeRequired, searcher } = context;
  const range = rangeOf(form, now);
  const wrongRange = rangeProblems(form, range, { now, limitDays });
  const isRange = Object.keys(wrongRange).length === 0;
  const parsed = SearchRequest.safeParse({
    plate: form.plate.toLowerCase(),
    ...(form.lookAlikes && { look_alikes: true }),
    plate_state: form.plateState,
    vehicle_color: form.color,
    vehicle_make: form.make,
    vehicle_body_type: form.bodyType,
    justification: form.justification.trim(),
    case_number: form.caseNumber,
    purpose: form.purpose,
    ...(prohibitedReason(form.justification) && {
      confirmation: form.confirmation,
      supervisor: form.supervisor,
    }),
    start_time: isRange && range.start !== undefined ? isoTime(range.start) : undefined,
    end_time: isRange && range.end !== undefined ? isoTime(range.end) : undefined,
    agencies: agencyStrings(groups, form.selected),
    filters: Object.fromEntries(VEHICLE_MARKS.map(({ key }) => [key, form.marks.includes(key)])),
  });
  const caseNumber = caseNumberProblem(form.caseNumber, caseNumberRequired);
  const purpose = purposeProblem(form.purpose, purposeRequired);
  const unconfirmed = searcher ? confirmationProblems(form, searcher) : {};
  const isConfirmed = Object.keys(unconfirmed).length === 0;
  if (parsed.success && isRange && !caseNumber && !purpose && isConfirmed) return { request: parsed.data };
  const problems: Problems = {
    ...wrongRange,
    ...unconfirmed,
    ...(visibleText(form.justification) === "" && { justification: MISSING.justification }),
    ...(caseNumber && { case_number: caseNumber }),
    ...(purpose && { purpose }),
  };
  for (const issue of parsed.error?.issues ?? []) {
    const field = FIELD_OF_KEY[String(issue.path[0])] ?? "form";
    // The times are left out if the range is wrong, which is a separate problem.
    if (field !== "start" && field !== "end") problems[field] ??= issue.message;
  }
  return { problems };
}

function rangeProblems(
  form: SearchForm,
  range: ReturnType<typeof rangeOf>,
  limits: { now: number; limitDays: number },
): Problems {
  const { start, end } = range;
  if (start !== undefined && end !== undefined) {
    const problem = rangeProblem({ start, end, ...limits });
    return problem ? { start: problem } : {};
  }
  const problems: Problems = {};
  for (const edge of EDGES) {
    if (range[edge] !== undefined) continue;
    const { text, oddity } = form[edge];
    problems[edge] = oddity === "never" ? skippedText(text) : MISSING[edge];
  }
  return problems;
}

/**
 * Returns the `agencies` of a request. Axis cameras are listed one by one, as documented. If that would be too many,
 * fully selected agencies are listed by id.
 */
export function agencyStrings(groups: readonly AgencyGroup[], selected: Selection): string[] {
  const chosen = chosenOptions(groups, selected);
  const each = chosen.flatMap(({ identifiers }) =>
    identifiers.filter((identifier) => selected.has(identifier)),
  );
  if (each.length <= LISTED_AGENCIES) return [...new Set(each)];
  const short = chosen.flatMap((option) =>
    option.program === "Axis" && stateOf([option], selected) === true
      ? [option.key]
      : option.identifiers.filter((identifier) => selected.has(identifier)),
  );
  return [...new Set(short)];
}

/** Returns the field that the server's error message is about. */
export function fieldOfRefusal(message: string): FieldName {
  if (message === MESSAGES.searchRequired || /justification/i.test(message)) return "justification";
  if (/^Confirm this search\b/m.test(message)) return "confirmation";
  if (/\bcase number\b/i.test(message)) return "case_number";
  if (/\bpurpose\b/i.test(message)) return "purpose";
  if (/\brange\b|days? at once|\bISO\b/i.test(message)) return "start";
  if (/\bplate\b/i.test(message)) return "plate";
  if (/\bagenc(y|ies)\b/i.test(message)) return "agencies";
  return "form";
}
