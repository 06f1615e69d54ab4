import { beforeEach, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { bulkUpload } from "#app/domain/hotlists/bulk-upload.ts";
import { createGroup, editGroup } from "#app/domain/hotlists/group-changes.ts";
import { describeGroup, listEditableGroups, listGroupCards } from "#app/domain/hotlists/groups.ts";
import { readStep } from "#app/domain/hotlists/import-step.ts";
import { continueImport, reloadImport } from "#app/domain/hotlists/import-work.ts";
import { applyImport, latestImport, startImport } from "#app/domain/hotlists/imports.ts";
import { addPlate, editPlate, removePlate, renewPlates } from "#app/domain/hotlists/plate-changes.ts";
import { checkPlate } from "#app/domain/hotlists/plate-check.ts";
import { pagePlates } from "#app/domain/hotlists/plates.ts";
import { certifyRemoved } from "#app/domain/oversight/audit-act.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { AddPlate, EntryDetails, GroupForm, ImportOptions, NewPlate } from "#app/entities/hotlists/calls.ts";
import { DAY, HOUR, isoTime } from "#app/lib/time/dates.ts";
import type { NewRead } from "#app/store/archive/reads.ts";
import { openControl } from "#app/store/database.ts";
import { moveFormerEntries } from "#app/store/hotlists/former-entries.ts";
import { type RecordCutoff, removeOldEntries } from "#app/store/operations/retention-records.ts";
import { countingDatabase, noCounts } from "../../bench/support/counting-database.ts";
import {
  bindings,
  newAgency,
  newUser,
  quietApp,
  sessionActorOf,
  setExpiryDays,
  setUpPart,
  unique,
} from "../../factories.ts";
import { alertsOf, axisEvent, newCamera, newPlate, postAxis } from "../../live.ts";
import { PLAIN_READ } from "../../support/archive.ts";
import { beforeWrite } from "../../support/batches.ts";

const encoder = new TextEncoder();
let now = Date.UTC(2026, 10, 20, 12);
let app: AppContext;
let actor: SessionActor;
let group: string;

async function newActor(): Promise<SessionActor> {
  const agency = await newAgency();
  await setExpiryDays(agency.id, 30);
  const user = await newUser(agency.id, { hotlistAdmin: true });
  return sessionActorOf(user, agency.name);
}

beforeEach(async () => {
  now = Date.UTC(2026, 10, 20, 12);
  app = quietApp(() => now);
  actor = await newActor();
  group = await newGroup();
});

async function newGroup(): Promise<string> {
  const form = GroupForm.parse({ group_name: "Stolen" });
  return (await createGroup(app, actor, { form, image: null, plates: [] })).group_id;
}

function add(plate_number: string, over: object = {}) {
  const call = AddPlate.parse({ plate_number, reason: "Stolen", state: "CT", group_id: group, ...over });
  return addPlate(app, actor, call);
}

async function listed(part: string): Promise<string[]> {
  const { plates } = await pagePlates(app, actor, { groupId: group, part });
  return plates.map((plate) => plate.plate_number);
}

function csv(rows: string[]): Uint8Array<ArrayBuffer> {
  return encoder.encode(["plate,state,reason", ...rows].join("\n"));
}

async function dryRun(rows: string[], over: object = {}): Promise<string> {
  const body = csv(rows);
  const options = ImportOptions.parse({ mode: "add", ...over });
  const { id } = await startImport(app, actor, { groupId: group, options, body, size: body.length });
  await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
  return id;
}

async function applied(id: string): Promise<void> {
  await applyImport(app, actor, { groupId: group, id });
  await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
}

async function everything(): Promise<string[]> {
  const { plates } = await pagePlates(app, actor, { groupId: group });
  return plates.map((plate) => `${plate.plate_number}|${plate.state}|${plate.reason}`);
}

async function audits(action: string): Promise<{ detail: Record<string, unknown>; plate: string }[]> {
  const { results } = await bindings.DB.prepare(
    "SELECT detail, plate FROM audit_log WHERE action = ? AND agency_id = ? ORDER BY seq",
  )
    .bind(action, actor.agencyId)
    .all<{ detail: string; plate: string }>();
  return results.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
}

describe("plates that expire soon", () => {
  it("are counted with the plates, not for cards and details of groups, which show only expired ones", async () => {
    await bindings.DB.prepare(`
      INSERT INTO hotlist_entries (
        group_id, plate, state, created_at, added_by, added_by_name, added_by_agency, digest, from_version, expires_at
      )
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      SELECT ?, 'P' || i, 'CT', 0, ?, '', '', 0, 0, ? + i
      FROM n`)
      .bind(group, actor.userId, now + DAY)
      .run();
    const counts = noCounts();
    const counting = { ...app, db: openControl(countingDatabase(bindings.DB, () => counts)) };
    await listGroupCards(counting, actor);
    await describeGroup(counting, actor, group);
    await listEditableGroups(counting, actor);
    expect(counts.calls).toBeGreaterThan(4);
    expect(counts.rowsRead).toBeLessThan(200);
    expect((await pagePlates(counting, actor, { groupId: group })).counts.near).toBe(500);
  });
});

describe("expired plates", () => {
  beforeEach(async () => {
    await add("AA1", { expires: "2026-11-22" });
    await add("BB2", { expires: "2026-12-10" });
    await add("CC3", { expires: "never" });
  });

  it("are listed separately and not counted as active", async () => {
    expect(await listed("near")).toEqual(["AA1"]);
    expect(await listed("in-force")).toEqual(["AA1", "BB2", "CC3"]);
    now += 5 * DAY;
    expect(await listed("in-force")).toEqual(["BB2", "CC3"]);
    expect(await listed("expired")).toEqual(["AA1"]);
    expect(await listed("near")).toEqual([]);
    expect((await pagePlates(app, actor, { groupId: group })).counts).toEqual({
      "in-force": 2,
      near: 0,
      expired: 1,
    });
    expect((await describeGroup(app, actor, group)).group).toMatchObject({
      plate_count: 2,
      expired_count: 1,
    });
    expect((await listGroupCards(app, actor)).find(({ id }) => id === group)).toMatchObject({
      plate_count: 2,
      expired_count: 1,
    });
  });

  it("are replaced when they are added again, as by a client that knows no expiry", async () => {
    now += 5 * DAY;
    const added = await add("AA1", { reason: "Stolen again", notes: "Seen" });
    expect(added.message).toBe("Successfully added 'AA1' to 'Stolen'");
    const { plates, counts } = await pagePlates(app, actor, { groupId: group, search: "AA1" });
    expect(plates).toMatchObject([{ reason: "Stolen again", notes: "Seen", created_at: isoTime(now) }]);
    expect(Date.parse(plates[0]?.expires_at ?? "")).toBe(now + 30 * DAY);
    expect(counts).toEqual({ "in-force": 3, near: 0, expired: 0 });
    expect((await audits("plate.add")).at(-1)).toMatchObject({
      plate: "AA1",
      detail: { before: { reason: "Stolen" }, after: { reason: "Stolen again" } },
    });
    await expect(add("AA1")).rejects.toThrow('AA1 is already in "Stolen"');
    await expect(add("BB2")).rejects.toThrow('BB2 is already in "Stolen"');
  });

  it("are replaced from the moment at which they expire", async () => {
    await add("DD4", { expires: isoTime(now + HOUR) });
    now += HOUR - 1;
    await expect(add("DD4")).rejects.toThrow('DD4 is already in "Stolen"');
    now += 1;
    await add("DD4", { reason: "Stolen again" });
    expect(await everything()).toContain("DD4|CT|Stolen again");
  });

  it("are replaced by the edit form too, with all of its plates or none", async () => {
    now += 5 * DAY;
    const save = (...numbers: string[]) =>
      editGroup(app, actor, {
        id: group,
        form: GroupForm.parse({ group_name: "Stolen" }),
        image: null,
        plates: numbers.map((number) => ({
          plate: NewPlate.parse({ number, state: "CT", reason: "Form" }),
          file: null,
        })),
      });
    await expect(save("AA1", "BB2")).rejects.toThrow('BB2 is already in "Stolen"');
    expect(await listed("expired")).toEqual(["AA1"]);
    await save("AA1", "DD4");
    expect(await listed("expired")).toEqual([]);
    expect(await listed("in-force")).toEqual(["AA1", "BB2", "CC3", "DD4"]);
  });

  it("that are renewed while they are added again are not listed twice", async () => {
    now += 5 * DAY;
    const call = AddPlate.parse({ plate_number: "AA1", reason: "Stolen", state: "CT", group_id: group });
    const renewed = () => renewPlates(app, actor, { groupId: group, part: "expired" });
    await expect(addPlate(beforeWrite(app, renewed), actor, call)).rejects.toThrow(
      'AA1 is already in "Stolen"',
    );
    expect(await listed("in-force")).toEqual(["AA1", "BB2", "CC3"]);
  });

  it("are renewed in one request, with the previous values in the audit log", async () => {
    now += 25 * DAY;
    expect(await listed("expired")).toEqual(["AA1", "BB2"]);
    const renewed = await renewPlates(app, actor, { groupId: group, part: "expired" });
    expect(renewed).toMatchObject({ renewed: 2, message: "2 plates have been renewed." });
    expect(Date.parse(renewed.expires_at ?? "")).toBe(now + 30 * DAY);
    expect(await listed("expired")).toEqual([]);
    expect(await listed("in-force")).toEqual(["AA1", "BB2", "CC3"]);
    const [row] = await audits("plate.renew");
    expect(row?.detail).toMatchObject({
      before: [{ plate: "AA1" }, { plate: "BB2" }],
      after: { expires_at: now + 30 * DAY },
    });
    expect(await renewPlates(app, actor, { groupId: group, part: "expired" })).toMatchObject({ renewed: 0 });
    expect(await audits("plate.renew")).toHaveLength(1);
  });

  it("no longer expire after a renewal if the agency's policy sets no expiry", async () => {
    now += 25 * DAY;
    await setExpiryDays(actor.agencyId, 0);
    expect(await renewPlates(app, actor, { groupId: group, part: "expired" })).toEqual({
      renewed: 2,
      expires_at: null,
      message: "2 plates have been renewed and no longer expire.",
    });
    now += 400 * DAY;
    expect(await listed("in-force")).toEqual(["AA1", "BB2", "CC3"]);
  });

  it("are renewed once when two users renew them concurrently", async () => {
    now += 25 * DAY;
    const both = await Promise.allSettled(
      [1, 2].map(() => renewPlates(app, actor, { groupId: group, part: "expired" })),
    );
    const renewed = both.flatMap((one) => (one.status === "fulfilled" ? [one.value.renewed] : []));
    expect(renewed.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(await listed("expired")).toEqual([]);
  });

  it("stay on the list while an import that would remove them awaits approval", async () => {
    now += 5 * DAY;
    await dryRun(["DD4,CT,New"], { mode: "replace" });
    expect(await listed("expired")).toEqual(["AA1"]);
    expect(await listed("in-force")).toEqual(["BB2", "CC3"]);
    expect((await pagePlates(app, actor, { groupId: group })).counts.expired).toBe(1);
  });

  it("are paged correctly in lists with few and with many expired plates", async () => {
    const rows = Array.from({ length: 6000 }, (_, i) => `E${i},CT,Old`);
    await bulkUpload(app, actor, {
      groupId: group,
      mode: "add",
      file: { name: "a.csv", bytes: csv(rows) },
    });
    await add("ZZ9", { expires: "never" });
    const pages = async (part: string) => {
      const all: string[] = [];
      let after: string | null = null;
      do {
        const page = await pagePlates(app, actor, { groupId: group, part, after, limit: 500 });
        all.push(...page.plates.map((plate) => plate.plate_number));
        after = page.next;
      } while (after);
      return all;
    };
    expect(await pages("in-force")).toHaveLength(6004);
    now += 40 * DAY;
    const expired = await pages("expired");
    expect(new Set(expired).size).toBe(6002);
    expect(expired).toEqual(expired.toSorted());
    expect(await pages("in-force")).toEqual(["CC3", "ZZ9"]);
    const found = await pagePlates(app, actor, { groupId: group, part: "expired", search: "E59?9" });
    expect(found.plates.map((plate) => plate.plate_number)).toEqual(
      Array.from({ length: 10 }, (_, i) => `E59${i}9`),
    );
  });
});

describe("the check of a plate before it is added", () => {
  const reading = (plate: string, over: Partial<NewRead> = {}): NewRead => ({
    ...PLAIN_READ,
    plate,
    confidence: 90,
    carState: "lost",
    eventAt: now - DAY,
    capturedAt: now - DAY,
    agencyId: actor.agencyId,
    cameraId: `camera-${actor.agencyId}`,
    cameraName: "Camera",
    carId: unique("car"),
    ...over,
  });
  const check = (plate_number: string, over: object = {}) =>
    checkPlate(app, actor, {
      plate_number,
      state: "",
      group_id: group,
      match_policy: "exact",
      state_required: false,
      ...over,
    });

  beforeEach(async () => {
    await setUpPart({
      axisCameras: [
        {
          id: `camera-${actor.agencyId}`,
          agencyId: actor.agencyId,
          name: "Camera",
          latitude: 41.7,
          longitude: -72.6,
          secret: unique("secret"),
        },
      ],
    });
  });

  it("counts the reads that the entry would match: exact, look-alike, wildcard, with its state", async () => {
    const other = await newActor();
    await app.reads.insertReads([
      reading("B0S512"),
      reading("B0S512", { capturedAt: now - 3 * DAY }),
      reading("BOS512", { capturedAt: now - 2 * DAY, plateState: "NY" }),
      reading("8DSS1Z", { capturedAt: now - 4 * DAY, plateState: "" }),
      reading("B0S513"),
      reading("XB0S512"),
      reading("B0S512", { capturedAt: now - 22 * DAY }),
      reading("B0S512", { capturedAt: now + DAY }),
      reading("B0S512", { agencyId: other.agencyId, cameraId: "theirs" }),
    ]);
    expect(await check("B0S-512")).toMatchObject({
      reads: 2,
      more: false,
      newest: new Date(now - DAY).toISOString(),
      expiry_days: 30,
    });
    expect((await check("B0S512", { match_policy: "lookalike" })).reads).toBe(4);
    expect((await check("B0S512", { match_policy: "lookalike", state: "CT" })).reads).toBe(4);
    expect(
      (await check("B0S512", { match_policy: "lookalike", state: "CT", state_required: true })).reads,
    ).toBe(2);
    expect(await check("B0S51*")).toMatchObject({ wildcard: true, reads: 3 });
    expect((await check("B0S51?", { match_policy: "lookalike" })).reads).toBe(5);
    expect((await check("QQQ111")).newest).toBeNull();
    const rows = await audits("plate.check");
    expect(rows[0]).toMatchObject({ plate: "B0S512", detail: { reads: 2, match: "exact" } });
    expect(rows).toHaveLength(7);
  });

  it("names the groups that watch the plate, and marks expired entries", async () => {
    await add("AB1", { expires: "2026-11-22" });
    expect((await check("ab-1", { state: "CT" })).duplicates).toMatchObject([
      { in_this_group: true, expired: false },
    ]);
    now += 10 * DAY;
    expect((await check("AB1", { state: "CT" })).duplicates).toMatchObject([
      { in_this_group: true, expired: true },
    ]);
    expect((await check("AB1", { state: "NY" })).duplicates).toEqual([]);
  });

  it("marks a plate that one group lists twice, for a state and for any state", async () => {
    await add("AB1");
    await add("AB1", { state: "" });
    const { plates } = await pagePlates(app, actor, { groupId: group });
    expect(plates.map(({ also_in }) => also_in)).toEqual([["this group (CT)"], ["this group (any state)"]]);
  });
});

describe("an expired plate that a file names again", () => {
  it("is watched again, also if the file has other content and the list's version of plates is kept", async () => {
    for (const plate of ["AA1", "BB2", "CC3"]) await add(plate);
    now += 31 * DAY;
    await add("DD4");
    const rows = ["AA1,CT,Stolen", "BB2,CT,Other", "DD4,CT,Other"];
    const id = await dryRun(rows, { on_conflict: "keep" });
    expect((await latestImport(app, actor, group))?.issues).toMatchObject([
      { plate: "BB2", reason: expect.stringContaining("expired") },
      { plate: "DD4", reason: "Differs from the plate on the list. The list's version is kept." },
    ]);
    await applied(id);
    expect(await listed("in-force")).toEqual(["AA1", "BB2", "DD4"]);
    expect(await listed("expired")).toEqual(["CC3"]);
    expect(await everything()).toEqual(["AA1|CT|Stolen", "BB2|CT|Other", "CC3|CT|Stolen", "DD4|CT|Stolen"]);
  });

  it("is watched also if it expires while the import waits to be applied", async () => {
    await setExpiryDays(actor.agencyId, 0);
    const soon = { expires: isoTime(now + HOUR) };
    await add("AA1", soon);
    await add("BB2", soon);
    await add("CC3", { expires: isoTime(now + 3 * DAY) });
    const id = await dryRun(["AA1,CT,Stolen", "BB2,CT,Other", "CC3,CT,Other"], { on_conflict: "keep" });
    now += 20 * HOUR;
    await applied(id);
    expect(await listed("in-force")).toEqual(["AA1", "BB2", "CC3"]);
    expect(await everything()).toEqual(["AA1|CT|Stolen", "BB2|CT|Other", "CC3|CT|Stolen"]);
  });

  it("keeps an expiry of the same day if the file is applied at once", async () => {
    await setExpiryDays(actor.agencyId, 0);
    await add("AA1", { expires: isoTime(now + HOUR) });
    const file = { name: "a.csv", bytes: csv(["AA1,CT,Stolen"]) };
    await bulkUpload(app, actor, { groupId: group, mode: "add", file });
    now += 2 * HOUR;
    expect(await listed("expired")).toEqual(["AA1"]);
  });
});

describe("a search in a list", () => {
  it("finds plates of any letters, and none by a text that is too long for a pattern of the database", async () => {
    const plate = "京".repeat(15);
    await add(plate);
    const found = async (search: string) =>
      (await pagePlates(app, actor, { groupId: group, search })).plates.map(
        ({ plate_number }) => plate_number,
      );
    expect(await found(plate)).toEqual([plate]);
    expect(await found(`${plate}*`)).toEqual([plate]);
    expect(await found("京".repeat(20))).toEqual([]);
    expect(await found(`京*${"京".repeat(17)}`)).toEqual([]);
  });
});

describe("plates removed by an import", () => {
  const removeOld = async (cutoff: RecordCutoff) => {
    await moveFormerEntries(app.db, { ...cutoff, limit: 100 });
    const certificate = certifyRemoved(app, cutoff.agencyId, { kind: "hotlist_entries" });
    return removeOldEntries(app.db, cutoff, { limit: 100, certificate });
  };

  it("are kept as history; their retention starts with the removal", async () => {
    await setExpiryDays(actor.agencyId, 0);
    for (const plate of ["AA1", "BB2", "CC3"]) await add(plate);
    now += 400 * DAY;
    await applied(await dryRun(["AA1,CT,Stolen", "BB2,CT,Other"], { mode: "replace" }));
    const { results } = await bindings.DB.prepare(
      "SELECT plate, removed_at, removed_by FROM hotlist_entries WHERE group_id = ? AND until_version IS NOT NULL ORDER BY plate",
    )
      .bind(group)
      .all();
    expect(results).toEqual(
      ["BB2", "CC3"].map((plate) => ({ plate, removed_at: now, removed_by: actor.userId })),
    );
    const cutoff = { agencyId: actor.agencyId, before: now - 365 * DAY, heldCases: [] };
    expect(await removeOld(cutoff)).toBe(0);
    expect(await removeOld({ ...cutoff, before: now + 1 })).toBe(2);
  });

  it("are kept although they were listed long ago and the job that writes their removal has not run yet", async () => {
    await setExpiryDays(actor.agencyId, 0);
    for (const plate of ["AA1", "BB2"]) await add(plate);
    now += 400 * DAY;
    const id = await dryRun(["AA1,CT,Stolen"], { mode: "replace" });
    await applyImport(app, actor, { groupId: group, id });
    const cutoff = { agencyId: actor.agencyId, before: now - 365 * DAY, heldCases: [] };
    expect(await removeOld(cutoff)).toBe(0);
    await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
    expect(await removeOld(cutoff)).toBe(0);
    expect(await removeOld({ ...cutoff, before: now + 1 })).toBe(1);
  });
});

describe("a plate whose row in a file differs", () => {
  it("has been listed since before the import, so that late reads still match; an expired one has not", async () => {
    const [changed, expired] = [newPlate(), newPlate()];
    now = Date.now() - 3 * DAY;
    await add(changed);
    await add(expired, { expires: isoTime(now + DAY) });
    now = Date.now();
    const rows = [`${changed},CT,Stolen vehicle`, `${expired},CT,Stolen vehicle`];
    await applied(await dryRun(rows, { on_conflict: "replace" }));
    const camera = await newCamera(actor.agencyId);
    for (const plateUTF8 of [changed, expired])
      await postAxis(camera.secret, axisEvent({ plateUTF8, capture_timestamp: String(now - 2 * HOUR) }));
    expect((await alertsOf(group)).map(({ plate }) => plate)).toEqual([changed]);
  });
});

describe("plates changed by hand during an import", () => {
  const plateCount = async () => (await describeGroup(app, actor, group)).group.plate_count;

  async function entryOf(plate: string) {
    const { plates } = await pagePlates(app, actor, { groupId: group });
    return plates.find(({ plate_number }) => plate_number === plate);
  }

  const idOf = async (plate: string) => String((await entryOf(plate))?.id);

  async function edit(plate: string, over: object): Promise<void> {
    const { id = 0, revision = 0 } = (await entryOf(plate)) ?? {};
    const details = { ...EntryDetails.parse({ state: "CT", reason: "Stolen", ...over }), renew: false };
    await editPlate(app, actor, { groupId: group, plateId: String(id), details: { ...details, revision } });
  }

  it("are on the list once after the import is applied, with the manual changes", async () => {
    const id = await dryRun(["AA1,CT,File", "BB2,CT,File", "CC3,NY,File"]);
    await add("AA1", { reason: "Hand" });
    expect(await everything()).toEqual(["AA1|CT|Hand"]);
    expect(await latestImport(app, actor, group)).toMatchObject({ state: "ready", added: 2 });
    await applied(id);
    expect(await everything()).toEqual(["AA1|CT|Hand", "BB2|CT|File", "CC3|NY|File"]);
    expect((await describeGroup(app, actor, group)).group.plate_count).toBe(3);
  });

  it("stay when all other plates are replaced", async () => {
    await add("OLD1");
    const id = await dryRun(["AA1,CT,File"], { mode: "replace" });
    await add("NEW1", { reason: "Hand" });
    await add("AA1", { reason: "Hand" });
    await applied(id);
    expect(await everything()).toEqual(["AA1|CT|Hand", "NEW1|CT|Hand"]);
    expect((await describeGroup(app, actor, group)).group.plate_count).toBe(2);
  });

  it("include changes through the edit form and changes of the state", async () => {
    await add("BB2", { state: "NY", reason: "Hand" });
    const id = await dryRun(["AA1,CT,File", "BB2,CT,File"]);
    const form = GroupForm.parse({ group_name: "Stolen" });
    const plate = NewPlate.parse({ number: "AA1", state: "CT", reason: "Hand" });
    await editGroup(app, actor, { id: group, form, image: null, plates: [{ plate, file: null }] });
    const entry = (await pagePlates(app, actor, { groupId: group })).plates.find(
      ({ plate_number }) => plate_number === "BB2",
    );
    await editPlate(app, actor, {
      groupId: group,
      plateId: String(entry?.id),
      details: { ...EntryDetails.parse({ state: "CT", reason: "Hand" }), revision: 1, renew: false },
    });
    await applied(id);
    expect(await everything()).toEqual(["AA1|CT|Hand", "BB2|CT|Hand"]);
  });

  it.each(["ready", "comparing"])(
    "stay on the list if their new state is in the file of a Replace All that is %s",
    async (state) => {
      await add("AA1", { state: "", reason: "Hand" });
      const body = csv(["AA1,CT,File", "BB2,CT,File"]);
      const options = ImportOptions.parse({ mode: "replace" });
      const { id } = await startImport(app, actor, { groupId: group, options, body, size: body.length });
      if (state === "ready") await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
      else await readStep(app, await reloadImport(app, id));
      expect(await latestImport(app, actor, group)).toMatchObject({ state });
      const [entry] = (await pagePlates(app, actor, { groupId: group })).plates;
      await editPlate(app, actor, {
        groupId: group,
        plateId: String(entry?.id),
        details: { ...EntryDetails.parse({ state: "CT", reason: "Hand" }), revision: 1, renew: false },
      });
      await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
      await applied(id);
      expect(await everything()).toEqual(["AA1|CT|Hand", "BB2|CT|File"]);
      expect((await describeGroup(app, actor, group)).group.plate_count).toBe(2);
    },
  );

  it("keep the expiry that they were given after the file was read", async () => {
    for (const plate of ["AA1", "BB2", "CC3"]) await add(plate);
    now += 25 * DAY;
    const id = await dryRun(["AA1,CT,Stolen", "BB2,CT,Stolen", "CC3,CT,Stolen"]);
    now += DAY;
    await renewPlates(app, actor, { groupId: group, part: "near" });
    const plates = async () => (await pagePlates(app, actor, { groupId: group })).plates;
    const edit = async (i: number, over: object) => {
      const { id: plateId = 0, revision = 0 } = (await plates())[i] ?? {};
      const details = { ...EntryDetails.parse({ state: "CT", reason: "Stolen", ...over }), renew: false };
      await editPlate(app, actor, {
        groupId: group,
        plateId: String(plateId),
        details: { ...details, revision },
      });
    };
    await edit(0, { expires: "2027-06-01T00:00:00Z" });
    await edit(1, { notes: "Only the notes" });
    const before = (await plates()).map(({ expires_at }) => expires_at);
    await applied(id);
    expect((await plates()).map(({ expires_at }) => expires_at)).toEqual(before);
    expect(before[0]).toBe("2027-06-01T00:00:00.000Z");
  });

  it("get the expiry of an import that is applied while a change without an expiry is saved", async () => {
    await add("AA1");
    now += 25 * DAY;
    const id = await dryRun(["AA1,CT,Stolen"]);
    const [before] = (await pagePlates(app, actor, { groupId: group })).plates;
    const fields = EntryDetails.parse({ state: "CT", reason: "Stolen", notes: "Blue" });
    const { plate } = await editPlate(
      beforeWrite(app, () => applied(id)),
      actor,
      {
        groupId: group,
        plateId: String(before?.id),
        details: { ...fields, revision: before?.revision ?? 0, renew: false },
      },
    );
    expect(plate).toMatchObject({ notes: "Blue", expires_at: new Date(now + 30 * DAY).toISOString() });
  });

  it("stay on the list if a later part of the file has their new state", async () => {
    await add("AA1", { reason: "Hand" });
    // The second row of this plate is in the second block of the file.
    const others = Array.from({ length: 400 }, (_, i) => `X${i},CT,${"Stolen vehicle. ".repeat(100)}`);
    const body = csv(["AA1,CT,File", ...others, "AA1,NY,Hand"]);
    const options = ImportOptions.parse({ mode: "replace" });
    const { id } = await startImport(app, actor, { groupId: group, options, body, size: body.length });
    await readStep(app, await reloadImport(app, id));
    expect(await latestImport(app, actor, group)).toMatchObject({ state: "reading" });
    const { plates } = await pagePlates(app, actor, { groupId: group });
    await editPlate(app, actor, {
      groupId: group,
      plateId: String(plates[0]?.id),
      details: { ...EntryDetails.parse({ state: "NY", reason: "Hand" }), revision: 1, renew: false },
    });
    await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
    await applied(id);
    expect((await everything()).slice(0, 2)).toEqual(["AA1|CT|File", "AA1|NY|Hand"]);
  });

  it("are detected by an import step that has already read the list: the step restarts", async () => {
    const body = csv(["AA1,CT,File", "BB2,CT,File"]);
    const options = ImportOptions.parse({ mode: "add" });
    const { id } = await startImport(app, actor, { groupId: group, options, body, size: body.length });
    // The manual change is made between the step's read and its write.
    const meddled = beforeWrite(app, () => add("AA1", { reason: "Hand" }));
    await continueImport(meddled, id, { ms: Number.POSITIVE_INFINITY });
    expect(await latestImport(app, actor, group)).toMatchObject({ state: "ready", conflicting: 1, added: 1 });
    await applied(id);
    expect(await everything()).toEqual(["AA1|CT|Hand", "BB2|CT|File"]);
  });

  it("stay as they were added by hand in place of expired ones", async () => {
    for (const [plate, row, removed] of [
      ["AA1", "AA1,CT,File", 0],
      ["BB2", "CC3,CT,File", 1],
    ] as const) {
      await add(plate, { expires: isoTime(now + HOUR) });
      const id = await dryRun([row], { mode: "replace", onConflict: "replace" });
      now += 2 * HOUR;
      await add(plate, { reason: "Hand" });
      await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
      expect(await latestImport(app, actor, group)).toMatchObject({ state: "ready", removed });
      await applied(id);
      expect(await everything()).toContain(`${plate}|CT|Hand`);
      expect((await describeGroup(app, actor, group)).group.plate_count).toBe((await everything()).length);
    }
  });

  it("stay removed if they were removed by hand", async () => {
    await add("AA1");
    const id = await dryRun(["AA1,CT,Stolen", "BB2,CT,File"], { mode: "replace" });
    const [entry] = (await pagePlates(app, actor, { groupId: group })).plates;
    await removePlate(app, actor, { groupId: group, plateId: String(entry?.id) });
    await applied(id);
    expect(await everything()).toEqual(["BB2|CT|File"]);
    expect((await describeGroup(app, actor, group)).group.plate_count).toBe(1);
  });

  it("stay removed, also if the file changes them", async () => {
    for (const plate of ["AA1", "BB2"]) await add(plate);
    const id = await dryRun(["AA1,CT,File", "BB2,CT,File", "CC3,CT,File"], { on_conflict: "replace" });
    expect(await latestImport(app, actor, group)).toMatchObject({ added: 1, conflicting: 2 });
    await removePlate(app, actor, { groupId: group, plateId: await idOf("AA1") });
    expect(await latestImport(app, actor, group)).toMatchObject({ state: "ready", added: 1, conflicting: 2 });
    await applyImport(app, actor, { groupId: group, id });
    expect(await plateCount()).toBe(2);
    await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
    expect(await everything()).toEqual(["BB2|CT|File", "CC3|CT|File"]);
    expect(await plateCount()).toBe(2);
  });

  it("stay removed, also if the file had not been read yet", async () => {
    for (const plate of ["AA1", "BB2"]) await add(plate);
    // AA1 is in the first block of the file too; BB2 and CC3 only in the second.
    const rejected = Array.from({ length: 400 }, (_, i) => `X${i},CT,${"Stolen vehicle. ".repeat(100)}`);
    const body = csv(["AA1,CT,Stolen", ...rejected, "AA1,CT,Stolen", "BB2,CT,File", "CC3,CT,File"]);
    const options = ImportOptions.parse({ mode: "add" });
    const { id } = await startImport(app, actor, { groupId: group, options, body, size: body.length });
    await readStep(app, await reloadImport(app, id));
    expect(await latestImport(app, actor, group)).toMatchObject({ state: "reading" });
    for (const plate of ["AA1", "BB2"])
      await removePlate(app, actor, { groupId: group, plateId: await idOf(plate) });
    await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
    const read = await latestImport(app, actor, group);
    expect(read).toMatchObject({ state: "ready", added: 1, conflicting: 2 });
    const conflicts = read?.issues.filter(({ kind }) => kind === "conflicting");
    expect(conflicts?.map(({ plate, reason }) => `${plate}: ${reason}`)).toEqual([
      "AA1: Was removed from the list after the file was uploaded. It stays removed.",
      "BB2: Was removed from the list after the file was uploaded. It stays removed.",
    ]);
    await applied(id);
    expect(await everything()).toEqual(["CC3|CT|File"]);
    expect(await plateCount()).toBe(1);
  });

  it("can be added again after they were removed", async () => {
    await add("AA1");
    const id = await dryRun(["AA1,CT,File"], { on_conflict: "replace" });
    await removePlate(app, actor, { groupId: group, plateId: await idOf("AA1") });
    await add("AA1", { reason: "Hand" });
    expect(await latestImport(app, actor, group)).toMatchObject({ added: 0, conflicting: 1 });
    await applied(id);
    expect(await everything()).toEqual(["AA1|CT|Hand"]);
    expect(await plateCount()).toBe(1);
  });

  it("keep what was changed by hand, if the file changes them too, and get the expiry of the import", async () => {
    for (const plate of ["AA1", "BB2"]) await add(plate);
    now += 25 * DAY;
    const id = await dryRun(["AA1,CT,File", "BB2,CT,File"], { on_conflict: "replace" });
    await edit("AA1", { notes: "Armed", priority: "high" });
    await edit("BB2", { notes: "Armed", expires: "2027-06-01T00:00:00Z" });
    expect(await latestImport(app, actor, group)).toMatchObject({ state: "ready", added: 0, conflicting: 2 });
    await applied(id);
    expect((await pagePlates(app, actor, { groupId: group })).plates).toMatchObject([
      { reason: "Stolen", notes: "Armed", priority: "high", expires_at: isoTime(now + 30 * DAY) },
      { reason: "Stolen", notes: "Armed", expires_at: "2027-06-01T00:00:00.000Z" },
    ]);
    expect(await plateCount()).toBe(2);
  });

  it("keep a state that was changed by hand; the state in the file is added", async () => {
    await add("AA1");
    const id = await dryRun(["AA1,CT,File"], { on_conflict: "replace" });
    await edit("AA1", { state: "NY" });
    expect(await latestImport(app, actor, group)).toMatchObject({ state: "ready", added: 1, conflicting: 0 });
    await applyImport(app, actor, { groupId: group, id });
    expect(await plateCount()).toBe(2);
    await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
    expect(await everything()).toEqual(["AA1|CT|File", "AA1|NY|Stolen"]);
    expect(await plateCount()).toBe(2);
  });

  it.each(["ready", "reading"])("stay if the file of a Replace All that is %s lacks them", async (state) => {
    for (const plate of ["AA1", "BB2", "CC3", "DD4"]) await add(plate);
    now += 25 * DAY;
    await add("EE5");
    const body = csv(["FF6,CT,File"]);
    const options = ImportOptions.parse({ mode: "replace" });
    const { id } = await startImport(app, actor, { groupId: group, options, body, size: body.length });
    if (state === "ready") await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
    expect(await latestImport(app, actor, group)).toMatchObject({ state });
    await edit("AA1", { notes: "Armed" });
    await edit("EE5", { state: "NY" });
    await removePlate(app, actor, { groupId: group, plateId: await idOf("BB2") });
    await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
    expect(await latestImport(app, actor, group)).toMatchObject({ state: "ready", added: 1, removed: 2 });
    await renewPlates(app, actor, { groupId: group, part: "near" });
    expect(await latestImport(app, actor, group)).toMatchObject({ state: "ready", added: 1, removed: 0 });
    await edit("CC3", { reason: "Hand" });
    await applyImport(app, actor, { groupId: group, id });
    const list = ["AA1|CT|Stolen", "CC3|CT|Hand", "DD4|CT|Stolen", "EE5|NY|Stolen", "FF6|CT|File"];
    expect(await everything()).toEqual(list);
    expect(await plateCount()).toBe(5);
    await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
    expect(await everything()).toEqual(list);
    expect(await plateCount()).toBe(5);
    await applied(await dryRun(["FF6,CT,File"], { mode: "replace" }));
    expect(await everything()).toEqual(["FF6|CT|File"]);
  });

  it("stay as they are if they were renewed", async () => {
    await add("AA1");
    now += 25 * DAY;
    const id = await dryRun(["AA1,CT,File"], { on_conflict: "replace" });
    now += DAY;
    await renewPlates(app, actor, { groupId: group, part: "near" });
    await applied(id);
    expect((await pagePlates(app, actor, { groupId: group })).plates).toMatchObject([
      { reason: "Stolen", expires_at: isoTime(now + 30 * DAY) },
    ]);
  });
});
