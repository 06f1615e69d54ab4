import { beforeAll, expect, it } from "vitest";
import { createGroup, editGroup } from "#app/domain/hotlists/group-changes.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { GroupForm, NewPlate } from "#app/entities/hotlists/calls.ts";
import { bindings, newWorld, sessionActorOf, testApp, unique, type World } from "../../factories.ts";
import { queriesOf } from "../../support/workerd/queries.ts";

/**
 * A save may have 5,000 plates with a file each, and members of every agency. These would show a query for each file and
 * three for each agency; D1 allows 1,000 for the whole request.
 */
const [FILES, AGENCIES, FEW] = [300, 400, 100];
const { database, count } = queriesOf(bindings.DB);
const app = testApp(Date.now, { DB: database });

let world: World;
let actor: SessionActor;

beforeAll(async () => {
  world = await newWorld();
  actor = sessionActorOf(world.users.hotadmin, world.ours.name, { ip: "192.0.2.7" });
});

const newGroup = (members: string[] = []) =>
  createGroup(app, actor, {
    form: GroupForm.parse({
      group_name: unique("group"),
      group_description: "",
      group_members: members.join(","),
    }),
    image: null,
    plates: [],
  });

const audited = (groupId: string, action: string) =>
  bindings.DB.prepare("SELECT count(*) AS n FROM audit_log WHERE object = ? AND action = ?")
    .bind(groupId, action)
    .first<number>("n");

it("the files of many plates are saved within D1's limit", async () => {
  const { group_id: id } = await newGroup();
  const bytes = new TextEncoder().encode("%PDF-1.4\n1 0 obj\n<< >>\nendobj\n%%EOF\n");
  const plates = Array.from({ length: FILES }, (_, i) => ({
    plate: NewPlate.parse({ number: `QL${10_000 + i}`, reason: "Stolen vehicle" }),
    file: { name: `Order ${i}.pdf`, bytes },
  }));
  const form = GroupForm.parse({ group_name: unique("group"), group_description: "" });
  expect(await count(() => editGroup(app, actor, { id, form, image: null, plates }))).toBeLessThan(FEW);
  const { results } = await bindings.DB.prepare(
    `SELECT a.name, a.type, a.size, a.created_by FROM attachments a
    JOIN hotlist_entries e ON e.attachment_id = a.id WHERE a.group_id = ? ORDER BY e.id`,
  )
    .bind(id)
    .all();
  expect(results).toEqual(
    plates.map(({ file }) => ({
      name: file.name,
      type: "application/pdf",
      size: bytes.length,
      created_by: actor.userId,
    })),
  );
});

it("members of many agencies are invited within D1's limit", async () => {
  const prefix = unique("many");
  const names = Array.from({ length: AGENCIES }, (_, i) => `${prefix}-${i}`);
  const list = JSON.stringify(names);
  await bindings.DB.batch([
    bindings.DB.prepare(
      "INSERT INTO agencies (id, name, time_zone, created_at) SELECT value, value, 'UTC', 1 FROM json_each(?)",
    ).bind(list),
    bindings.DB.prepare(
      `INSERT INTO users (id, agency_id, username, name, email, role, hotlist_viewer, password_hash, created_at)
      SELECT 'u-' || value, value, 'u-' || value, value, value || '@police.example', 'user', 1, 'none', 1
      FROM json_each(?)`,
    ).bind(list),
  ]);
  let id = "";
  const made = await count(async () => {
    id = (await newGroup(names.map((name) => `u-${name}`))).group_id;
  });
  expect(made).toBeLessThan(FEW);
  const invitations = await bindings.DB.prepare(
    `SELECT count(*) AS n FROM alert_group_invitations i
    JOIN alert_group_proposals p ON p.group_id = i.group_id AND p.user_id = 'u-' || i.agency_id
    WHERE i.group_id = ? AND i.state = 'pending' AND i.invited_by = ?`,
  )
    .bind(id, actor.userId)
    .first<number>("n");
  expect(invitations).toBe(AGENCIES);
  expect(await audited(id, "group.invite")).toBe(AGENCIES);
});
