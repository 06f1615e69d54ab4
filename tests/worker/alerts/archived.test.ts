import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { archiveAgency, archiveAlerts } from "#app/domain/alerts/archiving.ts";
import { decideAlert } from "#app/domain/alerts/hit.ts";
import { rotateSecrets } from "#app/domain/operations/secret-rotation.ts";
import { countMonth } from "#app/domain/oversight/transparency-count.ts";
import {
  type Alert,
  type AlertFilter,
  type AlertKey,
  type AlertPage,
  type AlertTexts,
  parseAlertFilter,
} from "#app/entities/alerts/hit.ts";
import { HITS_ONLINE_DAYS, SEGMENT_HITS } from "#app/entities/alerts/segment.ts";
import { globMatches } from "#app/entities/search/plate.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { listAlerts, listReadsOfGroup } from "#app/store/alerts/archived.ts";
import { findLatest, listCamerasOfGroup, updateDisposition } from "#app/store/alerts/history.ts";
import { bringBack } from "#app/store/alerts/segments.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  actorOf,
  auditOf,
  bindings,
  type Client,
  client,
  newAgency,
  newUser,
  testApp,
  unique,
} from "../../factories.ts";
import { dyingWorker } from "../../support/batches.ts";
import {
  archiveHits,
  hitGroup,
  hitObjects,
  oldHit,
  onlineHits,
  segmentsOf,
  segmentsWith,
  writeHits,
} from "../../support/operations/hit-archive.ts";

type Group = { id: string; agencyId: string };

let agencyId: string;
let admin: Client;
let stranger: Client;

beforeAll(async () => {
  const [own, other] = await Promise.all([newAgency(), newAgency()]);
  agencyId = own.id;
  admin = await client(await newUser(own.id, { hotlistAdmin: true }));
  stranger = await client(await newUser(other.id, { hotlistAdmin: true }));
});

