import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
  waitOnExecutionContext,
} from "cloudflare:test";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { purgeResultSet, sweepResultSets } from "#app/domain/search/purge.ts";
import { searchReads } from "#app/domain/search/run.ts";
import { locatorsFile, locatorsText } from "#app/entities/search/image-locators.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { findLocators, putResultFiles } from "#app/store/search/result-sets.ts";
import worker from "../../../workers/app.ts";
import {
  actorOf,
  bindings,
  type Client,
  client,
  newWorld,
  ORIGIN,
  pushRead,
  type Row,
  search,
  searchBody,
  testApp,
  unique,
  vendors,
  type World,
} from "../../factories.ts";
import { expectLogged } from "../../support/quiet-console.ts";

let world: World;
let officer: Client;
let stranger: Client;
let colleague: Client;

beforeAll(async () => {
  world = await newWorld();
  officer = await client(world.users.officer);
  stranger = await client(world.users.stranger);
  colleague = await client(world.users.colleague);
  await pushRead(world.camera, { plate: "AXS1234", at: Date.now() - MINUTE });
});

beforeEach(async () => {
  await vendors.setFaults();
  await bindings.DB.prepare("DELETE FROM integration_health").run();
});

afterEach(() => void vi.useRealTimers());

type Program = Row["source_program"];
const PROXIES: Record<Program, Record<"v" | "p", string>> = {
  Rekor: { v: "/proxy-rekor-image?image_uuid=", p: "/rekor/cropped-plate?image_uuid=" },
  Axon: { v: "/proxy-axon-image?url=", p: "/proxy-axon-plate-image?url=" },
  Axis: { v: "/proxy-axis-image?path=", p: "/proxy-axis-image?path=" },
};
const PROGRAMS = Object.keys(PROXIES) as Program[];
const every = PROGRAMS.flatMap((program) => (["v", "p"] as const).map((kind) => ({ program, kind })));

/** Returns the URL of an image of a program's first row that has one. */
function imageOf(rows: Row[], program: Program, kind: "v" | "p"): string {
  for (const row of rows) {
    if (row.source_program !== program) continue;
    const reference = [row.image_path, row.image_uuid, row.plate_image_url].find((one) =>
      one?.endsWith(`.${kind}`),
    );
    if (reference) return PROXIES[program][kind] + encodeURIComponent(reference);
  }
  throw new Error(`no ${program} row has an image`);
}

const JPEG = [0xff, 0xd8, 0xff];
const startOf = async (response: Response) => [...new Uint8Array(await response.arrayBuffer()).slice(0, 3)];

