import { beforeAll, describe, expect, it } from "vitest";
import { MINUTE } from "#app/lib/time/dates.ts";
import { bodyOf, client, jsonInit, newAgency, newUser, PASSWORD, type TestUser } from "../../factories.ts";
import { totpCode } from "../../support/accounts/totp.ts";
import { connect, newBrowser, newPerson, signOn } from "../../support/identity.ts";

// A link that is opened without a session: the user signs in, and sees the linked screen.

let user: TestUser;
beforeAll(async () => {
  user = await newUser((await newAgency()).id);
});

const RETURN = "__Host-odin-return";
const LINK = "/alert-history-detail/hit-1?from=push&page=2";

/** Opens a link without a session. Returns the browser on the sign-in page. */
async function openLink(path = LINK, crossSite = false) {
  const browser = newBrowser();
  const answer = await browser.go(path, { crossSite });
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/"]);
  return browser;
}

const logIn = (browser: ReturnType<typeof newBrowser>, who: TestUser = user) =>
  browser.go("/login", { init: jsonInit({ username: who.username, password: PASSWORD, notice: "2026-11" }) });

const targetOf = async (answer: Promise<Response>) =>
  (await bodyOf<{ redirect_url: string }>(answer)).redirect_url;

describe("a link that is opened without a session", () => {
  it("is where the sign-in leads, and only the next one", async () => {
    const browser = await openLink();
    expect(await targetOf(logIn(browser))).toBe(LINK);
    await browser.go("/profile");
    expect(browser.jar.has(RETURN)).toBe(false);
    expect(await targetOf(logIn(browser))).toBe("/search");
  });

  it("is where the plain HTML form leads, also after a wrong password", async () => {
    const browser = await openLink();
    const form = (password: string) => ({
      method: "POST",
      body: new URLSearchParams({ username: user.username, password, notice: "2026-11" }),
    });
    expect((await browser.go("/login", { init: form("wrong") })).headers.get("location")).toBe("/?failed=1");
    expect((await browser.go("/login", { init: form(PASSWORD) })).headers.get("location")).toBe(LINK);
  });

  it("is kept while the second factor is entered", async () => {
    const person = await newUser(user.agencyId);
    const own = await client(person);
    const { secret } = await bodyOf<{ secret: string }>(own.fetch("/second-factor/totp", { method: "POST" }));
    const code = totpCode(secret, Date.now());
    expect((await own.post("/second-factor/totp/confirm", { code })).status).toBe(200);

    const next = () => totpCode(secret, Date.now() + MINUTE / 2);
    const browser = await openLink();
    expect(await targetOf(logIn(browser, person))).toBe("/second-factor");
    await browser.go("/second-factor");
    expect(await targetOf(browser.go("/second-factor/verify", { init: jsonInit({ code: next() }) }))).toBe(
      LINK,
    );
  });

  it("is where single sign-on leads, though the provider's site sends the browser back", async () => {
    const agency = await connect();
    const { text } = await signOn(agency, await newPerson(agency.domain), await openLink());
    expect(text).toContain(`content="0; url=${LINK.replace("&", "&amp;")}"`);
  });

  it("cannot lead to another site or break out of a page", async () => {
    for (const path of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "/a/..//evil.example",
      "%",
    ]) {
      const browser = newBrowser();
      browser.jar.set(RETURN, encodeURIComponent(path));
      expect(await targetOf(logIn(browser)), path).toBe("/search");
    }
    const agency = await connect();
    const browser = newBrowser();
    browser.jar.set(RETURN, encodeURIComponent('/"><script>alert(1)</script>?"><b>'));
    const { text } = await signOn(agency, await newPerson(agency.domain), browser);
    expect(text).not.toMatch(/<script>|<b>/);
  });

  it("is not kept for the first screen, for calls, or if it is very long", async () => {
    for (const path of ["/search", `/results?id=${"x".repeat(1000)}`]) {
      expect((await openLink(path)).jar.has(RETURN), path).toBe(false);
    }
    const browser = newBrowser();
    expect((await browser.go("/api-keys-data")).status).toBe(401);
    expect(browser.jar.has(RETURN)).toBe(false);
  });
});

describe("a link of another site, for which the browser sends no session cookie", () => {
  it("shows a signed-in user a link to the page, which has the cookie again", async () => {
    const browser = newBrowser();
    await logIn(browser);
    expect((await browser.go("/profile?tab=1", { crossSite: true })).headers.get("location")).toBe("/");
    const signIn = await browser.go("/", { crossSite: true });
    const html = await signIn.text();
    expect(html).toContain("Signed in already?");
    expect(html).toContain('<a href="/profile?tab=1"');
    expect((await browser.go("/profile?tab=1")).status).toBe(200);
  });

  it("is not offered to those who open the sign-in page itself", async () => {
    expect(await (await newBrowser().go("/")).text()).not.toContain("Signed in already?");
  });
});
