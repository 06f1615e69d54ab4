/**
 * One day of traffic: trips over the camera graph, and the reads of the cameras on the way. A day depends only on the
 * seed and its number, so no trip may cross UTC midnight: vehicles with even ids do not drive in the last ninety minutes
 * of a day, those with odd ids not in the first ninety.
 */
import type { UsStateCode } from "#app/entities/search/jurisdiction-names.ts";
import type { VehicleColor } from "#app/entities/search/vehicle.ts";
import { at } from "#app/lib/at.ts";
import { easternClock, easternOffsetHours } from "./eastern-time.ts";
import { CONVOY, misread, PERSONS_OF_INTEREST, type Vehicle } from "./fleet.ts";
import { CAMERAS, type Camera, type Program } from "./places.ts";
import { hashOf, type Random, randomFrom } from "./random.ts";
import { bearing, type Roads } from "./roads.ts";
import { ROUTINE, showcaseTrips } from "./showcase.ts";

export const DAY = 86_400_000;
const HOUR = 3_600_000;
const REST = 1.5 * HOUR;
const COMMUTERS = 400;

/** A camera's read. `plate` and `color` are as read; the true ones are those of `vehicle`. */
export interface WorldRead {
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  program: Program;
  agencyId: string;
  camera: Camera;
  vehicle: Vehicle;
  plate: string;
  /** Null if the camera could not recognize the jurisdiction. */
  state: UsStateCode | null;
  color: VehicleColor;
  /** 0 to 100. */
  confidence: number;
  /** Degrees clockwise from north. */
  heading: number;
  view: "front" | "rear";
}

interface Trip {
  vehicle: Vehicle;
  way: number[];
  begin: number;
  end: number;
  /** Travel time relative to free-flowing traffic; 1 or more. */
  pace: number;
}

export interface Traffic {
  /** Returns the reads of a UTC day (days since 1970), newest first. */
  day(day: number): WorldRead[];
}

/** Reads every vehicle, on either side of the road. */
const ALWAYS: Record<Program, number> = { rekor: 3, axon: 3, axis: 3 };

/** Share of misread plates of the vehicle that shows misreads, at all cameras but Axis, where the tutorial looks. */
const MISREAD_SHARE = 0.45;

/** Each program's share of all reads. */
const SHARES: Record<Program, number> = { rekor: 0.52, axon: 0.33, axis: 0.15 };

/** Relative number of trips that begin in each local hour, from midnight. */
const HOURS = [3, 2, 1, 1, 2, 5, 12, 20, 19, 13, 11, 12, 14, 13, 14, 17, 21, 22, 17, 13, 10, 8, 6, 4];

/** Colors that only Rekor distinguishes, and the others' names for them. */
const PLAIN_COLORS: Partial<Record<VehicleColor, VehicleColor>> = {
  "Gold/Beige": "Brown",
  Orange: "Red",
  Pink: "Red",
  Purple: "Blue",
};

