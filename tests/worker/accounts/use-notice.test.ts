import { beforeAll, describe, expect, it } from "vitest";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import {
  auditOf,
  bindings,
  jsonInit,
  newAgency,
  newUser,
  PASSWORD,
  send,
  signIn,
  type TestUser,
} from "../../factories.ts";

// CJIS AC-8 for clients that sign in with the documented fields only: the notice is the first screen of their session.

let user: TestUser;

beforeAll(async () => {
  user = await newUser((await newAgency()).id, { hotlistViewer: true });
});

const sessionCookie = (response: Response) => response.headers.get("set-cookie")?.split(";")[0] ?? "";
const BROWSER = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", origin: "https://odin.test" };
const CLIENTS: [string, Record<string, string>][] = [
  ["a browser", BROWSER],
  ["a program without such headers", {}],
  ["Node's fetch", { "sec-fetch-mode": "cors" }],
];

/** Signs in with the documented fields. Returns a fetch that sends only the session cookie. */
async function documented(headers: Record<string, string> = {}, over: object = {}) {
  const body = { username: user.username, password: PASSWORD, ...over };
  const answer = await send("/login", jsonInit(body, { headers }));
  const cookie = sessionCookie(answer);
  const fetch = (path: string, init: RequestInit = {}) =>
    send(path, { ...init, headers: { cookie, ...(init.headers as Record<string, string>) } });
  return { answer, fetch };
}

const versionOf = async (cookieUser: TestUser) =>
  bindings.DB.prepare(
    "SELECT notice_version AS it FROM sessions WHERE user_id = ? ORDER BY created_at DESC, rowid DESC",
  )
    .bind(cookieUser.id)
    .first("it");

describe("a sign-in that sends no notice version", () => {
  it.each(CLIENTS)(
    "works from %s, and the audit row records that the notice was not shown",
    async (_, headers) => {
      const { answer, fetch } = await documented(headers);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ msg: "Login successful", redirect_url: "/search" });
      expect((await fetch("/get-current-user")).status).toBe(200);
      expect((await fetch("/api-keys-data")).status).toBe(200);
      const [row] = await auditOf(user, 1);
      expect(row).toMatchObject({ action: "sign-in", outcome: "ok" });
      expect(JSON.parse(row?.detail ?? "")).toMatchObject({ notice: "not shown by this client" });
    },
  );

  it("works as a plain HTML form", async () => {
    const body = new URLSearchParams({ username: user.username, password: PASSWORD });
    const answer = await send("/login", { method: "POST", body });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/search"]);
    expect(sessionCookie(answer)).toMatch(/^__Host-odin=/);
  });

  it.each([
    ["another version", "2020-01"],
    ["an empty one", ""],
    ["a number", 7],
    ["null", null],
  ])("is treated the same with %s", async (_, notice) => {
    const { answer, fetch } = await documented(BROWSER, { notice });
    expect(answer.status).toBe(200);
    expect((await fetch("/search")).headers.get("location")).toBe("/use-notice?to=%2Fsearch");
    const [row] = await auditOf(user, 1);
    const { notice: said }: { notice: string } = JSON.parse(row?.detail ?? "");
    expect(said).toBe(notice === "2020-01" ? "showed version 2020-01" : "not shown by this client");
  });
});

