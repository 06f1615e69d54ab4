import { applyD1Migrations, createExecutionContext, type D1Migration } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { Env } from "#app/context.ts";
import { checkChain, sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { DAY, HOUR, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import worker from "../../../workers/app.ts";
import {
  bindings,
  bodyOf,
  type Client,
  client,
  jsonInit,
  newWorld,
  ORIGIN,
  pushRead,
  type Row,
  search,
  searchBody,
  testApp,
  type World,
} from "../../factories.ts";
import { ADDITIVE_FROM } from "../../support/additive.ts";
import { appOf, emptyOtherWorld } from "../../support/backup.ts";

// Upgrades an installation from the oldest version that the current one can be rolled back to, and rolls it back. Odin
// itself creates the data, which is then reduced to the columns of the old version.

type Migrations = { control: D1Migration[]; reads: D1Migration[] };
const { TEST_MIGRATIONS: ALL } = bindings as unknown as { TEST_MIGRATIONS: Migrations };
const BINDINGS = ["DB", "READS_0", "READS_1", "READS_2", "READS_3"] as const;
const COUNT = BINDINGS.length - 1;
const PLATE = "UPG4711";

const kindOf = (name: string) => (name === "DB" ? "control" : "reads");
const numberOf = ({ name }: D1Migration) => Number(name.slice(0, 4));
const other = (name: string) =>
  (bindings as unknown as Record<string, D1Database>)[`OTHER_${name}`] as D1Database;
const main = (name: string) => (bindings as unknown as Record<string, D1Database>)[name] as D1Database;

/** The migrations of the old version. */
const former = (name: string) =>
  ALL[kindOf(name)].filter((migration) => numberOf(migration) < ADDITIVE_FROM[kindOf(name)]);

async function migrate(to: (name: string) => D1Migration[]): Promise<void> {
  for (const name of BINDINGS) await applyD1Migrations(other(name), to(name));
}

/** Table names with their columns, without generated columns. */
type Columns = Record<string, string[]>;

async function columnsOf(database: D1Database): Promise<Columns> {
  const { results } = await database
    .prepare(
      `SELECT t.name AS tab, c.name AS col FROM sqlite_master t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name NOT LIKE 'd1~_%' ESCAPE '~'
          AND t.name NOT LIKE '~_cf%' ESCAPE '~' AND t.name NOT LIKE 'plates_fts%'`,
    )
    .all<{ tab: string; col: string }>();
  const columns: Columns = {};
  for (const { tab, col } of results) columns[tab] = [...(columns[tab] ?? []), col];
  return columns;
}

const listed = (names: string[]) => names.map((name) => `"${name}"`).join(", ");

/** Copies rows with the old version's columns, as its own statements name them. */
async function copyRows(from: D1Database, to: D1Database, columns: Columns): Promise<void> {
  const statements = [to.prepare("PRAGMA defer_foreign_keys = true")];
  // Deletes the only row that a migration inserts.
  if (columns.wildcard_versions) statements.push(to.prepare("DELETE FROM wildcard_versions"));
  for (const [table, names] of Object.entries(columns)) {
    const { results } = await from
      .prepare(`SELECT ${listed(names)} FROM "${table}"`)
      .all<Record<string, unknown>>();
    const insert = `INSERT INTO "${table}" (${listed(names)}) VALUES (${names.map(() => "?").join(", ")})`;
    for (const row of results) statements.push(to.prepare(insert).bind(...names.map((name) => row[name])));
  }
  await to.batch(statements);
}

/** Returns the rows of the old version's columns, as text. */
async function rowsOf(database: D1Database, columns: Columns): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {};
  for (const [table, names] of Object.entries(columns)) {
    const { results } = await database.prepare(`SELECT ${listed(names)} FROM "${table}"`).all();
    rows[table] = results.map((row) => JSON.stringify(row)).sort();
  }
  return rows;
}

let world: World;
/** Clients are signed in before the rows are copied, so that their sessions are copied too. */
let officer: Client;
let hotadmin: Client;
let owner: Client;
let group: string;
let columns: Record<string, Columns>;

/** Returns the upgraded installation. Its alert queue discards messages, because the consumer has other databases. */
function upgraded(): Env {
  const accepted = async () => {};
  const databases = Object.fromEntries(BINDINGS.map((name) => [name, other(name)]));
  return { ...bindings, ...databases, ALERTS: { send: accepted, sendBatch: accepted } } as unknown as Env;
}

function ask(who: Client, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...who.headers, ...(init.headers as Record<string, string>) };
  const request = new Request(new URL(path, ORIGIN), { ...init, headers });
  return worker.fetch(request as never, upgraded() as never, createExecutionContext());
}

