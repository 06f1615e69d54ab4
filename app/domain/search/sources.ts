// Asks the sources of one search in parallel and collects their reads. Each source has its own deadline and circuit
// breaker, so that a slow or broken source does not delay the others.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import type { SightingQuery, SourceStatus } from "#app/entities/search/query.ts";
import { appendSightings, type ColumnsBuilder } from "#app/entities/search/result-builder.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { at } from "#app/lib/at.ts";
import { logError } from "#app/lib/log.ts";
import { isProviderFailure, type SightingPage } from "#app/providers/provider.ts";
import { listOpenBreakers } from "#app/store/integrations/sources.ts";

/** A Worker may have six open connections; more would queue. */
const AT_ONCE = 6;

/** Time limit for all pages of a source together, in deadlines of one page. */
const ALL_PAGES = 5;

export type SourcesResult = {
  truncated: boolean;
  /** Result of each integration that was asked, for its circuit breaker. */
  health: { integrationId: string; failure: string | null }[];
};

type SourcesSearch = {
  sources: SearchSource[];
  /** One per source, in the same order. */
  statuses: SourceStatus[];
  query: SightingQuery;
  signal: AbortSignal;
  columns: ColumnsBuilder;
  report: (status: SourceStatus) => void;
  /** When the integrations that failed several times in a row may be asked again; looked up here by default. */
  breakers?: Map<string, number>;
  /** Whether `prepareSources` was called for this query. */
  isPrepared?: boolean;
  /** Reads at which to stop, including those already in the columns; by default the limit of a search. */
  maxReads?: number;
};

/** A source and its status, which is updated in place. */
type Member = { source: SearchSource; status: SourceStatus };

/** Asks all sources, six integrations at a time. Failures of sources are reported in their statuses, not thrown. */
export async function searchSources(app: AppContext, search: SourcesSearch): Promise<SourcesResult> {
  const { sources, statuses } = search;
  const members = sources.map((source, i) => ({ source, status: at(statuses, i) }));
  const groups = [...Map.groupBy(members, ({ source }) => source.integrationId)];
  const [breakers] = await Promise.all([
    search.breakers ?? findBreakers(app, sources),
    search.isPrepared || prepareSources(app, sources, search.query),
  ]);
  const result: SourcesResult = { truncated: false, health: [] };
  const ask = ([integrationId, together]: [string, Member[]]) =>
    searchGroup(app, { ...search, together, pausedUntil: breakers.get(integrationId), result });
  await pMap(groups, ask, { concurrency: AT_ONCE });
  result.truncated ||= statuses.some((status) => status.truncated);
  return result;
}

/**
 * Lets each program look up what its sources need together: with a thousand integrations, a query for each would exceed
 * the 1,000 that D1 allows. If that fails, each source looks it up itself. Nothing is searched yet.
 */
export async function prepareSources(
  app: AppContext,
  sources: readonly SearchSource[],
  query: SightingQuery,
): Promise<void> {
  const byProgram = [...Map.groupBy(sources, (source) => source.program)];
  await Promise.all(
    byProgram.map(([program, own]) =>
      app.providers[program]
        .prepare?.(own, query)
        .catch((error: unknown) => logError(`searches of ${program} could not be prepared`, error)),
    ),
  );
}

/** Returns the time until which an integration is not asked because it keeps failing, by integration id. */
export function findBreakers(app: AppContext, sources: SearchSource[]): Promise<Map<string, number>> {
  const ids = new Set(sources.map(({ integrationId }) => integrationId));
  return listOpenBreakers(app.db, [...ids], app.clock());
}

type GroupSearch = SourcesSearch & {
  together: Member[];
  pausedUntil: number | undefined;
  result: SourcesResult;
};

