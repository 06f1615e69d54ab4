import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ACCESS_LEVELS, type Access, mayUse } from "#app/entities/accounts/access.ts";
import {
  CALLS_OF_EVERY_SCOPE,
  grantableScopes,
  SERVICE_SCOPE_NAMES,
  SERVICE_SCOPES,
  serviceCall,
  standingOf,
} from "#app/entities/accounts/service-scopes.ts";

const FOLDER = resolve(import.meta.dirname, "../../../app/routes/endpoints");

/** Access and step-up of every declared endpoint, read from the tables. */
const DECLARED = new Map(
  readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const text = readFileSync(join(FOLDER, name), "utf8");
      const stepUps = [...text.matchAll(/const (\w+) = \{[^}]*stepUp: true/g)].map(([, one = ""]) => one);
      const privileged = new RegExp(`stepUp: true${stepUps.map((one) => `|\\b${one}\\b`).join("")}`);
      return text
        .split(/\bendpoint\(/)
        .slice(1)
        .flatMap((declaration) => {
          const [, route, access] = /^\s*"([A-Z]+ [^"]+)",\s*"([a-z-]+)"/.exec(declaration) ?? [];
          return route ? [[route, { access, isPrivileged: privileged.test(declaration) }] as const] : [];
        });
    }),
);

const CALLS = SERVICE_SCOPES.flatMap(({ value, needs, alone, forPerson }) =>
  [...alone, ...forPerson].map((route) => ({ route, scope: value, needs })),
);

describe("the scopes of service accounts", () => {
  it("allow only declared calls of their access level, and none that needs a step-up", () => {
    expect(DECLARED.size).toBeGreaterThan(150);
    for (const { route, needs } of CALLS) {
      const declared = DECLARED.get(route);
      const level = ACCESS_LEVELS.find((one) => one === declared?.access);
      expect([route, level !== undefined && mayUse(level, standingOf(needs))]).toEqual([route, true]);
      expect([route, declared?.isPrivileged]).toEqual([route, false]);
      expect(["public", "local", "webhook", "scim", "owner"]).not.toContain(level);
    }
  });

  it("never grant the owner's rights, and never more than their access level", () => {
    for (const level of ACCESS_LEVELS) expect(mayUse("owner", standingOf(level))).toBe(false);
    expect(mayUse("hotlist-admin", standingOf("hotlist-viewer"))).toBe(false);
    expect(mayUse("investigator", standingOf("admin"))).toBe(false);
    expect(mayUse("admin", standingOf("hotlist-admin"))).toBe(false);
  });

  it("allow no other call: none on accounts, policies, users or other service accounts", () => {
    const open = new Set<string>([...CALLS.map(({ route }) => route), ...CALLS_OF_EVERY_SCOPE]);
    const closed = [...DECLARED.keys()].filter((route) => !open.has(route));
    for (const route of closed) expect(serviceCall(route, SERVICE_SCOPE_NAMES)).toBeUndefined();
    expect(closed).toEqual(
      expect.arrayContaining([
        "POST /step-up",
        "POST /service-accounts",
        "GET /profile-data",
        "POST /logout",
      ]),
    );
    for (const { route, scope } of CALLS) {
      expect(serviceCall(route, [scope])).toBeDefined();
      expect(serviceCall(route, [])).toBeUndefined();
    }
  });

  it("each open the API document, which names no person and needs no more than a session", () => {
    expect(CALLS_OF_EVERY_SCOPE).toEqual(["GET /openapi.json"]);
    expect(DECLARED.get("GET /openapi.json")).toEqual({ access: "signed-in", isPrivileged: false });
    for (const { value } of SERVICE_SCOPES)
      expect(serviceCall("GET /openapi.json", [value])).toEqual({ needs: "signed-in", forPerson: false });
    for (const held of [[], ["no-scope"]]) expect(serviceCall("GET /openapi.json", held)).toBeUndefined();
  });

  it("have the widest level of the scopes that open a call, whatever their order", () => {
    expect(serviceCall("GET /alerts-data", ["hits"])?.needs).toBe("hotlist-viewer");
    for (const { route, needs } of CALLS) {
      const all = serviceCall(route, SERVICE_SCOPE_NAMES);
      expect([route, all && mayUse(needs, standingOf(all.needs))]).toEqual([route, true]);
    }
  });

  it("require the name of a person for every look-up and every change", () => {
    const lookUps = [
      "POST /search-data",
      "GET /results/:id/columns",
      "POST /export-zip",
      "POST /hotlist/past-reads",
    ];
    for (const route of lookUps) expect(serviceCall(route, SERVICE_SCOPE_NAMES)?.forPerson).toBe(true);
    for (const { route, scope } of CALLS)
      if (!route.startsWith("GET ")) expect(serviceCall(route, [scope])?.forPerson).toBe(true);
  });

  it("are granted only by users who have the access level themselves", () => {
    const officer = standingOf("signed-in");
    expect(grantableScopes(officer)).toEqual(["search"]);
    const admin = { ...standingOf("admin") };
    expect(grantableScopes(admin)).not.toContain("investigate");
    expect(grantableScopes({ ...admin, investigator: true })).toEqual(SERVICE_SCOPE_NAMES);
    const levels: readonly Access[] = SERVICE_SCOPES.map(({ needs }) => needs);
    expect(levels).not.toContain("owner");
  });
});
