import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { comparisonTurn } from "#app/domain/accounts/attempts.ts";
import { changeOwnPassword } from "#app/domain/accounts/passwords.ts";
import { signIn as openWith, resumeSession } from "#app/domain/accounts/sign-in.ts";
import { disableUnusedUsers } from "#app/domain/users/upkeep.ts";
import { ADDRESS_LIMITS, USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { hashPassword } from "#app/lib/crypto/passwords.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { sleep } from "#app/lib/waiting.ts";
import { runCron } from "../../../workers/scheduled.ts";
import {
  apiClient,
  auditOf,
  bindings,
  bodyOf,
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

let agency: { id: string; name: string };
let admin: TestUser;
const START = Date.now();

beforeAll(async () => {
  agency = await newAgency();
  admin = await newUser(agency.id, { role: "admin" });
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(START);
});

afterEach(() => {
  vi.useRealTimers();
});

const at = (offset: number) => vi.setSystemTime(START + offset);
const wrong = (user: TestUser) => signIn({ ...user, password: "Wrong-Password-1" });
const set = (user: TestUser, assignment: string, ...values: unknown[]) =>
  bindings.DB.prepare(`UPDATE users SET ${assignment} WHERE id = ?`)
    .bind(...values, user.id)
    .run();
const read = async (user: TestUser, column: string) =>
  (await bindings.DB.prepare(`SELECT ${column} AS it FROM users WHERE id = ?`)
    .bind(user.id)
    .first("it")) as unknown;
const reasons = async (user: TestUser) => (await auditOf(user, 200)).map((row) => reasonIn(row.detail));
const target = async (response: Response) => (await bodyOf<{ redirect_url: string }>(response)).redirect_url;

const reasonIn = (detail: string): string | undefined => JSON.parse(detail).reason;

describe("sign-in limits", () => {
  it("let five of a hundred concurrent attempts check the password, then lock the account", async () => {
    const user = await newUser(agency.id);
    const answers = await Promise.all(Array.from({ length: 100 }, () => wrong(user)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    const found = await reasons(user);
    expect(found.filter((reason) => reason === "wrong password")).toHaveLength(5);
    expect(found.filter((reason) => reason === "5 failed attempts")).toHaveLength(1);
    expect((await signIn(user)).status).toBe(401);
    at(24 * HOUR);
    const later = await signIn(user);
    expect([later.status, (await bodyOf<{ msg: string }>(later)).msg]).toEqual([401, "Login failed"]);
    expect(await reasons(user)).toContain("locked");

    const boss = await client(admin);
    expect((await boss.fetch(`/admin/unlock-user/${user.id}`, { method: "POST" })).status).toBe(200);
    expect(await auditOf(admin)).toMatchObject([{ action: "user.unlock", outcome: "ok", object: user.id }]);
    expect((await signIn(user)).status).toBe(200);
  });

  it("leave time for other requests while many sign-ins from unknown devices are compared", async () => {
    const boss = await apiClient(admin);
    const many = Array.from({ length: 24 }, (_, n) => {
      const body = new URLSearchParams({ username: unique("ghost"), password: "Wrong-Password-1" });
      return send("/login", { method: "POST", body, headers: { "cf-connecting-ip": `198.51.100.${n}` } });
    });
    let answered = 0;
    const all = Promise.all(many.map((one) => one.then(() => (answered += 1))));
    await Promise.race(many);
    expect((await boss.fetch("/get-current-user")).status).toBe(200);
    expect(answered).toBeLessThan(many.length / 2);
    await all;
  });

  it("leave that time on a slow computer too, on which a comparison takes longer than the pause before the next", async () => {
    /** Turns of the event loop before each comparison, which the statements of other requests wait for. */
    const turns: number[] = [];
    let count = 0;
    const many = Array.from({ length: 4 }, async () => {
      await sleep(0);
      await comparisonTurn({ userId: "", account: "", unknownDevice: true });
      turns.push(count);
      count = 0;
      for (let n = 0; n < 4; n++) await hashPassword(PASSWORD, bindings.PASSWORD_PEPPER);
    });
    const all = Promise.all(many).then(() => true);
    while (!(await Promise.race([all, sleep(0)]))) count += 1;
    expect(turns).toHaveLength(4);
    expect(Math.min(...turns), turns.join()).toBeGreaterThan(0);
  });

  it("do not let an address fill the audit log with attempts that are refused unread", async () => {
    const user = await newUser(agency.id);
    await set(user, "locked_at = ?", START);
    const tryOften = (address: string, username: () => string) =>
      Promise.all(
        Array.from({ length: 20 }, () => {
          const body = new URLSearchParams({ username: username(), password: "x" });
          return send("/login", { method: "POST", body, headers: { "cf-connecting-ip": address } });
        }),
      );
    await tryOften("203.0.113.41", () => user.username);
    expect(await reasons(user)).toEqual(["locked"]);
    // Another address is written down too, and the first one again after a while.
    await tryOften("203.0.113.42", () => user.username);
    at(10 * SECOND);
    await tryOften("203.0.113.41", () => user.username);
    expect(await reasons(user)).toEqual(["locked", "locked", "locked"]);

    const address = "203.0.113.43";
    await bindings.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO sign_in_attempts (id, account, address, at, failed, unknown_device)
      SELECT 'full' || i, 'ghost' || i, ?, ?, 1, 1 FROM n`,
    )
      .bind(ADDRESS_LIMITS.attempts, address, START + 10 * SECOND)
      .run();
    await tryOften(address, () => unique("ghost"));
    const rows = bindings.DB.prepare("SELECT count(*) AS n FROM audit_log WHERE ip = ?").bind(address);
    expect(await rows.first("n")).toBe(1);
  });

  it("ignore failures older than fifteen minutes, and all failures before a success", async () => {
    const user = await newUser(agency.id);
    for (let n = 0; n < 4; n++) await wrong(user);
    at(15 * MINUTE);
    await wrong(user);
    expect(await read(user, "locked_at")).toBeNull();
    expect((await signIn(user)).status).toBe(200);
    for (let n = 0; n < 4; n++) await wrong(user);
    expect((await signIn(user)).status).toBe(200);
  });

  it("do not count a correct password that is refused for another reason, but grant it no attempts", async () => {
    const expired = await newUser(agency.id);
    await set(expired, "temporary_until = ?", START);
    const from = (address: string, password = PASSWORD) => {
      const headers = { "content-type": "application/json", "cf-connecting-ip": address };
      const body = JSON.stringify({ username: expired.username, password });
      return send("/login", { method: "POST", headers, body });
    };
    for (let n = 0; n < 7; n++) expect((await from(`203.0.113.${20 + n}`)).status).toBe(401);
    expect((await reasons(expired)).reverse()).toEqual([
      ...Array(2).fill("too many attempts"),
      ...Array(5).fill("temporary password expired"),
    ]);
    expect(await read(expired, "locked_at")).toBeNull();
    await set(expired, "temporary_until = NULL");
    // The answer to a wrong password is the same.
    expect((await from("203.0.113.30", "Wrong-Password-1")).status).toBe(401);
    expect(await reasons(expired)).not.toContain("wrong password");
    at(15 * MINUTE);
    expect((await signIn(expired)).status).toBe(200);
  });

  it("limit an IP address across all usernames", async () => {
    await bindings.DB.prepare(
      `INSERT INTO sign_in_attempts (id, account, address, at, failed)
       SELECT 'a' || value, 'name:' || value, '203.0.113.9', ?, 1 FROM json_each(?)`,
    )
      .bind(START, JSON.stringify(Array.from({ length: 60 }, (_, n) => n)))
      .run();
    const tryUnknownUser = (address: string) =>
      send("/login", {
        method: "POST",
        headers: { "content-type": "application/json", "cf-connecting-ip": address },
        body: JSON.stringify({ username: unique("ghost"), password: "x" }),
      });
    const refused = await tryUnknownUser("203.0.113.9");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "900"]);
    expect((await tryUnknownUser("203.0.113.10")).status).toBe(401);
  });
});

describe("passwords", () => {
  const reset = async (user: TestUser) => {
    const boss = await client(admin);
    const response = await boss.post("/admin/reset-user-password", { user_id: user.id });
    return bodyOf<{ temporary_password: string }>(response);
  };

  it("are temporary after a reset: new each time, valid for a day, and only for the change", async () => {
    const user = await newUser(agency.id);
    const old = await client(user);
    const [first, second] = [await reset(user), await reset(user)];
    expect(first.temporary_password).not.toBe(second.temporary_password);
    expect((await old.fetch("/get-current-user")).status).toBe(401);
    expect((await signIn({ ...user, password: first.temporary_password })).status).toBe(401);

    const temporary = { ...user, password: second.temporary_password };
    expect(await target(await signIn(temporary))).toBe("/change-password");
    const limited = await client(temporary);
    expect((await limited.fetch("/get-current-user")).status).toBe(403);
    expect((await limited.post("/search-data", {})).status).toBe(403);
    expect((await limited.fetch("/search")).headers.get("location")).toBe("/change-password");
    const page = await (await limited.fetch("/change-password")).text();
    expect(page).toContain("Your password is either temporary or expired, please change your password.");

    const change = (new_password: string, more = {}) =>
      limited.post("/reset-password", { new_password, ...more });
    expect((await change("short")).status).toBe(400);
    expect((await change(second.temporary_password)).status).toBe(400);
    expect((await change("Willow-Kettle-38", { username: admin.username })).status).toBe(403);
    const changed = await change("Willow-Kettle-38", { username: user.username });
    expect(await changed.json()).toMatchObject({ msg: "Password updated successfully, please log in." });
    expect((await limited.fetch("/session-time")).status).toBe(401);
    expect(await target(await signIn({ ...user, password: "Willow-Kettle-38" }))).toBe("/search");

    const third = await reset(user);
    at(24 * HOUR);
    expect((await signIn({ ...user, password: third.temporary_password })).status).toBe(401);
    expect(await reasons(user)).toContain("temporary password expired");
  });

  it("need a recent sign-in or the current one to change; reused and banned ones are refused", async () => {
    const user = await newUser(agency.id);
    const browser = await client(user);
    const other = await client(user);
    const say = async (response: Response) => [
      response.status,
      (await bodyOf<{ msg: string }>(response)).msg,
    ];
    const wrong = { new_password: "Willow-Kettle-38", current_password: "Not-My-Password-1" };
    expect((await browser.post("/reset-password", wrong)).status).toBe(400);
    expect(await say(await browser.post("/user/reset-password", { new_password: "Password123!" }))).toEqual([
      400,
      "The password is on the list of common and stolen passwords.",
    ]);
    expect(await say(await browser.post("/user/reset-password", { new_password: PASSWORD }))).toEqual([
      400,
      "You cannot reuse any of your last 10 passwords.",
    ]);
    expect(
      await say(await browser.post("/user/reset-password", { new_password: "Willow-Kettle-38" })),
    ).toEqual([200, "Password updated successfully"]);
    expect((await browser.fetch("/get-current-user")).status).toBe(200);
    expect((await other.fetch("/get-current-user")).status).toBe(401);
    expect((await auditOf(user, 40)).filter(({ action }) => action === "password.change")).toMatchObject([
      { outcome: "refused" },
      { outcome: "refused" },
      { outcome: "ok" },
    ]);
  });

  it("must be changed at the next sign-in if a newer banned list contains them or they are too old", async () => {
    const user = await newUser(agency.id);
    const common = await hashPassword("Password123!", bindings.PASSWORD_PEPPER);
    await set(user, "password_hash = ?, password_list_version = 'older'", common);
    expect(await target(await signIn({ ...user, password: "Password123!" }))).toBe("/change-password");
    const aged = await newUser(agency.id);
    await set(aged, "password_changed_at = ?, password_list_version = 'older'", START - 365 * DAY);
    expect(await target(await signIn(aged))).toBe("/change-password");
    await set(aged, "password_changed_at = ?", START - 365 * DAY + 1);
    expect(await target(await signIn(aged))).toBe("/search");
    expect(await read(aged, "password_list_version")).not.toBe("older");
  });

  it("are rehashed with the current cost at the next sign-in", async () => {
    const user = await newUser(agency.id);
    const cheap = await hashPassword(PASSWORD, bindings.PASSWORD_PEPPER, { log2N: 10, r: 8, p: 1 });
    await set(user, "password_hash = ?", cheap);
    expect((await signIn(user)).status).toBe(200);
    expect(await read(user, "password_hash")).toMatch(/^scrypt\$14,8,5\$/);
  });

  it("are rehashed with a new pepper at the next sign-in, and old hashes still work", async () => {
    const user = await newUser(agency.id);
    const old = bindings.PASSWORD_PEPPER;
    const both = `1:${old},2:${"y".repeat(40)}`;
    const caller = { ip: "192.0.2.7", userAgent: "" };
    const under = (pepper: string) => testApp(Date.now, { PASSWORD_PEPPER: pepper });
    const enter = (pepper: string, password: string) =>
      openWith(under(pepper), {
        credentials: { username: user.username, password },
        notice: USE_NOTIFICATION.version,
        caller,
        kind: "bearer",
      });
    const change = async (pepper: string, token: string, password: string) => {
      const app = under(pepper);
      const actor = await resumeSession(app, { token, kind: "bearer", caller, keepAlive: true });
      if (!actor) throw new Error("no session");
      await changeOwnPassword(app, actor, { new_password: password });
    };
    const { token } = await enter(old, PASSWORD);
    await change(old, token, "Brown-Cows-Fly-12");
    const first = await read(user, "password_hash");
    expect(first).toMatch(/^scrypt\$14,8,5\$/);
    await expect(enter(`1:${"z".repeat(40)}`, "Brown-Cows-Fly-12")).rejects.toThrow("Login failed");
    await enter(both, "Brown-Cows-Fly-12");
    expect(await read(user, "password_hash")).toMatch(/^scrypt\$14,8,5,2\$/);
    await change(both, token, "Green-Cows-Swim-34");
    await expect(change(both, token, "Brown-Cows-Fly-12")).rejects.toThrow(
      "You cannot reuse any of your last 10 passwords.",
    );
    await enter(`2:${"y".repeat(40)}`, "Green-Cows-Swim-34");
  });
});

describe("unused accounts and ended sessions", () => {
  const cron = () =>
    runCron({ cron: "*/10 * * * *" } as ScheduledController, bindings, { waitUntil: () => {} });

  it("disable an account after ninety days without a sign-in, not before; once it is enabled, the days begin again", async () => {
    const user = await newUser(agency.id);
    await set(user, "last_sign_in_at = ?", START);
    at(90 * DAY);
    await cron();
    expect(await read(user, "disabled_at")).toBeNull();
    at(90 * DAY + 1);
    await cron();
    expect(await read(user, "disabled_by")).toBe("disuse");
    expect((await signIn(user)).status).toBe(401);
    await bindings.DB.prepare("UPDATE users SET disabled_at = NULL, last_sign_in_at = ? WHERE id = ?")
      .bind(START + 90 * DAY, admin.id)
      .run();
    const enabled = await (await client(admin)).fetch(
      `/admin/disable-user/${user.id}`,
      jsonInit({ disabled: false }, { method: "PUT" }),
    );
    expect(enabled.status).toBe(200);
    expect(await read(user, "last_sign_in_at"), "the user has not signed in").toBe(START);
    await cron();
    expect(await read(user, "disabled_at")).toBeNull();
    at(180 * DAY + 2);
    await cron();
    expect(await read(user, "disabled_by")).toBe("disuse");
    await set(admin, "disabled_at = NULL, disabled_by = NULL, last_sign_in_at = ?", START + 90 * DAY);
  });

  it("disable a limited number of accounts in a run, those unused for longest first", async () => {
    const all = [await newUser(agency.id), await newUser(agency.id), await newUser(agency.id)];
    for (const [order, user] of all.entries()) await set(user, "last_sign_in_at = ?", order);
    const disabled = async () => Promise.all(all.map((user) => read(user, "disabled_by")));
    expect(await disableUnusedUsers(testApp(), 2)).toBe(2);
    expect(await disabled()).toEqual(["disuse", "disuse", null]);
    expect(await disableUnusedUsers(testApp(), 2)).toBe(1);
    expect(await disabled()).toEqual(["disuse", "disuse", "disuse"]);
  });

  it("disable the other accounts if one cannot be disabled, and fail then", async () => {
    const all = [await newUser(agency.id), await newUser(agency.id), await newUser(agency.id)];
    for (const [order, user] of all.entries()) await set(user, "last_sign_in_at = ?", order);
    await bindings.DB.prepare(
      `CREATE TRIGGER failing_user BEFORE UPDATE OF disabled_at ON users WHEN OLD.id = '${all[0]?.id}'
       BEGIN SELECT RAISE(ABORT, 'this user fails'); END`,
    ).run();
    try {
      const failure = await disableUnusedUsers(testApp()).catch((error: unknown) => error);
      expect(failure).toMatchObject({ errors: [expect.any(Error)] });
    } finally {
      await bindings.DB.prepare("DROP TRIGGER failing_user").run();
    }
    expect(await Promise.all(all.map((user) => read(user, "disabled_by")))).toEqual([
      null,
      "disuse",
      "disuse",
    ]);
    expect(await disableUnusedUsers(testApp())).toBe(1);
  });

  it("end all five sessions at once when an account is disabled, and allow sign-in once it is enabled", async () => {
    const user = await newUser(agency.id);
    const browsers = [await apiClient(user)];
    for (let n = 0; n < 4; n++) browsers.push(await client(user));
    const boss = await client(admin);
    const put = (disabled: boolean) =>
      boss.fetch(`/admin/disable-user/${user.id}`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ disabled }),
      });
    expect((await put(true)).status).toBe(200);
    for (const browser of browsers) expect((await browser.fetch("/get-current-user")).status).toBe(401);
    expect((await signIn(user)).status).toBe(401);
    expect((await put(false)).status).toBe(200);
    expect((await signIn(user)).status).toBe(200);
    for (const browser of browsers) expect((await browser.fetch("/get-current-user")).status).toBe(401);
  });

  it("end when the role changes and on sign out everywhere", async () => {
    const user = await newUser(agency.id);
    const boss = await client(admin);
    const browser = await client(user);
    const put = (new_role: string) =>
      boss.fetch(`/admin/toggle-role/${user.id}`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ new_role }),
      });
    expect((await put("admin")).status).toBe(200);
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
    const [one, two] = [await client(user), await client(user)];
    expect((await one.fetch("/user/sign-out-everywhere", { method: "POST" })).status).toBe(200);
    expect((await two.fetch("/get-current-user")).status).toBe(401);
  });

  it("release the username of a deleted user after a year, not before", async () => {
    const user = await newUser(agency.id);
    const browser = await client(user);
    const boss = await client(admin);
    expect((await boss.fetch(`/admin/delete-user/${user.id}`, { method: "DELETE" })).status).toBe(200);
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
    expect((await signIn(user)).status).toBe(401);
    const again = async () => {
      const fresh = await client(admin);
      const { username, name, email } = user;
      const body = { username, name, email, role: "user", password: "Willow-Kettle-38" };
      return (await fresh.post("/admin/add-user", body)).status;
    };
    at(364 * DAY);
    await set(admin, "password_changed_at = ?", START + 364 * DAY);
    expect(await again()).toBe(409);
    at(366 * DAY);
    expect(await again()).toBe(200);
  });
});

describe("an agency's session times", () => {
  it("take effect at the next request", async () => {
    const strict = await newAgency();
    const user = await newUser(strict.id);
    const browser = await client(user);
    await bindings.DB.prepare("UPDATE agencies SET idle_minutes = 5, absolute_minutes = 30 WHERE id = ?")
      .bind(strict.id)
      .run();
    at(5 * MINUTE - 1);
    expect((await browser.fetch("/get-current-user")).status).toBe(200);
    at(11 * MINUTE);
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
    at(0);
    const busy = await client(user);
    for (let minute = 3; minute < 30; minute += 3) {
      at(minute * MINUTE);
      expect((await busy.fetch("/get-current-user")).status).toBe(200);
    }
    at(30 * MINUTE);
    expect((await busy.fetch("/get-current-user")).status).toBe(401);
  });
});
