import { beforeAll, describe, expect, it } from "vitest";
import {
  auditOf,
  bindings,
  type Client,
  client,
  jsonInit,
  newAgency,
  newUser,
  setUpPart,
  type TestUser,
  textWithoutId,
  userOf,
} from "../../factories.ts";

// Every endpoint that names a user by id, for each role, in the caller's own agency and in another. The endpoints
// are read from the endpoint tables, so new ones are included automatically; only their bodies are listed here.

const ROLES = ["officer", "viewer", "hotadmin", "admin", "owner"] as const;
type RoleName = (typeof ROLES)[number];

const sources = import.meta.glob<string>(
  ["/app/routes/endpoints/users.ts", "/app/routes/endpoints/agencies.ts"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
);

/** Method and URL of the endpoints that name a user, in the path or, for the two resets, in the body. */
const ROUTES = Object.values(sources)
  .flatMap((text) => [...text.matchAll(/endpoint\(\s*"([A-Z]+ [^"]+)"/g)].map(([, route = ""]) => route))
  .filter((route) => /^\w+ \/(admin|owner)\/(?!agencies)(.*:id|reset-user-password)/.test(route));

const BODIES: Record<string, object> = {
  "PUT /admin/toggle-role/:id": { new_role: "admin" },
  "PUT /admin/disable-user/:id": { disabled: true },
};

let ours: { id: string };
let theirs: { id: string };
const people = {} as Record<RoleName, TestUser>;
const clients = {} as Record<RoleName, Client>;
/** The target user of each case. */
const targets = new Map<string, TestUser>();

beforeAll(async () => {
  [ours, theirs] = [await newAgency(), await newAgency()];
  people.officer = await newUser(ours.id);
  people.viewer = await newUser(ours.id, { hotlistViewer: true });
  people.hotadmin = await newUser(ours.id, { hotlistAdmin: true });
  people.admin = await newUser(ours.id, { role: "admin" });
  people.owner = await newUser(ours.id, { role: "admin", username: "owner" });
  for (const role of ROLES) clients[role] = await client(people[role]);
  // Created concurrently, so that their passwords are hashed only once.
  for (const { key, where } of cases) targets.set(key, userOf(where === "own" ? ours.id : theirs.id));
  await setUpPart({ users: [...targets.values()] });
});

function call(who: Client, route: string, id: string): Promise<Response> {
  const [method = "", path = ""] = route.split(" ");
  if (!path.includes(":id")) return who.fetch(path, jsonInit({ user_id: id }, { method }));
  const body = BODIES[route];
  const address = path.replace(":id", encodeURIComponent(id));
  return who.fetch(address, body ? jsonInit(body, { method }) : { method });
}

const stateOf = async (id: string) =>
  JSON.stringify(await bindings.DB.prepare("SELECT * FROM users WHERE id = ?").bind(id).first());

/** Administrators' endpoints that reach every agency for the owner. */
const OWNER_REACHES_ALL = /\/admin\/(reset-user-password|unlock-user)/;

const isOwners = (route: string) => route.includes(" /owner/");

/** Returns the expected status. 403: the role may not use the endpoint. 404: the caller cannot see the target user. */
function expected(route: string, role: RoleName, where: "own" | "other"): number {
  if (isOwners(route)) return role === "owner" ? 200 : 403;
  if (role !== "admin" && role !== "owner") return 403;
  const isInReach = where === "own" || (role === "owner" && OWNER_REACHES_ALL.test(route));
  return !isInReach ? 404 : route.includes("/unlock-user/") ? 409 : 200;
}

const cases = ROUTES.flatMap((route) =>
  ROLES.flatMap((role) =>
    (["own", "other"] as const).map((where) => ({ route, role, where, key: `${role} ${route} ${where}` })),
  ),
);

describe("users by their id", () => {
  it("are parameters of exactly these endpoints", () => {
    expect(ROUTES.sort()).toEqual([
      "DELETE /admin/delete-user/:id",
      "GET /admin/sessions/:id",
      "POST /admin/end-sessions/:id",
      "POST /admin/reset-second-factor/:id",
      "POST /admin/reset-user-password",
      "POST /admin/unlock-user/:id",
      "POST /owner/reset-user-password",
      "PUT /admin/disable-user/:id",
      "PUT /admin/toggle-role/:id",
    ]);
  });

  it.each(cases)("$role, $route, $where agency", async ({ route, role, where, key }) => {
    const target = targets.get(key);
    if (!target) throw new Error("The case has no target.");
    const before = await stateOf(target.id);
    const status = expected(route, role, where);
    const answer = await call(clients[role], route, target.id);
    expect(answer.status).toBe(status);
    if (status === 200) return;
    expect(await stateOf(target.id)).toBe(before);
    if (status !== 404) return;
    // Responses about another agency's user and about an unknown id are identical, except for the request id.
    const unknown = await call(clients[role], route, "no-such-user");
    expect([unknown.status, await textWithoutId(unknown)]).toEqual([404, await textWithoutId(answer)]);
    if (route.startsWith("GET")) return;
    expect(await auditOf(people[role], 2)).toMatchObject([
      { outcome: "refused", object: target.id },
      { outcome: "refused", object: "no-such-user" },
    ]);
  });

  it("are not found with invalid ids", async () => {
    for (const id of ["%", "' OR 1=1 --", "../admin", "\u0000", "𝒳".repeat(200), "null"])
      for (const route of ROUTES.filter((route) => route.includes(":id")))
        expect([id, route, (await call(clients.admin, route, id)).status]).toEqual([id, route, 404]);
  });
});
