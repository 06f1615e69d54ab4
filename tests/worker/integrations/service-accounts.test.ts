import { afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { SERVICE_SCOPES } from "#app/entities/accounts/service-scopes.ts";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import { MAX_SERVICE_ACCOUNTS, type ServiceAccountRow } from "#app/entities/integrations/service-accounts.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertServiceRefusal } from "#app/store/oversight/audit.ts";
import {
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  dumpDatabases,
  jsonInit,
  newService,
  newUser,
  newWorld,
  type ServiceClient,
  testApp,
  unique,
  type World,
} from "../../factories.ts";

let world: World;
let admin: Client;
let strangeAdmin: Client;

beforeAll(async () => {
  world = await newWorld();
  [admin, strangeAdmin] = await Promise.all([client(world.users.admin), client(world.users.strangeAdmin)]);
});

afterEach(() => {
  vi.useRealTimers();
});

/** An endpoint that the scope "health" allows. */
const PROBE = "/camera-health";
const probing = (over: object = {}) => newService(admin, { scopes: ["health"], ...over });
const from = (ip: string) => ({ headers: { "cf-connecting-ip": ip } });
const statusOf = async (who: Pick<Client, "fetch">, path = PROBE, init: RequestInit = {}) =>
  (await who.fetch(path, init)).status;
const listed = async (id: string) =>
  (await bodyOf<ServiceAccountRow[]>(admin.fetch("/service-accounts"))).find((row) => row.id === id);

/** Moves the clock forward without ending the sessions of the users. */
function later(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + ms);
}

async function rotated(service: ServiceClient, body: object): Promise<Pick<Client, "fetch">> {
  const answer = await admin.post(`/service-accounts/${service.id}/rotate`, body);
  expect(answer.status).toBe(200);
  const { token } = await bodyOf<{ token: string }>(answer);
  return {
    fetch: (path, init) => service.fetch(path, { ...init, headers: { authorization: `Bearer ${token}` } }),
  };
}

