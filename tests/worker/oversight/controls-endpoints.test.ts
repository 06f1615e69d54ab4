import { beforeAll, describe, expect, it } from "vitest";
import { isAuditAction } from "#app/entities/oversight/audit-sentence.ts";
import { utcDay } from "#app/lib/time/dates.ts";
import { type AuditRow, anonymous, bindings, jsonInit, testApp } from "../../factories.ts";
import { ACCOUNT_ACTS } from "../../support/acts/account.ts";
import { ADMINISTRATION_ACTS } from "../../support/acts/administration.ts";
import { GROUP_LOOKS, HOTLIST_ACTS } from "../../support/acts/hotlists.ts";
import {
  type Act,
  type Acts,
  ask,
  type MakeAct,
  newScene,
  POST,
  type Scene,
  sent,
} from "../../support/acts/scene.ts";
import { expectLogged } from "../../support/quiet-console.ts";

// Every endpoint that changes data is in a table of acts, or is listed below with the reason why it
// needs no audit row.

const ACTS: Acts = { ...ACCOUNT_ACTS, ...HOTLIST_ACTS, ...ADMINISTRATION_ACTS };
const NAMES = Object.keys(ACTS);
/** Acts that share an endpoint have a suffix after its pattern. */
const routeOf = (name: string) => name.replace(/,.*$/, "");

/** Acts whose success is not audited, with the reason and the tables that they may change. */
const UNWRITTEN: Record<string, { why: string; touches: string[]; make: MakeAct }> = {
  "POST /second-factor/totp": {
    why: "A secret is not valid before its first code is accepted, and that is audited.",
    touches: ["totp_factors"],
    make: async ({ officer }) => look(officer, "/second-factor/totp", POST),
  },
  "POST /second-factor/passkey-options": {
    why: "Requests a challenge; the response to the challenge is the act.",
    touches: ["sessions"],
    make: async ({ officer }) => look(officer, "/second-factor/passkey-options", POST),
  },
  "POST /second-factor/challenge": {
    why: "Requests a challenge; the response to the challenge is the act.",
    touches: ["sessions"],
    make: async (_scene) => {
      const { who } = await actOf("DELETE /second-factor/passkeys/:id");
      return look(who, "/second-factor/challenge", POST);
    },
  },
  "POST /live-alerts/seen": {
    why: "Records up to which hit the user has seen the list, for that user alone.",
    touches: ["alerts_seen"],
    make: async ({ viewer }) => {
      const init = { method: "POST", body: JSON.stringify({ until: new Date().toISOString() }) };
      return look(viewer, "/live-alerts/seen", { ...init, headers: { "content-type": "application/json" } });
    },
  },
  "POST /map/find-place": {
    why: "Finds a town or an address on the map; the search around it is audited.",
    touches: [],
    make: async ({ admin }) => {
      const body = JSON.stringify({ text: "Hartford, CT" });
      const headers = { "content-type": "application/json" };
      return look(admin, "/map/find-place", { method: "POST", body, headers });
    },
  },
  "POST /searches-data": {
    why: "A page of the user's own searches, which are audited; a POST because the filter may contain a plate.",
    touches: [],
    make: async ({ officer }) => look(officer, "/searches-data", jsonInit({ find: "silver" })),
  },
  "POST /sso/find": {
    why: "Leads to the provider of an email domain; the sign-in there is audited.",
    touches: [],
    make: async () => {
      const body = new URLSearchParams({ email: "x@unknown.example" });
      return look({ ...anonymous, headers: {} }, "/sso/find", { method: "POST", body });
    },
  },
  "POST /generate-map-snapshot": {
    why: "Draws a map of a location, not of a read.",
    touches: [],
    make: async ({ officer }) => {
      const body = JSON.stringify({ latitude: 41.76, longitude: -72.67 });
      const headers = { "content-type": "application/json" };
      return look(officer, "/generate-map-snapshot", { method: "POST", body, headers });
    },
  },
  ...Object.fromEntries(
    Object.entries(GROUP_LOOKS).map(([route, make]) => [
      route,
      { why: "A page of a list; a POST because the filter may contain a plate.", touches: [], make },
    ]),
  ),
};

const look = (who: Act["who"], path: string, init: RequestInit): Act => ({ who, path, init, rows: [] });

/** Webhooks have no user: the posted data is the record. Other files test them. */
const WEBHOOKS = [
  "POST /ingest/axis",
  "POST /ingest/axis/:secret",
  "POST /ingest/rekor",
  "POST /ingest/rekor/:secret",
  "POST /sso/:agency/logout",
  "POST /restore/:id",
  "DELETE /restore",
];

