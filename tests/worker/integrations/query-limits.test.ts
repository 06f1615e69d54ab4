import { beforeEach, describe, expect, it } from "vitest";
import { uploadApiKeys } from "#app/domain/integrations/key-upload.ts";
import { sendToWebhooks } from "#app/domain/integrations/outgoing-delivery.ts";
import { searchPlaces } from "#app/domain/search/investigate/places.ts";
import { searchReads } from "#app/domain/search/run.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { MAX_UPLOADED_KEYS } from "#app/entities/integrations/settings.ts";
import { MAX_PLACES, PlacesRequest } from "#app/entities/search/investigate/request.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import {
  actorOf,
  anAlert,
  bindings,
  client,
  newWorld,
  searchBody,
  testApp,
  vendors,
  type World,
} from "../../factories.ts";
import { newGroup } from "../../live.ts";
import { pushWorld } from "../../support/fan-out.ts";
import { addWebhook, outgoingOf } from "../../support/outgoing.ts";
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

describe("an agency with as many keys as a file has", () => {
  let world: World;
  let actor: Actor;
  const never = () => ({ signal: new AbortController().signal, onProgress: () => {} });

  beforeEach(async () => {
    world = await newWorld();
    actor = await actorOf(await client(world.users.admin));
    const rows = Array.from(
      { length: MAX_UPLOADED_KEYS },
      (_, i) => `Many,key-number-${i}-of-many,,${vendors.url}`,
    );
    const bytes = new TextEncoder().encode(`agency,api_key,source_program,base_url\n${rows.join("\n")}\n`);
    await uploadApiKeys(testApp(), actor, { bytes, host: "odin.test" });
  });

  /** Expects that the last answer of each key was noted as a failure. */
  async function expectNoted(): Promise<void> {
    const health = await bindings.DB.prepare(
      `SELECT count(*) AS n
      FROM integration_health h
      JOIN rekor_keys k ON k.id = h.integration_id
      WHERE k.tenant_id = ? AND h.failures = 1 AND h.last_failure = 'Rekor refused the agency''s credentials.'`,
    )
      .bind(world.ours.id)
      .first<number>("n");
    expect(health).toBe(MAX_UPLOADED_KEYS);
  }

  it("searches within D1's limit, and notes the answer of each", async () => {
    const { database, count } = queriesOf(bindings.DB);
    const request = SearchRequest.parse(searchBody(["Many"]));
    const made = await count(() =>
      searchReads(testApp(Date.now, { DB: database }), actor, { request, ...never() }),
    );
    expect(made).toBeLessThan(MAX_QUERIES / 2);
    await expectNoted();
  });

  it("searches the most places within D1's limit, and notes the answer of each", async () => {
    const { database, count } = queriesOf(bindings.DB);
    const { justification, start_time, end_time } = SearchRequest.parse(searchBody(["Many"]));
    const place = (n: number) => ({
      area: { kind: "circle", latitude: 41.7 + n / 10, longitude: -72.67, radius_miles: 1 },
      start_time,
      end_time,
    });
    const request = PlacesRequest.parse({
      places: Array.from({ length: MAX_PLACES }, (_, n) => place(n)),
      justification,
      case_number: "26-1044",
      agencies: ["Many"],
    });
    const made = await count(() =>
      searchPlaces(testApp(Date.now, { DB: database }), actor, { request, ...never() }),
    );
    expect(made).toBeLessThan(MAX_QUERIES / 2);
    await expectNoted();
  });
});

it("sends to the webhooks of a batch within D1's limit, and queues the rest", async () => {
  const world = await newWorld();
  const admin = await client(world.users.admin);
  const group = { id: (await newGroup(world.ours.id, [])).id, agencyId: world.ours.id };
  const { database, count } = queriesOf(bindings.DB);
  const odin = pushWorld({ DB: database });
  const alert = await anAlert(group, { createdAt: odin.time.now });
  const hooks: string[] = [];
  for (let i = 0; i < 5; i++) hooks.push((await addWebhook(admin)).id);
  await bindings.DB.batch(
    hooks.map((id) =>
      bindings.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO outgoing_deliveries
          (id, webhook_id, event, event_key, group_id, alert_id, detail, state, created_at, updated_at, next_at)
        SELECT ?1 || '-' || i, ?1, 'disposition', i, ?2, ?3, '{}', 'pending', ?4, ?4, ?4
        FROM n`,
      ).bind(id, group.id, alert.id, odin.time.now),
    ),
  );
  const waiting = async () => {
    const rows = (await Promise.all(hooks.map(outgoingOf))).flat();
    return rows.filter(({ state }) => state === "pending").length;
  };
  for (let batch = hooks, before = await waiting(); before > 0; ) {
    expect(
      await count(async () => expect(await sendToWebhooks(odin.app(), batch)).toEqual(new Map())),
    ).toBeLessThan(MAX_QUERIES);
    batch = odin.queue.messages.splice(0).map(({ body }) => body.id);
    expect(await waiting()).toBeLessThan(before);
    before = await waiting();
  }
});