describe("a service account", () => {
  it("shows its token once, and only a hash is stored", async () => {
    const service = await probing();
    expect(service.token).toMatch(/^odin_sa_[\w-]{43}$/);
    expect(await statusOf(service)).toBe(200);
    expect(JSON.stringify(await listed(service.id))).not.toContain(service.token);
    expect(await dumpDatabases()).not.toContain(service.token.slice(8));
  });

  it("can be changed, disabled, enabled and deleted, each with immediate effect and an audit row", async () => {
    const service = await probing();
    const path = `/service-accounts/${service.id}`;
    const fields = { name: unique("renamed"), scopes: ["hits"], per_minute: 5 };
    expect(await statusOf(admin, path, jsonInit(fields, { method: "PUT" }))).toBe(200);
    expect(await listed(service.id)).toMatchObject({ ...fields, addresses: [] });
    expect([await statusOf(service), await statusOf(service, "/alerts-data")]).toEqual([403, 200]);
    expect((await admin.post(`${path}/on`, { on: false })).status).toBe(200);
    expect(await statusOf(service, "/alerts-data")).toBe(401);
    expect(await listed(service.id)).toMatchObject({
      state: "disabled",
      last_refusal: "This service account is disabled.",
    });
    expect((await admin.post(`${path}/on`, { on: true })).status).toBe(200);
    expect(await statusOf(service, "/alerts-data")).toBe(200);
    expect(await statusOf(admin, path, { method: "DELETE" })).toBe(200);
    expect(await statusOf(service, "/alerts-data")).toBe(401);
    expect((await auditOf(world.users.admin, 5)).map(({ action, object }) => [action, object])).toEqual(
      ["add", "change", "off", "on", "delete"].map((act) => [`service-account.${act}`, service.id]),
    );
  });

  it("keeps its addresses and its limit if a change names none", async () => {
    const { id } = await probing();
    const path = `/service-accounts/${id}`;
    const change = (fields: object) => statusOf(admin, path, jsonInit(fields, { method: "PUT" }));
    const named = { name: unique("kept"), scopes: ["hits"] };
    expect(await change({ ...named, addresses: ["192.0.2.0/24"], per_minute: 5 })).toBe(200);
    expect(await change({ ...named, scopes: ["search"] })).toBe(200);
    expect(await listed(id)).toMatchObject({
      scopes: ["search"],
      addresses: ["192.0.2.0/24"],
      per_minute: 5,
    });
    expect(await change({ ...named, addresses: [] })).toBe(200);
    expect(await listed(id)).toMatchObject({ addresses: [], per_minute: 5 });
  });

  it("is deleted by a form without scripts, after a confirmation", async () => {
    const { id } = await probing();
    const path = `/integrations/service-accounts/${id}`;
    const send = (fields: Record<string, string>) =>
      admin.fetch(path, {
        method: "POST",
        body: new URLSearchParams({ ...fields, [FORM_FIELDS.intent]: "delete" }),
      });
    expect((await send({})).status).toBe(400);
    const done = await send({ sure: "on" });
    expect([done.status, done.headers.get("location")]).toEqual([303, "/integrations/service-accounts"]);
    expect(await listed(id)).toBeUndefined();
  });

  it("is not found by another agency", async () => {
    const { id } = await probing();
    const path = `/service-accounts/${id}`;
    const fields = { name: "Mine", scopes: ["hits"] };
    const answers = await Promise.all([
      statusOf(strangeAdmin, path, jsonInit(fields, { method: "PUT" })),
      statusOf(strangeAdmin, path, { method: "DELETE" }),
      statusOf(strangeAdmin, `${path}/rotate`, jsonInit({})),
      statusOf(strangeAdmin, `${path}/on`, jsonInit({ on: false })),
      statusOf(strangeAdmin, `/integrations/service-accounts/${id}`),
    ]);
    expect(answers).toEqual(Array(5).fill(404));
    expect(await bodyOf<unknown[]>(strangeAdmin.fetch("/service-accounts"))).toEqual([]);
    expect(await listed(id)).toMatchObject({ state: "on" });
  });

  it("has a name that is unique in its agency, regardless of letter case", async () => {
    const name = unique("CAD");
    await probing({ name });
    const again = await admin.post("/service-accounts", { name: name.toLowerCase(), scopes: ["hits"] });
    expect(again.status).toBe(409);
    await newService(strangeAdmin, { name });
  });

  it.each([
    [{ name: " " }, /name/],
    [{ name: "a\u0007b" }, /control character/],
    [{ scopes: [] }, /at least one permission/],
    [{ scopes: ["owner"] }, /no such permission/],
    [{ addresses: ["10.0.0.1/8"] }, /within the block 10\.0\.0\.0\/8/],
    [{ addresses: ["anywhere"] }, /not an IP address/],
    [{ valid_days: 366 }, /1 to 365 days/],
    [{ valid_days: 0.5 }, /1 to 365 days/],
    [{ per_minute: 0 }, /from 1 to 3,000/],
  ])("is refused with %j", async (over, problem) => {
    const body = { name: unique("service"), scopes: ["hits"], ...over };
    const answer = await admin.post("/service-accounts", body);
    expect(answer.status).toBe(400);
    expect((await bodyOf<{ message: string }>(answer)).message).toMatch(problem);
  });

  it("gets no permission that the user who creates, changes or rotates it lacks", async () => {
    const allow = (who: string) =>
      bindings.DB.prepare("UPDATE agencies SET investigators = ? WHERE id = ?")
        .bind(who, world.ours.id)
        .run();
    const service = await newService(admin, { scopes: ["investigate"] });
    await allow("none");
    const path = `/service-accounts/${service.id}`;
    const body = { name: unique("service"), scopes: ["hits", "investigate"] };
    const refused = await admin.post("/service-accounts", body);
    expect([refused.status, (await bodyOf<{ message: string }>(refused)).message]).toEqual([
      403,
      expect.stringContaining("Many places and convoys"),
    ]);
    expect(await statusOf(admin, `${path}/rotate`, jsonInit({}))).toBe(403);
    // An existing permission may be kept or removed.
    expect(await statusOf(admin, path, jsonInit(body, { method: "PUT" }))).toBe(200);
    expect(await statusOf(admin, path, jsonInit({ ...body, scopes: ["hits"] }, { method: "PUT" }))).toBe(200);
    expect(await statusOf(admin, path, jsonInit(body, { method: "PUT" }))).toBe(403);
    await allow("admins");
  });
});