/** The actor is an agency's SCIM client. tests/worker/users tests them. */
const PROVISIONING = ["Users", "Groups"].flatMap((name) => [
  `POST /scim/v2/${name}`,
  `PUT /scim/v2/${name}/:id`,
  `PATCH /scim/v2/${name}/:id`,
  `DELETE /scim/v2/${name}/:id`,
]);

let scene: Scene;
let allRows: D1PreparedStatement;
beforeAll(async () => {
  scene = await newScene();
  allRows = await statementOfAllRows();
  // Days of other tests, thousands of rows, would be most of what is compared.
  await bindings.DB.prepare("DELETE FROM read_places WHERE abs(day - ?) > 400")
    .bind(utcDay(Date.now()))
    .run();
  // The first search after a deployment records the databases, which is not an effect of an act.
  await testApp().places.noteDatabases();
});

async function actOf(name: string) {
  const make = ACTS[name];
  if (!make) throw new Error(`there is no act ${name}`);
  return make(scene);
}

type Declared = { route: string; access: string };

/** Returns every endpoint of the tables that is not a GET, with its access level. */
function declared(): Declared[] {
  const files = import.meta.glob<string>("/app/routes/endpoints/**/*.ts", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  return Object.values(files)
    .flatMap((text) => [...text.matchAll(/endpoint\(\s*"([A-Z]+ [^"]+)",\s*"([a-z-]+)"/g)])
    .map(([, route = "", access = ""]) => ({ route, access }))
    .filter(({ route }) => !route.startsWith("GET "));
}

const accessOf = (route: string) => declared().find((one) => one.route === route)?.access ?? "";

/** What may change besides the act's data: counters of attempts, and caches. */
const HARMLESS = new Set([
  "audit_log",
  "audit_chain",
  "audit_checkpoints",
  "sign_in_attempts",
  "figure_counts",
  "axon_tokens",
]);
const BUCKETS = ["RESULTS", "IMAGES", "ATTACHMENTS", "IMPORTS", "KEYS", "BACKUPS"] as const;
/** Ignored, because the last use of a session is not an act. */
const PASSING = new Set(["last_seen_at"]);

type State = Record<string, string>;

/** Returns a statement whose row has, for each table, the text of its rows. One statement, because this runs 1,000 times. */
async function statementOfAllRows(): Promise<D1PreparedStatement> {
  const { results } = await bindings.DB.prepare(
    `SELECT tables.name AS "table", columns.name AS "column" FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite~_%' ESCAPE '~'
      AND tables.name NOT LIKE '~_cf%' ESCAPE '~' AND tables.name NOT LIKE 'd1~_%' ESCAPE '~'`,
  ).all<{ table: string; column: string }>();
  const tables = Map.groupBy(
    results.filter(({ table, column }) => !HARMLESS.has(table) && !PASSING.has(column)),
    ({ table }) => table,
  );
  const texts = [...tables].map(([table, columns]) => {
    const row = columns.map(({ column }) => `quote("${column}")`).join(", ");
    return `(SELECT group_concat(concat_ws(',', ${row}), ';') FROM "${table}") AS "${table}"`;
  });
  return bindings.DB.prepare(`SELECT ${texts.join(", ")}`);
}

/** Returns all stored data: rows of all tables, objects of all buckets, messages sent to the queues. */
async function stateNow(): Promise<State> {
  const [rows, ...lists] = await Promise.all([
    allRows.first<State>(),
    ...BUCKETS.map((name) => bindings[name].list()),
  ]);
  const objects = BUCKETS.map((name, i) => [
    name,
    JSON.stringify(lists[i]?.objects.map(({ key, etag }) => [key, etag])),
  ]);
  return { ...rows, ...Object.fromEntries(objects), queues: JSON.stringify(sent) };
}

/** Returns the tables, buckets and queues that have changed. */
async function changedSince(before: State): Promise<string[]> {
  const now = await stateNow();
  return Object.keys(now).filter((name) => now[name] !== before[name]);
}

const lastRow = async () =>
  (await bindings.DB.prepare("SELECT coalesce(max(seq), 0) AS n FROM audit_log").first<number>("n")) ?? 0;

async function rowsSince(seq: number): Promise<AuditRow[]> {
  const { results } = await bindings.DB.prepare("SELECT * FROM audit_log WHERE seq > ? ORDER BY seq")
    .bind(seq)
    .all<AuditRow>();
  return results;
}

const tell = ({ who, path, init, origin }: Act, over: Partial<Act> = {}) =>
  ask(over.who ?? who, path, init, origin);

/** Sends an act as a user without permission. Returns the result. */
async function refusedTo(act: Act, who: Act["who"]) {
  const [seq, before] = [await lastRow(), await stateNow()];
  const { status, text } = await tell(act, { who });
  const rows = (await rowsSince(seq)).map(({ outcome, user_id }) => [outcome, user_id]);
  return { status, text, changed: await changedSince(before), rows };
}

describe("the tables of acts", () => {
  it("have every endpoint that may change data exactly once", () => {
    const routes = declared().map(({ route }) => route);
    expect(routes.length).toBeGreaterThan(80);
    const known = [...NAMES.map(routeOf), ...Object.keys(UNWRITTEN), ...WEBHOOKS, ...PROVISIONING];
    expect([...new Set(known)].sort()).toEqual(routes.sort());
    const ofLevel = (level: string) =>
      declared()
        .filter(({ access }) => access === level)
        .map(({ route }) => route);
    expect(ofLevel("webhook").sort()).toEqual([...WEBHOOKS].sort());
    expect(ofLevel("scim").sort()).toEqual([...PROVISIONING].sort());
    for (const { why } of Object.values(UNWRITTEN)) expect(why).toMatch(/\w\.$/);
  });
});

describe("an act", () => {
  it.each(NAMES)("happens with its audit rows or not at all: %s", async (name) => {
    let act = await actOf(name);
    let [seq, before] = [await lastRow(), await stateNow()];
    expectLogged(/the disk is full/);
    await bindings.DB.prepare(
      "CREATE TRIGGER no_more BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    ).run();
    try {
      const { status, text } = await tell(act);
      expect([status, text]).toEqual([expect.toSatisfy((code: number) => code >= 500), expect.anything()]);
      // A code or challenge can be used once, whatever the result.
      const spent = act.once ? ["recovery_codes", "totp_factors", "passkeys", "sessions"] : [];
      expect((await changedSince(before)).filter((table) => !spent.includes(table))).toEqual([]);
    } finally {
      await bindings.DB.prepare("DROP TRIGGER no_more").run();
    }
    expect(await lastRow()).toBe(seq);

    // Once the log accepts rows again, the same request succeeds.
    if (act.once) act = await actOf(name);
    [seq, before] = [await lastRow(), await stateNow()];
    const { status, text } = await tell(act);
    expect([status, text]).toEqual([200, expect.anything()]);
    const rows = await rowsSince(seq);
    expect(rows.map(({ action, outcome }) => [action, outcome])).toEqual(act.rows.map((row) => [row, "ok"]));
    const changed = await changedSince(before);
    if (act.looks) expect(changed).toEqual([]);
    else expect(changed).not.toEqual([]);
  });

  it.each(NAMES)("changes nothing if refused, and the refusal has a row: %s", async (name) => {
    const act = await actOf(name);
    const access = accessOf(routeOf(name));
    if (access === "public" || access === "local") {
      const wrong = { ...act, init: { ...act.init, body: JSON.stringify({ username: "x", password: "y" }) } };
      expect(await refusedTo(wrong, act.who)).toMatchObject({
        status: 401,
        changed: [],
        rows: [["refused", ""]],
      });
      return;
    }
    expect(await refusedTo(act, anonymous)).toMatchObject({
      status: name === "POST /logout" ? 200 : 401,
      changed: [],
      rows: [],
    });
    if (access !== "signed-in") {
      const rows = [["refused", scene.officer.user?.id]];
      expect(await refusedTo(act, scene.officer)).toMatchObject({ status: 403, changed: [], rows });
    }
    if (act.own) {
      const stranger = act.who === scene.stranger ? scene.hotadmin : scene.stranger;
      expect(await refusedTo(act, stranger)).toMatchObject({
        status: expect.toSatisfy((code: number) => [400, 403, 404].includes(code)),
        changed: [],
        rows: [["refused", stranger.user?.id]],
      });
    }
  });
});

describe("a refusal", () => {
  it("because of existing data has an audit row", async () => {
    const act = await actOf("POST /add-axon-integration");
    expect((await tell(act)).status).toBe(200);
    const rows = [["refused", scene.admin.user?.id]];
    expect(await refusedTo(act, scene.admin)).toMatchObject({ status: 409, changed: [], rows });
  });
});

describe("every act above", () => {
  it("has a sentence in the audit log", async () => {
    const { results } = await bindings.DB.prepare("SELECT DISTINCT action FROM audit_log").all<AuditRow>();
    const actions = results.map(({ action }) => action);
    expect(actions.length).toBeGreaterThan(40);
    expect(actions.filter((action) => !isAuditAction(action))).toEqual([]);
  });
});

describe("what is not audited", () => {
  it.each(Object.entries(UNWRITTEN))(
    "changes only the tables that its reason covers: %s",
    async (_, entry) => {
      const { make, touches } = entry;
      const act = await make(scene);
      const [seq, before] = [await lastRow(), await stateNow()];
      expect((await tell(act)).status).toBe(200);
      expect((await changedSince(before)).filter((table) => !touches.includes(table))).toEqual([]);
      expect(await rowsSince(seq)).toEqual([]);
    },
  );
});
