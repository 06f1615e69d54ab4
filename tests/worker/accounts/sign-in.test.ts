import { beforeAll, describe, expect, it, vi } from "vitest";
import { steppedUp } from "#app/domain/accounts/second-factor.ts";
import { signIn as openWith } from "#app/domain/accounts/sign-in.ts";
import { ADDRESS_LIMITS, type SessionActor, USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { HOUR, MINUTE } from "#app/lib/time/dates.ts";
import { requireEnrollment } from "#app/store/accounts/second-factor.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  actorOf,
  anonymous,
  apiClient,
  auditOf,
  bindings,
  bodyOf,
  client,
  dumpDatabases,
  jsonInit,
  newAgency,
  newUser,
  openSessionOf,
  PASSWORD,
  send,
  signIn,
  storedUser,
  type TestUser,
  testApp,
  textWithoutId,
  unique,
} from "../../factories.ts";
import { beforeWrite } from "../../support/batches.ts";

let user: TestUser;
let agencyName: string;

beforeAll(async () => {
  const agency = await newAgency();
  agencyName = agency.name;
  user = await newUser(agency.id, { hotlistViewer: true });
});

const me = (headers: Record<string, string>) => send("/get-current-user", { headers });
const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  send("/login", { method: "POST", body: new URLSearchParams(fields), headers });
/** Posts the form as the page does, with the version of the use notification that it showed. */
const form = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  post({ notice: USE_NOTIFICATION.version, ...fields }, headers);

