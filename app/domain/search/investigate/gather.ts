// Gathers reads for a place or convoy search: several queries to the same sources, with the deadlines and circuit
// breakers of a search. The sources' statuses sum up all their queries.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { waiting } from "#app/domain/search/searchable.ts";
import { findBreakers, type SourcesResult, searchSources } from "#app/domain/search/sources.ts";
import type { SightingQuery, SourceStatus } from "#app/entities/search/query.ts";
import type { ColumnsBuilder } from "#app/entities/search/result-builder.ts";
import type { SearchSource } from "#app/entities/search/source.ts";

/** A Worker may have six open connections. */
const AT_ONCE = 6;
/** Concurrent queries per vendor, to stay within its rate limit. */
const AT_ONCE_PER_VENDOR = 3;
/**
 * Rounds of queries in a row that one vendor gets for the traffic around a plate's reads. The search waits for the
 * vendor in each of them.
 */
const ROUNDS = 3;

/** Returns the number of concurrent queries per vendor if `vendors` vendors are asked. */
function atOnceFor(vendors: number): number {
  return Math.max(1, Math.min(AT_ONCE_PER_VENDOR, Math.floor(AT_ONCE / Math.max(1, vendors))));
}

/** Returns how many queries each of `vendors` vendors may get in one call of `gather`, at most 18 while six are asked. */
export const mostQueriesFor = (vendors: number) => ROUNDS * atOnceFor(vendors);

/** Queries of sources that are asked with one call (all of one integration). */
type Asked = { sources: SearchSource[]; queries: SightingQuery[] };

export type Gathering = {
  /** The public statuses of all sources of the investigation, updated in place. */
  statuses: SourceStatus[];
  columns: ColumnsBuilder;
  signal: AbortSignal;
  report: (status: SourceStatus) => void;
};

/**
 * Runs the queries of each integration and adds the reads to the columns, up to `maxReads` in total. Failures are
 * reported in the statuses, not thrown. A source is `ok` only if all its queries were.
 */
export async function gather(
  app: AppContext,
  { asked, maxReads, ...to }: Gathering & { asked: readonly Asked[]; maxReads: number },
): Promise<SourcesResult> {
  const busy = asked.filter(({ queries }) => queries.length > 0);
  const each = atOnceFor(busy.length);
  const result: SourcesResult = { truncated: false, health: [] };
  const before = new Map(to.statuses.map((status) => [status.sourceId, { ...status }]));
  // One query for all, since each integration is asked several times.
  const breakers = await findBreakers(
    app,
    busy.flatMap(({ sources }) => sources),
  );
  await pMap(
    busy,
    async ({ sources, queries }) => {
      const parts = queries.map(() => sources.map(waiting));
      const sumUp = () => {
        for (const [i, { id }] of sources.entries()) {
          const status = to.statuses.find(({ sourceId }) => sourceId === id);
          const earlier = before.get(id);
          if (!status || !earlier) continue;
          const own = parts.flatMap((statuses) => statuses.slice(i, i + 1));
          to.report(Object.assign(status, summed(earlier, own)));
        }
      };
      await pMap(
        queries.map((query, i) => ({ query, statuses: parts[i] ?? [] })),
        async ({ query, statuses }) => {
          const done = await searchSources(app, {
            sources,
            statuses,
            query,
            signal: to.signal,
            columns: to.columns,
            report: sumUp,
            breakers,
            maxReads,
          });
          result.truncated ||= done.truncated;
          result.health.push(...done.health);
        },
        { concurrency: each },
      );
      sumUp();
    },
    { concurrency: AT_ONCE },
  );
  return { truncated: result.truncated, health: lastOf(result.health) };
}

/** A source has the first of these states that any of its queries has. */
const STATES: readonly SourceStatus["state"][] = ["failed", "cancelled", "unsupported", "slow", "asking"];

/** Returns a source's status over its queries so far; `earlier` is its status over the previous queries. */
function summed(earlier: SourceStatus, own: readonly SourceStatus[]): Partial<SourceStatus> {
  const all = [...(earlier.state === "waiting" ? [] : [earlier]), ...own];
  const isDone = own.every(({ state }) => state === "ok");
  const worst = STATES.find((wanted) => all.some(({ state }) => state === wanted));
  return {
    state: worst ?? (isDone ? "ok" : "asking"),
    reads: all.reduce((sum, { reads }) => sum + reads, 0),
    truncated: all.some(({ truncated }) => truncated),
    message: all.find(({ state, message }) => state === worst && message !== "")?.message ?? "",
    milliseconds: all.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
  };
}

/** Returns one result per integration: a failure if any query failed. */
function lastOf(health: SourcesResult["health"]): SourcesResult["health"] {
  const found = new Map<string, string | null>();
  for (const { integrationId, failure } of health)
    found.set(integrationId, failure ?? found.get(integrationId) ?? null);
  return [...found].map(([integrationId, failure]) => ({ integrationId, failure }));
}

/** Returns the sources in groups that are asked with one call. */
export function integrationsOf(sources: readonly SearchSource[]): SearchSource[][] {
  return [...Map.groupBy(sources, ({ integrationId }) => integrationId).values()];
}
