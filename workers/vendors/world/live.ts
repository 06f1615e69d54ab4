/**
 * Traffic while the demo runs: in every minute one of the vehicles on its watch list, and some that are on no list.
 * A pure function of the minute, as the world's other traffic is of the day.
 */

import { at } from "#app/lib/at.ts";
import { LIVE_WATCHED, type Vehicle } from "./fleet.ts";
import { CAMERAS } from "./places.ts";
import { hashOf } from "./random.ts";
import type { WorldRead } from "./traffic.ts";

const MINUTE = 60_000;
/** Number of vehicles per minute besides the watched one. */
const OTHERS = 2;

/** Cameras that post their reads: Hartford's own, and those of a neighbor that shares with it. */
const POSTS = CAMERAS.filter(
  ({ program, agencyId }) =>
    (program !== "axon" && agencyId === "hartford-pd") ||
    (program === "axis" && agencyId === "wethersfield-pd"),
);

/** Returns the reads of a window, oldest first. */
export function liveReads(fleet: readonly Vehicle[], from: number, to: number): WorldRead[] {
  const reads: WorldRead[] = [];
  for (let minute = Math.floor(from / MINUTE); minute <= Math.floor(to / MINUTE); minute++) {
    reads.push(...readsOfMinute(fleet, minute).filter(({ at }) => at >= from && at < to));
  }
  return reads;
}

/** Returns a live read by its id, `{minute}-{number}`. Minutes have more digits than days, so ids differ. */
export function liveReadById(fleet: readonly Vehicle[], id: string): WorldRead | undefined {
  const parts = /^(\d{8})-(\d)$/.exec(id);
  return parts ? readsOfMinute(fleet, Number(parts[1])).find((read) => read.id === id) : undefined;
}

function readsOfMinute(fleet: readonly Vehicle[], minute: number): WorldRead[] {
  const watched = LIVE_WATCHED[minute % LIVE_WATCHED.length] ?? 0;
  const others = Array.from(
    { length: OTHERS },
    (_, n) => 200 + (hashOf(minute, n, 1) % (fleet.length - 200)),
  );
  return [watched, ...others]
    .map((id, n) => readOf(at(fleet, id), { minute, n }))
    .sort((a, b) => a.at - b.at);
}

function readOf(vehicle: Vehicle, { minute, n }: { minute: number; n: number }): WorldRead {
  const camera = at(POSTS, hashOf(minute, n, 2) % POSTS.length);
  const away = hashOf(minute, n, 3) % 3 > 0;
  // In every other minute the camera misreads the plate's last 0 as O.
  const plate = n === 0 && minute % 2 === 1 ? vehicle.plate.replace(/0(?=[^0]*$)/, "O") : vehicle.plate;
  return {
    id: `${minute}-${n}`,
    at: minute * MINUTE + (hashOf(minute, n, 4) % MINUTE),
    program: camera.program,
    agencyId: camera.agencyId,
    camera,
    vehicle,
    plate,
    state: hashOf(minute, n, 5) % 40 === 0 ? null : vehicle.state,
    color: vehicle.color,
    confidence: 86 + (hashOf(minute, n, 6) % 130) / 10,
    heading: away ? camera.heading : (camera.heading + 180) % 360,
    view: away || vehicle.state === "PA" || vehicle.bodyType === "Motorcycle" ? "rear" : "front",
  };
}
