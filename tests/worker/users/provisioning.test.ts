import { beforeAll, describe, expect, it } from "vitest";
import { resumeScim } from "#app/domain/accounts/scim-token.ts";
import { createUserByScim, patchUserByScim } from "#app/domain/users/scim/person-changes.ts";
import type { ScimCall } from "#app/entities/users/scim/call.ts";
import { countEvents } from "#app/lib/rate-limit.ts";
import {
  auditAbout,
  auditOf,
  bindings,
  client,
  dumpDatabases,
  newUser,
  send,
  testApp,
  unique,
} from "../../factories.ts";
import { beforeWrite } from "../../support/batches.ts";
import { type Connected, connect, formOf, newPerson, signOn, whoIs } from "../../support/identity.ts";
import {
  newToken,
  type Page,
  type ScimError,
  type ScimTestClient,
  scimClientOf,
  userOf,
} from "../../support/users/scim.ts";

// SCIM as an agency's identity provider uses it: over HTTP, with the token from the screen.

let ours: Connected;
let theirs: Connected;
let scim: ScimTestClient;
let their: ScimTestClient;
beforeAll(async () => {
  ours = await connect();
  theirs = await connect();
  scim = scimClientOf(await newToken(ours));
  their = scimClientOf(await newToken(theirs));
});

const newName = (of = ours) => `${unique("ann").toLowerCase()}@${of.domain}`;

const actionsAbout = async (object: string) =>
  (await auditAbout(object)).map(({ action, outcome }) => `${action} ${outcome}`);
const count = async (sql: string) => (await bindings.DB.prepare(sql).first<number>("n")) ?? 0;
const auditRows = () => count("SELECT count(*) AS n FROM audit_log");

