/**
 * One pass of a vehicle before a camera, which tells it in several events (`new`, `update`, `lost`) that may come
 * twice, late or out of order. Here is how they become one read. Pure.
 */

import { foldLookalikes } from "#app/entities/hotlists/entry.ts";

export const CAR_STATES = ["new", "update", "lost"] as const;
export type CarState = (typeof CAR_STATES)[number];

/** Events of one car id at one camera belong to one pass where their capture times are no further apart. */
export const PASS_WINDOW = 10 * 60_000;
/** How long a vehicle may stand before a camera and still be one pass. */
export const PASS_MOST = 6 * 60 * 60_000;

/** What an event says of its pass, and what is known of the pass so far. Empty text and null: not known. */
export type PassFacts = {
  /** Canonical, as `normalizePlate` gives it. */
  plate: string;
  plateState: string;
  make: string;
  color: string;
  bodyType: string;
  /** 0-100. */
  confidence: number | null;
  direction: string;
  latitude: number | null;
  longitude: number | null;
  carState: CarState;
  /** Capture time of the event. */
  eventAt: number;
  vehicleImageKey: string | null;
  plateImageKey: string | null;
};

/**
 * The pass after an event, or null where the event changes nothing. A later stage of the pass wins, within a stage
 * the later capture time; what the winner does not know is kept, and what it does not know is filled from the loser,
 * so that a text is never lost to an empty one and the only picture of a late `new` is not thrown away.
 */
export function amendPass(known: PassFacts, event: PassFacts): PassFacts | null {
  const [first, second] = wins(event, known) ? [event, known] : [known, event];
  const named = first.plate === "" ? second : first;
  const placed = first.latitude === null || first.longitude === null ? second : first;
  const amended: PassFacts = {
    plate: named.plate,
    confidence: named.confidence,
    plateState: first.plateState || second.plateState,
    make: first.make || second.make,
    color: first.color || second.color,
    bodyType: first.bodyType || second.bodyType,
    direction: first.direction || second.direction,
    latitude: placed.latitude,
    longitude: placed.longitude,
    carState: first.carState,
    eventAt: first.eventAt,
    vehicleImageKey: first.vehicleImageKey ?? second.vehicleImageKey,
    plateImageKey: first.plateImageKey ?? second.plateImageKey,
  };
  const fields = Object.keys(amended) as (keyof PassFacts)[];
  return fields.some((field) => amended[field] !== known[field]) ? amended : null;
}

/**
 * Whether an event goes on with a pass that began longer ago than `PASS_WINDOW`: a vehicle that stands is told of when it
 * came and when it left. Cameras count cars anew after a start, so only what reads like the same plate is the same car.
 */
export function goesOn(known: PassFacts, event: PassFacts): boolean {
  if (event.carState === "new") return false;
  if (known.carState === "lost" && event.eventAt - known.eventAt > PASS_WINDOW) return false;
  return (
    known.plate === "" || event.plate === "" || foldLookalikes(known.plate) === foldLookalikes(event.plate)
  );
}

function wins(event: PassFacts, known: PassFacts): boolean {
  const [stage, reached] = [CAR_STATES.indexOf(event.carState), CAR_STATES.indexOf(known.carState)];
  return stage === reached ? event.eventAt > known.eventAt : stage > reached;
}
