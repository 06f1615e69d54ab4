// Opens the control database. Statements can be collected and run as one transaction with `inOneStep`.

import { is } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/d1";
import { SQLiteRaw } from "drizzle-orm/sqlite-core/query-builders/raw";
import * as accounts from "#app/store/schema/accounts.ts";
import * as alerts from "#app/store/schema/alerts.ts";
import * as cameras from "#app/store/schema/cameras.ts";
import * as exported from "#app/store/schema/exports.ts";
import * as groups from "#app/store/schema/groups.ts";
import * as hotlists from "#app/store/schema/hotlists.ts";
import * as integrations from "#app/store/schema/integrations.ts";
import * as operations from "#app/store/schema/operations.ts";
import * as oversight from "#app/store/schema/oversight.ts";
import * as search from "#app/store/schema/search.ts";
import * as signOn from "#app/store/schema/single-sign-on.ts";

/** Tables available by name in `db.query`; other queries take the table itself. */
const schema = {
  ...accounts,
  ...alerts,
  ...cameras,
  ...exported,
  ...groups,
  ...hotlists,
  ...integrations,
  ...operations,
  ...oversight,
  ...search,
  ...signOn,
};

/** Databases that this isolate has opened. They hold no request data, and opening one processes every table. */
const opened = new WeakMap<D1Database, ReturnType<typeof open>>();

/** Returns the control database, opened once per isolate. Errors of its statements do not contain bound values. */
export function openControl(database: D1Database) {
  const db = opened.get(database) ?? open(database);
  opened.set(database, db);
  return db;
}

function open(database: D1Database) {
  const db = drizzle(database, { schema });
  // Drizzle's types hide the session.
  throwPlainly(Reflect.get(db, "session"));
  return db;
}

type Prepared = { queryWithCache: (sql: string, values: unknown[], ask: () => Promise<unknown>) => unknown };
type Session = { prepareQuery: (...query: unknown[]) => Prepared };

/**
 * Rethrows database errors unchanged. Drizzle puts the bound values of a failed statement into the error message, so
 * logs would contain plates, names and hashes.
 */
function throwPlainly(session: Session): void {
  const prepare = session.prepareQuery.bind(session);
  session.prepareQuery = (...query) =>
    Object.assign(prepare(...query), {
      queryWithCache: (_sql: string, _values: unknown[], ask: () => unknown) => ask(),
    });
}

export type ControlDb = ReturnType<typeof openControl>;
export type Statement = BatchItem<"sqlite">;

/**
 * Runs statements as one transaction (D1 `batch`): all of them or none. Returns their results; see `rowsOf` for raw
 * SQL.
 */
export async function inOneStep(db: ControlDb, statements: [Statement, ...Statement[]]): Promise<unknown[]> {
  const [first, ...rest] = statements;
  return db.batch([batchable(db, first), ...rest.map((statement) => batchable(db, statement))]);
}

/** Returns a statement of raw SQL (`db.run(sql…)`) for a batch of the database itself. */
export function preparedOf(db: ControlDb, statement: Statement): D1PreparedStatement {
  if (!is(statement, SQLiteRaw)) throw new Error("this statement is not raw SQL");
  const query = statement.getQuery();
  return db.$client.prepare(query.sql).bind(...query.params);
}

/**
 * Returns a function that prepares something for a database once per isolate, such as a statement that every request
 * runs. Composing the SQL of a select with two joins takes drizzle 0.3 ms of processor time; a prepared one takes 0.005
 * ms.
 */
export function preparedOnce<T>(prepare: (db: ControlDb) => T): (db: ControlDb) => T {
  const known = new WeakMap<ControlDb, T>();
  return (db) => {
    const prepared = known.get(db) ?? prepare(db);
    known.set(db, prepared);
    return prepared;
  };
}

/** Returns the rows of a `db.all(sql…)` that ran in a batch; the caller states their type, as with `db.all`. */
export function rowsOf<T>(result: unknown): T[] {
  return (result as D1Result<T>).results;
}

/** Returns the number of rows that a `db.run(sql…)` or a write without returned rows changed in a batch. */
export function changesOf(result: unknown): number {
  return (result as D1Result).meta.changes;
}

/** Drizzle's batch does not bind the parameters of raw SQL, so that such a statement is prepared here. */
function batchable(db: ControlDb, statement: Statement): Statement {
  if (!is(statement, SQLiteRaw)) return statement;
  const query = statement.getQuery();
  const prepared = {
    getQuery: () => query,
    stmt: db.$client.prepare(query.sql),
    mapResult: (result: unknown) => result,
  };
  // Drizzle's batch calls only `_prepare` of an item.
  return Object.assign(statement, { _prepare: () => prepared });
}
