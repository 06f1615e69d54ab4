// Axis cameras whose clock is ahead, or was never set: their reads get the time of arrival, and no read or hit is lost.

import { beforeAll, describe, expect, it } from "vitest";
import { takeAxisEvent } from "#app/domain/ingest/axis.ts";
import { readAxisPush } from "#app/http/webhook-body.ts";
import { DAY, HOUR, isoTime, MINUTE, SECOND, utcDay } from "#app/lib/time/dates.ts";
import { bindings, jsonInit, newAgency, testApp, unique } from "../../factories.ts";
import { alertsOf, axisEvent, newCamera, newGroup, newPlate, plate } from "../../live.ts";

/** Noon (UTC) of yesterday, and the midnight that follows. */
const noon = utcDay(Date.now()) * DAY - 12 * HOUR;
const midnight = noon + 12 * HOUR;

let agency: { id: string };
let camera: { id: string; secret: string };

beforeAll(async () => {
  agency = await newAgency();
  camera = await newCamera(agency.id);
});

async function take(events: object, now: number, own = camera): Promise<string[]> {
  const request = new Request("https://odin.test/", jsonInit(events));
  const push = () => readAxisPush(request);
  const taken = await takeAxisEvent(
    testApp(() => now),
    { secrets: [own.secret], push },
  );
  return ("ids" in taken ? taken.ids : [taken.id]).map(String);
}

const event = (stamp: number, over: Record<string, unknown>) =>
  axisEvent({ capture_timestamp: String(stamp), ...over });

/** A group that watches a new plate, and the fields of a car with it. */
async function watched(listedAgo = 3 * DAY) {
  const number = newPlate();
  const group = await newGroup(agency.id, [plate(number)], { listedAgo });
  return { group, car: { plateUTF8: number, carID: unique("car") } };
}

const noticeOf = (id: string) =>
  bindings.DB.prepare("SELECT last_refused_at, last_refusal FROM axis_cameras WHERE id = ?")
    .bind(id)
    .first<{ last_refused_at: number; last_refusal: string }>();

/** What a camera's clock says at an instant: an hour ahead, years ahead, or a time after its start in 1970. */
const CLOCKS: [string, (at: number) => number][] = [
  ["is an hour ahead", (at) => at + HOUR],
  ["is years ahead", (at) => at + 20 * 365 * DAY],
  ["was never set", (at) => at - noon + 7 * DAY],
];

