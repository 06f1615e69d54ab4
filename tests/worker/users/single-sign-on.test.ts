import { beforeAll, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { requestDomain } from "#app/domain/users/email-domains.ts";
import type { IdentityProviders } from "#app/entities/accounts/identity-provider.ts";
import { DEFAULT_POLICY } from "#app/entities/users/policy.ts";
import {
  actorOf,
  auditOf,
  bindings,
  type Client,
  client,
  jsonInit,
  newUser,
  ORIGIN,
  testApp,
  unique,
} from "../../factories.ts";
import { beforeWrite } from "../../support/batches.ts";
import {
  type Connected,
  connect,
  formOf,
  hostileIssuer,
  issuer,
  newPerson,
  register,
  setFault,
  setNext,
  signOn,
  whoIs,
} from "../../support/identity.ts";

let agency: Connected;
let owner: Client;
beforeAll(async () => {
  agency = await connect();
  owner = await client(await newUser(agency.agencyId, { username: "owner", role: "admin" }));
});

const page = async (who: Client, path: string) => (await who.fetch(path)).text();

describe("the connection test", () => {
  type Checks = Awaited<ReturnType<IdentityProviders["check"]>>;

  /** Tests a registration. Returns the result of each step by its name. */
  async function results(over: {
    issuer?: string;
    clientId?: string;
    clientSecret?: string;
    redirectUri?: string;
    usesGroups?: boolean;
  }) {
    const { client_id, client_secret } = agency.registered;
    const { redirectUri = `${ORIGIN}/sso/${agency.agencyId}/callback`, usesGroups = false, ...rest } = over;
    const checks: Checks = await testApp().identity.check({
      client: { issuer: issuer(), clientId: client_id, clientSecret: client_secret, ...rest },
      redirectUri,
      usesGroups,
      signal: AbortSignal.timeout(4000),
    });
    return Object.fromEntries(checks.map(({ name, result, message }) => [name, `${result}: ${message}`]));
  }
  async function during<T>(fault: string, act: () => Promise<T>): Promise<T> {
    await setFault(fault);
    return act().finally(() => setFault(""));
  }

  it("finds no problem with a working registration", async () => {
    const all = await results({});
    expect(Object.keys(all)).toEqual([
      "Discovery",
      "PKCE",
      "Keys",
      "Clock",
      "Client ID and secret",
      "Redirect URI",
      "Back-channel logout",
      "Time of the proof",
    ]);
    for (const text of Object.values(all)) expect(text).toMatch(/^ok: /);
  });

  it("says whether groups are asked for by their scope, if the settings name groups", async () => {
    expect(await results({})).not.toHaveProperty("Groups");
    expect((await results({ usesGroups: true })).Groups).toMatch(/^ok: .*Odin asks for it/);
    const other = await results({ usesGroups: true, issuer: hostileIssuer() });
    expect(other.Groups).toMatch(/^unknown: .*does not list the scope groups/);
  });

  it("reports a wrong secret, an unknown client, and an unregistered redirect URI", async () => {
    const secret = await results({ clientSecret: "another-secret-of-the-client" });
    expect(secret).toMatchObject({
      "Client ID and secret": expect.stringMatching(/^problem: .*does not accept/),
      "Redirect URI": expect.stringMatching(/^ok/),
    });
    expect((await results({ clientId: "unknown" }))["Client ID and secret"]).toMatch(/^problem/);
    const redirect = await results({ redirectUri: `${ORIGIN}/sso/elsewhere/callback` });
    expect(redirect["Redirect URI"]).toMatch(/^problem: .*Register this redirect URI/);
  });

  it("reports a provider that is down, slow, has another issuer, lacks PKCE, or has a wrong clock", async () => {
    expect(await during("down", () => results({}))).toEqual({
      Discovery: "problem: The provider could not be reached.",
    });
    expect(await during("silent", () => results({}))).toEqual({
      Discovery: "problem: The provider did not answer in time.",
    });
    expect((await during("issuer", () => results({}))).Discovery).toMatch(/^problem: .*another issuer/);
    expect((await during("no-pkce", () => results({}))).PKCE).toMatch(/^problem: .*does not support PKCE/);
    const { Clock = "" } = await during("clock", () => results({}));
    const [, ahead] = /^problem: .*?(\d+) seconds ahead/.exec(Clock) ?? [];
    // The provider's clock is read in whole seconds after its response has arrived.
    expect(Number(ahead), Clock).toBeGreaterThan(285);
    expect(Number(ahead), Clock).toBeLessThanOrEqual(301);
    expect((await results({ issuer: "http://127.0.0.1:1" })).Discovery).toMatch(/could not be reached/);
    for (const endpoint of ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"]) {
      await setNext({ discovery: { [endpoint]: "https://10.0.0.1/" } });
      expect((await results({ issuer: hostileIssuer() })).Discovery, endpoint).toMatch(/IDENTITY_HOSTS/);
    }
    await setNext({});
    expect((await results({ issuer: "https://10.0.0.1" })).Discovery).toMatch(/IDENTITY_HOSTS/);
    expect((await results({ issuer: `${issuer()}/nowhere` })).Discovery).toMatch(
      /^problem: .*could not be read/,
    );
  });

  it("has its result on the screen, and is audited", async () => {
    const answer = await agency.admin.fetch("/single-sign-on", formOf("test", {}));
    expect(answer.status).toBe(200);
    const html = await answer.text();
    expect(html).toContain("The redirect URI is registered.");
    expect((await auditOf(agency.adminUser))[0]).toMatchObject({ action: "sign-on.test", outcome: "ok" });
    expect(await page(agency.admin, "/single-sign-on")).toContain("Passed at");
  });

  it("reports a failure after the secret is changed to a wrong one", async () => {
    await agency.save({ client_secret: "another-secret-of-the-client" });
    expect(await page(agency.admin, "/single-sign-on")).toContain("have not passed a test");
    const answer = await agency.admin.fetch("/single-sign-on", formOf("test", {}));
    expect(await answer.text()).toContain("does not accept the client ID or the secret");
    expect((await auditOf(agency.adminUser))[0]).toMatchObject({ action: "sign-on.test", outcome: "failed" });
    await agency.save({ client_secret: agency.registered.client_secret });
  });
});

describe("settings", () => {
  it("can be viewed and changed only for the administrator's own agency", async () => {
    const theirs = await connect({ button_name: "Their SSO" });
    expect(await page(agency.admin, "/single-sign-on")).not.toContain("Their SSO");
    await agency.admin.fetch(
      "/single-sign-on",
      formOf("save", { ...agency.fields, agency_id: theirs.agencyId }),
    );
    expect(await page(theirs.admin, "/single-sign-on")).toContain("Their SSO");
  });

  it("are audited without the secret", async () => {
    const { client_secret } = await register(`${ORIGIN}/sso/x/callback`);
    await agency.save({ client_secret, button_name: "Renamed SSO" });
    const [row] = await auditOf(agency.adminUser);
    expect(row).toMatchObject({ action: "sign-on.change", outcome: "ok", object: agency.agencyId });
    expect(row?.detail).toContain("Renamed SSO");
    expect(row?.detail).not.toContain(client_secret);
    await agency.save({ client_secret: agency.registered.client_secret });
  });

  it("can be removed", async () => {
    const mine = await connect();
    const answer = await mine.admin.fetch("/single-sign-on", formOf("remove", {}));
    expect(answer.status).toBe(303);
    expect((await auditOf(mine.adminUser))[0]).toMatchObject({ action: "sign-on.remove", outcome: "ok" });
    expect((await mine.admin.fetch("/single-sign-on", formOf("remove", {}))).status).toBe(404);
  });
});

describe("the second factor of a provider", () => {
  it("is approved and withdrawn by the owner, for the settings that the screen showed", async () => {
    const mine = await connect({ trust_second_factor: "on" });
    const row = async () =>
      (await bindings.DB.prepare(
        "SELECT changed_at, second_factor_approved_at AS approved FROM sign_on_providers WHERE agency_id = ?",
      )
        .bind(mine.agencyId)
        .first()) as { changed_at: number; approved: number | null };
    const decide = async (intent: string, changedAt: number, who = owner) => {
      const fields = { agency_id: mine.agencyId, changed_at: String(changedAt) };
      return (await who.fetch("/owner/email-domains", formOf(intent, fields))).status;
    };
    const { changed_at } = await row();
    expect(await page(owner, "/owner/email-domains")).toContain(mine.registered.client_id);
    expect(await decide("approve-factor", changed_at, mine.admin)).toBe(403);
    expect(await decide("approve-factor", changed_at - 1)).toBe(409);
    expect((await row()).approved).toBeNull();
    expect(await decide("approve-factor", changed_at)).toBe(303);
    expect((await row()).approved).not.toBeNull();
    expect(await decide("withdraw-factor", changed_at)).toBe(303);
    expect((await row()).approved).toBeNull();
    const rows = await auditOf({ username: "owner" }, 3);
    expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      "sign-on.factor-approve refused",
      "sign-on.factor-approve ok",
      "sign-on.factor-withdraw ok",
    ]);
  });
});

