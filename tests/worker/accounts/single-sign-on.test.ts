import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Env } from "#app/context.ts";
import { openSignOnSession } from "#app/domain/accounts/sign-on-session.ts";
import { beginSignOn, finishSignOn } from "#app/domain/accounts/single-sign-on.ts";
import { disableUnusedUsers } from "#app/domain/users/upkeep.ts";
import {
  claimsOf,
  type SignOnClaims,
  SignOnFailure,
  signOnMessage,
} from "#app/entities/accounts/single-sign-on.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { findUserById, requireUserUnchanged } from "#app/store/accounts/sign-in.ts";
import {
  findIdentity,
  findSignOnProvider,
  removeIdentities,
  requireIdentityUnchanged,
} from "#app/store/accounts/single-sign-on.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  type AuditRow,
  auditOf,
  bindings,
  client,
  dumpDatabases,
  jsonInit,
  newUser,
  ORIGIN,
  openSessionOf,
  PASSWORD,
  send,
  signIn,
  storedUser,
  testApp,
  unique,
} from "../../factories.ts";
import { totpCode } from "../../support/accounts/totp.ts";
import { withBatches } from "../../support/batches.ts";
import {
  atProvider,
  type Connected,
  connect,
  deliverLogout,
  formOf,
  HOSTILE_SECRET,
  hostileIssuer,
  issuer,
  newBrowser,
  newPerson,
  pathOf,
  register,
  rotateKeys,
  setFault,
  setPerson,
  signOn,
  whoIs,
} from "../../support/identity.ts";
import { expectLogged } from "../../support/quiet-console.ts";

// Uses the demo identity provider, which runs as a separate server.

let ours: Connected;
beforeAll(async () => {
  ours = await connect();
});

const run = (sql: string, ...values: unknown[]) =>
  bindings.DB.prepare(sql)
    .bind(...values)
    .run();
const usersOf = async (agencyId: string) =>
  (await bindings.DB.prepare("SELECT count(*) AS n FROM users WHERE agency_id = ?")
    .bind(agencyId)
    .first("n")) as number;
/** Returns the refused sign-ins of a person of the provider. */
const refusalsOf = async (sub: string) =>
  (
    await bindings.DB.prepare(
      "SELECT * FROM audit_log WHERE outcome = 'refused' AND detail ->> '$.subject' = ? ORDER BY seq",
    )
      .bind(sub)
      .all<AuditRow>()
  ).results;
const auditRows = async (agencyId: string) =>
  (await bindings.DB.prepare("SELECT count(*) AS n FROM audit_log WHERE agency_id = ?")
    .bind(agencyId)
    .first("n")) as number;

describe("the first sign-in", () => {
  it("creates the user, opens a session without scripts, and is audited", async () => {
    const person = await newPerson(ours.domain);
    const { answer, text, browser } = await signOn(ours, person);
    expect(answer.status).toBe(200);
    expect(text).toContain('content="0; url=/search"');
    const [session = ""] = answer.headers.getSetCookie();
    expect(session.split("; ").sort()).toEqual(
      [session.split("; ")[0], "HttpOnly", "Path=/", "SameSite=Strict", "Secure"].sort(),
    );
    expect(await whoIs(browser)).toMatchObject({
      username: person.email,
      email: person.email,
      name: person.name,
      role: "user",
      hotlist_admin: false,
    });
    expect((await browser.go("/search")).status).toBe(200);
    const rows = await auditOf({ username: person.email }, 2);
    expect(rows.map(({ action, outcome, agency_id }) => [action, outcome, agency_id])).toEqual([
      ["user.add", "ok", ours.agencyId],
      ["sign-in", "ok", ours.agencyId],
    ]);
    expect(JSON.parse(rows[1]?.detail ?? "")).toMatchObject({
      with: "single sign-on",
      issuer: issuer(),
      subject: person.sub,
      created: true,
    });
  });

  it("finds the same user by subject when the email address has changed", async () => {
    const person = await newPerson(ours.domain);
    const first = await whoIs((await signOn(ours, person)).browser);
    await setPerson({ ...person, email: "someone@else.example", email_verified: false });
    const again = await whoIs((await signOn(ours, person)).browser);
    expect(again?.id).toBe(first?.id);
    expect(again?.id).toBeDefined();
  });

  it("links a person to the agency's user who has the verified email address", async () => {
    const user = await newUser(ours.agencyId, { email: `Known.${unique("x")}@${ours.domain}` });
    const person = await newPerson(ours.domain, { email: user.email.toLowerCase() });
    const { browser } = await signOn(ours, person);
    expect((await whoIs(browser))?.id).toBe(user.id);
  });

  it("does not link a user of another agency who has the same email address", async () => {
    const stranger = await connect();
    const email = `shared@${ours.domain}`;
    const other = await newUser(stranger.agencyId, { email });
    const { browser } = await signOn(ours, await newPerson(ours.domain, { email }));
    const user = await whoIs(browser);
    expect(user?.username).toBe(email);
    expect(user?.id).not.toBe(other.id);
  });

  it("leads to the use notification first if the sign-in page did not show it", async () => {
    const browser = newBrowser();
    const begun = await browser.go(`/sso/${ours.agencyId}`);
    const person = await newPerson(ours.domain);
    await browser.go(pathOf(await atProvider(begun.headers.get("location") ?? "", person)), {
      crossSite: true,
    });
    expect((await browser.go("/search")).headers.get("location")).toMatch(/^\/use-notice/);
  });

  it("begins after a confirmation on the sign-in screen if a link elsewhere leads to it", async () => {
    const browser = newBrowser();
    await bindings.DB.prepare("UPDATE agencies SET name = 'Police & <b>Fire</b>' WHERE id = ?")
      .bind(ours.agencyId)
      .run();
    const linked = await browser.go(`/sso/${ours.agencyId}?notice=2026-11&again=1`, { crossSite: true });
    // Nothing has begun: the provider would sign in whom it wants, in this browser.
    expect([linked.status, browser.jar.size]).toEqual([200, 0]);
    expect(await linked.text()).toContain(`url=/?agency=${ours.agencyId}&amp;again=1`);
    const screen = await (await browser.go(`/?agency=${ours.agencyId}&again=1`)).text();
    expect(screen).toContain("a user of <strong>Police &amp; &lt;b&gt;Fire&lt;/b&gt;</strong>");
    const href =
      /<a href="([^"]*)"[^>]*>(?:<svg.*?<\/svg>)?Continue to single sign-on/.exec(screen)?.[1] ?? "";
    expect(href).toBe(`/sso/${ours.agencyId}?notice=2026-11&amp;again=1`);
    const begun = await browser.go(href.replace("&amp;", "&"));
    const person = await newPerson(ours.domain);
    await browser.go(pathOf(await atProvider(begun.headers.get("location") ?? "", person)), {
      crossSite: true,
    });
    expect((await browser.go("/search")).status).toBe(200);
    expect(await (await send("/?agency=none")).text()).not.toContain("Continue only if");
  });

  it.each([
    ["a bookmark or another program", { "sec-fetch-site": "none" }, 200],
    ["another host of the domain", { "sec-fetch-site": "same-site" }, 200],
    ["an older browser", {}, 200],
    ["an older browser, from another site", { referer: "https://elsewhere.example/" }, 200],
    ["an older browser, from Odin's own page", { referer: `${ORIGIN}/` }, 302],
  ])("asks a browser that comes from %s for a confirmation", async (_, headers, status) => {
    expect((await send(`/sso/${ours.agencyId}`, { headers })).status).toBe(status);
  });

  it("asks the provider for an authentication within the idle limit, or a new one after a sign-out", async () => {
    const asked = async (query: string) => {
      const begun = await newBrowser().go(`/sso/${ours.agencyId}${query}`);
      const { searchParams } = new URL(begun.headers.get("location") ?? "");
      return [searchParams.get("max_age"), searchParams.get("prompt")];
    };
    const idle = await bindings.DB.prepare("SELECT idle_minutes FROM agencies WHERE id = ?")
      .bind(ours.agencyId)
      .first("idle_minutes");
    expect(await asked("")).toEqual([String(Number(idle) * 60), null]);
    expect(await asked("?again=1")).toEqual(["0", "login"]);
    expect(await (await newBrowser().go("/?again=1")).text()).toContain('name="again"');
  });
});