describe("a token", () => {
  it.each([
    ["demoted", "role = 'user'"],
    ["disabled", "disabled_at = 1"],
    ["deleted", "deleted_at = 1"],
  ])(
    "is suspended once the user who created it is %s, until another administrator rotates it",
    async (_, change) => {
      const boss = await newUser(world.ours.id, { role: "admin" });
      // This scope needs only the rights of an ordinary user.
      const service = await newService(await client(boss), { scopes: ["search"] });
      const path = "/api-keys-data";
      expect(await statusOf(service, path)).toBe(200);
      expect(await listed(service.id)).toMatchObject({ state: "on", responsible: boss.name });
      await bindings.DB.prepare(`UPDATE users SET ${change} WHERE id = ?`).bind(boss.id).run();
      const refused = await service.fetch(path);
      expect([refused.status, (await bodyOf<{ message: string }>(refused)).message]).toEqual([
        401,
        expect.stringContaining("user responsible for this token"),
      ]);
      expect(await statusOf(service, path)).toBe(401);
      const rows = await auditOf({ username: `service:${service.name}` }, 10);
      expect(rows.map(({ action }) => action)).toEqual(["service-account.refused"]);
      expect(await listed(service.id)).toMatchObject({ state: "suspended", responsible: boss.name });
      const screen = await admin.fetch(`/integrations/service-accounts/${service.id}`);
      expect(await screen.text()).toContain("This user is no longer active");
      // The suspended token gets no overlap.
      const next = await rotated(service, { overlap_hours: 24 });
      expect([await statusOf(service, path), await statusOf(next, path)]).toEqual([401, 200]);
      expect(await listed(service.id)).toMatchObject({ state: "on", responsible: world.users.admin.name });
    },
  );

  it("expires; the token from a rotation has its own expiry and does not extend the former one", async () => {
    const service = await probing({ valid_days: 1 });
    const next = await rotated(service, { valid_days: 2, overlap_hours: 168 });
    // The former token does not outlive its own expiry.
    expect((await listed(service.id))?.former_until).toBeLessThanOrEqual(Date.now() + DAY);
    later(DAY + MINUTE);
    expect([await statusOf(service), await statusOf(next)]).toEqual([401, 200]);
    later(DAY);
    expect(await statusOf(next)).toBe(401);
    expect(await auditOf({ username: `service:${service.name}` })).toMatchObject([
      { action: "service-account.refused", outcome: "refused", object: service.id },
    ]);
  });

  it("works after a rotation for the chosen overlap, or stops immediately if there is none", async () => {
    const service = await probing();
    const second = await rotated(service, { overlap_hours: 2 });
    expect([await statusOf(service), await statusOf(second)]).toEqual([200, 200]);
    later(2 * HOUR + 1);
    expect([await statusOf(service), await statusOf(second)]).toEqual([401, 200]);
    vi.useRealTimers();
    const third = await rotated(service, { overlap_hours: 0 });
    expect([await statusOf(second), await statusOf(third)]).toEqual([401, 200]);
    for (const body of [{ overlap_hours: 169 }, { overlap_hours: -1 }, { valid_days: 366 }])
      expect((await admin.post(`/service-accounts/${service.id}/rotate`, body)).status).toBe(400);
  });

  it.each([
    ["demoted", "role = 'user'"],
    ["disabled", "disabled_at = 1"],
  ])(
    "that was replaced stops within its overlap once the user who created it is %s; the one from the rotation keeps working",
    async (_, change) => {
      const boss = await newUser(world.ours.id, { role: "admin" });
      const service = await newService(await client(boss), { scopes: ["search"] });
      const next = await rotated(service, { overlap_hours: 168 });
      const path = "/api-keys-data";
      expect([await statusOf(service, path), await statusOf(next, path)]).toEqual([200, 200]);
      await bindings.DB.prepare(`UPDATE users SET ${change} WHERE id = ?`).bind(boss.id).run();
      const refused = await service.fetch(path);
      expect([refused.status, (await bodyOf<{ message: string }>(refused)).message]).toEqual([
        401,
        expect.stringContaining("user responsible for this token"),
      ]);
      expect(await statusOf(next, path)).toBe(200);
      expect(await listed(service.id)).toMatchObject({ state: "on", former_until: null });
    },
  );

  it("works only from the allowed IP addresses, IPv4 or IPv6", async () => {
    const service = await probing({ addresses: ["192.0.2.0/24", "2001:db8:7::/48", "198.51.100.9"] });
    const inside = ["192.0.2.200", "198.51.100.9", "2001:db8:7:1::5", "::ffff:192.0.2.1"];
    const outside = ["192.0.3.1", "198.51.100.8", "2001:db8:8::5", "203.0.113.9"];
    for (const ip of inside) expect([ip, await statusOf(service, PROBE, from(ip))]).toEqual([ip, 200]);
    for (const ip of outside) expect([ip, await statusOf(service, PROBE, from(ip))]).toEqual([ip, 403]);
    // Without the platform's header the address is unknown.
    expect(await statusOf(service)).toBe(403);
    expect(await listed(service.id)).toMatchObject({
      last_used_ip: "192.0.2.200",
      last_refused_ip: "192.0.3.1",
      last_refusal: "This service account may not call from this address.",
    });
    // A refused token is recorded every ten minutes, however often it is sent.
    const rows = await auditOf({ username: `service:${service.name}` }, 10);
    expect(rows.map(({ action }) => action)).toEqual(["service-account.refused"]);
  });

  it("that is unknown leaves no trace and locks no one out", async () => {
    const service = await probing();
    const before = await dumpDatabases();
    const tokens = ["odin_sa_", `odin_sa_${"A".repeat(43)}`, `odin_sa_${"x".repeat(4000)}`, "odin_sa_%%%"];
    for (const token of tokens)
      expect(await statusOf(service, PROBE, { headers: { authorization: `Bearer ${token}` } })).toBe(401);
    expect(await dumpDatabases()).toBe(before);
    expect(await statusOf(service)).toBe(200);
  });

  it("notes its last use, at most once a minute", async () => {
    const service = await probing();
    await service.fetch(PROBE, from("192.0.2.1"));
    const first = await listed(service.id);
    expect(first).toMatchObject({ last_used_ip: "192.0.2.1", last_refused_at: null });
    await service.fetch(PROBE, from("192.0.2.2"));
    expect(await listed(service.id)).toEqual(first);
    later(MINUTE + 1);
    await service.fetch(PROBE, from("192.0.2.3"));
    expect(await listed(service.id)).toMatchObject({ last_used_ip: "192.0.2.3" });
  });

  it("is refused together with a session cookie, and is not a session", async () => {
    const service = await probing();
    const { cookie } = admin.headers;
    const both = { headers: { cookie: cookie ?? "" } };
    expect(await statusOf(service, PROBE, both)).toBe(400);
    // It signs no one in: not for a screen, not as a cookie, and not together with a session cookie.
    for (const init of [{}, both]) expect(await statusOf(service, "/integrations/axis", init)).toBe(302);
    expect(await statusOf(service, "/integrations/axis.data", both)).toBe(401);
    expect(await statusOf(service, "/integrations/outgoing", { ...both, method: "POST" })).toBe(302);
    const asCookie = { headers: { authorization: "", cookie: `__Host-odin=${service.token}` } };
    expect(await statusOf(service, PROBE, asCookie)).toBe(401);
  });

  it("needs no origin check, because browsers do not send it automatically", async () => {
    const service = await newService(admin, { scopes: ["search"] });
    const headers = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
    const body = { on_behalf_of: world.users.officer.username };
    const answer = await service.post("/search-data", body, { headers });
    // The request passes the origin check and fails the validation of its body.
    expect(answer.status).toBe(400);
    expect((await bodyOf<{ message: string }>(answer)).message).not.toContain("another site");
    const { cookie = "" } = admin.headers;
    const asUser = jsonInit({}, { headers: { ...headers, cookie } });
    expect(
      await statusOf(service, "/search-data", {
        ...asUser,
        headers: { ...asUser.headers, authorization: "" },
      }),
    ).toBe(403);
  });
});

