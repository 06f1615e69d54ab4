// The wildcard entries that an isolate keeps: each look-up reads only those that were added since.

import { expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { matchReads } from "#app/domain/alerts/matching.ts";
import type { LiveRead } from "#app/entities/alerts/match.ts";
import { at } from "#app/lib/at.ts";
import { DAY, HOUR } from "#app/lib/time/dates.ts";
import { countingDatabase, noCounts } from "../../bench/support/counting-database.ts";
import { bindings, newAgency, testApp, unique } from "../../factories.ts";
import { alertsOf, newGroup, newPlate, plate, withoutQueue } from "../../live.ts";

const MANY = 1500;

function read(number: string, agencyId: string): LiveRead {
  return {
    origin: { program: "Axis", agencyId, integrationId: "" },
    passKey: unique("pass"),
    plate: number,
    plateState: "CT",
    seenAt: Date.now(),
    rank: 1,
    caveats: [],
    vendorImages: null,
    sentImages: [],
    facts: {
      plate: number,
      plateState: "CT",
      make: "",
      color: "",
      bodyType: "",
      confidence: 91,
      capturedAt: Date.now(),
      cameraId: "cam",
      cameraName: "Main St",
      latitude: 41.7,
      longitude: -72.7,
      vehicleImageKey: null,
      plateImageKey: null,
    },
  };
}

const run = (sql: string, ...values: unknown[]) =>
  bindings.DB.prepare(sql)
    .bind(...values)
    .run();

/** Returns an isolate that has kept nothing yet, and the rows that its calls read. */
function newIsolate(clock: () => number = Date.now) {
  let counts = noCounts();
  const app = withoutQueue(testApp(clock, { DB: countingDatabase(bindings.DB, () => counts) }));
  const rowsOf = async (reads: LiveRead[]) => {
    counts = noCounts();
    await matchReads(app, reads);
    return counts.rowsRead;
  };
  return { app, rowsOf };
}

/** Adds this many wildcard entries to a group in one statement. */
const addMany = (groupId: string, count: number, stem: string) =>
  run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
    INSERT INTO hotlist_entries (group_id, plate, created_at, added_by, added_by_name, added_by_agency, digest, from_version)
    SELECT ?2, ?3 || i || '*', 0, 'u', 'u', 'a', 0, 1 FROM n`,
    count,
    groupId,
    stem,
  );

const hitsOf = async (app: AppContext, group: { id: string }, one: LiveRead) => {
  const before = (await alertsOf(group.id)).length;
  await matchReads(app, [one]);
  return (await alertsOf(group.id)).length - before;
};

it("reads none of them again after a change of another list, and only the new ones after a change of theirs", async () => {
  const agency = await newAgency();
  const stem = newPlate().slice(0, 4);
  const group = await newGroup(agency.id, [plate(`${stem}*`)]);
  const other = await newGroup(agency.id, [plate(newPlate())]);
  await addMany(group.id, MANY, newPlate().slice(0, 5));
  const { app, rowsOf } = newIsolate();
  expect(await rowsOf([read(newPlate(), agency.id)])).toBeGreaterThan(MANY);
  for (const changed of [other, group]) {
    await run("UPDATE alert_groups SET list_version = list_version + 1 WHERE id = ?", changed.id);
    expect(await rowsOf([read(newPlate(), agency.id)])).toBeLessThan(20);
  }
  await run("UPDATE hotlist_entries SET expires_at = 5 WHERE id = ?", group.entries[0]);
  expect(await rowsOf([read(newPlate(), agency.id)])).toBeLessThan(20);
  const late = newPlate().slice(0, 5);
  await addMany(other.id, 3, late);
  expect(await rowsOf([read(newPlate(), agency.id)])).toBeLessThan(40);
  expect(await hitsOf(app, other, read(`${late}27`, agency.id))).toBe(1);
});

it("finds all of those that were added at once, however many, and those of imports once they are applied", async () => {
  const agency = await newAgency();
  const group = await newGroup(agency.id, []);
  const { app } = newIsolate();
  await matchReads(app, [read(newPlate(), agency.id)]);
  const stem = newPlate().slice(0, 4);
  await addMany(group.id, 25_000, stem);
  expect(await hitsOf(app, group, read(`${stem}24999`, agency.id))).toBe(5);
  expect(await hitsOf(app, group, read(`${stem}25001`, agency.id))).toBe(4);
  const staged = newPlate().slice(0, 4);
  await addMany(group.id, 1, staged);
  await run("UPDATE hotlist_entries SET from_version = 2 WHERE plate = ?", `${staged}1*`);
  expect(await hitsOf(app, group, read(`${staged}17`, agency.id))).toBe(0);
  await run("UPDATE alert_groups SET list_version = 2 WHERE id = ?", group.id);
  expect(await hitsOf(app, group, read(`${staged}17`, agency.id))).toBe(1);
});

it("loses none to another look-up that runs at the same time", async () => {
  const agency = await newAgency();
  const group = await newGroup(agency.id, []);
  const { app } = newIsolate();
  const stems = Array.from({ length: 12 }, () => newPlate().slice(0, 6));
  await Promise.all(
    stems.flatMap((stem) => [
      addMany(group.id, 1, stem),
      matchReads(app, [read(newPlate(), agency.id)]),
      matchReads(app, [read(newPlate(), agency.id)]),
    ]),
  );
  for (const stem of stems) expect(await hitsOf(app, group, read(`${stem}13`, agency.id))).toBe(1);
});

it("reads all of them again after a restore, and when an earlier database was brought back", async () => {
  const agency = await newAgency();
  const [before, after] = [newPlate(), newPlate()];
  const group = await newGroup(agency.id, [plate(`${before.slice(0, 7)}*`)]);
  const entry = at(group.entries, 0);
  const { app } = newIsolate();
  expect(await hitsOf(app, group, read(before, agency.id))).toBe(1);
  const { version, epoch } = (await bindings.DB.prepare(
    "SELECT version, epoch FROM wildcard_versions",
  ).first<{
    version: number;
    epoch: number;
  }>()) ?? { version: 0, epoch: 0 };
  // The ids of the earlier database are given again.
  await run("UPDATE hotlist_entries SET plate = ? WHERE id = ?", `${after.slice(0, 7)}*`, entry);
  await run("UPDATE wildcard_versions SET version = ?", version - 1);
  expect(await hitsOf(app, group, read(after, agency.id))).toBe(1);
  await run("UPDATE hotlist_entries SET plate = ? WHERE id = ?", `${before.slice(0, 7)}*`, entry);
  await run("UPDATE wildcard_versions SET version = ?, epoch = ?", version + 50, epoch + 1);
  expect(await hitsOf(app, group, read(before, agency.id))).toBe(1);
});

it("forgets those that have ended, once a few hours have passed", async () => {
  const agency = await newAgency();
  const group = await newGroup(agency.id, []);
  await addMany(group.id, MANY, newPlate().slice(0, 5));
  let now = Date.now();
  const { rowsOf } = newIsolate(() => now);
  const unlisted = () => rowsOf([read(newPlate(), agency.id)]);
  await unlisted();
  now += HOUR;
  expect(await unlisted()).toBeLessThan(20);
  now += DAY;
  expect(await unlisted()).toBeGreaterThan(MANY);
  expect(await unlisted()).toBeLessThan(20);
  // A clock that was ahead.
  now -= 3 * DAY;
  expect(await unlisted()).toBeGreaterThan(MANY);
});
