import { beforeAll, describe, expect, it } from "vitest";
import { rightStatements } from "#app/domain/accounts/group-rights.ts";
import { openSignOnSession } from "#app/domain/accounts/sign-on-session.ts";
import { claimsOf } from "#app/entities/accounts/single-sign-on.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { findUserById } from "#app/store/accounts/sign-in.ts";
import { findSignOnProvider } from "#app/store/accounts/single-sign-on.ts";
import { inOneStep } from "#app/store/database.ts";
import { markDeleted } from "#app/store/users/directory.ts";
import { auditAbout, bindings, client, newUser, testApp, unique } from "../../factories.ts";
import { withBatches } from "../../support/batches.ts";
import {
  type Connected,
  connect,
  formOf,
  newPerson,
  setPerson,
  signOn,
  whoIs,
} from "../../support/identity.ts";
import {
  newToken,
  type Page,
  type ScimError,
  type ScimTestClient,
  scimClientOf,
} from "../../support/users/scim.ts";

// SCIM groups, and the rights that the agency's settings map to them.

let agency: Connected;
let scim: ScimTestClient;
let chiefs: { id: string };
let viewers: { id: string };
beforeAll(async () => {
  agency = await connect({
    admin_groups: "chiefs\r\nnever-pushed",
    hotlist_viewer_groups: "object-id-of-viewers",
    hotlist_admin_groups: "only-in-tokens",
  });
  scim = scimClientOf(await newToken(agency));
  chiefs = await scim.newGroup("chiefs");
  const group = { displayName: "Viewers", externalId: "object-id-of-viewers" };
  viewers = (await scim.call("POST", "/Groups", group)).body;
});

const newMember = (over = {}) =>
  newUser(agency.agencyId, { email: `${unique("member").toLowerCase()}@${agency.domain}`, ...over });
const add = (group: { id: string }, ...ids: string[]) =>
  scim.patch(`/Groups/${group.id}`, { op: "Add", path: "members", value: ids.map((value) => ({ value })) });
const drop = (group: { id: string }, id: string) =>
  scim.patch(`/Groups/${group.id}`, { op: "Remove", path: `members[value eq "${id}"]` });

async function rights(id: string) {
  const row = await bindings.DB.prepare("SELECT role, hotlist_admin, hotlist_viewer FROM users WHERE id = ?")
    .bind(id)
    .first<{ role: string; hotlist_admin: number; hotlist_viewer: number }>();
  return `${row?.role}${row?.hotlist_admin ? " hotlist-admin" : ""}${row?.hotlist_viewer ? " hotlist-viewer" : ""}`;
}

