// Axon: a token by client credentials, which third parties have documented, and a search, which has no public
// documentation. Until an agency's license gives access to Axon's API, the search below is Odin's own contract and does
// not claim compatibility. The contract:
//
//   POST {base}/api/v1/agencies/{partner_id}/alpr/reads/search   Authorization: Bearer …, application/json
//     { from, to         ISO 8601, inclusive
//       plate?           `*` any characters, `?` one character; without them the whole plate
//       plateState?      as Odin writes it: "CT", "CA-ON", "MX-JAL"
//       color?           list of black blue brown green red silver gray white yellow
//       make?            lower case, words separated by spaces: "land rover"
//       bodyType?        list of sedan convertible wagon coupe hatchback suv pickup semi van minivan motorcycle
//       marks?           list, all of which must be seen: top_rack back_rack bumper_stickers window_stickers
//       pageSize         1-500
//       cursor? }        of the page before
//   returns { reads, nextCursor: text or null }, newest first from page to page; a read is
//     { id, plate, plateState, capturedAt: ISO 8601, camera: { id, name }, agencyName, location: { latitude, longitude },
//       vehicle: { make, model, color, bodyType, marks }, images: { vehicle, plate } truthy if there is one,
//       confidence: 0-1 }
//   GET {base}/api/v1/agencies/{partner_id}/alpr/reads/{id}/images/{vehicle|plate} returns JPEG, PNG or WebP.

import type { SightingQuery } from "#app/entities/search/query.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { logWarning } from "#app/lib/log.ts";
import { isoTime, SECOND } from "#app/lib/time/dates.ts";
import { type AxonOptions, createAxonTokens } from "./axon-token.ts";
import {
  AxonAnswer,
  type AxonRead,
  isAxonRow,
  namesPlate,
  parseAxonLocator,
  readFromAxon,
} from "./axon-wire.ts";
import { checkAborted, failure } from "./failures.ts";
import type { VendorCall } from "./http.ts";
import { type Batch, capped, newestFirst, queryMatcher, vendorAsked, vendorPlate } from "./paging.ts";
import { isProviderFailure, type Provider, type SearchInput } from "./provider.ts";
import { AXON_BODY_TYPES, AXON_COLORS, makeForAxon } from "./vehicle-words.ts";

const PAGE_SIZE = 500;
/** Maximum number of pages of one search: protects against servers whose cursors never end. */
const MAX_PAGES = 1000;