describe("a user of single sign-on", () => {
  it("has no password, and cannot choose one", async () => {
    const person = await newPerson(ours.domain);
    const { browser } = await signOn(ours, person);
    const init = jsonInit({ new_password: "Willow-Kettle-38-Gravel" });
    const answer = await browser.go("/user/reset-password", { init });
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining("have no password here"),
    ]);
    expect((await signIn({ username: person.email, password: "" })).status).toBe(401);
    expect((await signIn({ username: person.email, password: PASSWORD })).status).toBe(401);
  });
});

describe("a person who may not sign in", () => {
  const refusedFor = async (agency: Connected, over: object, reason: RegExp) => {
    const before = await usersOf(agency.agencyId);
    const person = await newPerson(agency.domain, over);
    const { text, browser } = await signOn(agency, person);
    expect(text).toContain("url=/?sso=refused");
    expect(await whoIs(browser)).toBeUndefined();
    expect(await usersOf(agency.agencyId)).toBe(before);
    const rows = await refusalsOf(person.sub);
    expect(rows).toMatchObject([{ action: "sign-in", outcome: "refused", agency_id: agency.agencyId }]);
    expect(rows[0]?.detail).toMatch(reason);
    // The row names no user: the email address could belong to anyone.
    expect(rows[0]).toMatchObject({ username: "", user_id: "" });
    expect(JSON.parse(rows[0]?.detail ?? "")).toMatchObject({ address: person.email });
    expect(await (await browser.go("/?sso=refused")).text()).toContain(
      "Your account may not sign in to Odin",
    );
  };

  it("has an unverified address", () => refusedFor(ours, { email_verified: false }, /has not verified/));
  it("has no address", () => refusedFor(ours, { email: "" }, /sent no email/));
  it("has an address outside the approved domains", () =>
    refusedFor(ours, { email: "x@elsewhere.example" }, /not in an approved domain/));
  it("is in none of the groups", async () =>
    refusedFor(await connect({ member_groups: "odin" }), { groups: ["other"] }, /none of the groups/));
  it("is new, and the agency does not create users at sign-in", async () =>
    refusedFor(await connect({ create_users: "" }), {}, /there is no such user/));
  it("has the email address of two users", async () => {
    const email = `twice@${ours.domain}`;
    await newUser(ours.agencyId, { email });
    await newUser(ours.agencyId, { email });
    await refusedFor(ours, { email }, /several users/);
  });

  it("has an address whose domain still awaits approval", async () => {
    const agency = await connect();
    await run("UPDATE sign_on_domains SET approved_at = NULL WHERE agency_id = ?", agency.agencyId);
    await refusedFor(agency, {}, /not in an approved domain/);
  });

  it("has the email address of a linked user, until an administrator unlinks that user", async () => {
    const agency = await connect();
    const user = await newUser(agency.agencyId, { email: `rehired@${agency.domain}` });
    const { browser } = await signOn(agency, await newPerson(agency.domain, { email: user.email }));
    expect((await whoIs(browser))?.id).toBe(user.id);
    const second = await newPerson(agency.domain, { email: user.email });
    expect((await signOn(agency, second)).text).toContain("url=/?sso=refused");
    const [row] = await refusalsOf(second.sub);
    expect(row).toMatchObject({ username: user.username, user_id: user.id });
    expect(row?.detail).toContain("connected with another person");
    const unlink = (username: string, who = agency) =>
      who.admin.fetch("/single-sign-on", formOf("unlink", { username }));
    expect((await unlink(user.username, ours)).status).toBe(404);
    expect(await whoIs(browser)).toBeDefined();
    expect((await unlink(user.username)).status).toBe(303);
    expect((await auditOf(agency.adminUser))[0]).toMatchObject({ action: "sign-on.unlink", outcome: "ok" });
    expect(await whoIs(browser)).toBeUndefined();
    expect((await unlink(user.username)).status).toBe(404);
    expect((await whoIs((await signOn(agency, second)).browser))?.id).toBe(user.id);
  });

  it("causes only a limited number of audit rows", async () => {
    const agency = await connect({ create_users: "" });
    const person = await newPerson(agency.domain);
    for (let n = 0; n < 12; n++) await signOn(agency, person);
    const rows = await refusalsOf(person.sub);
    expect(rows).toHaveLength(10);
    expect(rows.at(-1)?.detail).toContain("left out");
  });

  it("was disabled in Odin, until an administrator enables them", async () => {
    const person = await newPerson(ours.domain);
    const { browser } = await signOn(ours, person);
    const user = await whoIs(browser);
    const disable = (disabled: boolean) =>
      ours.admin.post(`/admin/disable-user/${user?.id}`, { disabled }, { method: "PUT" });
    expect((await disable(true)).status).toBe(200);
    expect(await whoIs(browser)).toBeUndefined();
    expect((await signOn(ours, person)).text).toContain("url=/?sso=refused");
    await disable(false);
    expect((await whoIs((await signOn(ours, person)).browser))?.id).toBe(user?.id);
  });

  it("was deleted in Odin, and is not created again", async () => {
    const person = await newPerson(ours.domain);
    const user = await whoIs((await signOn(ours, person)).browser);
    expect((await ours.admin.fetch(`/admin/delete-user/${user?.id}`, { method: "DELETE" })).status).toBe(200);
    const before = await usersOf(ours.agencyId);
    expect((await signOn(ours, person)).text).toContain("url=/?sso=refused");
    expect(await usersOf(ours.agencyId)).toBe(before);
    expect((await refusalsOf(person.sub)).at(-1)?.detail).toContain("deleted");
  });

  it("has the email address of Odin's owner", async () => {
    const owner = await newUser(ours.agencyId, { username: "owner", role: "admin" });
    const taken = (await bindings.DB.prepare("SELECT agency_id FROM users WHERE username = 'owner'").first(
      "agency_id",
    )) as string;
    await run(
      "UPDATE users SET agency_id = ?, email = ? WHERE username = 'owner'",
      ours.agencyId,
      owner.email,
    );
    const person = await newPerson(ours.domain, { email: `boss@${ours.domain}` });
    await run("UPDATE users SET email = ? WHERE username = 'owner'", person.email);
    expect((await signOn(ours, person)).text).toContain("url=/?sso=refused");
    expect((await auditOf({ username: "owner" }))[0]?.detail).toContain("owner's account");
    await run("UPDATE users SET agency_id = ? WHERE username = 'owner'", taken);
  });
});

