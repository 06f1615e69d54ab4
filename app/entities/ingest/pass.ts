/**
 * A pass is one trip of a vehicle past a camera. The camera reports it in several events (`new`, `update`, `lost`) that
 * may arrive twice, late or out of order. These functions merge them into one read. Pure.
 */

import { foldLookalikes } from "#app/entities/hotlists/entry.ts";
import { DAY, utcDay } from "#app/lib/time/dates.ts";

/** The kinds of events that a camera reports of a pass. */
export const CAR_STATES = ["new", "update", "lost"] as const;
export type CarState = (typeof CAR_STATES)[number];

/** Events with the same car id at one camera are one pass if their capture times are no further apart than this. */
export const PASS_WINDOW = 10 * 60_000;
/** How long a standing vehicle may stay in front of a camera and still be one pass. */
export const MAX_PASS = 6 * 60 * 60_000;

/** Returns whether a pass must be claimed before the day that owns it is known. */
export function isNearMidnight(at: number): boolean {
  const since = at - utcDay(at) * DAY;
  return since < PASS_WINDOW || since >= DAY - PASS_WINDOW;
}

/** What an event reports, or what is known of its pass so far. Empty text and null mean unknown. */
export type PassFacts = {
  /** Canonical, from `normalizePlate`. */
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
 * Returns the pass after an event, or null if the event changes nothing. A later stage of the pass wins, and within a
 * stage the later capture time. Fields that the winner does not know are filled from the loser, so that an empty value
 * never replaces a known one and a late `new` can still add its image.
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
 * Returns whether an event continues a pass that began more than `PASS_WINDOW` ago: a standing vehicle is reported when
 * it arrives and when it leaves. Cameras restart their car ids after a reboot, so the plates must look alike too; without
 * a plate, the event may only be late.
 */
export function continuesPass(known: PassFacts, event: PassFacts): boolean {
  if (event.carState === "new") return false;
  const unread = known.plate === "" || event.plate === "";
  if ((unread || known.carState === "lost") && event.eventAt - known.eventAt > PASS_WINDOW) return false;
  return unread || foldLookalikes(known.plate) === foldLookalikes(event.plate);
}

function wins(event: PassFacts, known: PassFacts): boolean {
  const [stage, reached] = [CAR_STATES.indexOf(event.carState), CAR_STATES.indexOf(known.carState)];
  return stage > reached || (stage === reached && event.eventAt > known.eventAt);
}
