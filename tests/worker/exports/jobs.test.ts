import { unzipSync } from "fflate";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { runExport } from "#app/components/exports/run.ts";
import { sweepExports } from "#app/domain/exports/files.ts";
import { runExportJob } from "#app/domain/exports/run.ts";
import { startExport } from "#app/domain/exports/start.ts";
import { ExportRequest, type ExportSummary, INLINE_RECORDS } from "#app/entities/exports/request.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { purgeResultSets } from "#app/store/search/result-sets.ts";
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
import { bytesOf, type ExportWorld, exportWorld, filesOf, queueExport } from "../../support/exports.ts";

let world: World;
let officer: Client;
let found: Found;
let idsOf: ExportWorld["idsOf"];

beforeAll(async () => {
  ({ world, officer, found, idsOf } = await exportWorld());
});

beforeEach(() => vendors.setFaults());

const bodyOf = (ids: readonly string[]) => ({
  records: ids.map((id) => ({ id })),
  justification: "Stolen vehicle",
  result_id: found.resultId,
});
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const fileKey = (id: string) => `exports/${id}/file`;
async function stateOf(id: string): Promise<ExportSummary> {
  const response = await officer.fetch(`/exports/${id}`);
  return response.json();
}
const uploadOf = async (id: string) => {
  const statement = bindings.DB.prepare("SELECT upload_id AS upload FROM exports WHERE id = ?").bind(id);
  return (await statement.first<{ upload: string | null }>())?.upload ?? null;
};
/** Returns whether R2 still accepts parts of an upload. */
const isOpenUpload = (id: string, upload: string) =>
  bindings.RESULTS.resumeMultipartUpload(fileKey(id), upload)
    .uploadPart(999, new Uint8Array(10))
    .then(
      () => true,
      () => false,
    );
describe("images from vendors", () => {
  it("are fetched at most six at a time across all vendors", async () => {
    await vendors.setFaults(
      { program: "rekor", kind: "delay", ms: 300 },
      { program: "axon", kind: "delay", ms: 300 },
    );
    // Vendors still answer calls that an earlier file of tests has aborted.
    const open = async () => {
      await vendors.clearCalls();
      return (await vendors.calls())["images at once"] ?? 0;
    };
    await expect.poll(open, { timeout: 20_000 }).toBe(0);
    const ids = [...idsOf(10, "Rekor"), ...idsOf(4, "Axon")];
    expect((await officer.post("/export-zip", bodyOf(ids))).status).toBe(200);
    const atOnce = (await vendors.calls())["images at once"];
    expect(atOnce).toBeGreaterThan(2);
    expect(atOnce).toBeLessThanOrEqual(6);
  });

  it("are unchanged in a ZIP, even PNG and WebP; a PDF names images that it cannot contain", async () => {
    const ids = idsOf(1, "Rekor");
    for (const [kind, ending, start] of [
      ["imagePng", "png", "\x89PNG"],
      ["imageWebp", "webp", "RIFF"],
    ] as const) {
      await vendors.setFaults({ program: "rekor", kind });
      const files = unzipSync(await bytesOf(await officer.post("/export-zip", bodyOf(ids))));
      const images = Object.keys(files).filter((name) => name.startsWith("images/"));
      expect(images.map((name) => name.split(".").at(-1))).toEqual([ending, ending]);
      const first = String.fromCharCode(...(files[images[0] ?? ""]?.subarray(0, 4) ?? []));
      expect(first).toBe(start);
      expect((await officer.post("/export-pdf", bodyOf(ids))).status).toBe(200);
      const detail = JSON.parse((await auditOf(world.users.officer)).at(-1)?.detail ?? "{}");
      expect(detail.missing).toBe(kind === "imagePng" ? 0 : 2);
    }
  });
});

describe("an export during which an agency ends its sharing", () => {
  it.each([
    ["while its results are kept", false],
    ["after its results were purged", true],
  ])("fails with the reason, and leaves no file, %s", async (_, isPurged) => {
    const own = await search(officer, searchBody(world.agencies));
    await vendors.setFaults({ program: "axon", kind: "delay", ms: 200 });
    const ids = own.rows
      .flatMap(({ id, source_program }) => (source_program === "Axon" ? [id] : []))
      .slice(0, 12);
    const body = { ...bodyOf(ids), result_id: own.resultId };
    let now = Date.now();
    let done = 0;
    const blacklist = bindings.DB.prepare(
      "INSERT OR IGNORE INTO axon_blacklist (integration_id, agency_id, created_at) SELECT id, ?, 1 FROM axon_integrations WHERE agency_id <> ?",
    ).bind(world.ours.id, world.ours.id);
    const run = startExport(
      testApp(() => now),
      await actorOf(officer),
      {
        kind: "zip",
        request: ExportRequest.parse(body),
        signal: new AbortController().signal,
        async onProgress(progress) {
          if (progress.type !== "record") return;
          done = progress.done;
          if (done !== 1) return;
          if (isPurged) await inOneStep(testApp().db, [purgeResultSets(testApp().db, [own.resultId], now)]);
          await blacklist.run();
          now += MINUTE;
        },
      },
    );
    await expect(run).rejects.toThrow(/ no longer shares? reads with your agency\.$/);
    await bindings.DB.prepare("DELETE FROM axon_blacklist WHERE created_at = 1").run();
    expect(done).toBeLessThan(ids.length);
    const { results } = await bindings.DB.prepare(
      "SELECT id, state, message FROM exports ORDER BY created_at DESC LIMIT 1",
    ).all<{ id: string; state: string; message: string }>();
    const [last] = results;
    expect(last?.state).toBe("failed");
    expect(last?.message).toMatch(/ no longer shares? reads with your agency\.$/);
    expect(await bindings.RESULTS.head(fileKey(last?.id ?? ""))).toBeNull();
  });
});