describe("images of reads", () => {
  let rows: Row[];
  let resultId: string;
  beforeAll(async () => {
    ({ rows, resultId } = await search(officer, searchBody(world.agencies)));
  });

  it.each(every)(
    "are served through Odin's proxies, typed by their content: $program $kind",
    async ({ program, kind }) => {
      const response = await officer.fetch(imageOf(rows, program, kind));
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("image/jpeg");
      expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      expect(response.headers.get("cache-control")).toMatch(/^private, max-age=3\d\d\d, immutable$/);
      expect(await startOf(response)).toEqual(JPEG);
    },
  );

  it("are served as base64 text if the documented call asks for it", async () => {
    const response = await officer.fetch(`${imageOf(rows, "Rekor", "p")}&as_base64=true`);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(atob(await response.text()).slice(0, 3)).toBe(String.fromCharCode(...JPEG));
  });

  it.each(every)(
    "are available only to the user who searched, through the right program's proxy: $program $kind",
    async (one) => {
      const address = imageOf(rows, one.program, one.kind);
      await vendors.clearCalls();
      for (const who of [stranger, colleague]) expect((await who.fetch(address)).status).toBe(404);
      const reference = address.split("=")[1] ?? "";
      for (const program of PROGRAMS) {
        if (program === one.program) continue;
        for (const proxy of Object.values(PROXIES[program]))
          expect((await officer.fetch(proxy + reference)).status).toBe(404);
      }
      expect(await vendors.calls()).toEqual({});
    },
  );

  it("can be requested only with a reference that Odin issued", async () => {
    await vendors.clearCalls();
    const forged: [string, number][] = [
      ["", 400],
      ["https://example.com/cat.jpg", 400],
      ["http://169.254.169.254/latest/meta-data", 400],
      [`${vendors.url}/img/1/x?api_key=1`, 400],
      ["../../results/x/columns", 400],
      [`results/${resultId}/locators`, 400],
      [`${resultId}.0.x`, 400],
      [`${resultId}.-1.v`, 400],
      [`${resultId}.0.v\u0000`, 400],
      [`${resultId}.0.v/../../1.v`, 400],
      [`${resultId}.9999999.v`, 404],
      [`${resultId}.${rows.length}.v`, 404],
      ["AAAAAAAAAAAAAAAAAAAAAA.0.v", 404],
    ];
    for (const [reference, status] of forged) {
      for (const { v, p } of Object.values(PROXIES)) {
        for (const proxy of [v, p]) {
          const response = await officer.fetch(proxy + encodeURIComponent(reference));
          expect([proxy, reference, response.status]).toEqual([proxy, reference, status]);
          expect(response.headers.get("content-type")).toMatch(/^application\/json/);
        }
      }
    }
    expect(await vendors.calls()).toEqual({});
  });

  it("are refused if they are not images, too large, truncated or missing", async () => {
    for (const [kind, status] of [
      ["imageHtml", 503],
      ["imageSvg", 503],
      ["imageHuge", 503],
      ["imageTruncated", 503],
      ["imageMissing", 404],
    ] as const) {
      for (const program of ["Rekor", "Axon"] as const) {
        await vendors.setFaults({ program: program.toLowerCase() as "rekor" | "axon", kind });
        const response = await officer.fetch(imageOf(rows, program, "v"));
        expect([program, kind, response.status]).toEqual([program, kind, status]);
        expect(response.headers.get("content-type")).toMatch(/^application\/json/);
        expect(await response.text()).not.toMatch(/<script|<svg|api_key|127\.0\.0\.1/);
      }
    }
  });

  it("are refused once the user's agency may no longer search the camera's agency", async () => {
    const { DB } = bindings;
    const address = imageOf(rows, "Axon", "v");
    await DB.prepare("INSERT INTO axon_blacklist (integration_id, agency_id, created_at) VALUES (?, ?, 0)")
      .bind(world.axon.id, world.ours.id)
      .run();
    expect((await officer.fetch(address)).status).toBe(404);
    await DB.prepare("DELETE FROM axon_blacklist WHERE integration_id = ?").bind(world.axon.id).run();
    expect((await officer.fetch(address)).status).toBe(200);
  });
});

describe("the image locators of a result set", () => {
  // Sizes at which all is in the first range read, at which the texts are not, and at which the offsets are not.
  it.each([1, 600, 20_000])("are found for each of %d rows", async (count) => {
    const rowOf = (row: number) => ({
      sourceId: `source-${row}`,
      vehicle: `${"long/".repeat(20)}${row}`,
      plate: null,
    });
    const file = locatorsFile(
      Uint32Array.from({ length: count }, (_, row) => row),
      (row) => new TextEncoder().encode(locatorsText(rowOf(row))),
    );
    const id = `locators-of-${count}`;
    const none = () => new Uint8Array();
    await putResultFiles(bindings.RESULTS, {
      id,
      count,
      columns: none,
      firstRows: none,
      locators: () => file,
    });
    for (const row of [0, Math.floor(count / 2), count - 1])
      expect(await findLocators(bindings.RESULTS, { id, count, row })).toEqual(rowOf(row));
    expect(await findLocators(bindings.RESULTS, { id, count, row: count })).toBeNull();
  });
});

