import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findExportRecords } from "#app/domain/exports/records.ts";
import { reviewSearches } from "#app/domain/oversight/review-searches.ts";
import { searchReads } from "#app/domain/search/run.ts";
import { ExportRequest } from "#app/entities/exports/request.ts";
import type { SearchProgress, SourceStatus } from "#app/entities/search/query.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import { decodeColumns } from "#app/entities/search/result-codec.ts";
import { rowAt } from "#app/entities/search/result-columns.ts";
import type { ResultSummary } from "#app/entities/search/result-set.ts";
import { jsonLines } from "#app/lib/json/lines.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { type Provider, ProviderFailure } from "#app/providers/provider.ts";
import type { Fault } from "../../../workers/vendors/faults.ts";
import {
  actorOf,
  auditOf,
  bindings,
  type Client,
  client,
  dumpDatabases,
  jsonInit,
  newWorld,
  pushRead,
  search,
  searchBody,
  setUpPart,
  testApp,
  unique,
  vendors,
  type World,
} from "../../factories.ts";
import { withBatches } from "../../support/batches.ts";
import { expectLogged, rawLog } from "../../support/quiet-console.ts";

let world: World;
let officer: Client;

beforeAll(async () => {
  world = await newWorld();
  officer = await client(world.users.officer);
  for (let i = 0; i < 5; i++) {
    await pushRead(world.camera, { plate: `AXS000${i}`, at: Date.now() - i * HOUR - MINUTE });
  }
});

beforeEach(async () => {
  await vendors.setFaults();
  await vendors.clearCalls();
  await bindings.DB.prepare("DELETE FROM integration_health").run();
});

async function statusesOf(resultId: string): Promise<SourceStatus[]> {
  const row = await bindings.DB.prepare("SELECT statuses FROM result_sets WHERE id = ?")
    .bind(resultId)
    .first<{ statuses: string }>();
  return JSON.parse(row?.statuses ?? "[]");
}

async function columnsOf(who: Client, resultId: string) {
  const response = await who.fetch(`/results/${resultId}/columns`);
  expect(response.status).toBe(200);
  return decodeColumns(new Uint8Array(await response.arrayBuffer()));
}

type PartialSet = Extract<SearchProgress, { type: "partial" }>;

/** Yields the progress steps of a search as they arrive. */
async function* progressOf(response: Response): AsyncGenerator<SearchProgress> {
  if (!response.body) throw new Error("the search was not answered with a stream");
  for await (const step of jsonLines(response.body)) yield step as SearchProgress;
}

/** Returns the provider with searches that wait for `ready` before they ask the vendor. */
const answersAfter = (provider: Provider, ready: Promise<void>): Provider => ({
  ...provider,
  async *search(input) {
    await ready;
    yield* provider.search(input);
  },
});

function newestFirst(times: (string | null)[]): (string | null)[] {
  const value = (time: string | null) => (time === null ? Number.NEGATIVE_INFINITY : Date.parse(time));
  return [...times].sort((a, b) => value(b) - value(a));
}

