import { expect, it } from "vitest";
import { resumeScim } from "#app/domain/accounts/scim-token.ts";
import { patchGroupByScim } from "#app/domain/users/scim/groups.ts";
import { bindings, testApp } from "../../factories.ts";
import { insertUsers } from "../../support/fan-out.ts";
import { connect } from "../../support/identity.ts";
import { newToken, scimClientOf } from "../../support/users/scim.ts";
import { queriesOf } from "../../support/workerd/queries.ts";

/** What D1 allows one invocation. */
const MAX_QUERIES = 1000;
/** A group may have 10,000. These would show three queries for each. */
const MEMBERS = 400;

it("gives and takes the admin role of many members of a group within D1's limit", async () => {
  const agency = await connect({ admin_groups: "chiefs" });
  const token = await newToken(agency);
  const group = await scimClientOf(token).newGroup("chiefs");
  const ids = await insertUsers(agency.agencyId, MEMBERS);
  await bindings.DB.prepare(
    "UPDATE users SET email = lower(id) || '@' || ? WHERE id IN (SELECT value FROM json_each(?))",
  )
    .bind(agency.domain, JSON.stringify(ids))
    .run();
  const { database, count } = queriesOf(bindings.DB);
  const app = testApp(Date.now, { DB: database });
  const caller = { ip: "192.0.2.1", userAgent: "Identity provider" };
  const patch = (operation: object) =>
    count(async () => {
      const client = await resumeScim(app, { token, caller, base: "https://odin.test/scim/v2" });
      const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
      const body = async () => ({ schemas, Operations: [{ path: "members", ...operation }] });
      await patchGroupByScim(app, client, { id: group.id, ifMatch: null, body });
    });
  const admins = () =>
    bindings.DB.prepare(
      "SELECT count(*) AS n FROM users WHERE role = 'admin' AND id IN (SELECT value FROM json_each(?))",
    )
      .bind(JSON.stringify(ids))
      .first<number>("n");
  const audited = () =>
    bindings.DB.prepare(
      `SELECT count(*) AS n FROM audit_log
      WHERE agency_id = ? AND action = 'user.role' AND object IN (SELECT value FROM json_each(?))`,
    )
      .bind(agency.agencyId, JSON.stringify(ids))
      .first<number>("n");
  expect(await patch({ op: "add", value: ids.map((value) => ({ value })) })).toBeLessThan(MAX_QUERIES / 10);
  expect(await admins()).toBe(MEMBERS);
  expect(await audited()).toBe(MEMBERS);
  // The others may no longer administer: the last of the members stays an administrator.
  await bindings.DB.prepare(
    "UPDATE users SET role = 'user' WHERE agency_id = ? AND id NOT IN (SELECT value FROM json_each(?))",
  )
    .bind(agency.agencyId, JSON.stringify(ids))
    .run();
  expect(await patch({ op: "remove" })).toBeLessThan(MAX_QUERIES / 10);
  expect(await admins()).toBe(1);
  expect(await audited()).toBe(2 * MEMBERS - 1);
});
