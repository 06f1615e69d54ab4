// Each file of worker tests begins with empty databases, buckets and queues, also in a workerd that ran another file.

import { type D1Migration, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

const { TEST_MIGRATIONS, ...bindings } = env as unknown as Record<string, unknown> & {
  DB: D1Database;
  TEST_MIGRATIONS: { control: D1Migration[]; reads: D1Migration[] };
};
const control = bindings.DB;

const named = <Binding>(name: RegExp) =>
  Object.keys(bindings)
    .filter((key) => name.test(key))
    .map((key) => bindings[key] as Binding);

const reads = named<D1Database>(/^READS_\d+$/);
const databases = [control, ...reads, ...named<D1Database>(/^OTHER_(DB|READS_\d+)$/)];
const buckets = named<R2Bucket>(/^(OTHER_)?(ATTACHMENTS|AUDITS|BACKUPS|IMAGES|IMPORTS|KEYS|RESULTS)$/);

const hasTables = async (database: D1Database) =>
  (await database.prepare("SELECT name FROM sqlite_master LIMIT 1").first()) !== null;
const hasObjects = async (bucket: R2Bucket) => (await bucket.list({ limit: 1 })).objects.length > 0;

/** Storage that is in use when it is reset keeps what it holds, so this asks until all are empty. */
async function emptyStorage(): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    await reset();
    const used = await Promise.all([...databases.map(hasTables), ...buckets.map(hasObjects)]);
    if (!used.includes(true)) return;
  }
  throw new Error("The storage of the test file before this one could not be emptied.");
}

/** As `applyD1Migrations` does, but in one transaction: one for each migration takes a second for every file of tests. */
async function migrate(database: D1Database, migrations: D1Migration[]): Promise<void> {
  const schema = `CREATE TABLE d1_migrations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT UNIQUE,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
  )`;
  const applied = database.prepare("INSERT INTO d1_migrations (name) VALUES (?)");
  const statements = migrations.flatMap(({ name, queries }) => [
    ...queries.map((query) => database.prepare(query)),
    applied.bind(name),
  ]);
  await database.batch([database.prepare(schema), ...statements]);
}

await emptyStorage();
await Promise.all([
  migrate(control, TEST_MIGRATIONS.control),
  ...reads.map((database) => migrate(database, TEST_MIGRATIONS.reads)),
]);