describe("a search over three programs", () => {
  it("merges them newest first, with the same rows in the same order on the screen", async () => {
    const { rows, resultId, sources } = await search(officer, searchBody(world.agencies));
    expect(sources.split(",").sort()).toEqual(["Axis=ok", "Axon=ok", "Rekor=ok", "Rekor=ok"]);
    expect(new Set(rows.map((row) => row.source_program))).toEqual(new Set(["Rekor", "Axon", "Axis"]));
    expect(new Set(rows.map((row) => row.agency)).size).toBe(4);
    const times = rows.map((row) => row.timestamp);
    expect(times).toEqual(newestFirst(times));
    const columns = await columnsOf(officer, resultId);
    expect(columns.count).toBe(rows.length);
    expect(rows.map((row) => [row.id, row.plate])).toEqual(
      rows.map((_, i) => [rowAt(columns, i).id, rowAt(columns, i).plate]),
    );
    const statuses = await statusesOf(resultId);
    expect(statuses.reduce((sum, { reads }) => sum + reads, 0)).toBe(rows.length);
    expect(statuses.every(({ state, reads }) => state === "ok" && reads > 0)).toBe(true);
  });

  it("puts reads without a time last", async () => {
    await vendors.setFaults({ program: "rekor", agencyId: "hartford-pd", kind: "oddTimes" });
    const { rows } = await search(officer, searchBody(world.agencies));
    const times = rows.map((row) => row.timestamp);
    expect(times).toContain(null);
    expect(times).toEqual(newestFirst(times));
  });

  it("gives a read the same id in every search, and removes duplicates", async () => {
    const now = Date.now();
    const body = searchBody(world.agencies, {
      start_time: isoTime(now - 3 * DAY),
      end_time: isoTime(now - HOUR),
    });
    const first = await search(officer, body);
    await vendors.setFaults({ program: "rekor", kind: "duplicateIds" });
    const second = await search(officer, body);
    expect(second.rows.map((row) => row.id)).toEqual(first.rows.map((row) => row.id));
    expect(new Set(first.rows.map((row) => row.id)).size).toBe(first.rows.length);
    for (const { id } of first.rows) expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(second.resultId).not.toBe(first.resultId);
  });

  it("keeps reads apart whose ids are numbers with more digits than JavaScript numbers hold", async () => {
    const now = Date.now();
    const body = searchBody([world.axon.id], {
      start_time: isoTime(now - 30 * DAY),
      end_time: isoTime(now - HOUR),
    });
    const first = await search(officer, body);
    await vendors.setFaults({ program: "axon", kind: "longIds" });
    const second = await search(officer, body);
    expect(first.rows.length).toBeGreaterThan(50);
    expect(second.rows.map((row) => row.plate)).toEqual(first.rows.map((row) => row.plate));
    expect(second.rows[0]?.id).not.toBe(first.rows[0]?.id);
  });

  it("finds plates by fragment and by pattern in every program", async () => {
    const { rows } = await search(officer, searchBody(world.agencies));
    const some = ["Rekor", "Axon", "Axis"].map((program) =>
      rows.find((row) => row.source_program === program),
    );
    for (const row of some) {
      const plate = row?.plate ?? "";
      expect(plate.length).toBeGreaterThan(4);
      const fragment = plate.slice(1, 5).toLowerCase();
      const pattern = `${plate.slice(0, 2)}*${plate.at(-2)}?`;
      for (const wanted of [fragment, pattern]) {
        const found = await search(officer, searchBody(world.agencies, { plate: wanted }));
        expect(found.rows.map((one) => one.id)).toContain(row?.id);
        expect(found.rows.length).toBeLessThan(rows.length);
      }
    }
  });

  it("finds look-alikes in every program, exact matches first, with score and reason", async () => {
    const misread = "AXS0002".replace("S", "5");
    await pushRead(world.camera, { plate: misread, at: Date.now() - 3 * HOUR });
    await pushRead(world.camera, { plate: "AXS002", at: Date.now() - 4 * HOUR });
    const axis = await search(officer, searchBody([world.ours.id], { plate: "axs0002", look_alikes: true }));
    const matches = axis.rows.map((row) => [row.plate, row.match_score, row.match_reason]);
    expect(matches.slice(0, 2)).toEqual([
      ["AXS0002", 1, ""],
      [misread, 0.9, "S read as 5"],
    ]);
    expect(matches).toContainEqual(["AXS0001", 0.5, "1 wrong character: 2 read as 1"]);
    expect(matches.at(-1)).toEqual(["AXS002", 0.4, "1 character missing"]);
    const columns = await columnsOf(officer, axis.resultId);
    expect(axis.rows.map((row) => row.match_score)).toEqual(
      axis.rows.map((_, i) => rowAt(columns, i).match?.score),
    );
    const started = (await auditOf(world.users.officer, 5)).findLast(({ action }) => action === "search");
    expect(JSON.parse(started?.detail ?? "{}").query).toMatchObject({ plate: "axs0002", look_alikes: true });

    const { rows } = await search(officer, searchBody(world.agencies));
    for (const program of ["Rekor", "Axon"]) {
      // A vendor query keeps at least three characters that have no look-alikes.
      const isUsable = (plate: string) =>
        plate.length > 5 && /[0852]/.test(plate) && plate.replace(/[^0ODQ1IL2Z5S8B6G]/g, "").length <= 3;
      const row = rows.find((one) => one.source_program === program && isUsable(one.plate));
      const swaps: Record<string, string> = { "0": "O", "8": "B", "5": "S", "2": "Z" };
      const remembered = row?.plate.replace(/[0852]/, (sign) => swaps[sign] ?? sign) ?? "";
      const exact = await search(officer, searchBody(world.agencies, { plate: remembered }));
      expect(exact.rows.map(({ id }) => id)).not.toContain(row?.id);
      expect(exact.response.headers.get("content-type")).toContain("json");
      const found = await search(
        officer,
        searchBody(world.agencies, { plate: remembered, look_alikes: true }),
      );
      const match = found.rows.find(({ id }) => id === row?.id);
      expect(match).toMatchObject({ match_score: 0.9, match_reason: expect.stringMatching(/^. read as .$/) });
      const status = (await statusesOf(found.resultId)).find((one) => one.program === program);
      expect(status?.message).toMatch(
        /^Asked for .*\?.*\. Not asked for missing, extra or wrong characters\.$/,
      );
    }
    for (const row of rows) expect(row).not.toHaveProperty("match_score");
  });

  it.each(["*", "??", "", "8B"])("accepts the pattern %j with look-alikes", async (plate) => {
    const { rows } = await search(officer, searchBody([world.ours.id], { plate, look_alikes: true }));
    for (const row of rows) expect(row.match_score).toBeGreaterThan(0);
    expect(rows.length > 0).toBe(plate === "*" || plate === "");
  });

  it("refuses look_alikes that are not a boolean, and plates that are too long", async () => {
    for (const bad of [{ look_alikes: "yes" }, { look_alikes: true, plate: "A".repeat(200) }])
      expect((await officer.post("/search-data", searchBody(world.agencies, bad))).status).toBe(400);
  });

  it("searches only the named agencies, by id, name, URL or camera", async () => {
    const of = async (agency: string) => (await search(officer, searchBody([agency]))).sources;
    expect(await of(world.hartford.agency)).toBe("Rekor=ok");
    expect(await of(world.axon.baseUrl)).toBe("Axon=ok");
    expect(await of(world.camera.id)).toBe("Axis=ok");
    expect(await of(world.ours.id)).toBe("Axis=ok");
    const calls = await vendors.calls();
    expect(Object.keys(calls).filter((key) => key.includes("manchester"))).toEqual([]);
    expect(calls["rekor/hartford-pd"]).toBeGreaterThan(0);
  });

  it("reports its progress on request, one line per step", async () => {
    const init = { headers: { accept: "application/x-ndjson" } };
    const response = await officer.post("/search-data", searchBody(world.agencies), init);
    expect(response.headers.get("content-type")).toMatch(/^application\/x-ndjson/);
    const lines = (await response.text()).trim().split("\n");
    const steps = lines.map((line): SearchProgress => JSON.parse(line));
    expect(steps[0]).toMatchObject({ type: "started" });
    expect(steps.at(-1)).toMatchObject({ type: "done", count: expect.any(Number) });
    const ok = steps.filter((step) => step.type === "status" && step.source.state === "ok");
    expect(ok).toHaveLength(4);
    const { resultId } = steps.at(-1) as { resultId: string };
    expect((await columnsOf(officer, resultId)).count).toBe((steps.at(-1) as { count: number }).count);
  });

  it("says that more reads exist only if there are more than the limit", async () => {
    const app = testApp();
    const actor = await actorOf(officer);
    const request = SearchRequest.parse(searchBody(world.agencies));
    const found = async (searchMaxReads: number) => {
      const limited = { ...app, config: { ...app.config, searchMaxReads } };
      const hooks = { signal: new AbortController().signal, onProgress: () => {} };
      const { resultId, statuses, columns } = await searchReads(limited, actor, { request, ...hooks });
      const set = await bindings.DB.prepare("SELECT truncated FROM result_sets WHERE id = ?")
        .bind(resultId)
        .first<{ truncated: number }>();
      return [columns.count, set?.truncated === 1, statuses.some(({ truncated }) => truncated)];
    };
    const [all = 0] = await found(app.config.searchMaxReads);
    expect(all).toBeGreaterThan(1);
    expect(await found(Number(all))).toEqual([all, false, false]);
    expect(await found(Number(all) - 1)).toEqual([Number(all) - 1, true, true]);
  });

  it("stores the partial results when some programs have answered and others have not", async () => {
    await vendors.setFaults({ program: "axon", kind: "hold" });
    const headers = { accept: "application/x-ndjson", "odin-partial-results": "yes" };
    const begun = performance.now();
    const response = await officer.post("/search-data", searchBody(world.agencies), { headers });
    let last: PartialSet | undefined;
    let done: SearchProgress | undefined;
    for await (const step of progressOf(response)) {
      done = step;
      if (step.type !== "partial") continue;
      last = step;
      // Sets of a search that is about to finish would only delay it.
      expect(performance.now() - begun).toBeGreaterThan(400);
      const waiting = (await statusesOf(step.resultId)).filter(({ state }) => state !== "ok");
      if (waiting.every(({ program }) => program === "Axon")) await vendors.setFaults();
    }
    if (done?.type !== "done") throw new Error("the search did not end");
    if (!last) throw new Error("no partial results were stored");
    const columns = await columnsOf(officer, last.resultId);
    expect([columns.count, last.count > 0, last.count < done.count]).toEqual([last.count, true, true]);
    const programs = Array.from({ length: columns.count }, (_, row) => rowAt(columns, row).program);
    expect(new Set(programs)).toEqual(new Set(["Rekor", "Axis"]));
    const axon = (await statusesOf(last.resultId)).find(({ program }) => program === "Axon");
    expect(axon?.state).toMatch(/^(asking|slow)$/);
    const other = await client(world.users.colleague);
    expect((await other.fetch(`/results/${last.resultId}/columns`)).status).toBe(404);
    const rows = await auditOf(world.users.officer, 20);
    expect(rows).toContainEqual(
      expect.objectContaining({ action: "search.partial", object: last.resultId, outcome: "ok" }),
    );
  });

  it("stores no partial results without reads", async () => {
    await vendors.setFaults({ program: "axon", kind: "delay", ms: 1500 });
    const headers = { accept: "application/x-ndjson", "odin-partial-results": "yes" };
    const body = searchBody(world.agencies, { plate: "NOSUCH99" });
    const response = await officer.post("/search-data", body, { headers });
    const steps: string[] = [];
    for await (const { type } of progressOf(response)) steps.push(type);
    expect(steps.at(-1)).toBe("done");
    expect(steps).not.toContain("partial");
  });

  it("reports partial results in the order of arrival, even if the first are stored slowly", async () => {
    // Rekor answers once the set with Axis's reads is being stored; Axon answers once the next set is reported.
    const [rekor, axon] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let puts = 0;
    const RESULTS = new Proxy(bindings.RESULTS, {
      get(bucket, name) {
        const value: unknown = Reflect.get(bucket, name, bucket);
        if (typeof value !== "function") return value;
        return async (...values: unknown[]) => {
          if (name === "put" && puts++ === 0) {
            rekor.resolve();
            // The wait is what is tested: the next set is due before this one is stored.
            await new Promise((resolve) => setTimeout(resolve, 1500));
          }
          return Reflect.apply(value, bucket, values);
        };
      },
    });
    const app = testApp(Date.now, { RESULTS });
    const { Rekor, Axon } = app.providers;
    Object.assign(app.providers, {
      Rekor: answersAfter(Rekor, rekor.promise),
      Axon: answersAfter(Axon, axon.promise),
    });
    const sets: { id: string; count: number }[] = [];
    await searchReads(app, await actorOf(officer), {
      request: SearchRequest.parse(searchBody(world.agencies)),
      signal: new AbortController().signal,
      wantsPartial: true,
      onProgress: (step) => {
        if (step.type !== "partial" && step.type !== "done") return;
        sets.push({ id: step.resultId, count: step.count });
        if (sets.length === 2) axon.resolve();
      },
    });
    expect(sets).toHaveLength(3);
    const counts = sets.map(({ count }) => count);
    expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b));
    for (const { id, count } of sets) expect((await columnsOf(officer, id)).count).toBe(count);
    // An export that names no results finds all of these reads in the whole search, newest first.
    const found = await columnsOf(officer, sets.at(-1)?.id ?? "");
    const ids = Array.from({ length: found.count }, (_, row) => rowAt(found, row).id);
    const records = ids.map((id) => ({ id }));
    const request = ExportRequest.parse({ records, justification: "Stolen vehicle" });
    const made = await findExportRecords(app, await actorOf(officer), request);
    expect(made.queries.map(({ resultId }) => resultId)).toEqual([sets.at(-1)?.id]);
    expect(made.records.map(({ id }) => id)).toEqual(ids);
  });

  it("has a record for every stored file, also if partial results could not be finished", async () => {
    expectLogged(/partial results could not be stored/);
    const now = new Set((await bindings.RESULTS.list({ prefix: "results/" })).objects.map(({ key }) => key));
    const failed = Promise.withResolvers<void>();
    let hasFailed = false;
    const app = withBatches(testApp(), async (run, statements) => {
      const { objects } = await bindings.RESULTS.list({ prefix: "results/" });
      // The first batch after files were stored is that which finishes the partial results.
      if (objects.some(({ key }) => !now.has(key)) && !hasFailed) {
        hasFailed = true;
        failed.resolve();
        throw new Error("D1_ERROR: overloaded");
      }
      return run(statements);
    });
    // Axis answers first and Axon after the failure, so that there is one set of partial results.
    const { Axon } = app.providers;
    Object.assign(app.providers, { Axon: answersAfter(Axon, failed.promise) });
    await searchReads(app, await actorOf(officer), {
      request: SearchRequest.parse(searchBody([world.axon.id, world.ours.id])),
      signal: new AbortController().signal,
      wantsPartial: true,
      onProgress: () => {},
    });
    expect(hasFailed).toBe(true);
    const { objects } = await bindings.RESULTS.list({ prefix: "results/" });
    const ids = new Set(objects.filter(({ key }) => !now.has(key)).map(({ key }) => key.split("/")[1]));
    expect(ids.size).toBe(2);
    for (const id of ids) {
      const row = "SELECT count(*) AS n FROM result_sets WHERE id = ?";
      expect(await bindings.DB.prepare(row).bind(id).first("n")).toBe(1);
    }
  });

  it("keeps the partial results of a canceled search, and audits one search that did not finish", async () => {
    // Only Axis answers before the search is canceled.
    await vendors.setFaults({ program: "axon", kind: "hold" }, { program: "rekor", kind: "hold" });
    const headers = { accept: "application/x-ndjson", "odin-partial-results": "yes" };
    const response = await officer.post("/search-data", searchBody(world.agencies), { headers });
    let partial: PartialSet | undefined;
    // Leaving the loop cancels the response.
    for await (const step of progressOf(response)) {
      if (step.type !== "partial") continue;
      partial = step;
      break;
    }
    if (!partial) throw new Error("no partial results were stored");
    const { resultId, count } = partial;
    const rowsNow = async () =>
      (await auditOf(world.users.officer, 6)).map(({ action, outcome, detail }) => ({
        action,
        outcome,
        detail: JSON.parse(detail ?? "{}"),
      }));
    await expect
      .poll(async () => (await rowsNow()).at(-1), { timeout: 10_000 })
      .toMatchObject({ action: "search.finished", outcome: "failed", detail: { state: "cancelled" } });
    const last = (await rowsNow()).map(({ action }) => action);
    expect(last.slice(last.lastIndexOf("search"))).toEqual(["search", "search.partial", "search.finished"]);
    const ended = (await auditOf(world.users.officer)).at(-1)?.object ?? "";
    expect((await bindings.RESULTS.list({ prefix: `results/${ended}/` })).objects).toEqual([]);

    const answer = await officer.fetch(`/results/${resultId}/summary`);
    const summary: ResultSummary = await answer.json();
    expect(summary).toMatchObject({ id: resultId, count, placesAt: 0, truncated: false });
    expect(summary).not.toHaveProperty("userId");
    expect(summary.statuses.find(({ program }) => program === "Axon")?.state).toMatch(/^(asking|slow)$/);
    expect((await columnsOf(officer, resultId)).count).toBe(count);
  });

  it("may have a range that ends in the future", async () => {
    const now = Date.now();
    const range = { start_time: isoTime(now - HOUR), end_time: isoTime(now + 30 * DAY) };
    const { rows } = await search(officer, searchBody([world.ours.id], { ...range, plate: "axs0000" }));
    expect(rows.map(({ plate }) => plate)).toEqual(["AXS0000"]);
  });

  it("skips a program that cannot apply a filter, and names the filter", async () => {
    const body = searchBody(world.agencies, { filters: { top_rack: true } });
    const { resultId } = await search(officer, body);
    const unsupported = (await statusesOf(resultId)).filter(({ state }) => state === "unsupported");
    expect(unsupported.length).toBeGreaterThan(0);
    for (const { message } of unsupported) expect(message).toMatch(/top rack/);
  });
});

