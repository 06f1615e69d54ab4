import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import { pollAxon, pollAxonSlice } from "#app/domain/ingest/axon.ts";
import type { Job } from "#app/entities/operations/job.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import type { Provider } from "#app/providers/provider.ts";
import { bindings, newAgency, unique } from "../../factories.ts";
import { alertsOf, newGroup, newPlate, plate } from "../../live.ts";
import { expectLogged } from "../../support/quiet-console.ts";
import { BLANK_SIGHTING } from "../../support/search/sighting.ts";
import { queriesOf } from "../../support/workerd/queries.ts";

/** What D1 allows one invocation. */
const MAX_QUERIES = 1000;
const AGENCIES = 128;

let prefix: string;

beforeEach(async () => {
  prefix = unique("many");
  await bindings.DB.batch([
    // So that no other test's integrations take a place in a slice.
    bindings.DB.prepare("DELETE FROM axon_integrations"),
    bindings.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?2 - 1)
      INSERT INTO agencies (id, name, time_zone, created_at) SELECT ?1 || i, ?1 || i, 'UTC', 1 FROM n`,
    ).bind(prefix, AGENCIES),
    bindings.DB.prepare(
      `INSERT INTO axon_integrations (id, agency_id, base_url, client_id, partner_id, sealed_secret, created_at)
      SELECT id, id, 'https://axon.example', 'c', 'p', 's', 1 FROM agencies WHERE substr(id, 1, length(?1)) = ?1`,
    ).bind(prefix),
  ]);
});

afterEach(async () => {
  await bindings.DB.prepare("DELETE FROM axon_integrations").run();
});

/** Returns Axon's answer to each integration: a read of this plate, or some in the course of each hour. */
function reads(number: string, polled: string[], perHour = 0): Provider["search"] {
  return async function* ({ source, query }) {
    polled.push(source.integrationId);
    const step = perHour === 0 ? Number.POSITIVE_INFINITY : HOUR / perHour;
    const sightings: Sighting[] = [];
    for (let at = query.to; at >= query.from; at -= step)
      sightings.push({
        ...BLANK_SIGHTING,
        id: `${source.integrationId} ${at}`,
        program: "Axon",
        plate: number,
        capturedAt: at,
        cameraName: "Main St NB",
      });
    yield { sightings, truncated: false };
  };
}

type Installation = {
  app: () => AppContext;
  /** The messages of the queue, and whether it refuses them. */
  jobs: Job[];
  queue: { isDown: boolean };
  /** Returns the queries that the work made. */
  count: (work: () => Promise<unknown>) => Promise<number>;
};

function installation(search: Provider["search"], clock: () => number): Installation {
  const jobs: Job[] = [];
  const queue = {
    isDown: false,
    async sendBatch(batch: Iterable<{ body: Job }>) {
      if (queue.isDown) throw new Error("the queue is down");
      for (const { body } of batch) jobs.push(body);
    },
    async send() {},
  };
  const { database, count } = queriesOf(bindings.DB);
  const silent = { ...queue, sendBatch: async () => {} };
  const over = { DB: database, JOBS: queue, ALERTS: silent, WEBHOOKS: silent } as unknown as Partial<Env>;
  const app = () => {
    const calm = createAppContext({ ...bindings, ...over } as Env, { waitUntil: () => {} }, clock);
    return { ...calm, providers: { ...calm.providers, Axon: { ...calm.providers.Axon, search } } };
  };
  return { app, jobs, queue, count };
}

/** Runs the queued slices, each in an invocation of its own. Returns the most queries that one of them made. */
async function takeSlices({ app, jobs, count }: Installation): Promise<number> {
  let most = 0;
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    if (job.type !== "axon-poll") throw new Error(`an unexpected job: ${job.type}`);
    most = Math.max(most, await count(() => pollAxonSlice(app(), job.ids)));
  }
  return most;
}

describe("polling the Axon integrations of 128 agencies", () => {
  it("polls each of them every minute, in invocations within D1's limit, and finds every hit", async () => {
    const number = newPlate();
    const group = await newGroup((await newAgency()).id, [plate(number)], { listedAgo: 2 * DAY });
    const polled: string[] = [];
    let now = Math.floor(Date.now() / HOUR) * HOUR;
    const world = installation(reads(number, polled), () => now);
    for (let minute = 1; minute <= 2; minute++, now += MINUTE) {
      expect(await world.count(() => pollAxon(world.app()))).toBeLessThan(MAX_QUERIES);
      expect(await takeSlices(world)).toBeLessThan(MAX_QUERIES);
      expect(polled).toHaveLength(AGENCIES * minute);
      expect(new Set(polled).size).toBe(AGENCIES);
      expect(await alertsOf(group.id)).toHaveLength(AGENCIES * minute);
    }
  });

  it("starts with those polled longest ago while the queue is down, so that none is never polled", async () => {
    const polled: string[] = [];
    let now = Math.floor(Date.now() / HOUR) * HOUR;
    const world = installation(reads(newPlate(), polled), () => now);
    world.queue.isDown = true;
    for (let minute = 0; minute < 6; minute++, now += MINUTE)
      await expect(pollAxon(world.app())).rejects.toThrow("not every Axon integration was polled");
    expect(new Set(polled).size).toBe(AGENCIES);
  });

  it("logs a slice whose integrations cannot be listed, and leaves it to the next minute", async () => {
    const world = installation(reads(newPlate(), []), Date.now);
    const broken = { ...world.app() };
    broken.db = new Proxy(broken.db, {
      get: (target, name) =>
        name === "all" ? () => Promise.reject(new Error("down")) : Reflect.get(target, name),
    });
    expectLogged(/not every one of 1 Axon integrations was polled/);
    await pollAxonSlice(broken, [`${prefix}0`]);
  });

  it("catches up after an outage within D1's limit, with the current reads first", async () => {
    const number = newPlate();
    const group = await newGroup((await newAgency()).id, [plate(number)], { listedAgo: 3 * DAY });
    const now = Math.floor(Date.now() / HOUR) * HOUR;
    const few = 30;
    await bindings.DB.prepare(
      "DELETE FROM axon_integrations WHERE id NOT IN (SELECT id FROM axon_integrations ORDER BY id LIMIT ?)",
    )
      .bind(few)
      .run();
    await bindings.DB.prepare(
      `INSERT INTO poll_cursors (integration_id, cursor, leased_until, at)
      SELECT id, ?, 0, 0 FROM axon_integrations`,
    )
      .bind(isoTime(now - 6 * HOUR))
      .run();
    const world = installation(reads(number, [], 4), () => now);
    expect(await world.count(() => pollAxon(world.app()))).toBeLessThan(MAX_QUERIES);
    const current = (await alertsOf(group.id)).filter((row) => row.captured_at === now);
    expect(current.length).toBeGreaterThan(0);
    expect(await takeSlices(world)).toBeLessThan(MAX_QUERIES);
    // Messages hand over to others until all have caught up.
    const { results } = await bindings.DB.prepare(
      "SELECT DISTINCT cursor FROM poll_cursors WHERE leased_until = 0 AND integration_id IN (SELECT id FROM axon_integrations)",
    ).all();
    expect(results).toEqual([{ cursor: isoTime(now) }]);
  });
});
