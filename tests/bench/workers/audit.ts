import { archiveAgency } from "#app/domain/oversight/audit-archiving.ts";
import { checkChain, sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { TERM } from "#app/entities/oversight/audit-segment.ts";
import { parseSealingKeys } from "#app/lib/crypto/primitives.ts";
import { utcDay } from "#app/lib/time/dates.ts";
import { openControl } from "#app/store/database.ts";
import { createAuditArchive } from "#app/store/oversight/audit-archive.ts";
import { listAuditRows } from "#app/store/oversight/audit-log.ts";
import type { AuditQuery } from "#app/store/oversight/audit-query.ts";
import { listSegmentsByTerm } from "#app/store/oversight/audit-segment-filters.ts";

type BenchEnv = { DB: D1Database; AUDITS: R2Bucket };

const AGENCY = "hartford";
const START = Date.parse("2026-01-01T00:00:00Z");
const RUNS = 7;

const FLAT = `CREATE TABLE IF NOT EXISTS flat (seq INTEGER PRIMARY KEY, at INTEGER, agency_id TEXT, username TEXT,
  action TEXT, outcome TEXT, detail TEXT)`;

/**
 * Rows of one agency, a second apart, with the mix of tests/bench/control.ts: of thirty rows of an officer, four begin a
 * search and four end it, sixteen are about a plate (pictures and hits viewed, lists changed), and six about none
 * (sign-ins, screens viewed). One in ten thousand is a refusal.
 */
const SERIES = `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 + ?2)`;
const OUTCOME = "CASE WHEN i % 10000 = 0 THEN 'refused' ELSE 'ok' END";
/** The four rows that end searches have the ids of those that began them, and no plate. */
const OWN = "(CASE WHEN i % 30 BETWEEN 4 AND 7 THEN i - 4 ELSE i END)";
const ACTION = `CASE WHEN i % 30 < 4 THEN 'search' WHEN i % 30 < 8 THEN 'search.finished' WHEN i % 30 < 20 THEN 'image.view'
  WHEN i % 30 < 22 THEN 'alert.view' WHEN i % 30 < 24 THEN 'plate.add' WHEN i % 30 < 26 THEN 'sign-in'
  ELSE 'result-set.view' END`;
const USER = "((i / 30) % 60)";
/** Three letters and four digits, each plate once in 1,757,600 rows. */
const PLATES = 26 ** 3 * 100;
const NUMBER = `((i * 7919) % ${PLATES})`;
const PLATE = `CASE WHEN i % 30 < 4 OR i % 30 BETWEEN 8 AND 23 THEN
  char(65 + ${NUMBER} / 67600, 65 + ${NUMBER} / 2600 % 26, 65 + ${NUMBER} / 100 % 26) || printf('%04d', (i * 31) % 10000)
  ELSE '' END`;
const CASE_NUMBER = `CASE WHEN i % 30 < 4 THEN printf('26-%d', i % 50000) ELSE '' END`;
const OBJECT = `printf('object-%015d', ${OWN})`;
const DETAIL = `json_object('query', json_object('plate', ${PLATE}, 'case_number', ${CASE_NUMBER},
  'justification', 'Stolen vehicle, follow-up on a report'))`;

async function fill(db: D1Database, from: number, count: number): Promise<void> {
  await db.batch([
    db.prepare(FLAT),
    db
      .prepare(
        `INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object,
          plate, case_number, programs_queried, detail) ${SERIES}
        SELECT ${START} + i * 1000, '${AGENCY}', 'u' || ${USER}, 'user' || ${USER}, 's', '192.0.2.1', 'bench', ${ACTION},
          ${OUTCOME}, ${OBJECT}, ${PLATE}, ${CASE_NUMBER}, 'Rekor,Axis', ${DETAIL} FROM n`,
      )
      .bind(from, count),
    db
      .prepare(
        `INSERT INTO flat (at, agency_id, username, action, outcome, detail) ${SERIES}
        SELECT ${START} + i * 1000, '${AGENCY}', 'user' || ${USER}, ${ACTION}, ${OUTCOME}, ${DETAIL} FROM n`,
      )
      .bind(from, count),
  ]);
}

/** Returns the plate of a row. */
function plateOf(i: number): string {
  const number = (i * 7919) % PLATES;
  const letters = [number / 67_600, (number / 2_600) % 26, (number / 100) % 26];
  return `${String.fromCharCode(...letters.map((letter) => 65 + Math.floor(letter)))}${String((i * 31) % 10_000).padStart(4, "0")}`;
}
/** A row that views a picture. */
const SOUGHT = plateOf(8_000);

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
      own: { plate: SOUGHT },
      naive: `detail LIKE '%"plate":"${SOUGHT}"%' ORDER BY at DESC LIMIT 20`,
    },
    "one case number": {
      own: { caseNumber: "26-4710" },
      naive: `detail LIKE '%"case_number":"26-4710"%' ORDER BY at DESC LIMIT 20`,
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
    "one plate": { plate: SOUGHT },
    "first characters": { plate: `${SOUGHT.slice(0, 5)}*` },
    "one case number": { caseNumber: "26-4710" },
    "one user's searches": { username: "user17", kind: "search", searchesOnly: true },
    refusals: { refusedOnly: true, limit: 1 },
    "nothing found": { username: "nobody", kind: "search" },
    "part of a plate": { plate: SOUGHT.slice(2, 7), isPlatePart: true },
  };
  const times: Record<string, number> = {};
  for (const [what, query] of Object.entries(pages))
    times[what] = await timed(() => listAuditRows(app, { ...ALL, ...query }));
  for (const [what, after] of Object.entries({ "verify the first": 0, "verify the last": rows - 6_000 }))
    times[what] = await timed(() => checkChain(app, AGENCY, after));
  return {
    times,
    rows,
    prints: (await first("SELECT sum(length(prints)) / 3 AS n FROM audit_segment_filters"))?.n ?? 0,
    openedNeedlessly: await countNeedless(app, db),
    segments: (await first("SELECT count(*) AS n FROM audit_segments"))?.n ?? 0,
    bytes: (await first("SELECT sum(bytes) AS n FROM audit_segments"))?.n ?? 0,
  };
}

/** Returns how many of 100,000 comparisons of an unknown plate with a segment name the segment. */
async function countNeedless(app: App, db: D1Database): Promise<number> {
  const segments = (await db.prepare("SELECT count(*) AS n FROM audit_segments").first<number>("n")) ?? 0;
  const unknown = Array.from({ length: Math.ceil(100_000 / segments) }, (_, i) => TERM.plate(`UNKNOWN${i}`));
  const terms = await app.auditArchive.hash(AGENCY, unknown);
  const found = await listSegmentsByTerm(app.db, { agencyId: AGENCY, terms });
  return [...found.values()].flat().length;
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
        // As if the review had passed all of them, so that the archive keeps what it compares.
        await env.DB.prepare(
          `INSERT INTO review_runs (agency_id, day, after_user) VALUES ('${AGENCY}', ${utcDay(START) + 40}, '')
          ON CONFLICT DO NOTHING`,
        ).run();
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