describe("files larger than one part", () => {
  it("are uploaded part by part, and complete", async () => {
    await vendors.setFaults({ program: "rekor", kind: "imageLarge" });
    const response = await officer.post("/export-zip", bodyOf(idsOf(7, "Rekor")));
    const id = response.headers.get("odin-export-id") ?? "";
    const bytes = await bytesOf(response);
    expect(bytes.length).toBeGreaterThan(14_000_000);
    const object = await bindings.RESULTS.head(fileKey(id));
    expect(object?.size).toBe(bytes.length);
    // R2 marks multipart uploads with the number of parts.
    expect(object?.etag).toMatch(/-3$/);
    expect((await stateOf(id)).sha256).toBe(await sha256(bytes));
    const manifest = JSON.parse(textOf(unzipSync(bytes)["manifest.json"]));
    expect(manifest.files.filter(({ bytes }: { bytes: number }) => bytes > 1_000_000)).toHaveLength(14);
  });

  it("are deleted completely when canceled, including uploaded parts", async () => {
    await vendors.setFaults({ program: "rekor", kind: "imageLarge" });
    const cancelled = new AbortController();
    let id = "";
    let upload: Promise<string | null> = Promise.resolve(null);
    const work = startExport(testApp(), await actorOf(officer), {
      kind: "zip",
      request: ExportRequest.parse(bodyOf(idsOf(14, "Rekor"))),
      signal: cancelled.signal,
      onProgress(progress) {
        if (progress.type === "started") id = progress.id;
        if (progress.type === "record" && progress.done === 6)
          upload = uploadOf(id).finally(() => cancelled.abort());
      },
    });
    await expect(work).rejects.toThrow("The export was canceled.");
    const begun = await upload;
    expect(begun).toBeTruthy();
    expect(await isOpenUpload(id, begun ?? "")).toBe(false);
    expect(await filesOf(id)).toEqual([]);
  });
});

