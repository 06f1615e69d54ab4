// Merges the results of several databases, each newest first, into one stream, newest first. A database is asked for
// more rows when half of its last ones are used, so that it works while the caller does. It is first asked for 1.5
// times its share of a page and then for twice as much each time, because most rows of all databases are never needed.

import { at } from "#app/lib/at.ts";
/**
 * Returns a function that runs at most `limit` tasks at once; others wait in order. D1 allows a caller six connections.
 */
export function atMost(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= limit) await new Promise<void>((go) => waiting.push(go));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Waits for work or until the signal aborts; then throws the signal's reason. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

type Stream<Row> = {
  rows: Row[];
  used: number;
  ended: boolean;
  /** The limit of the last request. */
  asked: number;
  pending: Promise<Row[]> | undefined;
  source: Source<Row>;
};

type Source<Row> = {
  /**
   * No row is newer, so the source is not asked before its turn. Infinity: it is asked at once, together with the
   * others.
   */
  newest: number;
  /** Returns the rows after a row, or the first ones, newest first: `limit` rows, or fewer if there are no more. */
  next: (after: Row | undefined, limit: number) => Promise<Row[]>;
};

export type Joined<Row> = {
  sources: Source<Row>[];
  pageSize: number;
  maxRows: number;
  timeOf: (row: Row) => number;
  /** Rows of one id and time are the same row: while a day moves, two databases may have it. */
  idOf: (row: Row) => string;
  signal: AbortSignal;
};

/**
 * Yields pages of at most `pageSize` rows; `truncated` on the last if there are more than `maxRows`. Throws on abort.
 */
export async function* joinNewestFirst<Row>(
  joined: Joined<Row>,
): AsyncGenerator<{ rows: Row[]; truncated: boolean }> {
  const { pageSize, maxRows, timeOf, idOf, signal } = joined;
  const isRepeated = createRepeats(timeOf, idOf);
  const atOnce = joined.sources.filter((source) => source.newest === Number.POSITIVE_INFINITY).length;
  const share = Math.min(Math.ceil((1.5 * pageSize) / Math.max(atOnce, 1)), pageSize);
  const limitAfter = (asked: number) => (asked === 0 ? share : Math.min(asked * 2, pageSize));
  const streams = joined.sources.map(
    (source): Stream<Row> => ({ rows: [], used: 0, ended: false, asked: 0, pending: undefined, source }),
  );
  let page: Row[] = [];
  let given = 0;
  for (;;) {
    const due = dueStreams(streams, timeOf);
    if (due.length > 0) {
      await unlessAborted(Promise.all(due.map((stream) => refill(stream, limitAfter(stream.asked)))), signal);
      continue;
    }
    const newest = newestOf(streams, timeOf);
    if (!newest) break;
    const row = at(newest.rows, newest.used);
    if (isRepeated(row)) {
      newest.used++;
      continue;
    }
    if (given === maxRows) {
      yield { rows: page, truncated: true };
      return;
    }
    page.push(row);
    newest.used++;
    given++;
    const half = newest.used === Math.ceil(newest.rows.length / 2);
    if (half && !newest.ended && given + unusedRows(streams) < maxRows) ask(newest, limitAfter(newest.asked));
    if (page.length === pageSize && given < maxRows) {
      yield { rows: page, truncated: false };
      page = [];
      signal.throwIfAborted();
    }
  }
  if (page.length > 0) yield { rows: page, truncated: false };
}

/** Returns a function that tells whether a row was given before; rows come in the order of time. */
function createRepeats<Row>(timeOf: (row: Row) => number, idOf: (row: Row) => string): (row: Row) => boolean {
  let time = Number.NaN;
  let first = "";
  let others: Set<string> | undefined;
  return (row) => {
    const id = idOf(row);
    if (timeOf(row) !== time) {
      time = timeOf(row);
      first = id;
      others = undefined;
      return false;
    }
    if (id === first || others?.has(id)) return true;
    others = (others ?? new Set()).add(id);
    return false;
  };
}

/** Returns the streams that must be asked before the newest row is known. */
function dueStreams<Row>(streams: Stream<Row>[], timeOf: (row: Row) => number): Stream<Row>[] {
  const empty = streams.filter((stream) => stream.used === stream.rows.length && !stream.ended);
  const newestOfRest = ({ rows, source }: Stream<Row>) =>
    rows.length > 0 ? timeOf(rows.at(-1) as Row) : source.newest;
  const head = newestOf(streams, timeOf);
  const from = head ? timeOf(at(head.rows, head.used)) : Math.max(...empty.map(newestOfRest));
  return empty.filter((stream) => newestOfRest(stream) >= from);
}

function unusedRows<Row>(streams: Stream<Row>[]): number {
  return streams.reduce((sum, stream) => sum + stream.rows.length - stream.used, 0);
}

function ask<Row>(stream: Stream<Row>, limit: number): Promise<Row[]> {
  if (!stream.pending) {
    stream.asked = limit;
    stream.pending = stream.source.next(stream.rows.at(-1), limit);
    // Callers await it and get the error; this avoids an unhandled rejection if the search ends before that.
    stream.pending.catch(() => {});
  }
  return stream.pending;
}

async function refill<Row>(stream: Stream<Row>, limit: number): Promise<void> {
  const rows = await ask(stream, limit);
  stream.pending = undefined;
  stream.rows = rows;
  stream.used = 0;
  stream.ended = rows.length < stream.asked;
}

function newestOf<Row>(streams: Stream<Row>[], timeOf: (row: Row) => number): Stream<Row> | undefined {
  let newest: Stream<Row> | undefined;
  let time = Number.NEGATIVE_INFINITY;
  for (const stream of streams) {
    if (stream.used === stream.rows.length) continue;
    const next = timeOf(at(stream.rows, stream.used));
    if (next > time) [newest, time] = [stream, next];
  }
  return newest;
}