export function makeTraffic(setup: {
  seed: number;
  readsPerDay: number;
  fleet: Vehicle[];
  roads: Roads;
}): Traffic {
  const { seed, readsPerDay, fleet, roads } = setup;

  function drive(random: Random, trips: Trip[], trip: Omit<Trip, "end">, dayStart: number): boolean {
    const last = trip.way[trip.way.length - 1] ?? 0;
    const first = trip.way[0] ?? 0;
    const end = trip.begin + roads.seconds(first, last) * trip.pace * 1000 + 5000;
    const odd = trip.vehicle.id % 2 === 1;
    if (trip.begin < dayStart + (odd ? REST : 0) || end > dayStart + DAY - (odd ? 0 : REST)) return false;
    for (const other of trips) {
      if (other.vehicle !== trip.vehicle) continue;
      const after = roads.seconds(other.way[other.way.length - 1] ?? 0, first) * 1200;
      const before = roads.seconds(last, other.way[0] ?? 0) * 1200;
      if (trip.begin < other.end + after && end + before > other.begin) return false;
    }
    trips.push({ ...trip, end });
    if (trip.vehicle.id === CONVOY.leader) {
      const follower = at(fleet, CONVOY.follower);
      const lag = 12_000 + random() * 30_000;
      trips.push({ ...trip, vehicle: follower, begin: trip.begin + lag, end: end + lag });
    }
    return true;
  }

  function plan(random: Random, day: number, wanted: number): Trip[] {
    const dayStart = day * DAY;
    const trips: Trip[] = [];
    function timeOf(localHour: number): number {
      const offset = easternOffsetHours(dayStart + 12 * HOUR);
      return Math.floor(dayStart + ((localHour - offset + 48) % 24) * HOUR);
    }
    function tryTrip(vehicle: Vehicle, way: number[], begin: number): boolean {
      if (way.length < 2) return false;
      return drive(random, trips, { vehicle, way, begin, pace: 1 + random() * 0.45 }, dayStart);
    }
    for (const id of PERSONS_OF_INTEREST) {
      if (id === CONVOY.follower) continue;
      for (let n = 0; n < 2 && trips.length < wanted / 4; n++) {
        if (random() < 0.7) tryTrip(at(fleet, id), anyWay(random, roads), timeOf(localHour(random)));
      }
    }
    for (let tries = 0; trips.length < wanted && tries < wanted * 4; tries++) {
      const commuter = 13 + 2 * Math.floor(random() ** 2 * COMMUTERS);
      const morning = random() < 0.5;
      if (random() < 0.4) {
        const habits = randomFrom(hashOf(seed, 7002, commuter));
        const home = Math.floor(habits() * CAMERAS.length);
        const work = Math.floor(habits() * CAMERAS.length);
        const leaves = timeOf(
          (morning ? 6.2 + habits() * 2.4 : 15.6 + habits() * 2.4) + (random() - 0.5) * 0.4,
        );
        const weekday = easternClock(leaves).weekday;
        if (weekday === 0 || weekday === 6) continue;
        const vehicle = at(fleet, commuter % fleet.length);
        tryTrip(vehicle, morning ? roads.path(home, work) : roads.path(work, home), leaves);
      } else {
        const begin = timeOf(localHour(random));
        const id = 12 + Math.floor(random() * (fleet.length - 14));
        // Near UTC midnight only vehicles with odd ids (before it) or even ids (after it) may drive.
        const allowed = begin - dayStart > DAY - 2 * REST ? id | 1 : begin - dayStart < REST ? id & ~1 : id;
        tryTrip(at(fleet, allowed), anyWay(random, roads), begin);
      }
    }
    return trips;
  }

  /** The reads of the vehicles of the tutorial. They have their own random numbers, so that the others stay the same. */
  function shownReads(day: number): WorldRead[] {
    const random = randomFrom(hashOf(seed, 7005, day));
    return showcaseTrips(day, roads).flatMap(({ vehicle: id, way, begin }) => {
      const vehicle = fleet[id] as Vehicle;
      const reads = readsOf(random, { vehicle, way, begin, end: begin, pace: 1.2 }, roads, ALWAYS);
      if (id !== ROUTINE) return reads.map((read) => ({ ...read, plate: vehicle.plate }));
      return reads.map((read) => ({
        ...read,
        plate:
          read.program !== "axis" && random() < MISREAD_SHARE
            ? misread(random, vehicle.plate)
            : vehicle.plate,
      }));
    });
  }

  const calibration = calibrate(plan(randomFrom(hashOf(seed, 7003)), 20_000, 1200));

  return {
    day(day) {
      const random = randomFrom(hashOf(seed, 7004, day));
      const weekday = easternClock(day * DAY + 12 * HOUR).weekday;
      const busy = weekday === 0 ? 0.82 : weekday === 6 ? 0.92 : 1.05;
      const trips = plan(
        random,
        day,
        Math.max(1, Math.round((readsPerDay * busy) / calibration.readsPerTrip)),
      );
      const reads = [
        ...trips.flatMap((trip) => readsOf(random, trip, roads, calibration.chance)),
        ...shownReads(day),
      ].filter((read) => read.at >= day * DAY && read.at < (day + 1) * DAY);
      reads.sort((a, b) => b.at - a.at || a.camera.index - b.camera.index);
      return reads.map((read, index) => ({ ...read, id: `${day}-${index}` }));
    },
  };
}

