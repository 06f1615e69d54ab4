import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetOldAttempts } from "#app/domain/accounts/attempts.ts";
import { sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { at as elementAt } from "#app/lib/at.ts";
import { hashRandomPassword, randomPassword } from "#app/lib/crypto/passwords.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";
import { breakGlassSql } from "../../../workers/local/break-glass-sql.ts";
import {
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  jsonInit,
  newAgency,
  newUser,
  PASSWORD,
  send,
  signIn,
  type TestUser,
  testApp,
  unique,
} from "../../factories.ts";
import { totpCode } from "../../support/accounts/totp.ts";

// CJIS AC-7, without letting anonymous callers lock out an agency. See docs/operations.md, "Locked accounts".

let ours: { id: string; name: string };
let theirs: { id: string; name: string };
let owner: TestUser;
const START = Date.now();

beforeAll(async () => {
  [ours, theirs] = [await newAgency(), await newAgency()];
  owner = await newUser(ours.id, { username: "owner", role: "admin" });
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(START);
});
afterEach(async () => {
  vi.useRealTimers();
  await bindings.DB.prepare("UPDATE users SET locked_at = NULL WHERE id = ?").bind(owner.id).run();
  await bindings.DB.prepare("DELETE FROM sign_in_attempts").run();
});

const at = (offset: number) => vi.setSystemTime(START + offset);
let made = 0;
/** Returns an IP address that no other test of this file uses. */
const newAddress = () => `198.51.${100 + Math.floor(++made / 250)}.${made % 250}`;

type From = { address?: string; cookie?: string };
const tryPassword = (user: { username: string }, password: string, { address, cookie }: From = {}) =>
  send(
    "/login",
    jsonInit(
      { username: user.username, password },
      { headers: { "cf-connecting-ip": address ?? newAddress(), ...(cookie && { cookie }) } },
    ),
  );
const wrong = (user: { username: string }, from?: From) => tryPassword(user, "Wrong-Password-1", from);
const right = (user: { username: string }, from?: From) => tryPassword(user, PASSWORD, from);

/** Returns the cookies of a response as a browser stores them. */
const cookiesOf = (answer: Response) =>
  answer.headers.getSetCookie().map((cookie) => cookie.replace(/;.*$/, ""));
const deviceOf = (answer: Response) =>
  cookiesOf(answer).find((cookie) => cookie.startsWith("__Host-odin-device=")) ?? "";

/** Locks an account as an anonymous attacker with many IP addresses would. */
async function lockOut(user: { username: string }) {
  for (let n = 0; n < 5; n++) expect((await wrong(user)).status).toBe(401);
}

/** Gives a user an authenticator app, and returns its secret. */
async function enrolled(user: TestUser): Promise<string> {
  const browser = await client(user);
  const begun = browser.fetch("/second-factor/totp", { method: "POST" });
  const { secret } = await bodyOf<{ secret: string }>(begun);
  const confirmed = await browser.post("/second-factor/totp/confirm", {
    code: totpCode(secret, Date.now()),
  });
  expect(confirmed.status).toBe(200);
  return secret;
}

const lockOf = (user: TestUser) =>
  bindings.DB.prepare("SELECT locked_at IS NOT NULL AS locked FROM users WHERE id = ?")
    .bind(user.id)
    .first("locked");

type Listed = {
  id: string;
  locked: boolean;
  lock: null | { at: number; applies_to: string; addresses: string[] };
};
const reasonIn = (detail: string): string | undefined => JSON.parse(detail).reason;
const listed = async (who: Client, user: TestUser, path = "/admin-data") => {
  const { users } = await bodyOf<{ users: Listed[] }>(who.fetch(path));
  const found = users.find(({ id }) => id === user.id);
  if (!found) throw new Error("The user is not listed.");
  return found;
};

describe("one IP address", () => {
  it("must wait before its ten wrong sign-ins can lock two accounts", async () => {
    const [first, second] = [await newUser(ours.id), await newUser(ours.id)];
    const address = newAddress();
    const statuses: number[] = [];
    for (const user of [first, second])
      for (let n = 0; n < 5; n++) statuses.push((await wrong(user, { address })).status);
    expect(statuses.slice(0, 8)).toEqual(Array(8).fill(401));
    expect(statuses[9]).toBe(429);
    expect([await lockOf(first), await lockOf(second)]).toEqual([1, 0]);
    const told = await wrong(second, { address });
    expect(told.status).toBe(429);
    expect(Number(told.headers.get("retry-after"))).toBe(900);
    expect((await right(second)).status).toBe(200);
  });

  it("cannot lock more accounts with concurrent requests", async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => newUser(ours.id)));
    const address = newAddress();
    await Promise.all(users.flatMap((user) => Array.from({ length: 8 }, () => wrong(user, { address }))));
    const locked = await Promise.all(users.map(lockOf));
    expect(locked.filter(Boolean).length).toBeLessThanOrEqual(1);
  });

  it("can lock only a few accounts a day by waiting between attempts", async () => {
    const users = await Promise.all(Array.from({ length: 12 }, () => newUser(ours.id)));
    const address = newAddress();
    for (const [n, user] of users.entries()) {
      at(n * 16 * MINUTE);
      for (let again = 0; again < 5; again++) await wrong(user, { address });
    }
    const locked = await Promise.all(users.map(lockOf));
    expect(locked.filter(Boolean).length).toBeLessThanOrEqual(5);
    // Attempts are deleted only when they no longer count.
    await forgetOldAttempts(testApp());
    const last = elementAt(users, users.length - 1);
    const told = await wrong(last, { address });
    expect(told.status).toBe(429);
    expect(Number(told.headers.get("retry-after"))).toBeGreaterThan(20 * 3600);
  });

  it("is not limited by what fails on known devices", async () => {
    const address = newAddress();
    for (let n = 0; n < 3; n++) {
      const user = await newUser(ours.id);
      const cookie = deviceOf(await right(user, { address }));
      for (let again = 0; again < 4; again++) await wrong(user, { address, cookie });
    }
    const colleague = await newUser(ours.id);
    expect((await wrong(colleague, { address })).status).toBe(401);
    expect((await right(colleague, { address })).status).toBe(200);
  });

  it("always gets one attempt per username, so that colleagues who share it can sign in", async () => {
    const address = newAddress();
    const victims = [await newUser(ours.id), await newUser(ours.id)];
    for (const user of victims) for (let n = 0; n < 5; n++) await wrong(user, { address });
    const colleague = await newUser(ours.id);
    expect((await right(colleague, { address })).status).toBe(200);
    expect((await right(colleague, { address })).status).toBe(200);
    expect((await wrong(colleague, { address })).status).toBe(401);
    expect((await right(colleague, { address })).status).toBe(429);
  });

  it("counts as the whole /64 network for IPv6", async () => {
    const users = [await newUser(ours.id), await newUser(ours.id)];
    let statuses: number[] = [];
    for (const user of users)
      for (let n = 0; n < 5; n++)
        statuses.push((await wrong(user, { address: `2001:db8:7:1::${(++made).toString(16)}` })).status);
    expect(statuses.at(-1)).toBe(429);
    statuses = [(await wrong(elementAt(users, 1), { address: "2001:db8:7:2::1" })).status];
    expect(statuses).toEqual([401]);
  });

  it("does not block users on known devices because of other callers' attempts", async () => {
    const address = newAddress();
    const user = await newUser(ours.id);
    const cookie = deviceOf(await right(user, { address }));
    for (let n = 0; n < 70; n++) await wrong({ username: unique("ghost") }, { address });
    expect((await wrong({ username: unique("ghost") }, { address })).status).toBe(429);
    expect((await right(user, { address, cookie })).status).toBe(200);
  });
});

