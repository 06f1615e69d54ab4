import { bindings } from "../factories.ts";

/** Changes the control database like someone with direct access to it, whom the audit log's triggers do not stop. */
export async function tamper(sql: string, ...values: unknown[]): Promise<void> {
  const { DB } = bindings;
  const { results: triggers } = await DB.prepare(
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'audit_%'",
  ).all<{ name: string; sql: string }>();
  for (const { name } of triggers) await DB.prepare(`DROP TRIGGER ${name}`).run();
  await DB.prepare(sql)
    .bind(...values)
    .run();
  for (const trigger of triggers) await DB.prepare(trigger.sql).run();
}
