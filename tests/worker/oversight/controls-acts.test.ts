import { createExecutionContext } from "cloudflare:test";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Env } from "#app/context.ts";
import { DEFAULT_POLICY } from "#app/entities/users/policy.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import worker from "../../../workers/app.ts";
import {
  type AuditRow,
  bindings,
  client,
  formInit,
  jsonInit,
  newWorld,
  ORIGIN,
  searchBody,
  unique,
  type World,
} from "../../factories.ts";
import { faultyD1, seeded } from "../../support/faults.ts";
import { expectLogged } from "../../support/quiet-console.ts";

// A change and its audit row are one transaction. Sends acts on every kind of object to the Worker: with a log
// that accepts rows, with one that accepts none, and with a database that fails in a tenth of all calls.

let world: World;
/** Headers of the users, who signed in before any failure. */
let headers: Record<"admin" | "owner" | "hotadmin" | "officer", Record<string, string>>;
let group: string;
/** The IP address that these requests come from. */
const ADDRESS = "198.51.100.23";

beforeAll(async () => {
  world = await newWorld();
  const of = async (name: keyof typeof headers) => (await client(world.users[name])).headers;
  headers = {
    admin: await of("admin"),
    owner: await of("owner"),
    hotadmin: await of("hotadmin"),
    officer: await of("officer"),
  };
  const made = await send("hotadmin", "/groups/create-mobile", formInit({ group_name: "Stolen" }));
  const { group_id }: { group_id: string } = await made.json();
  group = group_id;
});

async function send(
  who: keyof typeof headers,
  path: string,
  init: RequestInit,
  env: Env = bindings,
): Promise<Response> {
  const own = { ...headers[who], ...(init.headers as Record<string, string>), "cf-connecting-ip": ADDRESS };
  const request = new Request(new URL(path, ORIGIN), { ...init, headers: own });
  return worker.fetch(request as Parameters<typeof worker.fetch>[0], env, createExecutionContext());
}

const one = (sql: string) => bindings.DB.prepare(sql).first<string>("id");
const plateOf = () => unique("x").replace(/\W/g, "").slice(-7).toUpperCase();

type Act = { who: keyof typeof headers; path: string; init: RequestInit; action: string };

/** Acts that succeed if nothing fails, created for each attempt. Null if there is no object to act on. */
const ACTS: Record<string, () => Promise<Act | null>> = {
  "a search": async () => ({
    who: "officer",
    path: "/search-data",
    init: jsonInit(searchBody([world.ours.id], { plate: plateOf() })),
    action: "search",
  }),
  "an agency is shared with": async () => ({
    who: "admin",
    path: "/add-axis-share",
    init: jsonInit({ agency_id: world.theirs.id, declaration: unique("MOU") }),
    action: "sharing.allow",
  }),
  "sharing is stopped": async () =>
    (await one(`SELECT viewer_agency_id AS id FROM axis_shares WHERE owner_agency_id = '${world.ours.id}'`))
      ? {
          who: "admin",
          path: "/remove-axis-share",
          init: jsonInit({ agency_id: world.theirs.id }),
          action: "sharing.refuse",
        }
      : null,
  "a key is added": async () => ({
    who: "admin",
    path: "/add-api-key",
    init: jsonInit({ agency: unique("Agency"), api_key: `key-${unique("key")}`, source_program: "Rekor" }),
    action: "integration.add",
  }),
  "a key is deleted": async () => {
    const id = await one(
      `SELECT id FROM rekor_keys WHERE tenant_id = '${world.ours.id}' AND agency LIKE 'Agency-%' LIMIT 1`,
    );
    return id
      ? {
          who: "admin",
          path: `/delete-api-key/${id}`,
          init: { method: "DELETE" },
          action: "integration.remove",
        }
      : null;
  },
  "a webhook is made": async () => ({
    who: "admin",
    path: "/rekor-webhooks",
    init: jsonInit({ name: unique("webhook") }),
    action: "door.add",
  }),
  "a camera is added": async () => ({
    who: "admin",
    path: "/axis-cameras",
    init: jsonInit({ name: unique("camera"), latitude: 41.7, longitude: -72.6 }),
    action: "camera.add",
  }),
  "a hold is asked for": async () => ({
    who: "admin",
    path: "/legal-holds/request",
    init: jsonInit({
      case_number: unique("26"),
      reason: "Evidence for the trial",
      plates: plateOf(),
      start: isoTime(Date.now() - DAY),
      end: isoTime(Date.now()),
    }),
    action: "legal-hold.request",
  }),
  "a hold is approved": async () => {
    const id = await one("SELECT id FROM legal_holds WHERE state = 'requested' LIMIT 1");
    return id
      ? {
          who: "owner",
          path: `/legal-holds/${id}/approve`,
          init: { method: "POST" },
          action: "legal-hold.approve",
        }
      : null;
  },
  "a hold is released": async () => {
    const id = await one("SELECT id FROM legal_holds WHERE state = 'active' LIMIT 1");
    return id
      ? {
          who: "owner",
          path: `/legal-holds/${id}/release`,
          init: { method: "POST" },
          action: "legal-hold.release",
        }
      : null;
  },
  "a group is made": async () => ({
    who: "hotadmin",
    path: "/groups/create-mobile",
    init: formInit({ group_name: unique("group") }),
    action: "group.create",
  }),
  "a plate is listed": async () => ({
    who: "hotadmin",
    path: "/hotlist/add-plate-direct",
    init: jsonInit({ plate_number: plateOf(), reason: "Stolen", state: "CT", notes: "", group_id: group }),
    action: "plate.add",
  }),
  "a user is added": async () => ({
    who: "admin",
    path: "/admin/add-user",
    init: jsonInit({
      username: unique("user"),
      name: "Pat Example",
      email: "pat@x.example",
      role: "user",
      password: "Willow-Kettle-38",
    }),
    action: "user.add",
  }),
  "a policy is changed": async () => ({
    who: "owner",
    path: `/owner/agencies/${world.theirs.id}`,
    init: jsonInit(
      { name: world.theirs.name, policy: { ...DEFAULT_POLICY, idle_minutes: 5 + (++changes % 20) } },
      { method: "PUT" },
    ),
    action: "agency.change",
  }),
};
let changes = 0;
const NAMES = Object.keys(ACTS);