describe("the token", () => {
  it("is shown once, is stored as a hash, and can be replaced and revoked, each with an audit row", async () => {
    const agency = await connect();
    const first = await newToken(agency);
    const page = async () => (await agency.admin.fetch("/single-sign-on")).text();
    expect(await page()).not.toContain(first);
    expect(await page()).toContain("Not used yet.");
    expect(await dumpDatabases()).not.toContain(first);
    const config = (token: string) => scimClientOf(token).call("GET", "/ServiceProviderConfig");
    expect((await config(first)).status).toBe(200);
    expect(await page()).toContain("Last used");
    const second = await newToken(agency);
    expect([(await config(first)).status, (await config(second)).status]).toEqual([401, 200]);
    const revoke = () => agency.admin.fetch("/single-sign-on", formOf("revoke-scim-token", {}));
    expect((await revoke()).status).toBe(303);
    expect((await config(second)).status).toBe(401);
    expect((await revoke()).status).toBe(404);
    const rows = (await auditOf(agency.adminUser, 4)).map(({ action, outcome }) => `${action} ${outcome}`);
    expect(rows).toEqual([
      "scim.token-create ok",
      "scim.token-rotate ok",
      "scim.token-revoke ok",
      expect.stringMatching(/refused$/),
    ]);
  });

  it.each([
    ["lost the role", "role = 'user'"],
    ["was disabled", "disabled_at = 1"],
    ["was deleted", "deleted_at = 1, disabled_at = 1, username = 'deleted:' || id"],
  ])("works on after its creator %s, and the screen says to replace it", async (_, change) => {
    const agency = await connect();
    const scim = scimClientOf(await newToken(agency));
    const other = await client(await newUser(agency.agencyId, { role: "admin" }));
    const page = async () => (await other.fetch("/single-sign-on")).text();
    expect(await page()).not.toContain("no longer an administrator");
    await bindings.DB.prepare(`UPDATE users SET ${change} WHERE id = ?`).bind(agency.adminUser.id).run();
    expect(await page()).toContain("no longer an administrator");
    expect((await scim.call("GET", "/ServiceProviderConfig")).status).toBe(200);
    expect(await (await other.fetch("/single-sign-on", formOf("scim-token", {}))).text()).toContain(
      "odin_scim_",
    );
    expect(await page()).not.toContain("no longer an administrator");
  });

  it("is refused without an audit row if it is wrong, which does not block the valid one", async () => {
    const before = await auditRows();
    const wrong = ["", "x", `odin_scim_${"a".repeat(43)}`, `${scim.token}x`, scim.token.toUpperCase()];
    for (const token of [...wrong, ...wrong, ...wrong]) {
      const { status, headers, body } = await scimClientOf(token).call<ScimError>("GET", "/Users");
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toContain("Bearer");
      expect(headers.get("content-type")).toContain("application/scim+json");
      expect(body).toMatchObject({ schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: "401" });
    }
    expect(await auditRows()).toBe(before);
    expect((await scim.call("GET", "/ServiceProviderConfig")).status).toBe(200);
    // A session is not accepted as a token, or a token as a session.
    expect((await ours.admin.fetch("/scim/v2/Users")).status).toBe(401);
    const asSession = await send("/admin-data", { headers: { authorization: `Bearer ${scim.token}` } });
    expect(asSession.status).toBe(401);
  });

  const admitted = (token: string, app = testApp()) =>
    resumeScim(app, {
      token,
      caller: { ip: "203.0.113.4", userAgent: "" },
      base: "https://odin.test/scim/v2",
    });
  const callWith = (body: () => Promise<unknown>): ScimCall => ({ ifMatch: null, body });

  it("no longer works if it is revoked while the body arrives, or before the change is written", async () => {
    const agency = await connect();
    const revoke = () => agency.admin.fetch("/single-sign-on", formOf("revoke-scim-token", {}));
    const refused = { code: "unauthenticated" };
    const userName = newName(agency);
    const late = callWith(async () => {
      await revoke();
      return userOf(userName);
    });
    const client = await admitted(await newToken(agency));
    await expect(createUserByScim(testApp(), client, late)).rejects.toMatchObject(refused);
    // A new token does not admit a request that was made with the former one.
    await newToken(agency);
    await expect(
      createUserByScim(
        testApp(),
        client,
        callWith(async () => userOf(userName)),
      ),
    ).rejects.toMatchObject(refused);
    const next = await admitted(await newToken(agency));
    const raced = beforeWrite(testApp(), revoke);
    const creation = createUserByScim(
      raced,
      next,
      callWith(async () => userOf(userName)),
    );
    await expect(creation).rejects.toMatchObject(refused);
    const own = scimClientOf(await newToken(agency));
    expect((await own.find("Users", `userName eq "${userName}"`)).body.totalResults).toBe(0);
    // Nor does it read a user by a change that changes nothing.
    const { id } = await own.newUser(userName);
    const same = callWith(async () => {
      await revoke();
      return { Operations: [{ op: "replace", path: "active", value: true }] };
    });
    const change = patchUserByScim(testApp(), await admitted(own.token), { id, ...same });
    await expect(change).rejects.toMatchObject(refused);
  });

  it("has its own rate limit", async () => {
    const app = testApp(() => 1_800_000_000_000);
    await expect(admitted(scim.token, app)).resolves.toMatchObject({ agencyId: ours.agencyId });
    const rate = { policy: "scim", burst: 500, perSecond: 25 };
    countEvents(app, { source: `scim:${ours.agencyId}`, rate, count: 499 });
    await expect(admitted(scim.token, app)).rejects.toMatchObject({ code: "too_many", retryAfter: 1 });
    await expect(admitted(their.token, app)).resolves.toMatchObject({ agencyId: theirs.agencyId });
  });
});

describe("discovery", () => {
  it("describes the service, its types and their schemas", async () => {
    expect((await scim.call("GET", "/ServiceProviderConfig")).body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      etag: { supported: true },
    });
    const { body: types } = await scim.call<Page>("GET", "/ResourceTypes");
    expect(types.Resources.map(({ id }) => id)).toEqual(["User", "Group"]);
    expect((await scim.call("GET", "/ResourceTypes/User")).body).toMatchObject({ endpoint: "/Users" });
    const { body: schemas } = await scim.call<Page>("GET", "/Schemas");
    for (const { id } of schemas.Resources)
      expect((await scim.call("GET", `/Schemas/${id}`)).body).toMatchObject({ id });
    expect((await scim.call("GET", "/Schemas/urn:x")).status).toBe(404);
  });
});

