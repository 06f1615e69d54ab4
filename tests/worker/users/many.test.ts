// The list of the users of all agencies in a state's installation.

import { expect, it } from "vitest";
import { managedUsers } from "#app/domain/users/directory.ts";
import { findActor } from "#app/http/session.ts";
import { bindings, client, newAgency, newUser, ORIGIN, testApp, unique } from "../../factories.ts";

const MANY = 5_100;

it("is read some thousand users at a time, without the hashes of their passwords", async () => {
  const { id: agencyId } = await newAgency();
  const { headers } = await client(await newUser(agencyId, { role: "admin" }));
  const actor = await findActor(testApp(), new Request(`${ORIGIN}/`, { headers }));
  if (!actor) throw new Error("nobody is signed in");
  const mark = unique("many");
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
    INSERT INTO users (id, agency_id, username, name, email, role, password_hash, created_at)
    SELECT ?2 || i, ?3, ?2 || i, ?2 || (i % 7), 'u@example.gov', 'user', 'hash', 1 FROM n`,
  )
    .bind(MANY, mark, agencyId)
    .run();
  const read: unknown[][] = [];
  const DB = new Proxy(bindings.DB, {
    get(target, name) {
      if (name === "prepare")
        return (text: string) => ({
          bind: (...values: unknown[]) => ({
            async raw() {
              const rows = await target
                .prepare(text)
                .bind(...values)
                .raw();
              read.push(rows);
              return rows;
            },
          }),
        });
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const users = await managedUsers(testApp(Date.now, { DB }), actor, "all");
  const own = users.filter(({ id }) => id.startsWith(mark));
  expect(own).toHaveLength(MANY);
  const inOrder = own.toSorted((a, b) =>
    a.name < b.name || (a.name === b.name && a.username < b.username) ? -1 : 1,
  );
  expect(own).toEqual(inOrder);
  expect(Math.max(...read.map(({ length }) => length))).toBeLessThanOrEqual(5_000);
  expect(JSON.stringify(read)).not.toContain('"hash"');
});
