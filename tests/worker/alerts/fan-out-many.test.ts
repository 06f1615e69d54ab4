import { describe, expect, it } from "vitest";
import { fanOutAlerts } from "#app/domain/alerts/fan-out.ts";
import { anAlert, bindings, newAgency } from "../../factories.ts";
import { insertUsers, newGroup, pushWorld } from "../../support/fan-out.ts";
import { queriesOf } from "../../support/workerd/queries.ts";

/** What D1 allows one invocation. */
const MAX_QUERIES = 1000;

describe("a batch of alerts of a statewide group", () => {
  it("is written within D1's limit, and the rest is queued again without a failure", async () => {
    const agency = await newAgency();
    // Sixteen pages of members.
    const group = await newGroup(agency.id, await insertUsers(agency.id, 7680));
    const ids: string[] = [];
    for (let i = 0; i < 35; i++) ids.push((await anAlert(group)).id);
    const { database, count } = queriesOf(bindings.DB);
    const { app, queue } = pushWorld({ DB: database });
    for (let batch = [...ids], before = 0; batch.length > 0; ) {
      expect(
        await count(async () => expect(await fanOutAlerts(app(), batch)).toEqual(new Map())),
      ).toBeLessThan(MAX_QUERIES);
      before = batch.length;
      batch = queue.messages.splice(0).map(({ body }) => body.id);
      expect(batch.length).toBeLessThan(before);
    }
    const { results } = await bindings.DB.prepare(
      "SELECT count(*) AS rows FROM deliveries WHERE alert_id IN (SELECT value FROM json_each(?)) GROUP BY alert_id",
    )
      .bind(JSON.stringify(ids))
      .all();
    expect(results).toEqual(ids.map(() => ({ rows: 7680 })));
  });
});
