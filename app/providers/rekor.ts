// Rekor Scout: reads from GET /api/search/group, images from GET /img/{agent}/{uuid}; the key is in the query. The only
// paging is `topn`, so a range is read backwards: the oldest time of each page ends the next window. It is not
// documented whether servers apply `plate` wildcards or the vehicle filters, so each row is checked here.

import type { SightingQuery } from "#app/entities/search/query.ts";
import { VEHICLE_MARKS } from "#app/entities/search/query.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { isoTime, SECOND } from "#app/lib/time/dates.ts";
import { checkAborted, failure } from "./failures.ts";
import type { VendorHttp } from "./http.ts";
import {
  type Batch,
  capped,
  mergeNewestFirst,
  newestFirst,
  queryMatcher,
  vendorAsked,
  vendorPlate,
} from "./paging.ts";
import { isProviderFailure, type OpenSecret, type Provider, type SearchInput } from "./provider.ts";
import { camerasFromList, isRekorRow, parseRekorLocator, sightingFromRow, timeOfRow } from "./rekor-wire.ts";
import { makeForRekor, REKOR_BODY_TYPES, REKOR_COLORS, regionForRekor } from "./vehicle-words.ts";

/** Rows of a usual page; a page whose reads all have one time grows up to the largest. */
const TOPN = 1000;
const TOPN_MAX = 8000;

/** Maximum number of requests per stream: protects against servers that ignore `end`. */
const MAX_REQUESTS = 400;

export type RekorOptions = {
  http: VendorHttp;
  openSecret: OpenSecret;
  /** Rows to request at first and at most; smaller in tests. */
  pageSizes?: PageSizes;
};

type PageSizes = { usual: number; largest: number };
type Params = Record<string, string>;
type Call = Pick<SearchInput, "source" | "signal">;

/** Returns the provider of Rekor, which opens a source's key for each call. */
export function createRekorProvider({ http, openSecret, pageSizes }: RekorOptions): Provider {
  const sizes = pageSizes ?? { usual: TOPN, largest: TOPN_MAX };

  async function keyOf(source: SearchSource): Promise<string> {
    try {
      return await openSecret(source);
    } catch (cause) {
      throw failure("refused", "Rekor", { words: "The stored Rekor key could not be opened.", cause });
    }
  }

  return {
    program: "Rekor",

    unsupported: ({ marks }) => VEHICLE_MARKS.map((mark) => mark.key).filter((mark) => marks.includes(mark)),

    asked: vendorAsked,

    async *search(input) {
      const key = await keyOf(input.source);
      const streams = requestsFor(input.query).map((filters) => {
        const ask = (params: Params) => searchGroup(http, input, { api_key: key, ...params, ...filters });
        return walk(input, { sizes, ask });
      });
      yield* capped(mergeNewestFirst(streams), input.maxReads);
    },

    // Searches one second of 1970: checks the key without looking up anyone.
    async check({ source, signal }) {
      const key = await keyOf(source);
      const nothing = { start: isoTime(0), end: isoTime(SECOND), topn: "1", order: "desc" };
      readsOf(await searchGroup(http, { source, signal }, { api_key: key, ...nothing }), source);
      const cameras = await listCameras(http, { source, signal }, key);
      const list =
        cameras === null
          ? "It returned no list of its cameras; Odin registers them from their reads."
          : `It lists ${cameras.length} ${cameras.length === 1 ? "camera" : "cameras"}.`;
      return { words: `Rekor accepted the key. ${list}`, cameras };
    },

    async image({ source, locator, signal }) {
      const image = parseRekorLocator(locator);
      if (!image) throw failure("missing", "Rekor");
      const params = { api_key: await keyOf(source), ...image.crop };
      return http.image({ baseUrl: source.baseUrl, path: ["img", image.agent, image.uuid], params, signal });
    },
  };
}

function searchGroup(http: VendorHttp, { source, signal }: Call, params: Params): Promise<unknown> {
  return http.json({ baseUrl: source.baseUrl, path: ["api", "search", "group"], params, signal });
}

/** Returns the vendor's list of cameras, or null if the server has none; its fields are not documented. */
async function listCameras(http: VendorHttp, { source, signal }: Call, key: string) {
  try {
    const list = await http.json({
      baseUrl: source.baseUrl,
      path: ["api", "cameras"],
      slash: true,
      params: { api_key: key },
      signal,
    });
    return camerasFromList(list) ?? null;
  } catch (error) {
    if (isProviderFailure(error) && error.kind !== "cancelled" && error.kind !== "timeout") return null;
    throw error;
  }
}

