import { beforeAll, describe, expect, it, vi } from "vitest";
import { purgeExpired } from "#app/domain/operations/retention.ts";
import type { LegalHold } from "#app/entities/oversight/legal-hold.ts";
import { at } from "#app/lib/at.ts";
import { DAY, isoTime, MINUTE, SECOND, utcDay } from "#app/lib/time/dates.ts";
import { purgeReadsOf } from "#app/store/archive/purge/reads.ts";
import { axisCameraSecret } from "../../../workers/vendors/credentials.ts";
import {
  anAlert,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  newAgency,
  newUser,
  pushRead,
  setUpPart,
  type TestUser,
  testApp,
  unique,
} from "../../factories.ts";
import { newGroup } from "../../live.ts";
import { destroySpentKeys, heldAlways, newRun, PLAIN_READ } from "../../support/archive.ts";
import { beforeCall } from "../../support/operations/buckets.ts";

const NOW = Date.now();

type Place = { agency: { id: string }; camera: { secret: string }; boss: TestUser; second: TestUser };

/** Creates an agency with one camera that keeps its reads this many days. */
async function place(retentionDays: number): Promise<Place> {
  const agency = await newAgency();
  await bindings.DB.prepare("UPDATE agencies SET retention_days = ? WHERE id = ?")
    .bind(retentionDays, agency.id)
    .run();
  const id = unique("camera");
  const camera = {
    id,
    agencyId: agency.id,
    name: id,
    latitude: 41.76,
    longitude: -72.67,
    secret: await axisCameraSecret("retention", id),
  };
  await setUpPart({ axisCameras: [camera] });
  return {
    agency,
    camera,
    boss: await newUser(agency.id, { role: "admin" }),
    second: await newUser(agency.id, { role: "admin" }),
  };
}

const readsOf = async (agency: { id: string }) => {
  let count = 0;
  for (const database of testApp().readsDatabases)
    count +=
      (await database
        .prepare(
          "SELECT count(*) AS n FROM sealed_reads JOIN read_keys ON read_keys.id = key_id WHERE agency_id = ?",
        )
        .bind(agency.id)
        .first<number>("n")) ?? 0;
  return count;
};

const imagesOf = async (prefix: string) => (await bindings.IMAGES.list({ prefix })).objects.length;
const dayPrefix = (at: number) => `axis/${isoTime(at).slice(0, 10)}/`;
const purgeAt = (at: number) => purgeExpired(testApp(() => at));

/** Stores expired reads of one day, in the order of their plates, each with the name of an image. */
async function storeReads(agencyId: string, count: number, plateOf = (n: number) => `M${n}`): Promise<void> {
  const day = utcDay(NOW) - 10;
  const reads = Array.from({ length: count }, (_, n) => ({
    ...PLAIN_READ,
    agencyId,
    cameraId: "many",
    cameraName: "many",
    carState: "new" as const,
    plate: plateOf(n),
    carId: `${n}`,
    capturedAt: day * DAY + n,
    eventAt: day * DAY + n,
    vehicleImageKey: `${dayPrefix(day * DAY)}many/${n}.jpg`,
  }));
  await testApp().reads.insertReads(reads);
}

/** Returns the bucket of images, before whose every deletion of images of `storeReads` something else happens. */
function beforeDelete(act: () => Promise<unknown>): R2Bucket {
  return new Proxy(bindings.IMAGES, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "delete") return value.bind(target);
      return async (keys: string[]) => {
        if (keys.some((key) => key.includes("/many/"))) await act();
        return value.apply(target, [keys]);
      };
    },
  });
}

