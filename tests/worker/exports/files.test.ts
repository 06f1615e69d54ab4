import { unzipSync } from "fflate";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { removeOwnExport, sweepExports } from "#app/domain/exports/files.ts";
import { runExportJob } from "#app/domain/exports/run.ts";
import { startExport } from "#app/domain/exports/start.ts";
import { sweepResultSets } from "#app/domain/search/purge.ts";
import { ExportRequest, type ExportSummary, INLINE_RECORDS } from "#app/entities/exports/request.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";
import { claimExport } from "#app/store/exports/files.ts";
import {
  actorOf,
  auditOf,
  bindings,
  type Client,
  client,
  type Found,
  search,
  searchBody,
  testApp,
  vendors,
  type World,
} from "../../factories.ts";
import { beforeWrite, withBatches } from "../../support/batches.ts";
import { bytesOf, type ExportWorld, exportWorld, filesOf, queueExport } from "../../support/exports.ts";
import { expectLogged } from "../../support/quiet-console.ts";
import { sightingId } from "../../support/search/sighting.ts";

let world: World;
let officer: Client;
let found: Found;
let idsOf: ExportWorld["idsOf"];

beforeAll(async () => {
  ({ world, officer, found, idsOf } = await exportWorld());
});

beforeEach(() => vendors.setFaults());