describe("a new user", () => {
  it("is created, with an audit row for the SCIM client, and signs in as that user", async () => {
    const person = await newPerson(ours.domain);
    const { status, body, headers } = await scim.call("POST", "/Users", userOf(person.email));
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(body.meta.location);
    expect(headers.get("etag")).toBe(body.meta.version);
    expect(body).toMatchObject({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: person.email,
      externalId: `ext-${person.email}`,
      name: { givenName: "Ann", familyName: "Example" },
      emails: [{ value: person.email, type: "work", primary: true }],
      active: true,
    });
    expect(await auditAbout(body.id)).toMatchObject([
      { action: "user.add", outcome: "ok", agency_id: ours.agencyId, username: "SCIM client" },
    ]);
    const user = await whoIs((await signOn(ours, person)).browser);
    expect(user).toMatchObject({ id: body.id, username: person.email, role: "user" });
  });

  it("needs an email address in an approved domain of the agency", async () => {
    for (const userName of [`x@${theirs.domain}`, "x@elsewhere.example", `x@sub.${ours.domain}`]) {
      const { status, body } = await scim.call<ScimError>("POST", "/Users", userOf(userName));
      expect([status, body.detail]).toEqual([403, expect.stringContaining("approved")]);
      const domain = userName.slice(userName.indexOf("@") + 1);
      expect(await actionsAbout(userName)).toEqual([]);
      const again = userOf(`again-${userName}`);
      expect((await scim.call("POST", "/Users", again)).status).toBe(403);
      // One audit row a day, without the email address.
      const [row, ...more] = await auditAbout(domain);
      expect([row?.action, row?.outcome, more]).toEqual(["user.add", "refused", []]);
      expect(row?.detail).not.toContain("@");
    }
    const agency = await connect();
    const token = await newToken(agency);
    await bindings.DB.prepare("UPDATE sign_on_domains SET approved_at = NULL WHERE agency_id = ?")
      .bind(agency.agencyId)
      .run();
    expect((await scimClientOf(token).call("POST", "/Users", userOf(newName(agency)))).status).toBe(403);
  });

  it("needs a unique username and a unique email address", async () => {
    const userName = newName();
    const { id } = await scim.newUser(userName);
    for (const again of [
      userOf(userName),
      userOf(userName.toUpperCase()),
      userOf(newName(), { emails: [{ value: userName }] }),
    ]) {
      const { status, body } = await scim.call<ScimError>("POST", "/Users", again);
      expect([status, body.scimType]).toEqual([409, "uniqueness"]);
    }
    const other = await scim.newUser(newName());
    const renamed = await scim.patch(`/Users/${other.id}`, {
      op: "replace",
      path: "userName",
      value: userName,
    });
    expect([renamed.status, renamed.body.scimType]).toEqual([409, "uniqueness"]);
    expect(
      (await scim.find("Users", `userName eq "${userName}"`)).body.Resources.map((one) => one.id),
    ).toEqual([id]);
  });

  it("cannot take a username in another agency's domain", async () => {
    const userName = `chief@${theirs.domain}`;
    const email = newName();
    const { id } = await scim.newUser(userName, { emails: [{ value: email }] });
    const row = await bindings.DB.prepare("SELECT username FROM users WHERE id = ?").bind(id).first();
    expect(row).toEqual({ username: email });
    await their.newUser(userName);
  });

  it("is the agency's existing user if one has the email address, with the same records", async () => {
    const known = await newUser(ours.agencyId, { email: `Known.${unique("x")}@${ours.domain}` });
    const userName = newName();
    const { id } = await scim.newUser(userName, { emails: [{ value: known.email, type: "work" }] });
    expect(id).toBe(known.id);
    const [row] = await auditAbout(id);
    expect(row).toMatchObject({ action: "user.change", outcome: "ok", username: "SCIM client" });
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({ username: known.username, taken_over: true });
  });

  it("is refused with a SCIM error if the request is invalid", async () => {
    const post = (body: unknown, headers = {}) => scim.call<ScimError>("POST", "/Users", body, headers);
    expect((await post("{")).body).toMatchObject({ status: "400", scimType: "invalidSyntax" });
    expect((await post([])).body).toMatchObject({ status: "400", scimType: "invalidSyntax" });
    expect((await post({})).body).toMatchObject({ status: "400", scimType: "invalidValue" });
    const control = await post(userOf(newName(), { displayName: "A\u0000B" }));
    expect(control.body).toMatchObject({ status: "400", scimType: "invalidValue" });
    const text = JSON.stringify(userOf(newName(), { displayName: "Jörg" }));
    const latin1 = new Blob([Uint8Array.from(text, (char) => char.charCodeAt(0))]);
    expect((await post(latin1)).body).toMatchObject({ status: "400", detail: "The body is not UTF-8." });
    expect((await post("x", { "content-type": "text/plain" })).body.status).toBe("415");
    const large = await post(userOf(newName(), { displayName: "x".repeat(1_100_000) }));
    expect(large.body.status).toBe("413");
    expect((await post("[".repeat(1000))).body).toMatchObject({ scimType: "invalidSyntax" });
  });
});

