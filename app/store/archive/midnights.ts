// Passes around midnight could belong to two days. The day that ends claims every pass seen within the pass window of
// its end, so that all events of the pass belong to the same day.

import { isNearMidnight, PASS_WINDOW } from "#app/entities/ingest/pass.ts";
import { at as elementAt } from "#app/lib/at.ts";
import { utcDay } from "#app/lib/time/dates.ts";
import { CLAIM, CLAIMED } from "./event-statements.ts";
import { lookIn, requireOpen } from "./fences.ts";
import type { ReadKeys } from "./keys.ts";
import { nameOf, placeOf, whilePlaced } from "./placed-writes.ts";
import type { PlacedPart, Places } from "./placement.ts";
import { ciphersOf, type NewRead, passTags } from "./rows.ts";

const endingDay = (read: Pick<NewRead, "capturedAt">) => utcDay(read.capturedAt - PASS_WINDOW);

/** An event with its place in the list. */
export type Placed = { at: number; read: NewRead };

/**
 * Returns the events, in the order of the list, with the times that decide which day owns their passes; they differ only
 * around midnight. A parked car may send hundreds of events then, so that all of them are looked for and claimed together.
 */
export async function anchored(
  archive: { places: Places; keys: ReadKeys },
  placed: Placed[],
): Promise<Placed[]> {
  const near = placed.filter(({ read }) => isNearMidnight(read.capturedAt));
  if (near.length === 0) return placed;
  const ciphers = await ciphersOf(
    archive.keys,
    near.map(({ read }) => read),
    endingDay,
  );
  const claims = new Map<number, Claim>();
  for (const [cipher, events] of Map.groupBy(near, ({ read }) => ciphers(read.agencyId, endingDay(read)))) {
    const tags = await passTags(
      cipher,
      events.map(({ read }) => read),
    );
    for (const [i, { at, read }] of events.entries())
      claims.set(at, [cipher.id, elementAt(tags, i), read.capturedAt]);
  }
  const days = near.map(({ read }) => endingDay(read));
  const anchors = await whilePlaced(archive.places, days, async (partsOf) => {
    const found = new Map<number, number>();
    for (const own of Map.groupBy(near, ({ read }) => nameOf(partsOf(endingDay(read)))).values()) {
      const parts = partsOf(endingDay(elementAt(own, 0).read));
      for (const [at, anchor] of await claimPasses(parts, own, claims)) found.set(at, anchor);
    }
    return found;
  });
  return placed.map(({ at, read }) => ({
    at,
    read: { ...read, capturedAt: anchors.get(at) ?? read.capturedAt },
  }));
}

type Claim = [key: number, pass: number, capturedAt: number];
type Claimed = { place: number; captured_at: number };
type Claims = ReadonlyMap<number, Claim>;

/**
 * Claims passes around midnights in the last part of their ending days, unless an earlier part has them. Returns the time of
 * the pass that each event belongs to, as if the events had come one after the other.
 */
async function claimPasses(
  parts: PlacedPart[],
  events: Placed[],
  claims: Claims,
): Promise<Map<number, number>> {
  const anchors = new Map<number, number>();
  let left = events;
  const settle = (rows: Claimed[]) => {
    for (const [{ at }, row] of nearest(left, rows)) anchors.set(at, row.captured_at);
    left = left.filter(({ at }) => !anchors.has(at));
  };
  const look = (part: PlacedPart) => {
    const { database } = placeOf(part);
    const query = database.prepare(CLAIMED).bind(jsonOf(left, claims));
    return lookIn<Claimed>(database, daysOf(left), query);
  };
  for (const part of parts.slice(0, -1)) settle(await look(part));
  const last = elementAt(parts, parts.length - 1);
  // Runs once, unless another worker claims one of these passes at the same time.
  while (left.length > 0) {
    const first = firstOfPasses(left, claims, await look(last));
    const { database } = placeOf(last);
    const answers = await database.batch<Claimed>([
      requireOpen(database, daysOf(left)),
      database.prepare(CLAIM).bind(jsonOf([...first.keys()], claims)),
      database.prepare(CLAIMED).bind(jsonOf(left, claims)),
    ]);
    // An event does not belong to a pass that a later event of the list has just claimed.
    const places = new Map([...first].map(([event, place]) => [claimName(claims, event), place]));
    const isBefore = ({ place, captured_at }: Claimed) =>
      place >= (places.get(claimName(claims, elementAt(left, place), captured_at)) ?? 0);
    settle((answers.at(-1)?.results ?? []).filter(isBefore));
  }
  return anchors;
}

const daysOf = (events: Placed[]) => events.map(({ read }) => endingDay(read));
const jsonOf = (events: Placed[], claims: Claims) => JSON.stringify(events.map(({ at }) => claims.get(at)));

/** Identifies the claim of an event's car at a time, by default that of the event. */
function claimName(claims: Claims, { at }: Placed, time = claims.get(at)?.[2]): string {
  const [key, pass] = claims.get(at) ?? [];
  return `${key} ${pass} ${time}`;
}

/** Returns the events, with their places, whose pass neither the rows nor an event before them has claimed. */
function firstOfPasses(events: Placed[], claims: Claims, rows: Claimed[]): Map<Placed, number> {
  const times = new Map<string, number[]>();
  const timesOf = (event: Placed) => {
    const car = claimName(claims, event, 0);
    const known = times.get(car) ?? [];
    times.set(car, known);
    return known;
  };
  for (const { place, captured_at } of rows) {
    const known = timesOf(elementAt(events, place));
    if (!known.includes(captured_at)) known.push(captured_at);
  }
  const first = new Map<Placed, number>();
  for (const [place, event] of events.entries()) {
    const { capturedAt } = event.read;
    const known = timesOf(event);
    if (known.some((time) => Math.abs(time - capturedAt) <= PASS_WINDOW)) continue;
    known.push(capturedAt);
    first.set(event, place);
  }
  return first;
}

/** Returns, for each event that has rows, the row nearest in time. */
function nearest(events: Placed[], rows: Claimed[]): Map<Placed, Claimed> {
  const found = new Map<Placed, Claimed>();
  for (const row of rows) {
    const event = elementAt(events, row.place);
    const gap = ({ captured_at }: Claimed) => Math.abs(captured_at - event.read.capturedAt);
    const known = found.get(event);
    if (!known || gap(row) < gap(known)) found.set(event, row);
  }
  return found;
}
