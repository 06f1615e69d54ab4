// Fills the control database with agencies, each with users, connections, cameras, devices and an audit log. Measures
// what the owner's screens load.

import { createAppContext, type Env } from "#app/context.ts";
import { viewStatus } from "#app/domain/operations/status.ts";
import { listedAgencies } from "#app/domain/users/agencies.ts";
import { shownUsers } from "#app/domain/users/directory.ts";

const RUNS = 7;
const NOW = Date.now();

/** The median time of a load, the size of what it returns, and the rows that D1 read for it. */
export type Measured = {
  ms: number;
  kB: number;
  rows: number;
  statements: { sql: string; rows: number }[];
};

/** Each inserts rows for the agencies n: `i` counts from 1 within an agency. */
const FILLED = [
  "INSERT INTO agencies (id, name, created_at) SELECT 'a' || n, 'Agency ' || n, 0 FROM agency",
  `INSERT INTO users (id, agency_id, username, name, email, role, password_hash, created_at, last_sign_in_at)
    SELECT 'u' || n || '-' || i, 'a' || n, 'user' || n || '-' || i, 'Name ' || i || ' of ' || n,
      'user' || i || '@agency-' || n || '.example', CASE i WHEN 1 THEN 'admin' ELSE 'user' END, 'x', 0, ${NOW}
    FROM agency, few WHERE i <= 20`,
  `INSERT INTO sessions (id, user_id, token_hash, kind, created_at, last_seen_at, ip, user_agent, notice_version)
    SELECT 's' || n || '-' || i, 'u' || n || '-' || i, 'hash' || n || '-' || i, 'cookie', ${NOW}, ${NOW}, '192.0.2.1', '', ''
    FROM agency, few WHERE i <= 5`,
  `INSERT INTO rekor_keys (id, tenant_id, agency, base_url, sealed_key, key_last4, created_at)
    SELECT 'r' || n || '-' || i, 'a' || n, 'Agency ' || i, 'https://rekor.example', 'x', 'abcd', 0
    FROM agency, few WHERE i <= 3`,
  `INSERT INTO axon_integrations (id, agency_id, base_url, client_id, partner_id, sealed_secret, created_at)
    SELECT 'x' || n, 'a' || n, 'https://axon.example', 'c', 'p', 'x', 0 FROM agency`,
  `INSERT INTO integration_health (integration_id, last_ok_at) SELECT 'x' || n, ${NOW} FROM agency`,
  `INSERT INTO integration_health (integration_id, last_ok_at)
    SELECT 'r' || n || '-' || i, ${NOW} FROM agency, few WHERE i <= 3`,
  `INSERT INTO axis_cameras (id, agency_id, name, secret_hash, created_at, last_read_at)
    SELECT 'c' || n || '-' || i, 'a' || n, 'Camera ' || i, 'hash' || n || '-' || i, 0, ${NOW} - i
    FROM agency, few WHERE i <= 20`,
  `INSERT INTO push_devices (id, user_id, channel, name, address_hash, sealed_address, created_at, last_used_at)
    SELECT 'd' || n || '-' || i, 'u' || n || '-' || i, CASE i % 2 WHEN 0 THEN 'apns' ELSE 'webpush' END, 'Phone',
      'hash' || n || '-' || i, 'x', 0, ${NOW} - i
    FROM agency, few WHERE i <= 10`,
  `INSERT INTO figure_counts (agency_id, period, counts, counted_at)
    SELECT 'a' || n, CASE i WHEN 1 THEN 'audit' WHEN 2 THEN 'now' ELSE printf('2026-%02d', i - 2) END,
      '{"intact": 1}', ${NOW} FROM agency, few WHERE i <= 14`,
  `INSERT INTO deliveries (alert_id, user_id, channel, state, created_at, updated_at)
    SELECT 'h' || n || '-' || i, 'u' || n || '-1', 'live', CASE i WHEN 1 THEN 'dead' ELSE 'delivered' END, 0, 0
    FROM agency, few WHERE i <= 20`,
  `INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, detail)
    SELECT ${NOW} - i, 'a' || n, 'u' || n || '-1', 'user', 's', '192.0.2.1', 'bench', 'search', 'ok', '{}'
    FROM agency, few WHERE i <= 20`,
];

