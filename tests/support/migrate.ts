import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";

const { DB, TEST_MIGRATIONS, ...others } = env as unknown as {
  DB: D1Database;
  TEST_MIGRATIONS: { control: D1Migration[]; reads: D1Migration[] };
};

await applyD1Migrations(DB, TEST_MIGRATIONS.control);
for (const [name, database] of Object.entries(others)) {
  if (name.startsWith("READS_")) await applyD1Migrations(database as D1Database, TEST_MIGRATIONS.reads);
}