describe("many IP addresses", () => {
  it("can lock an account only for unknown devices", async () => {
    const first = await right(owner);
    expect(first.status).toBe(200);
    const cookie = deviceOf(first);
    await lockOut(owner);
    expect((await right(owner)).status).toBe(401);
    at(24 * HOUR);
    expect((await right(owner)).status).toBe(401);
    expect((await right(owner, { cookie })).status).toBe(200);
    expect((await right(owner)).status).toBe(401);
  });

  it("do not keep wrong passwords on a known device from locking the account for everyone", async () => {
    const boss = await client(await newUser(ours.id, { role: "admin" }));
    const user = await newUser(ours.id);
    const cookie = deviceOf(await right(user));
    await lockOut(user);
    expect(await listed(boss, user)).toMatchObject({ lock: { applies_to: "unknown devices" } });
    for (let n = 0; n < 5; n++) await wrong(user, { cookie });
    expect(await listed(boss, user)).toMatchObject({ lock: { applies_to: "everyone" } });
    expect((await right(user, { cookie })).status).toBe(401);
  });

  it("cannot prevent the owner, on a known device, from unlocking any account, including their own", async () => {
    const admin = await newUser(ours.id, { role: "admin" });
    const far = await newUser(theirs.id, { role: "admin" });
    const open = await client(owner);
    for (const user of [owner, admin, far]) await lockOut(user);
    at(11 * MINUTE);
    const stepped = await open.post("/step-up", { password: PASSWORD });
    expect(stepped.status).toBe(200);
    const cookie = cookiesOf(stepped).join("; ");
    const unlock = (id: string) =>
      open.fetch(`/admin/unlock-user/${id}`, { method: "POST", headers: { cookie } });
    for (const user of [admin, far, owner]) {
      expect((await unlock(user.id)).status).toBe(200);
      // Immediately: unlocking deletes the attempts that led to the lock.
      expect((await right(user)).status).toBe(200);
    }
    expect((await auditOf(owner, 6)).filter(({ action }) => action === "user.unlock")).toHaveLength(3);
  });

  it("lock administrators, who cannot unlock themselves or users of other agencies", async () => {
    const admin = await newUser(ours.id, { role: "admin" });
    const far = await newUser(theirs.id);
    const open = await client(admin);
    for (const user of [admin, far]) await lockOut(user);
    const unlock = (id: string) => open.fetch(`/admin/unlock-user/${id}`, { method: "POST" });
    expect([(await unlock(admin.id)).status, (await unlock(far.id)).status]).toEqual([403, 404]);
  });

  it("are shown to administrators and the owner as the cause of a lock, with its time", async () => {
    const boss = await client(await newUser(ours.id, { role: "admin" }));
    const user = await newUser(ours.id);
    expect(await listed(boss, user)).toMatchObject({ locked: false, lock: null });
    at(MINUTE);
    for (const n of [1, 2, 3, 3]) await wrong(user, { address: `192.0.2.${n}` });
    await wrong(user, { address: "2001:db8:9::77" });
    const lock = {
      at: START + MINUTE,
      applies_to: "unknown devices",
      addresses: ["192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8:9:0::/64"],
    };
    expect(await listed(boss, user)).toMatchObject({ locked: true, lock });
    expect(await listed(await client(owner), user, "/owner-data")).toMatchObject({ lock });
    const html = await (await boss.fetch("/admin")).text();
    for (const address of lock.addresses) expect(html).toContain(address);
    expect((await boss.fetch(`/admin/unlock-user/${user.id}`, { method: "POST" })).status).toBe(200);
    expect(await listed(boss, user)).toMatchObject({ locked: false, lock: null });
  });
});

