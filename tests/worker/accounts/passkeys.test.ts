import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { relyingPartyOf } from "#app/http/session.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import {
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  jsonInit,
  newAgency,
  newUser,
  ORIGIN,
  send,
  signIn,
  type TestUser,
  testApp,
} from "../../factories.ts";
import { type Authenticator, type Claims, newAuthenticator } from "../../support/authenticator.ts";

let agency: { id: string; name: string };

beforeAll(async () => {
  agency = await newAgency();
});
afterEach(() => {
  vi.useRealTimers();
});

type Options = { challenge: string; rp?: { id: string }; rpId?: string };
const optionsAt = async (who: Client, path: string) =>
  await bodyOf<Options>(who.fetch(path, { method: "POST" }));
const creationOptions = (who: Client) => optionsAt(who, "/second-factor/passkey-options");
const requestOptions = (who: Client) => optionsAt(who, "/second-factor/challenge");
const keep = (who: Client, response: object) =>
  who.post("/second-factor/passkeys", { name: "Patrol laptop", response });
const prove = (who: Client, response: object) => who.post("/second-factor/verify-passkey", { response });
const cookieOf = (response: Response) => response.headers.get("set-cookie")?.split(";")[0] ?? "";

/** Returns the client with the session cookie that a response renewed. */
function withRenewedSession(who: Client, response: Response): Client {
  const headers = { ...who.headers, cookie: cookieOf(response) };
  const fetch: Client["fetch"] = (path, init = {}) =>
    send(path, { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) } });
  return { ...who, headers, fetch, post: (path, body, init) => fetch(path, jsonInit(body, init)) };
}

async function withPasskey(): Promise<{ user: TestUser; device: Authenticator; browser: Client }> {
  const user = await newUser(agency.id);
  const browser = await client(user);
  const device = await newAuthenticator(ORIGIN);
  const kept = await keep(browser, await device.create(await creationOptions(browser)));
  expect(kept.status).toBe(200);
  return { user, device, browser: withRenewedSession(browser, kept) };
}

const passkeysOf = async (user: TestUser) =>
  (
    await bindings.DB.prepare("SELECT id, counter FROM passkeys WHERE user_id = ?")
      .bind(user.id)
      .all<{ id: string; counter: number }>()
  ).results;

describe("registering a passkey", () => {
  it("stores the browser's public key, returns recovery codes, and renews the session", async () => {
    const user = await newUser(agency.id);
    const browser = await client(user);
    const device = await newAuthenticator(ORIGIN);
    const options = await creationOptions(browser);
    expect(options.rp?.id).toBe("odin.test");
    const kept = await keep(browser, await device.create(options));
    const { recovery_codes } = await bodyOf<{ recovery_codes: string[] }>(kept.clone());
    expect(recovery_codes).toHaveLength(10);
    expect(await passkeysOf(user)).toEqual([{ id: device.id, counter: 1 }]);
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
    expect((await withRenewedSession(browser, kept).fetch("/get-current-user")).status).toBe(200);
    expect(await auditOf(user)).toMatchObject([{ action: "second-factor.add", outcome: "ok" }]);
  });

  const WRONG: [string, Partial<Claims>][] = [
    ["another site", { origin: "https://odin.test.evil.example" }],
    ["another port", { origin: "https://odin.test:8443" }],
    ["plain http", { origin: "http://odin.test" }],
    ["another relying party", { rpId: "evil.example" }],
    ["a challenge of its own", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
    ["the response to a sign-in", { type: "webauthn.get" }],
    ["no user at the device", { flags: 0 }],
  ];
  it.each(WRONG)("refuses %s and invalidates the challenge", async (_, claims) => {
    const user = await newUser(agency.id);
    const browser = await client(user);
    const device = await newAuthenticator(ORIGIN);
    const options = await creationOptions(browser);
    expect((await keep(browser, await device.create(options, claims))).status).toBe(400);
    expect((await keep(browser, await device.create(options))).status).toBe(400);
    expect(await passkeysOf(user)).toEqual([]);
    expect(await auditOf(user)).toMatchObject([{ action: "second-factor.add", outcome: "refused" }]);
    expect((await keep(browser, await device.create(await creationOptions(browser)))).status).toBe(200);
  });

  it("must be completed within five minutes", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const browser = await client(await newUser(agency.id));
    const device = await newAuthenticator(ORIGIN);
    const late = await device.create(await creationOptions(browser));
    vi.setSystemTime(start + 5 * MINUTE);
    expect((await keep(browser, late)).status).toBe(400);
    const intime = await device.create(await creationOptions(browser));
    vi.setSystemTime(start + 10 * MINUTE - 1);
    expect((await keep(browser, intime)).status).toBe(200);
  });

  it("refuses, with a message, a passkey that is already registered by this or another user", async () => {
    const { device, browser, user } = await withPasskey();
    const again = await keep(browser, await device.create(await creationOptions(browser)));
    expect(again.status).toBe(409);
    const other = await newUser(agency.id);
    const stranger = await client(other);
    expect((await keep(stranger, await device.create(await creationOptions(stranger)))).status).toBe(409);
    expect(await passkeysOf(other)).toEqual([]);
    expect(await passkeysOf(user)).toHaveLength(1);
    expect((await stranger.fetch("/get-current-user")).status).toBe(200);
  });
});