describe("signing in", () => {
  it("returns JSON with a cookie that scripts cannot read", async () => {
    const response = await signIn(user);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ msg: "Login successful", redirect_url: "/search" });
    const [cookie = ""] = response.headers.getSetCookie();
    const [pair, ...attributes] = cookie.split("; ");
    expect(pair).toMatch(/^__Host-odin=[\w-]{22,}$/);
    expect(attributes.sort()).toEqual(["HttpOnly", "Path=/", "SameSite=Strict", "Secure"]);
  });

  it("returns the signed-in user in the documented fields", async () => {
    const answer = await (await (await client(user)).fetch("/get-current-user")).json();
    expect(answer).toEqual({
      id: user.id,
      username: user.username,
      role: "user",
      hotlist_admin: false,
      hotlist_viewer: true,
      email: user.email,
      name: user.name,
      department: agencyName,
    });
  });

  it("accepts the plain HTML form, with the username in any case, and redirects", async () => {
    const response = await form({ username: user.username.toUpperCase(), password: PASSWORD });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/search");
    const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await me({ cookie })).status).toBe(200);
  });

  it("redirects the plain HTML form back after a wrong password, with only the typed username", async () => {
    const username = `Ann "<&;=% ${user.username}`;
    const response = await form({ username, password: "wrong" });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/?failed=1");
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(
      /^__Host-odin-typed=[^;,]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=60$/,
    );
    const sent = { headers: { cookie: cookie.split(";")[0] ?? "" } };
    const shown = `value="Ann &quot;&lt;&amp;;=% ${user.username}"`;
    expect(await (await send("/?failed=1", sent)).text()).toContain(shown);
    expect(await (await send("/", sent)).text(), "without a failure").not.toContain(shown);
    const broken = { headers: { cookie: "__Host-odin-typed=%E0%A4%A" } };
    expect((await send("/?failed=1", broken)).status).toBe(200);
  });

  it("tells the plain HTML form that its address failed too often", async () => {
    const address = "203.0.113.77";
    await bindings.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO sign_in_attempts (id, account, address, at, failed, unknown_device)
      SELECT 'typed' || i, 'ghost' || i, ?, ?, 1, 1 FROM n`,
    )
      .bind(ADDRESS_LIMITS.attempts, address, Date.now())
      .run();
    const body = new URLSearchParams({ username: unique("ghost"), password: "x" });
    const headers = { "cf-connecting-ip": address };
    const response = await send("/login", { method: "POST", body, headers });
    expect(response.headers.get("location")).toBe("/?failed=address");
    const page = await (await send("/?failed=address")).text();
    expect(page).toContain("Too many failed sign-ins from your address. Try again later.");
  });

  it("answers a wrong password and an unknown username with the same text, headers and response time", async () => {
    const wrong = await signIn({ ...user, password: "wrong" });
    const unknown = await signIn({ username: unique("ghost"), password: PASSWORD });
    const bodies = await Promise.all([textWithoutId(wrong), textWithoutId(unknown)]);
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(bodies[0]).toEqual(bodies[1]);
    expect(JSON.parse(bodies[0])).toMatchObject({ msg: "Login failed", message: "Login failed" });
    expect([...wrong.headers.keys()].sort()).toEqual([...unknown.headers.keys()].sort());
    const other = await newUser(user.agencyId);
    const least = { known: Number.POSITIVE_INFINITY, ghost: Number.POSITIVE_INFINITY };
    // Alternates, so that other load on the machine slows both. Five failures would lock the account.
    for (let i = 0; i < 4; i++) {
      for (const [who, username] of [
        ["known", other.username],
        ["ghost", unique("ghost")],
      ] as const) {
        const started = Date.now();
        await signIn({ username, password: "wrong" });
        least[who] = Math.min(least[who], Date.now() - started);
      }
    }
    // A response without password hashing takes a tenth of the time.
    expect(least.ghost).toBeGreaterThan(least.known / 4);
  });

  it("makes the same database queries for a wrong password and an unknown username, also with a device", async () => {
    const queriesFor = async (username: string, device: string | undefined) => {
      const queries: string[] = [];
      const prepare = (sql: string) => {
        queries.push(sql);
        return bindings.DB.prepare(sql);
      };
      const batch: D1Database["batch"] = (statements) => bindings.DB.batch(statements);
      const app = testApp(Date.now, { DB: Object.assign(Object.create(bindings.DB), { prepare, batch }) });
      const caller = { ip: "192.0.2.71", userAgent: "", ...(device !== undefined && { device }) };
      const credentials = { username, password: "wrong" };
      const refused = openWith(app, { credentials, notice: undefined, caller, kind: "cookie" });
      await expect(refused).rejects.toMatchObject({ code: "unauthenticated" });
      return queries;
    };
    const other = await newUser(user.agencyId);
    for (const device of [undefined, "A".repeat(43)]) {
      const known = await queriesFor(other.username, device);
      expect(await queriesFor(unique("ghost"), device)).toEqual(known);
      expect(known.length).toBeGreaterThan(4);
    }
  });

  it("audits every attempt without the password", async () => {
    await signIn({ ...user, password: "Sesame-open-1" });
    await signIn(user);
    const [refused, passed] = await auditOf(user, 2);
    expect(refused).toMatchObject({ action: "sign-in", outcome: "refused", user_id: user.id });
    expect(JSON.parse(refused?.detail ?? "")).toEqual({ reason: "wrong password" });
    expect(passed).toMatchObject({ action: "sign-in", outcome: "ok", agency_id: user.agencyId });
    expect(JSON.parse(passed?.detail ?? "")).toMatchObject({ kind: "cookie", notice: expect.any(String) });
    const ghost = { username: unique("ghost"), password: PASSWORD };
    await signIn(ghost);
    expect(await auditOf(ghost)).toMatchObject([{ action: "sign-in", outcome: "refused", user_id: "" }]);
    const dump = await dumpDatabases();
    expect(dump).not.toContain("Sesame-open-1");
    expect(dump).not.toContain(PASSWORD);
  });

  it("stores only a hash of the session token", async () => {
    const { headers } = await client(user);
    const token = (headers.cookie ?? "").split("=")[1] ?? "";
    expect(token.length).toBeGreaterThanOrEqual(22);
    expect(await dumpDatabases()).not.toContain(token);
  });

  it.each<[string, RequestInit, number]>([
    ["no body", { method: "POST" }, 415],
    ["text", { method: "POST", body: "x", headers: { "content-type": "text/plain" } }, 415],
    ["broken JSON", { method: "POST", body: "{", headers: { "content-type": "application/json" } }, 401],
    ["a list", jsonInit([]), 401],
    ["no password", jsonInit({ username: "x" }), 401],
    ["a number as name", jsonInit({ username: 7, password: "x" }), 401],
    ["a large body", jsonInit({ username: "x", password: "y".repeat(9000) }), 413],
  ])("refuses %s", async (_, init, status) => {
    const response = await send("/login", init);
    expect(response.status).toBe(status);
    expect((await bodyOf<{ msg: string }>(response)).msg).not.toBe("");
  });

  it("offers dev-login only on a loopback host", async () => {
    const call = jsonInit({ username: user.username, password: PASSWORD });
    expect((await send("http://localhost:8787/dev-login", call)).status).toBe(200);
    expect((await send("http://127.0.0.1/dev-login", call)).status).toBe(200);
    for (const host of ["https://odin.test", "http://localhost.odin.test", "http://10.0.0.1"])
      expect((await send(`${host}/dev-login`, call)).status).toBe(404);
  });
});

describe("the use notification", () => {
  const STATEMENTS = [
    "You are about to use a restricted information system.",
    "Use of this system may be monitored, recorded and audited.",
    "Unauthorized use is prohibited and may be subject to criminal and civil penalties.",
    "Using this system means that you consent to monitoring and recording.",
  ];
  const fromBrowser = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };

  it.each(STATEMENTS)(
    "is shown before the sign-in, and is in the JSON response for other clients: %s",
    async (statement) => {
      expect(await (await anonymous.fetch("/")).text()).toContain(statement);
      const { statements } = await bodyOf<{
        statements: string[];
      }>(anonymous.fetch("/use-notification"));
      expect(statements).toContain(statement);
    },
  );

  it("is in the form with its version, and states that Login acknowledges it", async () => {
    const html = await (await anonymous.fetch("/")).text();
    expect(html).toMatch(new RegExp(`name="notice"[^>]*value="${USE_NOTIFICATION.version}"`));
    expect(html).toContain("By choosing Login you acknowledge the use notification");
  });

  it("does not lock out users who do not acknowledge it", async () => {
    const other = await newUser(user.agencyId);
    for (let n = 0; n < 6; n++)
      expect((await post({ username: other.username, password: PASSWORD })).status).toBe(303);
    expect((await signIn(other, { notice: "2020-01" })).status).toBe(200);
  });

  it("is recorded with its version in the session and in the audit log", async () => {
    const one = await newUser(user.agencyId);
    const { notice } = { notice: USE_NOTIFICATION.version };
    const answer = await send(
      "/login",
      jsonInit({ username: one.username, password: PASSWORD, notice }, { headers: fromBrowser }),
    );
    expect(answer.status).toBe(200);
    const kept = await bindings.DB.prepare("SELECT notice_version AS it FROM sessions WHERE user_id = ?")
      .bind(one.id)
      .first("it");
    expect(kept).toBe(notice);
    const [row] = await auditOf(one);
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({ notice });
  });
});

describe("a bearer token", () => {
  it("is accepted in the Authorization header, but not as a session cookie", async () => {
    const { headers } = await apiClient(user);
    expect((await me(headers)).status).toBe(200);
    const token = headers.authorization?.split(" ")[1] ?? "";
    expect((await me({ cookie: `__Host-odin=${token}` })).status).toBe(401);
  });

  it.each<[string, Record<string, string>]>([
    ["a page of Odin", { "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin" }],
    ["a browser that sends only the origin", { origin: "https://odin.test" }],
    ["an address typed by the user", { "sec-fetch-site": "none" }],
  ])("is never issued to a web page: %s", async (_, headers) => {
    const body = { username: user.username, password: PASSWORD, client: "api" };
    const response = await send("/login", jsonInit(body, { headers }));
    expect(response.status).toBe(403);
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(await response.text()).not.toContain('token":');
  });

  it.each<[string, Record<string, string>]>([
    ["Node and Deno", { "sec-fetch-mode": "cors", "user-agent": "node" }],
    ["URLSession", { "user-agent": "Odin/1 CFNetwork/1568.100.1 Darwin/24.0.0" }],
  ])("is issued to the HTTP client of %s", async (_, headers) => {
    const body = { username: user.username, password: PASSWORD, client: "api" };
    const response = await send("/login", jsonInit(body, { headers }));
    expect(response.status).toBe(200);
    const { token } = await bodyOf<{ token: string }>(response);
    expect((await me({ authorization: `Bearer ${token}`, ...headers })).status).toBe(200);
  });

  it("cannot be the token of a session cookie", async () => {
    const { headers } = await client(user);
    const token = (headers.cookie ?? "").split("=")[1];
    expect((await me({ authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await me({ authorization: `Bearer ${token}`, ...headers })).status).toBe(401);
  });

  it("that has ended is refused, even next to a session cookie", async () => {
    const program = await apiClient(user);
    const { cookie = "" } = (await client(user)).headers;
    expect((await program.fetch("/logout", { method: "POST" })).status).toBe(200);
    expect((await me({ ...program.headers, cookie })).status).toBe(401);
  });

  it("that Odin did not issue does not hide the session cookie, whose requests are checked as always", async () => {
    const { cookie = "" } = (await client(user)).headers;
    const both = { cookie, authorization: `Bearer ${"stale-token-of-another-product-".repeat(2)}` };
    expect((await me(both)).status).toBe(200);
    for (const [name, value] of [
      ["sec-fetch-site", "cross-site"],
      ["origin", "https://evil.example"],
    ] as const) {
      const foreign = { method: "POST", headers: { ...both, [name]: value } };
      expect((await send("/logout", foreign)).status).toBe(403);
    }
    const confirmed = await send("/step-up", jsonInit({ password: PASSWORD }, { headers: both }));
    expect(confirmed.status).toBe(200);
    expect(await confirmed.json(), "no script can read the new token").not.toHaveProperty("token");
    const [renewed = ""] = (confirmed.headers.get("set-cookie") ?? "").split(";");
    expect((await me({ ...both, cookie: renewed })).status).toBe(200);
  });
});

describe("the end of a session", () => {
  it("is immediate on logout", async () => {
    const browser = await client(user);
    const other = await client(user);
    const response = await browser.fetch("/logout", { method: "POST" });
    expect(response.status).toBe(200);
    expect(response.headers.get("set-cookie")).toMatch(/^__Host-odin=; .*Max-Age=0/);
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
    expect((await other.fetch("/get-current-user")).status).toBe(200);
    expect(await auditOf(user)).toMatchObject([{ action: "sign-out", outcome: "ok" }]);
  });

  it("comes with another sign-in in the same browser, and with no other", async () => {
    const { headers, fetch } = await client(user);
    const status = async () => (await fetch("/get-current-user")).status;
    const { cookie = "" } = headers;
    const signInAgain = ({ username, password }: { username: string; password: string }, more = {}) =>
      send("/login", jsonInit({ username, password, ...more }, { headers: { cookie } }));
    expect((await signInAgain({ ...user, password: "Wrong-Password-1" })).status).toBe(401);
    expect((await signInAgain(user, { client: "api" })).status).toBe(200);
    expect((await client(user)).headers.cookie).not.toBe(cookie);
    expect(await status()).toBe(200);

    const next = await newUser((await newAgency()).id);
    const answer = await signInAgain(next);
    expect(answer.status).toBe(200);
    const [renewed = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
    expect(await status()).toBe(401);
    expect((await me({ cookie: renewed })).status).toBe(200);
    const [row] = await auditOf(user);
    expect(row).toMatchObject({ action: "sign-out", outcome: "ok" });
    expect(row?.detail).toContain("another sign-in in the same browser");
    // The cookie of a session that has ended changes nothing.
    const rows = () => bindings.DB.prepare("SELECT count(*) AS count FROM audit_log").first<number>("count");
    const before = (await rows()) ?? 0;
    expect((await signInAgain(next)).status).toBe(200);
    expect(await rows()).toBe(before + 1);
  });

  it("can be requested again: the cookie is deleted and nothing is recorded", async () => {
    const browser = await client(user);
    const rows = () => bindings.DB.prepare("SELECT count(*) AS count FROM audit_log").first("count");
    await browser.fetch("/logout", { method: "POST" });
    const before = await rows();
    for (const who of [browser, anonymous]) {
      const response = await who.fetch("/logout", { method: "POST" });
      expect([response.status, await response.json()]).toEqual([200, { msg: "Logged out" }]);
      expect(response.headers.get("set-cookie")).toMatch(/^__Host-odin=; .*Max-Age=0/);
    }
    expect(await rows()).toBe(before);
  });

  it("needs no script: the form of the Logout button leads to the sign-in page", async () => {
    const browser = await client(user);
    const html = await (await browser.fetch("/profile")).text();
    expect(html).toMatch(
      /<form[^>]*method="post"[^>]*action="\/logout"[^>]*>(?:(?!<\/form>).)*type="submit"/s,
    );
    const plain = {
      method: "POST",
      body: new URLSearchParams(),
      headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" },
    };
    for (const who of [browser, browser, anonymous]) {
      const response = await who.fetch("/logout", plain);
      expect([response.status, response.headers.get("location")]).toEqual([303, "/?again=1"]);
      expect(response.headers.get("set-cookie")).toMatch(/^__Host-odin=; .*Max-Age=0/);
    }
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
  });

  it("is answered with JSON to a program that posts a form", async () => {
    const program = await client(user);
    const response = await program.fetch("/logout", { method: "POST", body: new URLSearchParams() });
    expect([response.status, await response.json()]).toEqual([200, { msg: "Logged out" }]);
  });

  it("comes at the next request of a disabled user, who cannot sign in anymore", async () => {
    const gone = await newUser(user.agencyId);
    const browser = await client(gone);
    expect((await browser.fetch("/get-current-user")).status).toBe(200);
    await bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?").bind(gone.id).run();
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
    const again = await signIn(gone);
    expect(again.status).toBe(401);
    expect(await again.json()).toMatchObject({ msg: "Login failed" });
  });

  it("is decided by the server's clock: thirty minutes idle, twelve hours in total", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const start = Date.now();
      const at = async (who: Awaited<ReturnType<typeof client>>, offset: number, background = false) => {
        vi.setSystemTime(start + offset);
        const headers: Record<string, string> = background ? { "odin-background": "1" } : {};
        return (await who.fetch("/get-current-user", { headers })).status;
      };
      const idle = await client(user);
      expect(await at(idle, 30 * MINUTE - 1000)).toBe(200);
      vi.setSystemTime(start);
      const late = await client(user);
      expect(await at(late, 30 * MINUTE)).toBe(401);

      vi.setSystemTime(start);
      const polling = await client(user);
      for (let minute = 5; minute < 30; minute += 5)
        expect(await at(polling, minute * MINUTE, true)).toBe(200);
      expect(await at(polling, 30 * MINUTE, true)).toBe(401);

      vi.setSystemTime(start);
      const busy = await client(user);
      for (let minute = 25; minute < 12 * 60; minute += 25) expect(await at(busy, minute * MINUTE)).toBe(200);
      expect(await at(busy, 12 * HOUR - MINUTE)).toBe(200);
      expect(await at(busy, 12 * HOUR)).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the remaining time of a session", () => {
  const left = async (who: Awaited<ReturnType<typeof client>>, background: boolean) => {
    const headers: Record<string, string> = background ? { "odin-background": "1" } : {};
    return (await who.fetch("/session-time", { headers })).json();
  };

  it("can be read without extending the session, and use extends it up to twelve hours", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const start = Date.now();
      const browser = await client(user);
      vi.setSystemTime(start + 20 * MINUTE);
      const unused = {
        username: user.username,
        state: "full",
        unused_left_ms: 10 * MINUTE,
        left_ms: 12 * HOUR - 20 * MINUTE,
      };
      expect(await left(browser, true)).toEqual(unused);
      expect(await left(browser, true)).toEqual(unused);
      expect(await left(browser, false)).toEqual({ ...unused, unused_left_ms: 30 * MINUTE });
      vi.setSystemTime(start + 49 * MINUTE);
      expect(await left(browser, true)).toMatchObject({ unused_left_ms: MINUTE });
      vi.setSystemTime(start + 50 * MINUTE);
      expect((await browser.fetch("/session-time", { headers: { "odin-background": "1" } })).status).toBe(
        401,
      );
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("requests from other sites", () => {
  const logout = (headers: Record<string, string>) => send("/logout", { method: "POST", headers });

  it.each<[string, Record<string, string>]>([
    ["cross-site", { "sec-fetch-site": "cross-site" }],
    ["same-site", { "sec-fetch-site": "same-site" }],
    ["another origin", { origin: "https://evil.example" }],
    ["a null origin", { origin: "null" }],
    ["another port", { origin: "https://odin.test:8443" }],
    ["an invalid origin", { origin: "odin.test" }],
    ["an unknown value as site", { "sec-fetch-site": "elsewhere" }],
    ["metadata that contradicts the origin", { "sec-fetch-site": "cross-site", origin: "https://odin.test" }],
  ])("are refused: %s", async (_, headers) => {
    const browser = await client(user);
    const response = await logout({ cookie: browser.headers.cookie ?? "", ...headers });
    expect(response.status).toBe(403);
    expect((await browser.fetch("/get-current-user")).status).toBe(200);
  });

  // As in Go's CrossOriginProtection: a client that sends neither header is not a browser, or acts directly for the
  // user.
  it.each<[string, Record<string, string>]>([
    ["a cookie and neither header, as URLSession and scripts send", {}],
    ["no site, for requests that the user starts directly", { "sec-fetch-site": "none" }],
    ["Odin's own page", { "sec-fetch-site": "same-origin", origin: "https://odin.test" }],
    ["Odin's own origin in a browser without Fetch Metadata", { origin: "https://odin.test" }],
    ["Odin's own page through a proxy", { "sec-fetch-site": "same-origin", origin: "http://odin.internal" }],
  ])("are accepted with %s", async (_, headers) => {
    const { cookie = "" } = (await client(user)).headers;
    expect((await logout({ cookie, ...headers })).status).toBe(200);
  });

  it("cannot sign a visitor in", async () => {
    const call = { username: user.username, password: PASSWORD };
    const evil = { "sec-fetch-site": "cross-site" };
    expect((await send("/login", jsonInit(call, { headers: evil }))).status).toBe(403);
    expect((await form(call, evil)).status).not.toBe(200);
    expect((await form(call, evil)).headers.get("set-cookie")).toBeNull();
  });

  it("cannot read anything", async () => {
    const browser = await client(user);
    const answer = await browser.fetch("/get-current-user", { headers: { "sec-fetch-site": "cross-site" } });
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    expect(answer.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });

  it("do not include requests with a bearer token, which need no origin", async () => {
    const program = await apiClient(user);
    expect((await program.fetch("/logout", { method: "POST" })).status).toBe(200);
    expect((await program.fetch("/get-current-user")).status).toBe(401);
  });
});

describe("the sign-in screen", () => {
  it("shows the use notification to visitors, and redirects signed-in users", async () => {
    const page = await anonymous.fetch("/");
    expect(page.status).toBe(200);
    const html = await page.text();
    for (const word of ["restricted information system", "monitored", "prohibited", "consent"])
      expect(html).toContain(word);
    const signedIn = await (await client(user)).fetch("/");
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([302, "/search"]);
  });
});

describe("a sign-in whose rules change while it compares the password", () => {
  const run = (sql: string, ...values: unknown[]) =>
    bindings.DB.prepare(sql)
      .bind(...values)
      .run();

  it.each([
    ["the user is disabled", "UPDATE users SET disabled_at = 1 WHERE id = ?1"],
    ["the temporary password expires sooner", "UPDATE users SET temporary_until = 1 WHERE id = ?1"],
    [
      "the user gets a second factor",
      "INSERT INTO totp_factors (user_id, sealed_secret, confirmed_at, created_at) VALUES (?1, '', 1, 1)",
    ],
    [
      "the agency requires a second factor",
      "UPDATE agencies SET second_factor_required = 1 WHERE id = (SELECT agency_id FROM users WHERE id = ?1)",
    ],
  ])("opens no session by the former rule: %s", async (_, change) => {
    const user = await newUser((await newAgency()).id);
    const read = await storedUser(user);
    await run(change, user.id);
    await expect(openSessionOf(read)).rejects.toThrow("users.password_hash");
    const sessions = bindings.DB.prepare("SELECT count(*) AS n FROM sessions WHERE user_id = ?").bind(
      user.id,
    );
    expect(await sessions.first("n")).toBe(0);
    expect(await auditOf(user)).toEqual([]);
  });

  it.each(["everyone", "unknown devices"])(
    "opens no session of an account that was locked for %s",
    async (scope) => {
      const user = await newUser((await newAgency()).id);
      const app = beforeWrite(testApp(), () =>
        run("UPDATE users SET locked_at = 1, locked_for = ? WHERE id = ?", scope, user.id),
      );
      const credentials = { username: user.username, password: PASSWORD };
      const caller = { ip: "198.51.100.7", userAgent: "" };
      const opened = openWith(app, { credentials, notice: undefined, caller, kind: "cookie" });
      await expect(opened).rejects.toMatchObject({ code: "unauthenticated" });
      expect(
        await bindings.DB.prepare("SELECT count(*) AS n FROM sessions WHERE user_id = ?")
          .bind(user.id)
          .first("n"),
      ).toBe(0);
      expect(await auditOf(user)).toMatchObject([{ action: "sign-in", outcome: "refused" }]);
    },
  );

  it("does not undo the requirement of a second factor by a step-up", async () => {
    const agency = await newAgency();
    const user = await newUser(agency.id);
    const actor = (await actorOf(await client(user))) as SessionActor;
    const app = testApp();
    await inOneStep(
      app.db,
      requireEnrollment(app.db, { agencyId: agency.id, provedAfter: 0, now: Date.now() }),
    );
    await steppedUp(app, actor, "password");
    const state = bindings.DB.prepare("SELECT state FROM sessions WHERE id = ?").bind(actor.sessionId);
    expect(await state.first("state")).toBe("must-enrol-second-factor");
  });
});
