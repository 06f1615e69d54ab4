import { beforeAll, describe, expect, it } from "vitest";
import {
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  dumpDatabases,
  newAgency,
  newUser,
  PASSWORD,
  signIn,
  type TestUser,
  unique,
} from "../../factories.ts";

// Specification section 7: the requests of the documented client to the user endpoints.

let ours: { id: string; name: string };
let theirs: { id: string; name: string };
let admin: Client;
let owner: Client;

beforeAll(async () => {
  [ours, theirs] = [await newAgency(), await newAgency()];
  admin = await client(await newUser(ours.id, { role: "admin" }));
  owner = await client(await newUser(ours.id, { username: "owner", role: "admin" }));
});

const CHOSEN = "Temporary-Lamp-26!";
type Reset = { temporary_password: string; valid_until: number; msg: string };
const reset = (who: Client, user: TestUser, over: object = {}) =>
  who.post("/admin/reset-user-password", { user_id: user.id, ...over });
const target = async (answer: Response) => (await bodyOf<{ redirect_url: string }>(answer)).redirect_url;

describe("POST /admin/reset-user-password", () => {
  it("sets the caller's chosen password, valid for a day and usable only to change it", async () => {
    const user = await newUser(ours.id);
    const open = await client(user);
    const before = Date.now();
    const answer = await reset(admin, user, { new_password: CHOSEN });
    expect(answer.status).toBe(200);
    const made = await bodyOf<Reset>(answer);
    expect(made.temporary_password).toBe(CHOSEN);
    expect(made.valid_until - before).toBeGreaterThan(23 * 3_600_000);
    expect((await open.fetch("/get-current-user")).status).toBe(401);
    expect((await signIn({ ...user, password: PASSWORD })).status).toBe(401);
    expect(await target(await signIn({ ...user, password: CHOSEN }))).toBe("/change-password");
    expect(await dumpDatabases()).not.toContain(CHOSEN);
    // Even the temporary password cannot be kept.
    const limited = await client({ ...user, password: CHOSEN });
    expect((await limited.post("/reset-password", { new_password: CHOSEN })).status).toBe(400);
    expect((await limited.post("/reset-password", { new_password: "Willow-Kettle-38" })).status).toBe(200);
    const again = await client({ ...user, password: "Willow-Kettle-38" });
    expect((await again.post("/user/reset-password", { new_password: CHOSEN })).status).toBe(400);
  });

  it("generates a random password if none is sent", async () => {
    const user = await newUser(ours.id);
    for (const over of [{}, { new_password: null }, { new_password: "" }]) {
      const { temporary_password } = await bodyOf<Reset>(reset(admin, user, over));
      expect(await target(await signIn({ ...user, password: temporary_password }))).toBe("/change-password");
    }
  });

  it.each([
    ["too short", "Aa1!"],
    ["without a digit", "Temporary-Lamp!"],
    ["on the list of common passwords", "Password123!"],
    ["a number", 12345678],
    ["an object", {}],
    ["too long", `Aa1!${"x y ".repeat(300)}`],
  ])("refuses a password that is %s, with the reason, and changes nothing", async (_, new_password) => {
    const user = await newUser(ours.id);
    const open = await client(user);
    const answer = await reset(admin, user, { new_password });
    expect(answer.status).toBe(400);
    expect((await bodyOf<{ msg: string }>(answer)).msg).toMatch(/password/i);
    expect((await open.fetch("/get-current-user")).status).toBe(200);
    const [row] = await auditOf(admin.user as TestUser, 1);
    expect(row).toMatchObject({ outcome: "refused" });
  });

  it("refuses the user's own username as a password", async () => {
    const user = await newUser(ours.id, { name: "Ottoline Ferrars" });
    expect((await reset(admin, user, { new_password: "Ferrars-26!" })).status).toBe(400);
  });

  it("works for users of other agencies only for the owner", async () => {
    const user = await newUser(theirs.id);
    expect((await reset(admin, user, { new_password: CHOSEN })).status).toBe(404);
    expect((await reset(owner, user, { new_password: CHOSEN })).status).toBe(200);
    expect(await target(await signIn({ ...user, password: CHOSEN }))).toBe("/change-password");
    const path = "/owner/reset-user-password";
    expect((await owner.post(path, { user_id: user.id, new_password: "short" })).status).toBe(400);
    expect((await owner.post(path, { user_id: user.id })).status).toBe(200);
  });
});

describe("add-user", () => {
  const body = (over: object = {}) => ({
    username: unique("new"),
    name: "Nora New",
    email: "nora@x.example",
    password: "Willow-Kettle-38",
    role: "user",
    ...over,
  });
  const agencyOf = (username: string) =>
    bindings.DB.prepare("SELECT agency_id AS it FROM users WHERE username = ?").bind(username).first("it");

  it.each([
    ["null", null],
    ["nothing", undefined],
    ["an empty text", ""],
  ])("accepts %s for the administrator's own agency", async (_, agency_id) => {
    const user = body({ agency_id });
    expect((await admin.post("/admin/add-user", user)).status).toBe(200);
    expect(await agencyOf(user.username)).toBe(ours.id);
  });

  it.each([
    ["null", null, 400],
    ["nothing", undefined, 400],
    ["an empty text", "", 400],
    ["blanks", "  ", 400],
    ["an unknown one", "no-such-agency", 404],
  ])("of the owner refuses %s instead of defaulting to the owner's agency", async (_, agency_id, status) => {
    const user = body({ agency_id });
    expect((await owner.post("/owner/add-user", user)).status).toBe(status);
    expect(await agencyOf(user.username)).toBeNull();
  });

  it("accepts numeric ids, as numbers or as text", async () => {
    const id = 4_000_017;
    await bindings.DB.prepare("INSERT INTO agencies (id, name, created_at) VALUES (?, ?, 0)")
      .bind(String(id), unique("Numbered"))
      .run();
    for (const agency_id of [id, String(id)]) {
      const user = body({ agency_id });
      expect((await owner.post("/owner/add-user", user)).status).toBe(200);
      expect(await agencyOf(user.username)).toBe(String(id));
    }
    const user = await newUser(ours.id, { id: "4000018" });
    expect((await admin.post("/admin/reset-user-password", { user_id: 4_000_018 })).status).toBe(200);
    expect((await signIn(user)).status).toBe(401);
  });

  it("accepts the numbers of a policy as text, but no other text", async () => {
    const { agencies } = await bodyOf<{
      agencies: { id: string; name: string; policy: Record<string, unknown> }[];
    }>(owner.fetch("/owner-data"));
    const agency = agencies.find(({ id }) => id === theirs.id);
    const put = (idle_minutes: unknown) =>
      owner.post(
        `/owner/agencies/${theirs.id}`,
        { name: theirs.name, policy: { ...agency?.policy, idle_minutes } },
        { method: "PUT" },
      );
    expect((await put("15")).status).toBe(200);
    const kept = bindings.DB.prepare("SELECT idle_minutes AS it FROM agencies WHERE id = ?").bind(theirs.id);
    expect(await kept.first("it")).toBe(15);
    for (const wrong of ["", " ", "1e1", "0x10", "15 minutes", "15.5", "4", null, true, [15]])
      expect([wrong, (await put(wrong)).status]).toEqual([wrong, 400]);
  });
});