describe("signing in with a passkey", () => {
  it("completes the sign-in; before that, no other request is allowed", async () => {
    const { user, device } = await withPasskey();
    expect(await (await signIn(user)).json()).toMatchObject({ redirect_url: "/second-factor" });
    const half = await client(user);
    expect((await half.fetch("/get-current-user")).status).toBe(403);
    const options = await requestOptions(half);
    expect(options.rpId).toBe("odin.test");
    const passed = await prove(half, await device.get(options));
    expect(await passed.clone().json()).toMatchObject({ redirect_url: "/search" });
    expect((await withRenewedSession(half, passed).fetch("/get-current-user")).status).toBe(200);
    expect(await auditOf(user)).toMatchObject([{ action: "sign-in.second-factor", outcome: "ok" }]);
  });

  const WRONG: [string, Partial<Claims>][] = [
    ["another site", { origin: "https://evil.example" }],
    ["another port", { origin: "https://odin.test:8443" }],
    ["another relying party", { rpId: "evil.example" }],
    ["a challenge of its own", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
    ["the response to a registration", { type: "webauthn.create" }],
    ["no user at the device", { flags: 0 }],
    ["another key", { forged: true }],
    ["a counter that does not increase", { counter: 1 }],
    ["a counter that decreases", { counter: 0 }],
  ];
  it.each(WRONG)("refuses %s, counts it as a failed attempt, and writes an audit row", async (_, claims) => {
    const { user, device } = await withPasskey();
    const half = await client(user);
    expect((await prove(half, await device.get(await requestOptions(half), claims))).status).toBe(400);
    expect(await auditOf(user)).toMatchObject([{ action: "sign-in.second-factor", outcome: "refused" }]);
    expect((await half.fetch("/get-current-user")).status).toBe(403);
    const failed = await bindings.DB.prepare("SELECT count(*) AS n FROM sign_in_attempts WHERE account = ?")
      .bind(user.id)
      .first("n");
    expect(failed).toBe(1);
    expect((await prove(half, await device.get(await requestOptions(half), { counter: 9 }))).status).toBe(
      200,
    );
  });

  it("accepts signature counters that increase, and devices without a counter", async () => {
    const { user, device } = await withPasskey();
    const withCounter = async (counter: number) => {
      const half = await client(user);
      return (await prove(half, await device.get(await requestOptions(half), { counter }))).status;
    };
    expect([await withCounter(7), await withCounter(7), await withCounter(6), await withCounter(8)]).toEqual([
      200, 400, 400, 200,
    ]);
    await bindings.DB.prepare("UPDATE passkeys SET counter = 0 WHERE user_id = ?").bind(user.id).run();
    expect([await withCounter(0), await withCounter(0)]).toEqual([200, 200]);
  });

  it("accepts each response only once, even if it is sent twice concurrently", async () => {
    const { user, device } = await withPasskey();
    const half = await client(user);
    const answer = await device.get(await requestOptions(half));
    const both = await Promise.all([prove(half, answer), prove(half, answer)]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    const later = await client(user);
    await requestOptions(later);
    expect((await prove(later, answer)).status).toBe(400);
  });

  it("accepts a challenge only from the session that requested it, and only with the user's own passkey", async () => {
    const [one, two] = [await withPasskey(), await withPasskey()];
    const [half, other] = [await client(one.user), await client(one.user)];
    const options = await requestOptions(half);
    await requestOptions(other);
    expect((await prove(other, await one.device.get(options))).status).toBe(400);
    expect((await prove(half, await two.device.get(options))).status).toBe(400);
  });

  it("refuses a response without a challenge, or to an expired one, which is not a guess and is not counted", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { user, device } = await withPasskey();
    const half = await client(user);
    const late = await device.get(await requestOptions(half));
    vi.setSystemTime(Date.now() + 5 * MINUTE);
    for (let n = 0; n < 6; n++) expect((await prove(half, late)).status).toBe(400);
    const [row] = await auditOf(user);
    expect(row).toMatchObject({ action: "sign-in.second-factor", outcome: "refused" });
    expect(row?.detail).toContain("no passkey was asked for");
    expect((await prove(half, await device.get(await requestOptions(half)))).status).toBe(200);
  });

  it("locks the account after five wrong responses", async () => {
    const { user, device } = await withPasskey();
    const half = await client(user);
    for (let n = 0; n < 5; n++)
      expect((await prove(half, await device.get(await requestOptions(half), { forged: true }))).status).toBe(
        400,
      );
    expect((await prove(half, await device.get(await requestOptions(half)))).status).toBe(429);
    expect((await signIn(user)).status).toBe(401);
  });

  it("is accepted as step-up for a privileged function", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { browser, device } = await withPasskey();
    vi.setSystemTime(Date.now() + 11 * MINUTE);
    const codes = (who: Client) => who.fetch("/second-factor/recovery-codes", { method: "POST" });
    expect((await codes(browser)).status).toBe(403);
    const stepUp = async (claims: Partial<Claims>) =>
      browser.post("/step-up/passkey", { response: await device.get(await requestOptions(browser), claims) });
    expect((await stepUp({ rpId: "evil.example" })).status).toBe(400);
    const confirmed = await stepUp({});
    expect(confirmed.status).toBe(200);
    expect((await codes(withRenewedSession(browser, confirmed))).status).toBe(200);
  });
});

describe("the relying party of a passkey", () => {
  const partyAt = (publicOrigin: string, url: string) => {
    const app = testApp();
    return relyingPartyOf({ ...app, config: { ...app.config, publicOrigin } }, new Request(url));
  };

  it("is the configured host, whatever host name the request has", () => {
    for (const url of ["https://odin.example.gov/x", "https://odin.workers.example", "http://10.0.0.1"])
      expect(partyAt("https://odin.example.gov", url)).toEqual({
        id: "odin.example.gov",
        origin: "https://odin.example.gov",
      });
  });

  it("is the requested host if none is configured", () => {
    expect(partyAt("", "http://localhost:8787/x")).toEqual({
      id: "localhost",
      origin: "http://localhost:8787",
    });
  });

  it.each(["odin.example.gov", "https://odin.example.gov/", "https://odin.example.gov/path", "ftp://x"])(
    "must be a complete origin without a path: %s prevents the start",
    (origin) => {
      expect(() => testApp(Date.now, { PUBLIC_ORIGIN: origin })).toThrow(/PUBLIC_ORIGIN/);
    },
  );
});