describe("the columns of a result set", () => {
  /** Returns the columns as the Worker sends them, before they are decompressed. */
  async function columns(id: string, accepted: string | null) {
    const lifetime = createExecutionContext();
    const headers = { ...officer.headers, ...(accepted === null ? {} : { "accept-encoding": accepted }) };
    const request = new Request(new URL(`/results/${id}/columns`, ORIGIN), { headers });
    const answer = await worker.fetch(request as never, bindings as never, lifetime);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    await waitOnExecutionContext(lifetime);
    return { encoding: answer.headers.get("content-encoding"), vary: answer.headers.get("vary"), bytes };
  }
  const unpacked = async (bytes: Uint8Array<ArrayBuffer>) => {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };

  it("are compressed once for clients that accept gzip, and sent uncompressed to others", async () => {
    const { resultId } = await search(officer, searchBody(world.agencies));
    const raw = await columns(resultId, null);
    // A cached response is valid only for its session: the next session fetches it again.
    expect([raw.encoding, raw.vary]).toEqual([null, "accept-encoding, cookie, authorization"]);
    expect(new TextDecoder().decode(raw.bytes.slice(0, 4))).toBe("ODIN");
    const packed = await columns(resultId, "br, gzip;q=0.8");
    expect([packed.encoding, packed.vary]).toEqual(["gzip", "accept-encoding, cookie, authorization"]);
    expect(packed.bytes.length).toBeLessThan(raw.bytes.length);
    expect(await unpacked(packed.bytes)).toEqual(raw.bytes);
    for (const accepted of ["identity", "gzip;q=0", "br"])
      expect((await columns(resultId, accepted)).encoding, accepted).toBeNull();
    expect((await columns(resultId, "*")).encoding).toBe("gzip");
  });
});