describe("groups", () => {
  it("are asked for by their scope only if the settings name groups and the provider lists the scope", async () => {
    const asked = async (agency: Connected) => {
      const begun = await newBrowser().go(`/sso/${agency.agencyId}`);
      return new URL(begun.headers.get("location") ?? "").searchParams.get("scope");
    };
    const plain = "openid email profile";
    expect(await asked(ours)).toBe(plain);
    for (const field of ["member_groups", "admin_groups", "hotlist_admin_groups", "hotlist_viewer_groups"])
      expect(await asked(await connect({ [field]: "officers" })), field).toBe(`${plain} groups`);
    // Providers that do not list it, such as Microsoft Entra ID, refuse the whole request with invalid_scope.
    const given = { issuer: hostileIssuer(), client_id: unique("client"), client_secret: HOSTILE_SECRET };
    expect(await asked(await connect({ member_groups: "officers" }, given))).toBe(plain);
  });

  it("grant and revoke rights at each sign-in, with audit rows", async () => {
    const agency = await connect({
      admin_groups: "chiefs\r\nCN=Chiefs,OU=Odin",
      hotlist_viewer_groups: "viewers",
    });
    const person = await newPerson(agency.domain, { groups: ["CN=Chiefs,OU=Odin", "viewers"] });
    const first = (await signOn(agency, person)).browser;
    expect(await whoIs(first)).toMatchObject({ role: "admin", hotlist_viewer: true, hotlist_admin: false });
    await setPerson({ ...person, groups: [] });
    const second = (await signOn(agency, person)).browser;
    expect(await whoIs(second)).toMatchObject({ role: "user", hotlist_viewer: false });
    // The session that started with more rights has ended.
    expect(await whoIs(first)).toBeUndefined();
    const rows = await auditOf({ username: person.email }, 6);
    expect(rows.map(({ action }) => action)).toEqual(
      ["user.add", "user.role", "user.rights", "sign-in", "user.role", "user.rights", "sign-in"].slice(-6),
    );
  });

  it("do not affect rights without a group mapping, which administrators manage", async () => {
    const user = await newUser(ours.agencyId, { hotlistAdmin: true, email: `keeps@${ours.domain}` });
    const { browser } = await signOn(
      ours,
      await newPerson(ours.domain, { email: user.email, groups: ["any"] }),
    );
    expect(await whoIs(browser)).toMatchObject({ id: user.id, hotlist_admin: true });
  });
});

describe("the second factor", () => {
  const required = async (over: Record<string, string> = {}) => {
    const agency = await connect(over);
    await run("UPDATE agencies SET second_factor_required = 1 WHERE id = ?", agency.agencyId);
    return agency;
  };

  const approve = (agencyId: string) =>
    run("UPDATE sign_on_providers SET second_factor_approved_at = 1 WHERE agency_id = ?", agencyId);

  it("at the provider counts if the ID token proves it, the agency trusts it, and the owner approved", async () => {
    const agency = await required({ trust_second_factor: "on" });
    const person = await newPerson(agency.domain, { amr: ["pwd", "otp"] });
    expect((await signOn(agency, person)).text).toContain("url=/second-factor/set-up");
    await approve(agency.agencyId);
    expect((await signOn(agency, person)).text).toContain("url=/search");
    expect(JSON.parse((await auditOf({ username: person.email }))[0]?.detail ?? "")).toMatchObject({
      amr: ["pwd", "otp"],
      acr: "",
      second_factor: "proved at the provider",
    });
    // Changes of other settings keep the approval; changes of the acr values, which the owner approved, withdraw it.
    await agency.save({ trust_second_factor: "on", button_name: "Renamed" });
    expect((await signOn(agency, person)).text).toContain("url=/search");
    await agency.save({ trust_second_factor: "on", acr_values: "urn:any" });
    expect((await signOn(agency, person)).text).toContain("url=/second-factor/set-up");
  });

  it("cannot be proved by the lowest acr values", async () => {
    for (const acr of ["0", "1"]) {
      const answer = await ours.save({ acr_values: `urn:mfa\r\n${acr}` });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain("do not prove a second factor");
    }
  });

  it("is required for step-up if the policy requires one", async () => {
    const agency = await connect();
    const person = await newPerson(agency.domain);
    const { browser } = await signOn(agency, person);
    await run("UPDATE agencies SET second_factor_required = 1 WHERE id = ?", agency.agencyId);
    const begun = await browser.go("/sso/step-up");
    const callback = pathOf(await atProvider(begun.headers.get("location") ?? "", person));
    expect(await (await browser.go(callback, { crossSite: true })).text()).toContain("sso=denied");
    expect((await auditOf({ username: person.email }))[0]?.detail).toContain("no second factor");
  });

  it("is requested by Odin if the provider proved only one factor, or is not trusted", async () => {
    const trusting = await required({ trust_second_factor: "on" });
    await approve(trusting.agencyId);
    const one = await signOn(trusting, await newPerson(trusting.domain, { amr: ["pwd"] }));
    expect(one.text).toContain("url=/second-factor/set-up");
    const doubting = await required();
    const two = await signOn(doubting, await newPerson(doubting.domain, { amr: ["pwd", "mfa"] }));
    expect(two.text).toContain("url=/second-factor/set-up");
  });
});