beforeAll(async () => {
  world = await newWorld();
  officer = await client(world.users.officer);
  hotadmin = await client(world.users.hotadmin);
  owner = await client(world.users.owner);
  const form = (fields: Record<string, string>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return { method: "POST", body };
  };
  const made = await hotadmin.fetch("/groups/create-mobile", form({ group_name: "Stolen cars" }));
  group = (await bodyOf<{ group_id: string }>(made)).group_id;
  const plates = { "plates[0][number]": PLATE, "plates[0][reason]": "Stolen vehicle" };
  const members = { group_name: "Stolen cars", group_members: world.users.viewer.id };
  const saved = await hotadmin.fetch(`/groups/${group}/edit-mobile`, form({ ...members, ...plates }));
  expect(saved.status).toBe(200);
  // The old version stored each day in the database with the number: day modulo database count.
  const now = Date.now();
  for (const day of [utcDay(now) - 2, utcDay(now) - 1, utcDay(now), utcDay(now) + 1])
    await bindings.DB.prepare(
      "INSERT OR REPLACE INTO read_places (day, part, database, placed_at) VALUES (?, 0, ?, ?)",
    )
      .bind(day, `READS_${day % COUNT}`, now)
      .run();
  for (const age of [MINUTE, DAY, 2 * DAY - HOUR])
    await pushRead(world.camera, { plate: PLATE, at: now - age });
  await search(officer, searchBody([world.ours.id]));
  await sealAuditLog(testApp());
  await emptyOtherWorld();
  await migrate(former);
  columns = Object.fromEntries(
    await Promise.all(BINDINGS.map(async (name) => [name, await columnsOf(other(name))] as const)),
  );
});

describe("an upgrade", () => {
  let before: Record<string, string[]>[];

  it("keeps every row of the old version", async () => {
    for (const name of BINDINGS) await copyRows(main(name), other(name), columns[name] ?? {});
    before = await Promise.all(BINDINGS.map((name) => rowsOf(other(name), columns[name] ?? {})));
    // The older reads were captured before the plate was listed.
    expect(before[0]?.alerts?.length).toBe(1);
    expect(before.slice(1).flatMap((rows) => rows.sealed_reads ?? []).length).toBe(3);
    await migrate((name) => ALL[kindOf(name)]);
    const after = await Promise.all(BINDINGS.map((name) => rowsOf(other(name), columns[name] ?? {})));
    expect(after).toEqual(before);
  });

  it("leaves an installation that can search, match hits and verify the audit log", async () => {
    const found = await ask(officer, "/search-data", jsonInit(searchBody([world.ours.id], { plate: PLATE })));
    expect(found.status).toBe(200);
    expect((await bodyOf<Row[]>(found)).map(({ plate }) => plate)).toEqual([PLATE, PLATE, PLATE]);
    const details = await ask(hotadmin, `/alerts/group/${group}/details-data`);
    expect(await details.text()).toContain(PLATE);
    await pushRead(world.camera, { plate: PLATE, at: Date.now() }, (path, init) => ask(officer, path, init));
    const alerts = await other("DB").prepare("SELECT count(*) AS n FROM alerts").first<number>("n");
    expect(alerts).toBe(2);
    const app = appOf(upgraded());
    await sealAuditLog(app);
    expect((await checkChain(app, world.ours.id, 0)).problem).toBeNull();
  });

  it("is shown on the status screen", async () => {
    await other("READS_3").exec("DELETE FROM d1_migrations WHERE name LIKE '0006%'");
    await other("READS_2").exec("INSERT INTO d1_migrations (name) VALUES ('9999_of_a_newer_build.sql')");
    const page = (await (await ask(owner, "/status")).text()).replaceAll("<!-- -->", "");
    expect(page.match(/Up to date/g)).toHaveLength(3);
    expect(page).toContain("READS_3 lacks 1 of the migrations of this build.");
    expect(page).toContain("Pending: 0006_log_changed_reads");
    expect(page).toContain("Newer than this build: 9999_of_a_newer_build");
  });
});

describe("a rollback", () => {
  it("leaves tables that work with the old version's statements", async () => {
    await emptyOtherWorld();
    await migrate((name) => ALL[kindOf(name)]);
    for (const name of BINDINGS) {
      const [from, to] = [main(name), other(name)];
      const old = columns[name] ?? {};
      await copyRows(from, to, old);
      expect(await rowsOf(to, old)).toEqual(await rowsOf(from, old));
      for (const [table, names] of Object.entries(old)) {
        const sets = names.map((column) => `"${column}" = "${column}"`).join(", ");
        // Triggers protect some tables from changes, in the old version too.
        const changing = to.prepare(`UPDATE "${table}" SET ${sets}`).run();
        await changing.catch((error: unknown) => expect(String(error)).toMatch(/append-only|stay/));
      }
    }
  });
});