describe("the permissions of a service account", () => {
  it("allow only their own endpoints; each reason for refusal is audited once in ten minutes", async () => {
    const service = await newService(admin, { scopes: ["hits"] });
    expect(await statusOf(service, "/alerts-data")).toBe(200);
    const closed = [
      PROBE,
      "/admin-audit-logs-api",
      "/admin-data",
      "/profile-data",
      "/get-current-user",
      "/owner-data",
    ];
    for (const path of closed) expect([path, await statusOf(service, path)]).toEqual([path, 403]);
    const refusals = () => auditOf({ username: `service:${service.name}` }, 10);
    const rows = await refusals();
    expect(rows).toHaveLength(1);
    const [row] = rows;
    expect(row).toMatchObject({
      action: "access",
      outcome: "refused",
      object: PROBE,
      user_id: service.id,
    });
    expect(JSON.parse(row?.detail ?? "{}")).toMatchObject({
      service_account: { id: service.id, name: service.name, answered_by: world.users.admin.id },
    });
    // Another reason is recorded once too, however often it occurs.
    for (let n = 0; n < 3; n++) expect(await statusOf(service, "/alerts-data?plate=AB1")).toBe(400);
    expect(await refusals()).toHaveLength(2);
    later(10 * MINUTE + 1);
    expect(await statusOf(service)).toBe(403);
    expect(await refusals()).toHaveLength(3);
  });

  it("fill the audit log with at most a hundred refusals in ten minutes, whatever their reasons", async () => {
    const { db } = testApp();
    const [one, other] = [
      await newService(admin, { scopes: ["hits"] }),
      await newService(admin, { scopes: ["hits"] }),
    ];
    const refusal = ({ id, name }: { id: string; name: string }, at: number, reason: string) =>
      insertServiceRefusal(db, {
        ...auditWho(null),
        at,
        agencyId: world.ours.id,
        userId: id,
        username: `service:${name}`,
        action: "access",
        outcome: "refused",
        detail: { reason },
        service: { id, name, answered_by: "" },
      });
    const now = Date.now();
    const many = Array.from({ length: 105 }, (_, n) => refusal(one, now, `reason ${n}`));
    await inOneStep(db, nonEmpty([...many, refusal(other, now, "reason")]));
    const logged = async ({ name }: { name: string }) =>
      (await auditOf({ username: `service:${name}` }, 200)).length;
    expect([await logged(one), await logged(other)]).toEqual([100, 1]);
    await inOneStep(db, [refusal(one, now + 10 * MINUTE, "later")]);
    expect(await logged(one)).toBe(101);
  });

  it("never allow an endpoint that needs a step-up, a session or the owner", async () => {
    const scopes = SERVICE_SCOPES.map(({ value }) => value);
    const service = await newService(admin, { scopes });
    for (const [method, path] of [
      ["POST", "/step-up"],
      ["POST", "/second-factor/totp"],
      ["POST", "/service-accounts"],
      ["POST", "/archive-group"],
      ["POST", "/audit-log/export"],
      ["GET", "/storage/data"],
      ["POST", "/logout"],
    ])
      expect([
        path,
        await statusOf(service, path, jsonInit({}, { method, ...(method === "GET" && { body: null }) })),
      ]).toEqual([path, 403]);
  });

  it("each open the API document", async () => {
    const service = await probing();
    const answer = await service.fetch("/openapi.json");
    expect([answer.status, await bodyOf(answer)]).toEqual([200, inject("apiDocument")]);
  });

  it("allow access only to data of its own agency", async () => {
    const theirs = await newService(strangeAdmin, { scopes: ["health", "audit"] });
    const cameras = await bodyOf<{ id: string }[]>(theirs.fetch(PROBE));
    expect(JSON.stringify(cameras)).not.toContain(world.camera.id);
    const rows = await bodyOf<{ user_agency: string }[]>(theirs.fetch("/admin-audit-logs-api?acts=all"));
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map(({ user_agency }) => user_agency))).toEqual(new Set([world.theirs.name]));
    expect(await statusOf(theirs, `/admin-audit-logs-api?agency=${world.ours.id}`)).toBe(404);
  });
});

