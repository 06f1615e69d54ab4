import { beforeEach, describe, expect, it } from "vitest";
import { purgeOldRecords } from "#app/domain/operations/retention-records.ts";
import { at } from "#app/lib/at.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import { readSegment } from "#app/store/alerts/archived.ts";
import { updateDisposition } from "#app/store/alerts/history.ts";
import { bringBack, findSegment, selectSegmentsOfHistory } from "#app/store/alerts/segments.ts";
import { inOneStep } from "#app/store/database.ts";
import { bindings, testApp, unique } from "../../factories.ts";
import { beforeCall } from "../../support/operations/buckets.ts";
import {
  archiveHits,
  hitGroup,
  hitObjects,
  oldHit,
  onlineHits,
  segmentsOf,
  segmentsWith,
} from "../../support/operations/hit-archive.ts";

let group: { id: string; agencyId: string };

beforeEach(async () => {
  group = await hitGroup();
});

type App = ReturnType<typeof testApp>;
const appAfter = (days: number) => testApp(() => Date.now() + days * DAY);

/** Purges some days from now, and returns how many of the agency's hits went. */
const purgeAfter = async (days: number, app: App = appAfter(days)) =>
  (await purgeOldRecords(app)).get(group.agencyId)?.alerts ?? 0;

/** Creates and archives a hit of each of these ages in days. Returns their ids. */
async function archived(ages: number[], size = 9): Promise<string[]> {
  const ids: string[] = [];
  for (const age of ages) ids.push((await oldHit(group, age, { caseNumber: ` CR-${age}` })).id);
  await archiveHits(group, size);
  expect(await onlineHits(group)).toEqual([]);
  return ids;
}

/** Returns what a segment's object has, and what the database says of its hits. */
async function contents(ids: readonly string[]) {
  const app = testApp();
  const [{ number = 0 } = {}] = await segmentsOf(group);
  const segment = await findSegment(app.db, number);
  const stored = segment ? (await app.alertArchive.open(segment)).hits.map(({ id }) => id) : [];
  const found = await Promise.all(ids.map(async (id) => (await segmentsWith(app, group, id)).length > 0));
  return { stored, found: ids.filter((_, i) => found[i]), segment };
}

async function hold(caseNumber: string): Promise<string> {
  const id = unique("hold");
  await bindings.DB.prepare(
    `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by,
      requested_by_name, requested_at) VALUES (?, ?, ?, '', '[]', 0, 0, 'active', '', '', 0)`,
  )
    .bind(id, group.agencyId, caseNumber)
    .run();
  return id;
}

/** Returns the group's segments as a history finds them. */
const foundSegments = () =>
  selectSegmentsOfHistory(testApp().db, { groupId: group.id, from: null, until: null, towards: "present" });

/** Returns the app, and the segments that its archive has opened. */
function counting(app: App) {
  const opened: string[] = [];
  const open: App["alertArchive"]["open"] = (file) => {
    opened.push(file.objectKey);
    return app.alertArchive.open(file);
  };
  return { app: { ...app, alertArchive: { ...app.alertArchive, open } }, opened };
}