describe("exports above the limit", () => {
  /** A few images of a megabyte, and no images in the other records. */
  const fewLarge = () =>
    vendors.setFaults(
      { program: "rekor", kind: "imageLarge", times: 12 },
      { program: "rekor", kind: "imageMissing" },
      { program: "axon", kind: "imageMissing" },
    );

  it("are queued, built in parts, listed with their hash for their exporter only, and deleted on request", async () => {
    await fewLarge();
    const count = INLINE_RECORDS.zip + 1;
    const id = await queueExport(officer, "zip", bodyOf(idsOf(count)));
    await runExportJob(testApp(), id);
    await expect
      .poll(async () => (await stateOf(id)).state, { timeout: 60_000, interval: 200 })
      .toBe("ready");
    const one = await stateOf(id);
    expect(one.done).toBe(count);
    const bytes = await bytesOf(await officer.fetch(`/exports/${id}/file`));
    expect(bytes.length).toBeGreaterThan(12_000_000);
    expect((await bindings.RESULTS.head(fileKey(id)))?.etag).toMatch(/-\d$/);
    expect(one.sha256).toBe(await sha256(bytes));
    const manifest = JSON.parse(textOf(unzipSync(bytes)["manifest.json"]));
    expect(manifest.missing.length).toBe(one.missing);
    const listed: ExportSummary[] = await (await officer.fetch("/exports")).json();
    expect(listed.find((other) => other.id === id)).toMatchObject({ state: "ready", sha256: one.sha256 });
    const colleague = await client(world.users.colleague);
    expect((await colleague.fetch(`/exports/${id}/file`)).status).toBe(404);
    expect(await (await colleague.fetch("/exports")).json()).toEqual([]);
    await expect.poll(() => filesOf(id), { timeout: 60_000 }).toEqual([fileKey(id)]);
    expect((await officer.fetch(`/exports/${id}`, { method: "DELETE" })).status).toBe(200);
    expect(await filesOf(id)).toEqual([]);
    expect((await officer.fetch(`/exports/${id}/file`)).status).toBe(404);
  });

  it("report progress, and stop and leave nothing behind when they are canceled midway", async () => {
    await vendors.setFaults(
      { program: "rekor", kind: "delay", ms: 150 },
      { program: "axon", kind: "delay", ms: 150 },
    );
    const count = INLINE_RECORDS.zip + 1;
    const id = await queueExport(officer, "zip", bodyOf(idsOf(count)));
    const job = runExportJob(testApp(), id);
    await expect
      .poll(
        async () => {
          const { state, done } = await stateOf(id);
          return state === "running" && done > 0 && done < count;
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe(true);
    expect((await officer.fetch(`/exports/${id}`, { method: "DELETE" })).status).toBe(200);
    await job;
    await expect.poll(() => filesOf(id), { timeout: 60_000, interval: 200 }).toEqual([]);
    expect(await stateOf(id)).toMatchObject({ state: "cancelled", sha256: "" });
  });

  it("are not made if they are canceled before they are queued", async () => {
    const cancelled = new AbortController();
    let id = "";
    const work = startExport(testApp(), await actorOf(officer), {
      kind: "zip",
      request: ExportRequest.parse(bodyOf(idsOf(INLINE_RECORDS.zip + 1))),
      signal: cancelled.signal,
      onProgress(progress) {
        if (progress.type !== "started") return;
        id = progress.id;
        cancelled.abort();
      },
    });
    await expect(work).rejects.toThrow("The export was canceled.");
    expect(await stateOf(id)).toMatchObject({ state: "cancelled", done: 0 });
    expect(await filesOf(id)).toEqual([]);
    const [row] = await auditOf(world.users.officer);
    expect(row).toMatchObject({ action: "export.finished", outcome: "failed", object: id });
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({ state: "cancelled" });
  });
});

describe("exports in progress", () => {
  const exportOne = (who: Client, ids = idsOf(1)) =>
    who.post("/export-zip", { records: ids.map((id) => ({ id })), justification: "Stolen vehicle" });
  const ids: string[] = [];
  const setState = (id: string | undefined, state: string) =>
    bindings.DB.prepare("UPDATE exports SET state = ?, runs = 0 WHERE id = ?").bind(state, id).run();
  const FULL = "You have 5 exports in progress. Wait until one is finished, or cancel one in your profile.";

  it("do not include those that have ended", async () => {
    for (let i = 0; i < 6; i++) {
      const answer = await exportOne(officer);
      expect(answer.status).toBe(200);
      ids.push(answer.headers.get("odin-export-id") ?? "");
      await answer.arrayBuffer();
    }
  });

  it("are at most five per user: the next one is refused and audited", async () => {
    for (const id of ids.slice(0, 2)) await setState(id, "queued");
    for (const id of ids.slice(2, 5)) await setState(id, "running");
    const count = () => bindings.DB.prepare("SELECT count(*) AS n FROM exports").first("n");
    const before = await count();
    const refused = await exportOne(officer);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await refused.json()).toMatchObject({ code: "too_many", message: FULL });
    expect(await count()).toBe(before);
    const [row] = await auditOf(world.users.officer);
    expect([row?.action, row?.outcome]).toEqual(["export", "refused"]);
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({ kind: "zip", records: 1, reason: FULL });
  });

  it("are shown as the reason why the file is not made", async () => {
    vi.stubGlobal("fetch", (path: string, init: RequestInit) => officer.fetch(path, init));
    const body = { ...bodyOf(idsOf(1)), case_number: "" };
    const outcome = await runExport({
      kind: "pdf",
      body,
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    vi.unstubAllGlobals();
    expect(outcome).toEqual({ kind: "failed", message: MESSAGES.exportPdfFailed, reason: FULL });
  });

  it("of one user do not limit another", async () => {
    const colleague = await client(world.users.colleague);
    const { rows } = await search(colleague, searchBody(world.agencies));
    const answer = await exportOne(
      colleague,
      rows.slice(0, 1).map(({ id }) => id),
    );
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  });

  it("make room when they are canceled, or when the sweep finds that their request was killed", async () => {
    expect((await officer.fetch(`/exports/${ids[0]}`, { method: "DELETE" })).status).toBe(200);
    await (await exportOne(officer)).arrayBuffer();
    await setState(ids[0], "queued");
    expect((await exportOne(officer)).status).toBe(429);
    await sweepExports(testApp(() => Date.now() + MINUTE));
    const states = await Promise.all(ids.slice(0, 5).map(async (id) => (await stateOf(id)).state));
    expect(states).toEqual(["queued", "queued", "failed", "failed", "failed"]);
    expect((await exportOne(officer)).status).toBe(200);
  });

  it("are counted when they are written: of two at once, only one gets the last place", async () => {
    for (const id of ids.slice(2, 4)) await setState(id, "queued");
    await vendors.setFaults(
      { program: "rekor", kind: "delay", ms: 1500 },
      { program: "axon", kind: "delay", ms: 1500 },
    );
    const answers = await Promise.all([exportOne(officer), exportOne(officer)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429]);
    for (const answer of answers) await answer.arrayBuffer();
    for (const id of ids.slice(0, 4)) await setState(id, "cancelled");
  });
});
