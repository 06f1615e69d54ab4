import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { SightingQuery, SourceProgram } from "#app/entities/search/query.ts";
import type { ReadArchive, SearchSource, TokenStore } from "#app/entities/search/source.ts";
import { createProviders } from "#app/providers/index.ts";
import simulator from "../../../workers/vendors/app.ts";
import { axonCredentials, rekorApiKey } from "../../../workers/vendors/credentials.ts";
import type { Fault } from "../../../workers/vendors/faults.ts";
import { type Env, worldOf } from "../../../workers/vendors/setup.ts";
import { aQuery, aSource, drained } from "./samples.ts";
import { type Served, serveWorker } from "./server.ts";

const DAY = 86_400_000;
const env: Env = { VENDOR_SECRET: "test", WORLD_SEED: "7", WORLD_READS_PER_DAY: "400" };
const agencyOf = (program: SourceProgram) =>
  worldOf(env).cameras.find((camera) => camera.program === program.toLowerCase())?.agencyId ?? "";

let served: Served;
const secrets = new Map<string, string>();
const tokens = new Map<string, { token: string; expiresAt: number }>();

const tokenStore: TokenStore = {
  find: async (id) => tokens.get(id) ?? null,
  findAll: async () => new Map(tokens),
  lease: async () => true,
  save: async (id, token, expiresAt) => void tokens.set(id, { token, expiresAt }),
  forget: async (id) => void tokens.delete(id),
};
const archive: ReadArchive = {
  startSearch: () => {},
  async *search() {
    yield { reads: [], truncated: false };
  },
  image: async () => null,
};
const providers = createProviders({
  archive,
  openSecret: async (source) => secrets.get(source.id) ?? "",
  tokens: tokenStore,
  clock: Date.now,
  allowLoopback: true,
});

beforeAll(async () => {
  served = await serveWorker((request) => simulator.fetch(request, env));
  const axon = await axonCredentials(env.VENDOR_SECRET, agencyOf("Axon"));
  secrets.set("Rekor", await rekorApiKey(env.VENDOR_SECRET, agencyOf("Rekor")));
  secrets.set("Axon", axon.clientSecret);
  sources.Rekor = aSource({ id: "Rekor", program: "Rekor", baseUrl: served.url });
  sources.Axon = aSource({ id: "Axon", program: "Axon", baseUrl: served.url, ...axon });
});
afterAll(() => served.close());
beforeEach(() => setFaults([]));

const sources: Record<"Rekor" | "Axon", SearchSource> = { Rekor: aSource(), Axon: aSource() };

async function setFaults(faults: Fault[]) {
  await fetch(`${served.url}/_simulator/faults`, { method: "PUT", body: JSON.stringify(faults) });
}

const lastDays = (days: number, changes: Partial<SightingQuery> = {}) => {
  const now = Date.now();
  return aQuery({ from: now - days * DAY, to: now, ...changes });
};

function search(
  program: "Rekor" | "Axon",
  query: SightingQuery,
  options: { maxReads?: number; signal?: AbortSignal } = {},
) {
  const { maxReads = 100_000, signal = AbortSignal.timeout(60_000) } = options;
  return drained(
    providers[program].search({
      source: sources[program],
      together: [sources[program]],
      query,
      maxReads,
      signal,
    }),
  );
}

/** Returns all reads of the simulated cameras within the range of a query. */
function truth(program: "Rekor" | "Axon", query: SightingQuery) {
  const { from, to } = query;
  const name = program.toLowerCase() as "rekor" | "axon";
  return [...worldOf(env).walk({ program: name, agencyId: agencyOf(program), from, to })];
}

const both = ["Rekor", "Axon"] as const;

test.each(both)("%s: every read of a month is found once, newest first, in Odin's terms", async (program) => {
  const query = lastDays(30);
  const expected = truth(program, query);
  const { reads, truncated } = await search(program, query);
  expect(expected.length).toBeGreaterThan(100);
  expect(truncated).toBe(false);
  expect(reads.map((read) => [read.capturedAt, read.plate])).toEqual(
    expected.map((read) => [read.at, read.plate]),
  );
  expect(reads.map((read) => [read.plateState, read.make, read.color, read.bodyType])).toEqual(
    expected.map(({ state, vehicle, color }) => [state ?? "", vehicle.make, color, vehicle.bodyType]),
  );
  expect(reads.every((read) => read.latitude !== null && read.vehicleImage && read.plateImage)).toBe(true);
  expect(reads.every((read) => (read.confidence ?? 0) > 1 && (read.confidence ?? 101) <= 100)).toBe(true);
});