describe("the retention of archived hits", () => {
  it("deletes a segment of which every hit expired, unopened, with its key, index, object and copy", async () => {
    await archived([300, 290, 280, 200, 190, 180], 3);
    const [first, second] = await segmentsOf(group);
    for (const { key = "" } of [first ?? {}, second ?? {}])
      await bindings.BACKUPS.put(`pool/ATTACHMENTS/${key}`, "x");
    expect(await purgeAfter(64.9)).toBe(0);
    const { app, opened } = counting(appAfter(90));
    expect(await purgeAfter(90, app)).toBe(3);
    expect(opened).toEqual([]);
    expect(await segmentsOf(group)).toEqual([second]);
    expect(await hitObjects(group)).toEqual([second?.key]);
    expect(await bindings.BACKUPS.head(`pool/ATTACHMENTS/${first?.key}`)).toBeNull();
    const rows = "SELECT count(*) AS n FROM alert_segment_ids WHERE segment = ?";
    expect(await bindings.DB.prepare(rows).bind(first?.number).first("n")).toBe(0);
  });

  it("takes expired hits out of a segment at their time, also out of the copy in the backups", async () => {
    const ids = await archived([300, 250, 200]);
    const before = await contents(ids);
    expect(before.stored).toEqual(ids);
    expect(await purgeAfter(66)).toBe(1);
    const { stored, found, segment } = await contents(ids);
    expect([stored, found]).toEqual([ids.slice(1), ids.slice(1)]);
    expect(segment).toMatchObject({ hits: 2, maxCreatedAt: before.segment?.maxCreatedAt });
    expect(segment?.minCreatedAt).toBeGreaterThan(before.segment?.minCreatedAt ?? 0);
    expect(segment?.cases.map(([name]) => name)).toEqual(["cr-250", "cr-200"]);
    const copy = await bindings.BACKUPS.head(`pool/ATTACHMENTS/${segment?.objectKey}`);
    expect(copy?.customMetadata?.etag).toBe(
      (await bindings.ATTACHMENTS.head(segment?.objectKey ?? ""))?.etag,
    );
    expect(await purgeAfter(66)).toBe(0);
    const { results } = await bindings.DB.prepare(
      "SELECT detail FROM audit_log WHERE agency_id = ? AND action = 'retention.records'",
    )
      .bind(group.agencyId)
      .all<{ detail: string }>();
    expect(results.map(({ detail }) => JSON.parse(detail))).toEqual([{ alerts: 1 }]);
    // A database that D1's Time Travel restores to a time before the purge has exactly the hits that are kept.
    if (!before.segment) throw new Error("no segment");
    expect((await readSegment(testApp(), before.segment)).map(({ alert }) => alert.id)).toEqual(ids.slice(1));
  });

  it("keeps hits of held cases without opening their segment again, until the hold ends", async () => {
    const ids = await archived([300, 290, 200]);
    const id = await hold("cr-290");
    expect(await purgeAfter(80)).toBe(1);
    expect((await contents(ids)).stored).toEqual(ids.slice(1));
    const { app, opened } = counting(appAfter(80));
    expect(await purgeAfter(80, app)).toBe(0);
    expect(opened).toEqual([]);
    // Also after every other hit has expired.
    expect(await purgeAfter(300)).toBe(1);
    expect((await contents(ids)).stored).toEqual([ids[1]]);
    await bindings.DB.prepare("UPDATE legal_holds SET state = 'released' WHERE id = ?").bind(id).run();
    expect(await purgeAfter(300)).toBe(1);
    expect(await segmentsOf(group)).toEqual([]);
    expect(await hitObjects(group)).toEqual([]);
  });

  it("keeps hits of a case whose hold is approved while an earlier segment is deleted", async () => {
    const ids = await archived([300, 290, 280, 270], 2);
    const ATTACHMENTS = beforeCall(bindings.ATTACHMENTS, "delete", () => hold("cr-270"));
    const app = testApp(() => Date.now() + 100 * DAY, { ATTACHMENTS });
    expect(await purgeAfter(100, app)).toBe(3);
    expect((await contents(ids)).stored).toEqual(ids.slice(3));
  });

  /** Brings a hit back into the database, as its disposition does. */
  async function judge(id: string) {
    const app = testApp();
    const { db, alertArchive } = app;
    const [segment] = await segmentsWith(app, group, id);
    const hit = segment && (await alertArchive.open(segment)).hits.find((one) => one.id === id);
    if (!hit) throw new Error("no such hit");
    const to = { disposition: "correct", note: "", by: "u", byName: "u", at: Date.now() } as const;
    await inOneStep(db, [
      ...bringBack(db, hit, segment.number),
      updateDisposition(db, { id, known: null, to }),
    ]);
  }

  it("counts hits that came back into the database once, and removes them there", async () => {
    const ids = await archived([300, 290, 200]);
    await judge(ids[0] ?? "");
    expect(await purgeAfter(80)).toBe(2);
    expect(await onlineHits(group)).toEqual([]);
    expect((await contents(ids)).found).toEqual([ids[2]]);
    await judge(ids[2] ?? "");
    expect(await purgeAfter(300)).toBe(1);
    expect(await segmentsOf(group)).toEqual([]);
  });

  it("continues where a worker died, and counts every hit", async () => {
    const ids = await archived([300, 290, 200]);
    const app = appAfter(80);
    const rewrite: App["alertArchive"]["rewrite"] = async (...input) => {
      await app.alertArchive.rewrite(...input);
      throw new Error("the worker died");
    };
    await expect(purgeOldRecords({ ...app, alertArchive: { ...app.alertArchive, rewrite } })).rejects.toThrow(
      "not every old record",
    );
    expect((await contents(ids)).stored).toEqual([ids[2]]);
    expect(await purgeAfter(80)).toBe(2);
    expect((await contents(ids)).found).toEqual([ids[2]]);
  });

  it("loses no hit that comes back into the database, or is rewritten by another worker, meanwhile", async () => {
    const ids = await archived([300, 200, 190]);
    const app = appAfter(80);
    const rewrite: App["alertArchive"]["rewrite"] = async (file, hits, etag) => {
      await judge(ids[1] ?? "");
      return app.alertArchive.rewrite(file, hits, etag);
    };
    expect(await purgeAfter(80, { ...app, alertArchive: { ...app.alertArchive, rewrite } })).toBe(0);
    const done = await Promise.all([purgeAfter(80), purgeAfter(80)]);
    expect(done.reduce((sum, went) => sum + went, 0) + (await purgeAfter(80))).toBe(1);
    expect(await onlineHits(group)).toEqual([ids[1]]);
    expect(await contents(ids)).toMatchObject({ stored: ids.slice(1), segment: { hits: 1 } });
  });

  it("fails if a segment must be rewritten and its object is missing, after purging the others; a segment that is deleted whole needs no object", async () => {
    await archived([300, 200, 299, 198], 2);
    const [first, second] = await segmentsOf(group);
    await bindings.ATTACHMENTS.delete(second?.key ?? "");
    expect(first?.hits).toBe(2);
    // After 80 days, all of the first segment has expired; after 166 days, only one hit of the second.
    await bindings.ATTACHMENTS.delete(first?.key ?? "");
    expect(await purgeAfter(80)).toBe(2);
    await expect(purgeOldRecords(appAfter(166))).rejects.toThrow("not every old record");
    expect(await segmentsOf(group)).toHaveLength(1);
    expect(await purgeAfter(200)).toBe(2);
  });

  it("answers as if a segment were gone once its deletion has begun, and finishes what a dead worker left", async () => {
    await archived([300, 290, 200], 2);
    const [first, second] = await segmentsOf(group);
    const [known] = await foundSegments();
    const app = appAfter(90);
    const remove: App["alertArchive"]["remove"] = async (file) => {
      await app.alertArchive.remove(file);
      throw new Error("the worker died");
    };
    const dying = { ...app, alertArchive: { ...app.alertArchive, remove } };
    await expect(purgeOldRecords(dying)).rejects.toThrow("not every old record");
    expect(await hitObjects(group)).toEqual([second?.key]);
    if (!known) throw new Error("no segment");
    // Also for a reader that had listed the segment before.
    for (const segment of [known, ...(await foundSegments())])
      expect((await readSegment(testApp(), segment)).length).toBe(segment.number === first?.number ? 0 : 1);
    // Without its key no copy of the object opens, so that a hold that is approved now comes too late.
    await hold("cr-300");
    expect(await purgeAfter(90)).toBe(2);
    expect((await segmentsOf(group)).map(({ number }) => number)).toEqual([second?.number]);
  });

  it("reaches every segment and every agency, however many segments cannot be read", async () => {
    const others: (typeof group)[] = [];
    for (let i = 0; i < 2; i++) {
      for (let pair = 0; pair < 35; pair++) await archived([300, 200]);
      others.push(group);
      group = await hitGroup();
    }
    for (const one of others)
      for (const { key } of (await segmentsOf(one)).slice(0, 33)) await bindings.ATTACHMENTS.delete(key);
    await archived([300, 200]);
    others.push(group);
    const leftIn = async (one: typeof group) =>
      (await segmentsOf(one)).reduce((sum, { hits }) => sum + hits, 0);
    const ends = [68, 68, 1];
    const isDone = async () =>
      (await Promise.all(others.map(leftIn))).every((left, i) => left === at(ends, i));
    for (let run = 0; run < 40 && !(await isDone()); run++)
      await purgeOldRecords(testApp(() => Date.now() + 90 * DAY + run * 5 * MINUTE)).catch(() => {});
    expect(await Promise.all(others.map(leftIn))).toEqual(ends);
  });
});
