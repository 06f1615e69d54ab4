import fc from "fast-check";
import { expect, test } from "vitest";
import type { TokenStore } from "#app/entities/search/source.ts";
import { createAxonProvider, searchBody } from "#app/providers/axon.ts";
import { parseAxonLocator, readFromAxon } from "#app/providers/axon-wire.ts";
import { failure } from "#app/providers/failures.ts";
import type { VendorCall, VendorHttp } from "#app/providers/http.ts";
import { expectLogged, loggedText } from "../../support/quiet-console.ts";
import { aQuery, aSource, drained, NOW } from "./samples.ts";

const source = aSource({ program: "Axon", baseUrl: "https://axon.example" });
const quiet = () => new AbortController().signal;

function aRead(changes: Record<string, unknown> = {}) {
  return {
    id: "read-1",
    plate: "AB12345",
    plateState: "CT",
    capturedAt: new Date(NOW - 1000).toISOString(),
    camera: { id: "c1", name: "Elm St EB" },
    agencyName: "Somebody else",
    location: { latitude: 41.3, longitude: -72.9 },
    vehicle: { make: "land rover", model: "Defender", color: "gray", bodyType: "suv", marks: ["top_rack"] },
    images: { vehicle: true, plate: true },
    confidence: 0.93,
    ...changes,
  };
}

/** A token store shared by many isolates: every call waits for the event loop, as with a database. */
function aTokenStore(clock: () => number) {
  const rows = new Map<string, { token: string; expiresAt: number }>();
  let leasedUntil = 0;
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
  const store: TokenStore = {
    async find(id) {
      await turn();
      return rows.get(id) ?? null;
    },
    async findAll(ids) {
      await turn();
      return new Map([...rows].filter(([id]) => ids.includes(id)));
    },
    async lease(_id, until) {
      await turn();
      if (leasedUntil > clock()) return false;
      leasedUntil = until;
      return true;
    },
    async save(id, token, expiresAt) {
      await turn();
      rows.set(id, { token, expiresAt });
      leasedUntil = 0;
    },
    async forget(id) {
      await turn();
      rows.delete(id);
      leasedUntil = 0;
    },
  };
  return { store, rows };
}

/** A server that accepts one token at a time and pages through reads by cursor. */
function aServer(
  reads: unknown[],
  options: { pageSize?: number; expiresIn?: unknown; refuses?: boolean } = {},
) {
  const { pageSize = 500, expiresIn = 3600, refuses = false } = options;
  const searches: Record<string, unknown>[] = [];
  const calls: VendorCall[] = [];
  const state = { tokens: 0, good: "", searches, calls };
  const http: VendorHttp = {
    async json(call) {
      state.calls.push(call);
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (call.path.at(-1) === "token") {
        if (refuses) throw failure("refused", "Axon");
        state.good = `token-${++state.tokens}`;
        return { access_token: state.good, token_type: "Bearer", expires_in: expiresIn };
      }
      if (call.headers?.authorization !== `Bearer ${state.good}`) throw failure("refused", "Axon");
      const question: Record<string, unknown> = JSON.parse(call.body ?? "{}");
      state.searches.push(question);
      const start = Number(question.cursor ?? 0);
      const next = start + pageSize;
      return { reads: reads.slice(start, next), nextCursor: next < reads.length ? String(next) : null };
    },
    image: () => Promise.reject(new Error("no images here")),
  };
  return { http, state };
}

function aProvider(http: VendorHttp, options: { clock?: () => number; store?: TokenStore } = {}) {
  const { clock = Date.now, store = aTokenStore(clock).store } = options;
  return createAxonProvider({ http, openSecret: async () => "client-secret", tokens: store, clock });
}

const searched = (provider: ReturnType<typeof aProvider>, query = aQuery(), maxReads = 10_000) =>
  drained(provider.search({ source, together: [source], query, maxReads, signal: quiet() }));

test("a read in the documented format becomes a sighting of the searched agency", () => {
  const read = readFromAxon(aRead(), source);
  expect(read?.marks).toEqual(["top_rack"]);
  expect(read?.sighting).toMatchObject({
    program: "Axon",
    agency: "Hartford Police Department",
    plate: "AB12345",
    plateState: "CT",
    make: "Land Rover",
    color: "Silver/Gray",
    bodyType: "SUV",
    capturedAt: NOW - 1000,
    cameraName: "Elm St EB",
    confidence: 93,
    vehicleImage: "read-1|vehicle",
    plateImage: "read-1|plate",
  });
  expect(readFromAxon(aRead({ images: { vehicle: null } }), source)?.sighting).toMatchObject({
    vehicleImage: null,
    plateImage: null,
  });
  const ids = ["", " ", " a", "a|b", "a\nb", "a\u2028b", "\ud800", "x".repeat(201), null, {}];
  for (const odd of [null, {}, aRead({ plate: null }), ...ids.map((id) => aRead({ id }))]) {
    expect(readFromAxon(odd, source)).toBeUndefined();
  }
});

