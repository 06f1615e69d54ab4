// Plates that were removed from a group: who sees them, in which order, and how they are found.

import { beforeAll, beforeEach, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { createGroup } from "#app/domain/hotlists/group-changes.ts";
import { continueImport } from "#app/domain/hotlists/import-work.ts";
import { applyImport, startImport } from "#app/domain/hotlists/imports.ts";
import { answerInvitation, inviteAgency } from "#app/domain/hotlists/invitations.ts";
import { addPlate, removePlate } from "#app/domain/hotlists/plate-changes.ts";
import { pagePlates } from "#app/domain/hotlists/plates.ts";
import { pageRemovedPlates } from "#app/domain/hotlists/removed-plates.ts";
import { AddPlate, GroupForm, ImportOptions } from "#app/entities/hotlists/calls.ts";
import { DAY, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { openControl } from "#app/store/database.ts";
import { moveFormerEntries } from "#app/store/hotlists/former-entries.ts";
import {
  actorOf,
  auditOf,
  bindings,
  type Client,
  client,
  formInit,
  newWorld,
  quietApp,
  sessionActorOf,
  type TestUser,
  type World,
} from "../../factories.ts";
import { plansOf } from "../../support/workerd/queries.ts";

const START = Date.UTC(2026, 10, 20, 12);
let now = START;
let app: AppContext;
let world: World;
let hotadmin: Client;
let group: string;

beforeAll(async () => {
  world = await newWorld();
  hotadmin = await client(world.users.hotadmin);
});

beforeEach(async () => {
  now = START;
  app = quietApp(() => now);
  const form = GroupForm.parse({ group_name: "Stolen" });
  group = (await createGroup(app, await actorOf(hotadmin), { form, image: null, plates: [] })).group_id;
});

async function add(plate_number: string, over: object = {}): Promise<void> {
  const call = AddPlate.parse({ plate_number, reason: "Stolen", state: "CT", group_id: group, ...over });
  await addPlate(app, await actorOf(hotadmin), call);
}

async function remove(plate: string): Promise<void> {
  const actor = await actorOf(hotadmin);
  const { plates } = await pagePlates(app, actor, { groupId: group, search: plate });
  await removePlate(app, actor, { groupId: group, plateId: String(plates[0]?.id) });
}

const importer = async () => sessionActorOf(world.users.hotadmin, world.ours.name);

const move = () =>
  moveFormerEntries(openControl(bindings.DB), { agencyId: world.ours.id, before: now + 1, limit: 1000 });

async function page(over: { find?: string; after?: string | null } = {}) {
  return pageRemovedPlates(app, await actorOf(hotadmin), { groupId: group, find: "", after: null, ...over });
}

async function listed(find = ""): Promise<string[]> {
  return (await page({ find })).plates.map(({ plate }) => plate);
}

/** Lets the user's agency participate in the group. */
async function joinAs(user: TestUser): Promise<void> {
  await inviteAgency(app, await actorOf(hotadmin), { groupId: group, agencyId: user.agencyId });
  await answerInvitation(app, await actorOf(await client(user)), { groupId: group, accept: true });
}

/** Adds removed plates P1, P2, …, P1 the latest; ten of them were removed at one time. */
async function addFormer(count: number): Promise<void> {
  await bindings.DB.prepare(
    `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?2)
    INSERT INTO former_entries (group_id, id, plate, state, reason, notes, case_number, match_policy, state_required, make,
      color, body_type, priority, created_at, added_by, added_by_name, added_by_agency, from_version, until_version, ended_at)
    SELECT ?1, 1e9 - n, 'P' || n, '', 'Stolen', '', '', 'exact', 0, '', '', '', 'normal', 1, 'u', 'U', 'A', 1, 2, ?3 - n / 10
    FROM n`,
  )
    .bind(group, count, START - DAY)
    .run();
}

it("is listed with who added and removed it and when, at once and after it has moved to the history", async () => {
  await add("ABC1234", { case_number: "26-77" });
  await add("KEPT1");
  now += MINUTE;
  await remove("ABC1234");
  const { name } = world.users.hotadmin;
  const expected = {
    group: "Stolen",
    plates: [
      {
        id: expect.any(Number),
        plate: "ABC1234",
        state: "CT",
        reason: "Stolen",
        case_number: "26-77",
        added_at: isoTime(START),
        added_by: name,
        added_by_agency: world.ours.name,
        removed_at: isoTime(START + MINUTE),
        removed_by: name,
      },
    ],
    older: false,
    next: null,
    searched_to: null,
  };
  expect(await page()).toEqual(expected);
  expect(await move()).toBe(1);
  expect(await page()).toEqual(expected);
});

it("comes before those that were removed earlier, in whichever table they are", async () => {
  for (const plate of ["AAA1", "BBB2", "CCC3"]) await add(plate);
  for (const plate of ["BBB2", "AAA1"]) {
    now += MINUTE;
    await remove(plate);
  }
  await move();
  now += MINUTE;
  await remove("CCC3");
  expect(await listed()).toEqual(["CCC3", "AAA1", "BBB2"]);
});

it("is found by its beginning or a pattern, and the look-up is in the audit log once", async () => {
  for (const plate of ["ABC123", "ABD123", "XABC1"]) await add(plate);
  for (const plate of ["ABC123", "ABD123", "XABC1"]) await remove(plate);
  await move();
  expect((await listed("ab")).toSorted()).toEqual(["ABC123", "ABD123"]);
  expect((await listed("a b")).toSorted()).toEqual(["ABC123", "ABD123"]);
  expect(await listed("*bc1")).toEqual(["XABC1"]);
  expect(await listed("ABC123*")).toEqual(["ABC123"]);
  expect(await listed("Q")).toEqual([]);
  expect(await listed("%")).toEqual([]);
  await listed();
  const rows = await auditOf(world.users.hotadmin, 4);
  expect(rows.map(({ action, plate, object }) => [action, plate, object])).toEqual(
    ["AB", "*BC1", "ABC123*", "Q"].map((plate) => ["plates.view", plate, group]),
  );
});

it("is not listed while it is replaced by an import that is not applied", async () => {
  await add("AAA1");
  const body = new TextEncoder().encode("plate,state,reason\nBBB2,CT,Stolen");
  const actor = await importer();
  const options = ImportOptions.parse({ mode: "replace" });
  const { id } = await startImport(app, actor, { groupId: group, options, body, size: body.length });
  await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
  expect(await listed()).toEqual([]);
  now += MINUTE;
  await applyImport(app, actor, { groupId: group, id });
  await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
  const { plates } = await page();
  expect(plates.map(({ plate, removed_by }) => [plate, removed_by])).toEqual([
    ["AAA1", world.users.hotadmin.name],
  ]);
});

it("is on one page only, of fifty, also if many were removed at one time", async () => {
  await add("NEW1");
  await remove("NEW1");
  await addFormer(120);
  const seen: string[] = [];
  let after: string | null = null;
  const sizes: number[] = [];
  do {
    const { plates, older, next, searched_to } = await page({ after });
    expect([older, searched_to]).toEqual([after !== null, null]);
    sizes.push(plates.length);
    seen.push(...plates.map(({ plate }) => plate));
    after = next;
  } while (after);
  expect(sizes).toEqual([50, 50, 21]);
  expect(seen).toEqual(["NEW1", ...Array.from({ length: 120 }, (_, i) => `P${i + 1}`)]);
  expect((await page({ after: "what?" })).plates).toHaveLength(50);
});

it("is not missed if the text is changed and the next page of the former one is asked for", async () => {
  await addFormer(60);
  const { next } = await page({ find: "P" });
  expect((await page({ find: "P", after: next })).plates.map(({ plate }) => plate)).toContain("P60");
  const other = await page({ find: "P1", after: next });
  expect([other.older, other.plates[0]?.plate]).toEqual([false, "P1"]);
});

it("is found in parts of 100,000 plates, and the answer says how far back it has looked", async () => {
  await addFormer(100_002);
  const first = await page({ find: "P100002" });
  expect(first).toMatchObject({ plates: [], searched_to: isoTime(START - DAY - 10_000) });
  const second = await page({ find: "P100002", after: first.next });
  expect(second.plates.map(({ plate }) => plate)).toEqual(["P100002"]);
  expect([second.next, second.searched_to]).toEqual([null, null]);
  const all = await page({ find: "P" });
  expect([all.plates.length, all.searched_to]).toEqual([50, null]);
});

it("is found by ranges of the two tables", async () => {
  const { database: DB, plans } = plansOf(bindings.DB);
  const planned = { ...app, db: openControl(DB) };
  const find = { groupId: group, find: "P1", after: null };
  await pageRemovedPlates(planned, await actorOf(hotadmin), find);
  const [countedTo, listing] = await plans("former_entries");
  for (const one of [countedTo, listing]) {
    expect(one?.plan).toContain("SEARCH e USING PRIMARY KEY (group_id=? AND ended_at<?)");
    expect(one?.plan).toContain("SEARCH e USING INDEX hotlist_entries_former (group_id=? AND <expr><?)");
  }
});

it("is shown to those who manage the group, also once it is archived, and to no one else", async () => {
  await add("ABC1234");
  await remove("ABC1234");
  const path = `/groups/${group}/removed`;
  const shown = await hotadmin.fetch(path);
  expect(shown.status).toBe(200);
  expect(await shown.text()).toContain("Removed plates, the latest removal first");
  const form = formInit({ intent: "find", find: "ABC" });
  expect(await (await hotadmin.fetch(path, form)).text()).toContain("1 plate listed");
  const none = await (await hotadmin.fetch(path, formInit({ intent: "find", find: "XYZ" }))).text();
  expect(none).toContain("No removed plates match");
  const { admin, strangeAdmin, officer, viewer } = world.users;
  await joinAs(strangeAdmin);
  expect((await (await client(strangeAdmin)).fetch(`/groups/${group}`)).status).toBe(200);
  for (const user of [strangeAdmin, officer, viewer]) {
    const other = await client(user);
    for (const init of [undefined, form]) {
      const refused = await other.fetch(path, init);
      expect([user.email, init?.method, refused.status]).toEqual([user.email, init?.method, 403]);
      expect(await refused.text()).not.toContain("ABC1234");
    }
  }
  const unknown = await (await client(admin)).fetch("/groups/unknown/removed");
  expect(unknown.status).toBe(404);
  await bindings.DB.prepare("UPDATE alert_groups SET archived_at = 1 WHERE id = ?").bind(group).run();
  expect(await (await (await client(admin)).fetch(path)).text()).toContain("Removed plates, the latest");
});
