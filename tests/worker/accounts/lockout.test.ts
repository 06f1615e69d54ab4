import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetOldAttempts } from "#app/domain/accounts/attempts.ts";
import { sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { totpCode } from "#app/lib/crypto/totp.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";
import { breakGlassSql } from "../../../workers/local/break-glass-sql.ts";
import {
  auditOf,
  bindings,
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

// CJIS AC-7 without a way for anonymous callers to shut an agency out. The rules are in docs/operations.md, "Locked accounts".

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
/** An address that nothing in this file has come from yet. */
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

/** The cookies of an answer as a browser keeps them; those of a session can be left out. */
const cookiesOf = (answer: Response) =>
  answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0] as string);
const deviceOf = (answer: Response) =>
  cookiesOf(answer).find((cookie) => cookie.startsWith("__Host-odin-device=")) ?? "";

/** Locks an account as an anonymous attacker does who has many addresses. */
async function lockOut(user: { username: string }) {
  for (let n = 0; n < 5; n++) expect((await wrong(user)).status).toBe(401);
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
const listed = async (who: Client, user: TestUser, path = "/admin-data") => {
  const { users } = (await (await who.fetch(path)).json()) as { users: Listed[] };
  return users.find(({ id }) => id === user.id) as Listed;
};

describe("one address", () => {
  it("cannot lock two accounts with ten wrong sign-ins: it is told to wait before", async () => {
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

  it("locks no more accounts by coming all at once", async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => newUser(ours.id)));
    const address = newAddress();
    await Promise.all(users.flatMap((user) => Array.from({ length: 8 }, () => wrong(user, { address }))));
    const locked = await Promise.all(users.map(lockOf));
    expect(locked.filter(Boolean).length).toBeLessThanOrEqual(1);
  });

  it("locks only a few accounts a day by waiting between the tries", async () => {
    const users = await Promise.all(Array.from({ length: 12 }, () => newUser(ours.id)));
    const address = newAddress();
    for (const [n, user] of users.entries()) {
      at(n * 16 * MINUTE);
      for (let again = 0; again < 5; again++) await wrong(user, { address });
    }
    const locked = await Promise.all(users.map(lockOf));
    expect(locked.filter(Boolean).length).toBeLessThanOrEqual(5);
    // What was counted is forgotten only when it counts no more.
    await forgetOldAttempts(testApp());
    const last = users.at(-1) as TestUser;
    const told = await wrong(last, { address });
    expect(told.status).toBe(429);
    expect(Number(told.headers.get("retry-after"))).toBeGreaterThan(20 * 3600);
  });

  it("keeps letting everyone behind it try once, so that colleagues can sign in", async () => {
    const address = newAddress();
    const victims = [await newUser(ours.id), await newUser(ours.id)];
    for (const user of victims) for (let n = 0; n < 5; n++) await wrong(user, { address });
    const colleague = await newUser(ours.id);
    expect((await right(colleague, { address })).status).toBe(200);
    expect((await right(colleague, { address })).status).toBe(200);
    expect((await wrong(colleague, { address })).status).toBe(401);
    expect((await right(colleague, { address })).status).toBe(429);
  });

  it("is all of an IPv6 customer's network", async () => {
    const users = [await newUser(ours.id), await newUser(ours.id)];
    let statuses: number[] = [];
    for (const user of users)
      for (let n = 0; n < 5; n++)
        statuses.push((await wrong(user, { address: `2001:db8:7:1::${(++made).toString(16)}` })).status);
    expect(statuses.at(-1)).toBe(429);
    statuses = [(await wrong(users[1] as TestUser, { address: "2001:db8:7:2::1" })).status];
    expect(statuses).toEqual([401]);
  });

  it("does not stop those who are at work by the attempts of others", async () => {
    const address = newAddress();
    const user = await newUser(ours.id);
    const cookie = deviceOf(await right(user, { address }));
    for (let n = 0; n < 70; n++) await wrong({ username: unique("ghost") }, { address });
    expect((await wrong({ username: unique("ghost") }, { address })).status).toBe(429);
    expect((await right(user, { address, cookie })).status).toBe(200);
  });
});

