// Finds reads in one database, a page at a time by key, never by OFFSET. The SQL is written by hand, since each way
// names the index to walk (INDEXED BY), which drizzle cannot say; every clause is one of the texts below, all values
// are bound.

import type { SightingQuery } from "#app/entities/search.ts";
import type { PlatePlan } from "./reads-plan.ts";

/** Where a page begins: only reads that are older, or as old with a smaller id. */
export type ReadKey = { capturedAt: number; id: number };

export type ReadFilter = Pick<SightingQuery, "plateState" | "make" | "color" | "bodyType" | "from"> & {
  /** Agencies and cameras as JSON, so that any number of them is one bound value. */
  agencyIds: string;
  cameraIds: string;
};

/** A read as it stands in a database, in the order of `COLUMNS`. */
export type ReadRow = [
  id: number,
  plate: string,
  capturedAt: number,
  agencyId: string,
  plateState: string,
  make: string,
  color: string,
  bodyType: string,
  confidence: number | null,
  latitude: number | null,
  longitude: number | null,
  cameraName: string,
  vehicleImageKey: string | null,
  plateImageKey: string | null,
];

const COLUMNS = `r.id, p.plate, r.captured_at, r.agency_id, r.plate_state, r.make, r.color, r.body_type, r.confidence,
  r.latitude_e6, r.longitude_e6, r.camera_name, r.vehicle_image_key, r.plate_image_key`;

/**
 * With more fitting plates than this, reads are so dense among all that walking time finds a page sooner than
 * visiting every plate does: c plates cost their reads, walking costs 1,000 * plates / c look-ups.
 */
export const MAX_CANDIDATES = 10_000;

type Bound = string | number;
type Found = { sql: string; values: Bound[] };

/** The fitting plates as JSON ids, or null where they are too many to be visited one by one. */
export async function findPlates(
  database: D1Database,
  plan: Extract<PlatePlan, { glob: string }>,
): Promise<string | null> {
  const { sql, values } = platesQuery(plan);
  const rows = await database
    .prepare(`${sql} LIMIT ${MAX_CANDIDATES + 1}`)
    .bind(...values)
    .raw<[number]>();
  return rows.length > MAX_CANDIDATES ? null : `[${rows.join(",")}]`;
}

function platesQuery(plan: Extract<PlatePlan, { glob: string }>): Found {
  if (plan.kind === "trigram") {
    return { sql: "SELECT rowid FROM plates_fts WHERE plate GLOB ?", values: [plan.glob] };
  }
  if (plan.kind === "prefix") {
    return {
      sql: "SELECT id FROM plates WHERE plate >= ? AND plate < ? AND plate GLOB ?",
      values: [plan.from, plan.below, plan.glob],
    };
  }
  return {
    sql: "SELECT id FROM plates INDEXED BY plates_plate_unique WHERE plate GLOB ?",
    values: [plan.glob],
  };
}

/** One page of the reads of these plates, newest first. */
export function findReadsOfPlates(input: {
  database: D1Database;
  plateIds: string;
  filter: ReadFilter;
  after: ReadKey;
  limit: number;
}): Promise<ReadRow[]> {
  const conditions = conditionsOf(input.filter, input.after);
  return page(input.database, {
    sql: `SELECT s.id FROM json_each(?) AS c CROSS JOIN reads AS s INDEXED BY reads_plate_time ON s.plate_id = c.value
      WHERE ${conditions.sql} ORDER BY s.captured_at DESC, s.id DESC LIMIT ?`,
    values: [input.plateIds, ...conditions.values, input.limit],
  });
}

/** One page of reads by time, newest first; of those whose plate fits, where a pattern is given. */
export function findReadsByTime(input: {
  database: D1Database;
  glob: string | null;
  filter: ReadFilter;
  after: ReadKey;
  limit: number;
}): Promise<ReadRow[]> {
  const conditions = conditionsOf(input.filter, input.after);
  const fits =
    input.glob === null ? "" : "AND (SELECT plate FROM plates WHERE plates.id = s.plate_id) GLOB ?";
  return page(input.database, {
    sql: `SELECT s.id FROM reads AS s INDEXED BY reads_agency_time
      WHERE ${conditions.sql} ${fits} ORDER BY s.captured_at DESC, s.id DESC LIMIT ?`,
    values: [...conditions.values, ...(input.glob === null ? [] : [input.glob]), input.limit],
  });
}

function conditionsOf(filter: ReadFilter, after: ReadKey): Found {
  let sql = `s.agency_id IN (SELECT value FROM json_each(?)) AND s.captured_at >= ? AND s.captured_at <= ?
    AND (s.captured_at < ? OR s.id < ?)`;
  const values: Bound[] = [filter.agencyIds, filter.from, after.capturedAt, after.capturedAt, after.id];
  const equal = (column: "plate_state" | "make" | "color" | "body_type", value: string) => {
    if (value === "") return;
    sql += ` AND s.${column} = ?`;
    values.push(value);
  };
  equal("make", filter.make);
  equal("color", filter.color);
  equal("body_type", filter.bodyType);
  equal("plate_state", filter.plateState);
  // Last, since it costs more than a comparison: SQLite tries conditions in their order.
  sql += " AND s.camera_id IN (SELECT value FROM json_each(?))";
  values.push(filter.cameraIds);
  return { sql, values };
}

/** The rows of the ids that were found: only these are looked up in the table. */
function page(database: D1Database, found: Found): Promise<ReadRow[]> {
  return database
    .prepare(
      `SELECT ${COLUMNS} FROM (${found.sql}) AS f CROSS JOIN reads AS r ON r.id = f.id
        CROSS JOIN plates AS p ON p.id = r.plate_id ORDER BY r.captured_at DESC, r.id DESC`,
    )
    .bind(...found.values)
    .raw<ReadRow>();
}
