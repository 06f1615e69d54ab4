// Merges the rows of several databases, each newest first, into one stream, newest first. A database is queried for
// more rows when half of its last ones are used, so that it works while the caller does. It is first asked for 1.5
// times its share of a page and then for twice as much each time, because most rows of all databases are never needed.
// Rows are opened after they are merged, so that unneeded rows stay closed.

import { at } from "#app/lib/at.ts";

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

/** Rows, newest first. `rest`: upper bound of the time of remaining rows, if known before they are fetched. */
export type SourceRows<Row> = { rows: Row[]; ended: boolean; rest?: number };

/**
 * Returns the next rows, about as many as `limit`. Returns null if the check that is given with the first call fails.
 */
export type Fetch<Row, Check> = (limit: number, check?: Check) => Promise<SourceRows<Row> | null>;

/** A search in parts: all rows of a part are newer than those of the next. */
export type Parts<Row, Check> = {
  /** Until this share of the requested rows is found, the next parts are queried immediately. */
  share: number;
  /** Returns a time such that no row of the next part is newer; undefined if there are no more parts. */
  newest: () => number | undefined;
  /** Prepares the next part. `found`: the rows of all parts so far. `wanted`: the rows that this call still needs. */
  prepare: (progress: { found: number; wanted: number }) => Promise<Fetch<Row, Check>>;
};

/** Fetches from parts one after the other. */
export function fetchInOrder<Row, Check>(parts: Parts<Row, Check>): Fetch<Row, Check> {
  let current: Fetch<Row, Check> | undefined;
  let total = 0;
  return async (limit, check) => {
    const rows: Row[] = [];
    let first = check;
    while (rows.length < limit * parts.share) {
      if (!current) {
        if (parts.newest() === undefined) return { rows, ended: true };
        current = await parts.prepare({ found: total, wanted: limit - rows.length });
      }
      const answer = await current(limit, first);
      if (!answer) return null;
      first = undefined;
      rows.push(...answer.rows);
      total += answer.rows.length;
      if (answer.ended) current = undefined;
    }
    return { rows, ended: false, rest: current ? undefined : parts.newest() };
  };
}

/** Returns the newest rows of several answers of a database, each row once. */
export function newestRows<Row extends { id: number; captured_at: number }>(
  answers: Row[][],
  limit: number,
): Row[] {
  const byId = new Map(answers.flat().map((row) => [row.id, row]));
  return [...byId.values()].sort((a, b) => b.captured_at - a.captured_at || b.id - a.id).slice(0, limit);
}

type Stream<Row> = SourceRows<Row> & {
  used: number;
  /** The limit of the last request. */
  asked: number;
  pending: Promise<SourceRows<Row>> | undefined;
  source: Source<Row>;
};

type Source<Row> = {
  /**
   * No row is newer, so the source is not queried earlier. Infinity: it is queried immediately, together with the
   * others.
   */
  newest: number;
  /** Returns the next rows, about as many as `limit`. */
  next: (limit: number) => Promise<SourceRows<Row>>;
};

export type Joined<Row, Opened> = {
  sources: Source<Row>[];
  pageSize: number;
  maxRows: number;
  timeOf: (row: Row) => number;
  /** Rows of one id and time are the same row: while a day moves, two databases may have it. */
  idOf: (row: Row) => string;
  /** Returns those rows that the caller wants, opened, in their order. */
  open: (rows: Row[]) => Promise<Opened[]>;
  signal: AbortSignal;
};

/** Maximum number of rows in one answer of a database: about a megabyte. */
export const MAX_ROWS = 4000;

/**
 * Yields pages of at most `pageSize` opened rows; `truncated` on the last if there are more than `maxRows`. Throws on
 * abort.
 */
export async function* joinNewestFirst<Row, Opened>(
  joined: Joined<Row, Opened>,
): AsyncGenerator<{ rows: Opened[]; truncated: boolean }> {
  const { pageSize, maxRows, open, signal } = joined;
  const { take, noteOpened } = createMerger(joined);
  let given = 0;
  for (;;) {
    const most = maxRows - given;
    const isLast = most <= pageSize;
    // Fetches one extra row to detect truncation.
    const needed = isLast ? most + 1 : pageSize;
    const page: Opened[] = [];
    while (page.length < needed) {
      const rows = await take(needed - page.length);
      if (rows.length === 0) {
        if (page.length > 0) yield { rows: page, truncated: false };
        return;
      }
      const opened = await unlessAborted(open(rows), signal);
      noteOpened(rows.length, opened.length);
      page.push(...opened);
    }
    yield { rows: isLast ? page.slice(0, most) : page, truncated: isLast };
    if (isLast) return;
    given += pageSize;
    signal.throwIfAborted();
  }
}

