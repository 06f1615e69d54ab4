// Authorizes place and convoy searches: purpose, agencies, case number and daily limit. Refusals are audited before they
// are thrown.

import type { AppContext } from "#app/context.ts";
import { writeAudit } from "#app/domain/search/run.ts";
import { countAgencies, listSources, selectSources } from "#app/domain/search/searchable.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { INVESTIGATION_ACTIONS } from "#app/entities/oversight/review.ts";
import { CASE_NUMBER_REQUIRED } from "#app/entities/search/investigate/request.ts";
import { prohibitedReason } from "#app/entities/search/prohibited-purpose.ts";
import { purposeProblem } from "#app/entities/search/purpose.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { AppError, audited } from "#app/lib/errors.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { countActions, findOldestOfNewest, insertAudit } from "#app/store/oversight/audit.ts";
import { findSearchPolicy } from "#app/store/search/result-sets.ts";
import type { Investigation } from "./investigation.ts";

const DEFAULT_LIFETIME_MINUTES = 60;

/** Checks the request and the user's limit. Refusals are audited before they are thrown. */
export async function authorize<Answer>(app: AppContext, actor: Actor, input: Investigation<Answer>) {
  const { reasons } = input;
  const [policy, all] = await Promise.all([
    findSearchPolicy(app.db, actor.agencyId),
    listSources(app, actor),
  ]);
  const now = app.clock();
  const sources = selectSources(all, reasons.agencies);
  const blocked = prohibitedProblems({ justification: reasons.justification, ...input.named });
  const [prohibited] = Object.values(blocked);
  if (prohibited !== undefined)
    throw await refuse(app, actor, input, new AppError("forbidden", prohibited, { problems: blocked }));
  if (!sources) {
    const message = "You cannot search one of the selected agencies.";
    throw await refuse(
      app,
      actor,
      input,
      new AppError("forbidden", message, { problems: { agencies: message } }),
    );
  }
  const purpose = purposeProblem(reasons.purpose, policy?.purposeRequired ?? false);
  const problems = {
    ...(visibleText(reasons.case_number) === "" && {
      case_number: CASE_NUMBER_REQUIRED,
    }),
    ...(purpose && { purpose }),
    ...(await input.problems({ sources, limitDays: policy?.searchLimitDays ?? 0, now })),
  };
  const first = Object.values(problems)[0];
  if (first !== undefined)
    throw await refuse(app, actor, input, new AppError("bad_request", first, { problems }));
  const perDay = policy?.investigationsPerDay ?? 0;
  const done = await countActions(app.db, { ...actor, actions: INVESTIGATION_ACTIONS, since: now - DAY });
  noteDailyLimit(app, { perDay, done: done + 1 });
  if (done >= perDay) throw await refuse(app, actor, input, await limitReached(app, actor, perDay));
  return {
    sources,
    perDay,
    lifetime: (policy?.resultLifetimeMinutes ?? DEFAULT_LIFETIME_MINUTES) * MINUTE,
  };
}

/** Returns which of these texts, by field, name a prohibited purpose. */
function prohibitedProblems(texts: Readonly<Record<string, string>>): Record<string, string> {
  const found = Object.entries(texts).flatMap(([field, text]) => {
    const reason = prohibitedReason(text);
    return reason ? [[field, `${reason} Place and convoy searches for that purpose are blocked.`]] : [];
  });
  return Object.fromEntries(found);
}

/** For the answer's header fields. */
function noteDailyLimit(app: AppContext, { perDay, done }: { perDay: number; done: number }): void {
  const policy = "investigations";
  const remaining = Math.max(0, perDay - done);
  app.rateLimits.set(policy, { policy, quota: perDay, windowSeconds: DAY / SECOND, remaining });
}

/** Returns the AppError too_many for a used-up daily limit, with the seconds until the next search is allowed. */
export async function limitReached(app: AppContext, actor: Actor, perDay: number): Promise<AppError> {
  const many = perDay === 1 ? "1 place or convoy search" : `${perDay} place and convoy searches`;
  const message = `Your agency allows ${many} within 24 hours, and you have used them.`;
  const now = app.clock();
  noteDailyLimit(app, { perDay, done: perDay });
  const { agencyId, userId } = actor;
  const who = { agencyId, userId, actions: INVESTIGATION_ACTIONS, since: now - DAY };
  const first = await findOldestOfNewest(app.db, { ...who, most: perDay });
  return new AppError(
    "too_many",
    message,
    first === undefined ? {} : { retryAfter: (first + DAY - now) / SECOND },
  );
}

/** Writes the audit row of a refusal. Returns the error to throw, whose answer names the fields. */
export async function refuse<Answer>(
  app: AppContext,
  actor: Actor,
  input: Investigation<Answer>,
  error: AppError,
): Promise<AppError> {
  const entry = auditEntry(app, actor, { input, sources: [] });
  await writeAudit(app, [
    insertAudit(app.db, { ...entry, outcome: "refused", detail: { ...entry.detail, reason: error.message } }),
  ]);
  const { code, message, problems, retryAfter } = error;
  return audited(
    new AppError(code, message, {
      ...(problems && { problems, details: { field: Object.keys(problems)[0], problems } }),
      ...(retryAfter !== undefined && { retryAfter }),
    }),
  );
}

/** Returns the audit row of an investigation, in the form of a search's. */
export function auditEntry<Answer>(
  app: AppContext,
  actor: Actor,
  { input, sources }: { input: Investigation<Answer>; sources: SearchSource[] },
) {
  const { tool, reasons, query, search } = input;
  const { agencies, ...words } = reasons;
  return {
    ...auditWho(actor),
    at: app.clock(),
    action: `search-${tool}`,
    outcome: "ok",
    object: "",
    plate: search.plate.toUpperCase(),
    caseNumber: reasons.case_number,
    programsQueried: [...new Set(sources.map((source) => source.program))].join(","),
    detail: {
      query: { ...words, ...query },
      agencies,
      ...(sources.length > 0 && { agency_count: countAgencies(sources) }),
    },
  } as const;
}
