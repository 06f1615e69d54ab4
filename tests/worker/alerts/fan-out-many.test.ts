import { describe, expect, it } from "vitest";
import { fanOutAlerts } from "#app/domain/alerts/fan-out.ts";
import { PUSH_USEFUL_MS } from "#app/entities/alerts/push.ts";
import { anAlert, bindings, newAgency } from "../../factories.ts";
import { insertUsers, newGroup, newPushGroup, pushWorld } from "../../support/fan-out.ts";
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

describe("a full batch of alerts that are too old to be sent", () => {
  it("ends within D1's limit, and the rest is queued again without a failure", async () => {
    const { app: setUp } = pushWorld();
    const members = 160;
    const { group } = await newPushGroup(setUp(), members);
    const ids: string[] = [];
    // The largest batch of odin-alerts (wrangler.toml). Four slices each end its rows, with seven queries.
    for (let i = 0; i < 50; i++)
      ids.push((await anAlert(group, { createdAt: Date.now() - PUSH_USEFUL_MS - 1 })).id);
    const { database, count } = queriesOf(bindings.DB);
    const { app, queue } = pushWorld({ DB: database });
    for (let batch = [...ids], runs = 0; batch.length > 0; runs++) {
      expect(runs).toBeLessThan(10);
      expect(
        await count(async () => expect(await fanOutAlerts(app(), batch)).toEqual(new Map())),
      ).toBeLessThan(MAX_QUERIES);
      batch = queue.messages.splice(0).map(({ body }) => body.id);
    }
    const { results } = await bindings.DB.prepare(
      `SELECT state, reason, count(*) AS rows FROM deliveries
      WHERE channel = 'apns' AND alert_id IN (SELECT value FROM json_each(?)) GROUP BY state, reason`,
    )
      .bind(JSON.stringify(ids))
      .all();
    expect(results).toEqual([{ state: "suppressed", reason: "Too old", rows: 50 * members }]);
  });
});