describe("Odin's second factor after single sign-on", () => {
  /** Returns a person whose user has an authenticator app, and the browser of a new sign-in that awaits its code. */
  async function awaiting() {
    const user = await newUser(ours.agencyId, { email: `${unique("f").toLowerCase()}@${ours.domain}` });
    const enrolling = await client(user);
    const begun = await enrolling.fetch("/second-factor/totp", { method: "POST" });
    const { secret }: { secret: string } = await begun.json();
    const confirmed = await enrolling.post("/second-factor/totp/confirm", {
      code: totpCode(secret, Date.now()),
    });
    expect(confirmed.status).toBe(200);
    const { browser, text } = await signOn(ours, await newPerson(ours.domain, { email: user.email }));
    expect(text).toContain("url=/second-factor");
    const prove = (code: string) => browser.go("/second-factor/verify", { init: jsonInit({ code }) });
    return { user, browser, prove, code: () => totpCode(secret, Date.now() + MINUTE / 2) };
  }

  it("is not blocked by wrong passwords of others", async () => {
    const { user, browser, prove, code } = await awaiting();
    const wrong = { username: user.username, password: "Wrong-Password-1" };
    for (let n = 0; n < 5; n++) {
      const headers = { "cf-connecting-ip": `203.0.113.${100 + n}` };
      expect((await send("/login", jsonInit(wrong, { headers }))).status).toBe(401);
    }
    expect((await prove(code())).status).toBe(200);
    expect(await whoIs(browser)).toMatchObject({ id: user.id });
  });

  it("has five attempts, after which the account is locked, until an administrator unlocks it", async () => {
    const { user, browser, prove, code } = await awaiting();
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await prove("000000")).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
    expect((await signIn(user)).status).toBe(401);
    const unlocked = await ours.admin.fetch(`/admin/unlock-user/${user.id}`, { method: "POST" });
    expect(unlocked.status).toBe(200);
    expect((await prove(code())).status).toBe(200);
    expect(await whoIs(browser)).toMatchObject({ id: user.id });
  });
});

describe("step-up", () => {
  const stepUp = async (browser: ReturnType<typeof newBrowser>, who: Parameters<typeof atProvider>[1]) => {
    const begun = await browser.go("/sso/step-up");
    const url = begun.headers.get("location") ?? "";
    expect(new URL(url).searchParams.get("max_age")).toBe("0");
    return browser.go(pathOf(await atProvider(url, who)), { crossSite: true });
  };

  it("requests a new authentication from the provider and renews the session", async () => {
    const person = await newPerson(ours.domain);
    const { browser } = await signOn(ours, person);
    const user = await whoIs(browser);
    await run("UPDATE sessions SET proved_at = 0 WHERE user_id = ?", user?.id);
    const before = browser.jar.get("__Host-odin");
    const answer = await stepUp(browser, person);
    expect(await answer.text()).toContain("You have confirmed your identity");
    expect(browser.jar.get("__Host-odin")).not.toBe(before);
    const proved = await bindings.DB.prepare("SELECT proved_at FROM sessions WHERE user_id = ?")
      .bind(user?.id)
      .first("proved_at");
    expect(Number(proved)).toBeGreaterThan(Date.now() - MINUTE);
    expect((await auditOf({ username: person.email }))[0]).toMatchObject({
      action: "step-up",
      outcome: "ok",
    });
  });

  it("refuses another person of the provider, and audits it", async () => {
    const person = await newPerson(ours.domain);
    const { browser } = await signOn(ours, person);
    const before = browser.jar.get("__Host-odin");
    const answer = await stepUp(browser, await newPerson(ours.domain));
    expect(await answer.text()).toContain("url=/?sso=denied");
    expect(browser.jar.get("__Host-odin")).toBe(before);
    expect((await auditOf({ username: person.email }))[0]).toMatchObject({
      action: "step-up",
      outcome: "refused",
    });
  });

  it("refuses a person who has since left the last group that may sign in, and audits it", async () => {
    const agency = await connect({ member_groups: "odin" });
    const person = await newPerson(agency.domain, { groups: ["odin"] });
    const { browser } = await signOn(agency, person);
    const before = browser.jar.get("__Host-odin");
    await setPerson({ ...person, groups: ["other"] });
    expect(await (await stepUp(browser, person)).text()).toContain("url=/?sso=denied");
    expect(browser.jar.get("__Host-odin")).toBe(before);
    const [row] = await auditOf({ username: person.email });
    expect(row).toMatchObject({ action: "step-up", outcome: "refused" });
    expect(row?.detail).toContain("none of the groups that may sign in");
    await setPerson(person);
    expect(await (await stepUp(browser, person)).text()).toContain("You have confirmed your identity");
  });
});