/** Returns the provider of Axon, which signs in by itself. `clock` is in milliseconds since 1970. */
export function createAxonProvider({ http, openSecret, tokens, clock }: AxonOptions): Provider {
  const signIn = createAxonTokens({ http, openSecret, tokens, clock });

  /** Calls with a token. If Axon rejects an unexpired token, it is replaced once. */
  async function authorized<T>(
    source: SearchSource,
    signal: AbortSignal,
    call: (request: Pick<VendorCall, "baseUrl" | "signal" | "headers">) => Promise<T>,
  ): Promise<T> {
    const withToken = (token: string) =>
      call({ baseUrl: source.baseUrl, signal, headers: { authorization: `Bearer ${token}` } });
    const token = await signIn.current(source, signal);
    try {
      return await withToken(token);
    } catch (error) {
      if (!isProviderFailure(error) || error.kind !== "refused") throw error;
      await signIn.reject(source, token);
      return await withToken(await signIn.current(source, signal));
    }
  }

  async function ask(source: SearchSource, signal: AbortSignal, body: object): Promise<AxonAnswer> {
    const answer = AxonAnswer.safeParse(
      await authorized(source, signal, (request) =>
        http.json({
          ...request,
          path: [...readsPath(source), "search"],
          method: "POST",
          headers: { ...request.headers, "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      ),
    );
    if (!answer.success) throw failure("bad-answer", "Axon");
    return answer.data;
  }

  return {
    program: "Axon",

    unsupported: ({ color }) => (color !== "" && AXON_COLORS[color].length === 0 ? ["color"] : []),

    asked: vendorAsked,

    prepare: signIn.prepare,

    async *search(input) {
      yield* capped(pages(input, ask), input.maxReads);
    },

    // Searches one second of 1970: checks token and license without looking up anyone.
    async check({ source, signal }) {
      const body = { from: isoTime(0), to: isoTime(SECOND), pageSize: 1 };
      await ask(source, signal, body);
      return { words: "Axon accepted the client and answered a search.", cameras: null };
    },

    async image({ source, locator, signal }) {
      const image = parseAxonLocator(locator);
      if (!image) throw failure("missing", "Axon");
      const path = [...readsPath(source), image.id, "images", image.kind];
      return authorized(source, signal, (request) => http.image({ ...request, path }));
    },
  };
}

/** Yields the reads of a search, newest first, and last those without a time. Throws ProviderFailure for reads out of order. */
async function* pages(
  { source, query, signal }: SearchInput,
  ask: (source: SearchSource, signal: AbortSignal, body: object) => Promise<AxonAnswer>,
): AsyncGenerator<Batch> {
  const matches = queryMatcher(query);
  const undated: AxonRead[] = [];
  const cursors = new Set<string>();
  let seen = new Map<string, number>();
  let before = Number.POSITIVE_INFINITY;
  let cursor: string | undefined;
  let lost = false;
  for (let page = 0; ; page++) {
    checkAborted(signal, "Axon");
    const answer = await ask(source, signal, { ...searchBody(query), pageSize: PAGE_SIZE, cursor });
    const rows = answer.reads.map((row) => ({ row, read: readFromAxon(row, source) }));
    const reads = rows.map(({ read }) => read).filter((read) => read !== undefined);
    if (answer.reads.length > 0 && !answer.reads.some(isAxonRow)) throw failure("bad-answer", "Axon");
    const unusable = rows.filter(({ row, read }) => read === undefined && namesPlate(row)).length;
    if (unusable > 0)
      logWarning(`${unusable} reads of Axon ${source.integrationId} have no usable id, or too long a plate`);

    undated.push(...reads.filter((read) => read.sighting.capturedAt === null && hasMarks(read, query)));
    const fresh = new Map<string, AxonRead>();
    for (const read of reads) {
      if (read.sighting.capturedAt !== null && !seen.has(read.sighting.id)) fresh.set(read.sighting.id, read);
    }
    const wanted = [...fresh.values()].filter((read) => matches(read.sighting) && hasMarks(read, query));
    const sightings = newestFirst(wanted.map((read) => read.sighting));
    const newest = sightings[0]?.capturedAt ?? before;
    if (newest > before)
      throw failure("bad-answer", "Axon", { words: "Axon returned its reads out of order." });
    before = sightings.at(-1)?.capturedAt ?? before;
    // Reads newer than the last one cannot come again, because that would be out of order.
    const times = sightings.flatMap((read): [string, number][] =>
      read.capturedAt === null ? [] : [[read.id, read.capturedAt]],
    );
    seen = new Map([...seen, ...times].filter(([, at]) => at <= before));
    yield { sightings, lost: false };

    const next = answer.nextCursor ?? "";
    if (next === "") break;
    if (cursors.has(next) || page + 1 === MAX_PAGES) {
      lost = true;
      break;
    }
    cursors.add(next);
    cursor = next;
  }
  const once = new Map(undated.map((read) => [read.sighting.id, read.sighting]));
  yield { sightings: [...once.values()].filter(matches), lost };
}

const readsPath = (source: SearchSource) => ["api", "v1", "agencies", source.partnerId, "alpr", "reads"];

/** Returns the body of a search. Filters that are not set are undefined and therefore not in the JSON. */
export function searchBody(query: SightingQuery) {
  return {
    from: isoTime(query.from),
    to: isoTime(query.to),
    plate: vendorPlate(query),
    plateState: query.plateState || undefined,
    color: query.color === "" ? undefined : AXON_COLORS[query.color],
    make: query.make === "" ? undefined : makeForAxon(query.make),
    bodyType: query.bodyType === "" ? undefined : AXON_BODY_TYPES[query.bodyType],
    marks: query.marks.length === 0 ? undefined : query.marks,
  };
}

const hasMarks = ({ marks }: AxonRead, query: SightingQuery) =>
  query.marks.every((mark) => marks.includes(mark));