describe("a result set", () => {
  const filesOf = async (id: string) =>
    (await bindings.RESULTS.list({ prefix: `results/${id}/` })).objects.map(({ key }) => key);

  /** Delivers messages to the Worker's queue handler, as Queues does. */
  async function deliver(queue: string, ...bodies: unknown[]) {
    const messages = bodies.map((body, i) => ({
      id: `message-${i}`,
      timestamp: new Date(),
      attempts: 1,
      body,
    }));
    const batch = createMessageBatch(queue, messages);
    const lifetime = createExecutionContext();
    await worker.queue(batch as never, bindings, lifetime);
    return getQueueResult(batch, lifetime);
  }

  async function runCron(): Promise<void> {
    const lifetime = createExecutionContext();
    await worker.scheduled(createScheduledController({ cron: "*/5 * * * *" }), bindings, lifetime);
    await waitOnExecutionContext(lifetime);
  }

  const statuses = (who: Client, id: string, image: string) =>
    Promise.all(
      [`/results/${id}/columns`, `/results?id=${id}`, image].map(
        async (path) => (await who.fetch(path)).status,
      ),
    );

  /** Advances the clock. Returns a new session of the user. */
  async function later(milliseconds: number): Promise<Client> {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });
    return client(world.users.officer);
  }

  it("opens repeatedly for the user who searched, and for no one else", async () => {
    const { resultId, rows } = await search(officer, searchBody(world.agencies));
    const image = imageOf(rows, "Rekor", "v");
    for (let i = 0; i < 2; i++) expect(await statuses(officer, resultId, image)).toEqual([200, 200, 200]);
    for (const who of [stranger, colleague])
      expect(await statuses(who, resultId, image)).toEqual([404, 404, 404]);
    for (const id of ["", "x", "' OR 1=1", "../secret"])
      expect((await officer.fetch(`/results?id=${encodeURIComponent(id)}`)).status).toBe(404);
  });

  it("expires after an hour, even before the purge", async () => {
    const { resultId, rows } = await search(officer, searchBody(world.agencies));
    const image = imageOf(rows, "Rekor", "v");
    const again = await later(HOUR + MINUTE);
    expect(await filesOf(resultId)).toHaveLength(3);
    expect(await statuses(again, resultId, image)).toEqual([410, 410, 410]);
    const other = await client(world.users.stranger);
    expect(await statuses(other, resultId, image)).toEqual([404, 404, 404]);
  });

  it("is purged by its job, which does nothing if it runs early or twice", async () => {
    const { resultId } = await search(officer, searchBody(world.agencies));
    const job = { v: 1, type: "purge-result-set", id: resultId };
    expect((await deliver("odin-jobs", job)).explicitAcks).toEqual(["message-0"]);
    expect(await filesOf(resultId)).toHaveLength(3);
    await later(HOUR + MINUTE);
    for (let i = 0; i < 2; i++) {
      expect((await deliver("odin-jobs", job)).explicitAcks).toEqual(["message-0"]);
      expect(await filesOf(resultId)).toEqual([]);
    }
    const row = await bindings.DB.prepare("SELECT * FROM result_sets WHERE id = ?").bind(resultId).first();
    expect(row).toMatchObject({ state: "purged", request: "{}", statuses: "[]", count: 0 });
  });

  /** Inserts sets that expired long before all others. Returns their ids. */
  async function insertExpired(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => unique("expired"));
    await bindings.DB.prepare(
      `INSERT INTO result_sets (id, user_id, agency_id, state, request, statuses, created_at, expires_at)
      SELECT value, ?, ?, 'ready', '{}', '[]', 0, key FROM json_each(?)`,
    )
      .bind(world.users.officer.id, world.ours.id, JSON.stringify(ids))
      .run();
    return ids;
  }
  const stateOf = (id: string) =>
    bindings.DB.prepare("SELECT state FROM result_sets WHERE id = ?").bind(id).first("state");

  it("is purged by the sweep together with hundreds of others, with no more files per call than R2 deletes", async () => {
    const ids = await insertExpired(300);
    const last = ids.at(-1) ?? "";
    await bindings.RESULTS.put(`results/${last}/columns`, "x");
    const app = testApp();
    const results = Object.create(app.results, {
      delete: {
        value: async (keys: string[]) => {
          if (keys.length > 1000) throw new Error("delete: The number of keys exceeds the limit of 1000");
          await app.results.delete(keys);
        },
      },
    }) as R2Bucket;
    expect(await sweepResultSets({ ...app, results })).toBeGreaterThanOrEqual(300);
    expect(await stateOf(last)).toBeNull();
    expect(await filesOf(last)).toEqual([]);
  });

  it("is purged by its job although more sets than a sweep lists expired before it", async () => {
    const ids = await insertExpired(1001);
    const own = ids.at(-1) ?? "";
    await purgeResultSet(testApp(), own);
    expect(await stateOf(own)).toBe("purged");
    expect(await stateOf(ids[0] ?? "")).toBe("ready");
    await bindings.DB.prepare("DELETE FROM result_sets WHERE id IN (SELECT value FROM json_each(?))")
      .bind(JSON.stringify(ids))
      .run();
  });

  it("with a lifetime beyond the longest delay of a queue is purged by its job, which is sent again", async () => {
    const { resultId } = await search(officer, searchBody(world.agencies));
    const expiresAt = Date.now() + 20 * HOUR;
    await bindings.DB.prepare("UPDATE result_sets SET expires_at = ? WHERE id = ?")
      .bind(expiresAt, resultId)
      .run();
    const delays: unknown[] = [];
    const jobs = {
      send: async (_job: unknown, options: QueueSendOptions) => delays.push(options.delaySeconds),
    };
    const runAt = (at: number) =>
      purgeResultSet(
        { ...testApp(() => at), jobs: jobs as unknown as ReturnType<typeof testApp>["jobs"] },
        resultId,
      );
    await runAt(expiresAt - 20 * HOUR);
    await runAt(expiresAt - 8 * HOUR);
    expect(await filesOf(resultId)).toHaveLength(3);
    await runAt(expiresAt);
    expect(delays).toEqual([12, 8].map((hours) => (hours * HOUR) / SECOND));
    expect(await filesOf(resultId)).toEqual([]);
  });

  it("is opened by its user although its lifetime passed while the search still ran", async () => {
    const app = testApp(() => Date.now());
    // The sweep runs between the search's first write and its end, 90 minutes after the search began.
    const results = Object.create(app.results, {
      put: {
        value: async (...file: Parameters<R2Bucket["put"]>) => {
          if (!vi.isFakeTimers()) {
            vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 90 * MINUTE });
            await sweepResultSets(app);
          }
          return app.results.put(...file);
        },
      },
    }) as R2Bucket;
    const { resultId } = await searchReads({ ...app, results }, await actorOf(officer), {
      request: SearchRequest.parse(searchBody(world.agencies)),
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    const again = await client(world.users.officer);
    const screen = await again.fetch(`/results?id=${resultId}`);
    expect(screen.status).toBe(200);
    const row = await bindings.DB.prepare("SELECT * FROM result_sets WHERE id = ?").bind(resultId).first();
    expect(row).toMatchObject({ state: "ready", request: expect.stringContaining("start_time") });
  });

  it("is purged by the sweep if its search was killed, an hour after its lifetime", async () => {
    const { resultId } = await search(officer, searchBody(world.agencies));
    await bindings.DB.prepare("UPDATE result_sets SET state = 'running' WHERE id = ?").bind(resultId).run();
    const stateAfter = async (milliseconds: number) => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });
      await sweepResultSets(testApp());
      return bindings.DB.prepare("SELECT state FROM result_sets WHERE id = ?").bind(resultId).first("state");
    };
    expect(await stateAfter(HOUR + MINUTE)).toBe("running");
    expect(await stateAfter(HOUR)).toBe("purged");
    expect(await filesOf(resultId)).toEqual([]);
  });

  it("is stored and announced even if the queue refuses the job that purges it", async () => {
    expectLogged(/^the purge of a result set was not planned/);
    const app = testApp();
    const jobs = { send: () => Promise.reject(new Error("the queue is full")) } as unknown as typeof app.jobs;
    const { resultId } = await searchReads({ ...app, jobs }, await actorOf(officer), {
      request: SearchRequest.parse(searchBody(world.agencies)),
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    expect((await officer.fetch(`/results/${resultId}/columns`)).status).toBe(200);
    await later(HOUR + MINUTE);
    await sweepResultSets(testApp());
    expect(await filesOf(resultId)).toEqual([]);
  });

  it("is purged by the sweep if its job was lost, and its row is deleted a week later", async () => {
    const { resultId } = await search(officer, searchBody(world.agencies));
    const kept = await search(officer, searchBody(world.agencies));
    await bindings.DB.prepare("UPDATE result_sets SET expires_at = expires_at + ? WHERE id = ?")
      .bind(20 * DAY, kept.resultId)
      .run();
    const again = await later(HOUR + MINUTE);
    await runCron();
    expect(await filesOf(resultId)).toEqual([]);
    expect(await filesOf(kept.resultId)).toHaveLength(3);
    expect((await again.fetch(`/results/${resultId}/columns`)).status).toBe(410);
    const nextWeek = await later(8 * DAY);
    await runCron();
    expect((await nextWeek.fetch(`/results/${resultId}/columns`)).status).toBe(404);
    expect((await nextWeek.fetch(`/results/${kept.resultId}/columns`)).status).toBe(200);
  });

  it("is purged by a sweep that also deletes sessions that ended long ago", async () => {
    const count = async () =>
      (await bindings.DB.prepare("SELECT count(*) AS n FROM sessions").first("n")) as number;
    expect(await count()).toBeGreaterThan(0);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60 * DAY });
    await runCron();
    expect(await count()).toBe(0);
    officer = await client(world.users.officer);
    stranger = await client(world.users.stranger);
    colleague = await client(world.users.colleague);
  });

  it("is not affected by invalid jobs, which are retried and then stored once each", async () => {
    expectLogged(/^job message-\d failed, attempt 1/);
    const wrong = [{ v: 2, type: "purge-result-set", id: "x" }, { type: "format-disk" }, null];
    const result = await deliver("odin-jobs", ...wrong);
    expect(result.explicitAcks).toEqual([]);
    expect(result.retryMessages.map(({ msgId }) => msgId)).toEqual(["message-0", "message-1", "message-2"]);
    for (let i = 0; i < 2; i++) expect((await deliver("odin-jobs-dead", ...wrong)).ackAll).toBe(true);
    const { results } = await bindings.DB.prepare("SELECT queue, body FROM dead_jobs ORDER BY id").all();
    expect(results.map(({ body }) => JSON.parse(body as string))).toEqual(wrong);
  });

  it("is not affected by a cron expression without a job, which is an error", async () => {
    const lifetime = createExecutionContext();
    const event = createScheduledController({ cron: "0 0 * * *" });
    await expect(worker.scheduled(event, bindings, lifetime)).rejects.toThrow("no job for");
  });
});