describe("a known device", () => {
  it("is identified for 180 days by an HttpOnly cookie, which is set after a complete sign-in", async () => {
    const user = await newUser(ours.id);
    const answer = await right(user);
    const cookie = answer.headers.getSetCookie().find((text) => text.startsWith("__Host-odin-device=")) ?? "";
    const [pair = "", ...attributes] = cookie.split("; ");
    expect(pair).toMatch(/^__Host-odin-device=[\w-]{22,}$/);
    expect(attributes.sort()).toEqual([
      "HttpOnly",
      "Max-Age=15552000",
      "Path=/",
      "SameSite=Strict",
      "Secure",
    ]);
    expect(deviceOf(await wrong(user))).toBe("");
    const token = elementAt(pair.split("="), 1);
    const { results } = await bindings.DB.prepare("SELECT * FROM known_devices").all();
    expect(JSON.stringify(results)).not.toContain(token);
    // The device cookie alone is not a session.
    expect((await send("/get-current-user", { headers: { cookie: pair } })).status).toBe(401);
  });

  it("has its own five attempts, after which the account is locked on all devices", async () => {
    const user = await newUser(ours.id);
    const cookie = deviceOf(await right(user));
    const answers = await Promise.all(Array.from({ length: 50 }, () => wrong(user, { cookie })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    const reasons = (await auditOf(user, 200)).map(({ detail }) => reasonIn(detail));
    expect(reasons.filter((reason) => reason === "wrong password")).toHaveLength(5);
    for (const from of [{ cookie }, {}]) expect((await right(user, from)).status).toBe(401);
    const boss = await client(await newUser(ours.id, { role: "admin" }));
    expect((await listed(boss, user)).lock).toMatchObject({ applies_to: "everyone" });
    expect((await boss.fetch(`/admin/unlock-user/${user.id}`, { method: "POST" })).status).toBe(200);
    expect((await right(user, { cookie })).status).toBe(200);
  });

  it("gives a colleague no extra attempts, and is known for both users if they share it", async () => {
    const [user, colleague] = [await newUser(ours.id), await newUser(ours.id)];
    const cookie = deviceOf(await right(colleague));
    await lockOut(user);
    expect((await right(user, { cookie })).status).toBe(401);
    const other = await newUser(ours.id);
    expect(deviceOf(await right(other, { cookie }))).toBe(cookie);
    for (const one of [other, colleague]) {
      await lockOut(one);
      expect((await right(one, { cookie })).status).toBe(200);
    }
  });

  it("is not identified by a forged token", async () => {
    const user = await newUser(ours.id);
    const chosen = `__Host-odin-device=${"A".repeat(43)}`;
    expect(deviceOf(await right(user, { cookie: chosen }))).not.toBe(chosen);
    await lockOut(user);
    for (const cookie of [chosen, "__Host-odin-device=", "__Host-odin-device=' OR 1=1"])
      expect((await right(user, { cookie })).status).toBe(401);
  });

  it("is forgotten after a password reset, after signing out everywhere, and after 180 days", async () => {
    const boss = await client(await newUser(ours.id, { role: "admin" }));
    const user = await newUser(ours.id);
    const ways: [string, (session: string) => Promise<unknown>][] = [
      [
        "reset",
        () => boss.post("/admin/reset-user-password", { user_id: user.id, new_password: "Willow-Kettle-38" }),
      ],
      [
        "everywhere",
        (session) => send("/user/sign-out-everywhere", { method: "POST", headers: { cookie: session } }),
      ],
    ];
    const known = () =>
      bindings.DB.prepare("SELECT count(*) AS n FROM known_devices WHERE user_id = ?")
        .bind(user.id)
        .first("n");
    for (const [, forget] of ways.reverse()) {
      const [session = ""] = cookiesOf(await right(user));
      expect(await known()).toBe(1);
      await forget(session);
      expect(await known()).toBe(0);
    }
    const other = await newUser(ours.id);
    const cookie = deviceOf(await right(other));
    at(180 * DAY);
    await lockOut(other);
    expect((await right(other, { cookie })).status).toBe(401);
  });

  type Verify = (code: string) => [path: string, init: RequestInit];
  const form = (path: string): Verify => {
    return (code) => [path, { method: "POST", body: new URLSearchParams({ intent: "code", code }) }];
  };
  const ways: [way: string, status: number, verify: Verify][] = [
    ["by the endpoint", 200, (code) => ["/second-factor/verify", jsonInit({ code })]],
    ["by the screen", 200, form("/second-factor.data")],
    ["by the screen without scripts", 303, form("/second-factor")],
  ];
  it.each(ways)(
    "becomes known only after the second factor, if the user has one: %s",
    async (_, status, verify) => {
      const user = await newUser(ours.id);
      const secret = await enrolled(user);
      at(MINUTE);
      // The screen comes after the use notification.
      const half = await signIn(user, { notice: USE_NOTIFICATION.version });
      expect(deviceOf(half)).toBe("");
      const [path, init] = verify(totpCode(secret, Date.now()));
      const headers = new Headers(init.headers);
      headers.set("cookie", cookiesOf(half).join("; "));
      const whole = await send(path, { ...init, headers });
      expect(whole.status).toBe(status);
      const cookie = deviceOf(whole);
      expect(cookie).not.toBe("");
      await lockOut(user);
      at(2 * MINUTE);
      expect((await right(user)).status).toBe(401);
      const again = await right(user, { cookie });
      expect(again.status).toBe(200);
      const verified = await send(
        "/second-factor/verify",
        jsonInit(
          { code: totpCode(secret, Date.now()) },
          { headers: { cookie: [...cookiesOf(again), cookie].join("; ") } },
        ),
      );
      expect(verified.status).toBe(200);
    },
  );
});

describe("step-up", () => {
  it("has its own attempts, with a password or a code: failed sign-ins do not count", async () => {
    const user = await newUser(ours.id);
    const browser = await client(user);
    await lockOut(user);
    const stepped = await browser.post("/step-up", { password: PASSWORD });
    expect(stepped.status).toBe(200);
    const [cookie = ""] = cookiesOf(stepped);
    const post = (path: string, body: object, session: string) =>
      send(path, jsonInit(body, { headers: { cookie: session } }));
    const { secret } = await bodyOf<{ secret: string }>(post("/second-factor/totp", {}, cookie));
    const confirmed = await post(
      "/second-factor/totp/confirm",
      { code: totpCode(secret, Date.now()) },
      cookie,
    );
    expect(confirmed.status).toBe(200);
    at(16 * MINUTE);
    const code = totpCode(secret, Date.now());
    expect((await post("/step-up", { code }, cookiesOf(confirmed)[0] ?? "")).status).toBe(200);
  });

  it("has five attempts, then the account is locked on all devices until it is unlocked", async () => {
    const user = await newUser(ours.id);
    const first = await right(user);
    const [session = ""] = cookiesOf(first);
    const step = (password: string) =>
      send("/step-up", jsonInit({ password }, { headers: { cookie: session } }));
    const answers = await Promise.all(Array.from({ length: 20 }, () => step("Wrong-Password-1")));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(400), ...Array(15).fill(429)]);
    at(DAY / 4);
    expect((await right(user, { cookie: deviceOf(first) })).status).toBe(401);
    expect((await right(user)).status).toBe(401);
  });

  it("resets the count after a correct password", async () => {
    const user = await newUser(ours.id);
    let [session = ""] = cookiesOf(await right(user));
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 4; n++)
        await send("/step-up", jsonInit({ password: "wrong" }, { headers: { cookie: session } }));
      const answer = await send(
        "/step-up",
        jsonInit({ password: PASSWORD }, { headers: { cookie: session } }),
      );
      expect(answer.status).toBe(200);
      [session = ""] = cookiesOf(answer);
    }
    expect(await lockOf(user)).toBe(0);
  });
});