describe("one program that fails", () => {
  const at = (kind: Fault["kind"], more: Partial<Fault> = {}) =>
    ({ program: "rekor", agencyId: "manchester-pd", kind, ...more }) as Fault;
  const faults: [string, Fault][] = [
    ["500", at("status", { code: 500 })],
    ["401", at("status", { code: 401 })],
    ["429 that asks for an hour", at("status", { code: 429, retryAfter: 3600 })],
    ["a login page", at("html")],
    ["half an answer", at("truncated")],
    ["another shape", at("wrongType")],
    ["an answer too deep", at("deep")],
    ["an answer too large", at("huge")],
    ["a connection that breaks", at("reset")],
    ["a redirect", at("redirect", { url: "/api/elsewhere" })],
    ["an answer that is too late", at("delay", { ms: 20_000 })],
    ["a byte a second", at("trickle")],
  ];

  it.each(faults)("is shown as failed and does not affect the others: %s", async (_, fault) => {
    await vendors.setFaults(fault);
    const { rows, resultId } = await search(officer, searchBody(world.agencies));
    const statuses = await statusesOf(resultId);
    const failed = statuses.find(({ sourceId }) => sourceId === world.manchester.id);
    expect(failed).toMatchObject({ state: "failed", message: expect.stringMatching(/^\S.*\.$/) });
    expect(failed?.message).not.toMatch(/https?:|api_key|127\.0\.0\.1/);
    const others = statuses.filter(({ sourceId }) => sourceId !== world.manchester.id);
    expect(others.map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
    expect(rows.length).toBe(statuses.reduce((sum, { reads }) => sum + reads, 0));
    expect(rows.length).toBeGreaterThan(0);
  });

  it("is never shown as having no results, even if it is the only one searched", async () => {
    await vendors.setFaults({ program: "axon", kind: "status", code: 503 });
    const response = await officer.post("/search-data", searchBody([world.axon.id]));
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ msg: "Search failed.", code: "unavailable" });
    expect(response.headers.get("odin-sources")).toBe("Axon=failed");
    const resultId = response.headers.get("odin-result-id");
    const page = await (await officer.fetch(`/results?id=${resultId}`)).text();
    expect(page).toMatch(/failed/i);
    expect(await auditOf(world.users.officer)).toMatchObject([
      { action: "search.finished", object: resultId },
    ]);
    const others = await search(officer, searchBody(world.agencies, { plate: "nosuch99" }));
    expect(others.rows, "the other agencies found nothing").toEqual([]);
  });

  it("succeeds with one retry after a temporary failure", async () => {
    await vendors.setFaults(at("status", { code: 502, times: 1 }));
    const { sources } = await search(officer, searchBody([world.manchester.id]));
    expect(sources).toBe("Rekor=ok");
  });

  it("is skipped after failing several times in a row, while the others are still searched", async () => {
    await vendors.setFaults(at("status", { code: 401 }));
    for (let i = 0; i < 5; i++) await officer.post("/search-data", searchBody([world.manchester.id]));
    await vendors.setFaults();
    await vendors.clearCalls();
    const { resultId } = await search(officer, searchBody(world.agencies));
    const statuses = await statusesOf(resultId);
    expect(statuses.find(({ sourceId }) => sourceId === world.manchester.id)?.message).toMatch(/^Not asked/);
    const calls = await vendors.calls();
    expect(calls["rekor/manchester-pd"]).toBeUndefined();
    expect(calls["rekor/hartford-pd"]).toBeGreaterThan(0);
  });
});