describe("many addresses", () => {
  it("lock an account for devices that it has not been used on, and for no other", async () => {
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

  it("do not keep the owner, at a known device, from releasing any account, even their own", async () => {
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
      // At once: the attempts that led to the lock are forgotten with it.
      expect((await right(user)).status).toBe(200);
    }
    expect((await auditOf(owner, 6)).filter(({ action }) => action === "user.unlock")).toHaveLength(3);
  });

  it("do not let an administrator release themselves or another agency's user", async () => {
    const admin = await newUser(ours.id, { role: "admin" });
    const far = await newUser(theirs.id);
    const open = await client(admin);
    for (const user of [admin, far]) await lockOut(user);
    const unlock = (id: string) => open.fetch(`/admin/unlock-user/${id}`, { method: "POST" });
    expect([(await unlock(admin.id)).status, (await unlock(far.id)).status]).toEqual([403, 404]);
  });

  it("show as the cause to administrators and the owner, with time and addresses", async () => {
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
  it("is a cookie that only our server reads, for half a year, given with a finished sign-in", async () => {
    const user = await newUser(ours.id);
    const answer = await right(user);
    const cookie = answer.headers.getSetCookie().find((text) => text.startsWith("__Host-odin-device=")) ?? "";
    const [pair, ...attributes] = cookie.split("; ");
    expect(pair).toMatch(/^__Host-odin-device=[\w-]{22,}$/);
    expect(attributes.sort()).toEqual([
      "HttpOnly",
      "Max-Age=15552000",
      "Path=/",
      "SameSite=Strict",
      "Secure",
    ]);
    expect(deviceOf(await wrong(user))).toBe("");
    const token = (pair as string).split("=")[1] as string;
    const { results } = await bindings.DB.prepare("SELECT * FROM known_devices").all();
    expect(JSON.stringify(results)).not.toContain(token);
    // It signs nobody in.
    expect((await send("/get-current-user", { headers: { cookie: pair as string } })).status).toBe(401);
  });

  it("has five attempts of its own, after which the account is locked for everyone", async () => {
    const user = await newUser(ours.id);
    const cookie = deviceOf(await right(user));
    const answers = await Promise.all(Array.from({ length: 50 }, () => wrong(user, { cookie })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    const reasons = (await auditOf(user, 200)).map(
      ({ detail }) => (JSON.parse(detail) as { reason?: string }).reason,
    );
    expect(reasons.filter((reason) => reason === "wrong password")).toHaveLength(5);
    for (const from of [{ cookie }, {}]) expect((await right(user, from)).status).toBe(401);
    const boss = await client(await newUser(ours.id, { role: "admin" }));
    expect((await listed(boss, user)).lock).toMatchObject({ applies_to: "everyone" });
    expect((await boss.fetch(`/admin/unlock-user/${user.id}`, { method: "POST" })).status).toBe(200);
    expect((await right(user, { cookie })).status).toBe(200);
  });

  it("is one person's: a colleague's opens no further attempts, and one shared is known for both", async () => {
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

  it("is never one that the caller made up", async () => {
    const user = await newUser(ours.id);
    const chosen = `__Host-odin-device=${"A".repeat(43)}`;
    expect(deviceOf(await right(user, { cookie: chosen }))).not.toBe(chosen);
    await lockOut(user);
    for (const cookie of [chosen, "__Host-odin-device=", "__Host-odin-device=' OR 1=1"])
      expect((await right(user, { cookie })).status).toBe(401);
  });

  it("is forgotten with a reset of the password, with sign out everywhere, and after half a year", async () => {
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

  it("is given only after the second factor where there is one", async () => {
    const user = await newUser(ours.id);
    const browser = await client(user);
    const { secret } = (await (await browser.fetch("/second-factor/totp", { method: "POST" })).json()) as {
      secret: string;
    };
    await browser.post("/second-factor/totp/confirm", { code: totpCode(secret, Date.now()) });
    at(MINUTE);
    const half = await right(user);
    expect(deviceOf(half)).toBe("");
    const [session = ""] = cookiesOf(half);
    const whole = await send(
      "/second-factor/verify",
      jsonInit({ code: totpCode(secret, Date.now()) }, { headers: { cookie: session } }),
    );
    expect(whole.status).toBe(200);
    const cookie = deviceOf(whole);
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
  });
});

describe("step-up", () => {
  it("counts by itself: wrong sign-ins take none of its attempts, with a password or a code", async () => {
    const user = await newUser(ours.id);
    const browser = await client(user);
    await lockOut(user);
    const stepped = await browser.post("/step-up", { password: PASSWORD });
    expect(stepped.status).toBe(200);
    const [cookie = ""] = cookiesOf(stepped);
    const post = (path: string, body: object, session: string) =>
      send(path, jsonInit(body, { headers: { cookie: session } }));
    const { secret } = (await (await post("/second-factor/totp", {}, cookie)).json()) as { secret: string };
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

  it("has five attempts, then the account is locked for everyone until it is released", async () => {
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

  it("begins to count again after a right password", async () => {
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

describe("breaking the glass", () => {
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

  it("releases an account by SQL, at once, and writes it down", async () => {
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

  it("touches nobody else, and takes no name that the product would refuse", async () => {
    const [user, other] = [await newUser(ours.id), await newUser(ours.id)];
    for (const one of [user, other]) await lockOut(one);
    await run(breakGlassSql({ username: user.username }, { now: START }));
    expect([await lockOf(user), await lockOf(other)]).toEqual([0, 1]);
    await run(breakGlassSql({ username: unique("ghost") }, { now: START }));
    for (const username of ["", "x'; DROP TABLE users; --", "a b"])
      expect(() => breakGlassSql({ username }, { now: START })).toThrow();
  });

  it("keeps the audit chain whole", async () => {
    const user = await newUser(ours.id);
    await run(breakGlassSql({ username: user.username }, { now: START }));
    const boss = await client(await newUser(ours.id, { role: "admin" }));
    await sealAuditLog(testApp());
    const answer = await boss.post("/audit-log/verify", { agency: "", after: 0 });
    expect(answer.status).toBe(200);
    expect(await rows(user.id)).toMatchObject([{ outcome: "ok" }]);
  });
});

describe("signing in as a program", () => {
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
  const deviceIn = async (answer: Response) => ((await answer.json()) as { device?: string }).device;

  it("is known by the device that its answer names, so that strangers cannot keep it out", async () => {
    const user = await newUser(ours.id);
    const device = await deviceIn(await asProgram(user, PASSWORD, "new"));
    expect(device).toMatch(/^[\w-]{22,64}$/);
    await lockOut(user);
    expect((await asProgram(user, PASSWORD)).status).toBe(401);
    expect((await asProgram(user, PASSWORD, "new")).status).toBe(401);
    const again = await asProgram(user, PASSWORD, device);
    expect(again.status).toBe(200);
    expect(await deviceIn(again)).toBe(device);
    // Five attempts of its own, as a browser has.
    for (let n = 0; n < 5; n++) await asProgram(user, "Wrong-Password-1", device);
    expect((await asProgram(user, PASSWORD, device)).status).toBe(401);
  });

  it("stays known through its second factor", async () => {
    const user = await newUser(ours.id);
    const browser = await client(user);
    const { secret } = (await (await browser.fetch("/second-factor/totp", { method: "POST" })).json()) as {
      secret: string;
    };
    await browser.post("/second-factor/totp/confirm", { code: totpCode(secret, Date.now()) });
    const finish = async (given: string) => {
      const { token } = (await (await asProgram(user, PASSWORD, given)).json()) as { token: string };
      const headers = { authorization: `Bearer ${token}`, "odin-device": given };
      return send("/second-factor/verify", jsonInit({ code: totpCode(secret, Date.now()) }, { headers }));
    };
    at(MINUTE);
    const device = await deviceIn(await finish("new"));
    expect(device).toMatch(/^[\w-]{22,64}$/);
    await lockOut(user);
    at(2 * MINUTE);
    expect((await finish(device as string)).status).toBe(200);
  });
});