/** Returns a database, before whose every batch something else happens. */
function beforeBatch(database: D1Database, act: (statements: string[]) => Promise<unknown>): D1Database {
  const texts = new WeakMap<object, string>();
  return new Proxy(database, {
    get(target, name) {
      if (name === "prepare")
        return (text: string) => {
          const prepared = target.prepare(text);
          texts.set(prepared, text);
          const bind = prepared.bind.bind(prepared);
          prepared.bind = (...values) => {
            const bound = bind(...values);
            texts.set(bound, text);
            return bound;
          };
          return prepared;
        };
      if (name === "batch")
        return async (statements: D1PreparedStatement[]) => {
          await act(statements.map((one) => texts.get(one) ?? ""));
          return target.batch(statements);
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function certificatesOf(agency: { id: string }): Promise<{ reads: number; images: number }[]> {
  const { results } = await bindings.DB.prepare(
    "SELECT detail FROM audit_log WHERE agency_id = ? AND action = 'retention.purge' ORDER BY seq",
  )
    .bind(agency.id)
    .all<{ detail: string }>();
  return results.map(({ detail }) => JSON.parse(detail));
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

describe("retention", () => {
  it("keeps reads through the policy's last day and removes them with images on the next", async () => {
    const { agency, camera } = await place(21);
    const at = NOW - 3 * DAY;
    await pushRead(camera, { plate: unique("K").slice(0, 7), at });
    const before = await imagesOf(dayPrefix(at));
    await purgeAt(at + 20 * DAY);
    expect(await readsOf(agency)).toBe(1);
    await purgeAt(at + 21 * DAY);
    expect(await readsOf(agency)).toBe(1);
    await purgeAt(at + 21 * DAY + 1);
    expect(await readsOf(agency)).toBe(0);
    // Both pictures are one object.
    expect(await imagesOf(dayPrefix(at))).toBe(before - 1);
  });

  it("follows each agency's own policy: the reads of an agency with a longer retention stay", async () => {
    const [short, long] = [await place(7), await place(60)];
    const at = NOW - DAY;
    await pushRead(short.camera, { plate: "SHORT1", at });
    await pushRead(long.camera, { plate: "LONG1", at });
    await purgeAt(at + 8 * DAY);
    expect(await readsOf(short.agency)).toBe(0);
    expect(await readsOf(long.agency)).toBe(1);
  });

  it("writes a certificate of removals to the agency's audit log, and none without removals", async () => {
    const { agency, camera } = await place(5);
    const at = NOW - DAY;
    await pushRead(camera, { plate: "CERT1", at });
    await purgeAt(at + 6 * DAY);
    await purgeAt(at + 6 * DAY + 1000);
    const { results } = await bindings.DB.prepare(
      "SELECT detail FROM audit_log WHERE agency_id = ? AND action = 'retention.purge'",
    )
      .bind(agency.id)
      .all<{ detail: string }>();
    expect(results).toHaveLength(1);
    expect(JSON.parse(results[0]?.detail ?? "")).toMatchObject({ reads: 1, images: 2, held: 0 });
  });

  it("writes a certificate of what was removed before an error", async () => {
    const { agency, camera } = await place(5);
    // At noon: just after midnight, the search for the start of the pass would give the day before a key, too.
    const at = utcDay(NOW - DAY) * DAY + DAY / 2;
    await pushRead(camera, { plate: "HALF1", at });
    const KEYS = new Proxy(bindings.KEYS, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return async (key: string, ...rest: unknown[]) => {
          if (name === "put" && key.endsWith(agency.id)) throw new Error("R2 is down");
          return value.apply(target, [key, ...rest]);
        };
      },
    });
    await expect(purgeExpired(testApp(() => at + 7 * DAY, { KEYS }))).rejects.toThrow(
      "some expired data could not be purged",
    );
    expect(await readsOf(agency)).toBe(0);
    await purgeAt(at + 7 * DAY);
    const { results } = await bindings.DB.prepare(
      "SELECT detail FROM audit_log WHERE agency_id = ? AND action = 'retention.purge' ORDER BY seq",
    )
      .bind(agency.id)
      .all<{ detail: string }>();
    const day = isoTime(at).slice(0, 10);
    expect(results.map(({ detail }) => JSON.parse(detail))).toMatchObject([
      { reads: 1, images: 2, days: [] },
      { reads: 0, images: 0, days: [day] },
    ]);
  });

  it("writes certificates that add up to what was removed, if two runs overlap", async () => {
    const { agency } = await place(5);
    await storeReads(agency.id, 900);
    // Both have read the same rows when the first deletes their images.
    let waiting = 0;
    const both = Promise.withResolvers<void>();
    const IMAGES = beforeDelete(async () => {
      waiting++;
      if (waiting === 2) both.resolve();
      await both.promise;
    });
    await Promise.all([
      purgeExpired(testApp(Date.now, { IMAGES }), { queries: 10_000 }),
      purgeExpired(testApp(Date.now, { IMAGES }), { queries: 10_000 }),
    ]);
    expect(await readsOf(agency)).toBe(0);
    const certificates = await certificatesOf(agency);
    expect(sum(certificates.map(({ reads }) => reads))).toBe(900);
    expect(sum(certificates.map(({ images }) => images))).toBe(900);
  });

  it("has written certificates of most steps if it is killed", async () => {
    const { agency } = await place(5);
    await storeReads(agency.id, 4_401);
    let calls = 0;
    const killed = Promise.withResolvers<void>();
    const IMAGES = beforeDelete(async () => {
      calls++;
      if (calls < 12) return;
      killed.resolve();
      await new Promise(() => {});
    });
    void purgeExpired(testApp(Date.now, { IMAGES }), { queries: 10_000 });
    await killed.promise;
    expect(await readsOf(agency)).toBe(1);
    const certificates = await certificatesOf(agency);
    expect(certificates).toMatchObject([{ reads: 4_000, images: 4_000 }]);
    // Held reads are counted at the end: this certificate must not say that there are none.
    expect(certificates[0]).not.toHaveProperty("held");
    await purgeAt(NOW);
  });

  it("works off many expired reads over several runs, and destroys their key when none is left", async () => {
    const { agency } = await place(5);
    const app = testApp();
    const example = {
      agencyId: agency.id,
      cameraId: "many",
      cameraName: "many",
      ...PLAIN_READ,
      carState: "new" as const,
    };
    const day = utcDay(NOW) - 10;
    const many = Array.from({ length: 900 }, (_, i) => ({
      ...example,
      plate: `M${i}`,
      carId: `${i}`,
      capturedAt: day * DAY + i,
      eventAt: day * DAY + i,
    }));
    await app.reads.insertReads(many);
    const parts = { databases: app.readsDatabases, images: app.images, keys: app.readKeys };
    const order = { agencyId: agency.id, before: NOW - 5 * DAY, held: heldAlways() };
    const left: number[] = [];
    const days: number[][] = [];
    for (let i = 0; i < 3; i++) {
      const run = await newRun(parts, order, 1);
      await purgeReadsOf(parts, order, run);
      days.push((await destroySpentKeys(parts, order, run)).days);
      left.push(await readsOf(agency));
    }
    expect(left).toEqual([500, 100, 0]);
    expect(days).toEqual([[], [], [day]]);
  });

  it("purges agencies in turn: at one per run, each is purged once in as many runs", async () => {
    const places = [await place(5), await place(5)];
    const at = NOW - DAY;
    for (const { camera } of places) await pushRead(camera, { plate: "TURN1", at });
    const count = await bindings.DB.prepare("SELECT count(*) AS n FROM agencies").first<number>("n");
    const seen: string[] = [];
    for (let run = 0; run < (count ?? 0); run++) {
      const app = testApp(() => at + 6 * DAY + run * 5 * MINUTE);
      const certificates = await purgeExpired(app, { queries: 1 });
      expect(certificates.length).toBeLessThanOrEqual(1);
      seen.push(...certificates.map(({ agencyId }) => agencyId));
    }
    for (const { agency } of places) expect(seen.filter((id) => id === agency.id)).toHaveLength(1);
  });

  it("that fails for an agency with an unreadable key ring does not stop the purges of other agencies", async () => {
    const places = [await place(5), await place(5)];
    const nameOf = async ({ agency }: Place) =>
      (await bindings.DB.prepare("SELECT name FROM agencies WHERE id = ?")
        .bind(agency.id)
        .first<string>("name")) ?? "";
    const names = await Promise.all(places.map(nameOf));
    const sorted = at(names, 0) < at(names, 1) ? places : places.toReversed();
    const [first, last] = [at(sorted, 0), at(sorted, 1)];
    const yesterday = NOW - DAY;
    for (const { camera } of [first, last]) await pushRead(camera, { plate: "RING1", at: yesterday });
    const ring = `read-keys/${first.agency.id}`;
    const whole = await (await bindings.KEYS.get(ring))?.text();
    await bindings.KEYS.put(ring, "no ring");
    await expect(purgeAt(yesterday + 6 * DAY)).rejects.toThrow("some expired data could not be purged");
    expect(await readsOf(first.agency)).toBe(1);
    expect(await readsOf(last.agency)).toBe(0);
    await bindings.KEYS.put(ring, whole ?? "");
    await purgeAt(yesterday + 6 * DAY);
    expect(await readsOf(first.agency)).toBe(0);
  });

  it("removes images without reads once their day is over for every agency", async () => {
    const at = NOW - 200 * DAY;
    await bindings.IMAGES.put(`${dayPrefix(at)}camera/stray.jpg`, "x");
    await purgeAt(NOW);
    expect(await imagesOf(dayPrefix(at))).toBe(0);
  });
});

it("images without reads are found on every page of the list of days, and their removal is certified", async () => {
  const days = [201, 202, 203].map((age) => NOW - age * DAY);
  for (const day of days) await bindings.IMAGES.put(`${dayPrefix(day)}camera/stray.jpg`, "x");
  const certified = async () => {
    const { results } = await bindings.DB.prepare(
      "SELECT detail FROM audit_log WHERE agency_id = '' AND action = 'retention.records' ORDER BY seq",
    ).all<{ detail: string }>();
    return results.map(({ detail }) => JSON.parse(detail)).filter((detail) => "stray_read_images" in detail);
  };
  const before = await certified();
  const IMAGES = new Proxy(bindings.IMAGES, {
    get(target, name) {
      if (name === "list") return (options: R2ListOptions) => target.list({ ...options, limit: 1 });
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await purgeExpired(testApp(() => NOW, { IMAGES }));
  for (const day of days) expect(await imagesOf(dayPrefix(day))).toBe(0);
  await purgeExpired(testApp(() => NOW));
  expect((await certified()).slice(before.length)).toEqual([{ stray_read_images: 3 }]);
});

describe("a policy that is raised while a purge runs", () => {
  it("applies to the reads of agencies whose turn comes later", async () => {
    const at = NOW - 3 * DAY;
    const places = [await place(5), await place(5)];
    for (const { camera } of places) await pushRead(camera, { plate: "KEPT1", at });
    const IMAGES = beforeCall(bindings.IMAGES, "delete", async () => {
      await bindings.DB.prepare("UPDATE agencies SET retention_days = 30").run();
    });
    await purgeExpired(
      testApp(() => at + 6 * DAY, { IMAGES }),
      { queries: 10_000 },
    );
    const kept = await Promise.all(places.map(({ agency }) => readsOf(agency)));
    expect(kept.sort()).toEqual([0, 1]);
  });
});

describe("a legal hold", () => {
  let here: Place;
  let boss: Client;
  let second: Client;
  // Not at the beginning of a second.
  const at = Math.floor((NOW - 2 * DAY) / SECOND) * SECOND + 400;
  const wish = (over: object = {}) => ({
    case_number: "26-4711",
    reason: "Homicide, evidence for the trial",
    plates: "held 1, held-2",
    start: isoTime(at - DAY),
    end: isoTime(at + DAY),
    ...over,
  });
  const ask = async (over: object = {}) => {
    const answer = await boss.post("/legal-holds/request", wish(over));
    expect(answer.status).toBe(200);
    const { id }: { id: string } = await answer.json();
    return id;
  };
  const act = (who: Client, id: string, what: string) =>
    who.fetch(`/legal-holds/${id}/${what}`, { method: "POST" });

  beforeAll(async () => {
    here = await place(5);
    [boss, second] = [await client(here.boss), await client(here.second)];
    for (const plate of ["HELD1", "HELD2", "LOOSE1"]) await pushRead(here.camera, { plate, at });
  });

  it("is refused without a case number, a reason, a plate or a valid time", async () => {
    for (const over of [
      { case_number: " " },
      { reason: "short" },
      { plates: " ,; " },
      { plates: "A".repeat(30) },
      { start: "never" },
      { start: isoTime(at + 2 * DAY) },
      { end: isoTime(at + 800 * DAY) },
    ])
      expect((await boss.post("/legal-holds/request", wish(over))).status).toBe(400);
  });

  it("is approved once, by someone other than the requester", async () => {
    const id = await ask();
    expect((await act(boss, id, "approve")).status).toBe(403);
    expect(await auditOf(here.boss)).toMatchObject([{ action: "legal-hold.approve", outcome: "refused" }]);
    // Also if it is sent again because its answer was lost.
    for (const _ of [1, 2]) expect((await act(second, id, "approve")).status).toBe(200);
    expect(await auditOf(here.second)).toMatchObject([
      { action: "legal-hold.approve", case_number: "26-4711" },
    ]);
    expect((await act(second, id, "refuse")).status).toBe(409);
    await act(boss, id, "release");
  });

  it("is not found by another agency", async () => {
    const id = await ask();
    const stranger = await client((await place(5)).boss);
    for (const what of ["approve", "refuse", "release"])
      expect((await act(stranger, id, what)).status).toBe(404);
    expect(await (await stranger.fetch("/legal-holds-data")).json()).toEqual([]);
    await act(boss, id, "release");
  });

  it("once approved, protects only its plates from the purge, until it is released", async () => {
    // An end without a fraction includes its second, because reads are shown without one.
    const id = await ask({ end: `${isoTime(at).slice(0, 19)}Z` });
    expect((await act(second, id, "approve")).status).toBe(200);
    const [certificate] = (await purgeAt(at + 6 * DAY)).filter(({ agencyId }) => agencyId === here.agency.id);
    expect(certificate).toMatchObject({ reads: 1, held: 2 });
    expect(await readsOf(here.agency)).toBe(2);
    const shown: LegalHold[] = await (await boss.fetch("/legal-holds-data")).json();
    expect(shown[0]).toMatchObject({ state: "active", plates: ["HELD1", "HELD2"], is_own: true });
    expect((await act(boss, id, "release")).status).toBe(200);
    await purgeAt(at + 6 * DAY);
    expect(await readsOf(here.agency)).toBe(0);
  });

  it("protects nothing before its approval", async () => {
    await pushRead(here.camera, { plate: "HELD1", at: at + 1000 });
    await ask();
    await purgeAt(at + 6 * DAY);
    expect(await readsOf(here.agency)).toBe(0);
  });

  it("stays listed while it is in force, however many later ones have ended", async () => {
    const { agency, boss: other } = await place(5);
    const insert = bindings.DB.prepare(
      `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by,
        requested_by_name, requested_at)
      WITH RECURSIVE n(i) AS (SELECT ?3 UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
      SELECT ?1 || '-' || i, ?1, '26-1', 'Homicide', '["HELD1"]', 0, 1, ?2, 'u', 'Someone', i FROM n`,
    );
    await insert.bind(agency.id, "active", 1, 1).run();
    await insert.bind(agency.id, "requested", 2, 2).run();
    await insert.bind(agency.id, "released", 3, 600).run();
    const who = await client(other);
    const states = async (query: string) => {
      const holds = await bodyOf<LegalHold[]>(who.fetch(`/legal-holds-data${query}`));
      return holds.map(({ state }) => state);
    };
    const first = await states("");
    expect(first).toHaveLength(500);
    expect(first.slice(0, 3)).toEqual(["requested", "active", "released"]);
    expect(await states("?page=2")).toHaveLength(100);
    expect(await states("?page=3")).toEqual([]);
  });

  /** Returns the state of a hold, and whether its approval was begun. */
  const holdRow = (id: string) =>
    bindings.DB.prepare("SELECT state, decided_by AS decidedBy FROM legal_holds WHERE id = ?")
      .bind(id)
      .first<{ state: string; decidedBy: string | null }>();

  /** Begins an approval, which waits for the purge, and returns once purge steps see it. */
  async function beginApproval(who: Client, id: string): Promise<{ answer: Promise<Response> }> {
    const answer = act(who, id, "approve");
    await vi.waitFor(async () => expect((await holdRow(id))?.decidedBy).not.toBeNull(), { timeout: 5_000 });
    return { answer };
  }

  it("is not active while a purge deletes reads that it covers, and keeps all reads from then on", async () => {
    const { agency, boss: asks, second: decides } = await place(5);
    await storeReads(agency.id, 500, () => "HELD1");
    const day = utcDay(NOW) - 10;
    const body = wish({ plates: "HELD1", start: isoTime(day * DAY), end: isoTime((day + 1) * DAY) });
    const { id }: { id: string } = await (
      await (await client(asks)).post("/legal-holds/request", body)
    ).json();
    const decider = await client(decides);
    let approval: Promise<Response> | undefined;
    const IMAGES = beforeCall(bindings.IMAGES, "delete", async () => {
      approval = (await beginApproval(decider, id)).answer;
    });
    const deletions: (string | undefined)[] = [];
    const app = testApp(() => NOW, { IMAGES });
    const readsDatabases = app.readsDatabases.map((database) =>
      beforeBatch(database, async (sql) => {
        if (sql.some((one) => one.startsWith("DELETE FROM sealed_reads")))
          deletions.push((await holdRow(id))?.state);
      }),
    );
    await purgeExpired({ ...app, readsDatabases }, { queries: 10_000 });
    expect((await approval)?.status).toBe(200);
    expect(deletions[0]).toBe("requested");
    // The first step had read what is held before the approval began.
    expect(await readsOf(agency)).toBe(100);
    expect(await holdRow(id)).toMatchObject({ state: "active" });
    await purgeAt(NOW);
    expect(await readsOf(agency)).toBe(100);
    const noted = bindings.DB.prepare("SELECT count(*) AS n FROM purge_steps WHERE agency_id = ?");
    expect(await noted.bind(agency.id).first("n")).toBe(0);
    await act(decider, id, "release");
    await purgeAt(NOW);
    expect(await readsOf(agency)).toBe(0);
  });

  /** Notes a purge step of a worker that was killed. It ends in one and a half seconds. */
  const beginStepOf = (agencyId: string) =>
    bindings.DB.prepare(
      "INSERT INTO purge_steps (run, agency_id, step, until) VALUES (?1, ?1, 1, unixepoch('subsec') * 1000 + 1500)",
    )
      .bind(agencyId)
      .run();

  it("is approved once the time of a purge step has passed whose worker was killed", async () => {
    const { agency, boss: asks, second: decides } = await place(5);
    const { id }: { id: string } = await (
      await (await client(asks)).post("/legal-holds/request", wish())
    ).json();
    await beginStepOf(agency.id);
    const before = Date.now();
    expect((await act(await client(decides), id, "approve")).status).toBe(200);
    expect(Date.now() - before).toBeGreaterThan(1000);
    expect(await holdRow(id)).toMatchObject({ state: "active" });
  });

  it("that someone else refuses while its approval waits is refused", async () => {
    const { agency, boss: asks, second: decides } = await place(5);
    const third = await newUser(agency.id, { role: "admin" });
    const { id }: { id: string } = await (
      await (await client(asks)).post("/legal-holds/request", wish())
    ).json();
    await beginStepOf(agency.id);
    const { answer } = await beginApproval(await client(decides), id);
    const other = await client(third);
    const shownNow: LegalHold[] = await (await other.fetch("/legal-holds-data")).json();
    expect(shownNow[0]).toMatchObject({ state: "requested", decided_by_name: null, decided_at: null });
    expect((await act(other, id, "refuse")).status).toBe(200);
    expect((await answer).status).toBe(409);
    expect(await holdRow(id)).toEqual({ state: "refused", decidedBy: third.id });
  });

  it("keeps reads if a purge step is delayed beyond its time", async () => {
    const { agency } = await place(5);
    await storeReads(agency.id, 3);
    const app = testApp();
    const parts = { databases: app.readsDatabases, images: app.images, keys: app.readKeys };
    const order = { agencyId: agency.id, before: NOW - 5 * DAY };
    const late = { ...order, held: async () => ({ plates: [], until: Date.now() - SECOND }) };
    const run = await newRun(parts, order);
    await purgeReadsOf(parts, late, run);
    expect([run.purged.reads, await readsOf(agency)]).toEqual([0, 3]);
    await purgeReadsOf(parts, { ...order, held: heldAlways() }, run);
    expect([run.purged.reads, await readsOf(agency)]).toEqual([3, 0]);
  });

  it("that is approved while a purge runs protects the reads of agencies whose turn comes later", async () => {
    const places = [await place(5), await place(5)];
    const approvals: (() => Promise<{ answer: Promise<Response> }>)[] = [];
    for (const { camera, boss: asks, second: decides } of places) {
      await pushRead(camera, { plate: "HELD1", at });
      const answer = await (await client(asks)).post("/legal-holds/request", wish());
      const { id }: { id: string } = await answer.json();
      const decider = await client(decides);
      approvals.push(() => beginApproval(decider, id));
    }
    // The first agency is purged: its pictures are deleted, and both holds are approved at that moment.
    const begun: { answer: Promise<Response> }[] = [];
    const IMAGES = beforeCall(bindings.IMAGES, "delete", async () => {
      for (const approve of approvals) begun.push(await approve());
    });
    await purgeExpired(
      testApp(() => at + 6 * DAY, { IMAGES }),
      { queries: 10_000 },
    );
    for (const { answer } of begun) expect((await answer).status).toBe(200);
    const kept = await Promise.all(places.map(({ agency }) => readsOf(agency)));
    expect(kept.sort()).toEqual([0, 1]);
  });

  it("that is approved while its agency is purged protects what the purge comes to later", async () => {
    const { agency, camera, boss: asks, second: decides } = await place(5);
    await pushRead(camera, { plate: "LOOSE1", at: at - DAY });
    for (const plate of ["HELD1", "LOOSE1"]) await pushRead(camera, { plate, at });
    const key = `alerts/${isoTime(at).slice(0, 10)}/${unique("x")}.jpg`;
    await bindings.IMAGES.put(key, "x");
    const group = { id: (await newGroup(agency.id, [])).id, agencyId: agency.id };
    await anAlert(group, { createdAt: at, caseNumber: "26-4711", vehicleImageKey: key });
    const answer = await (await client(asks)).post("/legal-holds/request", wish());
    const { id }: { id: string } = await answer.json();
    const decider = await client(decides);
    // The first day is purged: its pictures are deleted.
    let begun: { answer: Promise<Response> } | undefined;
    const IMAGES = beforeCall(bindings.IMAGES, "delete", async () => {
      begun = await beginApproval(decider, id);
    });
    const certificates = await purgeExpired(
      testApp(() => at + 6 * DAY, { IMAGES }),
      { queries: 10_000 },
    );
    expect((await begun?.answer)?.status).toBe(200);
    expect(certificates.find(({ agencyId }) => agencyId === agency.id)).toMatchObject({
      reads: 2,
      held: 1,
      alertImages: 0,
    });
    expect(await readsOf(agency)).toBe(1);
    expect(await bindings.IMAGES.head(key)).not.toBeNull();
    await act(decider, id, "release");
    await purgeAt(at + 6 * DAY);
    expect(await readsOf(agency)).toBe(0);
  });

  it.each([
    ["", ["HELD1"]],
    [", also beside another", ["HELD1", "HELD3"]],
  ])(
    "that is approved while reads of a released hold are purged protects what the purge comes to later%s",
    async (_, plates) => {
      const { agency, boss: asks, second: decides } = await place(5);
      await storeReads(agency.id, 600, (n) => (n < 599 ? "HELD1" : "HELD3"));
      const day = utcDay(NOW) - 10;
      const [asker, decider] = [await client(asks), await client(decides)];
      const held = async (plate: string) => {
        const body = wish({ plates: plate, start: isoTime(day * DAY), end: isoTime((day + 1) * DAY) });
        const { id }: { id: string } = await (await asker.post("/legal-holds/request", body)).json();
        return id;
      };
      const ids = await Promise.all(plates.map(held));
      for (const id of ids) expect((await act(decider, id, "approve")).status).toBe(200);
      await purgeAt(NOW);
      const kept = plates.length === 1 ? 599 : 600;
      expect(await readsOf(agency)).toBe(kept);
      const again = await held("HELD1");
      expect((await act(asker, ids[0] ?? "", "release")).status).toBe(200);
      let begun: { answer: Promise<Response> } | undefined;
      const IMAGES = beforeCall(bindings.IMAGES, "delete", async () => {
        begun = await beginApproval(decider, again);
      });
      await purgeExpired(
        testApp(() => NOW, { IMAGES }),
        { queries: 10_000 },
      );
      expect((await begun?.answer)?.status).toBe(200);
      expect(await readsOf(agency)).toBe(kept - 400);
      await purgeAt(NOW);
      expect(await readsOf(agency)).toBe(kept - 400);
      for (const id of [...ids.slice(1), again]) await act(asker, id, "release");
      await purgeAt(NOW);
      expect(await readsOf(agency)).toBe(0);
    },
  );

  it("is not needed to keep keys and stray images while a read database is not bound", async () => {
    const { agency, camera } = await place(5);
    const yesterday = NOW - DAY;
    await pushRead(camera, { plate: "GONE1", at: yesterday });
    const old = NOW - 210 * DAY;
    await bindings.IMAGES.put(`${dayPrefix(old)}camera/stray.jpg`, "x");
    const ring = async () => (await bindings.KEYS.get(`read-keys/${agency.id}`))?.text();
    const before = await ring();
    await bindings.DB.prepare(
      "INSERT INTO read_places (day, part, database, placed_at) VALUES (1, 0, 'READS_9', 0)",
    ).run();
    try {
      const problem: unknown = await purgeAt(yesterday + 7 * DAY).catch((error: unknown) => error);
      expect(String((problem as AggregateError).errors)).toContain("READS_9 not bound: no keys of reads");
      expect(await readsOf(agency)).toBe(0);
      expect(await ring()).toBe(before);
      expect(await imagesOf(dayPrefix(old))).toBe(1);
    } finally {
      await bindings.DB.prepare("DELETE FROM read_places WHERE database = 'READS_9'").run();
    }
    await purgeAt(yesterday + 7 * DAY);
    expect(await ring()).not.toBe(before);
    expect(await imagesOf(dayPrefix(old))).toBe(0);
  });
});