describe("a Rekor key that was added twice", () => {
  it("is asked once by a search, whether both or one of them are selected", async () => {
    const twin = { ...world.hartford, id: unique("rekor"), agency: unique("Hartford again") };
    await setUpPart({ rekorKeys: [twin] });
    const asked = async (...ids: string[]) => {
      await vendors.clearCalls();
      const { rows, sources } = await search(officer, searchBody(ids));
      const { "rekor/hartford-pd": calls = 0 } = await vendors.calls();
      return { calls, rows: rows.map(({ id }) => id), sources };
    };
    try {
      const one = await asked(world.hartford.id);
      expect(one).toMatchObject({ calls: expect.toSatisfy((calls) => calls > 0), sources: "Rekor=ok" });
      expect(one.rows.length).toBeGreaterThan(0);
      expect(await asked(twin.id)).toEqual(one);
      expect(await asked(world.hartford.id, twin.id)).toEqual({ ...one, sources: "Rekor=ok,Rekor=ok" });
      // Another key that ends in the same characters.
      const end =
        "UPDATE rekor_keys SET key_last4 = (SELECT key_last4 FROM rekor_keys WHERE id = ?) WHERE id = ?";
      await bindings.DB.prepare(end).bind(world.hartford.id, world.manchester.id).run();
      const { sources, calls } = await asked(world.hartford.id, twin.id, world.manchester.id);
      expect([sources, calls]).toEqual(["Rekor=ok,Rekor=ok,Rekor=ok", one.calls]);
      expect((await vendors.calls())["rekor/manchester-pd"]).toBeGreaterThan(0);
    } finally {
      await bindings.DB.prepare("DELETE FROM rekor_keys WHERE id = ?").bind(twin.id).run();
    }
  });
});