const JUSTIFICATION = "Stolen vehicle";
const bodyOf = (ids: readonly string[], over: object = {}) => ({
  records: ids.map((id) => ({ id })),
  justification: JUSTIFICATION,
  case_number: "26-9",
  ...over,
});
const detailOf = async () => JSON.parse((await auditOf(world.users.officer)).at(-1)?.detail ?? "{}");
describe("small exports", () => {
  it("return a PDF, which is stored, listed with its hash and audited with its record ids", async () => {
    const ids = idsOf(3);
    const response = await officer.post("/export-pdf", bodyOf(ids));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/pdf");
    expect(response.headers.get("content-disposition")).toMatch(
      /filename="odin-report-\d{4}-\d\d-\d\d\.pdf"/,
    );
    const bytes = await bytesOf(response);
    expect(new TextDecoder().decode(bytes.subarray(0, 8))).toBe("%PDF-1.7");
    const [started, finished] = await auditOf(world.users.officer, 2);
    expect([started?.action, finished?.action]).toEqual(["export", "export.finished"]);
    expect(JSON.parse(started?.detail ?? "")).toMatchObject({
      ids,
      records: 3,
      justification: JUSTIFICATION,
    });
    expect(started?.case_number).toBe("26-9");
    expect(JSON.parse(finished?.detail ?? "")).toMatchObject({
      sha256: await sha256(bytes),
      missing: 0,
      justification: JUSTIFICATION,
    });
    const [listed]: ExportSummary[] = await (await officer.fetch("/exports")).json();
    expect(listed).toMatchObject({ state: "ready", bytes: bytes.length, sha256: await sha256(bytes) });
    const again = await officer.fetch(`/exports/${listed?.id}/file`);
    expect(await sha256(await bytesOf(again))).toBe(listed?.sha256);
  });

  it("are downloaded in parts, so that a download that broke off can continue", async () => {
    const all = await bytesOf(await officer.post("/export-zip", bodyOf(idsOf(1))));
    const [listed]: ExportSummary[] = await (await officer.fetch("/exports")).json();
    const download = (headers: Record<string, string>) =>
      officer.fetch(`/exports/${listed?.id}/file`, { headers });
    const whole = await download({});
    const tag = whole.headers.get("etag") ?? "";
    expect(whole.headers.get("accept-ranges")).toBe("bytes");
    expect(tag).toBe(`"${await sha256(all)}"`);
    const cut = Math.floor(all.length / 3);
    const range = `bytes=${cut}-`;
    const partial: Record<string, string>[] = [{ range }, { range, "if-range": tag }];
    for (const headers of partial) {
      const rest = await download(headers);
      expect(rest.status).toBe(206);
      expect(rest.headers.get("content-range")).toBe(`bytes ${cut}-${all.length - 1}/${all.length}`);
      expect(rest.headers.get("content-length")).toBe(String(all.length - cut));
      expect(await bytesOf(rest)).toEqual(all.subarray(cut));
      expect(await detailOf()).toMatchObject({ part: [cut, all.length - 1] });
    }
    const complete: Record<string, string>[] = [
      { range, "if-range": '"another"' },
      { range: `bytes=${all.length}-` },
      { range: "bytes=0-1,3-4" },
    ];
    for (const headers of complete) {
      const answer = await download(headers);
      expect([answer.status, answer.headers.get("content-range")]).toEqual([200, null]);
      expect(await bytesOf(answer)).toEqual(all);
      expect(await detailOf()).not.toHaveProperty("part");
    }
  });

  it("have the plates that were searched for in their audit row, so that its reason can be redacted", async () => {
    const plate = found.rows.find((row) => row.plate !== "")?.plate ?? "";
    const { rows, resultId } = await search(officer, searchBody(world.agencies, { plate: ` ${plate}` }));
    const body = bodyOf([rows[0]?.id ?? ""], { result_id: resultId });
    expect((await officer.post("/export-zip", body)).status).toBe(200);
    const [row] = await auditOf(world.users.officer, 2);
    expect(row).toMatchObject({ action: "export", plate });
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({ plates: [plate] });
  });

  it("are found by the plate of their reads in the audit log, also if the search was for any plate", async () => {
    const { id, plate } = found.rows.find((row) => row.plate !== "") ?? { id: "", plate: "" };
    const other = found.rows.find((row) => row.plate !== "" && row.plate !== plate)?.id ?? "";
    const rowOf = async (ids: string[]) => {
      await bytesOf(await officer.post("/export-zip", bodyOf(ids, { result_id: found.resultId })));
      return (await auditOf(world.users.officer, 2)).find(({ action }) => action === "export");
    };
    const row = await rowOf([id]);
    expect(row?.plate).toBe(plate);
    expect(JSON.parse(row?.detail ?? "").plates).toEqual([plate]);
    const several = await rowOf([id, other]);
    expect(several?.plate).toBe("");
    expect(JSON.parse(several?.detail ?? "")).not.toHaveProperty("plates");
  });

  it("use only the ids of the records: forged fields and images are ignored, duplicates count once", async () => {
    const [id = ""] = idsOf(1);
    const forged = {
      id,
      plate: "FORGED1",
      camera_name: "=cmd()",
      vehicle_image_data_uri: `data:image/svg+xml;base64,${"A".repeat(400_000)}`,
    };
    const response = await officer.post("/export-zip", {
      ...bodyOf([id]),
      records: [forged, forged, { id }],
    });
    const files = unzipSync(await bytesOf(response));
    const records = JSON.parse(new TextDecoder().decode(files["records.json"]));
    expect(records).toHaveLength(1);
    expect(records[0].plate).toBe(found.rows.find((row) => row.id === id)?.plate);
    expect(Object.keys(files).filter((name) => name.startsWith("images/"))).toHaveLength(2);
  });

  it("report their progress per record on request", async () => {
    const accept = { headers: { accept: "application/x-ndjson" } };
    const text = await (await officer.post("/export-zip", bodyOf(idsOf(2)), accept)).text();
    const types = text.trim().split("\n");
    expect(types.map((line) => JSON.parse(line).type)).toEqual(["started", "record", "record", "done"]);
  });

  it("list the images that a vendor could not return, with the reason", async () => {
    const [id = ""] = idsOf(1, "Rekor");
    for (const [kind, reason] of [
      ["imageHtml", "Rekor gave something that is not an image."],
      ["imageSvg", "Rekor gave something that is not an image."],
      ["imageHuge", "Rekor gave an answer that is too large."],
      ["imageTruncated", "Rekor gave only a part of the image."],
    ] as const) {
      await vendors.setFaults({ program: "rekor", kind });
      const files = unzipSync(await bytesOf(await officer.post("/export-zip", bodyOf([id]))));
      const manifest = JSON.parse(new TextDecoder().decode(files["manifest.json"]));
      expect(manifest.missing.map((one: { reason: string }) => one.reason)).toEqual([reason, reason]);
    }
    expect((await officer.post("/export-pdf", bodyOf([id]))).status).toBe(200);
    expect(await detailOf()).toMatchObject({ missing: 2 });
  });
});

