import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AppContext } from "#app/context.ts";
import {
  beginTotp,
  confirmNewTotp,
  enroll as enrollFactor,
  removeFactor,
  renewRecoveryCodes,
} from "#app/domain/accounts/second-factor.ts";
import { endSessions, resetSecondFactor } from "#app/domain/users/access.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { confirmTotp, findFactorStatus, findTotp, insertPasskey } from "#app/store/accounts/second-factor.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  actorOf,
  apiClient,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  dumpDatabases,
  jsonInit,
  newAgency,
  newUser,
  PASSWORD,
  send,
  sessionActorOf,
  signIn,
  type TestUser,
  testApp,
  unique,
} from "../../factories.ts";
import { totpCode } from "../../support/accounts/totp.ts";
import { beforeWrite, withBatches } from "../../support/batches.ts";

let agency: { id: string; name: string };
const START = Date.now();

beforeAll(async () => {
  agency = await newAgency();
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(START);
});
afterEach(() => {
  vi.useRealTimers();
});

const at = (offset: number) => vi.setSystemTime(START + offset);
const code = (secret: string) => totpCode(secret, Date.now());
const target = async (response: Response) => (await bodyOf<{ redirect_url: string }>(response)).redirect_url;

/** Returns a fetch with the session cookie that a response renewed. */
function renewed(who: Client, response: Response): (path: string, init?: RequestInit) => Promise<Response> {
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  return (path, init = {}) =>
    send(path, {
      ...init,
      headers: { ...who.headers, ...(init.headers as Record<string, string>), cookie },
    });
}

async function enroll(user: TestUser) {
  const browser = await client(user);
  const begun = await browser.fetch("/second-factor/totp", { method: "POST" });
  const { secret } = await bodyOf<{ secret: string }>(begun);
  const confirmed = await browser.post("/second-factor/totp/confirm", { code: code(secret) });
  expect(confirmed.status).toBe(200);
  const { recovery_codes } = await bodyOf<{ recovery_codes: string[] }>(confirmed.clone());
  return { browser, secret, codes: recovery_codes, fetch: renewed(browser, confirmed) };
}

