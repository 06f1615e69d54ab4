import { MESSAGES } from "#app/entities/messages.ts";
import { visibleText } from "#app/lib/text.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { type AgencyGroup, chosenOptions, type Selection, stateOf } from "./agencies.ts";
import { EDGES, type FieldName, type Problems, rangeOf, type SearchForm } from "./form.ts";
import { purposeProblem } from "./purpose.ts";
import { caseNumberProblem, MAX_AGENCIES, rangeProblem, VEHICLE_MARKS } from "./query.ts";
import { SearchRequest } from "./request.ts";

/** Returns what is wrong with a typed plate, as text for the user, or undefined. */
export function plateProblem(plate: string): string | undefined {
  return SearchRequest.shape.plate.safeParse(plate).error?.issues[0]?.message;
}

const FIELD_OF_KEY: Record<string, FieldName> = {
  plate: "plate",
  justification: "justification",
  case_number: "case_number",
  purpose: "purpose",
  start_time: "start",
  end_time: "end",
  agencies: "agencies",
};

export type Submission =
  | { request: SearchRequest; problems?: undefined }
  | { request?: undefined; problems: Problems };

/** Returns the request of a form, or a problem per field. */
export function submit(
  form: SearchForm,
  context: {
    groups: readonly AgencyGroup[];
    now: number;
    limitDays: number;
    caseNumberRequired: boolean;
    purposeRequired: boolean;
  },
): Submission {
  const { groups, now, limitDays, caseNumberRequired, purposeRequired } = context;
  const range = rangeOf(form, now);
  const required = requiredProblems(form, range);
  if (required) return { problems: required };
  const problem = rangeProblem({
    start: range.start ?? Number.NaN,
    end: range.end ?? Number.NaN,
    now,
    limitDays,
  });
  const parsed = SearchRequest.safeParse({
    plate: form.plate.trim().toLowerCase(),
    ...(form.lookAlikes && { look_alikes: true }),
    plate_state: form.plateState,
    vehicle_color: form.color,
    vehicle_make: form.make,
    vehicle_body_type: form.bodyType,
    justification: form.justification.trim(),
    case_number: form.caseNumber,
    purpose: form.purpose,
    start_time: problem || range.start === undefined ? "" : isoTime(range.start),
    end_time: problem || range.end === undefined ? "" : isoTime(range.end),
    agencies: agencyStrings(groups, form.selected),
    filters: Object.fromEntries(VEHICLE_MARKS.map(({ key }) => [key, form.marks.includes(key)])),
  });
  const unnamed = caseNumberProblem(form.caseNumber, caseNumberRequired);
  const purposeless = purposeProblem(form.purpose, purposeRequired);
  if (parsed.success && !problem && !unnamed && !purposeless) return { request: parsed.data };
  const problems: Problems = {
    ...(unnamed && { case_number: unnamed }),
    ...(purposeless && { purpose: purposeless }),
  };
  for (const issue of parsed.error?.issues ?? []) {
    const field = FIELD_OF_KEY[String(issue.path[0])] ?? "form";
    problems[field] ??= issue.message;
  }
  if (problem) {
    delete problems.end;
    problems.start = problem;
  }
  return { problems };
}

// The message covers justification and range, so it is shown once, at the first missing field.
function requiredProblems(form: SearchForm, range: ReturnType<typeof rangeOf>): Problems | undefined {
  if (visibleText(form.justification) === "") return { justification: MESSAGES.searchRequired };
  for (const edge of EDGES) {
    if (range[edge] !== undefined) continue;
    const { text, oddity } = form[edge];
    if (oddity !== "never") return { [edge]: MESSAGES.searchRequired };
    return { [edge]: `${text.slice(11)} does not exist on ${text.slice(0, 10)}: clocks skip that hour.` };
  }
  return undefined;
}

/**
 * Returns the `agencies` of a request. Axis cameras are listed one by one, as documented. If that would exceed the
 * limit of a request, fully selected agencies are listed by id.
 */
export function agencyStrings(groups: readonly AgencyGroup[], selected: Selection): string[] {
  const chosen = chosenOptions(groups, selected);
  const each = chosen.flatMap(({ identifiers }) =>
    identifiers.filter((identifier) => selected.has(identifier)),
  );
  if (each.length <= MAX_AGENCIES) return [...new Set(each)];
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
  if (/\bcase number\b/i.test(message)) return "case_number";
  if (/\bpurpose\b/i.test(message)) return "purpose";
  if (/\brange\b|days? at once|\bISO\b/i.test(message)) return "start";
  if (/\bplate\b/i.test(message)) return "plate";
  if (/\bagenc(y|ies)\b/i.test(message)) return "agencies";
  return "form";
}
