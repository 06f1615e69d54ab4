import { beforeAll, expect, it } from "vitest";
import { takeAxisEvent } from "#app/domain/ingest/axis.ts";
import { readAxisPush } from "#app/http/webhook-body.ts";
import { DAY, HOUR, MINUTE, SECOND, utcDay } from "#app/lib/time/dates.ts";
import { bindings, jsonInit, newAgency, testApp, unique } from "../../factories.ts";
import { axisEvent, newCamera, newPlate } from "../../live.ts";
import { queriesOf } from "../../support/workerd/queries.ts";

/** What D1 allows one invocation, for all databases together. */
const MAX_QUERIES = 1000;

let camera: { id: string; secret: string };

beforeAll(async () => {
  camera = await newCamera((await newAgency()).id);
});

/** Posts a list of events. Returns the ids of their reads, and the queries that all databases took together. */
async function post(events: object[]): Promise<{ ids: string[]; made: number }> {
  const counted = (["DB", "READS_0", "READS_1", "READS_2", "READS_3"] as const).flatMap((name) => {
    const real = bindings[name];
    return real ? [{ name, ...queriesOf(real) }] : [];
  });
  const app = testApp(Date.now, Object.fromEntries(counted.map(({ name, database }) => [name, database])));
  const request = new Request("https://odin.test/", jsonInit(events));
  const taken = takeAxisEvent(app, { secrets: [camera.secret], push: () => readAxisPush(request) });
  const made = await Promise.all(counted.map(({ count }) => count(() => taken)));
  return { ids: ((await taken) as { ids: string[] }).ids, made: made.reduce((sum, one) => sum + one, 0) };
}

/** Yesterday's beginning (UTC). */
const midnight = (utcDay(Date.now()) - 1) * DAY;

it("hundreds of events of a car that is parked around midnight are stored within D1's limit, also again", async () => {
  const car = { carID: unique("car"), plateUTF8: newPlate() };
  const events = Array.from({ length: 600 }, (_, i) =>
    axisEvent({
      ...car,
      carState: i === 0 ? "new" : "update",
      capture_timestamp: String(midnight - 10 * MINUTE + i * 2 * SECOND),
    }),
  );
  const first = await post(events);
  expect(first.made).toBeLessThan(MAX_QUERIES / 10);
  // Ten minutes after its first event, the car's pass ends, and its next one is of the new day.
  expect([...new Set(first.ids)]).toEqual([first.ids[0], first.ids[301]]);
  expect(first.ids[300]).toBe(first.ids[0]);
  const again = await post(events);
  expect(again.made).toBeLessThan(MAX_QUERIES / 10);
  expect([...new Set(again.ids)].sort()).toEqual([...new Set(first.ids)].sort());
});

/** Returns the events of a car that passes the camera; its id is used again and again. */
const passAt = (carID: string, at: number) => {
  const plateUTF8 = newPlate();
  return ["new", "update", "lost"].map((carState, i) =>
    axisEvent({ carID, plateUTF8, carState, capture_timestamp: String(at + i * SECOND) }),
  );
};
const inOrder = (ids: string[], passes: number) => {
  expect(ids).toEqual(Array.from({ length: passes }, (_, i) => Array(3).fill(ids[i * 3])).flat());
  expect(new Set(ids).size).toBe(passes);
};

it("hundreds of passes of a camera that uses its car ids again are stored within D1's limit, also again", async () => {
  const noon = midnight + DAY / 2;
  const events = Array.from({ length: 150 }, (_, i) => passAt(`used-${i % 5}`, noon + i * 3 * MINUTE));
  const first = await post(events.flat());
  expect(first.made).toBeLessThan(MAX_QUERIES / 10);
  inOrder(first.ids, 150);
  const again = await post(events.flat());
  expect(again.made).toBeLessThan(MAX_QUERIES / 10);
  expect(again.ids).toEqual(first.ids);
});

it("passes of ninety new days, whose car ids begin each day, are stored within D1's limit", async () => {
  const events = Array.from({ length: 90 }, (_, day) =>
    [0, 1].map((car) => passAt(`daily-${car}`, midnight - day * DAY + 6 * HOUR)),
  );
  const first = await post(events.flat(2));
  expect(first.made).toBeLessThan(MAX_QUERIES / 5);
  inOrder(first.ids, 180);
});
