import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { beginSignOn, finishSignOn } from "#app/domain/accounts/single-sign-on.ts";
import { bindings, newUser, ORIGIN, testApp, unique } from "../../factories.ts";
import type { Hostile } from "../../support/hostile-provider.ts";
import {
  type Connected,
  connect,
  deliverLogout,
  HOSTILE_SECRET,
  hostileIssuer,
  newBrowser,
  setNext,
  whoIs,
} from "../../support/identity.ts";

// Uses a hostile identity provider, which signs any claims that a test specifies.

let agency: Connected;
beforeAll(async () => {
  const given = { issuer: hostileIssuer(), client_id: "odin-test", client_secret: HOSTILE_SECRET };
  await setNext({});
  agency = await connect({ trust_second_factor: "on", acr_values: "urn:mfa" }, given);
});
beforeEach(() => setNext({}));

const now = () => Math.floor(Date.now() / 1000);

/** Signs in with a hostile response. Returns the error code on the sign-in page, or who was signed in. */
async function outcome(next: Hostile): Promise<string> {
  const browser = newBrowser();
  const begun = await browser.go(`/sso/${agency.agencyId}?notice=2026-11`);
  const { searchParams } = new URL(begun.headers.get("location") ?? "");
  // Short enough for a username, which has 64 characters at most.
  const email = `${crypto.randomUUID().slice(0, 8)}@${agency.domain}`;
  const right = { sub: email, nonce: searchParams.get("nonce"), email, email_verified: true };
  await setNext({ ...next, claims: { ...right, ...next.claims } });
  const state = searchParams.get("state") ?? "";
  const answer = await browser.go(`/sso/${agency.agencyId}/callback?code=code&state=${state}`, {
    crossSite: true,
  });
  const [, path = ""] = /url=([^"]+)/.exec(await answer.text()) ?? [];
  const user = await whoIs(browser);
  if (user) return `signed in as ${user.username === email ? "the person" : user.username} to ${path}`;
  return path.replace("/?sso=", "");
}

describe("an ID token", () => {
  it("opens a session if it is valid", async () => {
    expect(await outcome({})).toBe("signed in as the person to /search");
  });

  it.each<[string, Hostile, string]>([
    [
      "of another issuer",
      { claims: { iss: "https://login.microsoftonline.com/other-tenant/v2.0" } },
      "token",
    ],
    ["for another application", { claims: { aud: "another" } }, "token"],
    ["for several audiences, without azp", { claims: { aud: ["odin-test", "another"] } }, "token"],
    [
      "for several audiences, with another azp",
      { claims: { aud: ["odin-test", "another"], azp: "another" } },
      "token",
    ],
    ["with another nonce", { claims: { nonce: "another" } }, "token"],
    ["without a nonce", { claims: { nonce: null } }, "token"],
    ["without a subject", { claims: { sub: null } }, "token"],
    ["with a subject that is too long", { claims: { sub: "s".repeat(300) } }, "token"],
    ["without an expiry", { claims: { exp: null } }, "token"],
    ["that has expired", { claims: { exp: now() - 3600, iat: now() - 7200 } }, "clock"],
    ["from the future", { claims: { iat: now() + 3600, exp: now() + 7200 } }, "clock"],
    ["from long ago", { claims: { iat: now() - 3600 } }, "clock"],
    ["signed with a key that is not published", { signature: "foreign" }, "keys"],
    ["signed with the client's secret", { signature: "secret" }, "token"],
    ["that is not signed", { signature: "none" }, "token"],
  ])("is refused: %s", async (_, next, code) => {
    expect(await outcome(next)).toBe(code);
  });
});

describe("the keys of the provider", () => {
  it("are fetched again for a token that they do not verify, but not for each of such tokens", async () => {
    const asked = async (): Promise<number> => (await fetch(`${hostileIssuer()}/_keys-asked`)).json();
    const foreign = () => outcome({ signature: "foreign" });
    expect(await foreign()).toBe("keys");
    const before = await asked();
    expect([await foreign(), await foreign()]).toEqual(["keys", "keys"]);
    expect(await asked()).toBe(before);
  });
});

describe("the authentication time (auth_time)", () => {
  const idle = 30 * 60;
  it("is at most the idle limit of a session ago", async () => {
    expect(await outcome({ claims: { auth_time: now() - idle + 60 } })).toContain("signed in");
    expect(await outcome({ claims: { auth_time: now() - idle - 120 } })).toBe("stale");
  });

  it("is required unless the agency's settings say that its provider sends none", async () => {
    expect(await outcome({ claims: { auth_time: null } })).toBe("stale");
    expect(await outcome({ claims: { auth_time: "now" } })).toBe("token");
    await agency.save({ no_auth_time: "on" });
    expect(await outcome({ claims: { auth_time: null } })).toContain("signed in");
    expect(await outcome({ claims: { auth_time: now() - idle - 120 } })).toBe("stale");
    await agency.save({});
  });
});

describe("sign-in fails if the token endpoint", () => {
  it.each<[string, Hostile["token"], string]>([
    ["refuses the code", { status: 400, body: '{"error":"invalid_grant"}' }, "code"],
    ["refuses the client", { status: 401, body: '{"error":"invalid_client"}' }, "client"],
    ["answers with an HTML page", { status: 200, body: "<html>", type: "text/html" }, "bad-answer"],
    ["answers with truncated JSON", { status: 200, body: '{"access_token":' }, "bad-answer"],
    ["fails", { status: 500, body: "oops", type: "text/plain" }, "bad-answer"],
    ["redirects", { status: 302, body: "" }, "bad-answer"],
    ["returns no ID token", { status: 200, body: '{"access_token":"a","token_type":"Bearer"}' }, "token"],
    ["answers with too large a body", { status: 200, body: "[".repeat(600_000) }, "bad-answer"],
  ])("%s", async (_, token, code) => {
    expect(["bad-answer", "token", "client", "code"]).toContain(code);
    expect(await outcome({ ...(token && { token }) })).toBe(code);
  });
});

describe("the claims", () => {
  it("are completed only from UserInfo of the same subject", async () => {
    const userInfo = { sub: "another person", email: `x@${agency.domain}`, email_verified: true };
    expect(await outcome({ claims: { email: null, email_verified: null }, userInfo })).toBe("token");
  });

  it("from UserInfo do not verify the ID token's email address", async () => {
    const sub = crypto.randomUUID();
    const userInfo = { sub, email: "verified@elsewhere.example", email_verified: true };
    expect(await outcome({ claims: { sub, email_verified: null }, userInfo })).toBe("refused");
  });

  it("must state that the email address is verified, unless the agency trusts its provider", async () => {
    expect(await outcome({ claims: { email_verified: null } })).toBe("refused");
    expect(await outcome({ claims: { email_verified: "true" } })).toBe("signed in as the person to /search");
    expect(await outcome({ claims: { email_verified: "false" } })).toBe("refused");
    expect(await outcome({ claims: { email_verified: 1 } })).toBe("refused");
    await agency.save({ trust_email: "on", trust_second_factor: "on" });
    expect(await outcome({ claims: { email_verified: null } })).toBe("signed in as the person to /search");
    expect(await outcome({ claims: { email_verified: false } })).toBe("refused");
    await agency.save({ trust_email: "" });
  });

  it("do not create a user with a reserved username", async () => {
    const taken = `t-${crypto.randomUUID().slice(0, 8)}@${agency.domain}`;
    await bindings.DB.prepare("INSERT INTO reserved_usernames (username, until) VALUES (?, ?)")
      .bind(taken, Date.now() + 1e9)
      .run();
    expect(await outcome({ claims: { email: taken } })).toBe("refused");
  });

  it("can prove a second factor by acr", async () => {
    await bindings.DB.prepare("UPDATE agencies SET second_factor_required = 1 WHERE id = ?")
      .bind(agency.agencyId)
      .run();
    await bindings.DB.prepare(
      "UPDATE sign_on_providers SET second_factor_approved_at = 1 WHERE agency_id = ?",
    )
      .bind(agency.agencyId)
      .run();
    const proved = await outcome({ claims: { acr: "urn:mfa" } });
    expect(proved).toBe("signed in as the person to /search");
    const browser = await outcome({ claims: { acr: "urn:password" } });
    expect(browser).toContain("/second-factor/set-up");
    await bindings.DB.prepare("UPDATE agencies SET second_factor_required = 0 WHERE id = ?")
      .bind(agency.agencyId)
      .run();
  });
});

describe("a logout token", () => {
  const deliver = async (claims: Record<string, unknown>) => {
    const init = { method: "POST", body: JSON.stringify({ aud: "odin-test", ...claims }) };
    const { token } = (await (await fetch(`${hostileIssuer()}/_logout-token`, init)).json()) as {
      token: string;
    };
    return (await deliverLogout(agency.agencyId, token)).status;
  };

  it("is accepted if it is valid", async () => {
    expect(await deliver({ sub: "someone" })).toBe(200);
  });

  it.each([
    ["while it is being completed", { during: true, other: false }, "ended"],
    ["before it is completed", { during: false, other: false }, undefined],
    ["while that of another person is being completed", { during: true, other: true }, undefined],
  ])("that names only a person ends a sign-in %s if it must", async (_, { during, other }, kind) => {
    const sub = unique("person");
    const logout = async () => expect(await deliver({ sub: other ? "another person" : sub })).toBe(200);
    const app = testApp();
    const asked = {
      agencyId: agency.agencyId,
      origin: ORIGIN,
      notice: "",
      caller: { ip: "203.0.113.11", userAgent: "" },
    };
    const { url, flow } = await beginSignOn(app, asked);
    const { searchParams } = new URL(url);
    const email = `${crypto.randomUUID().slice(0, 8)}@${agency.domain}`;
    await setNext({ claims: { sub, nonce: searchParams.get("nonce"), email, email_verified: true } });
    if (!during) await logout();
    const complete: typeof app.identity.complete = async (input) => {
      const named = await app.identity.complete(input);
      if (during) await logout();
      return named;
    };
    const params = new URLSearchParams({ code: "code", state: searchParams.get("state") ?? "" });
    const done = finishSignOn(
      { ...app, identity: { ...app.identity, complete } },
      { ...asked, flow, params },
    );
    if (kind) await expect(done).rejects.toMatchObject({ kind });
    else expect(await done).toMatchObject({ state: "full" });
  });

  it("ends all sessions of its person, however many a program has opened", async () => {
    const user = await newUser(agency.agencyId);
    await bindings.DB.prepare(
      `INSERT INTO sessions (id, token_hash, user_id, kind, created_at, last_seen_at, ip, user_agent, notice_version,
        sign_on_issuer, sign_on_subject)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
      SELECT ?1 || '-' || i, ?1 || '-' || i, ?1, 'cookie', ?2, ?2, '', '', '', ?3, ?1 FROM n`,
    )
      .bind(user.id, Date.now(), hostileIssuer())
      .run();
    expect(await deliver({ sub: user.id })).toBe(200);
    const counts = bindings.DB.prepare(
      `SELECT (SELECT count(*) FROM sessions WHERE user_id = ?1 AND revoked_at IS NULL) AS open,
        (SELECT count(*) FROM audit_log WHERE user_id = ?1 AND action = 'session.end') AS noted`,
    ).bind(user.id);
    expect(await counts.first()).toEqual({ open: 0, noted: 1100 });
  });

  it.each<[string, Record<string, unknown>]>([
    ["names no one", {}],
    ["is an ID token", { sub: "a", events: null, nonce: "n" }],
    ["has a nonce", { sub: "a", nonce: "n" }],
    ["has other events", { sub: "a", events: { other: {} } }],
    ["is for another application", { sub: "a", aud: "another" }],
    ["is of another issuer", { sub: "a", iss: "https://another.example" }],
    ["has no id", { sub: "a", jti: null }],
    ["is old", { sub: "a", iat: now() - 3600 }],
    ["has expired", { sub: "a", iat: now() - 300, exp: now() - 200 }],
    ["is signed with another key", { sub: "a", signature: "foreign" }],
    ["is not signed", { sub: "a", signature: "none" }],
  ])("is refused if it %s", async (_, claims) => {
    expect(await deliver(claims)).toBe(400);
  });
});