async function searchGroup(app: AppContext, one: GroupSearch): Promise<void> {
  const { together, query, signal, columns, report, result } = one;
  const { maxReads: most = app.config.searchMaxReads } = one;
  const { source } = at(together, 0);
  const change = (changes: Partial<SourceStatus>) => {
    for (const { status } of together) report(Object.assign(status, changes));
  };
  if (signal.aborted) return change({ state: "cancelled" });
  const provider = app.providers[source.program];
  const unsupported = provider.unsupported(query);
  if (unsupported.length > 0) {
    const message = `${source.program} cannot filter by ${unsupported.join(", ").replaceAll("_", " ")}.`;
    return change({ state: "unsupported", message });
  }
  if (one.pausedUntil !== undefined) {
    return change({
      state: "failed",
      message: "Not asked: it failed several times in a row. Try again shortly.",
    });
  }
  const started = app.clock();
  const deadline = new AbortController();
  const slowTimer = setTimeout(() => change({ state: "slow" }), app.config.sourceSlowMs);
  // Each page gets a full deadline, because many reads are not a fault; all pages together get ALL_PAGES of them.
  let pageTimer = setTimeout(() => deadline.abort(), app.config.sourceDeadlineMs);
  const totalTimer = setTimeout(() => deadline.abort(), app.config.sourceDeadlineMs * ALL_PAGES);
  change({ state: "asking" });
  try {
    const within = AbortSignal.any([signal, deadline.signal]);
    const asks = { source, together: together.map((member) => member.source), query, signal: within };
    const maxReads = Math.max(0, most - columns.count);
    for await (const page of provider.search({ ...asks, maxReads })) {
      addPage(one, page, most);
      if (within.aborted) break;
      clearTimeout(pageTimer);
      pageTimer = setTimeout(() => deadline.abort(), app.config.sourceDeadlineMs);
      // At the limit exactly, only the next page shows whether there are more reads.
      if (columns.count >= most && together.some(({ status }) => status.truncated)) {
        change({ truncated: true });
        break;
      }
    }
    if (deadline.signal.aborted) throw new Error("the deadline has passed");
    const message = provider.asked?.(query) ?? "";
    change({ state: signal.aborted ? "cancelled" : "ok", message, milliseconds: app.clock() - started });
    if (!signal.aborted) result.health.push({ integrationId: source.integrationId, failure: null });
  } catch (error) {
    const message = deadline.signal.aborted ? "No complete answer in time." : failureMessage(error);
    const state = signal.aborted ? "cancelled" : "failed";
    for (const { status } of together) {
      report(Object.assign(status, { state, message: `${message}${keptNote(status)}` }));
    }
    change({ milliseconds: app.clock() - started });
    if (!signal.aborted) {
      const works = isProviderFailure(error) && error.kind === "incomplete";
      result.health.push({ integrationId: source.integrationId, failure: works ? null : message });
    }
  } finally {
    clearTimeout(slowTimer);
    clearTimeout(pageTimer);
    clearTimeout(totalTimer);
  }
}

/** Adds a page to the columns, up to `most` reads, and counts the new reads of each source. */
function addPage({ together, columns, report }: GroupSearch, page: SightingPage, most: number): void {
  for (const { source, status } of together) {
    const own =
      together.length === 1
        ? page.sightings
        : page.sightings.filter((sighting) => sighting.sourceId === source.id);
    // Other integrations add reads concurrently.
    const kept = own.slice(0, Math.max(0, most - columns.count));
    const isCut = page.truncated || kept.length < own.length;
    const reads = status.reads + appendSightings(columns, kept);
    if (reads === status.reads && !isCut) continue;
    report(Object.assign(status, { reads, truncated: status.truncated || isCut }));
  }
}

function keptNote(status: SourceStatus): string {
  return status.reads > 0 ? ` The ${status.reads} reads received are kept; there may be more.` : "";
}

/** Returns the message for the user: the provider's own, or a general one for unexpected errors. */
function failureMessage(error: unknown): string {
  if (isProviderFailure(error)) return error.message;
  logError("a provider failed unexpectedly", error);
  return "Its answer could not be understood.";
}
