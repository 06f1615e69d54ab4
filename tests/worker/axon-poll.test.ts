import { describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { pollAxon } from "#app/domain/axon-poll.ts";
import type { Sighting } from "#app/entities/sighting.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/dates.ts";
import { failure } from "#app/providers/failures.ts";
import type { Provider } from "#app/providers/provider.ts";
import { bindings, newWorld, testApp } from "../factories.ts";
import { alertsOf, newGroup, newPlate, plate } from "../live.ts";

const sightingOf = (number: string, capturedAt: number): Sighting => ({
  id: `${number} ${capturedAt}`,
  program: "Axon",
  sourceId: "",
  agency: "",
  plate: number,
  plateState: "",
  make: "",
  color: "",
  bodyType: "",
  capturedAt,
  cameraName: "Main St NB",
  latitude: null,
  longitude: null,
  confidence: null,
  vehicleImage: null,
  plateImage: null,
  plateCorners: null,
});

/** Axon on a bad day: one car passes every ten minutes, few reads are given at once, and few questions of a run answered. */
function weary(number: string, { most, atOnce }: { most: number; atOnce: number }) {
  let answered = 0;
  const search: Provider["search"] = async function* ({ query }) {
    answered += 1;
    if (answered > most) throw failure("timeout", "Axon");
    const reads: Sighting[] = [];
    for (let at = Math.floor(query.to / (10 * MINUTE)) * 10 * MINUTE; at >= query.from; at -= 10 * MINUTE)
      reads.push(sightingOf(number, at));
    yield { sightings: reads.slice(0, atOnce), truncated: reads.length > atOnce };
  };
  return {
    search,
    rest: () => {
      answered = 0;
    },
  };
}

describe("catching up with Axon after an outage", () => {
  it("goes on where the last run failed, and tells of what passes now before what passed long ago", async () => {
    const world = await newWorld();
    // Nobody else's integration is asked meanwhile, so that each run's answers are this one's.
    await bindings.DB.prepare("DELETE FROM axon_integrations WHERE id <> ?").bind(world.axon.id).run();
    const start = Math.floor(Date.now() / HOUR) * HOUR;
    const from = start - 22 * HOUR;
    await bindings.DB.prepare(
      "INSERT INTO poll_cursors (integration_id, cursor, leased_until, at) VALUES (?, ?, 0, 0)",
    )
      .bind(world.axon.id, isoTime(from))
      .run();
    const cursor = async () => {
      const found = bindings.DB.prepare("SELECT cursor FROM poll_cursors WHERE integration_id = ?");
      return Date.parse((await found.bind(world.axon.id).first<string>("cursor")) ?? "");
    };
    const number = newPlate();
    const group = await newGroup(world.ours.id, [plate(number)], { listedAgo: 2 * DAY });
    const told = async () => (await alertsOf(group.id)).map((row) => row.captured_at);

    let now = start;
    const calm = testApp(() => now);
    const { search, rest } = weary(number, { most: 3, atOnce: 30 });
    const app: AppContext = {
      ...calm,
      providers: { ...calm.providers, Axon: { ...calm.providers.Axon, search } },
    };
    for (let run = 0, before = from; before < start; run++) {
      expect(run).toBeLessThan(20);
      rest();
      await pollAxon(app);
      if (run === 0) expect(await told()).toContain(start);
      expect(await cursor()).toBeGreaterThan(before);
      before = await cursor();
      now += MINUTE;
    }
    const passed = Array.from({ length: 22 * 6 + 1 }, (_, i) => from + i * 10 * MINUTE);
    expect(await told()).toEqual(expect.arrayContaining(passed));
    expect(new Set(await told()).size).toBe((await told()).length);
  });
});
