// Runs in workerd: stores the reads of one day in one database, and drains it in steps as the cron does.

import { drainStorage } from "#app/domain/operations/drain.ts";
import { parsePlatePattern } from "#app/entities/search/plate.ts";
import { DAY, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { createPlaces, findReadsDatabases } from "#app/store/archive/placement.ts";
import type { NewRead } from "#app/store/archive/reads.ts";
import { openControl } from "#app/store/database.ts";
import { databaseThrough } from "../../../workers/wrapped-bindings.ts";
import { benchArchive, type SealedArchive } from "../support/archive.ts";
import { AGENCY, plateOf } from "./plates.ts";

export type DrainStep = { ms: number; queries: number; moved: number; closedMs: number; isDone: boolean };

const CAMERAS = 200;
/** Latency of a call to a database. */
const LATENCY_MS = 10;
/** Returns yesterday. Not a constant, because workerd has no clock before the first request. */
const dayMoved = () => utcDay(Date.now()) - 1;
/** Added to the clock, so that moved rows are deleted without waiting. */
let later = 0;

function readOf(n: number, total: number): NewRead {
  // A quarter of a million vehicles, each seen a few times.
  const capturedAt = dayMoved() * DAY + DAY / 50 + Math.floor((n / total) * DAY * 0.9);
  return {
    plate: plateOf(n % 250_000, "8"),
    plateState: "CT",
    make: "Honda",
    color: "blue",
    bodyType: "sedan",
    confidence: 90,
    direction: "N",
    latitude: 41.76,
    longitude: -72.67,
    carState: "new",
    eventAt: capturedAt,
    capturedAt,
    vehicleImageKey: `axis/${n}.v.jpg`,
    plateImageKey: `axis/${n}.p.jpg`,
    agencyId: AGENCY,
    cameraId: `camera-${n % CAMERAS}`,
    cameraName: `Camera ${n % CAMERAS}`,
    carId: String(n),
  };
}

async function fill(env: SealedArchive, { from, count, total }: Record<"from" | "count" | "total", number>) {
  if (from === 0)
    await env.DB.batch([
      env.DB.prepare("INSERT INTO read_databases (name, state_at) VALUES ('READS_0', 0), ('READS_1', 0)"),
      env.DB.prepare(
        "INSERT INTO read_places (day, part, database, placed_at) VALUES (?, 0, 'READS_0', 0)",
      ).bind(dayMoved()),
    ]);
  await benchArchive(env).insertReads(Array.from({ length: count }, (_, i) => readOf(from + i, total)));
}

const movedReads = (env: SealedArchive) =>
  env.DB.prepare("SELECT moved_reads AS n FROM read_databases WHERE name = 'READS_0'").first<number>("n");

/** Runs one step of the cron. The day is closed from the query that marks it as closed until it is marked as moved. */
async function step(env: SealedArchive): Promise<DrainStep> {
  let queries = 0;
  let [closedAt, closedMs] = [0, 0];
  const call = async <T>(work: () => Promise<T>) => {
    queries += 1;
    // As in production. Without it, the local runtime starts no other request while calls follow each other.
    await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
    return work();
  };
  const through = (database: D1Database) => databaseThrough(database, call);
  const databases = findReadsDatabases({
    READS_0: through(watchState(env.READS_0)),
    READS_1: through(env.READS_1),
  });
  const db = openControl(through(env.DB));
  const clock = () => Date.now() + later;
  const before = (await movedReads(env)) ?? 0;
  const start = Date.now();
  await drainStorage({ db, places: createPlaces({ db, databases, limitBytes: 1e10, clock }), clock });
  const ms = Date.now() - start;
  const left = await env.DB.prepare(
    "SELECT count(*) AS n FROM read_places WHERE database = 'READS_0' OR left_in = 'READS_0'",
  ).first<number>("n");
  const days = await env.DB.prepare("SELECT count(*) AS n FROM read_places WHERE database = 'READS_0'").first(
    "n",
  );
  if (days === 0) later = 6 * MINUTE;
  return { ms, queries, moved: ((await movedReads(env)) ?? 0) - before, closedMs, isDone: left === 0 };

  function watchState(database: D1Database): D1Database {
    return new Proxy(database, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === "prepare")
          return (sql: string) => {
            const statement = target.prepare(sql);
            if (!sql.includes("state = ?2")) return note(sql, statement);
            const bind = statement.bind.bind(statement);
            statement.bind = (...values: unknown[]) => {
              if (values[1] === "closed") closedAt = Date.now();
              return bind(...values);
            };
            return statement;
          };
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  function note(sql: string, statement: D1PreparedStatement): D1PreparedStatement {
    if (closedAt > 0 && closedMs === 0 && sql.includes("SET state = 'moved'"))
      closedMs = Date.now() - closedAt;
    return statement;
  }
}

async function search(env: SealedArchive, n: number): Promise<number> {
  const plate = parsePlatePattern(plateOf((n * 7919) % 100_000, "8"));
  if (!plate) throw new Error("no pattern");
  let found = 0;
  for await (const page of benchArchive(env).searchReads({
    agencyIds: [AGENCY],
    cameraIds: Array.from({ length: CAMERAS }, (_, i) => `camera-${i}`),
    query: {
      plate,
      plateState: "",
      make: "",
      color: "",
      bodyType: "",
      marks: [],
      from: dayMoved() * DAY,
      to: (dayMoved() + 1) * DAY - 1,
    },
    maxReads: 1000,
    signal: new AbortController().signal,
  }))
    found += page.reads.length;
  if (found === 0) throw new Error(`no read of vehicle ${n} was found`);
  return found;
}

export default {
  async fetch(request: Request, env: SealedArchive): Promise<Response> {
    const { pathname, searchParams: params } = new URL(request.url);
    const number = (name: string) => Number(params.get(name));
    switch (pathname) {
      case "/fill":
        await fill(env, { from: number("from"), count: number("count"), total: number("total") });
        return Response.json({});
      case "/begin":
        await env.DB.prepare("UPDATE read_databases SET state = 'draining' WHERE name = 'READS_0'").run();
        return Response.json({});
      case "/step":
        return Response.json(await step(env));
      case "/search":
        return Response.json({ found: await search(env, number("n")) });
      case "/check":
        return Response.json({
          found: await env.READS_1.prepare("SELECT count(*) AS n FROM sealed_reads").first<number>("n"),
        });
      default:
        return new Response("not found", { status: 404 });
    }
  },
} satisfies ExportedHandler<SealedArchive>;