function localHour(random: Random): number {
  let left = random() * HOURS.reduce((sum, share) => sum + share, 0);
  for (const [hour, share] of HOURS.entries()) {
    if (left < share) return hour + left / share;
    left -= share;
  }
  return 12;
}

function anyWay(random: Random, roads: Roads): number[] {
  const from = Math.floor(random() * CAMERAS.length);
  return roads.path(from, Math.floor(random() * CAMERAS.length));
}

/** Returns the vehicle's heading at a camera on its way, and whether the camera sees its rear. */
function passing(way: number[], step: number): { heading: number; away: boolean } {
  const camera = at(CAMERAS, way[step] ?? 0);
  const before = at(CAMERAS, way[Math.max(0, step - 1)] ?? 0);
  const after = at(CAMERAS, way[Math.min(way.length - 1, step + 1)] ?? 0);
  const turn = Math.abs(((bearing(before, after) - camera.heading + 540) % 360) - 180);
  return turn < 95
    ? { heading: camera.heading, away: true }
    : { heading: (camera.heading + 180) % 360, away: false };
}

/** Chance that a camera reads traffic on the far side, relative to its own lane. */
const FAR_SIDE = 0.4;

/** Returns the chance of a read per program that results in the wanted shares on this road graph. */
function calibrate(trips: Trip[]): { chance: Record<Program, number>; readsPerTrip: number } {
  const seen: Record<Program, number> = { rekor: 0, axon: 0, axis: 0 };
  for (const trip of trips) {
    for (const [step, index] of trip.way.entries()) {
      seen[at(CAMERAS, index).program] += passing(trip.way, step).away ? 1 : FAR_SIDE;
    }
  }
  const programs = ["rekor", "axon", "axis"] as const;
  const perTrip = Math.min(
    ...programs.map((program) => (0.97 * seen[program]) / trips.length / SHARES[program]),
  );
  const chance = { rekor: 0, axon: 0, axis: 0 };
  for (const program of programs)
    chance[program] = (perTrip * SHARES[program] * trips.length) / seen[program];
  return { chance, readsPerTrip: perTrip };
}

function readsOf(random: Random, trip: Trip, roads: Roads, chance: Record<Program, number>): WorldRead[] {
  const reads: WorldRead[] = [];
  const { vehicle, way } = trip;
  for (const [step, index] of way.entries()) {
    const camera = at(CAMERAS, index);
    const { heading, away } = passing(way, step);
    if (random() > chance[camera.program] * (away ? 1 : FAR_SIDE)) continue;
    const seconds = roads.seconds(way[0] ?? 0, index) * trip.pace;
    const wrong = random() < camera.errorRate;
    // Pennsylvania issues no front plate, and a motorcycle has none either.
    const rear = away || vehicle.state === "PA" || vehicle.bodyType === "Motorcycle";
    reads.push({
      id: "",
      at: Math.floor(trip.begin + seconds * 1000 + random() * 4000),
      program: camera.program,
      agencyId: camera.agencyId,
      camera,
      vehicle,
      plate: wrong ? misread(random, vehicle.plate) : vehicle.plate,
      state: random() < 0.012 ? null : vehicle.state,
      color: camera.program === "rekor" ? vehicle.color : (PLAIN_COLORS[vehicle.color] ?? vehicle.color),
      confidence: Math.round((wrong ? 68 + random() * 20 : 86 + random() * 13.5) * 100) / 100,
      heading,
      view: rear ? "rear" : "front",
    });
  }
  return reads;
}
