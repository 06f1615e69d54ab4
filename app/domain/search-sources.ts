// Asks the sources of one search side by side and gathers what comes back. Each source has a deadline and a breaker
// of its own, so that the slowest or most broken one costs the others nothing.

import type { AppContext } from "#app/context.ts";
import { appendSightings, type ColumnsBuilder } from "#app/entities/result-columns.ts";
import type { SightingQuery, SourceStatus } from "#app/entities/search.ts";
import type { SearchSource } from "#app/entities/source.ts";
import { isProviderFailure, type ProviderFailure } from "#app/providers/provider.ts";
import { listOpenBreakers } from "#app/store/integrations.ts";

/** A Worker waits on six connections at a time; more would queue behind them unseen. */
const AT_ONCE = 6;

export type Asked = {
  truncated: boolean;
  /** How each integration that was asked answered, for its breaker. */
  health: { integrationId: string; failure: string | null }[];
};

type Asking = {
  sources: SearchSource[];
  /** One a source, changed in place as it goes. */
  statuses: SourceStatus[];
  query: SightingQuery;
  signal: AbortSignal;
  columns: ColumnsBuilder;
  report: (status: SourceStatus) => void;
};

/** Asks all sources, six at a time; never throws for what a source does. */
export async function askSources(app: AppContext, asking: Asking): Promise<Asked> {
  const { sources, statuses, columns, signal } = asking;
  const ids = sources.map((source) => source.integrationId);
  const breakers = await listOpenBreakers(app.db, ids, app.clock());
  const asked: Asked = { truncated: false, health: [] };
  const queue = sources.map((source, i) => ({ source, status: statuses[i] as SourceStatus }));
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      await askSource(app, {
        ...asking,
        ...next,
        pausedUntil: breakers.get(next.source.integrationId),
        asked,
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, sources.length) }, work));
  asked.truncated ||=
    statuses.some((status) => status.truncated) || columns.count >= app.config.searchMaxReads;
  if (signal.aborted) {
    for (const status of statuses) if (status.state === "waiting") status.state = "cancelled";
  }
  return asked;
}

type AskingOne = Asking & {
  source: SearchSource;
  status: SourceStatus;
  pausedUntil: number | undefined;
  asked: Asked;
};

async function askSource(app: AppContext, one: AskingOne): Promise<void> {
  const { source, status, query, signal, columns, report, asked } = one;
  const change = (changes: Partial<SourceStatus>) => report(Object.assign(status, changes));
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
  const dead = setTimeout(() => deadline.abort(), app.config.sourceDeadlineMs);
  change({ state: "asking" });
  try {
    const maxReads = Math.max(0, app.config.searchMaxReads - columns.count);
    const within = AbortSignal.any([signal, deadline.signal]);
    for await (const page of provider.search({ source, query, maxReads, signal: within })) {
      const reads = status.reads + appendSightings(columns, page.sightings);
      change({ reads, truncated: status.truncated || page.truncated });
      if (within.aborted) break;
      if (columns.count >= app.config.searchMaxReads) {
        status.truncated = true;
        break;
      }
    }
    if (deadline.signal.aborted) throw tooLate(status);
    change({ state: signal.aborted ? "cancelled" : "ok", milliseconds: app.clock() - started });
    asked.health.push({ integrationId: source.integrationId, failure: null });
  } catch (error) {
    const message = deadline.signal.aborted ? tooLate(status).message : words(error);
    const state = signal.aborted ? "cancelled" : "failed";
    change({ state, message, milliseconds: app.clock() - started });
    if (!signal.aborted) asked.health.push({ integrationId: source.integrationId, failure: message });
  } finally {
    clearTimeout(slow);
    clearTimeout(dead);
  }
}

function tooLate(status: SourceStatus): Error {
  const kept =
    status.reads > 0 ? ` The ${status.reads} reads that came in time are kept; there may be more.` : "";
  return new Error(`No complete answer in time.${kept}`);
}

/** What a user may read of a failure: an adapter's own words, or that something broke here. */
function words(error: unknown): string {
  if (isProviderFailure(error)) return (error as ProviderFailure).message;
  console.error("a provider failed in a way that its adapter does not know", error);
  return "Its answer could not be understood.";
}
