// Reads every table of a database. The list of tables comes from SQLite itself, so that no new table is forgotten.
// Virtual tables are left out; triggers fill them again.

import type { BackupPlan, ColumnPlan, TablePlan } from "#app/entities/operations/backup.ts";

/** Bookkeeping: migrations belong to the database that is restored into, runs to the bucket. */
const LEFT_OUT = ["backup_runs", "backup_parts", "d1_migrations", "__drizzle_migrations"];

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

type Relation = { from: string; to: string; columns: { own: string; other: string | null }[] };

type TableLayout = Omit<TablePlan, "bound" | "whole"> & {
  primaryKey: string[];
  /** Whether the rowid is the integer primary key, which grows with each new row. */
  isNumbered: boolean;
};

export type Layout = {
  /** Parents before the tables that refer to them. */
  tables: TableLayout[];
  relations: Relation[];
};

type ColumnRow = { tbl: string; wr: number; name: string; type: string; hidden: number; pk: number };

/** Returns a database's tables with their columns and references. Throws if references form a cycle. */
export async function readLayout(database: D1Database): Promise<Layout> {
  const names = `
    SELECT name, wr
    FROM pragma_table_list
    WHERE schema = 'main'
      AND type = 'table'
      AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
      AND name NOT LIKE '~_cf%' ESCAPE '~'
      AND name NOT IN (${LEFT_OUT.map(literal).join(", ")})
    ORDER BY name`;
  const { results: listed } = await database.prepare(names).all<{ name: string; wr: number }>();
  const known = JSON.stringify(listed);
  const [columns, references] = (await database.batch([
    database
      .prepare(`
        SELECT t.value ->> 'name' AS tbl, t.value ->> 'wr' AS wr, c.name, c.type, c.hidden, c.pk
        FROM json_each(?) t, pragma_table_xinfo(t.value ->> 'name') c`)
      .bind(known),
    database
      .prepare(`
        SELECT t.value ->> 'name' AS tbl, f.id, f."table" AS parent, f."from" AS own, f."to" AS other
        FROM json_each(?) t, pragma_foreign_key_list(t.value ->> 'name') f
        ORDER BY 1, f.id, f.seq`)
      .bind(known),
  ])) as [
    D1Result<ColumnRow>,
    D1Result<{ tbl: string; id: number; parent: string; own: string; other: string | null }>,
  ];
  const byTable = Map.groupBy(columns.results, ({ tbl }) => tbl);
  const relations = [...Map.groupBy(references.results, ({ tbl, id }) => `${tbl} ${id}`).values()].map(
    (rows): Relation => ({
      from: rows[0]?.tbl ?? "",
      to: rows[0]?.parent ?? "",
      columns: rows.map(({ own, other }) => ({ own, other })),
    }),
  );
  const tables = listed.map(({ name }) => tableOf(name, byTable.get(name) ?? []));
  return { tables: parentsFirst(tables, relations), relations };
}

function tableOf(name: string, columns: ColumnRow[]): TableLayout {
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const primaryKey = keys.map((column) => column.name);
  const hasRowid = !columns[0]?.wr;
  return {
    name,
    // Generated columns are computed again.
    columns: columns
      .filter(({ hidden }) => hidden === 0)
      .map(({ name, type }) => ({ name, as: encodingOf(type) })),
    key: hasRowid ? ["rowid"] : primaryKey,
    primaryKey,
    isNumbered: hasRowid && keys.length === 1 && keys[0]?.type.toUpperCase() === "INTEGER",
  };
}

/** Returns how JSON has to encode a column, by SQLite's affinity rules. */
function encodingOf(type: string): ColumnPlan["as"] {
  if (/BLOB/i.test(type) || type === "") return "blob";
  return /REAL|FLOA|DOUB/i.test(type) ? "real" : "plain";
}

function parentsFirst(tables: TableLayout[], relations: Relation[]): TableLayout[] {
  const sorted: TableLayout[] = [];
  let waiting = tables;
  while (waiting.length > 0) {
    const open = new Set(waiting.map(({ name }) => name));
    const isReady = ({ name }: TableLayout) =>
      relations.every(({ from, to }) => from !== name || to === name || !open.has(to));
    const ready = waiting.filter(isReady);
    if (ready.length === 0)
      throw new Error(`tables refer to each other in a circle: ${[...open].join(", ")}`);
    sorted.push(...ready);
    waiting = waiting.filter((table) => !ready.includes(table));
  }
  return sorted;
}

/**
 * Returns an SQL expression for a row as a line of JSON: reals with all digits, blobs and texts of blob columns marked.
 */