describe("the provider's authorization response", () => {
  it("works once", async () => {
    const person = await newPerson(ours.domain);
    const browser = newBrowser();
    const begun = await browser.go(`/sso/${ours.agencyId}`);
    const callback = pathOf(await atProvider(begun.headers.get("location") ?? "", person));
    const flow = browser.jar.get("__Host-odin-sso") ?? "";
    expect(await (await browser.go(callback, { crossSite: true })).text()).toContain("url=/search");
    browser.jar.set("__Host-odin-sso", flow);
    expect(await (await browser.go(callback, { crossSite: true })).text()).toMatch(
      /url=\/\?sso=(code|expired)/,
    );
  });

  it("works only in the browser and for the agency of the request, and only in time", async () => {
    const person = await newPerson(ours.domain);
    const browser = newBrowser();
    const begun = await browser.go(`/sso/${ours.agencyId}`);
    const callback = pathOf(await atProvider(begun.headers.get("location") ?? "", person));
    expect(await (await newBrowser().go(callback, { crossSite: true })).text()).toContain("sso=expired");
    const another = newBrowser();
    await another.go(`/sso/${ours.agencyId}`);
    expect(await (await another.go(callback, { crossSite: true })).text()).toContain("sso=token");
    const theirs = await connect();
    const moved = callback.replace(ours.agencyId, theirs.agencyId);
    expect(await (await browser.go(moved, { crossSite: true })).text()).toContain("sso=expired");
    const late = testApp(() => Date.now() + 11 * MINUTE);
    const flow = browser.jar.get("__Host-odin-sso") ?? "";
    const asked = {
      agencyId: ours.agencyId,
      origin: ORIGIN,
      flow,
      params: new URLSearchParams(callback.slice(callback.indexOf("?"))),
      caller: { ip: "203.0.113.9", userAgent: "" },
    };
    await expect(finishSignOn(late, asked)).rejects.toMatchObject({ kind: "expired" });
  });

  it("is refused if it names another issuer, to prevent mix-up attacks (RFC 9207)", async () => {
    const person = await newPerson(ours.domain);
    const browser = newBrowser();
    const begun = await browser.go(`/sso/${ours.agencyId}`);
    const callback = new URL(await atProvider(begun.headers.get("location") ?? "", person));
    callback.searchParams.set("iss", "https://another.example");
    const answer = await browser.go(pathOf(callback.href), { crossSite: true });
    expect(await answer.text()).toContain("sso=token");
  });

  it("must be from the issuer that the sign-in started with", async () => {
    const agency = await connect();
    const person = await newPerson(agency.domain);
    const browser = newBrowser();
    const begun = await browser.go(`/sso/${agency.agencyId}`);
    const callback = pathOf(await atProvider(begun.headers.get("location") ?? "", person));
    await run(
      "UPDATE sign_on_providers SET issuer = 'https://new.okta.com' WHERE agency_id = ?",
      agency.agencyId,
    );
    expect(await (await browser.go(callback, { crossSite: true })).text()).toContain("sso=expired");
  });

  it("is verified with the provider's new keys after a rotation", async () => {
    const app = testApp();
    const later = testApp(() => Date.now() + MINUTE);
    const caller = { ip: "203.0.113.8", userAgent: "" };
    const asked = { agencyId: ours.agencyId, origin: ORIGIN, notice: "", caller };
    const person = await newPerson(ours.domain);
    const once = async (context: typeof app) => {
      const { url, flow } = await beginSignOn(context, asked);
      const params = new URL(await atProvider(url, person)).searchParams;
      return finishSignOn(context, { ...asked, flow, params });
    };
    expect(await once(app)).toMatchObject({ state: "full" });
    await rotateKeys();
    expect(await once(later)).toMatchObject({ state: "full" });
  });

  it("may be a refusal", async () => {
    const browser = newBrowser();
    const begun = await browser.go(`/sso/${ours.agencyId}`);
    const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state");
    const params = new URLSearchParams({
      error: "access_denied",
      // Microsoft Entra ID writes its trace ids on lines of their own.
      error_description: "AADSTS65004: <b>words of the provider</b>\r\nTrace ID: 1",
      state: state ?? "",
      iss: issuer(),
    });
    const answer = await browser.go(`/sso/${ours.agencyId}/callback?${params}`, { crossSite: true });
    const text = await answer.text();
    expect(text).toContain("sso=denied");
    expect(text).not.toContain("words of the provider");
  });
});

describe("anonymous callers", () => {
  it("leave no rows in the audit log or the database, and are rate limited", async () => {
    const agency = await connect();
    const before = [await auditRows(agency.agencyId), await dumpDatabases()];
    const browser = newBrowser();
    await browser.go(`/sso/${agency.agencyId}`);
    await browser.go(`/sso/${agency.agencyId}/callback?code=x&state=y`, { crossSite: true });
    await browser.go("/sso/nowhere/callback?code=x&state=y", { crossSite: true });
    const logout = { method: "POST", body: new URLSearchParams({ logout_token: "nonsense" }) };
    expect((await browser.go(`/sso/${agency.agencyId}/logout`, { init: logout })).status).toBe(400);
    expect(await auditRows(agency.agencyId)).toBe(before[0]);
    const after = await dumpDatabases();
    // Only the note about the last failure changes.
    expect(after.length - String(before[1]).length).toBeLessThan(300);
    // The clock stands still: otherwise the rate limit would allow one more request every second.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    try {
      let last = "";
      for (let n = 0; n < 205; n++) last = await (await browser.go("/sso/nowhere")).text();
      expect(last).toContain("sso=busy");
    } finally {
      vi.useRealTimers();
    }
    expect(await (await newBrowser().go("/sso/nowhere")).text()).toContain("sso=not-set-up");
  });

  it("cannot use up the sign-in limit of their network with callbacks or logout tokens", async () => {
    const browser = newBrowser();
    const callback = `/sso/${ours.agencyId}/callback?code=x&state=y`;
    for (let n = 0; n < 205; n++) await browser.go(callback, { crossSite: true });
    const body = () => new URLSearchParams({ logout_token: "nonsense" });
    const statuses: number[] = [];
    // The rate limit allows one more token for each second that this takes.
    for (let n = 0; n < 300 && statuses.at(-1) !== 429; n++) {
      const init = { method: "POST", body: body() };
      statuses.push((await browser.go(`/sso/${ours.agencyId}/logout`, { init })).status);
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([400, 429]);
    expect((await browser.go(`/sso/${ours.agencyId}`)).status).toBe(302);
  });
});