describe("the archive of Axis reads that keeps failing for one agency", () => {
  it("is still searched for other agencies", async () => {
    const app = testApp();
    const tooLate: Provider["search"] = () => {
      throw new ProviderFailure("timeout", "The archive did not answer in time.");
    };
    Object.assign(app.providers, { Axis: { ...app.providers.Axis, search: tooLate } });
    const request = SearchRequest.parse(searchBody([world.ours.id]));
    const hooks = { signal: new AbortController().signal, onProgress: () => {} };
    for (let i = 0; i < 5; i++) await searchReads(app, await actorOf(officer), { request, ...hooks });
    const paused = await officer.post("/search-data", searchBody([world.ours.id]));
    expect(paused.status).toBe(503);
    const stranger = await client(world.users.stranger);
    expect((await search(stranger, searchBody([world.theirs.id]))).sources).toBe("Axis=ok");
  });
});

describe("a confirmed search for a prohibited purpose", () => {
  const confirmed = {
    justification: "Immigration status check",
    confirmation: "I confirm that this search is lawful",
    supervisor: "Lt. Dana Reyes",
  };

  it("creates a finding with an audit row, only once, even after the day is reviewed", async () => {
    const { resultId } = await search(officer, searchBody(world.agencies, confirmed));
    const [row] = await auditOf(world.users.officer, 2);
    expect(row).toMatchObject({ action: "search", outcome: "ok", object: resultId });
    expect(JSON.parse(row?.detail ?? "").query).toMatchObject(confirmed);
    const findings = async () => {
      const statement = bindings.DB.prepare(
        `SELECT finding.kind, finding.searches, finding.agency_id, evidence.seq, evidence.reason
        FROM review_findings finding JOIN review_evidence evidence ON evidence.finding_id = finding.id
        WHERE finding.user_id = ? AND finding.kind = 'prohibited'`,
      );
      return (await statement.bind(world.users.officer.id).all()).results;
    };
    const found = await findings();
    expect(found).toEqual([
      {
        kind: "prohibited",
        searches: 1,
        agency_id: world.users.officer.agencyId,
        seq: row?.seq,
        reason: expect.stringMatching(/immigration enforcement.*named as supervisor: Lt\. Dana Reyes\.$/),
      },
    ]);
    const tomorrow = testApp(() => Date.now() + 2 * DAY);
    while ((await reviewSearches(tomorrow)) > 0);
    expect(await findings()).toEqual(found);
  });

  it("is not run if the finding cannot be written", async () => {
    await bindings.DB.prepare(
      "CREATE TRIGGER no_findings BEFORE INSERT ON review_findings BEGIN SELECT RAISE(ABORT, 'full'); END",
    ).run();
    try {
      const before = await auditOf(world.users.officer);
      const response = await officer.post("/search-data", searchBody(world.agencies, confirmed));
      expect(response.status).toBe(503);
      expect(await auditOf(world.users.officer)).toEqual(before);
      expect(await vendors.calls()).toEqual({});
      expectLogged(/audit row could not be written/);
    } finally {
      await bindings.DB.prepare("DROP TRIGGER no_findings").run();
    }
  });
});