async function fill(db: D1Database, from: number, count: number): Promise<void> {
  const series = `WITH RECURSIVE agency(n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM agency WHERE n + 1 < ?1 + ?2),
    few(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM few WHERE i < 20) `;
  const statements = FILLED.map((sql) => {
    const at = sql.indexOf("SELECT");
    return db.prepare(sql.slice(0, at) + series + sql.slice(at)).bind(from, count);
  });
  // The audit chain is not part of this bench, so the newest row counts as linked.
  const linked = db.prepare(
    `INSERT INTO audit_chain (agency_id, seq, position, hash, at)
      SELECT agency_id, seq, seq, 'x', at FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log)`,
  );
  await db.batch([...statements, linked]);
}

type Note = (sql: string, rows: number) => void;

/** Returns a database that records the rows that each statement reads. Statements that return plain rows run twice. */
function counted(real: D1Database, note: Note): D1Database {
  function recorded(sql: string, statement: D1PreparedStatement): D1PreparedStatement {
    const bind = statement.bind.bind(statement);
    const all = statement.all.bind(statement);
    const read = async () => {
      const result = await all();
      note(sql, result.meta.rows_read);
      return result;
    };
    const [raw, first] = [statement.raw.bind(statement), statement.first.bind(statement)];
    const own = {
      bind: (...values: unknown[]) => recorded(sql, bind(...values)),
      all: read,
      raw: async () => {
        await read();
        return raw();
      },
      first: async (column: string) => {
        await read();
        return column === undefined ? first() : first(column);
      },
    };
    return Object.assign(statement, own);
  }
  return new Proxy(real, {
    get(target, key) {
      if (key === "prepare") return (sql: string) => recorded(sql, target.prepare(sql));
      if (key === "batch")
        return async (list: D1PreparedStatement[]) => {
          const results = await target.batch(list);
          for (const { meta } of results) note("(in a batch)", meta.rows_read);
          return results;
        };
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function load(screen: string | null, env: Env, lifetime: ExecutionContext): Promise<unknown> {
  const app = createAppContext(env, lifetime);
  if (screen === "status") return viewStatus(app);
  const actor = { userId: "u0-1", agencyId: "a0", isOwner: true } as Parameters<typeof shownUsers>[1];
  return {
    page: await shownUsers(app, actor, { reach: "all", find: "" }),
    agencies: await listedAgencies(app, ""),
  };
}

async function measure(screen: string | null, env: Env, lifetime: ExecutionContext): Promise<Measured> {
  const times: number[] = [];
  let size = 0;
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    size = JSON.stringify(await load(screen, env, lifetime)).length;
    times.push(performance.now() - start);
  }
  const read = new Map<string, number>();
  const note: Note = (sql, rows) => read.set(sql, (read.get(sql) ?? 0) + rows);
  await load(screen, { ...env, DB: counted(env.DB, note) }, lifetime);
  const statements = [...read].map(([sql, rows]) => ({ sql: sql.replace(/\s+/g, " ").slice(0, 100), rows }));
  return {
    ms: times.sort((a, b) => a - b)[RUNS >> 1] ?? Number.NaN,
    kB: size / 1000,
    rows: statements.reduce((sum, one) => sum + one.rows, 0),
    statements: statements.sort((a, b) => b.rows - a.rows).slice(0, 5),
  };
}

export default {
  async fetch(request, env, lifetime) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/measure")
      return Response.json(await measure(searchParams.get("screen"), env, lifetime));
    await fill(env.DB, Number(searchParams.get("from")), Number(searchParams.get("count")));
    return Response.json({});
  },
} satisfies ExportedHandler<Env>;