describe("a change of members", () => {
  it("grants and revokes the admin role, which ends sessions, with audit rows", async () => {
    const user = await newMember();
    const browser = await client(user);
    expect((await add(chiefs, user.id)).status).toBe(200);
    expect(await rights(user.id)).toBe("admin");
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
    const again = await client(user);
    expect((await again.fetch("/admin-data")).status).toBe(200);
    expect((await drop(chiefs, user.id)).status).toBe(200);
    expect(await rights(user.id)).toBe("user");
    expect((await again.fetch("/admin-data")).status).toBe(401);
    const rows = await auditAbout(user.id);
    expect(rows.map(({ action, username }) => [action, username])).toEqual([
      ["user.role", "SCIM client"],
      ["user.role", "SCIM client"],
    ]);
    const group = (await auditAbout(chiefs.id)).at(-1);
    expect(group).toMatchObject({ action: "scim.group-change", outcome: "ok", agency_id: agency.agencyId });
    expect(JSON.parse(group?.detail ?? "")).toMatchObject({ removed: 1, removed_users: [user.username] });
  });

  it("grants and revokes hotlist rights immediately, in an open session, by the provider's group id", async () => {
    const user = await newMember();
    const browser = await client(user);
    expect((await browser.fetch("/alerts-data")).status).toBe(403);
    await scim.patch(`/Groups/${viewers.id}`, { op: "add", value: { members: [{ value: user.id }] } });
    expect((await browser.fetch("/alerts-data")).status).toBe(200);
    expect((await scim.call("GET", `/Users/${user.id}`)).body.groups).toMatchObject([{ display: "Viewers" }]);
    await scim.patch(`/Groups/${viewers.id}`, { op: "Remove", path: "members", value: [{ value: user.id }] });
    expect((await browser.fetch("/alerts-data")).status).toBe(403);
    expect((await auditAbout(user.id)).map(({ action }) => action)).toEqual(["user.rights", "user.rights"]);
  });

  it("grants nothing beyond the mapping, and keeps rights that come from elsewhere", async () => {
    const user = await newMember({ hotlistAdmin: true });
    const other = await scim.newGroup(unique("Owners"), [user.id]);
    expect(await rights(user.id)).toBe("user hotlist-admin");
    await drop(other, user.id);
    expect(await rights(user.id)).toBe("user hotlist-admin");
    await scim.patch(`/Users/${user.id}`, {
      op: "replace",
      value: { roles: [{ value: "admin" }], role: "admin" },
    });
    expect(await rights(user.id)).toBe("user hotlist-admin");
  });

  it("grants nothing by a group name that equals a provider's group id", async () => {
    const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
    const mine = await connect({ admin_groups: uuid, hotlist_viewer_groups: "object-id" });
    const own = scimClientOf(await newToken(mine));
    const user = await newUser(mine.agencyId, { email: `${unique("m").toLowerCase()}@${mine.domain}` });
    const group = await own.call("POST", "/Groups", { displayName: "Viewers", externalId: "object-id" });
    for (const name of [uuid, "object-id"]) {
      await own.newGroup(name, [user.id]);
      expect(await rights(user.id)).toBe("user");
    }
    await own.patch(`/Groups/${group.body.id}`, { op: "add", path: "members", value: [{ value: user.id }] });
    expect(await rights(user.id)).toBe("user hotlist-viewer");
    const path = `/Groups/${group.body.id}`;
    await own.patch(path, { op: "replace", path: "externalId", value: uuid });
    expect((await rights(user.id)).split(" ")[0]).toBe("admin");
  });

  it("never demotes the last administrator or the break-glass account", async () => {
    const mine = await connect({ admin_groups: "bosses", hotlist_viewer_groups: "bosses" });
    const own = scimClientOf(await newToken(mine));
    const user = await newUser(mine.agencyId, { email: `${unique("m").toLowerCase()}@${mine.domain}` });
    const bosses = await own.newGroup("bosses", [user.id]);
    const run = (sql: string, ...values: unknown[]) =>
      bindings.DB.prepare(sql)
        .bind(...values)
        .run();
    await run("UPDATE users SET role = 'user' WHERE id = ?", mine.adminUser.id);
    const disabled = await newUser(mine.agencyId, { role: "admin" });
    await run("UPDATE users SET disabled_at = 1 WHERE id = ?", disabled.id);
    const browser = await client(user);
    expect((await own.call("DELETE", `/Groups/${bosses.id}`)).status).toBe(204);
    expect(await rights(user.id)).toBe("admin");
    expect((await browser.fetch("/get-current-user")).status).toBe(200);
    await run("UPDATE users SET role = 'admin' WHERE id = ?", mine.adminUser.id);
    await run(
      "UPDATE sign_on_providers SET break_glass_user_id = ? WHERE agency_id = ?",
      user.id,
      mine.agencyId,
    );
    const again = await own.newGroup("bosses", [user.id]);
    expect(await rights(user.id)).toBe("admin");
    await own.patch(`/Groups/${again.id}`, { op: "remove", path: "members" });
    expect(await rights(user.id)).toBe("admin");
  });

  it("neither promotes nor demotes the owner", async () => {
    const owner = await newMember({ username: "owner" });
    expect((await add(chiefs, owner.id)).status).toBe(200);
    expect(await rights(owner.id)).toBe("user");
    await bindings.DB.prepare("UPDATE users SET role = 'admin' WHERE id = ?").bind(owner.id).run();
    expect((await drop(chiefs, owner.id)).status).toBe(200);
    expect(await rights(owner.id)).toBe("admin");
  });

  it("has the same result for concurrent requests as for sequential ones", async () => {
    const users = await Promise.all(Array.from({ length: 4 }, () => newMember()));
    const answers = await Promise.all([
      ...users.map(({ id }) => add(viewers, id)),
      add(chiefs, users[0]?.id ?? ""),
    ]);
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    const { members = [] } = (await scim.call("GET", `/Groups/${viewers.id}`)).body;
    for (const [i, { id }] of users.entries()) {
      const isMember = members.some(({ value }) => value === id);
      expect(isMember).toBe(answers[i]?.status === 200);
      expect((await rights(id)).includes("hotlist-viewer")).toBe(isMember);
    }
  });
});