describe("finding the provider", () => {
  const find = async (email: string) => {
    const init = { method: "POST", body: new URLSearchParams({ email, notice: "2026-11" }) };
    return (await newBrowser().go("/sso/find", { init })).text();
  };

  it("uses the domain of the work email", async () => {
    expect(await find(`Any.One@${ours.domain.toUpperCase()}`)).toContain(
      `url=/sso/${ours.agencyId}?notice=2026-11`,
    );
    for (const email of ["x@unknown.example", "", "no address", `x@sub.${ours.domain}`])
      expect(await find(email)).toContain("url=/?sso=unknown");
  });

  it("shows a button only for agencies that want one", async () => {
    const page = async () => (await newBrowser().go("/")).text();
    const shown = await connect({ show_button: "on", button_name: "A Shown Button" });
    await connect({ show_button: "", button_name: "A Hidden Button" });
    await connect({ show_button: "on", enabled: "", button_name: "A Switched-Off Button" });
    const html = await page();
    expect(html).toContain("A Shown Button");
    // The agency's own name, which it cannot choose, is next to the button.
    const agency = await bindings.DB.prepare("SELECT name FROM agencies WHERE id = ?")
      .bind(shown.agencyId)
      .first("name");
    expect(html.slice(html.indexOf("A Shown Button"))).toContain(`>${agency}<`);
    expect(html).not.toMatch(/A Hidden|A Switched-Off/);
  });
});

describe("a provider that fails", () => {
  it("is reported on the sign-in page and on the administrator's screen", async () => {
    const agency = await connect();
    const begin = (over: Partial<Env>) =>
      beginSignOn(
        testApp(() => Date.now() + 20 * MINUTE, over),
        {
          agencyId: agency.agencyId,
          origin: ORIGIN,
          notice: "",
          caller: { ip: "203.0.113.7", userAgent: "" },
        },
      );
    try {
      for (const [fault, kind, over] of [
        ["down", "unreachable", {}],
        ["silent", "slow", { SOURCE_DEADLINE_MS: "300" }],
        ["issuer", "issuer", {}],
      ] as const) {
        await setFault(fault);
        await expect(begin(over), fault).rejects.toMatchObject({ kind });
      }
    } finally {
      await setFault("");
    }
    expect(await (await agency.admin.fetch("/single-sign-on")).text()).toContain("Last failed sign-in");
  });
});

describe("back-channel logout", () => {
  const inbox = async () => (await (await fetch(`${issuer()}/_simulator/inbox`)).json()) as string[];
  const tokenFor = async (agency: Connected, sub: string, sid: string) => {
    const body = JSON.stringify({ client: agency.registered.client_id, sub, sid });
    await fetch(`${issuer()}/_simulator/logout`, { method: "POST", body });
    return (await inbox()).at(-1) ?? "";
  };
  const deliver = (agency: Connected, token: string) => deliverLogout(agency.agencyId, token);
  const sidOf = (username: string) =>
    bindings.DB.prepare(
      "SELECT sign_on_session FROM sessions s JOIN users u ON u.id = s.user_id WHERE username = ? ORDER BY s.created_at DESC",
    )
      .bind(username)
      .first("sign_on_session") as Promise<string>;

  it("ends the session at once, with an audit row, and works once", async () => {
    const person = await newPerson(ours.domain);
    const { browser } = await signOn(ours, person);
    const token = await tokenFor(ours, person.sub, await sidOf(person.email));
    const answer = await deliver(ours, token);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await whoIs(browser)).toBeUndefined();
    expect((await auditOf({ username: person.email }))[0]).toMatchObject({
      action: "session.end",
      outcome: "ok",
      agency_id: ours.agencyId,
    });
    expect((await deliver(ours, token)).status).toBe(400);
  });

  it("can be retried after a failed write, which changes nothing", async () => {
    const person = await newPerson(ours.domain);
    const { browser } = await signOn(ours, person);
    const token = await tokenFor(ours, person.sub, await sidOf(person.email));
    expectLogged(/the log is full/);
    await run(
      "CREATE TRIGGER no_ends BEFORE INSERT ON audit_log WHEN NEW.action = 'session.end' BEGIN SELECT RAISE(ABORT, 'the log is full'); END",
    );
    try {
      expect((await deliver(ours, token)).status).toBe(503);
    } finally {
      await run("DROP TRIGGER no_ends");
    }
    expect(await whoIs(browser)).toBeDefined();
    expect((await deliver(ours, token)).status).toBe(200);
    expect(await whoIs(browser)).toBeUndefined();
  });

  it("also ends sessions of the person that have no known provider session", async () => {
    const person = await newPerson(ours.domain);
    const { browser } = await signOn(ours, person);
    const other = (await signOn(ours, person)).browser;
    const [sid, subject] = [await sidOf(person.email), person.sub];
    await run("UPDATE sessions SET sign_on_session = NULL WHERE sign_on_session = ?", sid);
    expect((await deliver(ours, await tokenFor(ours, subject, "another session"))).status).toBe(200);
    expect([await whoIs(browser), await whoIs(other)].filter(Boolean)).toHaveLength(1);
  });

  /** Completes a sign-in of a person, while which the provider delivers the logout that `tokenOf` returns. */
  const signOnDuring = async (sub: string, tokenOf: (named: SignOnClaims) => Promise<string>) => {
    const app = testApp();
    const caller = { ip: "203.0.113.10", userAgent: "" };
    const asked = { agencyId: ours.agencyId, origin: ORIGIN, notice: "", caller };
    const person = await newPerson(ours.domain, { sub });
    const { url, flow } = await beginSignOn(app, asked);
    const params = new URL(await atProvider(url, person)).searchParams;
    const complete: typeof app.identity.complete = async (input) => {
      const named = await app.identity.complete(input);
      expect((await deliver(ours, await tokenOf(named))).status).toBe(200);
      return named;
    };
    const during = { ...app, identity: { ...app.identity, complete } };
    return { person, done: finishSignOn(during, { ...asked, flow, params }) };
  };

  it("also ends a sign-in of its session that is being completed, and not a later one", async () => {
    const sub = unique("person");
    const { person, done } = await signOnDuring(sub, ({ session }) => tokenFor(ours, sub, session ?? ""));
    await expect(done).rejects.toMatchObject({ kind: "ended" });
    const [refused] = await refusalsOf(sub);
    expect(refused).toMatchObject({ action: "sign-in", outcome: "refused", agency_id: ours.agencyId });
    expect(refused?.detail).toContain("the provider ended the session");
    expect(await whoIs((await signOn(ours, person)).browser)).toBeDefined();
  });

  it("leaves a sign-in alone that is being completed in another session of the person", async () => {
    const sub = unique("person");
    const { done } = await signOnDuring(sub, () => tokenFor(ours, sub, "another session"));
    expect(await done).toMatchObject({ state: "full" });
  });

  it("does not end sessions of another agency that uses the same provider", async () => {
    const theirs = await connect();
    const person = await newPerson(ours.domain);
    const { browser } = await signOn(ours, person);
    const token = await tokenFor(theirs, person.sub, await sidOf(person.email));
    expect((await deliver(ours, token)).status).toBe(400);
    expect((await deliver(theirs, token)).status).toBe(200);
    expect(await whoIs(browser)).toBeDefined();
  });
});