describe("the first screen of such a session", () => {
  it.each(["/search", "/profile", "/alerts", "/results?id=abc&view=map"])(
    "is the notice if %s was requested",
    async (path) => {
      const { fetch } = await documented();
      const answer = await fetch(path);
      expect(answer.status).toBe(302);
      expect(answer.headers.get("location")).toBe(`/use-notice?to=${encodeURIComponent(path)}`);
    },
  );

  it("is the notice for data requests of Odin's own pages too, whose answers have no screen content", async () => {
    const { fetch } = await documented();
    const answer = await fetch("/profile.data?_routes=account%2Croutes%2Fscreens%2Faccounts%2Fprofile");
    const text = await answer.text();
    expect(text).toContain("/use-notice?to=%2Fprofile");
    expect(text).not.toContain(user.email);
  });

  it("shows the four statements and a form that works without scripts", async () => {
    const { fetch } = await documented();
    const html = await (await fetch("/use-notice?to=%2Fprofile")).text();
    for (const statement of USE_NOTIFICATION.statements) expect(html).toContain(statement);
    expect(html).toMatch(/<form[^>]*method="post"[^>]*action="\/use-notice\?to=%2Fprofile"/);
    expect(html).toMatch(/<button[^>]*type="submit"[^>]*>[^<]*(<[^>]*>)*I acknowledge/);
  });

  it("redirects to the requested page once acknowledged; the acknowledgment is stored and audited", async () => {
    const { fetch } = await documented();
    const to = "/results?id=abc&view=map";
    const address = (await fetch(to)).headers.get("location") ?? "";
    const form = { method: "POST", body: new URLSearchParams(), headers: BROWSER };
    const answer = await fetch(address, form);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, to]);
    expect(await versionOf(user)).toBe(USE_NOTIFICATION.version);
    const [row] = await auditOf(user, 1);
    expect(row).toMatchObject({ action: "sign-in.notice", outcome: "ok" });
    expect(JSON.parse(row?.detail ?? "")).toEqual({ notice: USE_NOTIFICATION.version });
    expect((await fetch("/search")).status).toBe(200);
    // The screen now redirects, and a second acknowledgment writes no second audit row.
    expect((await fetch("/use-notice?to=%2Fprofile")).headers.get("location")).toBe("/profile");
    expect((await fetch(address, form)).headers.get("location")).toBe(to);
    expect((await auditOf(user, 2)).map(({ action }) => action)).toEqual(["sign-in", "sign-in.notice"]);
  });

  it.each([
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "\t//evil.example",
    "javascript:alert(1)",
    "/use-notice?to=/search",
    "/x/..//evil.example",
    "",
  ])("never redirects to another site: %j", async (to) => {
    const { fetch } = await documented();
    const answer = await fetch(`/use-notice?to=${encodeURIComponent(to)}`, {
      method: "POST",
      body: new URLSearchParams(),
      headers: BROWSER,
    });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/search"]);
  });

  it.each<[string, Record<string, string>]>([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another origin", { origin: "https://evil.example" }],
    ["a null origin", { origin: "null" }],
    ["an invalid origin", { origin: "evil" }],
  ])("cannot be acknowledged by %s", async (_, headers) => {
    const { fetch } = await documented();
    const answer = await fetch("/use-notice", { method: "POST", body: new URLSearchParams(), headers });
    expect(answer.status).toBe(403);
    expect((await fetch("/search")).status).toBe(302);
    expect(await versionOf(user)).not.toBe(USE_NOTIFICATION.version);
  });

  it("can be acknowledged by a plain form without an origin, due to Odin's referrer policy", async () => {
    const { fetch } = await documented();
    const headers = { origin: "null", "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" };
    const answer = await fetch("/use-notice", { method: "POST", body: new URLSearchParams(), headers });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/search"]);
  });

  it("comes before the forced password change", async () => {
    const late = await newUser(user.agencyId);
    await bindings.DB.prepare("UPDATE users SET temporary_until = ? WHERE id = ?")
      .bind(Date.now() + 60_000, late.id)
      .run();
    const cookie = sessionCookie(await signIn(late));
    const get = (path: string) => send(path, { headers: { cookie } });
    expect((await get("/change-password")).headers.get("location")).toBe("/use-notice?to=%2Fchange-password");
    expect((await get("/use-notice")).status).toBe(200);
    const answer = await send("/use-notice", { method: "POST", headers: { cookie } });
    expect(answer.headers.get("location")).toBe("/change-password");
    expect((await get("/change-password")).status).toBe(200);
  });

  it("does not apply to public pages", async () => {
    const { fetch } = await documented();
    for (const path of ["/terms", "/privacy", "/verify"]) expect((await fetch(path)).status).toBe(200);
  });

  it("redirects to the sign-in page without a session, and is not shown after Odin's own sign-in page", async () => {
    expect((await send("/use-notice")).headers.get("location")).toBe("/");
    const { fetch } = await documented(BROWSER, { notice: USE_NOTIFICATION.version });
    expect((await fetch("/search")).status).toBe(200);
    const [row] = await auditOf(user, 1);
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({ notice: USE_NOTIFICATION.version });
  });
});