describe("an attribute that Odin does not keep", () => {
  const address = {
    formatted: "100 Universal City Plaza\nHollywood, CA",
    streetAddress: "1 Main\r\nSuite 2",
  };

  it("may have line breaks, in a new user and beside a deactivation", async () => {
    const { id } = await scim.newUser(newName(), { addresses: [address] });
    const off = await scim.patch(
      `/Users/${id}`,
      { op: "replace", path: 'addresses[type eq "work"].streetAddress', value: address.streetAddress },
      { op: "replace", value: { active: false, addresses: [address] } },
    );
    expect([off.status, off.body.active]).toEqual([200, false]);
    const refused = await scim.patch(`/Users/${id}`, {
      op: "replace",
      value: { active: true, displayName: "A\u0007B" },
    });
    expect([refused.status, refused.body.scimType]).toEqual([400, "invalidValue"]);
  });
});

describe("lists", () => {
  it("have filters, pages and only the attributes that the client requests", async () => {
    const agency = await connect();
    const own = scimClientOf(await newToken(agency));
    const names = [newName(agency), newName(agency), newName(agency)];
    const ids: string[] = [];
    for (const name of names) ids.push((await own.newUser(name)).id);
    await own.patch(`/Users/${ids[1]}`, { op: "replace", path: "active", value: false });
    const found = async (filter: string) => {
      const { body } = await own.find("Users", filter);
      return body.Resources.map(({ id }) => ids.indexOf(id));
    };
    expect(await found(`userName eq "${names[0]?.toUpperCase()}"`)).toEqual([0]);
    expect(await found(`externalId eq "ext-${names[2]}"`)).toEqual([2]);
    expect(await found(`emails[type eq "work"].value eq "${names[1]}"`)).toEqual([1]);
    expect(await found(`emails.value eq "${names[1]}" and active eq true`)).toEqual([]);
    expect(await found("active eq False")).toEqual([1]);
    expect(await found('displayName eq "ann example" and active eq true')).toEqual([0, 2]);
    expect(await found(`id eq "${ids[2]}"`)).toEqual([2]);
    expect(await found(`id eq "x' OR 1=1 --"`)).toEqual([]);
    const page = async (query: string) => (await own.call<Page & ScimError>("GET", `/Users?${query}`)).body;
    // Administrators with an email address in another domain are not listed.
    expect(await page("count=2")).toMatchObject({ totalResults: 3, itemsPerPage: 2, startIndex: 1 });
    const last = await page("startIndex=3&count=2");
    expect([last.startIndex, last.Resources.map(({ id }) => id)]).toEqual([3, [ids[2]]]);
    expect(await page("count=0")).toMatchObject({ totalResults: 3, Resources: [] });
    expect(await page("startIndex=-4&count=-1")).toMatchObject({ startIndex: 1, itemsPerPage: 0 });
    expect(await page("count=many")).toMatchObject({ status: "400", scimType: "invalidValue" });
    expect((await page("count=1&attributes=userName,emails.value")).Resources).toEqual([
      {
        schemas: expect.any(Array),
        id: ids[0],
        userName: names[0],
        emails: [{ value: names[0] }],
      },
    ]);
    expect((await page("count=1&excludedAttributes=emails,meta")).Resources[0]).not.toHaveProperty("emails");
    const { status, body } = await own.find("Users", 'title eq "Chief"');
    expect([status, body]).toEqual([400, expect.objectContaining({ scimType: "invalidFilter" })]);
  });
});

