// The steps that place and convoy searches share: authorize, record in the audit log, gather, rank, store. They are
// privileged: a permission of their own, always a case number, a daily limit, and no prohibited purpose.

import type { AppContext } from "#app/context.ts";
import { placeCameras } from "#app/domain/ingest/camera-places.ts";
import { requireResultSet } from "#app/domain/search/results.ts";
import { listSources, selectSources, waiting, writeAudit } from "#app/domain/search/run.ts";
import type { SourcesResult } from "#app/domain/search/sources.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { INVESTIGATION_ACTIONS } from "#app/entities/oversight/review.ts";
import type {
  AnswerHead,
  EvidenceRead,
  InvestigationAnswer,
} from "#app/entities/search/investigate/answer.ts";
import { CASE_NUMBER_REQUIRED } from "#app/entities/search/investigate/request.ts";
import { prohibitedReason } from "#app/entities/search/prohibited-purpose.ts";
import { purposeProblem } from "#app/entities/search/purpose.ts";
import type { SearchProgress, SourceStatus } from "#app/entities/search/query.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import {
  type ColumnsBuilder,
  createColumns,
  encodeLocators,
  pickRows,
} from "#app/entities/search/result-builder.ts";
import { encodeColumns, encodeRows } from "#app/entities/search/result-codec.ts";
import { newestFirst, rowAt } from "#app/entities/search/result-columns.ts";
import { FIRST_ROWS } from "#app/entities/search/result-set.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError, audited, isAppError } from "#app/lib/errors.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { changesOf, inOneStep } from "#app/store/database.ts";
import { noteIntegration } from "#app/store/integrations/sources.ts";
import {
  countActions,
  findOldestOfNewest,
  insertAudit,
  insertAuditBelow,
} from "#app/store/oversight/audit.ts";
import { sendJob } from "#app/store/queue.ts";
import { findInvestigation, putInvestigation } from "#app/store/search/investigations.ts";
import {
  findSearchPolicy,
  finishResultSet,
  insertResultSetIfChanged,
  putResultFiles,
} from "#app/store/search/result-sets.ts";
import type { Gathering } from "./gather.ts";

type Tool = InvestigationAnswer["tool"];
export type Hooks = { signal: AbortSignal; onProgress: (progress: SearchProgress) => void };

/** The fields of a request that every investigation has, and the range that all its queries are in. */
type Reasoned = {
  justification: string;
  case_number: string;
  purpose: string;
  agencies: string[];
};

/** What a tool found. */
export type Ranking<Answer> = {
  /** Rows of the evidence in the gathered reads. */
  rows: readonly number[];
  /** Returns the answer; `rowOf` converts these rows to rows of the result set. */
  answer: (head: AnswerHead, rowOf: (row: number) => number) => Answer;
};

type Investigation<Answer> = {
  tool: Tool;
  reasons: Reasoned;
  /** The whole request, for the audit log. */
  query: Record<string, unknown>;
  /** The evidence's result set opens as the result of this search. */
  search: SearchRequest;
  /** Returns the problems of the request by field. */
  problems: (known: {
    sources: SearchSource[];
    limitDays: number;
    now: number;
  }) => Promise<Record<string, string>>;
  gather: (to: Gathering & { sources: SearchSource[] }) => Promise<SourcesResult>;
  rank: (columns: ColumnsBuilder, cut: boolean) => Ranking<Answer>;
};

const DEFAULT_LIFETIME_MINUTES = 60;

/**
 * Runs an investigation and stores its evidence as a result set of the user's own, with the ranking next to it. Throws
 * AppError bad_request with the problem of each field, forbidden, too_many (all audited, nothing is sent to a vendor),
 * gone if it was canceled, and unavailable if the audit log cannot be written.
 */
