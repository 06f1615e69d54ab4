// Results as they arrive. When all agencies of one program have answered and others have not, the reads so far become a
// result set of their own, which the user can open while the search continues. A set never changes once it can be
// opened, because a read's number in its set leads to its pictures.

import type { AppContext } from "#app/context.ts";
import { withCorrections } from "#app/domain/ingest/camera-places.ts";
import { auditAct } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  isSettled,
  type SearchProgress,
  SOURCE_PROGRAMS,
  type SourceProgram,
  type SourceStatus,
} from "#app/entities/search/query.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import { type ColumnsBuilder, encodeLocators } from "#app/entities/search/result-builder.ts";
import { decodeColumns, encodeRows } from "#app/entities/search/result-codec.ts";
import { FIRST_ROWS } from "#app/entities/search/result-set.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { logError } from "#app/lib/log.ts";
import { sleep } from "#app/lib/waiting.ts";
import { inOneStep } from "#app/store/database.ts";
import { finishResultSet, insertResultSet, putResultFiles } from "#app/store/search/result-sets.ts";
import { purgeAfter } from "./purge.ts";

type RunningSearch = {
  resultId: string;
  /** When the search began. All of its sets have this time, so that they are shown and exported as one search. */
  createdAt: number;
  request: SearchRequest;
  /** Updated in place while the search runs. */
  statuses: readonly SourceStatus[];
  columns: ColumnsBuilder;
  /** Returns the rows in the order in which they are stored. */
  inOrder: (columns: ColumnsBuilder) => Uint32Array;
  /** How long results are kept, in milliseconds. */
  lifetime: number;
  signal: AbortSignal;
  onProgress: (progress: SearchProgress) => void;
};

/**
 * How long a search runs before its reads so far are stored. Most searches are finished by then; a partial set would
 * only delay them, and no one would open it.
 */
const FIRST_AFTER_MS = 400;

/** Returns the programs of which every agency has answered or failed. */
function answeredPrograms(statuses: readonly SourceStatus[]): SourceProgram[] {
  return SOURCE_PROGRAMS.filter((program) => {
    const own = statuses.filter((status) => status.program === program);
    return own.length > 0 && own.every(isSettled);
  });
}

/**
 * Stores the partial results of one search. Call `check` after each change of a status, and `end` before the search
 * ends; `end` waits for a set that is being stored. Sets are stored one at a time, so that they are announced in order
 * of growth. A set that cannot be stored is logged and left out; the search itself continues.
 */
export function keepPartialResults(app: AppContext, actor: Actor, search: RunningSearch) {
  const { statuses, columns, signal } = search;
  const ending = new AbortController();
  let stored = sleep(FIRST_AFTER_MS, ending.signal);
  let known = 0;
  /** Stores the reads that have arrived by now, if another program has answered since the last set. */
  async function storeNext(): Promise<void> {
    const programs = answeredPrograms(statuses);
    if (programs.length <= known) return;
    known = programs.length;
    if (ending.signal.aborted || signal.aborted || columns.count === 0 || statuses.every(isSettled)) return;
    await store(app, actor, { search, programs }).catch((error: unknown) =>
      logError("partial results could not be stored", error),
    );
  }
  return {
    check: (): void => {
      stored = stored.then(storeNext);
    },
    end: (): Promise<void> => {
      ending.abort();
      return stored;
    },
  };
}

async function store(
  app: AppContext,
  actor: Actor,
  { search, programs }: { search: RunningSearch; programs: SourceProgram[] },
): Promise<void> {
  const { columns, request, resultId, createdAt, lifetime } = search;
  // Everything that the running search changes is copied before the first await.
  const order = search.inOrder(columns);
  const { count } = columns;
  const statuses = search.statuses.map((status) => ({ ...status }));
  const locators = encodeLocators(columns, order);
  const encoded = await withCorrections(app, { columns, order });
  const id = randomToken();
  const first = Uint32Array.from({ length: Math.min(FIRST_ROWS, count) }, (_, row) => row);
  const firstRows = () => encodeRows(decodeColumns(encoded), first);
  const set = { id, statuses, expiresAt: app.clock() + lifetime };
  const who = { userId: actor.userId, agencyId: actor.agencyId };
  // Before the files: files without a record would never be purged.
  await inOneStep(app.db, [insertResultSet(app.db, { ...set, ...who, request, createdAt })]);
  await putResultFiles(app.results, {
    id,
    count,
    columns: () => encoded,
    firstRows,
    locators: () => locators,
  });
  const now = app.clock();
  await inOneStep(app.db, [
    finishResultSet(app.db, {
      ...set,
      expiresAt: now + lifetime,
      state: "ready",
      count,
      truncated: statuses.some((one) => one.truncated),
    }),
    auditAct(app, actor, {
      at: now,
      action: "search.partial",
      object: id,
      caseNumber: request.case_number,
      detail: { search: resultId, reads: count, programs },
    }),
  ]);
  search.onProgress({ type: "partial", resultId: id, count });
  purgeAfter(app, { id, lifetime });
}