describe("a group", () => {
  it("can be created, found, renamed, replaced and removed; its rights depend on its name", async () => {
    const mine = await connect({ admin_groups: "captains" });
    const own = scimClientOf(await newToken(mine));
    const user = await newUser(mine.agencyId, { email: `${unique("m").toLowerCase()}@${mine.domain}` });
    const group = await own.newGroup("Captains", [user.id]);
    expect(await rights(user.id)).toBe("user");
    const { body: found } = await own.find("Groups", 'displayName eq "CAPTAINS"');
    expect(found.Resources).toMatchObject([{ id: group.id, members: [{ value: user.id }] }]);
    const { body: bare } = await own.call("GET", `/Groups/${group.id}?excludedAttributes=members`);
    expect(bare).not.toHaveProperty("members");
    const path = `/Groups/${group.id}`;
    expect((await own.patch(path, { op: "Replace", path: "displayName", value: "captains" })).status).toBe(
      200,
    );
    expect(await rights(user.id)).toBe("admin");
    const duplicate = await own.call<ScimError>("POST", "/Groups", { displayName: "CAPTAINS" });
    expect([duplicate.status, duplicate.body.scimType]).toEqual([409, "uniqueness"]);
    const members = [{ value: user.id }];
    expect((await own.call("PUT", path, { displayName: "Lieutenants", members })).status).toBe(200);
    expect(await rights(user.id)).toBe("user");
    await own.call("PUT", path, { displayName: "captains", members });
    expect(await rights(user.id)).toBe("admin");
    expect((await own.call("DELETE", path)).status).toBe(204);
    expect(await rights(user.id)).toBe("user");
    expect((await own.call("GET", path)).status).toBe(404);
    expect((await auditAbout(group.id)).map(({ action }) => action)).toEqual([
      "scim.group-add",
      "scim.group-change",
      "scim.group-change",
      "scim.group-change",
      "scim.group-remove",
    ]);
  });

  it("can only be listed without members if there are too many, and limits the size of changes", async () => {
    const mine = await connect();
    const own = scimClientOf(await newToken(mine));
    const [one, two] = [await own.newGroup("one"), await own.newGroup("two")];
    const run = (sql: string, ...values: unknown[]) =>
      bindings.DB.prepare(sql)
        .bind(...values)
        .run();
    const counted = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5001)";
    await run(
      `${counted} INSERT INTO users (id, agency_id, username, name, email, role, password_hash, created_at)
      SELECT ?1 || i, ?1, ?1 || i, 'Member', 'm' || i || '@' || ?2, 'user', '', 1 FROM n`,
      mine.agencyId,
      mine.domain,
    );
    await run(
      `${counted} INSERT INTO scim_members (group_id, user_id)
      SELECT j.value, ?1 || i FROM n, json_each(?2) AS j`,
      mine.agencyId,
      JSON.stringify([one.id, two.id]),
    );
    const list = (query: string) => own.call<ScimError & Page>("GET", `/Groups?${query}`);
    const { status, body } = await list("");
    expect([status, body.scimType, body.detail]).toEqual([
      400,
      "tooMany",
      expect.stringContaining("excludedAttributes=members"),
    ]);
    expect((await list("excludedAttributes=members")).body.totalResults).toBe(2);
    expect((await list("count=1")).body.Resources[0]?.members).toHaveLength(5001);
    await run("DELETE FROM users WHERE agency_id = ? AND name = 'Member'", mine.agencyId);
    const keys = Array.from({ length: 201 }, (_, i) => [`members${"[".repeat(i + 1)}`, []]);
    const endless = await own.patch(`/Groups/${one.id}`, { op: "add", value: Object.fromEntries(keys) });
    expect([endless.status, endless.body.scimType]).toEqual([400, "tooMany"]);
  });

  it("loses a member who is removed, and that member loses the rights", async () => {
    const user = await newMember();
    await add(viewers, user.id);
    await scim.call("DELETE", `/Users/${user.id}`);
    const { members = [] } = (await scim.call("GET", `/Groups/${viewers.id}`)).body;
    expect(members.map(({ value }) => value)).not.toContain(user.id);
    expect(await rights(user.id)).toBe("user");
  });
});

describe("a sign-in", () => {
  it("uses the members of provisioned groups from SCIM, and other groups from the provider's token", async () => {
    const person = await newPerson(agency.domain, { groups: ["chiefs", "only-in-tokens"] });
    const { id } = await scim.newUser(person.email);
    expect(await whoIs((await signOn(agency, person)).browser)).toMatchObject({
      id,
      role: "user",
      hotlist_admin: true,
    });
    await add(chiefs, id);
    expect(await whoIs((await signOn(agency, person)).browser)).toMatchObject({ id, role: "admin" });
  });

  it("ignores the groups of a user who is no longer visible to SCIM, and such a member can be removed", async () => {
    const person = await newPerson(agency.domain);
    const { id } = await scim.newUser(person.email);
    const group = await scim.newGroup(unique("Unseen"), [id]);
    await add(chiefs, id);
    await signOn(agency, person);
    const run = (sql: string, ...values: unknown[]) =>
      bindings.DB.prepare(sql)
        .bind(...values)
        .run();
    await run("UPDATE users SET email = 'x@elsewhere.example' WHERE id = ?", id);
    expect(await whoIs((await signOn(agency, person)).browser)).toMatchObject({ id, role: "user" });
    const members = () =>
      bindings.DB.prepare("SELECT count(*) AS n FROM scim_members WHERE group_id = ? AND user_id = ?")
        .bind(group.id, id)
        .first<number>("n");
    expect(await members()).toBe(1);
    await scim.call("PUT", `/Groups/${group.id}`, { displayName: group.displayName });
    expect(await members()).toBe(0);
  });

  it("is no longer possible, and sessions end, for a user who leaves the last group that may sign in", async () => {
    const mine = await connect({ member_groups: "odin" });
    const own = scimClientOf(await newToken(mine));
    const person = await newPerson(mine.domain);
    const { id } = await own.newUser(person.email);
    expect((await signOn(mine, person)).text).toContain("sso=refused");
    const group = await own.newGroup("odin", [id]);
    const { browser } = await signOn(mine, person);
    expect(await whoIs(browser)).toMatchObject({ id });
    await own.patch(`/Groups/${group.id}`, { op: "remove", path: `members[value eq "${id}"]` });
    expect(await whoIs(browser)).toBeUndefined();
    expect((await auditAbout(id)).at(-1)).toMatchObject({ action: "session.end", username: "SCIM client" });
    expect((await signOn(mine, person)).text).toContain("sso=refused");
  });
});

