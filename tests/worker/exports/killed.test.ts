import { beforeAll, describe, expect, it, vi } from "vitest";
import type { AppContext } from "#app/context.ts";
import { sweepExports } from "#app/domain/exports/files.ts";
import { findExportRecords } from "#app/domain/exports/records.ts";
import { runExportJob } from "#app/domain/exports/run.ts";
import { startExport } from "#app/domain/exports/start.ts";
import { ExportRequest, type ExportSummary, INLINE_RECORDS } from "#app/entities/exports/request.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { DAY, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import {
  claimExport,
  finishExport,
  insertExport,
  noteProgress,
  noteUpload,
  requeueExport,
} from "#app/store/exports/files.ts";
import { putExportInput } from "#app/store/exports/uploads.ts";
import { actorOf, bindings, testApp, vendors } from "../../factories.ts";
import { beforeWrite } from "../../support/batches.ts";
import { type ExportWorld, exportWorld, filesOf } from "../../support/exports.ts";

let { officer, found, idsOf } = {} as ExportWorld;

beforeAll(async () => {
  ({ officer, found, idsOf } = await exportWorld());
});

const app = testApp();
const fileKey = (id: string) => `exports/${id}/file`;
async function stateOf(id: string): Promise<ExportSummary> {
  const response = await officer.fetch(`/exports/${id}`);
  return response.json();
}
const heartbeatOf = (id: string) =>
  bindings.DB.prepare("SELECT heartbeat_at AS at, runs FROM exports WHERE id = ?")
    .bind(id)
    .first<{ at: number; runs: number }>();
const setHeartbeat = (id: string, at: number) =>
  bindings.DB.prepare("UPDATE exports SET heartbeat_at = ? WHERE id = ?").bind(at, id).run();
const requester = { username: "officer", sessionId: "", ip: "", userAgent: "" };

/** Creates an export whose worker was killed: in a job that a run has claimed, or inside the request. */
async function killedExport(kind: "job" | "request"): Promise<string> {
  const id = await newExport(kind);
  if (kind === "job") {
    const exporter = { username: "officer", name: "Jo Officer", agency: "Hartford" };
    await putExportInput(app.results, id, { exporter, queries: [], records: [] });
    await claimExport(app.db, { id, now: Date.now() });
  }
  return id;
}

async function newExport(kind: "job" | "request"): Promise<string> {
  const now = Date.now();
  const { userId, agencyId } = await actorOf(officer);
  const id = crypto.randomUUID().replaceAll("-", "");
  const state = kind === "job" ? "queued" : "running";
  await insertExport(
    app.db,
    {
      id,
      userId,
      agencyId,
      kind: "zip",
      state,
      name: "odin-export-2026-11-20.zip",
      justification: "Stolen vehicle",
      caseNumber: "",
      timeZone: "UTC",
      records: INLINE_RECORDS.zip + 1,
      done: 0,
      missing: 0,
      bytes: 0,
      sha256: "",
      message: "",
      createdAt: now,
      finishedAt: null,
      expiresAt: now + 6 * DAY,
    },
    requester,
  );
  return id;
}

/** Creates an export of some of Rekor's reads whose job has not run yet. */
async function queuedExport(): Promise<string> {
  const id = await newExport("job");
  const records = idsOf(2, "Rekor").map((one) => ({ id: one }));
  const request = { records, justification: "Stolen vehicle", result_id: found.resultId };
  const exporter = { username: "officer", name: "Jo Officer", agency: "Hartford" };
  const made = await findExportRecords(app, await actorOf(officer), ExportRequest.parse(request));
  await putExportInput(app.results, id, { exporter, ...made });
  return id;
}

/** Runs the cron's sweep as if `ms` milliseconds had passed. */
const sweepIn = (ms: number) => sweepExports(testApp(() => Date.now() + ms));

