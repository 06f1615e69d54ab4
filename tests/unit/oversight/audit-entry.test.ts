import { describe, expect, it } from "vitest";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type AuditEntry, auditDetails, auditWho, serviceUsername } from "#app/entities/oversight/audit.ts";

const ENTRY: AuditEntry = {
  at: 1_790_000_000_000,
  agencyId: "hartford",
  userId: "u1",
  username: "jo",
  sessionId: "s1",
  ip: "192.0.2.1",
  userAgent: "Firefox",
  action: "user.add",
  outcome: "ok",
};

const ACTOR: Actor = {
  userId: "u1",
  username: "jo",
  name: "Jo Officer",
  email: "jo@example.gov",
  agencyId: "hartford",
  agencyName: "Hartford PD",
  role: "user",
  hotlistAdmin: false,
  hotlistViewer: false,
  isOwner: false,
  investigator: false,
  sessionId: "s1",
  ip: "192.0.2.1",
  userAgent: "Firefox",
};

const service = { id: "sa1", name: "CAD", answered_by: "u2" };

describe("the stored details of an entry", () => {
  it("are its own, with the service account that acted", () => {
    expect(auditDetails(ENTRY)).toEqual({});
    expect(auditDetails({ ...ENTRY, detail: { a: 1 } })).toEqual({ a: 1 });
    expect(auditDetails({ ...ENTRY, service })).toEqual({
      service_account: { id: "sa1", name: "CAD", answered_by: "u2" },
    });
    expect(auditDetails({ ...ENTRY, service, detail: { a: 1, service_account: "other" } })).toEqual({
      a: 1,
      service_account: { id: "sa1", name: "CAD", answered_by: "u2" },
    });
  });

  it("name a service account that acts for itself by a username that no user can have", () => {
    expect([serviceUsername("CAD North"), serviceUsername("")]).toEqual(["service:cad north", "service:"]);
  });
});

describe("who acts", () => {
  const caller = { ip: "198.51.100.7", userAgent: "curl" };
  const jo = { agencyId: "hartford", userId: "u1", username: "jo", sessionId: "s1" };
  const noOne = { agencyId: "", userId: "", username: "", sessionId: "" };

  it("is the actor with the address and user agent of the session, not of the caller", () => {
    expect(auditWho(ACTOR)).toEqual({ ...jo, ip: "192.0.2.1", userAgent: "Firefox" });
    expect(auditWho(ACTOR, caller)).toEqual({ ...jo, ip: "192.0.2.1", userAgent: "Firefox" });
    expect(auditWho({ ...ACTOR, service })).toEqual({
      ...jo,
      ip: "192.0.2.1",
      userAgent: "Firefox",
      service: { id: "sa1", name: "CAD", answered_by: "u2" },
    });
  });

  it("is no one without a session, but the caller's address and user agent are kept", () => {
    expect(auditWho(null, caller)).toEqual({ ...noOne, ip: "198.51.100.7", userAgent: "curl" });
    expect(auditWho(null)).toEqual({ ...noOne, ip: "", userAgent: "" });
  });

  it("has no field for a service account that did not act", () => {
    expect(Object.keys(auditWho(ACTOR))).not.toContain("service");
  });

  it("has a user agent of at most 300 characters", () => {
    expect(auditWho(null, { ip: "", userAgent: "x".repeat(300) }).userAgent).toBe("x".repeat(300));
    expect(auditWho({ ...ACTOR, userAgent: `${"x".repeat(300)}y` }).userAgent).toBe("x".repeat(300));
  });
});
