/**
 * Vehicles that docs/tutorial.md looks for, on every day of the demo. Their ids are even and below 12, which no other
 * trip uses, and every camera on their way reads them.
 */
import { easternClock, easternOffsetHours } from "./eastern-time.ts";
import { CAMERAS } from "./places.ts";
import type { Roads } from "./roads.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Drives to work and back; cameras misread its plate often. */
export const ROUTINE = 8;
/** Drive together at noon, half a minute apart. */
export const ESCORT = { leader: 4, follower: 6 } as const;

const HOME = "axis-hartford-pd-1";
const WORK = "axis-middletown-pd-2";
const ESCORT_FROM = "axis-wethersfield-pd-1";
const ESCORT_TO = "axis-meriden-pd-1";

type ShownTrip = { vehicle: number; way: number[]; begin: number };

/** Returns the trips of a UTC day, counted from 1970. */
export function showcaseTrips(day: number, roads: Roads): ShownTrip[] {
  const start = day * DAY;
  const noon = start + 12 * HOUR;
  const at = (localHour: number) => Math.floor(start + (localHour - easternOffsetHours(noon)) * HOUR);
  const { weekday } = easternClock(noon);
  const isWeekend = weekday === 0 || weekday === 6;
  const camera = (id: string) => CAMERAS.findIndex((one) => one.id === id);
  const toWork = roads.path(camera(HOME), camera(WORK));
  const along = roads.path(camera(ESCORT_FROM), camera(ESCORT_TO));
  return [
    { vehicle: ROUTINE, way: toWork, begin: at(isWeekend ? 10.5 : 7.66) },
    { vehicle: ROUTINE, way: toWork.toReversed(), begin: at(isWeekend ? 15 : 17.2) },
    { vehicle: ESCORT.leader, way: along, begin: at(12.5) },
    { vehicle: ESCORT.follower, way: along, begin: at(12.5) + 30_000 },
  ];
}