describe("a second factor", () => {
  it("is required at the next sign-in, accepts each code once, and is stored encrypted", async () => {
    const user = await newUser(agency.id);
    const { browser, secret, codes, fetch } = await enroll(user);
    expect(codes).toHaveLength(10);
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
    expect((await fetch("/get-current-user")).status).toBe(200);

    at(MINUTE);
    expect(await target(await signIn(user))).toBe("/second-factor");
    const half = await client(user);
    for (const path of ["/get-current-user", "/profile-data", "/api-keys-data"])
      expect((await half.fetch(path)).status, path).toBe(403);
    expect((await half.fetch("/search")).headers.get("location")).toBe("/second-factor");
    expect((await half.post("/step-up", { password: PASSWORD })).status).toBe(403);
    expect((await half.post("/second-factor/totp", {})).status).toBe(403);

    const now = code(secret);
    const passed = await half.post("/second-factor/verify", { code: now });
    expect(await target(passed.clone())).toBe("/search");
    expect((await renewed(half, passed)("/get-current-user")).status).toBe(200);
    const again = await client(user);
    expect((await again.post("/second-factor/verify", { code: now })).status).toBe(400);
    const recovered = await again.post("/second-factor/verify", { code: codes[0]?.toLowerCase() });
    expect(recovered.status).toBe(200);
    const third = await client(user);
    expect((await third.post("/second-factor/verify", { code: codes[0] })).status).toBe(400);
    const dump = await dumpDatabases();
    for (const hidden of [secret, ...codes, ...codes.map((text) => text.replaceAll("-", ""))])
      expect(dump).not.toContain(hidden);
  });

  it("locks after five wrong codes, even with correct passwords between them", async () => {
    const user = await newUser(agency.id);
    await enroll(user);
    for (let n = 0; n < 5; n++) {
      const half = await client(user);
      expect((await half.post("/second-factor/verify", { code: "ABCDEFGH" })).status).toBe(400);
    }
    expect((await signIn(user)).status).toBe(401);
    const rows = await auditOf(user, 30);
    expect(rows.filter(({ action }) => action === "user.lock")).toHaveLength(1);
  });

  it("must be set up before anything else if the agency requires it, even in existing sessions", async () => {
    const strict = await newAgency();
    const user = await newUser(strict.id);
    const [stale, staleProgram] = [await client(user), await apiClient(user)];
    const protectedBefore = await newUser(strict.id);
    const { fetch: staysOpen } = await enroll(protectedBefore);
    at(10 * MINUTE);
    const open = await client(user);
    const owner = await client(await newUser(agency.id, { username: "owner", role: "admin" }));
    const { agencies } = await bodyOf<{
      agencies: { id: string; name: string; policy: object }[];
    }>(owner.fetch("/owner-data"));
    const before = agencies.find(({ id }) => id === strict.id);
    const change = { name: strict.name, policy: { ...before?.policy, second_factor_required: true } };
    const saved = await owner.fetch(`/owner/agencies/${strict.id}`, jsonInit(change, { method: "PUT" }));
    expect(saved.status).toBe(200);
    // In a session that was proved longer ago, someone else could set up a factor.
    for (const { fetch: asStale } of [stale, staleProgram])
      expect((await asStale("/get-current-user")).status).toBe(401);
    expect((await stale.post("/second-factor/totp", {})).status).toBe(401);
    expect((await staysOpen("/get-current-user")).status).toBe(200);
    expect((await open.fetch("/search")).headers.get("location")).toBe("/second-factor/set-up");
    expect((await open.fetch("/get-current-user")).status).toBe(403);
    const { fetch } = await enroll(user);
    expect((await fetch("/get-current-user")).status).toBe(200);
    const last = await fetch("/second-factor/totp", { method: "DELETE" });
    expect(last.status).toBe(409);
  });

  it("ends the user's other sessions, which the password alone opened: they could remove it or add another", async () => {
    const strict = await newAgency();
    await bindings.DB.prepare("UPDATE agencies SET second_factor_required = 1 WHERE id = ?")
      .bind(strict.id)
      .run();
    for (const place of [agency.id, strict.id]) {
      const user = await newUser(place);
      const [other, program] = [await client(user), await apiClient(user)];
      const { fetch } = await enroll(user);
      for (const { fetch: asOther, post } of [other, program]) {
        expect((await asOther("/second-factor/totp", { method: "DELETE" })).status).toBe(401);
        expect((await post("/second-factor/passkey-options", {})).status).toBe(401);
        expect((await asOther("/second-factor-data")).status).toBe(401);
      }
      expect((await fetch("/get-current-user")).status).toBe(200);
      const { totp, passkeys } = await findFactorStatus(testApp().db, user.id);
      expect({ totp, passkeys }).toEqual({ totp: true, passkeys: [] });
    }
  });

  it("offers passkey challenges only to users with a passkey, and refuses unsolicited responses", async () => {
    const browser = await client(await newUser(agency.id));
    expect((await browser.fetch("/second-factor/challenge", { method: "POST" })).status).toBe(404);
    const options = await browser.fetch("/second-factor/passkey-options", { method: "POST" });
    expect(await options.json()).toMatchObject({ rp: { id: "odin.test" }, attestation: "none" });
    const response = {
      id: "AAAA",
      rawId: "AAAA",
      type: "public-key",
      clientExtensionResults: {},
      response: { clientDataJSON: "e30", attestationObject: "oA" },
    };
    expect((await browser.post("/second-factor/passkeys", { name: "x", response })).status).toBe(400);
  });
});

describe("the password alone, with a second factor set up", () => {
  it("is not enough for step-up or a password change: a code, a recovery code or a passkey is required", async () => {
    const user = await newUser(agency.id);
    const { browser, secret, codes, fetch } = await enroll(user);
    const post = (path: string, body: object) => fetch(path, jsonInit(body));
    for (const body of [
      { password: PASSWORD },
      { password: "Wrong-Password-1" },
      { password: PASSWORD, code: "" },
    ]) {
      const answer = await post("/step-up", body);
      expect(answer.status).toBe(403);
      expect((await bodyOf<{ msg: string }>(answer)).msg).toMatch(/authenticator app/);
      expect(await auditOf(user)).toMatchObject([{ action: "step-up", outcome: "refused" }]);
    }
    at(11 * MINUTE);
    const change = { current_password: PASSWORD, new_password: "Willow-Kettle-38" };
    const refused = await post("/reset-password", change);
    expect([refused.status, (await bodyOf<{ code: string }>(refused)).code]).toEqual([
      403,
      "step_up_required",
    ]);
    const removal = await fetch("/second-factor/totp", { method: "DELETE" });
    expect(removal.status).toBe(403);
    const stepped = await post("/step-up", { password: PASSWORD, code: code(secret) });
    expect(stepped.status).toBe(200);
    const again = renewed(browser, stepped);
    at(22 * MINUTE);
    const recovered = await again("/step-up", jsonInit({ code: codes[0] }));
    expect(recovered.status).toBe(200);
    expect((await renewed(browser, recovered)("/reset-password", jsonInit(change))).status).toBe(200);
  });
});