test("a read may have any printable id, which is encoded where its image is asked for", async () => {
  const images: VendorCall[] = [];
  const { http } = aServer([]);
  const provider = aProvider({
    ...http,
    image: async (call) => {
      images.push(call);
      return { bytes: new Uint8Array(), type: "image/jpeg" };
    },
  });
  const known = new Set<string | undefined>();
  const ids = ["q83v+/8=", "../secrets", "a b?c#d", "Zürich-7", "x".repeat(200), 12345];
  for (const id of ids) {
    const sighting = readFromAxon(aRead({ id }), source)?.sighting;
    known.add(sighting?.id);
    expect(sighting?.vehicleImage).toBe(`${id}|vehicle`);
    await provider.image({ source, locator: sighting?.vehicleImage ?? "", signal: quiet() });
    // The client of the vendor encodes each segment.
    expect(images.at(-1)?.path.slice(-3)).toEqual([String(id), "images", "vehicle"]);
  }
  expect(known.size).toBe(ids.length);
});

test("reads whose plate is empty or too long are left out, even if no others are left; malformed rows are a failure", async () => {
  // The log says which reads were lost, not which ones no camera could read.
  expectLogged(/^[12] reads of Axon integration-1 have no usable id, or too long a plate$/);
  for (const plate of ["", "---", "A".repeat(16), null])
    expect((await searched(aProvider(aServer([aRead({ plate })]).http))).reads).toEqual([]);
  const mixed = [
    aRead({ plate: "" }),
    aRead({ id: "b" }),
    aRead({ id: null }),
    aRead({ plate: "A".repeat(16) }),
  ];
  expect((await searched(aProvider(aServer(mixed).http))).reads).toHaveLength(1);
  expect(loggedText().match(/^2 reads of Axon/gm)).toHaveLength(1);
  for (const row of [5, null, { id: "a", renamed_plate: "AB123" }, { plate: "AB123" }])
    await expect(searched(aProvider(aServer([row]).http))).rejects.toMatchObject({ kind: "bad-answer" });
});

test("no value makes the provider throw, and every locator can be parsed", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...Object.keys(aRead())), fc.anything()), (changes) => {
      const read = readFromAxon(aRead(changes), source);
      for (const locator of [read?.sighting.vehicleImage, read?.sighting.plateImage]) {
        if (locator) expect(parseAxonLocator(locator)).toBeDefined();
      }
    }),
  );
  for (const text of [
    "",
    "a",
    "a|",
    "|plate",
    "a|both",
    "a\n|plate",
    "a|plate|b",
    `${"x".repeat(201)}|plate`,
  ])
    expect(parseAxonLocator(text)).toBeUndefined();
});

test("the search body has the documented format and contains only the filters that are set", () => {
  expect(Object.entries(searchBody(aQuery())).filter(([, value]) => value !== undefined)).toEqual([
    ["from", new Date(NOW - 3_600_000).toISOString()],
    ["to", new Date(NOW).toISOString()],
  ]);
  const all = searchBody(
    aQuery({
      plate: { kind: "contains", text: "B12" },
      color: "Silver/Gray",
      make: "Land Rover",
      bodyType: "tractor-trailer",
      marks: ["top_rack"],
    }),
  );
  expect(all).toMatchObject({
    plate: "*B12*",
    color: ["silver", "gray"],
    make: "land rover",
    bodyType: ["semi"],
    marks: ["top_rack"],
  });
});

test("colors that only Rekor has are unsupported, vehicle marks are supported", () => {
  const { unsupported } = aProvider(aServer([]).http);
  expect(unsupported(aQuery({ color: "Orange", marks: ["top_rack"] }))).toEqual(["color"]);
  expect(unsupported(aQuery({ color: "Silver/Gray", plateState: "CT", make: "BMW" }))).toEqual([]);
});

test("every page is fetched, each read returned once, and reads that do not match are dropped", async () => {
  const reads = Array.from({ length: 23 }, (_, index) =>
    aRead({ id: `r${index}`, capturedAt: new Date(NOW - index * 1000).toISOString() }),
  );
  const doubled = reads.flatMap((read) => [read, read]);
  const strangers = [
    aRead({ id: "old", capturedAt: "1970-01-01T00:00:00Z" }),
    aRead({ id: "undated", capturedAt: null }),
  ];
  const { http, state } = aServer([...doubled, ...strangers], { pageSize: 5 });
  const { reads: found, truncated } = await searched(aProvider(http));
  expect(found.map((read) => read.vehicleImage)).toEqual([
    ...reads.map((read) => `${read.id}|vehicle`),
    "undated|vehicle",
  ]);
  expect([truncated, state.tokens]).toEqual([false, 1]);
  expect((await searched(aProvider(http), aQuery({ marks: ["back_rack"] }))).reads).toEqual([]);
  expect((await searched(aProvider(http), aQuery({ color: "White" }))).reads).toEqual([]);
  expect(await searched(aProvider(http), aQuery(), 7)).toMatchObject({
    truncated: true,
    reads: { length: 7 },
  });
});

