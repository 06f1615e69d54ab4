import { beforeAll, expect, it } from "vitest";
import { bindings, bodyOf, client, jsonInit, newUser, unique } from "../../factories.ts";
import { type Connected, connect } from "../../support/identity.ts";
import { newToken, type ScimTestClient, scimClientOf } from "../../support/users/scim.ts";

// Requests that could change the wrong account, and warnings about who may still have the token.

let ours: Connected;
let scim: ScimTestClient;
beforeAll(async () => {
  ours = await connect();
  scim = scimClientOf(await newToken(ours));
});

it.each([
  ["a removal of active", { op: "remove", path: "active" }],
  ["active without a value", { op: "replace", path: "active", value: null }],
  ["an object with active but no value", { op: "Replace", value: { active: null } }],
])("%s neither enables nor disables a user", async (_, operation) => {
  const { id } = await scim.newUser(`${unique("ann").toLowerCase()}@${ours.domain}`);
  for (const active of [true, false]) {
    await scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: active });
    const { status, body } = await scim.patch(`/Users/${id}`, operation);
    expect([status, body.active]).toEqual([200, active]);
  }
});

it("an email address with the Kelvin sign does not match the user whose address has a k", async () => {
  const name = unique("kim").toLowerCase();
  const kim = await newUser(ours.agencyId, { email: `${name}@${ours.domain}` });
  const email = `${name.replace("k", "\u212A")}@${ours.domain}`;
  const { status, body } = await scim.call("POST", "/Users", {
    userName: unique("other"),
    emails: [{ value: email, type: "work", primary: true }],
  });
  expect([status, body.emails]).toEqual([201, [{ value: email, type: "work", primary: true }]]);
  expect(body.id).not.toBe(kim.id);
});

it("a new administrator with the username of a deleted one does not count as the creator of the token", async () => {
  const agency = await connect();
  await newToken(agency);
  const other = await client(await newUser(agency.agencyId, { role: "admin" }));
  const page = async () => (await other.fetch("/single-sign-on")).text();
  const { id, username } = agency.adminUser;
  await bindings.DB.prepare(
    "UPDATE users SET deleted_at = 1, disabled_at = 1, username = 'deleted:' || id WHERE id = ?",
  )
    .bind(id)
    .run();
  const successor = await newUser(agency.agencyId, { username, role: "admin" });
  await bindings.DB.prepare("UPDATE users SET created_at = ? WHERE id = ?")
    .bind(Date.now() + 1000, successor.id)
    .run();
  expect(await page()).toContain("no longer an administrator");
});

it.each([
  ["loses the role", "PUT", "toggle-role", { new_role: "user" }],
  ["is disabled", "PUT", "disable-user", { disabled: true }],
  ["is deleted", "DELETE", "delete-user", undefined],
] as const)(
  "if an administrator who created the token %s, the response says that they may still have it",
  async (_, method, call, body) => {
    const agency = await connect();
    await newToken(agency);
    const other = await client(await newUser(agency.agencyId, { role: "admin" }));
    const change = async ({ id }: { id: string }) => {
      const init = body === undefined ? { method } : jsonInit(body, { method });
      return bodyOf(other.fetch(`/admin/${call}/${id}`, init));
    };
    const { username } = agency.adminUser;
    expect(await change(await newUser(agency.agencyId, { role: "admin" }))).not.toHaveProperty("notice");
    expect(await change(agency.adminUser)).toMatchObject({
      notice: `${username} created the agency's SCIM token and may still have it. Replace it on the page Single Sign-On.`,
    });
  },
);