describe("an ETag", () => {
  it("gives 304 for an unchanged resource, and 412 for a change based on an old version", async () => {
    const { id, meta } = await scim.newUser(newName());
    const get = (headers: Record<string, string>) => scim.call("GET", `/Users/${id}`, undefined, headers);
    expect((await get({ "if-none-match": meta.version })).status).toBe(304);
    const change = (displayName: string, version: string) =>
      scim.call("PUT", `/Users/${id}`, userOf(newName(), { displayName }), { "if-match": version });
    expect((await change("One", meta.version)).status).toBe(200);
    expect((await change("Two", meta.version)).status).toBe(412);
    expect((await change("Three", "*")).status).toBe(200);
    expect((await get({ "if-none-match": meta.version })).body.displayName).toBe("Three");
  });
});

describe("the version of a resource in a list", () => {
  it("is that of the resource, or is missing if the list leaves out what the version depends on", async () => {
    const { id } = await scim.newUser(newName());
    const group = await scim.newGroup(unique("group"), [id]);
    const kinds = [
      ["Users", "groups", id],
      ["Groups", "members", group.id],
    ] as const;
    for (const [type, list, one] of kinds) {
      const versionIn = async (more = "") => {
        const { body } = await scim.call<Page>("GET", `/${type}?filter=id%20eq%20%22${one}%22${more}`);
        return body.Resources.map(({ meta }) => meta.version);
      };
      const { body } = await scim.call("GET", `/${type}/${one}`);
      expect(await versionIn()).toEqual([body.meta.version]);
      expect(await versionIn(`&excludedAttributes=${list}`)).toEqual([undefined]);
      expect(await versionIn("&attributes=displayName,meta")).toEqual([undefined]);
    }
  });
});

