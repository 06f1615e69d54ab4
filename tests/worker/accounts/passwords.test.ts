import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { changeOwnPassword } from "#app/domain/accounts/passwords.ts";
import { resetPassword } from "#app/domain/users/access.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import {
  actorOf,
  auditOf,
  bindings,
  bodyOf,
  client,
  newAgency,
  newUser,
  openSessionOf,
  PASSWORD,
  sessionActorOf,
  signIn,
  storedUser,
  testApp,
  textWithoutId,
  unique,
} from "../../factories.ts";

let agency: { id: string; name: string };

beforeAll(async () => {
  agency = await newAgency();
});
afterEach(() => {
  vi.useRealTimers();
});

const own = (n: number) => `Kettle-${n}-Harbor-lamp`;

describe("a new password", () => {
  it("cannot be one of the last ten, but can be the eleventh most recent", async () => {
    // Changes are made at different times, because the history is ordered by time.
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const user = await newUser(agency.id);
    const browser = await client(user);
    const change = async (n: number, minute: number) => {
      vi.setSystemTime(start + minute * 1000);
      return (await browser.post("/user/reset-password", { new_password: own(n) })).status;
    };
    for (let n = 1; n <= 10; n++) expect(await change(n, n)).toBe(200);
    for (const n of [1, 5, 10]) expect(await change(n, 20)).toBe(400);
    expect(await change(11, 30)).toBe(200);
    expect(await change(2, 40)).toBe(400);
    expect(await change(1, 50)).toBe(200);
  });

  it.each([
    ["64 characters", `Aa1!${"x y".repeat(20)}`],
    ["300 characters", `Aa1!${"seven long words ".repeat(17)}`],
    ["other scripts", "Ω ω 7 κλειδί μακρύ"],
    ["emoji", "Aa1 🚓🚨🐕‍🦺 of mine"],
    ["leading and trailing spaces", "  Aa1! lamp harbor  "],
  ])("may contain %s, and every character counts", async (_, password) => {
    const user = await newUser(agency.id);
    const browser = await client(user);
    expect((await browser.post("/user/reset-password", { new_password: password })).status).toBe(200);
    expect((await signIn({ ...user, password })).status).toBe(200);
    expect((await signIn({ ...user, password: password.slice(0, -1) })).status).toBe(401);
  });

  it("is refused, with a message, if it is based on the name of the user, the agency or the product", async () => {
    const user = await newUser(agency.id, { name: "Ottoline Ferrars", email: "o.ferrars@x.example" });
    const browser = await client(user);
    for (const new_password of [
      "Ferrars-26!",
      "Ottoline-9!",
      `${agency.name.slice(0, 9)}!1aA`,
      "0Din-2026!",
    ]) {
      const answer = await browser.post("/user/reset-password", { new_password });
      expect([new_password, answer.status]).toEqual([new_password, 400]);
      expect((await bodyOf<{ msg: string }>(answer)).msg).toMatch(/name|common/);
    }
  });

  it.each([[null], [" "]])("is changed if the request names no user: %j", async (username) => {
    const browser = await client(await newUser(agency.id));
    const change = { username, new_password: own(1), current_password: PASSWORD };
    expect((await browser.post("/reset-password", change)).status).toBe(200);
  });

  it("for another user is refused with the same response whether or not that user exists", async () => {
    const browser = await client(await newUser(agency.id));
    const other = await newUser(agency.id);
    const tell = async (username: string, new_password: string) => {
      const answer = await browser.post("/reset-password", {
        username,
        new_password,
        current_password: PASSWORD,
      });
      return [answer.status, await textWithoutId(answer)];
    };
    for (const password of ["short", own(1)])
      expect(await tell(other.username, password)).toEqual(await tell(unique("ghost"), password));
    const stranger = await client(await newUser(agency.id));
    expect(
      (await stranger.post("/reset-password", { username: other.username, new_password: own(1) })).status,
    ).toBe(403);
    expect((await signIn(other)).status).toBe(200);
  });

  it("does not replace a password that was set in the meantime, such as by a reset", async () => {
    const user = await newUser(agency.id);
    const browsers = await Promise.all([client(user), client(user)]);
    const answers = await Promise.all(
      browsers.map((browser, n) => browser.post("/user/reset-password", { new_password: own(n) })),
    );
    const statuses = answers.map(({ status }) => status);
    expect([...statuses].sort()).toEqual([200, 409]);
    const signIns = await Promise.all([0, 1].map((n) => signIn({ ...user, password: own(n) })));
    expect(signIns.map(({ status }) => status)).toEqual(statuses.map((code) => (code === 200 ? 200 : 401)));
  });

  it("is not set in a session that has ended since the request began, such as by a reset", async () => {
    const user = await newUser(agency.id);
    const admin = await actorOf(await client(await newUser(agency.id, { role: "admin" })));
    const { sessionId } = await actorOf(await client(user));
    const target = { id: user.id, reach: "agency" } as const;
    const { temporary_password: password } = await resetPassword(testApp(), admin, target);
    const actor = sessionActorOf(user, agency.name, { sessionId });
    const change = changeOwnPassword(testApp(), actor, { new_password: own(1) });
    await expect(change).rejects.toMatchObject({ code: "unauthenticated" });
    expect((await signIn({ ...user, password: own(1) })).status).toBe(401);
    expect((await signIn({ ...user, password })).status).toBe(200);
  });

  it("lets no sign-in with the former password finish after it, nor bring that password back", async () => {
    const user = await newUser(agency.id);
    const admin = await newUser(agency.id, { role: "admin" });
    const app = testApp(Date.now, {
      PASSWORD_PEPPER: `2:${"newer-pepper".repeat(3)},1:${bindings.PASSWORD_PEPPER}`,
    });
    // A sign-in reads the user, and compares the password for a tenth of a second before it opens the session.
    const read = await storedUser(user);
    const { temporary_password: password } = await resetPassword(
      testApp(),
      await actorOf(await client(admin)),
      { id: user.id, reach: "agency" },
    );
    await expect(openSessionOf(read, { app })).rejects.toThrow("users.password_hash");
    const live = "SELECT count(*) AS n FROM sessions WHERE user_id = ? AND revoked_at IS NULL";
    expect(await bindings.DB.prepare(live).bind(user.id).first("n")).toBe(0);
    expect(await auditOf(user)).toEqual([]);
    expect((await signIn(user)).status).toBe(401);
    expect((await signIn({ ...user, password })).status).toBe(200);
  });

  it("needs no current password soon after the sign-in, and a missing one does not count as an attempt", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const user = await newUser(agency.id);
    const change = { username: user.username, new_password: own(1) };
    const late = await client(user);
    vi.setSystemTime(Date.now() + 11 * MINUTE);
    for (let n = 0; n < 6; n++) {
      const answer = await late.post("/reset-password", change);
      expect([answer.status, (await bodyOf<{ code: string }>(answer)).code]).toEqual([
        403,
        "step_up_required",
      ]);
    }
    const answer = await (await client(user)).post("/reset-password", change);
    expect(await answer.json()).toMatchObject({ msg: "Password updated successfully, please log in." });
    expect((await signIn({ ...user, password: own(1) })).status).toBe(200);
  });

  it("needs a recent sign-in or the current password, which counts as an attempt", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const user = await newUser(agency.id);
    const browser = await client(user);
    vi.setSystemTime(Date.now() + 11 * MINUTE);
    expect((await browser.post("/user/reset-password", { new_password: own(1) })).status).toBe(403);
    for (let n = 0; n < 5; n++)
      expect(
        (await browser.post("/reset-password", { new_password: own(1), current_password: "no" })).status,
      ).toBe(400);
    const locked = await browser.post("/reset-password", {
      new_password: own(1),
      current_password: PASSWORD,
    });
    expect(locked.status).toBe(429);
    expect((await signIn(user)).status).toBe(401);
  });
});