function lineOf(columns: ColumnPlan[]): string {
  const values = columns.map(({ name, as }) => {
    const column = quoted(name);
    if (as === "real")
      return `CASE typeof(${column}) WHEN 'real' THEN printf('%!.17g', ${column}) ELSE ${column} END`;
    if (as === "blob")
      return `CASE typeof(${column}) WHEN 'blob' THEN 'x' || hex(${column}) WHEN 'text' THEN 't' || ${column} ELSE ${column} END`;
    return column;
  });
  return `json_array(${values.join(", ")})`;
}

const cursorOf = (key: string[]) => `json_array(${key.map(quoted).join(", ")})`;

export type Chunk = { lines: string[]; after: string };

type Line = [cursor: string, line: string];

/** Returns the statement that reads rows after a cursor, in the order of the table's key. */
function chunkOf(database: D1Database, table: TablePlan, from: { after: string; limit: number }) {
  const { columns, key, bound } = table;
  const keys = key.map(quoted);
  const conditions = [
    from.after !== "" && `(${keys.join(", ")}) > (${keys.map((_, n) => `?1 ->> ${n}`).join(", ")})`,
    bound !== null && `${keys[0]} <= ${bound}`,
  ].filter((condition) => condition !== false);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
  const statement = database.prepare(`
    SELECT ${cursorOf(key)} AS cursor, ${lineOf(columns)} AS line
    FROM ${quoted(table.name)} ${where}
    ORDER BY ${keys.join(", ")}
    LIMIT ${from.limit}`);
  return from.after === "" ? statement : statement.bind(from.after);
}

/**
 * Returns rows after a cursor; the empty cursor is the start. Fewer rows than the limit means that these are the last.
 */
export async function readChunk(
  database: D1Database,
  table: TablePlan,
  from: { after: string; limit: number },
): Promise<Chunk> {
  const rows = await chunkOf(database, table, from).raw<Line>();
  return { lines: rows.map(([, line]) => line), after: rows.at(-1)?.[0] ?? from.after };
}

/** Rows of a small table, and of all small tables that one transaction reads together. */
const SMALL = 2_000;
const SMALL_TOGETHER = 20_000;

export type Snapshot = {
  plan: BackupPlan["databases"][number];
  /** The complete small tables at one instant, by name. */
  whole: Map<string, Chunk>;
};

/** A row of one of the statements of a snapshot. */
type SnapshotRow = { name?: string; seq?: number; bound?: number | null; cursor?: string; line?: string };

/**
 * Starts a database: reads its small tables in one transaction, so that they are consistent, and in the same
 * transaction notes the highest rowid of each large numbered table, so that later rows are left out.
 */
export async function readSnapshot(database: D1Database, name: string): Promise<Snapshot> {
  const { tables } = await readLayout(database);
  const counts = await database.batch<{ n: number }>(
    tables.map((table) =>
      database.prepare(`
        SELECT count(*) AS n
        FROM (SELECT 1 FROM ${quoted(table.name)} LIMIT ${SMALL + 1})`),
    ),
  );
  const bySize = tables
    .map((table, at) => ({ table, rows: counts[at]?.results[0]?.n ?? 0 }))
    .sort((a, b) => a.rows - b.rows);
  let together = 0;
  const small = bySize.filter(({ rows }) => {
    together += rows;
    return rows <= SMALL && together <= SMALL_TOGETHER;
  });
  const isSmall = new Set(small.map(({ table }) => table.name));
  const numbered = tables.filter(({ name, isNumbered }) => isNumbered && !isSmall.has(name));
  const results = await database.batch<SnapshotRow>([
    database.prepare("SELECT name, seq FROM sqlite_sequence"),
    ...numbered.map((table) => database.prepare(`SELECT max(rowid) AS bound FROM ${quoted(table.name)}`)),
    ...small.map(({ table }) =>
      chunkOf(database, { ...table, bound: null, whole: true }, { after: "", limit: SMALL + SMALL_TOGETHER }),
    ),
  ]);
  const [sequences, ...rest] = results;
  const bounds = new Map(numbered.map((table, at) => [table.name, rest[at]?.results[0]?.bound ?? null]));
  const whole = new Map(
    small.map(({ table }, at): [string, Chunk] => {
      const rows = rest[numbered.length + at]?.results ?? [];
      return [table.name, { lines: rows.map(({ line = "" }) => line), after: rows.at(-1)?.cursor ?? "" }];
    }),
  );
  const ofOurs = new Set(tables.map((table) => table.name));
  return {
    plan: {
      name,
      tables: tables.map(({ name, columns, key }) => {
        return { name, columns, key, bound: bounds.get(name) ?? null, whole: whole.has(name) };
      }),
      sequences: Object.fromEntries(
        (sequences?.results ?? [])
          .map(({ name, seq }) => [String(name), Number(seq)] as const)
          .filter(([name]) => ofOurs.has(name)),
      ),
    },
    whole,
  };
}