describe("privileged functions", () => {
  it("require a sign-in within the last ten minutes, which step-up renews", async () => {
    const target = await newUser(agency.id);
    const browser = await client(await newUser(agency.id, { role: "admin" }));
    const role = (fetch: Client["fetch"], new_role: string) =>
      fetch(`/admin/toggle-role/${target.id}`, jsonInit({ new_role }, { method: "PUT" }));
    at(10 * MINUTE - 1);
    expect((await role(browser.fetch, "admin")).status).toBe(200);
    at(10 * MINUTE);
    const calls: [string, string, object?][] = [
      ["PUT", `/admin/toggle-role/${target.id}`, { new_role: "user" }],
      ["DELETE", `/admin/delete-user/${target.id}`],
      ["PUT", `/admin/disable-user/${target.id}`, { disabled: true }],
      ["POST", "/admin/reset-user-password", { user_id: target.id }],
      ["POST", `/admin/unlock-user/${target.id}`],
      ["POST", `/admin/reset-second-factor/${target.id}`],
      ["POST", `/admin/end-sessions/${target.id}`],
      ["POST", "/admin/add-user", {}],
      ["POST", "/bulk-upload-users"],
      ["POST", "/user/reset-password", { new_password: "x" }],
      ["POST", "/second-factor/totp"],
      ["POST", "/second-factor/passkey-options"],
      ["POST", "/second-factor/recovery-codes"],
      ["DELETE", "/second-factor/totp"],
    ];
    for (const [method, path, body] of calls) {
      const response = await browser.fetch(path, body ? jsonInit(body, { method }) : { method });
      const { code: found } = await bodyOf<{ code: string }>(response);
      expect([path, response.status, found]).toEqual([path, 403, "step_up_required"]);
    }
    expect((await browser.fetch("/admin-data")).status).toBe(200);
    expect((await browser.post("/step-up", { password: "wrong" })).status).toBe(400);
    const stepped = await browser.post("/step-up", { password: PASSWORD });
    expect(stepped.status).toBe(200);
    expect((await browser.fetch("/get-current-user")).status).toBe(401);
    expect((await role(renewed(browser, stepped), "user")).status).toBe(200);
  });
});

