// Whole lists of plates and hits, which are sent while they are read: their reader is checked again on the way.

import { beforeEach, describe, expect, it } from "vitest";
import { resumeService, serviceActor } from "#app/domain/accounts/service-token.ts";
import { streamAlerts } from "#app/domain/alerts/history.ts";
import { streamPlates } from "#app/domain/hotlists/plates.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { alertQueryOf } from "#app/http/queries.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import {
  anAlert,
  bindings,
  bodyOf,
  client,
  formInit,
  newAgency,
  newService,
  newUser,
  quietApp,
  sessionActorOf,
  type TestUser,
  unique,
} from "../../factories.ts";

/** More than three pages of plates or hits. */
const ROWS = 7_600;
let now = 0;
const app = quietApp(() => now);
let agency: { id: string; name: string };
let viewer: TestUser;
let groupId: string;

beforeEach(async () => {
  now = Date.now();
  agency = await newAgency();
  viewer = await newUser((await newAgency()).id, { hotlistViewer: true });
  const admin = await client(await newUser(agency.id, { hotlistAdmin: true }));
  const group = { group_name: unique("Group"), group_members: viewer.id };
  const answerer = await client(await newUser(viewer.agencyId, { hotlistAdmin: true }));
  const plate = { "plates[0][number]": "P0", "plates[0][reason]": "Stolen" };
  const created = await bodyOf<{ group_id: string }>(admin.fetch("/groups/create-mobile", formInit(group)));
  groupId = created.group_id;
  await answerer.post(`/groups/${groupId}/invitation-answer`, { accept: true });
  await admin.fetch(`/groups/${groupId}/edit-mobile`, formInit({ ...group, ...plate }));
  const alert = await anAlert({ id: groupId, agencyId: agency.id });
  await repeat("hotlist_entries", { group_id: groupId }, { id: null, plate: "'P' || i" });
  await repeat("alerts", { id: alert.id }, { id: "id || i", pass_key: "pass_key || i" });
});

/** Copies a row many times, some columns with other values. */
async function repeat(table: string, where: Record<string, string>, over: Record<string, string | null>) {
  const [[key, value] = ["", ""]] = Object.entries(where);
  const row = await bindings.DB.prepare(`SELECT * FROM ${table} WHERE ${key} = ?`).bind(value).first();
  const columns = Object.keys(row ?? {});
  const values = columns.map((column) => (column in over ? (over[column] ?? "NULL") : column));
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
     INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM n, ${table} WHERE ${key} = ?`,
  )
    .bind(value)
    .run();
}

const lists: [string, (actor: Actor) => Promise<{ pages: AsyncGenerator<object[]> }>][] = [
  ["plates", (actor) => streamPlates(app, actor, groupId)],
  ["hits", (actor) => streamAlerts(app, actor, { groupId, query: alertQueryOf(new URLSearchParams()) })],
];

const change = (sql: string, id: string) => bindings.DB.prepare(sql).bind(id).run();
const losses: [string, string][] = [
  ["is disabled", "UPDATE users SET disabled_at = 1 WHERE id = ?"],
  ["is deleted", "UPDATE users SET disabled_at = 1, deleted_at = 1 WHERE id = ?"],
  ["loses the right", "UPDATE users SET hotlist_viewer = 0 WHERE id = ?"],
  ["is no member any more", "DELETE FROM alert_group_members WHERE user_id = ?"],
];

const serviceLosses: [string, string][] = [
  ["is disabled", "UPDATE service_accounts SET disabled_at = 1 WHERE id = ?"],
  ["is deleted", "DELETE FROM service_accounts WHERE id = ?"],
  [
    "has no responsible user any more",
    "UPDATE users SET role = 'user' WHERE id = (SELECT token_by FROM service_accounts WHERE id = ?)",
  ],
];

/** Returns a service account that this administrator created, as the actor of its own calls. */
async function serviceOf(admin: TestUser): Promise<Actor> {
  const { token } = await newService(await client(admin), { scopes: ["hits", "hotlists"] });
  return serviceActor(
    await resumeService(app, { token, caller: { ip: "local", userAgent: "" } }),
    "hotlist-admin",
  );
}

describe.each(lists)("a whole list of %s", (_, open) => {
  /** Reads the list, with a minute between two pages. Returns how many rows there were. */
  async function readAll({ pages }: Awaited<ReturnType<typeof open>>, afterFirst?: () => Promise<unknown>) {
    let rows = 0;
    for await (const page of pages) {
      if (rows === 0) await afterFirst?.();
      rows += page.length;
      now += MINUTE;
    }
    return rows;
  }

  it("is complete for those who keep their rights", async () => {
    const admin = await newUser(agency.id, { role: "admin" });
    const service = await serviceOf(admin);
    for (const actor of [sessionActorOf(viewer, agency.name), sessionActorOf(admin, agency.name), service])
      expect([actor.username, await readAll(await open(actor))]).toEqual([actor.username, ROWS + 1]);
  });

  it.each(serviceLosses)("stops when the service account that reads it %s", async (_loss, sql) => {
    const admin = await newUser(agency.id, { role: "admin" });
    const service = await serviceOf(admin);
    const reading = readAll(await open(service), () => change(sql, service.userId));
    await expect(reading).rejects.toMatchObject({ code: "forbidden" });
  });

  it.each(losses)("stops when its reader %s", async (_loss, sql) => {
    const list = await open(sessionActorOf(viewer, agency.name));
    const reading = readAll(list, () => change(sql, viewer.id));
    await expect(reading).rejects.toMatchObject({ code: expect.stringMatching(/^(forbidden|not_found)$/) });
  });
});
