import { MESSAGES } from "#app/entities/messages.ts";
import { purposeProblem } from "#app/entities/purpose.ts";
import { caseNumberProblem, rangeProblem, VEHICLE_MARKS } from "#app/entities/search.ts";
import { SearchRequest } from "#app/entities/search-request.ts";
import { isoTime } from "#app/lib/dates.ts";
import { visibleText } from "#app/lib/text.ts";
import { type AgencyGroup, agencyStrings } from "./agency-options.ts";
import { type FieldName, type Problems, rangeOf, type SearchForm } from "./form-state.ts";

/** What is wrong with the plate as far as it is typed. */
export function plateProblem(plate: string): string | undefined {
  return SearchRequest.shape.plate.safeParse(plate).error?.issues[0]?.message;
}

const FIELD_OF_KEY: Record<string, FieldName> = {
  plate: "plate",
  justification: "justification",
  case_number: "caseNumber",
  purpose: "purpose",
  start_time: "start",
  end_time: "end",
  agencies: "agencies",
};

export type Submission =
  | { request: SearchRequest; problems?: undefined }
  | { request?: undefined; problems: Problems };

/** The request of a form, or why nothing may be sent, a message a field. */
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
    plate_state: form.plateState,
    vehicle_color: form.color,
    vehicle_make: form.make,
    vehicle_body_type: form.bodyType,
    justification: form.justification.trim(),
    case_number: form.caseNumber,
    purpose: form.purpose,
    start_time: problem ? "" : isoTime(range.start as number),
    end_time: problem ? "" : isoTime(range.end as number),
    agencies: agencyStrings(groups, form.selected),
    filters: Object.fromEntries(VEHICLE_MARKS.map(({ key }) => [key, form.marks.includes(key)])),
  });
  const unnamed = caseNumberProblem(form.caseNumber, caseNumberRequired);
  const purposeless = purposeProblem(form.purpose, purposeRequired);
  if (parsed.success && !problem && !unnamed && !purposeless) return { request: parsed.data };
  const problems: Problems = {
    ...(unnamed && { caseNumber: unnamed }),
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

// The message names both halves, so it stands once: at the first of them that is missing.
function requiredProblems(form: SearchForm, range: ReturnType<typeof rangeOf>): Problems | undefined {
  if (visibleText(form.justification) === "") return { justification: MESSAGES.searchRequired };
  for (const edge of ["start", "end"] as const) {
    if (range[edge] !== undefined) continue;
    const { text, oddity } = form[edge];
    if (oddity !== "never") return { [edge]: MESSAGES.searchRequired };
    return { [edge]: `${text.slice(11)} does not exist on ${text.slice(0, 10)}: clocks skip that hour.` };
  }
  return undefined;
}
