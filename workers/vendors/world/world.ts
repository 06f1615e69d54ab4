/**
 * The demo world that the simulated vendors serve. Every read is a pure function of the seed and its UTC day. Nothing is
 * stored, so any time range, such as the last 90 days, always has reads, and a restart changes nothing.
 */

import { at } from "#app/lib/at.ts";
import { makeFleet, type Vehicle } from "./fleet.ts";
import { liveReadById, liveReads } from "./live.ts";
import { AGENCIES, type Agency, CAMERAS, type Camera, type Program } from "./places.ts";
import { roadsBetween } from "./roads.ts";
import { DAY, makeTraffic, type WorldRead } from "./traffic.ts";

interface ReadQuery {
  program: Program;
  agencyId?: string | undefined;
  /** Milliseconds since 1970, inclusive. */
  from: number;
  /** Milliseconds since 1970, inclusive. */
  to: number;
}

export interface World {
  agencies: readonly Agency[];
  cameras: readonly Camera[];
  vehicles: readonly Vehicle[];
  /** Returns the reads of a program in a window, newest first. */
  reads(query: ReadQuery): WorldRead[];
  /** Yields the same reads, computed day by day, for callers that stop early. */
  walk(query: ReadQuery & { order?: "desc" | "asc" }): Generator<WorldRead>;
  /** Returns the additional reads while the demo runs, oldest first. */
  live(from: number, to: number): WorldRead[];
  /** Returns the read with this id, or undefined. */
  readById(id: string): WorldRead | undefined;
  /** Returns the travel time between two cameras in free-flowing traffic, in seconds. */
  travelSeconds(from: Camera, to: Camera): number;
}

/** 22,500 reads over 90 days. */
const DEFAULT_READS_PER_DAY = 250;
const CACHED_READS = 150_000;

export function createWorld(options: { seed?: number; readsPerDay?: number; vehicles?: number } = {}): World {
  const seed = options.seed ?? 1;
  const readsPerDay = options.readsPerDay ?? DEFAULT_READS_PER_DAY;
  // Enough vehicles that none is read every few minutes all day.
  const count = options.vehicles ?? Math.max(2500, readsPerDay * 2);
  const fleet = makeFleet({ seed, count });
  const roads = roadsBetween(CAMERAS);
  const traffic = makeTraffic({ seed, readsPerDay, fleet, roads });
  const days = new Map<number, WorldRead[]>();
  let cached = 0;

  function readsOfDay(day: number): WorldRead[] {
    const known = days.get(day);
    if (known) return known;
    const made = traffic.day(day);
    days.set(day, made);
    cached += made.length;
    for (const [oldest, reads] of days) {
      if (cached <= CACHED_READS || oldest === day) break;
      days.delete(oldest);
      cached -= reads.length;
    }
    return made;
  }

  function* walk({ program, agencyId, from, to, order = "desc" }: ReadQuery & { order?: "desc" | "asc" }) {
    const first = Math.floor(from / DAY);
    const last = Math.floor(to / DAY);
    for (let step = 0; step <= last - first; step++) {
      const reads = readsOfDay(order === "desc" ? last - step : first + step);
      for (let n = 0; n < reads.length; n++) {
        const read = at(reads, order === "desc" ? n : reads.length - 1 - n);
        if (read.program !== program || read.at < from || read.at > to) continue;
        if (agencyId === undefined || read.agencyId === agencyId) yield read;
      }
    }
  }

  return {
    agencies: AGENCIES,
    cameras: CAMERAS,
    vehicles: fleet,
    walk,
    reads: (query) => [...walk(query)],
    live: (from, to) => liveReads(fleet, from, to),
    readById(id) {
      const live = liveReadById(fleet, id);
      if (live) return live;
      const parts = /^(\d{1,6})-(\d{1,7})$/.exec(id);
      return parts ? readsOfDay(Number(parts[1]))[Number(parts[2])] : undefined;
    },
    travelSeconds: (from, to) => roads.seconds(from.index, to.index),
  };
}