function createMerger<Row>(joined: Omit<Joined<Row, unknown>, "open">) {
  const { pageSize, maxRows, timeOf, idOf, signal } = joined;
  const isRepeated = createRepeats(timeOf, idOf);
  const atOnce = joined.sources.filter((source) => source.newest === Number.POSITIVE_INFINITY).length;
  const share = Math.min(Math.ceil((1.5 * pageSize) / Math.max(atOnce, 1)), pageSize + 1);
  const streams = joined.sources.map(
    (source): Stream<Row> => ({ rows: [], used: 0, ended: false, asked: 0, pending: undefined, source }),
  );
  let wanted = 0;
  let areFewWanted = false;

  function limitAfter(asked: number): number {
    if (asked === 0) return share;
    return areFewWanted ? Math.min(asked * 4, MAX_ROWS) : Math.min(asked * 2, pageSize);
  }

  return {
    /** Returns the next `count` rows, or fewer if there are no more. */
    async take(count: number): Promise<Row[]> {
      const taken: Row[] = [];
      while (taken.length < count) {
        const due = dueStreams(streams, timeOf);
        if (due.length > 0) {
          await unlessAborted(
            Promise.all(due.map((stream) => refill(stream, limitAfter(stream.asked)))),
            signal,
          );
          continue;
        }
        const newest = newestOf(streams, timeOf);
        if (!newest) break;
        const row = at(newest.rows, newest.used);
        newest.used++;
        if (isRepeated(row)) continue;
        taken.push(row);
        const half = newest.used === Math.ceil(newest.rows.length / 2);
        if (half && wanted + taken.length + unusedRows(streams) < maxRows) {
          const [first] = newestRest(
            streams.filter(({ ended }) => !ended),
            timeOf,
          );
          if (first) ask(first, limitAfter(first.asked));
        }
      }
      return taken;
    },
    /** Records how many of the taken rows the caller wanted. */
    noteOpened(taken: number, ofThem: number): void {
      wanted += ofThem;
      areFewWanted = ofThem < taken / 2;
    },
  };
}

/** Returns a function that returns whether it was called with a row before; rows come in the order of time. */
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
  const head = newestOf(streams, timeOf);
  const from = head ? timeOf(at(head.rows, head.used)) : Number.NEGATIVE_INFINITY;
  return newestRest(empty, timeOf).filter((stream) => timeOfRest(stream, timeOf) >= from);
}

/** Returns those of the streams whose next answer may have the newest row. */
function newestRest<Row>(streams: Stream<Row>[], timeOf: (row: Row) => number): Stream<Row>[] {
  const times = streams.map((stream) => timeOfRest(stream, timeOf));
  const newest = Math.max(...times);
  return streams.filter((_, i) => times[i] === newest);
}

/** Returns a time such that no row of the next answers is newer. */
function timeOfRest<Row>({ rows, rest, source }: Stream<Row>, timeOf: (row: Row) => number): number {
  const last = rows.at(-1);
  return Math.min(rest ?? Number.POSITIVE_INFINITY, last === undefined ? source.newest : timeOf(last));
}

function unusedRows<Row>(streams: Stream<Row>[]): number {
  return streams.reduce((sum, stream) => sum + stream.rows.length - stream.used, 0);
}

function ask<Row>(stream: Stream<Row>, limit: number): Promise<SourceRows<Row>> {
  if (!stream.pending) {
    stream.asked = limit;
    stream.pending = stream.source.next(limit);
    // Callers await it and get the error; this avoids an unhandled rejection if the search ends before that.
    stream.pending.catch(() => {});
  }
  return stream.pending;
}

async function refill<Row>(stream: Stream<Row>, limit: number): Promise<void> {
  const { rows, ended, rest } = await ask(stream, limit);
  Object.assign(stream, { rows, ended, rest, used: 0, pending: undefined });
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
