import { transparencyStatistics } from "#app/domain/oversight/transparency-count.ts";
import { type PublishedMonth, publishMonth } from "#app/entities/oversight/transparency.ts";
import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import { HOUR } from "#app/lib/time/dates.ts";
import { createAlertArchive } from "#app/store/alerts/segment-archive.ts";
import { createPlaces, findReadsDatabases } from "#app/store/archive/placement.ts";
import { openControl } from "#app/store/database.ts";
import { createAuditArchive } from "#app/store/oversight/audit-archive.ts";

type BenchEnv = {
  AUDITS: R2Bucket;
  ATTACHMENTS: R2Bucket;
  BACKUPS: R2Bucket;
  DB: D1Database;
  READS_0: D1Database;
};

const AGENCY = {
  id: "hartford",
  name: "Hartford",
  createdAt: 0,
  retentionDays: 21,
  recordRetentionDays: 730,
};
const START = Date.parse("2025-12-01T00:00:00Z");
const END = Date.parse("2026-12-01T00:00:00Z");
const NOW = END + HOUR;
const RUNS = 7;

/** Inserts rows spread evenly over twelve months: searches and other actions by two hundred users. */
async function fill(db: D1Database, input: { from: number; count: number; total: number }): Promise<void> {
  const { from, count, total } = input;
  await db.batch([
    db
      .prepare("INSERT OR IGNORE INTO agencies (id, name, created_at) VALUES (?, ?, 0)")
      .bind(AGENCY.id, AGENCY.name),
    db
      .prepare(
        `INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, plate,
          case_number, programs_queried, detail)
        WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 + ?2)
        SELECT ${START} + cast(i * ((${END} - ${START}) * 1.0 / ?3) AS INTEGER), '${AGENCY.id}', 'u' || (i % 200),
          'user' || (i % 200), 's', '192.0.2.1', 'bench',
          CASE i % 3 WHEN 0 THEN 'search' WHEN 1 THEN 'search.finished' ELSE 'image.view' END,
          CASE WHEN i % 999 = 0 THEN 'refused' ELSE 'ok' END, printf('ABC%05d', (i * 7919) % 100000),
          CASE WHEN i % 7 = 0 THEN '' ELSE printf('26-%d', i % 50000) END, 'Rekor,Axis',
          json_object('query', json_object('purpose', CASE i % 6 WHEN 0 THEN 'investigation' WHEN 3 THEN 'warrant'
            ELSE 'hit' END, 'justification', 'Stolen vehicle, follow-up on a report')) FROM n`,
      )
      .bind(from, count, total),
  ]);
}

const NAIVE = `SELECT strftime('%Y-%m', at / 1000, 'unixepoch') AS month, detail ->> '$.query.purpose' AS purpose,
    count(*) AS count, count(DISTINCT user_id) AS people
  FROM audit_log WHERE agency_id = ? AND action = 'search' AND outcome = 'ok' GROUP BY month, purpose`;

type NaiveRow = { month: string; purpose: string; count: number };

async function timed(work: (run: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    await work(run);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[RUNS >> 1] as number;
}

function same(months: PublishedMonth[], naive: NaiveRow[]): boolean {
  const counts = months.flatMap(({ month, by_purpose }) =>
    by_purpose.filter(({ count }) => count !== 0).map(({ purpose, count }) => `${month} ${purpose} ${count}`),
  );
  const others = naive.map(({ month, purpose, count }) => `${month} ${purpose} ${count}`);
  return counts.sort().join() === others.sort().join();
}

const SEALING_KEYS = parseSealingKeys(`1:${btoa("0123456789abcdef0123456789abcdef")}`);

export default {
  async fetch(request: Request, env: BenchEnv): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const number = (name: string) => Number(searchParams.get(name));
    const app = (now = NOW) => {
      const db = openControl(env.DB);
      const clock = () => now;
      const databases = findReadsDatabases(env);
      return {
        db,
        audits: env.AUDITS,
        auditArchive: createAuditArchive({ db, audits: env.AUDITS, sealingKeys: SEALING_KEYS }),
        alertArchive: createAlertArchive({
          attachments: env.ATTACHMENTS,
          backups: env.BACKUPS,
          sealingKeys: SEALING_KEYS,
        }),
        places: createPlaces({ db, databases, limitBytes: 1e10, clock }),
        readsDatabases: [env.READS_0],
        clock,
      };
    };
    const naive = async () => (await env.DB.prepare(NAIVE).bind(AGENCY.id).all<NaiveRow>()).results;
    switch (pathname) {
      case "/fill":
        await fill(env.DB, { from: number("from"), count: number("count"), total: number("total") });
        return Response.json({});
      case "/first": {
        const start = performance.now();
        await transparencyStatistics(app(), AGENCY);
        return Response.json({ first: performance.now() - start });
      }
      case "/measure": {
        const { months } = await transparencyStatistics(app(), AGENCY);
        if (!same(months.map(publishMonth), await naive()))
          throw new Error("the page and the naive query do not return the same counts");
        return Response.json({
          view: await timed(() => transparencyStatistics(app(), AGENCY)),
          hourly: await timed((run) => transparencyStatistics(app(NOW + (run + 1) * HOUR), AGENCY)),
          naive: await timed(naive),
        });
      }
      default:
        return new Response("not found", { status: 404 });
    }
  },
};