describe("two changes of second factors at once", () => {
  const passkeyOf = (userId: string, id: string) => ({
    id,
    userId,
    name: id,
    publicKey: "",
    counter: 0,
    transports: [],
    createdAt: START,
  });

  it("never leave a user without one that the agency requires", async () => {
    const strict = await newAgency();
    const user = await newUser(strict.id);
    await enroll(user);
    const app = testApp();
    const id = unique("passkey");
    await inOneStep(app.db, [insertPasskey(app.db, passkeyOf(user.id, id))]);
    await bindings.DB.prepare("UPDATE agencies SET second_factor_required = 1 WHERE id = ?")
      .bind(strict.id)
      .run();
    const actor = sessionActorOf(user, strict.name);
    const results = await Promise.allSettled([
      removeFactor(app, actor, "totp"),
      removeFactor(app, actor, { passkey: id }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const left = await findFactorStatus(app.db, user.id);
    expect(left.passkeys.length + Number(left.totp)).toBe(1);
    expect(left.recovery_codes_left).toBe(10);
  });

  it("keep a new factor that is added while the last one is removed", async () => {
    const user = await newUser(agency.id);
    await enroll(user);
    const app = testApp();
    const actor = sessionActorOf(user, agency.name);
    const id = unique("passkey");
    await Promise.all([
      enrollFactor(app, actor, { statement: insertPasskey(app.db, passkeyOf(user.id, id)), kind: "passkey" }),
      removeFactor(app, actor, "totp"),
    ]);
    const left = await findFactorStatus(app.db, user.id);
    expect(left).toMatchObject({ totp: false, passkeys: [{ id }], recovery_codes_left: 10 });
  });

  it("add no factor in a session that has ended since the request began, such as by an administrator's reset", async () => {
    const user = await newUser(agency.id);
    const admin = await actorOf(await client(await newUser(agency.id, { role: "admin" })));
    const { sessionId } = await actorOf(await client(user));
    const app = beforeWrite(testApp(), () =>
      resetSecondFactor(testApp(), admin, { id: user.id, reach: "agency" }),
    );
    const actor = sessionActorOf(user, agency.name, { sessionId });
    const statement = insertPasskey(app.db, passkeyOf(user.id, unique("passkey")));
    await expect(enrollFactor(app, actor, { statement, kind: "passkey" })).rejects.toMatchObject({
      code: "unauthenticated",
    });
    expect(await findFactorStatus(app.db, user.id)).toMatchObject({ passkeys: [], recovery_codes_left: 0 });
  });

  it("remove and replace nothing in a session that an administrator has ended since the request began", async () => {
    const user = await newUser(agency.id);
    const { codes, fetch } = await enroll(user);
    const admin = await actorOf(await client(await newUser(agency.id, { role: "admin" })));
    const { sessions } = await bodyOf<{ sessions: { id: string; current: boolean }[] }>(
      fetch("/profile-data"),
    );
    const sessionId = sessions.find(({ current }) => current)?.id ?? "";
    const actor = sessionActorOf(user, agency.name, { sessionId });
    const acts = [
      (app: AppContext) => renewRecoveryCodes(app, actor),
      (app: AppContext) => removeFactor(app, actor, "totp"),
    ];
    for (const act of acts) {
      const app = beforeWrite(testApp(), () =>
        endSessions(testApp(), admin, { id: user.id, reach: "agency" }),
      );
      await expect(act(app)).rejects.toMatchObject({ code: "unauthenticated" });
    }
    at(MINUTE);
    const half = await client(user);
    expect((await half.post("/second-factor/verify", { code: codes[0] })).status).toBe(200);
  });

  it("give no recovery codes after an administrator's reset, without a second factor", async () => {
    const user = await newUser(agency.id);
    await enroll(user);
    const admin = await actorOf(await client(await newUser(agency.id, { role: "admin" })));
    const actor = sessionActorOf(user, agency.name);
    let batches = 0;
    const app = withBatches(testApp(), async (run, statements) => {
      // The first batch reads the factors.
      if (++batches === 2) await resetSecondFactor(testApp(), admin, { id: user.id, reach: "agency" });
      return run(statements);
    });
    await expect(renewRecoveryCodes(app, actor)).rejects.toMatchObject({ code: "conflict" });
    expect(await findFactorStatus(testApp().db, user.id)).toMatchObject({
      totp: false,
      recovery_codes_left: 0,
    });
  });

  it("add no more than ten passkeys", async () => {
    const user = await newUser(agency.id);
    const app = testApp();
    const actor = sessionActorOf(user, agency.name);
    const name = unique("passkey");
    const adding = Array.from({ length: 12 }, (_, n) =>
      enrollFactor(app, actor, {
        statement: insertPasskey(app.db, passkeyOf(user.id, `${name}-${n}`)),
        kind: "passkey",
      }),
    );
    const results = await Promise.allSettled(adding);
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(2);
    expect((await findFactorStatus(app.db, user.id)).passkeys).toHaveLength(10);
  });

  it("confirm no authenticator app whose code was not verified", async () => {
    const user = await newUser(agency.id);
    const app = testApp();
    const actor = sessionActorOf(user, agency.name);
    const { secret } = await beginTotp(app, actor);
    const first = await findTotp(app.db, user.id);
    await beginTotp(app, actor);
    const statement = confirmTotp(app.db, {
      userId: user.id,
      sealedSecret: first?.sealedSecret ?? "",
      at: START,
    });
    await expect(enrollFactor(app, actor, { statement, kind: "totp" })).rejects.toThrow();
    expect(await findFactorStatus(app.db, user.id)).toMatchObject({ totp: false, recovery_codes_left: 0 });
    await expect(confirmNewTotp(app, actor, { code: await code(secret) })).rejects.toThrow(
      "This code is wrong",
    );
  });
});