describe("turning passwords off", () => {
  it("exempts the break-glass account and the owner, and ends other password sessions", async () => {
    const agency = await connect();
    const glass = await newUser(agency.agencyId, { role: "admin" });
    const officer = await newUser(agency.agencyId);
    const before = await client(officer);
    const early = await agency.save({ break_glass_user: glass.id });
    expect(await early.text()).toContain("test it without a problem");
    await agency.admin.fetch("/single-sign-on", formOf("test", {}));
    expect((await agency.save({ break_glass_user: "someone-else" })).status).toBe(400);
    expect((await agency.save({ break_glass_user: glass.id })).status).toBe(303);
    expect((await before.fetch("/get-current-user")).status).toBe(401);
    expect((await agency.admin.fetch("/get-current-user")).status).toBe(200);
    expect((await signIn(officer)).status).toBe(401);
    expect((await auditOf(officer))[0]?.detail).toContain("single sign-on only");
    expect((await signIn(glass)).status).toBe(200);
    for (const over of [
      { client_id: agency.registered.client_id, client_secret: "another-secret-of-the-client" },
      { client_id: "x", client_secret: "y" },
    ]) {
      const answer = await agency.save({ break_glass_user: glass.id, ...over });
      expect(answer.status).toBe(409);
      expect(await answer.text()).toContain("While passwords are off");
    }
    const wrongProof = await agency.admin.post("/step-up", { password: PASSWORD });
    expect(wrongProof.status).toBe(403);
    const person = await newPerson(agency.domain);
    expect((await signOn(agency, person)).text).toContain("url=/search");
    // Without single sign-on, passwords work again.
    await agency.admin.fetch("/single-sign-on", formOf("remove", {}));
    expect((await signIn(officer)).status).toBe(200);
  });
});

describe("the break-glass account", () => {
  const withGlass = async (over: Record<string, string> = {}) => {
    const agency = await connect(over);
    const glass = await newUser(agency.agencyId, {
      role: "admin",
      email: `glass@${agency.domain}`,
    });
    await agency.admin.fetch("/single-sign-on", formOf("test", {}));
    const saved = await agency.save({ break_glass_user: glass.id });
    expect(saved.status).toBe(303);
    return { agency, glass };
  };
  const roleOf = (id: string) =>
    bindings.DB.prepare("SELECT role FROM users WHERE id = ? AND disabled_at IS NULL").bind(id).first("role");

  it("is not disabled, deleted or demoted by an administrator, by inactivity, or by groups", async () => {
    const { agency, glass } = await withGlass({ admin_groups: "chiefs" });
    const acts: [string, RequestInit][] = [
      [`/admin/disable-user/${glass.id}`, jsonInit({ disabled: true }, { method: "PUT" })],
      [`/admin/toggle-role/${glass.id}`, jsonInit({ new_role: "user" }, { method: "PUT" })],
      [`/admin/delete-user/${glass.id}`, { method: "DELETE" }],
    ];
    for (const [path, init] of acts) {
      const answer = await agency.admin.fetch(path, init);
      expect([path, answer.status]).toEqual([path, 409]);
      expect(await answer.text()).toContain("break-glass account");
    }
    await run("UPDATE users SET last_sign_in_at = 1, created_at = 1 WHERE id = ?", glass.id);
    await disableUnusedUsers(testApp());
    expect(await roleOf(glass.id)).toBe("admin");
    const { browser } = await signOn(agency, await newPerson(agency.domain, { email: glass.email }));
    expect(await whoIs(browser)).toMatchObject({ id: glass.id, role: "admin" });
  });

  it("is a condition: without a working one, passwords work for everyone again", async () => {
    const { agency, glass } = await withGlass();
    const officer = await newUser(agency.agencyId);
    expect((await signIn(officer)).status).toBe(401);
    await run("UPDATE users SET role = 'user' WHERE id = ?", glass.id);
    expect((await signIn(officer)).status).toBe(200);
  });
});

describe("sessions of single sign-on", () => {
  it.each<[string, (agency: Connected) => Promise<Response>]>([
    ["is removed", (agency) => agency.admin.fetch("/single-sign-on", formOf("remove", {}))],
    ["is switched off", (agency) => agency.save({ enabled: "" })],
    [
      "gets another client ID",
      (agency) => agency.save({ client_id: "another", client_secret: "another-secret" }),
    ],
  ])("end when it %s, and no others", async (_, change) => {
    const agency = await connect();
    const password = await client(await newUser(agency.agencyId));
    const { browser } = await signOn(agency, await newPerson(agency.domain));
    const { browser: stranger } = await signOn(ours, await newPerson(ours.domain));
    await agency.save({ button_name: "Renamed" });
    expect(await whoIs(browser)).toBeDefined();
    expect((await change(agency)).status).toBe(303);
    expect(await whoIs(browser)).toBeUndefined();
    expect((await password.fetch("/get-current-user")).status).toBe(200);
    expect((await agency.admin.fetch("/get-current-user")).status).toBe(200);
    expect(await whoIs(stranger)).toBeDefined();
  });
});