/** Changes that are not a user's act: last use of a session, vendor health, caches. */
const IGNORED = new Set([
  "audit_log",
  "audit_chain",
  "sessions",
  "integration_health",
  "axon_tokens",
  "saved_once",
]);

async function stateNow(): Promise<string> {
  const { results } = await bindings.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'd1_%' ORDER BY name",
  ).all<{ name: string }>();
  const tables = results.map(({ name }) => name).filter((name) => !IGNORED.has(name));
  const dumps = await bindings.DB.batch(tables.map((name) => bindings.DB.prepare(`SELECT * FROM "${name}"`)));
  return JSON.stringify(dumps.map((dump, i) => [tables[i], dump.results]));
}

const lastRow = async () =>
  (await bindings.DB.prepare("SELECT coalesce(max(seq), 0) AS n FROM audit_log").first<number>("n")) ?? 0;

/** Returns the rows of successful acts after a row, without the separate rows of finished searches. */
async function actsSince(seq: number): Promise<(AuditRow & { ip: string })[]> {
  const { results } = await bindings.DB.prepare(
    "SELECT * FROM audit_log WHERE seq > ? AND outcome = 'ok' AND action <> 'search.finished' ORDER BY seq",
  )
    .bind(seq)
    .all<AuditRow & { ip: string }>();
  return results;
}

describe("an act and its audit row", () => {
  it.each(NAMES)("both exist: %s, with time, user, IP address, session and object", async (name) => {
    const act = await ACTS[name]?.();
    if (!act) throw new Error(`there is no act ${name}`);
    const [seq, before, from] = [await lastRow(), await stateNow(), Date.now()];
    const answer = await send(act.who, act.path, act.init);
    expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
    expect(await stateNow()).not.toBe(before);
    const rows = await actsSince(seq);
    expect(rows.map(({ action }) => action)).toEqual([act.action]);
    const [row] = rows;
    const user = world.users[act.who];
    expect(row).toMatchObject({
      user_id: user.id,
      username: user.username,
      agency_id: user.agencyId,
      ip: ADDRESS,
      object: expect.stringMatching(/./),
      session_id: expect.stringMatching(/./),
    });
    // Milliseconds since 1970, independent of time zones.
    expect(row?.at).toBeGreaterThanOrEqual(from);
    expect(row?.at).toBeLessThanOrEqual(Date.now());
  });

  it.each(NAMES)("neither exists if the log accepts no row: %s", async (name) => {
    const act = (await ACTS[name]?.()) ?? (await ACTS["a key is added"]?.());
    if (!act) throw new Error(`nothing to do for ${name}`);
    await bindings.DB.prepare(
      "CREATE TRIGGER no_more BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    ).run();
    expectLogged(/./);
    const [seq, before] = [await lastRow(), await stateNow()];
    try {
      expect((await send(act.who, act.path, act.init)).status).toBeGreaterThanOrEqual(500);
      expect(await stateNow()).toBe(before);
    } finally {
      await bindings.DB.prepare("DROP TRIGGER no_more").run();
    }
    expect(await lastRow()).toBe(seq);
  });

  it("match for any sequence of acts over a database that sometimes fails", async () => {
    expectLogged(/./);
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 8 }),
        fc.integer(),
        async (names, seed) => {
          const { database } = faultyD1(bindings.DB, { random: seeded(seed), rate: 0.1 });
          for (const name of names) {
            const act = await ACTS[name]?.();
            if (!act) continue;
            const [seq, before] = [await lastRow(), await stateNow()];
            await (await send(act.who, act.path, act.init, { ...bindings, DB: database })).text();
            const mutations = Number((await stateNow()) !== before);
            changed += mutations;
            expect([name, (await actsSince(seq)).length]).toEqual([name, mutations]);
          }
        },
      ),
      { numRuns: 12 },
    );
    expect(changed).toBeGreaterThan(10);
  });
});