describe("sessions that a provider's second factor made full", () => {
  const withdraw = async (agencyId: string) => {
    const changedAt = await bindings.DB.prepare(
      "SELECT changed_at FROM sign_on_providers WHERE agency_id = ?",
    )
      .bind(agencyId)
      .first("changed_at");
    const fields = { agency_id: agencyId, changed_at: String(changedAt) };
    return owner.fetch("/owner/email-domains", formOf("withdraw-factor", fields));
  };
  const trusting = { trust_second_factor: "on", acr_values: "urn:mfa" };

  it.each<[string, (mine: Connected) => Promise<Response>]>([
    ["the owner withdraws the approval", ({ agencyId }) => withdraw(agencyId)],
    ["the agency no longer trusts it", ({ save }) => save({ ...trusting, trust_second_factor: "" })],
    ["the agency counts other acr values", ({ save }) => save({ ...trusting, acr_values: "urn:other" })],
  ])("end when %s, if the policy requires a second factor", async (_, act) => {
    for (const isRequired of [1, 0]) {
      const mine = await connect(trusting);
      const { agencyId } = mine;
      const run = (sql: string) => bindings.DB.prepare(sql).bind(agencyId).run();
      await run("UPDATE sign_on_providers SET second_factor_approved_at = 1 WHERE agency_id = ?");
      await run(`UPDATE agencies SET second_factor_required = ${isRequired} WHERE id = ?`);
      const { browser } = await signOn(mine, await newPerson(mine.domain, { amr: ["pwd", "otp"] }));
      const { browser: stranger } = await signOn(agency, await newPerson(agency.domain));
      expect(await whoIs(browser)).toBeDefined();
      await mine.save({ ...trusting, button_name: "Renamed" });
      expect(await whoIs(browser)).toBeDefined();
      expect((await act(mine)).status).toBe(303);
      expect((await whoIs(browser)) !== undefined).toBe(isRequired === 0);
      expect(await whoIs(stranger)).toBeDefined();
      expect((await mine.admin.fetch("/get-current-user")).status).toBe(200);
    }
  });
});