describe("the rate limit of a service account", () => {
  it("is in the header fields of every response, including the 429", async () => {
    const service = await probing({ per_minute: 3 });
    const answers = await Promise.all([service.fetch(PROBE)]);
    for (let n = 0; n < 3; n++) answers.push(await service.fetch(n === 0 ? "/admin-data" : PROBE));
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 200, 429]);
    for (const { headers } of answers)
      expect(headers.get("ratelimit-policy")).toBe('"service-account";q=3;w=60');
    expect(answers.map(({ headers }) => headers.get("ratelimit")?.replace(/;t=\d+$/, ""))).toEqual(
      [2, 1, 0, 0].map((left) => `"service-account";r=${left}`),
    );
    expect(Number(answers.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("is separate for each account, and responses without a rate limit have no such header fields", async () => {
    const one = await probing({ per_minute: 1 });
    const other = await probing({ per_minute: 1 });
    expect([await statusOf(one), await statusOf(one), await statusOf(other)]).toEqual([200, 429, 200]);
    const { headers } = await admin.fetch("/service-accounts");
    expect([headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([null, null]);
  });

  it("is in the responses of a camera's webhook too", async () => {
    const { headers } = await admin.post(`/ingest/axis/${world.camera.secret}`, { nonsense: true });
    expect(headers.get("ratelimit-policy")).toBe('"camera";q=5000;w=84');
    expect(headers.get("ratelimit")).toMatch(/^"camera";r=\d+;t=\d+$/);
  });
});

describe("the limit of service accounts", () => {
  it("holds for calls at the same time", async () => {
    const { ours, users } = await newWorld();
    const boss = await client(users.admin);
    await bindings.DB.prepare(
      `INSERT INTO service_accounts
        (id, agency_id, name, scopes, addresses, per_minute, token_hash, token_last4, token_by, created_at,
          created_by, expires_at)
      SELECT ?1 || value, ?1, value, '[]', '[]', 1, ?1 || value, '', '', 1, '', 2 FROM json_each(?2)`,
    )
      .bind(ours.id, JSON.stringify(Array.from({ length: MAX_SERVICE_ACCOUNTS - 1 }, (_, n) => n)))
      .run();
    const adding = Array.from({ length: 4 }, (_, n) => newService(boss, { name: `Limit ${n}` }));
    const results = await Promise.allSettled(adding);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await bodyOf<object[]>(boss.fetch("/service-accounts"))).toHaveLength(MAX_SERVICE_ACCOUNTS);
  });
});