/** Yields the reads that `ask` returns, newest first, those without a time at the end. */
async function* walk(
  { source, query, signal }: SearchInput,
  { sizes, ask }: { sizes: PageSizes; ask: (params: Params) => Promise<unknown> },
): AsyncGenerator<Batch> {
  const matches = queryMatcher(query);
  const undated = new Map<string, Sighting>();
  let end = fullSecond(query.to);
  let size = sizes.usual;
  let seen = new Map<string, number>();
  let lost = false;
  for (let requests = 0; ; requests++) {
    checkAborted(signal, "Rekor");
    if (requests === MAX_REQUESTS) {
      lost = true;
      break;
    }
    const range = { start: isoTime(query.from), end: isoTime(end) };
    const rows = await ask({ ...range, topn: String(size), order: "desc" });
    const { count, reads, times } = readsOf(rows, source);
    const dated = reads.flatMap((read) => (isWithin(read, query.from, end) ? [read] : []));
    for (const read of reads) if (read.capturedAt === null) undated.set(read.id, read);
    const fresh = new Map(dated.filter((read) => !seen.has(read.id)).map((read) => [read.id, read]));
    yield { sightings: newestFirst([...fresh.values()].filter(matches)), lost: false };

    if (!mayHaveMore(count, size)) break;
    for (const read of dated) seen.set(read.id, read.capturedAt);
    const within = times.filter((at) => at >= query.from && at <= end);
    const next = nextPage({ end, size, isFull: count >= size, times: within }, sizes);
    ({ end, size } = next);
    lost ||= next.skips;
    if (end < query.from) break;
    seen = new Map([...seen].filter(([, at]) => at <= end));
  }
  yield { sightings: [...undated.values()].filter(matches), lost };
}

/** Returns the end and size of the page after one with rows of these times, and whether it skips rows. */
function nextPage(
  page: { end: number; size: number; isFull: boolean; times: readonly number[] },
  { usual, largest }: PageSizes,
): { end: number; size: number; skips: boolean } {
  const { end, size, isFull, times } = page;
  const oldest = times.reduce((least, at) => Math.min(least, at), end);
  const older = Math.min(end, fullSecond(oldest));
  if (older < end) return { end: older, size: usual, skips: false };
  if (size < largest && isFull) return { end, size: Math.min(largest, size * 2), skips: false };
  if (oldest < end) return { end: oldest, size: usual, skips: false };
  // More rows at one time than the largest page holds: skip them. An empty window means that the server ignores
  // `end`, so that older reads cannot be fetched.
  return { end: times.length > 0 ? end - 1 : Number.NEGATIVE_INFINITY, size: usual, skips: true };
}

/** Minimum number of characters of a plate that may be complete. */
const WHOLE_PLATE = 5;

/**
 * Returns the filters of each request that a query needs: one request per Rekor word for a color or body type, and per
 * spelling of the plate. A whole plate is also requested without wildcards, since Rekor does not document that this
 * call honors them.
 */
export function requestsFor(query: SightingQuery): Record<string, string>[] {
  const filters: Record<string, string> = {};
  const { plate } = query;
  const isWhole = plate.kind === "contains" && plate.text.length >= WHOLE_PLATE;
  const plates = [vendorPlate(query), ...(isWhole ? [plate.text] : [])];
  if (query.plateState !== "") filters.region = regionForRekor(query.plateState);
  if (query.make !== "") filters.make = makeForRekor(query.make);
  const colors = query.color === "" ? [undefined] : REKOR_COLORS[query.color];
  const bodies = query.bodyType === "" ? [undefined] : REKOR_BODY_TYPES[query.bodyType];
  return plates.flatMap((text) =>
    colors.flatMap((color) =>
      bodies.map((body) => ({
        ...filters,
        ...(text !== undefined && { plate: text }),
        ...(color && { color }),
        ...(body && { body }),
      })),
    ),
  );
}

/**
 * Returns whether there may be older reads after a page. Servers may cap pages at an undocumented size; caps are round
 * numbers, so a short page of a round length is not treated as the last one.
 */
const mayHaveMore = (count: number, asked: number) => count >= asked || (count > 0 && count % 50 === 0);

/**
 * Windows end on a full second, because some servers cut off fractions. Reads that are repeated or too late are then
 * dropped.
 */
const fullSecond = (at: number) => Math.ceil(at / SECOND) * SECOND;

type DatedRead = Sighting & { capturedAt: number };

const isWithin = (read: Sighting, from: number, end: number): read is DatedRead =>
  read.capturedAt !== null && read.capturedAt >= from && read.capturedAt <= end;

/**
 * Returns the number of rows, their reads, and the times of all rows: bad rows, and rows whose plate could not be read,
 * are not reads but count toward the page size. Throws ProviderFailure if no row has the documented form.
 */
function readsOf(rows: unknown, source: SearchSource): { count: number; reads: Sighting[]; times: number[] } {
  if (!Array.isArray(rows)) throw failure("bad-answer", "Rekor");
  const reads = rows.map((row) => sightingFromRow(row, source)).filter((read) => read !== undefined);
  if (rows.length > 0 && !rows.some(isRekorRow)) throw failure("bad-answer", "Rekor");
  return { count: rows.length, reads, times: rows.map(timeOfRow).filter((at) => at !== undefined) };
}