describe("sessions that rest on a second factor of the provider", () => {
  it("end when the owner requires a second factor and has not approved the provider's", async () => {
    for (const trusts of ["on", ""]) {
      const mine = await connect({ trust_second_factor: trusts });
      const user = await newUser(mine.agencyId, { email: `${unique("f").toLowerCase()}@${mine.domain}` });
      await bindings.DB.prepare(
        "INSERT INTO totp_factors (user_id, sealed_secret, confirmed_at, created_at) VALUES (?, '', 1, 1)",
      )
        .bind(user.id)
        .run();
      const claims = { email: user.email, amr: ["pwd", "otp"] };
      const { browser, text } = await signOn(mine, await newPerson(mine.domain, claims));
      expect(text.includes("url=/search")).toBe(trusts === "on");
      const policy = { ...DEFAULT_POLICY, second_factor_required: true };
      const answer = await owner.fetch(
        `/owner/agencies/${mine.agencyId}`,
        jsonInit({ name: unique("Strict"), policy }, { method: "PUT" }),
      );
      expect(answer.status).toBe(200);
      if (trusts === "on") expect(await whoIs(browser)).toBeUndefined();
    }
  });
});

describe("email domains", () => {
  const request = (who: Client, domain: string) =>
    who.fetch("/single-sign-on", formOf("request-domain", { domain }));
  const decide = (intent: string, domain: string, agencyId: string, who = owner) =>
    who.fetch("/owner/email-domains", formOf(intent, { domain, agency_id: agencyId }));
  const stateOf = (domain: string) =>
    bindings.DB.prepare("SELECT agency_id FROM sign_on_domains WHERE domain = ? AND approved_at IS NOT NULL")
      .bind(domain)
      .first("agency_id");

  it("belong to an agency only with the owner's approval, and to at most one agency", async () => {
    const domain = `${unique("d").toLowerCase()}.example`;
    const theirs = await connect();
    expect((await request(theirs.admin, domain)).status).toBe(303);
    expect((await request(agency.admin, domain)).status).toBe(303);
    expect(await stateOf(domain)).toBeNull();
    expect((await decide("approve", domain, agency.agencyId, agency.admin)).status).toBe(403);
    expect((await decide("approve", domain, agency.agencyId)).status).toBe(303);
    expect(await stateOf(domain)).toBe(agency.agencyId);
    const second = await decide("approve", domain, theirs.agencyId);
    expect(second.status).toBe(409);
    expect(await second.text()).toContain("Another agency has this domain");
    expect(await stateOf(domain)).toBe(agency.agencyId);
    expect((await decide("approve", domain, agency.agencyId)).status).toBe(404);
    expect((await decide("refuse", domain, agency.agencyId)).status).toBe(303);
    expect((await decide("approve", domain, theirs.agencyId)).status).toBe(303);
    expect(await stateOf(domain)).toBe(theirs.agencyId);
    const rows = await auditOf({ username: "owner" }, 5);
    expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      "sign-on.domain-approve ok",
      "sign-on.domain-approve refused",
      "sign-on.domain-approve refused",
      "sign-on.domain-refuse ok",
      "sign-on.domain-approve ok",
    ]);
  });

  it("are limited per agency, also if two are asked for at the same time", async () => {
    const { admin, agencyId } = await connect();
    const actor = await actorOf(admin);
    // It has one already.
    for (let i = 2; i < 20; i++)
      await bindings.DB.prepare("INSERT INTO sign_on_domains VALUES (?, ?, 1, 'x', NULL)")
        .bind(`${unique("d").toLowerCase()}.example`, agencyId)
        .run();
    const ask = (app: AppContext) =>
      requestDomain(app, actor, { domain: `${unique("d").toLowerCase()}.example` });
    await expect(ask(beforeWrite(testApp(), () => ask(testApp())))).rejects.toMatchObject({
      message: "An agency can have at most 20 domains.",
    });
  });

  it("can be removed by their own agency, but not by another", async () => {
    const domain = `${unique("d").toLowerCase()}.example`;
    const theirs = await connect();
    await request(agency.admin, domain);
    const drop = (who: Client) => who.fetch("/single-sign-on", formOf("remove-domain", { domain }));
    expect((await drop(theirs.admin)).status).toBe(404);
    expect((await drop(agency.admin)).status).toBe(303);
    expect((await request(agency.admin, domain)).status).toBe(303);
    expect((await request(agency.admin, domain)).status).toBe(409);
  });

  it("keep their addresses from being usernames of other agencies, unless the owner gives one", async () => {
    const theirs = await connect();
    const address = () => `${unique("new.officer").toLowerCase()}@${theirs.domain}`;
    const password = "Willow-Kettle-38";
    const add = (who: Client, username: string, over: object = {}, path = "/admin/add-user") => {
      const person = { username, name: "Nora New", email: "nora@x.example", password, role: "user", ...over };
      return who.post(path, person);
    };
    const upload = (who: Client, ...names: string[]) => {
      const rows = names.map((name) => `${name},Nora New,nora@x.example,user`);
      const body = new FormData();
      body.set("file", new File([["username,name,email,role", ...rows].join("\r\n")], "users.csv"));
      const { "content-type": _, ...headers } = who.headers;
      return who.fetch("/bulk-upload-users", { method: "POST", body, headers });
    };
    const squatted = address();
    const refused = await add(agency.admin, squatted.toUpperCase());
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain("This username is taken or was recently in use.");
    expect((await auditOf(agency.adminUser, 1))[0]).toMatchObject({
      action: "user.add",
      outcome: "refused",
      object: squatted,
    });
    const file = await upload(agency.admin, unique("ok").toLowerCase(), squatted);
    expect(file.status).toBe(400);
    expect(await file.json()).toMatchObject({
      problems: [{ line: 3, reason: `Username ${squatted} is taken or was recently in use.` }],
    });
    // An email address of another agency takes nothing from it, nor does a domain that no agency has.
    expect((await add(agency.admin, unique("u").toLowerCase(), { email: squatted })).status).toBe(200);
    expect((await add(agency.admin, `${unique("u").toLowerCase()}@elsewhere.example`)).status).toBe(200);
    expect((await add(theirs.admin, squatted)).status).toBe(200);
    expect((await upload(theirs.admin, address())).status).toBe(200);
    const byOwner = await add(owner, address(), { agency_id: agency.agencyId }, "/owner/add-user");
    expect(byOwner.status).toBe(200);
  });
});
