import { expect, it } from "vitest";
import { uploadApiKeys } from "#app/domain/integrations/key-upload.ts";
import { MAX_UPLOADED_KEYS } from "#app/entities/integrations/settings.ts";
import { actorOf, bindings, client, newWorld, testApp } from "../../factories.ts";
import { queriesOf } from "../../support/workerd/queries.ts";

/** What D1 allows one invocation. A request needs some of them before and after the call. */
const MAX_QUERIES = 1000;

it("adds the largest file of keys within D1's limit, with an audit row for each key", async () => {
  const world = await newWorld();
  const actor = await actorOf(await client(world.users.admin));
  const { database, count } = queriesOf(bindings.DB);
  const app = testApp(Date.now, { DB: database });
  const rows = Array.from({ length: MAX_UPLOADED_KEYS }, (_, i) => `Agency ${i},key-number-${i}-of-the-file`);
  const bytes = new TextEncoder().encode(`agency,api_key\n${rows.join("\n")}\n`);
  const made = await count(async () =>
    expect(await uploadApiKeys(app, actor, { bytes, host: "odin.test" })).toEqual({
      added: MAX_UPLOADED_KEYS,
      problems: [],
    }),
  );
  expect(made).toBeLessThan(MAX_QUERIES / 2);
  const audited = await bindings.DB.prepare(
    "SELECT count(*) AS n FROM audit_log WHERE user_id = ? AND action = 'integration.add' AND detail LIKE '%last_four%'",
  )
    .bind(actor.userId)
    .first<number>("n");
  expect(audited).toBe(MAX_UPLOADED_KEYS);
});