describe("a change", () => {
  it("replaces a user, and is audited with the previous and new values", async () => {
    const { id } = await scim.newUser(newName());
    const userName = newName();
    const { status, body } = await scim.call("PUT", `/Users/${id}`, {
      ...userOf(userName, { displayName: undefined }),
      externalId: undefined,
      name: { formatted: "Anna Bee" },
    });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ userName, name: { formatted: "Anna Bee" } }),
    ]);
    expect(body).not.toHaveProperty("externalId");
    const [, row] = await auditAbout(id);
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({
      before: { name: "Ann Example" },
      after: { name: "Anna Bee", email: userName, external_id: null },
    });
    // Requests that change nothing write no audit row.
    const rows = await auditRows();
    expect((await scim.call("PUT", `/Users/${id}`, { ...body })).status).toBe(200);
    expect((await scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: "True" })).status).toBe(
      200,
    );
    expect(await auditRows()).toBe(rows);
    const address = await scim.patch(`/Users/${id}`, {
      op: "replace",
      path: 'emails[type eq "work"].value',
      value: `x@${theirs.domain}`,
    });
    expect(address.status).toBe(403);
  });

  it("cannot change the email address of a privileged user before the first single sign-on", async () => {
    const local = await newUser(ours.agencyId, { email: newName(), role: "admin" });
    const promoted = await scim.newUser(newName());
    await bindings.DB.prepare("UPDATE users SET hotlist_admin = 1 WHERE id = ?").bind(promoted.id).run();
    const withPasskey = await scim.newUser(newName());
    const passkey = `INSERT INTO passkeys (id, user_id, name, public_key, counter, transports, created_at)
      VALUES (?1, ?1, '', '', 0, '[]', 1)`;
    await bindings.DB.prepare(passkey).bind(withPasskey.id).run();
    const person = await newPerson(ours.domain);
    const move = (id: string, value: string) =>
      scim.patch(`/Users/${id}`, { op: "replace", path: 'emails[type eq "work"].value', value });
    for (const { id } of [local, promoted, withPasskey]) {
      expect((await move(id, person.email)).status).toBe(403);
      expect((await actionsAbout(id)).at(-1)).toBe("user.change refused");
    }
    const linked = await newPerson(ours.domain);
    const { id } = await scim.newUser(linked.email);
    await signOn(ours, linked);
    await bindings.DB.prepare("UPDATE users SET role = 'admin' WHERE id = ?").bind(id).run();
    expect((await move(id, newName())).status).toBe(200);
  });

  it.each([
    ["with a path, as Microsoft Entra ID sends it", { op: "Replace", path: "active", value: "False" }],
    ["without a path, as Okta sends it", { op: "replace", value: { active: false } }],
  ])("that deactivates the user ends the session at the next request: %s", async (_, off) => {
    const user = await newUser(ours.agencyId, { email: newName() });
    const browser = await client(user);
    expect((await browser.fetch("/get-current-user")).status).toBe(200);
    const { status, body } = await scim.patch(`/Users/${user.id}`, off);
    expect([status, body.active]).toEqual([200, false]);
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
    expect(await actionsAbout(user.id)).toEqual(["user.change ok", "user.disable ok"]);
    expect(await (await ours.admin.fetch("/admin")).text()).toContain("Disabled by provider");
    expect((await scim.patch(`/Users/${user.id}`, { op: "replace", value: { active: true } })).status).toBe(
      200,
    );
    expect((await actionsAbout(user.id)).at(-1)).toBe("user.enable ok");
    expect((await (await client(user)).fetch("/get-current-user")).status).toBe(200);
  });

  it("can deactivate a user even if another user has the same email address", async () => {
    const { id, userName } = await scim.newUser(newName());
    await newUser(ours.agencyId, { email: userName });
    const off = await scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
    expect([off.status, off.body.active]).toEqual([200, false]);
  });

  it("cannot enable a user whom an administrator disabled", async () => {
    const { id } = await scim.newUser(newName());
    await ours.admin.post(`/admin/disable-user/${id}`, { disabled: true }, { method: "PUT" });
    const { status } = await scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: true });
    expect(status).toBe(403);
    expect((await scim.call("GET", `/Users/${id}`)).body.active).toBe(false);
    expect((await actionsAbout(id)).at(-1)).toBe("user.enable refused");
  });

  it("cannot enable a user whom the provider disabled and then an administrator disabled too", async () => {
    const { id } = await scim.newUser(newName());
    const set = (value: boolean) => scim.patch(`/Users/${id}`, { op: "replace", path: "active", value });
    const disable = () => ours.admin.post(`/admin/disable-user/${id}`, { disabled: true }, { method: "PUT" });
    await set(false);
    expect([(await disable()).status, (await disable()).status]).toEqual([200, 200]);
    expect((await set(true)).status).toBe(403);
    expect(await actionsAbout(id)).toEqual([
      "user.add ok",
      "user.disable ok",
      "user.disable ok",
      "user.enable refused",
    ]);
  });

  it("cannot affect the owner, the break-glass account or the last administrator", async () => {
    const agency = await connect();
    const own = scimClientOf(await newToken(agency));
    const email = () => newName(agency);
    const owner = await newUser(agency.agencyId, { username: "owner", role: "admin", email: email() });
    const glass = await newUser(agency.agencyId, { role: "admin", email: email() });
    const run = (sql: string, ...values: unknown[]) =>
      bindings.DB.prepare(sql)
        .bind(...values)
        .run();
    await run(
      "UPDATE sign_on_providers SET break_glass_user_id = ? WHERE agency_id = ?",
      glass.id,
      agency.agencyId,
    );
    for (const { id } of [owner, glass]) {
      const before = await bindings.DB.prepare("SELECT * FROM users WHERE id = ?").bind(id).first();
      expect((await own.patch(`/Users/${id}`, { op: "replace", path: "active", value: false })).status).toBe(
        403,
      );
      expect(
        (await own.patch(`/Users/${id}`, { op: "replace", path: "displayName", value: "X" })).status,
      ).toBe(403);
      expect((await own.call("DELETE", `/Users/${id}`)).status).toBe(403);
      expect(await bindings.DB.prepare("SELECT * FROM users WHERE id = ?").bind(id).first()).toEqual(before);
    }
    await run("UPDATE sign_on_providers SET break_glass_user_id = NULL WHERE agency_id = ?", agency.agencyId);
    await run("UPDATE users SET role = 'user' WHERE agency_id = ? AND id <> ?", agency.agencyId, glass.id);
    const last = await own.patch(`/Users/${glass.id}`, {
      op: "replace",
      value: { active: false, displayName: "X" },
    });
    expect(last.status).toBe(409);
    expect((await own.call("GET", `/Users/${glass.id}`)).body).toMatchObject({
      active: true,
      displayName: glass.name,
    });
  });
});

