/**
 * The order in which the events of a list are stored: in rounds, because a later event of a pass amends what an earlier one
 * stored. Pure.
 */

import { DAY, utcDay } from "#app/lib/time/dates.ts";
import { type CarState, PASS_WINDOW } from "./pass.ts";

type CameraEvent = { cameraId: string; carId: string; carState: CarState; capturedAt: number };

/** Returns whether a pass must be claimed before it is known which day owns it. */
export function isNearMidnight(at: number): boolean {
  const since = at - utcDay(at) * DAY;
  return since < PASS_WINDOW || since >= DAY - PASS_WINDOW;
}

/**
 * Groups the places of events into rounds. A round has successive events of a car, of which a parked one may send hundreds,
 * if passes are looked for alike for all of them: in the same day, and near the event or, if it is not a vehicle's first,
 * also hours before. The times of events near midnight are those of the passes that they have claimed.
 */
export function roundsOf(events: readonly CameraEvent[]): number[][] {
  const rounds: number[][] = [];
  const cameras = new Map<string, Map<string | number, { round: number; lookUp: string }>>();
  for (const [at, { cameraId, carId, carState, capturedAt }] of events.entries()) {
    const cars = cameras.get(cameraId) ?? new Map<string | number, { round: number; lookUp: string }>();
    cameras.set(cameraId, cars);
    // Most ids are counts, and Map finds numbers faster than newly built texts.
    const count = Number(carId);
    const car = String(count) === carId ? count : carId;
    const lookUp = `${utcDay(capturedAt)} ${carState === "new"}`;
    const last = cars.get(car) ?? { round: 0, lookUp };
    const round = last.lookUp === lookUp ? last.round : last.round + 1;
    cars.set(car, { round, lookUp });
    rounds[round] ??= [];
    rounds[round].push(at);
  }
  return rounds;
}

/**
 * Returns the events of a round without those behind one of their car that starts a pass, which `begin` has: they may
 * belong to that pass.
 */
export function upToBegin<Event extends { at: number; read: CameraEvent }>(
  events: Event[],
  begin: ReadonlySet<number>,
): Event[] {
  if (begin.size === 0) return events;
  const started = new Set<string>();
  return events.filter(({ at, read }) => {
    const car = JSON.stringify([read.cameraId, read.carId]);
    if (started.has(car)) return false;
    if (begin.has(at)) started.add(car);
    return true;
  });
}