describe("a search that is refused", () => {
  const now = Date.now();
  const range = (start: number, end: number) => ({ start_time: isoTime(start), end_time: isoTime(end) });
  type Refusal = [what: string, over: Record<string, unknown>, status: number, message: RegExp];
  const byPolicy: Refusal[] = [
    ["an unknown agency", { agencies: ["rekor-unknown"] }, 403, /cannot search one of the selected/],
    ["a reversed range", range(now, now - HOUR), 400, /after its start/],
    ["an empty range", range(now - HOUR, now - HOUR), 400, /after its start/],
    ["a range in the future", range(now + 2 * DAY, now + 3 * DAY), 400, /future/],
    ["a range beyond the policy", range(now - 91 * DAY, now), 400, /at most 90 days/],
  ];
  const required = /^Justification and date range are required\.$/;
  const bySchema: Refusal[] = [
    ["a blank justification", { justification: "   " }, 400, required],
    ["an invisible justification", { justification: "\u200b\u2060\u3164\u00ad" }, 400, required],
    ["no justification", { justification: undefined }, 400, required],
    ["no start", { start_time: "" }, 400, required],
    ["no end", { end_time: undefined }, 400, required],
    ["a time that is not a time", { start_time: "yesterday" }, 400, /ISO/],
    ["control characters in the plate", { plate: "AB\u0000C" }, 400, /^.*plate.*control character/i],
    ["an injection as plate", { plate: "' OR 1=1 --" }, 400, /letters, digits/],
    ["a plate too long", { plate: "A".repeat(21) }, 400, /at most 20 characters/],
    ["no agency", { agencies: [] }, 400, /at least one agency/],
    [
      "too many agencies",
      { agencies: Array.from({ length: 5001 }, (_, i) => `a${i}`) },
      400,
      /at most 5,000/,
    ],
    ["an unknown color", { vehicle_color: "Octarine" }, 400, /Unknown color/],
    ["an unknown state", { plate_state: "ZZ" }, 400, /Unknown state/],
    ["a filter that is not a boolean", { filters: { top_rack: "yes" } }, 400, /./],
    ["an unknown purpose", { purpose: "curiosity" }, 400, /^Unknown purpose\.$/],
    ["an endless justification", { justification: "x".repeat(2001) }, 400, /2,000/],
  ];

  const refused = async (init: RequestInit) => {
    const response = await officer.fetch("/search-data", { method: "POST", ...init });
    const answer = (await response.json()) as Record<string, string>;
    expect(answer.message).toBe(answer.msg);
    expect(JSON.stringify(answer)).not.toMatch(/\bat \w+ \(|\.js:|zod/i);
    expect(await vendors.calls()).toEqual({});
    expect(response.headers.get("odin-result-id")).toBeNull();
    return { status: response.status, message: answer.message ?? "" };
  };

  it.each([...byPolicy, ...bySchema])(
    "gets a reason and reaches no vendor: %s",
    async (_, over, status, words) => {
      const told = await refused(jsonInit(searchBody(world.agencies, over)));
      expect(told).toEqual({ status, message: expect.stringMatching(words) });
    },
  );

  it.each(bySchema)("is audited before it reaches the domain: %s", async (_, over, __, words) => {
    await refused(jsonInit(searchBody(world.agencies, over)));
    const [row] = await auditOf(world.users.officer);
    expect(row).toMatchObject({ action: "access", outcome: "refused", object: "/search-data" });
    expect(JSON.parse(row?.detail ?? "{}").reason).toMatch(words);
  });

  it.each(byPolicy)("is audited: %s", async (_, over, __, words) => {
    await refused(jsonInit(searchBody(world.agencies, { plate: "ref123", ...over })));
    const [row] = await auditOf(world.users.officer);
    expect(row).toMatchObject({
      action: "search",
      outcome: "refused",
      plate: "REF123",
      case_number: "26-1044",
      object: "",
    });
    expect((JSON.parse(row?.detail ?? "") as { reason: string }).reason).toMatch(words);
  });

  it("for an unconfirmed prohibited purpose names the field, with and without progress, and is audited", async () => {
    const justification = "Immigration status check";
    for (const accept of ["application/json", "application/x-ndjson"]) {
      const { headers, body } = jsonInit(searchBody(world.agencies, { justification, plate: "ref123" }));
      const init = { method: "POST", body, headers: { ...headers, accept } };
      const response = await officer.fetch("/search-data", init);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({
        code: "confirmation_required",
        field: "confirmation",
        phrase: "I confirm that this search is lawful",
        problems: { confirmation: expect.any(String), supervisor: expect.any(String) },
        message: expect.stringMatching(
          /^“Immigration” reads like immigration enforcement\. Confirm this search/,
        ),
      });
      const [row] = await auditOf(world.users.officer);
      expect(row).toMatchObject({ action: "search", outcome: "refused", plate: "REF123" });
    }
    const own = { justification, confirmation: "I confirm that this search is lawful" };
    const self = searchBody(world.agencies, { ...own, supervisor: world.users.officer.username });
    const response = await officer.fetch("/search-data", { method: "POST", ...jsonInit(self) });
    expect(await response.json()).toMatchObject({ code: "confirmation_required", field: "supervisor" });
    expect(await vendors.calls()).toEqual({});
  });

  it("gets the same status for any source of another tenant, alone or among the agency's own", async () => {
    const foreign = [
      world.theirs.id,
      world.axisCameras[1]?.id,
      world.rekorKeys[2]?.id,
      world.rekorKeys[2]?.agency,
    ];
    for (const agency of [...foreign, world.axonIntegrations[1]?.id, world.axonIntegrations[1]?.baseUrl]) {
      for (const agencies of [[agency], [...world.agencies, agency]]) {
        const told = await refused(jsonInit(searchBody(agencies as string[])));
        expect([agency, told.status]).toEqual([agency, 403]);
      }
    }
  });

  it("gets 415 for a wrong content type, 400 for an invalid body and 413 for a large one", async () => {
    const body = JSON.stringify(searchBody(world.agencies));
    const as = (type: string, text: string) => ({ headers: { "content-type": type }, body: text });
    expect((await refused(as("text/plain", body))).status).toBe(415);
    expect((await refused(as("application/x-www-form-urlencoded", body))).status).toBe(415);
    expect(await refused(as("application/json", body.slice(1)))).toMatchObject({ status: 400 });
    expect((await refused(as("application/json", "null"))).status).toBe(400);
    expect((await refused(as("application/json", `${body}${" ".repeat(300_000)}`))).status).toBe(413);
    expect((await refused(as("application/json", "[".repeat(100_000)))).status).toBe(400);
  });

  it("is refused according to the agency's own policy", async () => {
    const { DB } = bindings;
    await DB.prepare("UPDATE agencies SET search_limit_days = 1 WHERE id = ?").bind(world.ours.id).run();
    const told = await refused(jsonInit(searchBody(world.agencies)));
    await DB.prepare("UPDATE agencies SET search_limit_days = 90 WHERE id = ?").bind(world.ours.id).run();
    expect(told).toEqual({ status: 400, message: "Your agency searches at most 1 day at once." });
  });
});

describe("the audit row of a search", () => {
  it("has the user, the query, the sources, the reason and the outcome", async () => {
    const body = searchBody(world.agencies, {
      plate: "ab*",
      vehicle_color: "Blue",
      purpose: "stolen-vehicle",
    });
    const { resultId, rows } = await search(officer, body);
    const [asked, finished] = await auditOf(world.users.officer, 2);
    expect(asked).toMatchObject({
      action: "search",
      outcome: "ok",
      object: resultId,
      user_id: world.users.officer.id,
      agency_id: world.ours.id,
      plate: "AB*",
      case_number: "26-1044",
      programs_queried: "Rekor,Axon,Axis",
    });
    expect(JSON.parse(asked?.detail ?? "")).toMatchObject({
      query: {
        justification: "Stolen vehicle, case 26-1044",
        vehicle_color: "Blue",
        purpose: "stolen-vehicle",
      },
      agencies: world.agencies,
    });
    expect(finished).toMatchObject({ action: "search.finished", outcome: "ok", object: resultId });
    expect(JSON.parse(finished?.detail ?? "")).toMatchObject({ reads: rows.length });
  });

  it("is written with the result set's row: without it, no source is searched", async () => {
    const { DB } = bindings;
    const count = async () =>
      (await DB.prepare("SELECT count(*) AS n FROM result_sets").first("n")) as number;
    const before = await count();
    await DB.exec(
      "CREATE TRIGGER no_audit BEFORE INSERT ON audit_log WHEN NEW.action = 'search' BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    expectLogged(/audit row could not be written/);
    const response = await officer.post("/search-data", searchBody(world.agencies));
    await DB.exec("DROP TRIGGER no_audit");
    expect(response.status).toBe(503);
    expect(((await response.json()) as { msg: string }).msg).toMatch(/^Odin cannot write to its audit log/);
    expect(await vendors.calls()).toEqual({});
    expect(await count()).toBe(before);
  });

  it("says that a search failed whose integrations' state could not be read", async () => {
    const { DB } = bindings;
    await DB.exec("ALTER TABLE integration_health RENAME COLUMN open_until TO open_until_away");
    expectLogged(/no such column: \S*open_until/);
    const response = await officer.post("/search-data", searchBody(world.agencies));
    await DB.exec("ALTER TABLE integration_health RENAME COLUMN open_until_away TO open_until");
    expect(response.status).toBe(500);
    expect(await vendors.calls()).toEqual({});
    const [asked, finished] = await auditOf(world.users.officer, 2);
    expect(asked).toMatchObject({ action: "search", outcome: "ok" });
    expect(finished).toMatchObject({ action: "search.finished", outcome: "failed", object: asked?.object });
    expect(JSON.parse(finished?.detail ?? "")).toMatchObject({ state: "failed", reads: 0 });
  });

  it("cannot be changed or removed", async () => {
    await search(officer, searchBody([world.ours.id]));
    const { DB } = bindings;
    await expect(DB.exec("UPDATE audit_log SET outcome = 'ok'")).rejects.toThrow("append-only");
    await expect(DB.exec("DELETE FROM audit_log")).rejects.toThrow("append-only");
  });
});

describe("secrets", () => {
  it("are in no response and no log, and are encrypted in the database", async () => {
    await vendors.setFaults({ program: "rekor", agencyId: "manchester-pd", kind: "status", code: 500 });
    const { rows, resultId } = await search(officer, searchBody(world.agencies));
    const columns = await officer.fetch(`/results/${resultId}/columns`);
    const answers = [
      JSON.stringify(rows),
      new TextDecoder("latin1").decode(await columns.arrayBuffer()),
      await (await officer.fetch(`/results?id=${resultId}`)).text(),
      await (await officer.fetch("/search")).text(),
      await (await officer.fetch("/api-keys-data")).text(),
      await (await officer.fetch("/axon-authorized-integrations")).text(),
      rawLog(),
    ];
    const agencies = ["hartford-pd", "manchester-pd", "east-hartford-pd"];
    const [hartford, manchester, east] = await Promise.all(agencies.map((id) => vendors.secretsOf(id)));
    const ofVendors = [hartford?.[0], manchester?.[0], east?.[1], east?.[2], east?.[3]] as string[];
    const own = [bindings.PASSWORD_PEPPER, bindings.SEALING_KEYS.slice(2), world.camera.secret];
    const token = await bindings.DB.prepare("SELECT sealed_token FROM axon_tokens").first<string>(
      "sealed_token",
    );
    expect(token).toMatch(/^v1\./);
    for (const secret of [...ofVendors, ...own, token as string]) {
      expect(secret.length).toBeGreaterThan(16);
      for (const answer of answers) expect(answer).not.toContain(secret);
    }
    // The Axon call returns each agency's URL, as documented; nothing else names a vendor's host.
    for (const answer of answers.slice(0, 2)) expect(answer).not.toContain(vendors.url.slice(7));

    const dump = await dumpDatabases();
    for (const secret of [hartford?.[0], manchester?.[0], east?.[2], ...own])
      expect(dump).not.toContain(secret);
    const stored = await bindings.RESULTS.list();
    for (const { key } of stored.objects) {
      const text = new TextDecoder("latin1").decode(await (await bindings.RESULTS.get(key))?.arrayBuffer());
      for (const secret of [...ofVendors, ...own]) expect(text).not.toContain(secret);
    }
  });
});