describe("an export whose worker was killed", () => {
  it("resumes within two minutes if it is a job, and the killed run's upload is aborted", async () => {
    const id = await killedExport("job");
    const upload = await bindings.RESULTS.createMultipartUpload(fileKey(id));
    await noteUpload(app.db, { id, run: 1, uploadId: upload.uploadId });
    // A minute between two sweeps, and another for the delivery of the job.
    await sweepIn(60 * SECOND);
    await expect
      .poll(async () => (await stateOf(id)).state, { timeout: 60_000, interval: 100 })
      .toBe("ready");
    expect(await filesOf(id)).toEqual([fileKey(id)]);
    await expect(upload.uploadPart(1, new Uint8Array(10))).rejects.toThrow();
  });

  it("runs after five minutes if the message of its job was lost, and fails after thirty", async () => {
    const [lost, hopeless] = [await queuedExport(), await newExport("job")];
    await setHeartbeat(hopeless, Date.now() - 30 * MINUTE);
    await sweepIn(4 * MINUTE);
    expect(await stateOf(lost)).toMatchObject({ state: "queued" });
    expect(await stateOf(hopeless)).toMatchObject({ state: "failed" });
    await sweepIn(6 * MINUTE);
    await expect
      .poll(async () => (await stateOf(lost)).state, { timeout: 60_000, interval: 100 })
      .toBe("ready");
  });

  it("is queued again with growing pauses while it waits, not each minute", async () => {
    const id = await newExport("job");
    const began = Date.now();
    await setHeartbeat(id, began);
    const asked: number[] = [];
    for (let minute = 1; minute <= 31; minute++) {
      const later = testApp(() => began + minute * MINUTE + SECOND);
      const send = async (job: Job) => {
        if (job.type === "export" && job.id === id) asked.push(minute);
        return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
      };
      await sweepExports({ ...later, exportJobs: { ...later.exportJobs, send } } as AppContext);
    }
    expect(asked).toEqual([5, 11, 23]);
    expect(await stateOf(id)).toMatchObject({ state: "failed" });
  });

  it("fails within two minutes if it ran inside its request, or if every run of its job is killed", async () => {
    const inline = await killedExport("request");
    const deadly = await killedExport("job");
    await bindings.DB.prepare("UPDATE exports SET runs = 3 WHERE id = ?").bind(deadly).run();
    await sweepIn(60 * SECOND);
    for (const id of [inline, deadly]) {
      const { state, message } = await stateOf(id);
      expect([state, message]).toEqual(["failed", "The export was interrupted. Please try again."]);
      expect(await filesOf(id)).toEqual([]);
      const rows = "SELECT * FROM audit_log WHERE action = 'export.finished' AND object = ?";
      const { results } = await bindings.DB.prepare(rows).bind(id).all<{ detail: string }>();
      expect(results).toMatchObject([{ username: "officer", outcome: "failed" }]);
      expect(JSON.parse(results[0]?.detail ?? "")).toMatchObject({
        kind: "zip",
        state: "failed",
        justification: "Stolen vehicle",
      });
    }
  });

  it("is not changed while its run is alive, and a replaced run cannot end it", async () => {
    const id = await killedExport("job");
    await sweepIn(30 * SECOND);
    expect((await stateOf(id)).state).toBe("running");
    const late = { id, run: 0, done: 1, now: Date.now() };
    expect(await noteProgress(app.db, late)).toBe(false);
    expect(await noteProgress(app.db, { ...late, run: 1 })).toBe(true);
    const ended = { state: "failed" as const, done: 0, missing: 0, bytes: 0, sha256: "", message: "" };
    await finishExport(app.db, { id, run: 0, finishedAt: Date.now(), ...ended });
    expect((await stateOf(id)).state).toBe("running");
  });

  it.each(["running", "queued"])("leaves nothing in R2 if it is canceled while it is %s", async (state) => {
    const id = await killedExport("job");
    const upload = await bindings.RESULTS.createMultipartUpload(fileKey(id));
    await noteUpload(app.db, { id, run: 1, uploadId: upload.uploadId });
    const now = Date.now();
    if (state === "queued") await requeueExport(app.db, { id, now, silentSince: now + 1 });
    expect((await officer.fetch(`/exports/${id}`, { method: "DELETE" })).status).toBe(200);
    expect(await stateOf(id)).toMatchObject({ state: "cancelled" });
    expect(await filesOf(id)).toEqual([]);
    await expect(upload.uploadPart(1, new Uint8Array(10))).rejects.toThrow();
  });

  it("keeps its file if its run was alive after all and has just ended", async () => {
    const id = await killedExport("request");
    const began = Date.now();
    await bindings.RESULTS.put(fileKey(id), "the file");
    const ended = { done: 1, missing: 0, bytes: 8, sha256: "", message: "", finishedAt: began };
    const finish = () => finishExport(app.db, { id, run: 0, state: "ready", ...ended });
    await sweepExports(
      beforeWrite(
        testApp(() => began + 60 * SECOND),
        async () => finish(),
      ),
    );
    expect((await stateOf(id)).state).toBe("ready");
    expect(await filesOf(id)).toEqual([fileKey(id)]);
  });

  it("keeps the upload of its next run if the replaced one begins to upload late", async () => {
    const id = await killedExport("job");
    const now = Date.now();
    await requeueExport(app.db, { id, now, silentSince: now + 1 });
    const next = await claimExport(app.db, { id, now });
    expect(await noteUpload(app.db, { id, run: 2, uploadId: "of the next run" })).toBe(true);
    expect(await noteUpload(app.db, { id, run: 1, uploadId: "of the replaced run" })).toBe(false);
    expect(next?.run).toBe(2);
    const row = "SELECT upload_id FROM exports WHERE id = ?";
    expect(await bindings.DB.prepare(row).bind(id).first("upload_id")).toBe("of the next run");
  });

  it.each([
    ["notices it", false],
    // Without progress in time, it has no heartbeat before that.
    ["notices it at the end", true],
  ])("keeps the file of its next run if the replaced one was alive and %s", async (_, isClockStopped) => {
    const began = Date.now();
    const clock = isClockStopped ? () => began : Date.now;
    const id = await queuedExport();
    await vendors.clearCalls();
    await vendors.setFaults({ program: "rekor", kind: "delay", ms: 3000, times: 1 });
    const replaced = runExportJob(testApp(clock), id);
    await expect.poll(async () => (await vendors.calls()).rekor, { timeout: 30_000 }).toBeGreaterThan(0);
    const now = Date.now();
    expect(await requeueExport(app.db, { id, now, silentSince: now + 1 })).toBe(true);
    await runExportJob(app, id);
    const { state, sha256: stored } = await stateOf(id);
    expect(state).toBe("ready");
    await replaced;
    const file = await bindings.RESULTS.get(fileKey(id));
    expect(file && (await sha256(new Uint8Array(await file.arrayBuffer())))).toBe(stored);
    const rows = "SELECT count(*) AS n FROM audit_log WHERE action = 'export.finished' AND object = ?";
    expect(await bindings.DB.prepare(rows).bind(id).first("n")).toBe(1);
    await vendors.setFaults();
  });

  it("has heartbeats even while a single record takes long", async () => {
    await vendors.setFaults({ program: "rekor", kind: "delay", ms: 4000 });
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const stop = new AbortController();
    let id = "";
    const ids = idsOf(1, "Rekor").map((one) => ({ id: one }));
    const body = { records: ids, justification: "Stolen vehicle", result_id: found.resultId };
    const work = startExport(testApp(), await actorOf(officer), {
      kind: "zip",
      request: ExportRequest.parse(body),
      signal: stop.signal,
      onProgress: (progress) => {
        if (progress.type === "started") id = progress.id;
      },
    }).catch(() => {});
    await expect.poll(() => id, { timeout: 30_000 }).not.toBe("");
    await setHeartbeat(id, 1);
    vi.advanceTimersByTime(10 * SECOND);
    await expect.poll(async () => (await heartbeatOf(id))?.at, { timeout: 30_000 }).toBeGreaterThan(1);
    vi.useRealTimers();
    stop.abort();
    await work;
    await vendors.setFaults();
  });
});