describe("an invalid export request", () => {
  it("for the results of another user gets 404, and the refusal is audited", async () => {
    const stranger = await client(world.users.stranger);
    const colleague = await client(world.users.colleague);
    for (const other of [stranger, colleague]) {
      expect((await other.post("/export-pdf", bodyOf(idsOf(1)))).status).toBe(404);
      const named = bodyOf(idsOf(1), { result_id: found.resultId });
      expect((await other.post("/export-zip", named)).status).toBe(404);
    }
    const [refused] = await auditOf(world.users.stranger);
    expect([refused?.action, refused?.outcome]).toEqual(["export", "refused"]);
  });

  it("gets a message if it has no records, too many records, no justification or an invalid id", async () => {
    const messageOf = async (body: object) => {
      const response = await officer.post("/export-pdf", body);
      expect(response.status).toBe(400);
      const { message }: { message: string } = await response.json();
      return message;
    };
    expect(await messageOf(bodyOf([]))).toBe(MESSAGES.exportNothing);
    expect(await messageOf(bodyOf(idsOf(1), { justification: " \u200b " }))).toBe(
      MESSAGES.justificationRequired,
    );
    expect(await messageOf(bodyOf(Array.from({ length: 10_000 }, (_, n) => sightingId(n))))).toBe(
      "An export has at most 5,000 records.",
    );
    expect(await messageOf(bodyOf(["../../x"]))).toMatch(/id that is not Odin/);
    const unknown = await officer.post("/export-pdf", bodyOf([...idsOf(1), "f".repeat(32)]));
    expect(unknown.status).toBe(404);
  });

  it("for purged results gets 410", async () => {
    const mine = await search(officer, searchBody(world.agencies));
    const ids = mine.rows.slice(0, 1).map(({ id }) => id);
    await bindings.DB.prepare("UPDATE result_sets SET expires_at = ? WHERE id = ?")
      .bind(Date.now() - 1000, mine.resultId)
      .run();
    await sweepResultSets(testApp());
    const response = await officer.post("/export-pdf", bodyOf(ids, { result_id: mine.resultId }));
    expect(response.status).toBe(410);
  });
});

describe("an export that is recorded as ready", () => {
  it.each([1, 9])("keeps its file if the answer of the record is lost, in %i attempts", async (lost) => {
    let id = "";
    let left = lost;
    const app = withBatches(testApp(), async (run, statements) => {
      const answer = await run(statements);
      const state = "SELECT state FROM exports WHERE id = ?";
      const isReady = (await bindings.DB.prepare(state).bind(id).first("state")) === "ready";
      if (!isReady || left === 0) return answer;
      left -= 1;
      throw new Error("D1_ERROR: Network connection lost");
    });
    const one = await startExport(app, await actorOf(officer), {
      kind: "zip",
      request: ExportRequest.parse(bodyOf(idsOf(1), { result_id: found.resultId })),
      signal: new AbortController().signal,
      onProgress: (progress) => {
        if (progress.type === "started") id = progress.id;
      },
    });
    const file = await officer.fetch(`/exports/${id}/file`);
    expect(file.status).toBe(200);
    expect(await sha256(await bytesOf(file))).toBe(one.sha256);
    const rows = "SELECT outcome FROM audit_log WHERE action = 'export.finished' AND object = ?";
    const { results } = await bindings.DB.prepare(rows).bind(id).all();
    expect(results).toEqual([{ outcome: "ok" }]);
  });
});