describe("a multi-tenant provider", () => {
  it("signs in only people of the agency's own organization, even if they are already linked", async () => {
    const agency = await connect();
    const app = testApp();
    const row = await findSignOnProvider(app.db, agency.agencyId);
    if (!row) throw new Error("no provider");
    const google = "https://accounts.google.com";
    await run("UPDATE sign_on_providers SET issuer = ? WHERE agency_id = ?", google, agency.agencyId);
    const open = (hd: unknown) => {
      const email = `ann@${agency.domain}`;
      const claims = claimsOf({ iss: google, sub: "ann", email, email_verified: true, hd }, {}, "groups");
      const caller = { ip: "203.0.113.6", userAgent: "" };
      return openSignOnSession(app, {
        provider: { ...row, issuer: google },
        claims,
        caller,
        notice: "",
        since: 0,
      });
    };
    const refused = { refused: "foreign organization" };
    expect(await open(undefined)).toMatchObject(refused);
    expect(await open("elsewhere.example")).toMatchObject(refused);
    expect(await open(agency.domain.toUpperCase())).toMatchObject({ state: "full" });
    expect(await open("elsewhere.example")).toMatchObject(refused);
    expect(await open(undefined)).toMatchObject(refused);
  });
});

describe("a sign-in whose rules change before its session is opened", () => {
  /** Signs in as the provider was read, after `change` to what the first read of the sign-in has seen. */
  async function signOnWhile(
    agency: Connected,
    sub: string,
    change: () => Promise<unknown>,
    app = testApp(),
  ) {
    const provider = await findSignOnProvider(app.db, agency.agencyId);
    if (!provider) throw new Error("no provider");
    await change();
    const email = `${sub}@${agency.domain}`;
    const claims = claimsOf({ iss: provider.issuer, sub, email, email_verified: true }, {}, "groups");
    const caller = { ip: "203.0.113.6", userAgent: "" };
    return openSignOnSession(app, { provider, claims, caller, notice: "", since: 0 });
  }
  const sessionsOf = async (agencyId: string) =>
    bindings.DB.prepare(
      "SELECT count(*) AS n FROM sessions WHERE user_id IN (SELECT id FROM users WHERE agency_id = ?) AND sign_on_issuer <> ''",
    )
      .bind(agencyId)
      .first("n");

  it.each([
    ["removed", "DELETE FROM sign_on_providers WHERE agency_id = ?"],
    ["turned off", "UPDATE sign_on_providers SET enabled = 0 WHERE agency_id = ?"],
    [
      "given another client",
      "UPDATE sign_on_providers SET client_id = 'x', changed_at = 5 WHERE agency_id = ?",
    ],
  ])("opens no session through a connection that was %s", async (_, change) => {
    const agency = await connect();
    const opened = signOnWhile(agency, "ann", () => run(change, agency.agencyId));
    await expect(opened).rejects.toThrow(SignOnFailure);
    expect(await sessionsOf(agency.agencyId)).toBe(0);
  });

  it("applies the present settings of the same connection", async () => {
    const agency = await connect();
    const change =
      "UPDATE sign_on_providers SET member_groups = '[\"Police\"]', changed_at = 5 WHERE agency_id = ?";
    const opened = await signOnWhile(agency, "ann", () => run(change, agency.agencyId));
    expect(opened).toMatchObject({ refused: "not a member" });
    expect(await sessionsOf(agency.agencyId)).toBe(0);
  });

  it("opens no session for a user who was disconnected from the person or disabled", async () => {
    const agency = await connect();
    const app = testApp();
    await signOnWhile(agency, "ann", async () => undefined);
    const provider = await findSignOnProvider(app.db, agency.agencyId);
    const userId = await findIdentity(app.db, {
      agencyId: agency.agencyId,
      issuer: issuer(),
      subject: "ann",
    });
    const was = userId === undefined ? undefined : await findUserById(app.db, userId);
    if (!provider || !was) throw new Error("no user");
    const held = { provider, subject: "ann", userId: was.id, secondFactorRequired: false };
    await inOneStep(app.db, [requireUserUnchanged(app.db, was), requireIdentityUnchanged(app.db, held)]);
    await run("UPDATE users SET disabled_at = 1 WHERE id = ?", was.id);
    await expect(inOneStep(app.db, [requireUserUnchanged(app.db, was)])).rejects.toThrow(
      "users.password_hash",
    );
    await inOneStep(app.db, [removeIdentities(app.db, { agencyId: agency.agencyId, userId: was.id })]);
    await expect(inOneStep(app.db, [requireIdentityUnchanged(app.db, held)])).rejects.toThrow("users.email");
  });

  it("fails as busy, not as a bug, if they change at each of its tries", async () => {
    const agency = await connect();
    await signOnWhile(agency, "ann", async () => undefined);
    const app = withBatches(testApp(), async (batch, statements) => {
      await run(
        "UPDATE sign_on_providers SET changed_at = changed_at + 1 WHERE agency_id = ?",
        agency.agencyId,
      );
      return batch(statements);
    });
    const opened = signOnWhile(agency, "ann", async () => undefined, app);
    await expect(opened).rejects.toMatchObject({ name: "SignOnFailure", kind: "changing" });
    expect(signOnMessage("changing")).toMatch(/Try again/);
  });

  it("opens no password session once passwords are off", async () => {
    const agency = await connect();
    const user = await newUser(agency.agencyId);
    const read = await storedUser(user);
    const glass = "UPDATE sign_on_providers SET break_glass_user_id = ? WHERE agency_id = ?";
    await run(glass, agency.adminUser.id, agency.agencyId);
    await expect(openSessionOf(read)).rejects.toThrow("users.password_hash");
    expect((await signIn(user)).status).toBe(401);
    expect((await signIn(agency.adminUser)).status).toBe(200);
  });
});

describe("the client secret", () => {
  it("is stored encrypted, is never shown, and is not sent to another issuer or client", async () => {
    const agency = await connect();
    const { client_secret } = agency.registered;
    expect(await dumpDatabases()).not.toContain(client_secret);
    expect(await (await agency.admin.fetch("/single-sign-on")).text()).not.toContain(client_secret);
    for (const [name, value] of [
      ["issuer", "https://evil.okta.com"],
      ["client_id", "another"],
    ] as const) {
      const answer = await agency.save({ [name]: value });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain("Enter the client secret.");
    }
  });

  it("is sent only to hosts that the operator allows", async () => {
    const registered = await register(`${ORIGIN}/sso/x/callback`);
    for (const address of [
      "https://evil.example.com",
      "http://login.microsoftonline.com",
      "https://10.0.0.1",
      "https://metadata.internal",
      "https://user@login.microsoftonline.com",
      "https://login.microsoftonline.com:8443",
    ]) {
      const answer = await ours.save({ issuer: address, client_secret: registered.client_secret });
      expect([address, answer.status]).toEqual([address, 400]);
    }
  });
});