describe.each(CLOCKS)("an Axis camera whose clock %s", (_, clock) => {
  it("gives one read and one alert per pass, with the time at which the pass was first reported", async () => {
    const { group, car } = await watched();
    const ids: string[] = [];
    for (const [carState, after] of [
      ["new", 0],
      ["update", 4 * SECOND],
      ["lost", 9 * SECOND],
    ] as const)
      ids.push(...(await take(event(clock(noon + after), { ...car, carState }), noon + after + SECOND)));
    expect(new Set(ids).size).toBe(1);
    const alerts = await alertsOf(group.id);
    expect(alerts).toMatchObject([{ captured_at: noon + SECOND }]);
    expect(alerts[0]?.differences).toMatch(
      /Time is that of arrival: the camera's clock (says|is) .* must be set/,
    );
    expect(alerts[0]?.differences).not.toContain("late");
  });

  it("gives no second read or alert if the same events are posted again hours later, also on the next day", async () => {
    const { group, car } = await watched();
    const [first, last] = [midnight - HOUR, midnight + 3 * HOUR];
    const events = (["new", "update", "lost"] as const).map((carState, i) =>
      event(clock(first + i * SECOND), { ...car, carState }),
    );
    const [id] = await take(events, first + MINUTE);
    const [alert] = await alertsOf(group.id);
    expect(alert).toMatchObject({ captured_at: first + MINUTE });
    for (const again of events) expect(await take(again, last)).toEqual([id]);
    expect(await take(events, last + HOUR)).toEqual([id, id, id]);
    expect(await alertsOf(group.id)).toEqual([alert]);
  });

  it("has one read of a pass that two posts report at the same time", async () => {
    const { group, car } = await watched();
    const one = event(clock(noon), car);
    const ids = await Promise.all([take(one, noon + SECOND), take(one, noon + 2 * SECOND)]);
    expect(new Set(ids.flat()).size).toBe(1);
    expect(await alertsOf(group.id)).toHaveLength(1);
  });

  it("has one read of a pass around midnight", async () => {
    const { group, car } = await watched();
    const [a] = await take(event(clock(midnight - SECOND), { ...car, carState: "new" }), midnight - SECOND);
    const [b] = await take(event(clock(midnight + SECOND), { ...car, carState: "lost" }), midnight + SECOND);
    expect(a).toBe(b);
    expect(await alertsOf(group.id)).toHaveLength(1);
  });

  it("has a read of every car of a backlog", async () => {
    const cars = await Promise.all([watched(), watched()]);
    const events = cars.flatMap(({ car }, i) => [
      event(clock(noon + i * MINUTE), { ...car, carState: "new" }),
      event(clock(noon + i * MINUTE + 5 * SECOND), { ...car, carState: "lost" }),
    ]);
    const ids = await take(events, noon + 10 * MINUTE);
    expect(new Set(ids).size).toBe(2);
    for (const { group } of cars)
      expect(await alertsOf(group.id)).toMatchObject([{ captured_at: noon + 10 * MINUTE }]);
  });

  it("keeps one read of a pass during which the clock is set", async () => {
    const { group, car } = await watched();
    const [a] = await take(event(clock(noon), { ...car, carState: "new" }), noon);
    const [b] = await take(event(noon + 20 * SECOND, { ...car, carState: "lost" }), noon + 21 * SECOND);
    expect(a).toBe(b);
    expect(await alertsOf(group.id)).toMatchObject([{ captured_at: noon }]);
  });

  it("shows in the list of cameras that its clock must be set", async () => {
    const own = await newCamera(agency.id);
    await take(event(clock(noon), { carID: unique("car") }), noon, own);
    expect(await noticeOf(own.id)).toMatchObject({
      last_refused_at: noon,
      last_refusal: expect.stringMatching(/^The camera's clock .*\. Set it\./),
    });
    await take(event(clock(noon), { carID: unique("car") }), noon + 30 * SECOND, own);
    expect(await noticeOf(own.id)).toMatchObject({ last_refused_at: noon });
  });
});

it("an event of a clock that is ahead gives no second read if it is posted again when its time has come", async () => {
  const { group, car } = await watched();
  const one = event(noon + HOUR, car);
  const [a] = await take(one, noon);
  const [b] = await take(one, noon + HOUR + MINUTE);
  expect(a).toBe(b);
  expect(await alertsOf(group.id)).toMatchObject([{ captured_at: noon }]);
});

it("a car that has the number and time of an earlier one after a restart of the camera is a read of its own", async () => {
  const [first, second] = [await watched(), await watched()];
  const carID = unique("car");
  // Some clocks stand still at zero until they are set.
  const [a] = await take(event(0, { ...first.car, carID }), noon);
  const [b] = await take(event(0, { ...second.car, carID }), noon + HOUR);
  expect(a).not.toBe(b);
  expect(await alertsOf(first.group.id)).toMatchObject([{ captured_at: noon }]);
  expect(await alertsOf(second.group.id)).toMatchObject([{ captured_at: noon + HOUR }]);
});

it("the alert says what the camera's clock said", async () => {
  const { group, car } = await watched();
  await take(event(noon + HOUR, car), noon);
  expect((await alertsOf(group.id))[0]?.differences).toContain(
    `Time is that of arrival: the camera's clock says ${isoTime(noon + HOUR)} and must be set`,
  );
});