describe("canceling and deleting an export", () => {
  it("leaves nothing in R2 when the export is canceled midway", async () => {
    const app = testApp();
    const cancelled = new AbortController();
    let id = "";
    const request = ExportRequest.parse(bodyOf(idsOf(6), { result_id: found.resultId }));
    const work = startExport(app, await actorOf(officer), {
      kind: "zip",
      request,
      signal: cancelled.signal,
      onProgress: (progress) => {
        if (progress.type === "started") id = progress.id;
        if (progress.type === "record" && progress.done === 2) cancelled.abort();
      },
    });
    await expect(work).rejects.toThrow("The export was canceled.");
    expect(await filesOf(id)).toEqual([]);
    expect(await detailOf()).toMatchObject({ state: "cancelled", sha256: "" });
  });

  it("leaves nothing in R2 when the exporter is disabled midway", async () => {
    const { id: userId } = world.users.officer;
    const setDisabled = (at: number | null) =>
      bindings.DB.prepare("UPDATE users SET disabled_at = ? WHERE id = ?").bind(at, userId).run();
    let id = "";
    let disabled: Promise<unknown> = Promise.resolve();
    const work = startExport(testApp(), await actorOf(officer), {
      kind: "zip",
      request: ExportRequest.parse(bodyOf(idsOf(6), { result_id: found.resultId })),
      signal: new AbortController().signal,
      onProgress: (progress) => {
        if (progress.type === "started") id = progress.id;
        if (progress.type === "record" && progress.done === 2) disabled = setDisabled(Date.now());
      },
    });
    await expect(work.finally(() => disabled.then(() => setDisabled(null)))).rejects.toThrow(
      "The export was canceled.",
    );
    expect(await filesOf(id)).toEqual([]);
    expect(await detailOf()).toMatchObject({ state: "cancelled", sha256: "" });
  });

  it("deletes the file on request of its exporter only, and after seven days", async () => {
    const response = await officer.post("/export-zip", bodyOf(idsOf(1)));
    const id = response.headers.get("odin-export-id") ?? "";
    await response.body?.cancel();
    const colleague = await client(world.users.colleague);
    for (const init of [{}, { method: "DELETE" }]) {
      expect((await colleague.fetch(`/exports/${id}`, init)).status).toBe(404);
    }
    expect((await colleague.fetch(`/exports/${id}/file`)).status).toBe(404);
    expect(await filesOf(id)).toHaveLength(1);
    expect((await officer.fetch(`/exports/${id}`, { method: "DELETE" })).status).toBe(200);
    expect(await filesOf(id)).toEqual([]);
    expect((await auditOf(world.users.officer)).at(-1)?.action).toBe("export.removed");

    const second = await officer.post("/export-zip", bodyOf(idsOf(1)));
    const later = second.headers.get("odin-export-id") ?? "";
    await second.body?.cancel();
    await sweepExports(testApp(() => Date.now() + 7 * DAY + HOUR));
    expect(await filesOf(later)).toEqual([]);
  });

  it("deletes the file of an export that becomes ready at that moment", async () => {
    const response = await officer.post("/export-zip", bodyOf(idsOf(1)));
    const id = response.headers.get("odin-export-id") ?? "";
    await response.body?.cancel();
    const setState = (state: string) =>
      bindings.DB.prepare("UPDATE exports SET state = ? WHERE id = ?").bind(state, id).run();
    await setState("running");
    const app = beforeWrite(testApp(), () => setState("ready"));
    await removeOwnExport(app, await actorOf(officer), id);
    expect(await filesOf(id)).toEqual([]);
    expect((await officer.fetch(`/exports/${id}`)).status).toBe(404);
    const rows = "SELECT detail FROM audit_log WHERE action = 'export.removed' AND object = ?";
    const { results } = await bindings.DB.prepare(rows).bind(id).all<{ detail: string }>();
    expect(results.map(({ detail }) => JSON.parse(detail).state)).toEqual(["ready"]);
  });

  it("records once that an export was removed, if it is removed twice at the same moment", async () => {
    const response = await officer.post("/export-zip", bodyOf(idsOf(1)));
    const id = response.headers.get("odin-export-id") ?? "";
    await response.body?.cancel();
    const actor = await actorOf(officer);
    const late = beforeWrite(testApp(), () => removeOwnExport(testApp(), actor, id));
    await expect(removeOwnExport(late, actor, id)).rejects.toMatchObject({ code: "not_found" });
    const rows = "SELECT count(*) AS n FROM audit_log WHERE action = 'export.removed' AND object = ?";
    expect(await bindings.DB.prepare(rows).bind(id).first("n")).toBe(1);
  });

  it("deletes the file with the sweep if R2 did not", async () => {
    expectLogged(/wait for the sweep/);
    const response = await officer.post("/export-zip", bodyOf(idsOf(1)));
    const id = response.headers.get("odin-export-id") ?? "";
    await response.body?.cancel();
    const app = testApp();
    const results = Object.create(app.results, {
      delete: { value: () => Promise.reject(new Error("R2 did not answer")) },
    }) as R2Bucket;
    await removeOwnExport({ ...app, results }, await actorOf(officer), id).catch(() => {});
    expect((await officer.fetch(`/exports/${id}`)).status).toBe(404);
    await sweepExports(app);
    expect(await filesOf(id)).toEqual([]);
    const row = "SELECT count(*) AS n FROM exports WHERE id = ?";
    expect(await bindings.DB.prepare(row).bind(id).first("n")).toBe(0);
  });

  it("are deleted even if one of them cannot be", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      const response = await officer.post("/export-zip", bodyOf(idsOf(1)));
      ids.push(response.headers.get("odin-export-id") ?? "");
      await response.body?.cancel();
    }
    const [, stuck = ""] = ids;
    const app = testApp(() => Date.now() + 7 * DAY + HOUR);
    const results = Object.create(app.results, {
      delete: {
        value: async (keys: string[]) => {
          if (keys.some((key) => key.includes(stuck))) throw new Error("R2 did not answer");
          return bindings.RESULTS.delete(keys);
        },
      },
    }) as R2Bucket;
    await expect(sweepExports({ ...app, results })).rejects.toThrow(AggregateError);
    const left = await Promise.all(ids.map(filesOf));
    expect(left.map(({ length }) => length)).toEqual([0, 1, 0]);
    await sweepExports(app);
    expect(await filesOf(stuck)).toEqual([]);
  });

  it("are deleted although more of the others than a sweep takes cannot be", async () => {
    const response = await officer.post("/export-zip", bodyOf(idsOf(1)));
    const id = response.headers.get("odin-export-id") ?? "";
    await response.body?.cancel();
    const columns = `user_id, agency_id, kind, state, name, justification, case_number, time_zone, records, requester,
      heartbeat_at, created_at`;
    // Found first: they have expired first, and their rows are older.
    await bindings.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
      INSERT INTO exports (id, ${columns}, expires_at) SELECT 'stuck' || i, ${columns}, 1 FROM exports, n WHERE id = ?`,
    )
      .bind(id)
      .run();
    let now = Date.now() + 8 * DAY;
    const app = testApp(() => now);
    const results = Object.create(app.results, {
      delete: {
        value: async (keys: string[]) => {
          if (keys.some((key) => key.includes("stuck"))) throw new Error("R2 did not answer");
          return bindings.RESULTS.delete(keys);
        },
      },
    }) as R2Bucket;
    for (let run = 0; run < 3; run++, now += MINUTE) await sweepExports({ ...app, results }).catch(() => {});
    expect(await filesOf(id)).toEqual([]);
    await bindings.DB.prepare("DELETE FROM exports WHERE id GLOB 'stuck*'").run();
  });
});

describe("large exports with progress", () => {
  /** Starts an export that becomes a job, with parts that cannot be reached. Returns its id. */
  async function startUnreachable(parts: Partial<AppContext>): Promise<string> {
    let id = "";
    const work = startExport({ ...testApp(), ...parts }, await actorOf(officer), {
      kind: "zip",
      request: ExportRequest.parse(bodyOf(idsOf(INLINE_RECORDS.zip + 1), { result_id: found.resultId })),
      signal: new AbortController().signal,
      onProgress: (progress) => {
        if (progress.type === "started") id = progress.id;
      },
    });
    await expect(work).rejects.toThrow("not reachable");
    return id;
  }

  it("become a job, which builds the file once", async () => {
    // Without images, which would take most of the time and which other tests cover.
    await vendors.setFaults(
      { program: "rekor", kind: "imageMissing" },
      { program: "axon", kind: "imageMissing" },
    );
    const count = INLINE_RECORDS.zip + 1;
    expect(found.rows.length).toBeGreaterThanOrEqual(count);
    const id = await queueExport(officer, "zip", bodyOf(idsOf(count)));
    const app = testApp();
    const inline = await startExport(app, await actorOf(officer), {
      kind: "zip",
      request: ExportRequest.parse(bodyOf(idsOf(INLINE_RECORDS.zip), { result_id: found.resultId })),
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    expect(inline.state).toBe("ready");
    await runExportJob(app, id).catch(() => {});
    await expect
      .poll(async () => (await officer.fetch(`/exports/${id}`)).json(), { timeout: 60_000, interval: 300 })
      .toMatchObject({ state: "ready" });
    await runExportJob(app, id);
    await expect.poll(() => filesOf(id), { timeout: 60_000 }).toEqual([`exports/${id}/file`]);
    const bytes = await bytesOf(await officer.fetch(`/exports/${id}/file`));
    const records = JSON.parse(new TextDecoder().decode(unzipSync(bytes)["records.json"]));
    expect(records).toHaveLength(count);
  });

  it.each([
    ["input cannot be stored", "results"],
    ["job cannot be queued", "exportJobs"],
  ] as const)("fail at once and leave nothing behind if their %s", async (_, broken) => {
    const app = testApp();
    const refuse = async () => {
      throw new Error("not reachable");
    };
    const faulty = Object.create(app[broken], {
      put: { value: refuse },
      send: { value: refuse },
      delete: { value: (keys: string[]) => bindings.RESULTS.delete(keys) },
    });
    const id = await startUnreachable({ [broken]: faulty });
    expect(await (await officer.fetch(`/exports/${id}`)).json()).toMatchObject({ state: "failed" });
    expect(await filesOf(id)).toEqual([]);
    const [row] = await auditOf(world.users.officer);
    expect(row).toMatchObject({ action: "export.finished", outcome: "failed", object: id });
  });

  it("go on if the job has begun and only the answer of the queue was lost", async () => {
    const app = testApp();
    const exportJobs = Object.create(app.exportJobs, {
      send: {
        value: async ({ id }: { id: string }) => {
          await claimExport(app.db, { id, now: Date.now() });
          throw new Error("not reachable");
        },
      },
    });
    const id = await startUnreachable({ exportJobs });
    expect(await (await officer.fetch(`/exports/${id}`)).json()).toMatchObject({ state: "running" });
    expect(await filesOf(id)).toHaveLength(1);
    expect((await officer.fetch(`/exports/${id}`, { method: "DELETE" })).status).toBe(200);
  });

  it("fail with a message if their input is gone", async () => {
    const id = await queueExport(officer, "zip", bodyOf(idsOf(INLINE_RECORDS.zip + 1)));
    expect((await officer.fetch(`/exports/${id}`, { method: "DELETE" })).status).toBe(200);
    await runExportJob(testApp(), id);
    await expect.poll(() => filesOf(id), { timeout: 60_000 }).toEqual([]);
  });
});

describe("keys and maps", () => {
  it("are returned: the public key to anyone, and a map without secrets", async () => {
    const keys = await (await officer.fetch("/verification-keys")).json();
    expect(keys).toEqual([
      { version: 1, algorithm: "ECDSA-P256-SHA256", pem: expect.stringContaining("BEGIN PUBLIC KEY") },
    ]);
    const map = await officer.post("/generate-map-snapshot", { latitude: 41.76, longitude: -72.67 });
    expect(await map.json()).toMatchObject({
      map_data_uri: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
    });
    const nowhere = await officer.post("/generate-map-snapshot", { latitude: 0, longitude: 0 });
    expect(nowhere.status).toBe(400);
  });
});