describe("emergency access", () => {
  const run = async (statements: string[]) => {
    for (const statement of statements) await bindings.DB.exec(statement);
  };
  const rows = async (id: string) =>
    (
      await bindings.DB.prepare("SELECT * FROM audit_log WHERE action = 'user.unlock' AND object = ?")
        .bind(id)
        .all<{
          agency_id: string;
          user_id: string;
          username: string;
          at: number;
          outcome: string;
          detail: string;
        }>()
    ).results;

  it("unlocks an account by SQL at once, with an audit row", async () => {
    const user = await newUser(ours.id, { username: unique("o'brien").replaceAll("'", ".") });
    await lockOut(user);
    expect((await right(user)).status).toBe(401);
    await run(breakGlassSql({ username: user.username.toUpperCase() }, { now: START + 7 }));
    expect((await right(user)).status).toBe(200);
    expect(await rows(user.id)).toMatchObject([
      { agency_id: ours.id, user_id: "", username: "break-glass", at: START + 7, outcome: "ok" },
    ]);
    expect(JSON.parse((await rows(user.id))[0]?.detail ?? "")).toMatchObject({
      username: user.username,
      was_locked: 1,
    });
  });

  it("changes no other account, and fails for unknown users and usernames that Odin would reject", async () => {
    const [user, other] = [await newUser(ours.id), await newUser(ours.id)];
    for (const one of [user, other]) await lockOut(one);
    await run(breakGlassSql({ username: user.username }, { now: START }));
    expect([await lockOf(user), await lockOf(other)]).toEqual([0, 1]);
    const unknown = breakGlassSql({ username: unique("ghost") }, { now: START });
    await expect(run(unknown)).rejects.toThrow(/NOT NULL constraint failed: audit_log\.agency_id/);
    for (const username of ["", "x'; DROP TABLE users; --", "a  b"])
      expect(() => breakGlassSql({ username }, { now: START })).toThrow();
  });

  it("enables an account that disuse disabled, and no other; a new password ends its sessions", async () => {
    const [user, other] = [await newUser(ours.id), await newUser(ours.id)];
    await client(user);
    const disable = "UPDATE users SET disabled_at = ?, disabled_by = ?, temporary_until = 1 WHERE id = ?";
    await bindings.DB.prepare(disable).bind(START, "disuse", user.id).run();
    await bindings.DB.prepare(disable).bind(START, "administrator", other.id).run();
    const password = randomPassword();
    const passwordHash = await hashRandomPassword(password, bindings.PASSWORD_PEPPER);
    for (const { username } of [user, other])
      await run(breakGlassSql({ username, passwordHash }, { now: Date.now() }));
    const state = (id: string) =>
      bindings.DB.prepare("SELECT disabled_by FROM users WHERE id = ?").bind(id).first("disabled_by");
    expect([await state(user.id), await state(other.id)]).toEqual([null, "administrator"]);
    const revoked = "SELECT revoked_at FROM sessions WHERE user_id = ?";
    expect(await bindings.DB.prepare(revoked).bind(user.id).first("revoked_at")).not.toBeNull();
    const answer = await signIn({ username: user.username, password });
    expect(await answer.json()).toMatchObject({ redirect_url: "/change-password" });
    expect((await signIn({ username: other.username, password })).status).toBe(401);
    expect(JSON.parse((await rows(user.id))[0]?.detail ?? "")).toMatchObject({ was_disabled_for_disuse: 1 });
    const reset = "SELECT count(*) AS n FROM audit_log WHERE action = 'password.reset' AND object = ?";
    expect(await bindings.DB.prepare(reset).bind(user.id).first("n")).toBe(1);
  });

  it("keeps the audit chain valid", async () => {
    const user = await newUser(ours.id);
    await run(breakGlassSql({ username: user.username }, { now: START }));
    const boss = await client(await newUser(ours.id, { role: "admin" }));
    await sealAuditLog(testApp());
    const answer = await boss.post("/audit-log/verify", { agency: "", after: 0 });
    expect(answer.status).toBe(200);
    expect(await rows(user.id)).toMatchObject([{ outcome: "ok" }]);
  });
});

