import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import { continueBackup } from "#app/domain/operations/backup-run.ts";
import { startNightlyBackup } from "#app/domain/operations/backups.ts";
import { restoreBackup } from "#app/domain/operations/restore.ts";
import type { Job } from "#app/entities/operations/job.ts";

const TOKEN = "bench-token-of-more-than-forty-three-characters";
const SERIES = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 + ?2)";

/** Inserts audit rows like those of searches. */
async function fill(db: D1Database, from: number, count: number): Promise<void> {
  await db.batch([
    db.prepare("INSERT OR IGNORE INTO agencies (id, name, created_at) VALUES ('a', 'Bench Police', 1)"),
    db
      .prepare(
        `INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, plate,
          case_number, programs_queried, detail) ${SERIES}
        SELECT 1767225600000 + i * 1000, 'a', 'u' || (i % 200), 'user' || (i % 200), 's' || (i % 900), '192.0.2.1',
          'bench', 'search', 'ok', printf('ABC%05d', (i * 7919) % 100000), printf('26-%d', i % 50000), 'Rekor,Axis',
          json_object('query', json_object('plate', printf('ABC%05d', (i * 7919) % 100000), 'justification',
          'Stolen vehicle, follow-up on a report')) FROM n`,
      )
      .bind(from, count),
  ]);
}

/** The peer: pages by OFFSET, rows stored as JSON, restored by statements of at most a hundred bound values. */
async function naiveBackup(env: Env, rows: number): Promise<void> {
  const step = 5000;
  for (let from = 0; from < rows; from += step) {
    const { results } = await env.DB.prepare(`SELECT * FROM audit_log LIMIT ${step} OFFSET ${from}`).all();
    await env.BACKUPS.put(`naive/${from}`, JSON.stringify(results));
  }
}

async function naiveRestore(env: All, rows: number): Promise<void> {
  const database = env.NAIVE as D1Database;
  const columns =
    "seq, at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, plate, case_number, programs_queried, detail".split(
      ", ",
    );
  const marks = `(${columns.map(() => "?").join(", ")})`;
  const together = Math.floor(100 / columns.length);
  for (let from = 0; from < rows; from += 5000) {
    const object = (await env.BACKUPS.get(`naive/${from}`)) as R2ObjectBody;
    const list = (await object.json()) as Record<string, unknown>[];
    const statements: D1PreparedStatement[] = [];
    for (let at = 0; at < list.length; at += together) {
      const some = list.slice(at, at + together);
      const sql = `INSERT INTO audit_log (${columns.join(", ")}) VALUES ${some.map(() => marks).join(", ")}`;
      statements.push(database.prepare(sql).bind(...some.flatMap((row) => columns.map((name) => row[name]))));
    }
    await database.batch(statements);
  }
}

type All = Env & Record<string, D1Database>;

export default {
  async fetch(request: Request, env: All): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const jobs: Job[] = [];
    const queue = { send: async (job: Job) => void jobs.push(job) };
    const appWith = (over: object): AppContext =>
      createAppContext({ ...env, JOBS: queue, ...over } as unknown as Env, {
        waitUntil: () => {},
      });
    const rows = Number(searchParams.get("rows"));
    switch (pathname) {
      case "/fill":
        await fill(env.DB, Number(searchParams.get("from")), Number(searchParams.get("count")));
        return Response.json({});
      case "/backup": {
        const app = appWith({});
        await startNightlyBackup(app);
        const id = jobs[0]?.id ?? "";
        for (let job = jobs.shift(); job; job = jobs.shift()) await continueBackup(app, job.id);
        return Response.json({ id });
      }
      case "/restore": {
        // Restores into a database with empty tables.
        const app = appWith({ DB: env.RESTORED, RESTORE_TOKEN: TOKEN });
        return Response.json(await restoreBackup(app, TOKEN, { id: searchParams.get("id") ?? "" }));
      }
      case "/naive-backup":
        await naiveBackup(env, rows);
        return Response.json({});
      case "/naive-restore":
        await naiveRestore(env, rows);
        return Response.json({});
      default:
        return new Response("not found", { status: 404 });
    }
  },
};
