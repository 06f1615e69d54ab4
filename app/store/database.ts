// Opens the control database. Statements made here may be gathered and run as one transaction with `inOneStep`.

import type { BatchItem } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/d1";
import * as schema from "./schema.ts";

export function openControl(database: D1Database) {
  return drizzle(database, { schema });
}

export type ControlDb = ReturnType<typeof openControl>;
export type Statement = BatchItem<"sqlite">;

/** Runs statements as one transaction: all of them count or none (D1 `batch`). */
export async function inOneStep(db: ControlDb, statements: [Statement, ...Statement[]]): Promise<unknown[]> {
  return db.batch(statements);
}