describe("a removal", () => {
  it("disables the user, whom SCIM then cannot find; the records stay", async () => {
    const user = await newUser(ours.agencyId, { email: newName() });
    const browser = await client(user);
    expect((await scim.call("DELETE", `/Users/${user.id}`)).status).toBe(204);
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
    for (const method of ["GET", "DELETE"])
      expect((await scim.call(method, `/Users/${user.id}`)).status).toBe(404);
    expect(
      (await scim.patch(`/Users/${user.id}`, { op: "replace", path: "active", value: true })).status,
    ).toBe(404);
    expect((await scim.find("Users", `id eq "${user.id}"`)).body.totalResults).toBe(0);
    expect(await actionsAbout(user.id)).toEqual(["scim.user-remove ok", "user.disable ok"]);
    const signIns = await bindings.DB.prepare("SELECT count(*) AS n FROM audit_log WHERE user_id = ?")
      .bind(user.id)
      .first<number>("n");
    expect(signIns).toBeGreaterThan(0);
    expect(await (await ours.admin.fetch("/admin")).text()).toContain(user.username);
  });

  it("is undone only for the same person, by externalId", async () => {
    const userName = newName();
    const { id } = await scim.newUser(userName);
    expect((await scim.call("DELETE", `/Users/${id}`)).status).toBe(204);
    const other = await scim.call<ScimError>("POST", "/Users", userOf(userName, { externalId: "another" }));
    expect([other.status, other.body.scimType]).toEqual([409, "uniqueness"]);
    expect(await scim.newUser(userName)).toMatchObject({ id, active: true });
    expect((await actionsAbout(id)).slice(-2)).toEqual(["user.change ok", "user.enable ok"]);
  });
});

describe("a removed user without an externalId", () => {
  const without = (userName: string, email: string) =>
    userOf(userName, { externalId: undefined, emails: [{ value: email }] });

  it("is not taken over by a person with the same userName, and returns without rights", async () => {
    const [userName, email] = [newName(), newName()];
    const { id } = (await scim.call("POST", "/Users", without(userName, email))).body;
    await bindings.DB.prepare("UPDATE users SET role = 'admin', hotlist_admin = 1 WHERE id = ?")
      .bind(id)
      .run();
    await scim.call("DELETE", `/Users/${id}`);
    const other = await scim.call<ScimError>("POST", "/Users", without(userName, newName()));
    expect([other.status, other.body.scimType]).toEqual([409, "uniqueness"]);
    const same = await scim.call("POST", "/Users", without(userName, email));
    expect([same.status, same.body.id]).toEqual([201, id]);
    const row = await bindings.DB.prepare("SELECT role, hotlist_admin, disabled_at FROM users WHERE id = ?")
      .bind(id)
      .first();
    expect(row).toEqual({ role: "user", hotlist_admin: 0, disabled_at: null });
    expect(await actionsAbout(id)).toEqual(expect.arrayContaining(["user.role ok", "user.rights ok"]));
  });
});

describe("the users of another agency", () => {
  it("are not found", async () => {
    const mine = await scim.newUser(newName());
    const group = await scim.newGroup(unique("group"), [mine.id]);
    for (const path of [`/Users/${mine.id}`, `/Groups/${group.id}`]) {
      expect((await their.call("GET", path)).status).toBe(404);
      expect(
        (await their.patch(path, { op: "replace", value: { displayName: "X", active: false } })).status,
      ).toBe(404);
      expect((await their.call("PUT", path, userOf(newName(theirs)))).status).toBe(404);
      expect((await their.call("DELETE", path)).status).toBe(404);
    }
    for (const filter of [`id eq "${mine.id}"`, `userName eq "${mine.userName}"`])
      expect((await their.find("Users", filter)).body.totalResults).toBe(0);
    expect((await their.find("Groups", `members eq "${mine.id}"`)).body.totalResults).toBe(0);
    const member = await their.call<ScimError>("POST", "/Groups", {
      displayName: unique("group"),
      members: [{ value: mine.id }],
    });
    expect([member.status, member.body.scimType]).toEqual([400, "invalidValue"]);
    expect(JSON.stringify((await their.call("GET", "/Users")).body)).not.toContain(mine.id);
    expect((await scim.call("GET", `/Users/${mine.id}`)).body).toMatchObject({
      active: true,
      displayName: mine.displayName,
    });
    // A username is unique across all agencies.
    const taken = await newUser(theirs.agencyId, { username: newName() });
    expect((await scim.call("POST", "/Users", userOf(taken.username))).status).toBe(409);
  });
});