export async function investigate<Answer extends InvestigationAnswer>(
  app: AppContext,
  actor: Actor,
  input: Investigation<Answer> & Hooks,
): Promise<Answer> {
  const { tool, reasons, signal, onProgress } = input;
  const action = `search-${tool}` as const;
  const { sources, lifetime, perDay } = await authorize(app, actor, input);
  const createdAt = app.clock();
  const resultId = randomToken();
  const statuses = sources.map(waiting);
  const entry = { ...auditEntry(app, actor, { input, sources }), object: resultId };
  const [written] = await writeAudit(app, [
    insertAuditBelow(app.db, entry, { actions: INVESTIGATION_ACTIONS, since: createdAt - DAY, most: perDay }),
    insertResultSetIfChanged(app.db, {
      id: resultId,
      userId: actor.userId,
      agencyId: actor.agencyId,
      request: input.search,
      statuses,
      createdAt,
      expiresAt: createdAt + lifetime,
    }),
  ]);
  if (changesOf(written) === 0) throw await refuse(app, actor, input, await limitReached(app, actor, perDay));
  onProgress({ type: "started", sources: statuses });

  const columns = createColumns();
  const report = (status: SourceStatus) => onProgress({ type: "status", source: status });
  const finish = async (ending: {
    state: "ready" | "cancelled" | "failed";
    count: number;
    truncated: boolean;
    expiresAt: number;
    plates: string[];
    health: SourcesResult["health"];
    seen: Awaited<ReturnType<typeof placeCameras>>;
  }) => {
    const { state, count, truncated, expiresAt, plates, health, seen } = ending;
    const now = app.clock();
    await inOneStep(app.db, [
      finishResultSet(app.db, { id: resultId, state, statuses, count, truncated, expiresAt }),
      insertAudit(app.db, {
        ...auditWho(actor),
        at: now,
        action: `${action}.finished`,
        outcome: state === "ready" ? "ok" : "failed",
        object: resultId,
        caseNumber: reasons.case_number,
        detail: { state, reads: count, gathered: columns.count, truncated, plates, sources: statuses },
      }),
      ...health.map((one) => noteIntegration(app.db, { ...one, now })),
      ...seen,
    ]);
  };
  try {
    const gathered = await input.gather({ sources, statuses, columns, signal, report });
    for (const status of statuses)
      if (status.state === "waiting") report(Object.assign(status, { state: "ok" }));
    const seen = await placeCameras(app, { sources, columns });
    const expiresAt = app.clock() + lifetime;
    if (signal.aborted) {
      await finish({
        state: "cancelled",
        count: 0,
        expiresAt,
        plates: [],
        ...gathered,
        seen,
      });
      throw audited(new AppError("gone", "The search was canceled."));
    }
    const ranking = input.rank(columns, gathered.truncated);
    const picked = pickRows(columns, ranking.rows);
    const order = newestFirst(picked);
    const position = new Map([...order].map((row, at) => [row, at]));
    const shown = new Map(ranking.rows.map((row, i) => [row, position.get(i) ?? 0]));
    const head: AnswerHead = {
      result_id: resultId,
      created_at: createdAt,
      expires_at: expiresAt,
      reads: [...order].map((row, at) => evidenceOf(picked, row, at)),
      reads_gathered: columns.count,
      sources: statuses,
    };
    const answer = ranking.answer(head, (row) => shown.get(row) ?? 0);
    await putResultFiles(app.results, {
      id: resultId,
      columns: () => encodeColumns(picked, order),
      firstRows: () => encodeRows(picked, order.subarray(0, FIRST_ROWS)),
      locators: () => encodeLocators(picked, order),
    });
    await putInvestigation(app.results, resultId, answer);
    const plates = answer.plates.map(({ plate }) => plate);
    await finish({ state: "ready", count: picked.count, expiresAt, plates, ...gathered, seen });
    await sendJob(
      app.jobs,
      { v: 1, type: "purge-result-set", id: resultId },
      { delaySeconds: lifetime / SECOND },
    );
    onProgress({ type: "done", resultId, count: picked.count });
    return answer;
  } catch (error) {
    if (!isAppError(error)) {
      const ended = { count: 0, truncated: false, expiresAt: app.clock(), plates: [], health: [], seen: [] };
      await finish({ state: "failed", ...ended });
    }
    throw error;
  }
}

/** Returns a stored investigation of the actor's own. Throws AppError gone if it was purged, not_found otherwise. */
export async function openInvestigation(
  app: AppContext,
  actor: Actor,
  id: string,
): Promise<InvestigationAnswer> {
  const set = await requireResultSet(app, actor, id);
  const answer = await findInvestigation<InvestigationAnswer>(app.results, set.id);
  if (!answer) throw new AppError("not_found", "These results are not of a place or convoy search.");
  await inOneStep(app.db, [
    insertAudit(app.db, {
      ...auditWho(actor),
      at: app.clock(),
      action: "result-set.view",
      outcome: "ok",
      object: id,
      caseNumber: set.request.case_number,
      detail: { reads: answer.reads.length, plates: answer.plates.map(({ plate }) => plate) },
    }),
  ]);
  return answer;
}

/** Checks the request and the user's limit. Refusals are audited before they are thrown. */
async function authorize<Answer>(app: AppContext, actor: Actor, input: Investigation<Answer>) {
  const { reasons } = input;
  const [policy, all] = await Promise.all([
    findSearchPolicy(app.db, actor.agencyId),
    listSources(app, actor),
  ]);
  const now = app.clock();
  const sources = selectSources(all, reasons.agencies);
  const prohibited = prohibitedReason(reasons.justification);
  if (prohibited) {
    const message = `${prohibited} Place and convoy searches for that purpose are blocked.`;
    throw await refuse(
      app,
      actor,
      input,
      new AppError("forbidden", message, { problems: { justification: message } }),
    );
  }
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

/** For the answer's header fields. */
function noteDailyLimit(app: AppContext, { perDay, done }: { perDay: number; done: number }): void {
  const policy = "investigations";
  const remaining = Math.max(0, perDay - done);
  app.rateLimits.set(policy, { policy, quota: perDay, windowSeconds: DAY / SECOND, remaining });
}

async function limitReached(app: AppContext, actor: Actor, perDay: number): Promise<AppError> {
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
async function refuse<Answer>(
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
function auditEntry<Answer>(
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
      ...(sources.length > 0 && { agency_count: sources.length }),
    },
  } as const;
}

function evidenceOf(columns: ColumnsBuilder, row: number, at: number): EvidenceRead {
  const read = rowAt(columns, row);
  return {
    row: at,
    plate: read.plate,
    state: read.state,
    at: read.capturedAt ?? 0,
    camera: read.camera,
    agency: read.agency,
    program: read.program,
    latitude: read.latitude,
    longitude: read.longitude,
    has_image: read.hasVehicleImage || read.hasPlateImage,
  };
}
