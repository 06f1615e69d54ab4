import { describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { pollAxon } from "#app/domain/ingest/axon.ts";
import { listCameraHealth } from "#app/domain/ingest/camera-health.ts";
import { deleteAxonIntegration } from "#app/domain/integrations/axon.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { DAY, HOUR, isoTime, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { failure } from "#app/providers/failures.ts";
import type { Provider } from "#app/providers/provider.ts";
import { inOneStep } from "#app/store/database.ts";
import { leaseCursor, moveCursor, releaseCursor } from "#app/store/ingest/axon.ts";
import { BREAKER_FAILURES, createTokenStore, noteIntegrations } from "#app/store/integrations/sources.ts";
import { actorOf, bindings, client, newUser, newWorld, testApp } from "../../factories.ts";
import { alertsOf, newGroup, newPlate, plate } from "../../live.ts";
import { expectLogged } from "../../support/quiet-console.ts";
import { BLANK_SIGHTING } from "../../support/search/sighting.ts";

const sightingOf = (number: string, capturedAt: number): Sighting => ({
  ...BLANK_SIGHTING,
  id: `${number} ${capturedAt}`,
  program: "Axon",
  plate: number,
  capturedAt,
  cameraName: "Main St NB",
});

type Day = { every: number; atOnce: number; answers: number };

/** Returns an unreliable Axon: cars pass at intervals, and each run gets few responses, each with few reads. */
function unreliableAxon(number: string, { every, atOnce, answers }: Day) {
  let answered = 0;
  const search: Provider["search"] = async function* ({ query }) {
    answered += 1;
    if (answered > answers) throw failure("timeout", "Axon");
    const reads: Sighting[] = [];
    for (let at = Math.floor(query.to / every) * every; at >= query.from; at -= every)
      reads.push(sightingOf(number, at));
    yield { sightings: reads.slice(0, atOnce), truncated: reads.length > atOnce };
  };
  return {
    search,
    reset: () => {
      answered = 0;
    },
  };
}

/** Creates an agency whose Axon integration was last polled `hours` ago, and a list with a plate. */
async function outage(number: string, { now, hours }: { now: number; hours: number }) {
  const world = await newWorld();
  // Deletes other integrations, so that all responses belong to this one.
  await bindings.DB.prepare("DELETE FROM axon_integrations WHERE id <> ?").bind(world.axon.id).run();
  const from = now - hours * HOUR;
  await bindings.DB.prepare(
    "INSERT INTO poll_cursors (integration_id, cursor, leased_until, at) VALUES (?, ?, 0, 0)",
  )
    .bind(world.axon.id, isoTime(from))
    .run();
  const cursor = async () => {
    const found = bindings.DB.prepare("SELECT cursor FROM poll_cursors WHERE integration_id = ?");
    return Date.parse((await found.bind(world.axon.id).first<string>("cursor")) ?? "");
  };
  const group = await newGroup(world.ours.id, [plate(number)], { listedAgo: 2 * DAY });
  const alertTimes = async () => (await alertsOf(group.id)).map((row) => row.captured_at);
  return { world, from, cursor, alertTimes };
}

function appWithAxon(search: Provider["search"], clock: () => number): AppContext {
  const calm = testApp(clock);
  return { ...calm, providers: { ...calm.providers, Axon: { ...calm.providers.Axon, search } } };
}

describe("catching up with Axon after an outage", () => {
  const start = Math.floor(Date.now() / HOUR) * HOUR;

  it("continues where the last run failed, and creates alerts for current reads before missed ones", async () => {
    const number = newPlate();
    const { from, cursor, alertTimes } = await outage(number, { now: start, hours: 22 });
    let now = start;
    const { search, reset } = unreliableAxon(number, { every: 10 * MINUTE, atOnce: 30, answers: 3 });
    const app = appWithAxon(search, () => now);
    for (let run = 0, before = from; before < start; run++) {
      expect(run).toBeLessThan(40);
      reset();
      await pollAxon(app);
      if (run === 0) expect(await alertTimes()).toContain(start);
      expect(await cursor()).toBeGreaterThan(before);
      before = await cursor();
      now += MINUTE;
    }
    const passed = Array.from({ length: 22 * 6 + 1 }, (_, i) => from + i * 10 * MINUTE);
    expect(await alertTimes()).toEqual(expect.arrayContaining(passed));
    expect(new Set(await alertTimes()).size).toBe((await alertTimes()).length);
  });

  it("queries shorter time windows if a query returns too many reads, and misses no read", async () => {
    const number = newPlate();
    const { from, cursor, alertTimes } = await outage(number, { now: start, hours: 1 / 4 });
    const { search } = unreliableAxon(number, {
      every: 5 * SECOND,
      atOnce: 4,
      answers: Number.POSITIVE_INFINITY,
    });
    await pollAxon(appWithAxon(search, () => start));
    expect(await cursor()).toBe(start);
    const passed = Array.from({ length: 180 + 1 }, (_, i) => from + i * 5 * SECOND);
    expect(await alertTimes()).toEqual(expect.arrayContaining(passed));
  });

  it("reports a second with more reads than can be queried, and creates alerts for the reads it received", async () => {
    const number = newPlate();
    const { world, from, cursor, alertTimes } = await outage(number, { now: start, hours: 1 });
    const search: Provider["search"] = async function* ({ query }) {
      yield { sightings: [sightingOf(number, query.to)], truncated: true };
    };
    await pollAxon(appWithAxon(search, () => start));
    expect(await cursor()).toBe(from);
    expect(await alertTimes()).toContain(start);
    const health = await bindings.DB.prepare(
      "SELECT last_failure FROM integration_health WHERE integration_id = ?",
    )
      .bind(world.axon.id)
      .first<string>("last_failure");
    expect(health).toBe("Axon has more reads in one second than a query can return.");
  });
});

describe("a poll of Axon", () => {
  const start = Math.floor(Date.now() / HOUR) * HOUR;

  it("finds a read that Axon learned of minutes after it was polled up to then", async () => {
    const number = newPlate();
    const { alertTimes } = await outage(number, { now: start, hours: 0 });
    const known: Sighting[] = [];
    const search: Provider["search"] = async function* ({ query }) {
      const isAsked = ({ capturedAt }: Sighting) =>
        (capturedAt ?? 0) >= query.from && (capturedAt ?? 0) <= query.to;
      yield { sightings: known.filter(isAsked), truncated: false };
    };
    await pollAxon(appWithAxon(search, () => start));
    const seenAt = start - 8 * MINUTE;
    known.push(sightingOf(number, seenAt));
    for (const minutes of [1, 2]) await pollAxon(appWithAxon(search, () => start + minutes * MINUTE));
    expect(await alertTimes()).toEqual([seenAt]);
  });

  it("takes a read of a clock that is ahead as a sign of the camera now, not later", async () => {
    const number = newPlate();
    const { world } = await outage(number, { now: start, hours: 0 });
    const who = await actorOf(await client(await newUser(world.axon.agencyId, { role: "admin" })));
    const search: Provider["search"] = async function* () {
      yield { sightings: [sightingOf(number, start + HOUR)], truncated: false };
    };
    const app = appWithAxon(search, () => start);
    await pollAxon(app);
    const cameras = await listCameraHealth(app, who);
    const ofAxon = cameras.filter(({ source_program }) => source_program === "Axon");
    expect(ofAxon).toMatchObject([{ last_read_at: isoTime(start) }]);
  });

  it("leaves out an integration whose circuit breaker is open", async () => {
    const { world } = await outage(newPlate(), { now: start, hours: 0 });
    const app = testApp(() => start);
    const outcomes = [{ integrationId: world.axon.id, failure: "Axon did not answer in time." }];
    for (let failures = 0; failures < BREAKER_FAILURES; failures++)
      await inOneStep(app.db, nonEmpty(noteIntegrations(app.db, outcomes, start)));
    let asked = 0;
    const search: Provider["search"] = async function* () {
      asked += 1;
      yield { sightings: [], truncated: false };
    };
    await pollAxon(appWithAxon(search, () => start + SECOND));
    expect(asked).toBe(0);
    await pollAxon(appWithAxon(search, () => start + MINUTE));
    expect(asked).toBeGreaterThan(0);
  });
});

describe("an Axon integration that is deleted during its poll", () => {
  it("alerts no agency any more, least of all one that its blacklist kept out", async () => {
    const number = newPlate();
    const start = Date.now();
    const { world, alertTimes } = await outage(number, { now: start, hours: 0 });
    const kept = await newGroup(world.theirs.id, [plate(number)], { listedAgo: 2 * DAY });
    await bindings.DB.prepare(
      "INSERT INTO axon_blacklist (integration_id, agency_id, created_at) VALUES (?, ?, 0)",
    )
      .bind(world.axon.id, world.theirs.id)
      .run();
    const admin = await actorOf(await client(await newUser(world.axon.agencyId, { role: "admin" })));
    const app = appWithAxon(
      async function* ({ query }) {
        await deleteAxonIntegration(testApp(), admin);
        yield { sightings: [sightingOf(number, query.to)], truncated: false };
      },
      () => start,
    );
    await pollAxon(app);
    expect(await alertsOf(kept.id)).toEqual([]);
    expect(await alertTimes()).toEqual([]);
  });
});

describe("cameras of Axon", () => {
  it("are registered from their reads, and are marked silent after a longer gap than usual", async () => {
    const number = newPlate();
    const start = Math.floor(Date.now() / HOUR) * HOUR - 6 * HOUR;
    const { world } = await outage(number, { now: start, hours: 0 });
    const who = await actorOf(await client(await newUser(world.axon.agencyId, { role: "admin" })));
    const { search } = unreliableAxon(number, {
      every: 5 * MINUTE,
      atOnce: 30,
      answers: Number.POSITIVE_INFINITY,
    });
    for (const minutes of [0, 5, 10]) await pollAxon(appWithAxon(search, () => start + minutes * MINUTE));
    const camera = async (since: number) =>
      (
        await listCameraHealth(
          testApp(() => start + since),
          who,
        )
      ).find(({ source_program }) => source_program === "Axon");
    const heard = {
      camera_name: "Main St NB",
      last_read_at: isoTime(start + 10 * MINUTE),
      last_heartbeat_at: null,
    };
    expect(await camera(30 * MINUTE)).toMatchObject({ ...heard, usual_gap_ms: 5 * MINUTE, silent: false });
    expect(await camera(3 * HOUR)).toMatchObject({ ...heard, silent: true });
    // Reads missed during an outage do not mean that the camera was silent.
    await pollAxon(appWithAxon(search, () => start + 4 * HOUR));
    expect(await camera(4 * HOUR)).toMatchObject({ usual_gap_ms: 5 * MINUTE, silent: false });
  });
});

describe("a stored Axon token that cannot be opened", () => {
  it("counts as absent, so that a new one is fetched and stored", async () => {
    const { axon } = await newWorld();
    const app = testApp();
    const tokens = createTokenStore(app.db, app.config.sealingKeys, app.clock);
    const expiresAt = app.clock() + DAY;
    await tokens.save(axon.id, "former", expiresAt);
    expect(await tokens.find(axon.id)).toEqual({ token: "former", expiresAt });
    for (const sealed of ["v1.AAAA.AAAA", "v99.AAAA.AAAA", "not sealed"]) {
      await bindings.DB.prepare("UPDATE axon_tokens SET sealed_token = ? WHERE integration_id = ?")
        .bind(sealed, axon.id)
        .run();
      expect(await tokens.find(axon.id)).toBeNull();
    }
    expectLogged(/stored Axon token of .* cannot be opened/);
    expect(await tokens.lease(axon.id, app.clock() + SECOND)).toBe(true);
    await tokens.save(axon.id, "new", expiresAt);
    expect((await tokens.find(axon.id))?.token).toBe("new");
  });
});

describe("the lease of a new Axon token", () => {
  it("has one holder at a time, until it ends", async () => {
    const { axon } = await newWorld();
    let now = Date.now();
    const app = testApp(() => now);
    const tokens = createTokenStore(app.db, app.config.sealingKeys, app.clock);
    const lease = () => tokens.lease(axon.id, now + 10 * SECOND);
    expect([await lease(), await lease()]).toEqual([true, false]);
    now += 10 * SECOND + 1;
    expect(await lease()).toBe(true);
  });

  it("ends when Axon gives no token, so that the next call does not wait for one", async () => {
    const { axon } = await newWorld();
    const row = "FROM axon_tokens WHERE integration_id = ?";
    await bindings.DB.prepare("DELETE FROM axon_integrations WHERE id <> ?").bind(axon.id).run();
    await bindings.DB.prepare("UPDATE axon_integrations SET client_id = 'unknown' WHERE id = ?")
      .bind(axon.id)
      .run();
    await pollAxon(testApp());
    const found = await bindings.DB.prepare(`SELECT leased_until, sealed_token ${row}`).bind(axon.id).first();
    expect(found).toEqual({ leased_until: 0, sealed_token: null });
  });
});

describe("a poll of Axon that has lost its lease", () => {
  it("neither moves the cursor nor ends the lease of the next poll", async () => {
    const { axon } = await newWorld();
    const { db } = testApp();
    const integrationId = axon.id;
    const take = (now: number, until: number) =>
      leaseCursor(db, { integrationId, start: isoTime(0), now, until });
    expect([await take(0, 10), await take(10, 30)]).toEqual([isoTime(0), isoTime(0)]);
    const late = { integrationId, cursor: isoTime(5), until: 10, now: 20 };
    await moveCursor(db, late);
    await releaseCursor(db, late);
    expect(await take(20, 40)).toBeNull();
    await releaseCursor(db, { ...late, cursor: null, until: 30 });
    expect(await take(20, 40)).toBe(isoTime(0));
  });
});