test.each(both)("%s: filters find exactly the matching reads of the cameras", async (program) => {
  const all = truth(program, lastDays(30));
  const [some] = all;
  const fragment = some?.plate.slice(1, 4) ?? "";
  const cases: [Partial<SightingQuery>, (read: (typeof all)[number]) => boolean][] = [
    [{ bodyType: "SUV" }, (read) => read.vehicle.bodyType === "SUV"],
    [
      { color: "Silver/Gray", plateState: "CT" },
      (read) => read.color === "Silver/Gray" && read.state === "CT",
    ],
    [{ make: "Land Rover" }, (read) => read.vehicle.make === "Land Rover"],
    [{ plate: { kind: "contains", text: fragment } }, (read) => read.plate.includes(fragment)],
    [
      { plate: { kind: "pattern", text: `?${fragment}*` } },
      (read) => read.plate.slice(1).startsWith(fragment),
    ],
  ];
  for (const [filters, keeps] of cases) {
    const query = lastDays(30, filters);
    const { reads } = await search(program, query);
    expect(reads.map((read) => read.plate)).toEqual(
      truth(program, query)
        .filter(keeps)
        .map((read) => read.plate),
    );
  }
});

test("Axon: marks can be searched", async () => {
  const query = lastDays(30, { marks: ["top_rack"] });
  const expected = truth("Axon", query).filter((read) =>
    (read.vehicle.marks as readonly string[]).includes("top_rack"),
  );
  expect((await search("Axon", query)).reads).toHaveLength(expected.length);
});

test.each(both)("%s: a read's images are fetched by their locators", async (program) => {
  const { reads } = await search(program, lastDays(30), { maxReads: 1 });
  for (const locator of [reads[0]?.vehicleImage, reads[0]?.plateImage]) {
    const signal = AbortSignal.timeout(5000);
    const image = await providers[program].image({
      source: sources[program],
      locator: locator ?? "",
      signal,
    });
    expect(image.type).toBe("image/jpeg");
    expect(image.bytes.length).toBeGreaterThan(500);
  }
});

test.each(
  both.flatMap((program) =>
    (
      [
        ["status", "server-error", { code: 500 }],
        ["status", "rate-limited", { code: 429, retryAfter: 60 }],
        ["status", "rate-limited", { code: 429, retryAfter: 60, retryAsDate: true }],
        ["status", "refused", { code: 403 }],
        ["html", "bad-answer", {}],
        ["truncated", "bad-answer", {}],
        ["wrongType", "bad-answer", {}],
        ["deep", "bad-answer", {}],
        ["huge", "bad-answer", {}],
        ["redirect", "bad-answer", { url: "http://169.254.169.254/" }],
        ["reset", "unreachable", {}],
      ] as const
    ).map(([kind, failure, more]) => [program, kind, failure, more] as const),
  ),
)("%s: %s is reported as %s", async (program, kind, failure, more) => {
  await setFaults([{ program: program.toLowerCase() as "rekor", kind, ...more }]);
  await expect(search(program, lastDays(2))).rejects.toMatchObject({
    name: "ProviderFailure",
    kind: failure,
  });
});

test.each(both)("%s: a late response and one of a byte per second end at the deadline", async (program) => {
  const name = program.toLowerCase() as "rekor" | "axon";
  for (const fault of [{ kind: "delay", ms: 2000 }, { kind: "trickle" }] as const) {
    await setFaults([{ program: name, ...fault }]);
    const late = search(program, lastDays(2), { signal: AbortSignal.timeout(300) });
    await expect(late).rejects.toMatchObject({ kind: "timeout" });
  }
});

test.each(both)(
  "%s: duplicate reads count once, impossible times never match, and a single failure is retried",
  async (program) => {
    const name = program.toLowerCase() as "rekor" | "axon";
    const query = lastDays(5);
    const expected = truth(program, query).length;
    await setFaults([{ program: name, kind: "duplicateIds" }]);
    expect((await search(program, query)).reads).toHaveLength(expected);
    await setFaults([{ program: name, kind: "status", code: 503, times: 1 }]);
    expect((await search(program, query)).reads).toHaveLength(expected);
    await setFaults([{ program: name, kind: "oddTimes" }]);
    const odd = await search(program, query);
    expect(odd.reads.every((read) => read.capturedAt === null)).toBe(true);
  },
);

test("Axon: a token that expires during a search is replaced and the search continues", async () => {
  const query = lastDays(60);
  await setFaults([{ program: "axon", kind: "expiredToken", after: 1, times: 1 }]);
  const { reads } = await search("Axon", query);
  expect(reads).toHaveLength(truth("Axon", query).length);
  expect(reads.length).toBeGreaterThan(500);
});

test.each(both)("%s: images that are not images, too large or missing are failures", async (program) => {
  const { reads } = await search(program, lastDays(30), { maxReads: 1 });
  const locator = reads[0]?.vehicleImage ?? "";
  const cases = [
    ["imageHtml", "bad-answer"],
    ["imageSvg", "bad-answer"],
    ["imageHuge", "bad-answer"],
    ["imageTruncated", "bad-answer"],
    ["imageMissing", "missing"],
  ] as const;
  for (const [kind, failure] of cases) {
    await setFaults([{ program: program.toLowerCase() as "rekor", kind }]);
    const asked = providers[program].image({
      source: sources[program],
      locator,
      signal: AbortSignal.timeout(5000),
    });
    await expect(asked).rejects.toMatchObject({ kind: failure });
  }
});
