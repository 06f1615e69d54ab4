// Asks the sources of one search side by side and gathers what comes back. Each source has a deadline and a breaker
// of its own, so that the slowest or most broken one costs the others nothing.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import type { SightingQuery, SourceStatus } from "#app/entities/search/query.ts";
import { appendSightings, type ColumnsBuilder } from "#app/entities/search/result-builder.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { isProviderFailure, type ProviderFailure, type SightingPage } from "#app/providers/provider.ts";
import { listOpenBreakers } from "#app/store/integrations/sources.ts";

/** A Worker waits on six connections at a time; more would queue behind them unseen. */
const AT_ONCE = 6;

/** How many deadlines all pages of a source have together. */
const ALL_PAGES = 5;

export type Asked = {
  truncated: boolean;
  /** How each integration that was asked answered, for its breaker. */
  health: { integrationId: string; failure: string | null }[];
};

type Asking = {
  sources: SearchSource[];
  /** One a source. */
  statuses: SourceStatus[];
  query: SightingQuery;
  signal: AbortSignal;
  columns: ColumnsBuilder;
  report: (status: SourceStatus) => void;
};

/** A source with its status, changed in place as it goes. */
type Member = { source: SearchSource; status: SourceStatus };

/** Asks all sources, six integrations at a time; never throws for what a source does. */
export async function askSources(app: AppContext, asking: Asking): Promise<Asked> {
  const { sources, statuses, columns } = asking;
  const members = sources.map((source, i) => ({ source, status: statuses[i] as SourceStatus }));
  const groups = [...Map.groupBy(members, ({ source }) => source.integrationId)];
  const ids = groups.map(([integrationId]) => integrationId);
  const breakers = await listOpenBreakers(app.db, ids, app.clock());
  const asked: Asked = { truncated: false, health: [] };
  const ask = ([integrationId, together]: [string, Member[]]) =>
    askTogether(app, { ...asking, together, pausedUntil: breakers.get(integrationId), asked });
  await pMap(groups, ask, { concurrency: AT_ONCE });
  asked.truncated ||=
    statuses.some((status) => status.truncated) || columns.count >= app.config.searchMaxReads;
  return asked;
}

type AskingOne = Asking & { together: Member[]; pausedUntil: number | undefined; asked: Asked };

async function askTogether(app: AppContext, one: AskingOne): Promise<void> {
  const { together, query, signal, columns, report, asked } = one;
  const { source } = together[0] as Member;
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
  const slow = setTimeout(() => change({ state: "slow" }), app.config.sourceSlowMs);
  // Each page has the whole time for itself, since many reads are no fault; all of them together have some of these.
  let dead = setTimeout(() => deadline.abort(), app.config.sourceDeadlineMs);
  const last = setTimeout(() => deadline.abort(), app.config.sourceDeadlineMs * ALL_PAGES);
  change({ state: "asking" });
  try {
    const within = AbortSignal.any([signal, deadline.signal]);
    const asks = { source, together: together.map((member) => member.source), query, signal: within };
    const maxReads = Math.max(0, app.config.searchMaxReads - columns.count);
    for await (const page of provider.search({ ...asks, maxReads })) {
      take(one, page);
      if (within.aborted) break;
      clearTimeout(dead);
      dead = setTimeout(() => deadline.abort(), app.config.sourceDeadlineMs);
      if (columns.count >= app.config.searchMaxReads) {
        change({ truncated: true });
        break;
      }
    }
    if (deadline.signal.aborted) throw new Error("the deadline has passed");
    change({ state: signal.aborted ? "cancelled" : "ok", milliseconds: app.clock() - started });
    if (!signal.aborted) asked.health.push({ integrationId: source.integrationId, failure: null });
  } catch (error) {
    const message = deadline.signal.aborted ? "No complete answer in time." : words(error);
    const state = signal.aborted ? "cancelled" : "failed";
    for (const { status } of together) {
      report(Object.assign(status, { state, message: `${message}${kept(status)}` }));
    }
    change({ milliseconds: app.clock() - started });
    if (!signal.aborted) asked.health.push({ integrationId: source.integrationId, failure: message });
  } finally {
    clearTimeout(slow);
    clearTimeout(dead);
    clearTimeout(last);
  }
}

/** Takes a page in and counts, for each of the sources that were asked together, what is new. */
function take({ together, columns, report }: AskingOne, page: SightingPage): void {
  for (const { source, status } of together) {
    const own =
      together.length === 1
        ? page.sightings
        : page.sightings.filter((sighting) => sighting.sourceId === source.id);
    const reads = status.reads + appendSightings(columns, own);
    if (reads === status.reads && !page.truncated) continue;
    report(Object.assign(status, { reads, truncated: status.truncated || page.truncated }));
  }
}

function kept(status: SourceStatus): string {
  return status.reads > 0 ? ` The ${status.reads} reads that came are kept; there may be more.` : "";
}

/** What a user may read of a failure: an adapter's own words, or that something broke here. */
function words(error: unknown): string {
  if (isProviderFailure(error)) return (error as ProviderFailure).message;
  console.error("a provider failed in a way that its adapter does not know", error);
  return "Its answer could not be understood.";
}
