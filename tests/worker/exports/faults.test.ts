import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startExport } from "#app/domain/exports/start.ts";
import { type ExportKind, ExportRequest, type ExportSummary } from "#app/entities/exports/request.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { actorOf, bindings, testApp, vendors } from "../../factories.ts";
import { type ExportWorld, exportWorld } from "../../support/exports.ts";
import { expectLogged } from "../../support/quiet-console.ts";

let { officer, found, idsOf } = {} as ExportWorld;

beforeAll(async () => {
  ({ officer, found, idsOf } = await exportWorld());
});

beforeEach(() => vendors.setFaults());

/** Makes an export of some of a program's reads, with other bindings. */
async function exported(
  kind: ExportKind,
  count: number,
  over: Parameters<typeof testApp>[1],
  { clock = Date.now, program = "Rekor" } = {},
) {
  const records = idsOf(count, program).map((id) => ({ id }));
  const request = { records, justification: "Stolen vehicle", result_id: found.resultId };
  return startExport(testApp(clock, over), await actorOf(officer), {
    kind,
    request: ExportRequest.parse(request),
    signal: new AbortController().signal,
    onProgress: () => {},
  });
}

/** Returns an object whose methods of these names fail the first time, before or after taking effect. */
function failingOnce<T extends object>(real: T, names: readonly string[], hasEffect = false): T {
  const failed = new Set<string>();
  return new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...values: unknown[]) => {
        if (!names.includes(String(name)) || failed.has(String(name))) return value.apply(target, values);
        failed.add(String(name));
        if (hasEffect) await value.apply(target, values);
        throw new Error("We encountered an internal error. Please try again. (10001)");
      };
    },
  });
}

/** Returns the bucket of results with uploads as `change` makes them. */
function resultsWithUploads(change: (upload: R2MultipartUpload, key: string) => R2MultipartUpload): R2Bucket {
  return new Proxy(bindings.RESULTS, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "createMultipartUpload") return value.bind(target);
      return async (key: string) => change(await target.createMultipartUpload(key), key);
    },
  });
}

/** Returns a database in which the first statement that begins like this fails. */
function failingStatement(beginning: RegExp): { DB: D1Database; failed: () => number } {
  let failed = 0;
  const DB = new Proxy(bindings.DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "prepare") return value.bind(target);
      return (sql: string) => {
        if (failed > 0 || !beginning.test(sql)) return target.prepare(sql);
        failed += 1;
        const lost = () => Promise.reject(new Error("D1_ERROR: Network connection lost."));
        return { bind: () => ({ all: lost, first: lost, raw: lost, run: lost }) };
      };
    },
  });
  return { DB, failed: () => failed };
}

const storedHash = async (id: string) => {
  const file = await bindings.RESULTS.get(`exports/${id}/file`);
  return file && sha256(new Uint8Array(await file.arrayBuffer()));
};

describe("an export during which a call fails for a moment", () => {
  it.each([
    ["before", false],
    ["after", true],
  ])("goes on if R2 fails %s taking a part or a whole file", async (_, hasEffect) => {
    const small = await exported("pdf", 1, { RESULTS: failingOnce(bindings.RESULTS, ["put"], hasEffect) });
    expect(await storedHash(small.id)).toBe(small.sha256);

    await vendors.setFaults({ program: "rekor", kind: "imageLarge" });
    const names = hasEffect ? ["uploadPart"] : ["uploadPart", "complete"];
    const RESULTS = resultsWithUploads((upload) => failingOnce(upload, names, hasEffect));
    const large = await exported("zip", 7, { RESULTS });
    expect(large.bytes).toBeGreaterThan(14_000_000);
    expect(await storedHash(large.id)).toBe(large.sha256);
  });

  it.each([
    ["progress", /^update "exports" set "done"/],
    ["upload", /^update "exports" set "upload_id"/],
  ])("goes on if D1 does not record its %s", async (_, statement) => {
    await vendors.setFaults({ program: "rekor", kind: "imageLarge" });
    const { DB, failed } = failingStatement(statement);
    // Each record takes long enough for its progress to be recorded.
    let now = Date.now();
    const made = await exported("zip", 4, { DB }, { clock: () => (now += 2 * SECOND) });
    expect(failed()).toBe(1);
    expect(await storedHash(made.id)).toBe(made.sha256);
  });
});

describe("an export that its user cancels while a part is uploaded", () => {
  it("is canceled, not failed, although the upload is gone before the run hears of it", async () => {
    await vendors.setFaults({ program: "rekor", kind: "imageLarge" });
    const RESULTS = resultsWithUploads((upload, key) => {
      const uploadPart = async () => {
        await officer.fetch(`/exports/${key.split("/")[1]}`, { method: "DELETE" });
        throw new Error("uploadPart: The specified multipart upload does not exist. (10024)");
      };
      return Object.create(upload, {
        uploadId: { value: upload.uploadId },
        uploadPart: { value: uploadPart },
        abort: { value: () => upload.abort() },
      });
    });
    await expect(exported("zip", 7, { RESULTS })).rejects.toMatchObject({
      code: "gone",
      message: "The export was canceled.",
    });
  });
});

describe("an export whose vendor does not answer", () => {
  const down = (times: number) =>
    vendors.setFaults({ program: "axon", kind: "imageStatus", code: 503, times });

  it("for a moment has the pictures that it requests after that", async () => {
    // Each is requested twice, so that about 15 of 80 fail.
    await down(30);
    const { missing } = await exported("zip", 40, {}, { program: "Axon" });
    expect(missing).toBeGreaterThan(0);
    expect(missing).toBeLessThan(30);
  });

  it("at all requests few of its pictures, and has none", async () => {
    await down(10_000);
    await vendors.clearCalls();
    const { missing } = await exported("zip", 60, {}, { program: "Axon" });
    expect(missing).toBe(120);
    expect((await vendors.calls()).axon).toBeLessThan(100);
  });
});

describe("an export whose vendor answers with something other than pictures", () => {
  it("requests all of them, since one says nothing about the next", async () => {
    await vendors.setFaults({ program: "axon", kind: "imageHtml" });
    await vendors.clearCalls();
    const { missing } = await exported("zip", 20, {}, { program: "Axon" });
    expect(missing).toBe(40);
    expect((await vendors.calls()).axon).toBeGreaterThanOrEqual(40);
  });
});

describe("an export that is too large", () => {
  it("says so in the list of exports, where the user of a job reads it", async () => {
    const RESULTS = new Proxy(bindings.RESULTS, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (name !== "put") return value.bind(target);
        return async () => {
          throw new RangeError("the archive is too large");
        };
      },
    });
    const reason = "The export is too large. Please export fewer records.";
    await expect(exported("zip", 1, { RESULTS })).rejects.toMatchObject({
      code: "too_large",
      message: reason,
    });
    expectLogged(/export \S+ is too large/);
    const listed: ExportSummary[] = await (await officer.fetch("/exports")).json();
    const failed = listed.filter(({ state }) => state === "failed").map(({ message }) => message);
    expect(failed).toEqual([`Failed to generate ZIP. ${reason}`]);
  });
});