describe("a program that signs in", () => {
  it("gets no cookie", async () => {
    const user = await newUser(ours.id);
    const answer = await signIn(user, { client: "api" });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await answer.json()).not.toHaveProperty("device");
  });

  const asProgram = (user: TestUser, password: string, device?: string) =>
    send(
      "/login",
      jsonInit(
        { username: user.username, password, client: "api" },
        { headers: { "cf-connecting-ip": newAddress(), ...(device && { "odin-device": device }) } },
      ),
    );
  const deviceIn = async (answer: Response) => (await bodyOf<{ device?: string }>(answer)).device;

  it("is recognized by the device token in its response, so that strangers cannot lock it out", async () => {
    const user = await newUser(ours.id);
    const device = await deviceIn(await asProgram(user, PASSWORD, "new"));
    expect(device).toMatch(/^[\w-]{22,64}$/);
    await lockOut(user);
    expect((await asProgram(user, PASSWORD)).status).toBe(401);
    expect((await asProgram(user, PASSWORD, "new")).status).toBe(401);
    const again = await asProgram(user, PASSWORD, device);
    expect(again.status).toBe(200);
    expect(await deviceIn(again)).toBe(device);
    // Like a browser, it has its own five attempts.
    for (let n = 0; n < 5; n++) await asProgram(user, "Wrong-Password-1", device);
    expect((await asProgram(user, PASSWORD, device)).status).toBe(401);
  });

  it("stays known after its second factor", async () => {
    const user = await newUser(ours.id);
    const secret = await enrolled(user);
    const finish = async (given: string) => {
      const { token } = await bodyOf<{ token: string }>(asProgram(user, PASSWORD, given));
      const headers = { authorization: `Bearer ${token}`, "odin-device": given };
      return send("/second-factor/verify", jsonInit({ code: totpCode(secret, Date.now()) }, { headers }));
    };
    at(MINUTE);
    const device = await deviceIn(await finish("new"));
    expect(device).toMatch(/^[\w-]{22,64}$/);
    await lockOut(user);
    at(2 * MINUTE);
    expect((await finish(device ?? "")).status).toBe(200);
  });

  it("evicts no known browser if it keeps no device", async () => {
    const user = await newUser(ours.id);
    const secret = await enrolled(user);
    at(MINUTE);
    const known = () =>
      bindings.DB.prepare("SELECT count(*) AS n FROM known_devices WHERE user_id = ?")
        .bind(user.id)
        .first("n");
    const before = await known();
    const { token } = await bodyOf<{ token: string }>(asProgram(user, PASSWORD));
    const headers = { authorization: `Bearer ${token}` };
    const code = totpCode(secret, Date.now());
    const answer = await send("/second-factor/verify", jsonInit({ code }, { headers }));
    expect(answer.status).toBe(200);
    expect(await answer.json()).not.toHaveProperty("device");
    expect(await known()).toBe(before);
  });
});