async function read<T>(path: string, who = admin): Promise<T> {
  const response = await who.fetch(path);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const dataOf = (group: Group, query = "") => `/alerts/group/${group.id}/data${query}`;

/** Returns the ids of a group's whole history, newest first. */
const historyOf = async (group: Group) => (await read<AlertPage>(dataOf(group))).alerts.map(({ id }) => id);

/** Fails unless the segments have each of the group's archived hits once. */
async function expectEachOnce(group: Group, ids: string[]): Promise<void> {
  expect((await historyOf(group)).sort()).toEqual([...ids].sort());
}

describe("archiving hits", () => {
  it("moves old hits out of the database; recent, unsent, pictured and recently judged ones stay", async () => {
    const group = await hitGroup(agencyId);
    const old = [];
    for (const age of [300, 200, 150, 121]) old.push((await oldHit(group, age)).id);
    const now = Date.now();
    const stay = [
      await oldHit(group, HITS_ONLINE_DAYS - 1),
      await oldHit(group, 200, { fannedOutAt: null }),
      await oldHit(group, 200, { vehicleImageKey: "axis/2026-01-01/c/x.jpg" }),
      await oldHit(group, 200, { plateImageKey: "alerts/2026-01-01/x.jpg" }),
      await oldHit(group, 200, { vendorImages: { program: "Axon", source: "s", vehicle: "v", plate: null } }),
      await oldHit(group, 200, { amendedAt: now - 5 * DAY }),
      await oldHit(group, 200, { disposition: "correct", dispositionAt: now - 5 * DAY }),
      await oldHit(group, 200, { capturedAt: now - DAY }),
    ].map(({ id }) => id);
    const before = await historyOf(group);
    expect(await archiveHits(group, 3)).toMatchObject({ hits: 4, segments: 2 });
    expect((await onlineHits(group)).sort()).toEqual(stay.sort());
    expect(await historyOf(group)).toEqual(before);
    expect(await archiveHits(group, 3)).toMatchObject({ hits: 0, segments: 0 });
    expect(await hitObjects(group)).toHaveLength(2);
  });

  it("waits for a full segment until the oldest hit is 120 days old", async () => {
    const group = await hitGroup();
    for (const age of [119, 110, 100, 5]) await oldHit(group, age);
    expect(await archiveHits(group, 4)).toMatchObject({ hits: 0 });
    expect(await archiveHits(group, 3)).toMatchObject({ hits: 3, segments: 1 });
    const late = await hitGroup();
    for (const age of [121, 110, 5]) await oldHit(late, age);
    expect(await archiveHits(late, SEGMENT_HITS)).toMatchObject({ hits: 2, segments: 1 });
  });

  it("leaves hits in the database as long as the policy keeps their images", async () => {
    const group = await hitGroup();
    for (const age of [190, 170]) await oldHit(group, age);
    const limits = { segments: 9, groups: 9, ms: 9_000, hits: 1 };
    const archive = (imageDays: number) =>
      archiveAgency(testApp(), { id: group.agencyId, imageDays }, limits);
    expect(await archive(365)).toMatchObject({ hits: 0 });
    expect(await archive(180)).toMatchObject({ hits: 1 });
  });

  it("reaches every agency within an hour of runs", async () => {
    const groups = await Promise.all([hitGroup(), hitGroup(), hitGroup()]);
    for (const group of groups) await oldHit(group, 200);
    for (let run = 0; run < 12; run++) await archiveAlerts(testApp(() => Date.now() + run * 5 * MINUTE));
    for (const group of groups) expect(await onlineHits(group)).toEqual([]);
  });

  it("reaches agencies behind one whose groups take all that a run may ask about", async () => {
    // The same agencies share a run each hour if their number is a multiple of the runs in one.
    const known = await bindings.DB.prepare("SELECT count(*) AS n FROM agencies").first<number>("n");
    const added = 36 - (Number(known) % 12);
    const agencies = await Promise.all(Array.from({ length: added }, () => newAgency()));
    for (const { id } of agencies) {
      const [busy, quiet] = [await hitGroup(id), await hitGroup(id)];
      for (const group of [busy, quiet]) await oldHit(group, HITS_ONLINE_DAYS + 1);
    }
    const last = await Promise.all(agencies.map(({ id }) => hitGroup(id)));
    for (const group of last) await oldHit(group, 200);
    for (let run = 0; run < 12 * 24; run++)
      await archiveAlerts(
        testApp(() => Date.now() + run * 5 * MINUTE),
        { groups: 3 },
      );
    for (const group of last) expect(await onlineHits(group)).toEqual([]);
  });

  it("leaves out a group that fails, and says so", async () => {
    const groups = [await hitGroup(agencyId), await hitGroup(agencyId), await hitGroup(agencyId)];
    for (const group of groups) await oldHit(group, 200);
    const [failing, ...others] = groups.sort((a, b) => a.id.localeCompare(b.id));
    await bindings.DB.prepare(
      `CREATE TRIGGER failing_group BEFORE DELETE ON alerts WHEN OLD.group_id = '${failing?.id}'
       BEGIN SELECT RAISE(ABORT, 'this group fails'); END`,
    ).run();
    try {
      const hourOfRuns = Array.from({ length: 12 }, (_, run) => Date.now() + run * 5 * MINUTE);
      const failures: unknown[] = [];
      for (const at of hourOfRuns)
        await archiveAlerts(testApp(() => at)).catch((error) => failures.push(error));
      for (const group of others) expect(await onlineHits(group)).toEqual([]);
      expect(failures).toMatchObject([{ errors: [expect.any(Error)] }]);
    } finally {
      await bindings.DB.prepare("DROP TRIGGER failing_group").run();
    }
    await archiveHits({ agencyId }, 100);
    for (const group of groups) expect(await onlineHits(group)).toEqual([]);
  });

  it("moves each hit once if two workers archive concurrently", async () => {
    const group = await hitGroup(agencyId);
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push((await oldHit(group, 200 - i)).id);
    await Promise.all([archiveHits(group, 3), archiveHits(group, 3), archiveHits(group, 3)]);
    await archiveHits(group, 3);
    expect(await onlineHits(group)).toEqual([]);
    await expectEachOnce(group, ids);
  });

  it.each([
    ["before the database was written", false],
    ["before it learned that the database was written", true],
  ])("loses no hit if the worker dies %s", async (_, isWritten) => {
    const group = await hitGroup(agencyId);
    const ids = [(await oldHit(group, 200)).id, (await oldHit(group, 199)).id];
    const app = dyingWorker(testApp(), { isWritten });
    const limits = { segments: 9, groups: 9, ms: 9_000, hits: 100 };
    const agency = { id: agencyId, imageDays: 90 };
    const { problems } = await archiveAgency(app, agency, limits);
    expect(problems).toMatchObject([{ message: expect.stringMatching(/the worker died/) }]);
    expect(await onlineHits(group)).toHaveLength(isWritten ? 0 : 2);
    expect(await historyOf(group)).toEqual([...ids].reverse());
    await archiveHits(group, 100);
    expect(await onlineHits(group)).toEqual([]);
    expect(await historyOf(group)).toEqual([...ids].reverse());
    expect(await segmentsOf(group)).toHaveLength(1);
  });

  it.each([
    ["judged", "UPDATE alerts SET disposition = 'correct', disposition_at = unixepoch() * 1000 WHERE id = ?"],
    ["freed of its disposition", "UPDATE alerts SET disposition = NULL, disposition_at = NULL WHERE id = ?"],
    ["deleted", "DELETE FROM alerts WHERE id = ?"],
  ])("moves nothing if a hit is %s meanwhile", async (_, change) => {
    const group = await hitGroup();
    const judged = { disposition: "correct", dispositionAt: Date.now() - 150 * DAY } as const;
    const first = await oldHit(group, 200, judged);
    await oldHit(group, 199);
    const app = testApp();
    const alertArchive: typeof app.alertArchive = {
      ...app.alertArchive,
      open: async (file) => {
        const opened = await app.alertArchive.open(file);
        await bindings.DB.prepare(change).bind(first.id).run();
        return opened;
      },
    };
    const limits = { segments: 9, groups: 9, ms: 9_000, hits: 100 };
    const agency = { id: group.agencyId, imageDays: 90 };
    const before = await onlineHits(group);
    expect(await archiveAgency({ ...app, alertArchive }, agency, limits)).toMatchObject({ hits: 0 });
    expect(await segmentsOf(group)).toEqual([]);
    expect(before).toEqual(expect.arrayContaining(await onlineHits(group)));
  });

  it("moves nothing while a backup reads the database", async () => {
    const group = await hitGroup();
    for (const age of [200, 199]) await oldHit(group, age);
    const id = unique("backup");
    await bindings.DB.prepare(
      "INSERT INTO backup_runs (id, kind, state, phase, started_at) VALUES (?, 'backup', 'running', 'rows', 0)",
    )
      .bind(id)
      .run();
    expect(await archiveAlerts(testApp())).toBe(0);
    expect(await archiveHits(group, 100)).toMatchObject({ hits: 0 });
    expect(await onlineHits(group)).toHaveLength(2);
    await bindings.DB.prepare("DELETE FROM backup_runs WHERE id = ?").bind(id).run();
    expect(await archiveHits(group, 100)).toMatchObject({ hits: 2 });
  });
});

describe("a history with archived hits", () => {
  it("has the same pages, stream, filters, cameras, counts and hits as before", async () => {
    const group = await hitGroup(agencyId);
    const hits = Array.from({ length: 130 }, (_, i) => {
      const createdAt = Date.now() - (20 + i * 2) * DAY;
      return {
        id: unique("hit"),
        plate: i % 3 ? `AB${i}` : `XY${i}Z`,
        listedPlate: i % 5 ? `AB${i}` : "XY*",
        program: (["Axis", "Rekor", "Axon"] as const)[i % 3] ?? "Axis",
        cameraId: `camera-${i % 4}`,
        cameraName: `Camera ${i % 4}${i > 100 ? " (former name)" : ""}`,
        createdAt,
        fannedOutAt: createdAt,
        // Pairs share a time.
        capturedAt: createdAt - (i % 2) * 2 * DAY - 5000,
        disposition: i % 7 ? null : ("misread" as const),
        dispositionAt: i % 7 ? null : createdAt + HOUR,
        dispositionByName: i % 7 ? null : "Ann",
        latitude: i % 2 ? 41_308_000 : 41_763_700,
      };
    });
    await writeHits(group, hits);
    const filters = [
      "",
      "plate=ab1",
      "plate=XY?Z",
      "plate=xy*",
      "program=Rekor",
      "camera=camera-2",
      "camera=nowhere",
      "disposition=misread",
      "disposition=none&program=Axon",
      `from=${isoTime(Date.now() - 200 * DAY)}&until=${isoTime(Date.now() - 120 * DAY)}`,
      `from=${isoTime(Date.now() - 60 * DAY)}`,
    ];
    async function everything() {
      const answers: unknown[] = [];
      for (const filter of filters) {
        const page = (query: string) => read<AlertPage>(dataOf(group, `?limit=13&${filter}${query}`));
        answers.push(await read(dataOf(group, `?${filter}`)));
        let last = await page("");
        for (answers.push(last); last.older; answers.push(last)) last = await page(`&older=${last.older}`);
        for (; last.newer; answers.push(last)) last = await page(`&newer=${last.newer}`);
        answers.push(await read(`/alerts/group/${group.id}/new?latest=${Date.now() - 250 * DAY}&${filter}`));
        answers.push(await read(`/alerts/group/${group.id}/new?latest=0&${filter}`));
      }
      for (const { id } of hits.filter((_, i) => i % 12 === 0)) answers.push(await read(`/api/alerts/${id}`));
      answers.push([...(await listCamerasOfGroup(testApp().db, group.id))]);
      answers.push(await findLatest(testApp().db, group.id));
      const screen = await (await admin.fetch(`/alerts/group/${group.id}?plate=`)).text();
      answers.push(/former name/.test(screen), [...screen.matchAll(/camera-\d/g)].map(String));
      return answers;
    }
    const before = await everything();
    expect(await archiveHits(group, 20)).toMatchObject({ hits: 94, segments: 5 });
    expect(await everything()).toEqual(before);
    await archiveHits(group, 40, 200);
    expect(await onlineHits(group)).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  const hit = fc.record({
    age: fc.integer({ min: 0, max: 300 }),
    late: fc.integer({ min: 0, max: 40 }),
    plate: fc.constantFrom("ABC123", "AB1", "京A1", "abc123", "𐐀12", "X[1]", ""),
    listedPlate: fc.constantFrom("ABC123", "AB*", "A?C", "XYZ"),
    program: fc.constantFrom("Axis" as const, "Rekor" as const),
    cameraId: fc.constantFrom("c1", "c2", "c3"),
    disposition: fc.constantFrom(null, "correct" as const, "misread" as const),
  });
  const filter = fc.record({
    plate: fc.constantFrom("", "", "ABC", "AB*", "a?c123", "?B*", "京", "?12", "𐐀*", "??12", "*1", "X1"),
    program: fc.constantFrom("", "Axis", "Rekor"),
    camera: fc.constantFrom("", "", "c1", "c3", "c9"),
    disposition: fc.constantFrom("", "none", "correct"),
    from: fc.option(fc.integer({ min: 0, max: 300 }), { nil: null }),
    until: fc.option(fc.integer({ min: 0, max: 300 }), { nil: null }),
    limit: fc.integer({ min: 2, max: 15 }),
    towards: fc.constantFrom("past" as const, "present" as const),
  });

  it("equals one without, whatever is archived, filtered, brought back and archived again", {
    timeout: 180_000,
  }, async () => {
    const app = testApp();
    await fc.assert(
      fc.asyncProperty(
        fc.array(hit, { minLength: 5, maxLength: 40 }),
        fc.array(filter, { minLength: 4, maxLength: 4 }),
        fc.integer({ min: 2, max: 9 }),
        fc.array(fc.nat(39), { maxLength: 5 }),
        async (rows, filters, size, judged) => {
          const [naive, group] = [await hitGroup(), await hitGroup()];
          const run = unique("run");
          const now = Date.now();
          const written = rows.map(({ age, late, ...row }, i) => {
            const createdAt = now - age * DAY;
            const dispositionAt = row.disposition && createdAt;
            // Times are whole days, so that some are equal and segments overlap.
            return {
              ...row,
              id: `${run}-${i}`,
              ...{ createdAt, dispositionAt, fannedOutAt: createdAt, capturedAt: createdAt - late * DAY },
            };
          });
          await writeHits(
            naive,
            written.map((row) => ({ ...row, id: `n-${row.id}` })),
          );
          await writeHits(
            group,
            written.map((row) => ({ ...row, id: `a-${row.id}` })),
          );
          async function compare() {
            for (const { limit, towards, from, until, ...fields } of filters) {
              const texts: AlertTexts = fields;
              if (from !== null) texts.from = isoTime(now - from * DAY);
              if (until !== null) texts.until = isoTime(now - until * DAY);
              const parsed = parseAlertFilter(texts, "UTC");
              if (typeof parsed === "string") continue;
              const walk = (of: Group) => walkOf(of, { filter: parsed, limit, towards });
              expect(await walk(group)).toEqual(await walk(naive));
            }
            const nearest = async ({ id: groupId }: Group) => {
              const asked = { groupId, at: now - 130 * DAY, span: 50 * DAY, limit: 7 };
              return (await listReadsOfGroup(app, asked)).map(({ id, capturedAt }) => [
                id.slice(1),
                capturedAt,
              ]);
            };
            expect(await nearest(group)).toEqual(await nearest(naive));
            const cameras = async (of: Group) => [...(await listCamerasOfGroup(app.db, of.id)).keys()];
            expect(await cameras(group)).toEqual(await cameras(naive));
            expect(await findLatest(app.db, group.id)).toBe(await findLatest(app.db, naive.id));
          }
          await archiveHits(group, size);
          await compare();
          for (const i of judged) {
            const id = `a-${run}-${i}`;
            const [segment] = (await onlineHits(group)).includes(id)
              ? []
              : await segmentsWith(app, group, id);
            const archived =
              segment && (await app.alertArchive.open(segment)).hits.find((one) => one.id === id);
            const to = { disposition: "misread", note: "", by: "u", byName: "u", at: now } as const;
            const known = written[i]?.dispositionAt ?? null;
            if (archived)
              await inOneStep(app.db, [
                ...bringBack(app.db, archived, segment.number),
                updateDisposition(app.db, { id, known, to }),
                updateDisposition(app.db, { id: `n-${run}-${i}`, known, to }),
              ]);
          }
          await compare();
          // A segment has the hits that came back in their former state.
          await archiveHits(group, size + 1, 400);
          expect(await onlineHits(group)).toEqual([]);
          await compare();
        },
      ),
      { numRuns: 4 },
    );
  });

  it("compares plates with patterns as the database does", async () => {
    const letters = fc.constantFrom("A", "B", "a", "1", "京", "𐐀", "Ä");
    const text = fc.string({ unit: letters, maxLength: 6 });
    const pattern = fc.string({ unit: fc.oneof(letters, fc.constantFrom("*", "?")), maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(pattern, text), { minLength: 200, maxLength: 400 }),
        async (pairs) => {
          const { results } = await bindings.DB.prepare(
            "SELECT value ->> 1 GLOB value ->> 0 AS matches FROM json_each(?) ORDER BY key",
          )
            .bind(JSON.stringify(pairs))
            .all<{ matches: number }>();
          const expected = results.map(({ matches }) => matches === 1);
          expect(pairs.map(([glob, plate]) => globMatches(glob, plate))).toEqual(expected);
          expect(expected).toContain(true);
        },
      ),
      { numRuns: 10 },
    );
  });

  type Walk = { filter: AlertFilter; limit: number; towards: "past" | "present" };
  async function walkOf({ id: groupId }: Group, walk: Walk): Promise<unknown[]> {
    const found: unknown[] = [];
    let beside: AlertKey | undefined;
    for (;;) {
      const page = await listAlerts(testApp(), { groupId, ...walk, beside });
      found.push(
        page.map(({ id, capturedAt, plate, disposition }) => [id.slice(1), capturedAt, plate, disposition]),
      );
      beside = page.at(-1);
      if (page.length < walk.limit) return found;
    }
  }

  it("opens no segment for a page that the database fills, and one segment for a page with archived hits", async () => {
    const group = await hitGroup(agencyId);
    for (let i = 0; i < 12; i++) await oldHit(group, 200 - i);
    for (let i = 0; i < 4; i++) await oldHit(group, 10 - i);
    await archiveHits(group, 3);
    const app = testApp();
    let opened = 0;
    const alertArchive: typeof app.alertArchive = {
      ...app.alertArchive,
      open: (file) => {
        opened++;
        return app.alertArchive.open(file);
      },
    };
    const filter = parseAlertFilter({}, "UTC");
    if (typeof filter === "string") throw new Error(filter);
    const page = async (over: object) => {
      opened = 0;
      const query = {
        groupId: group.id,
        filter,
        beside: undefined,
        towards: "past" as const,
        limit: 3,
        ...over,
      };
      const rows = await listAlerts({ db: app.db, alertArchive }, query);
      return { rows: rows.length, opened };
    };
    expect(await page({})).toEqual({ rows: 3, opened: 0 });
    expect(await page({ limit: 5 })).toEqual({ rows: 5, opened: 1 });
    expect(await page({ towards: "present" })).toEqual({ rows: 3, opened: 1 });
    expect(await page({ limit: 9, filter: { ...filter, camera: "elsewhere" } })).toEqual({
      rows: 0,
      opened: 0,
    });
    expect(await page({ limit: 9, filter: { ...filter, from: Date.now() - 20 * DAY } })).toEqual({
      rows: 4,
      opened: 0,
    });
    expect(await page({ limit: 99 })).toEqual({ rows: 16, opened: 4 });
  });

  it("is counted in the transparency statistics as before", async () => {
    const group = await hitGroup();
    const at = Date.now() - 200 * DAY;
    const month = isoTime(at).slice(0, 7);
    for (let i = 0; i < 40; i++)
      await oldHit(group, 190 + i, {
        ...(i % 3 === 0 && { disposition: "correct", dispositionAt: Date.now() - (180 + i) * DAY }),
      });
    const before = await countMonth(testApp(), group.agencyId, month);
    expect(before.hits).toBeGreaterThan(5);
    await archiveHits(group, 7);
    expect(await onlineHits(group)).toEqual([]);
    expect(await countMonth(testApp(), group.agencyId, month)).toEqual(before);
  });

  it("is unknown to other agencies, and its objects and index have nothing readable", async () => {
    const group = await hitGroup(agencyId);
    const row = await oldHit(group, 200, { plate: "SECRET9" });
    await archiveHits(group, 9);
    for (const path of [`/api/alerts/${row.id}`, dataOf(group), `/alert-history-detail/${row.id}`])
      expect([path, (await stranger.fetch(path)).status]).toEqual([path, 404]);
    const decided = await stranger.post(`/api/alerts/${row.id}/disposition`, { disposition: "correct" });
    expect(decided.status).toBe(404);
    const [segment] = await segmentsOf(group);
    const object = await bindings.ATTACHMENTS.get(segment?.key ?? "");
    expect(await object?.text()).not.toContain("SECRET9");
    // Another group's segment does not open as this one's.
    const other = await hitGroup(agencyId);
    await oldHit(other, 200);
    await archiveHits(other, 9);
    await bindings.DB.prepare("UPDATE alert_segments SET group_id = ? WHERE group_id = ?")
      .bind(other.id, group.id)
      .run();
    expect((await admin.fetch(dataOf(other, "?limit=9"))).status).toBe(503);
  });

  it.each([
    ["missing", (key: string) => bindings.ATTACHMENTS.delete(key)],
    ["altered", (key: string) => bindings.ATTACHMENTS.put(key, "something else")],
  ])("answers 503 if a segment's file is %s, rather than omit hits", async (what, damage) => {
    const group = await hitGroup(agencyId);
    const [old, recent] = [await oldHit(group, 200), await oldHit(group, 1)];
    await oldHit(group, 2);
    await archiveHits(group, 9);
    const [segment] = await segmentsOf(group);
    await damage(segment?.key ?? "");
    for (const path of [dataOf(group, "?limit=9"), `/api/alerts/${old.id}`]) {
      const answer = await admin.fetch(path);
      expect(answer.status).toBe(503);
      expect(await answer.text()).toMatch(
        new RegExp(`Archived hits cannot be read: .*${segment?.key}.* ${what}`),
      );
    }
    // Recent pages do not need it, and no one else learns of it.
    expect((await read<AlertPage>(dataOf(group, "?limit=1"))).alerts).toMatchObject([{ id: recent.id }]);
    expect((await stranger.fetch(`/api/alerts/${old.id}`)).status).toBe(404);
  });
});

describe("the disposition of an archived hit", () => {
  const decide = (id: string, body: object, who = admin) => who.post(`/api/alerts/${id}/disposition`, body);

  it("brings the hit back into the database, from where it leaves again for another segment", async () => {
    const group = await hitGroup(agencyId);
    const row = await oldHit(group, 200, { disposition: "misread", dispositionAt: Date.now() - 150 * DAY });
    await oldHit(group, 199);
    const before = await read<Alert>(`/api/alerts/${row.id}`);
    await archiveHits(group, 9);
    expect(await segmentsOf(group)).toMatchObject([{ hits: 2 }]);
    const answer = await decide(row.id, {
      disposition: "correct",
      note: "Seen",
      known: before.disposition_at,
    });
    expect(answer.status).toBe(200);
    const after: Alert = await answer.json();
    expect(after).toMatchObject({ disposition: "correct", disposition_note: "Seen" });
    const disposition = (alert: Alert) => ({
      ...alert,
      ...{ disposition: null, disposition_note: "", disposition_by: null, disposition_at: null },
    });
    expect(disposition(after)).toEqual(disposition(before));
    expect(await onlineHits(group)).toEqual([row.id]);
    expect(await segmentsOf(group)).toMatchObject([{ hits: 1 }]);
    expect(await historyOf(group)).toHaveLength(2);
    const [audited] = await auditOf({ username: admin.user?.username ?? "" });
    expect(audited).toMatchObject({ action: "alert.disposition", object: row.id });
    await archiveHits(group, 9, 130);
    expect(await onlineHits(group)).toEqual([]);
    expect(await segmentsOf(group)).toMatchObject([{ hits: 1 }, { hits: 1 }]);
    expect(await read<Alert>(`/api/alerts/${row.id}`)).toEqual(after);
    const filtered = (disposition: string) =>
      read<AlertPage>(dataOf(group, `?limit=9&disposition=${disposition}`));
    expect((await filtered("misread")).alerts).toEqual([]);
    expect((await filtered("correct")).alerts).toMatchObject([{ id: row.id }]);
    expect((await decide(row.id, { disposition: null, known: after.disposition_at })).status).toBe(200);
    expect((await filtered("none")).alerts).toHaveLength(2);
  });

  it("ends in one success and conflicts if several users judge it at once", async () => {
    const group = await hitGroup(agencyId);
    const row = await oldHit(group, 200);
    await archiveHits(group, 9);
    const answers = await Promise.all(
      ["correct", "misread", "dismissed"].map((disposition) => decide(row.id, { disposition, known: null })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await onlineHits(group)).toEqual([row.id]);
    expect(await historyOf(group)).toEqual([row.id]);
    expect(await segmentsOf(group)).toMatchObject([{ hits: 0 }]);
  });

  it("is refused with an unknown former state, and the hit stays archived", async () => {
    const group = await hitGroup(agencyId);
    const row = await oldHit(group, 200);
    await archiveHits(group, 9);
    expect((await decide(row.id, { disposition: "correct", known: isoTime(5) })).status).toBe(409);
    expect(await onlineHits(group)).toEqual([]);
  });

  it("is not found if its segment is purged at the same moment", async () => {
    const group = await hitGroup(agencyId);
    const row = await oldHit(group, 200);
    await archiveHits(group, 9);
    const app = testApp();
    const alertArchive: typeof app.alertArchive = {
      ...app.alertArchive,
      open: async (file) => {
        const opened = await app.alertArchive.open(file);
        await bindings.DB.prepare("DELETE FROM alert_segments WHERE group_id = ?").bind(group.id).run();
        return opened;
      },
    };
    const decision = { disposition: "correct" as const, note: "", known: null };
    await expect(
      decideAlert({ ...app, alertArchive }, await actorOf(admin), { id: row.id, decision }),
    ).rejects.toThrow("Alert not found.");
    expect(await onlineHits(group)).toEqual([]);
  });
});

describe("the keys of segments", () => {
  it("are encrypted again when the operator's key is rotated, and work without the former key", async () => {
    const group = await hitGroup(agencyId);
    const row = await oldHit(group, 200);
    await archiveHits(group, 9);
    const actor = await actorOf(await client(await newUser(agencyId, { role: "admin" })));
    const added = `9:${btoa("another key of thirty-two bytes!")}`;
    const rotating = testApp(Date.now, { SEALING_KEYS: `${bindings.SEALING_KEYS},${added}` });
    const former = await segmentsOf(group);
    while ((await rotateSecrets(rotating, actor)).resealed > 0);
    const only = testApp(Date.now, { SEALING_KEYS: added });
    const [segment] = await segmentsWith(only, group, row.id);
    if (!segment) throw new Error("no segment");
    expect((await only.alertArchive.open(segment)).hits).toMatchObject([{ id: row.id }]);
    // The Worker has the former key only.
    for (const { number, sealed_key } of former)
      await bindings.DB.prepare("UPDATE alert_segments SET sealed_key = ? WHERE number = ?")
        .bind(sealed_key, number)
        .run();
  });
});
