import { archiveAgency } from "#app/domain/oversight/audit-archiving.ts";
import { checkChain, sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import { openControl } from "#app/store/database.ts";
import { createAuditArchive } from "#app/store/oversight/audit-archive.ts";
import { listAuditRows } from "#app/store/oversight/audit-log.ts";
import type { AuditQuery } from "#app/store/oversight/audit-query.ts";

type BenchEnv = { DB: D1Database; AUDITS: R2Bucket };

const AGENCY = "hartford";
const START = Date.parse("2026-01-01T00:00:00Z");
const RUNS = 7;

const FLAT = `CREATE TABLE IF NOT EXISTS flat (seq INTEGER PRIMARY KEY, at INTEGER, agency_id TEXT, username TEXT,
  action TEXT, outcome TEXT, detail TEXT)`;

/** Rows of one agency, a second apart: searches by two hundred users, and one refusal in ten thousand. */
const SERIES = `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 + ?2)`;
const OUTCOME = "CASE WHEN i % 10000 = 0 THEN 'refused' ELSE 'ok' END";
const PLATE = "printf('ABC%05d', (i * 7919) % 100000)";
const DETAIL = `json_object('query', json_object('plate', ${PLATE}, 'case_number', printf('26-%d', i % 50000),
  'justification', 'Stolen vehicle, follow-up on a report'))`;

async function fill(db: D1Database, from: number, count: number): Promise<void> {
  await db.batch([
    db.prepare(FLAT),
    db
      .prepare(
        `INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, plate,
          case_number, programs_queried, detail) ${SERIES}
        SELECT ${START} + i * 1000, '${AGENCY}', 'u' || (i % 200), 'user' || (i % 200), 's', '192.0.2.1', 'bench',
          CASE WHEN i % 3 = 0 THEN 'image.view' ELSE 'search' END, ${OUTCOME}, ${PLATE}, printf('26-%d', i % 50000),
          'Rekor,Axis', ${DETAIL} FROM n`,
      )
      .bind(from, count),
    db
      .prepare(
        `INSERT INTO flat (at, agency_id, username, action, outcome, detail) ${SERIES}
        SELECT ${START} + i * 1000, '${AGENCY}', 'user' || (i % 200),
          CASE WHEN i % 3 = 0 THEN 'image.view' ELSE 'search' END, ${OUTCOME}, ${DETAIL} FROM n`,
      )
      .bind(from, count),
  ]);
}

const ALL: AuditQuery = {
  agencyId: AGENCY,
  kind: null,
  plate: "",
  username: "",
  caseNumber: "",
  start: null,
  end: null,
  after: null,
  limit: 20,
  offset: 0,
};

type Case = { own: Partial<AuditQuery>; naive: string };

async function casesOf(db: D1Database): Promise<Record<string, Case>> {
  const total = (await db.prepare("SELECT max(seq) AS n FROM flat").first<number>("n")) ?? 0;
  const deep = Math.floor(total * 0.75);
  const after = total - deep + 1;
  return {
    "first page": { own: {}, naive: "1 ORDER BY at DESC LIMIT 20" },
    "deep page": {
      own: { after: { at: START + (after - 1) * 1000, seq: after } },
      naive: `1 ORDER BY at DESC LIMIT 20 OFFSET ${deep}`,
    },
    "one plate": {
      own: { plate: "ABC07919" },
      naive: `detail LIKE '%"plate":"ABC07919"%' ORDER BY at DESC LIMIT 20`,
    },
    "one case number": {
      own: { caseNumber: "26-4711" },
      naive: `detail LIKE '%"case_number":"26-4711"%' ORDER BY at DESC LIMIT 20`,
    },
    "one user's searches": {
      own: { username: "user17", kind: "search", searchesOnly: true },
      naive: "username = 'user17' AND action = 'search' ORDER BY at DESC LIMIT 20",
    },
    "refusals, one in ten thousand": {
      own: { refusedOnly: true },
      naive: "outcome = 'refused' ORDER BY at DESC LIMIT 20",
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[RUNS >> 1] as number;
}

async function measure(log: App, db: D1Database, name: string): Promise<{ own: number; peer: number }> {
  const found = (await casesOf(db))[name];
  if (!found) throw new Error(`no case ${name}`);
  const own = async () => (await listAuditRows(log, { ...ALL, ...found.own })).rows;
  const naive = () =>
    db.prepare(`SELECT * FROM flat WHERE agency_id = '${AGENCY}' AND ${found.naive}`).all<{ seq: number }>();
  const [ours, theirs] = [await own(), (await naive()).results];
  if (ours.map(({ seq }) => seq).join() !== theirs.map(({ seq }) => seq).join())
    throw new Error(`${name}: the two queries do not return the same rows`);
  return { own: await timed(own), peer: await timed(naive) };
}

/** Measures pages, filters and verification at both ends of the archive, and its size. */
async function measureArchived(app: App, db: D1Database) {
  const first = (path: string) => db.prepare(path).first<{ n: number }>();
  const rows =
    (await first("SELECT sum(last_position - first_position + 1) AS n FROM audit_segments"))?.n ?? 0;
  const pages: Record<string, Partial<AuditQuery>> = {
    "first page": {},
    "last page": { after: { at: START + 20_000, seq: 21 } },
    "one plate": { plate: "ABC07919" },
    "first characters": { plate: "ABC079*" },
    "one case number": { caseNumber: "26-4711" },
    "one user's searches": { username: "user17", kind: "search", searchesOnly: true },
    refusals: { refusedOnly: true, limit: 1 },
    "nothing found": { username: "nobody", kind: "search" },
    "part of a plate": { plate: "C0791", isPlatePart: true },
  };
  const times: Record<string, number> = {};
  for (const [what, query] of Object.entries(pages))
    times[what] = await timed(() => listAuditRows(app, { ...ALL, ...query }));
  for (const [what, after] of Object.entries({ "verify the first": 0, "verify the last": rows - 6_000 }))
    times[what] = await timed(() => checkChain(app, AGENCY, after));
  return {
    times,
    rows,
    terms: (await first("SELECT count(*) AS n FROM audit_segment_terms"))?.n ?? 0,
    segments: (await first("SELECT count(*) AS n FROM audit_segments"))?.n ?? 0,
    bytes: (await first("SELECT sum(bytes) AS n FROM audit_segments"))?.n ?? 0,
  };
}

const SEALING_KEYS = parseSealingKeys(`1:${btoa("0123456789abcdef0123456789abcdef")}`);
type App = ReturnType<typeof appOf>;

function appOf(env: BenchEnv) {
  const db = openControl(env.DB);
  const auditArchive = createAuditArchive({ db, audits: env.AUDITS, sealingKeys: SEALING_KEYS });
  return { db, auditArchive, clock: () => Date.now(), audits: env.AUDITS };
}

export default {
  async fetch(request: Request, env: BenchEnv): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const app = appOf(env);
    switch (pathname) {
      case "/fill":
        await fill(env.DB, Number(searchParams.get("from")), Number(searchParams.get("count")));
        return Response.json({});
      case "/seal":
        return Response.json({ sealed: await sealAuditLog(app, 50) });
      case "/archive":
        return Response.json(await archiveAgency(app, AGENCY));
      case "/measure-archived":
        return Response.json(await measureArchived(app, env.DB));
      case "/measure":
        return Response.json(await measure(app, env.DB, searchParams.get("case") ?? ""));
      case "/verify": {
        const total =
          (await env.DB.prepare("SELECT max(position) AS n FROM audit_chain").first<number>("n")) ?? 0;
        const check = async (after: number) => {
          const report = await checkChain(app, AGENCY, after);
          if (report.problem) throw new Error(report.problem.problem);
        };
        return Response.json({
          first: await timed(() => check(0)),
          last: await timed(() => check(total - 5_001)),
        });
      }
      default:
        return new Response("not found", { status: 404 });
    }
  },
};
