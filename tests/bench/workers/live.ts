// Runs in workerd: matches reads against long lists in batches, and as the peer with one query per read. In workerd,
// the clock only advances with I/O, so only whole rounds are timed.

import type { AppContext } from "#app/context.ts";
import { matchReads } from "#app/domain/alerts/matching.ts";
import type { LiveRead } from "#app/entities/alerts/match.ts";
import { foldLookalikes } from "#app/entities/hotlists/entry.ts";
import type { NewRead } from "#app/store/archive/reads.ts";
import { openControl } from "#app/store/database.ts";
import { median } from "../figure.ts";
import { benchArchive, type SealedArchive } from "../support/archive.ts";
import { AGENCY, listPlates, plateOf } from "./plates.ts";

type Env = SealedArchive & { DB: D1Database };

/** One read in this many has a listed plate. */
const HIT_EVERY = 1000;
const BATCH = 1000;
/** Distinct vehicles: a real archive has about three distinct plates per ten reads. */
const VEHICLES = 30_000;

function contextOf(env: Env): AppContext {
  const alertJobs = { sendBatch: async () => {} };
  return {
    db: openControl(env.DB),
    alertJobs,
    clock: Date.now,
    waitUntil: () => {},
  } as unknown as AppContext;
}

let made = 0;

/** Returns new reads, of which one in a thousand is a hit. */
function newReads(count: number, entries: number): { live: LiveRead; kept: NewRead }[] {
  const now = Date.now();
  return Array.from({ length: count }, () => {
    const n = made++;
    const plate =
      n % HIT_EVERY === 0 ? plateOf(n % entries, "7") : plateOf((Math.imul(n, 40_503) >>> 0) % VEHICLES, "8");
    const facts = {
      plate,
      plateState: "CT",
      make: "Honda",
      color: "Blue",
      bodyType: "SUV",
      confidence: 90,
      cameraId: `camera-${n % 40}`,
      cameraName: "Bench",
      latitude: 41.7,
      longitude: -72.7,
      vehicleImageKey: null,
      plateImageKey: null,
    };
    const capturedAt = now - (n % 600_000);
    const live = {
      origin: { program: "Axis" as const, agencyId: AGENCY, integrationId: "" },
      passKey: `bench ${n}`,
      plate,
      plateState: "CT",
      seenAt: capturedAt,
      rank: 1,
      caveats: [],
      vendorImages: null,
      sentImages: [],
      facts: { ...facts, capturedAt },
    };
    const pass = { carId: String(n), carState: "lost" as const, direction: "in", eventAt: capturedAt };
    return { live, kept: { ...facts, ...pass, agencyId: AGENCY, capturedAt } };
  });
}

/** The peer: the same index, one query per read. */
async function askRow(env: Env, plate: string): Promise<void> {
  await env.DB.prepare(
    `SELECT e.*, g.agency_id FROM hotlist_entries e INDEXED BY hotlist_entries_folded JOIN alert_groups g ON g.id = e.group_id
      WHERE replace(replace(replace(replace(replace(replace(replace(replace(e.plate, 'O', '0'), 'D', '0'), 'Q', '0'), 'I', '1'), 'Z', '2'), 'S', '5'), 'B', '8'), 'G', '6') = ?
        AND e.from_version <= g.list_version AND (e.until_version IS NULL OR e.until_version > g.list_version)`,
  )
    .bind(foldLookalikes(plate))
    .all();
}

type Reads = ReturnType<typeof newReads>;
type Contender = { count: number; rounds: number; work: (reads: Reads) => Promise<void> };

/**
 * Returns the median milliseconds per thousand reads of each contender. Contenders take turns over the same period, so
 * that other load on the machine affects them equally.
 */
async function race<Name extends string>(
  contenders: Record<Name, Contender>,
  entries: number,
): Promise<Record<Name, number>> {
  const all = Object.entries<Contender>(contenders).map(([name, contender]) => ({
    name,
    ...contender,
    times: [] as number[],
  }));
  const most = Math.max(...all.map(({ rounds }) => rounds));
  for (let turn = 0; turn <= most; turn++) {
    for (const { count, rounds, work, times } of all) {
      // The first turn warms up; contenders with fewer rounds are spread evenly over the turns.
      const isDue =
        turn === 0 || Math.floor((turn * rounds) / most) > Math.floor(((turn - 1) * rounds) / most);
      if (!isDue) continue;
      const reads = newReads(count, entries);
      const start = performance.now();
      await work(reads);
      if (turn > 0) times.push(((performance.now() - start) * 1000) / count);
    }
  }
  return Object.fromEntries(all.map(({ name, times }) => [name, median(times)])) as Record<Name, number>;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const number = (name: string) => Number(searchParams.get(name));
    const app = contextOf(env);
    const store = benchArchive(env);
    const entries = number("entries");
    const match = async (reads: Reads) => {
      await matchReads(
        app,
        reads.map(({ live }) => live),
      );
    };
    switch (pathname) {
      case "/fill":
        await listPlates(env.DB, { from: number("from"), count: number("count") });
        return Response.json({});
      case "/match": {
        const { own, peer } = await race(
          {
            own: { count: BATCH * 5, rounds: 15, work: match },
            peer: {
              count: 300,
              rounds: 5,
              work: async (reads) => {
                for (const { live } of reads) await askRow(env, live.plate);
              },
            },
          },
          entries,
        );
        const { count } = (await env.DB.prepare("SELECT count(*) AS count FROM alerts").first<{
          count: number;
        }>()) ?? { count: 0 };
        if (count < 15 * 5) throw new Error(`only ${count} alerts were made`);
        return Response.json({ own, peer });
      }
      case "/ingest": {
        const keep = async (reads: Reads) => {
          await store.takeEvents(reads.map(({ kept }) => kept));
        };
        const keepOne = async ({ kept }: Reads[number]) => {
          await store.takeEvents([kept]);
        };
        const figures = await race(
          {
            small: { count: 500, rounds: 40, work: keep },
            single: {
              count: 200,
              rounds: 10,
              work: async (reads) => {
                for (const read of reads) await keepOne(read);
              },
            },
            large: { count: BATCH * 5, rounds: 20, work: keep },
            own: {
              count: BATCH * 5,
              rounds: 20,
              work: async (reads) => {
                await keep(reads);
                await match(reads);
              },
            },
            peer: {
              count: 200,
              rounds: 10,
              work: async (reads) => {
                for (const read of reads) {
                  await keepOne(read);
                  await askRow(env, read.live.plate);
                }
              },
            },
          },
          entries,
        );
        return Response.json(figures);
      }
      default:
        return new Response("not found", { status: 404 });
    }
  },
} satisfies ExportedHandler<Env>;
