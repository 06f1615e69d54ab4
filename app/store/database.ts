// Opens the control database. Statements made here may be gathered and run as one transaction with `inOneStep`.

import { is } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/d1";
import { SQLiteRaw } from "drizzle-orm/sqlite-core/query-builders/raw";
import * as accounts from "#app/store/schema/accounts.ts";
import * as map from "#app/store/schema/addresses.ts";
import * as cameras from "#app/store/schema/cameras.ts";
import * as exported from "#app/store/schema/exports.ts";
import * as groups from "#app/store/schema/groups.ts";
import * as hotlists from "#app/store/schema/hotlists.ts";
import * as integrations from "#app/store/schema/integrations.ts";
import * as jobs from "#app/store/schema/jobs.ts";
import * as legalHolds from "#app/store/schema/legal-holds.ts";
import * as push from "#app/store/schema/push.ts";
import * as results from "#app/store/schema/results.ts";

/** The tables that `db.query` knows by name; every other way to ask takes the table itself. */
const schema = {
  ...accounts,
  ...cameras,
  ...exported,
  ...groups,
  ...hotlists,
  ...integrations,
  ...jobs,
  ...legalHolds,
  ...map,
  ...push,
  ...results,
};

export function openControl(database: D1Database) {
  const db = drizzle(database, { schema });
  throwPlainly((db as unknown as { session: Session }).session);
  return db;
}

type Prepared = { queryWithCache: (sql: string, values: unknown[], ask: () => Promise<unknown>) => unknown };
type Session = { prepareQuery: (...query: unknown[]) => Prepared };

/**
 * Drizzle writes the values of a statement that failed into the error's message, and errors are logged: plates, names and
 * hashes would be with them. Here they leave as the database gave them, as those of a batch do.
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

/** Runs statements as one transaction: all of them count or none (D1 `batch`). */
export async function inOneStep(db: ControlDb, statements: [Statement, ...Statement[]]): Promise<unknown[]> {
  const [first, ...rest] = statements.map((statement) => batchable(db, statement));
  return db.batch([first as Statement, ...rest]);
}

/** Drizzle's batch binds no parameters of a `db.run(sql…)`: such a statement is prepared for it here. */
function batchable(db: ControlDb, statement: Statement): Statement {
  if (!is(statement, SQLiteRaw)) return statement;
  const query = statement.getQuery();
  const prepared = {
    getQuery: () => query,
    stmt: db.$client.prepare(query.sql),
    mapResult: (result: unknown) => result,
  };
  return { _prepare: () => prepared } as unknown as Statement;
}