test("a repeated cursor ends the paging and reports that reads may be missing", async () => {
  const { http } = aServer([aRead()]);
  const looping: VendorHttp = {
    ...http,
    json: async (call) =>
      call.path.at(-1) === "token" ? http.json(call) : { reads: [aRead()], nextCursor: "again" },
  };
  const { reads, truncated } = await searched(aProvider(looping));
  expect([reads.length, truncated]).toEqual([1, true]);
});

test("reads that are not newest first are a failure, because the vendor guarantees that order", async () => {
  const reads = [aRead({ id: "a", capturedAt: new Date(NOW - 9000).toISOString() }), aRead({ id: "b" })];
  await expect(searched(aProvider(aServer(reads, { pageSize: 1 }).http))).rejects.toMatchObject({
    kind: "bad-answer",
  });
});

test("the token is looked up once for all pages of a search: each look-up is a query of the database", async () => {
  const reads = Array.from({ length: 23 }, (_, i) =>
    aRead({ id: `r${i}`, capturedAt: new Date(NOW - i * 1000).toISOString() }),
  );
  const { http, state } = aServer(reads, { pageSize: 5 });
  const { store } = aTokenStore(Date.now);
  let finds = 0;
  const counted: TokenStore = {
    ...store,
    find(id) {
      finds++;
      return store.find(id);
    },
  };
  expect((await searched(aProvider(http, { store: counted }))).reads).toHaveLength(23);
  expect([state.searches.length, finds]).toEqual([5, 1]);
});

test("a token is used until a minute before it expires", async () => {
  let now = NOW;
  const clock = () => now;
  const { store } = aTokenStore(clock);
  const { http, state } = aServer([aRead()], { expiresIn: "3600" });
  const provider = aProvider(http, { clock, store });
  await searched(provider);
  now = NOW + 3539 * 1000;
  await searched(provider);
  expect(state.tokens).toBe(1);
  now = NOW + 3541 * 1000;
  await searched(provider);
  expect(state.tokens).toBe(2);
});

test("only one of many isolates fetches a token, also after a token is rejected during a search", async () => {
  const { store, rows } = aTokenStore(Date.now);
  const { http, state } = aServer([aRead()]);
  const isolates = Array.from({ length: 8 }, () => aProvider(http, { store }));
  await Promise.all(isolates.map((provider) => searched(provider)));
  expect(state.tokens).toBe(1);
  rows.set(source.integrationId, { token: "revoked", expiresAt: Date.now() + 3_600_000 });
  // The next request: a provider keeps the token of its own.
  const found = await searched(aProvider(http, { store }));
  expect([found.reads.length, state.tokens]).toEqual([1, 2]);
});

test("a token that another isolate has fetched stays when an older one is rejected", async () => {
  const { store, rows } = aTokenStore(Date.now);
  const { http, state } = aServer([aRead()]);
  const provider = aProvider(http, { store });
  await searched(provider);
  rows.set(source.integrationId, { token: "newer", expiresAt: Date.now() + 3_600_000 });
  state.good = "newer";
  const found = await searched(provider);
  expect([found.reads.length, state.tokens, state.good]).toEqual([1, 1, "newer"]);
});

test("a search with credentials that Axon does not know fails after one token refresh", async () => {
  const { http, state } = aServer([aRead()], { refuses: true });
  await expect(searched(aProvider(http))).rejects.toMatchObject({ kind: "refused" });
  const stubborn: VendorHttp = {
    ...http,
    json: async (call) => {
      if (call.path.at(-1) !== "token") throw failure("refused", "Axon");
      state.tokens++;
      return { access_token: `t${state.tokens}`, expires_in: 3600 };
    },
  };
  await expect(searched(aProvider(stubborn))).rejects.toMatchObject({ kind: "refused" });
  expect(state.tokens).toBe(2);
});

test("a token response without a token, or with one that is invalid in a header, is a bad answer", async () => {
  for (const answer of [
    null,
    {},
    { access_token: "" },
    { access_token: "a b" },
    { access_token: "a\r\nx: y" },
    { access_token: 5 },
  ]) {
    const http: VendorHttp = { json: async () => answer, image: () => Promise.reject(new Error()) };
    await expect(searched(aProvider(http))).rejects.toMatchObject({ kind: "bad-answer" });
  }
});

test("waiting for another isolate's token stops when the search is aborted", async () => {
  const { store } = aTokenStore(Date.now);
  await store.lease(source.integrationId, Date.now() + 60_000);
  const signal = AbortSignal.timeout(20);
  const provider = aProvider(aServer([]).http, { store });
  const waiting = drained(
    provider.search({ source, together: [source], query: aQuery(), maxReads: 10, signal }),
  );
  await expect(waiting).rejects.toMatchObject({ kind: "timeout" });
});
