// Passes around midnight could belong to two days. The day that ends claims every pass seen within the pass window of
// its end, so that all events of the pass belong to the same day.

import { PASS_WINDOW } from "#app/entities/ingest/pass.ts";
import { isNearMidnight } from "#app/entities/ingest/rounds.ts";
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

/** Returns the events with the times that decide which day owns their passes; they differ only around midnight. */
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
      const claimed = await claimPasses(parts, own, claims);
      for (const [{ at }, row] of nearest(own, claimed)) found.set(at, row.captured_at);
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

/** Claims passes around midnights in the last part of their ending days, unless an earlier part has them. */
async function claimPasses(
  parts: PlacedPart[],
  events: Placed[],
  claims: Map<number, Claim>,
): Promise<Claimed[]> {
  const found: Claimed[] = [];
  const days = events.map(({ read }) => endingDay(read));
  const json = () => {
    const known = new Set(found.map(({ place }) => place));
    // A claim of null matches nothing, and keeps the places of the others.
    return JSON.stringify(events.map(({ at }, i) => (known.has(i) ? [null, null, null] : claims.get(at))));
  };
  for (const part of parts.slice(0, -1)) {
    const { database } = placeOf(part);
    found.push(...(await lookIn<Claimed>(database, days, database.prepare(CLAIMED).bind(json()))));
  }
  const { database } = placeOf(elementAt(parts, parts.length - 1));
  const left = json();
  const answers = await database.batch<Claimed>([
    requireOpen(database, days),
    database.prepare(CLAIM).bind(left),
    database.prepare(CLAIMED).bind(left),
  ]);
  return [...found, ...(answers.at(-1)?.results ?? [])];
}

/** Returns, for each event that has rows, the row nearest in time. */
export function nearest<Event extends Placed, Row extends { place: number; captured_at: number }>(
  events: Event[],
  rows: Row[],
): Map<Event, Row> {
  const found = new Map<Event, Row>();
  for (const row of rows) {
    const event = elementAt(events, row.place);
    const gap = ({ captured_at }: Row) => Math.abs(captured_at - event.read.capturedAt);
    const known = found.get(event);
    if (!known || gap(row) < gap(known)) found.set(event, row);
  }
  return found;
}