describe("pushed groups, once the token is revoked", () => {
  async function chiefOf(mine: Connected) {
    const own = scimClientOf(await newToken(mine));
    const person = await newPerson(mine.domain);
    const { id } = await own.newUser(person.email);
    await own.newGroup("chiefs", [id]);
    await signOn(mine, person);
    return { person, id };
  }
  const revoke = (mine: Connected) => mine.admin.fetch("/single-sign-on", formOf("revoke-scim-token", {}));

  it("no longer decide at a sign-in: the provider's token says who is in them", async () => {
    const mine = await connect({ admin_groups: "chiefs" });
    const { person, id } = await chiefOf(mine);
    expect(await rights(id)).toBe("admin");
    await revoke(mine);
    expect(await rights(id)).toBe("admin");
    expect(await whoIs((await signOn(mine, person)).browser)).toMatchObject({ id, role: "user" });
    await setPerson({ ...person, groups: ["chiefs"] });
    expect(await whoIs((await signOn(mine, person)).browser)).toMatchObject({ id, role: "admin" });
  });

  it("do not decide at a sign-in that read them before, and is written after", async () => {
    const mine = await connect({ admin_groups: "chiefs" });
    const { person, id } = await chiefOf(mine);
    const provider = await findSignOnProvider(testApp().db, mine.agencyId);
    if (!provider) throw new Error("no provider");
    let isRevoked = false;
    const app = withBatches(testApp(), async (run, statements) => {
      const answer = await run(statements);
      if (!isRevoked) {
        isRevoked = true;
        await revoke(mine);
      }
      return answer;
    });
    const claims = claimsOf({ iss: provider.issuer, sub: person.sub }, {}, "groups");
    const caller = { ip: "203.0.113.6", userAgent: "" };
    expect(await openSignOnSession(app, { provider, claims, caller, notice: "", since: 0 })).toHaveProperty(
      "token",
    );
    expect(await rights(id)).toBe("user");
  });
});

describe("a right that no group decides", () => {
  it("stays as an administrator has just set it, while groups give another one", async () => {
    const user = await newMember({ hotlistViewer: true });
    const app = testApp();
    const read = await findUserById(app.db, user.id);
    if (!read) throw new Error("no user");
    await bindings.DB.prepare("UPDATE users SET hotlist_viewer = 0 WHERE id = ?").bind(user.id).run();
    const { agencyId } = read;
    const entry = { ...auditWho(null), agencyId, at: 1, action: "user.rights", outcome: "ok" } as const;
    const people = [{ user: read, rights: { hotlistAdmin: true } }];
    await inOneStep(app.db, nonEmpty(rightStatements(app, { entry, people, by: "groups" })));
    expect(await rights(user.id)).toBe("user hotlist-admin");
  });
});

describe("a user who is deleted while groups give the admin role", () => {
  it("does not get it, and no audit row says so", async () => {
    const user = await newMember();
    const app = testApp();
    const read = await findUserById(app.db, user.id);
    if (!read) throw new Error("no user");
    await inOneStep(app.db, [markDeleted(app.db, { id: user.id, now: Date.now() })]);
    const { agencyId } = read;
    const entry = { ...auditWho(null), agencyId, at: 1, action: "user.rights", outcome: "ok" } as const;
    const people = [{ user: read, rights: { role: "admin" as const } }];
    await inOneStep(app.db, nonEmpty(rightStatements(app, { entry, people, by: "groups" })));
    expect(await rights(user.id)).toBe("user");
    expect(await auditAbout(user.id)).toEqual([]);
  });
});
