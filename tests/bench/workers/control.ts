// Runs in workerd: fills the growing tables of the control database, one at a time, and returns the bytes of each. The
// texts are as long as those of the demo.

import { sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { openControl } from "#app/store/database.ts";

type BenchEnv = { DB: D1Database; AUDITS: R2Bucket };

const AT = Date.parse("2026-11-01T00:00:00Z");
const SERIES = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 + ?2)";
/** An id in the product's format: 22 random characters. */
const ID = "lower(hex(randomblob(11)))";
const USER = "printf('user-%017d', i % 60)";
const PLATE = "printf('AB%05d', (i * 7919) % 100000)";
const CASE = "printf('26-%05d', i % 5000)";
const BROWSER =
  "'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0'";

const audit = (action: string, outcome: { plate: string; caseNumber: string; detail: string }) => `
  INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, plate,
    case_number, programs_queried, detail)
  ${SERIES}
  SELECT ${AT} + i * 1000, 'hartford-police-000001', ${USER}, printf('j.officer%02d', i % 60), ${ID}, '198.51.100.17', ${BROWSER},
    '${action}', 'ok', ${ID}, ${outcome.plate}, ${outcome.caseNumber}, 'Rekor,Axon,Axis', ${outcome.detail}
  FROM n`;

const QUERY = `json_object('query', json_object('plate', ${PLATE}, 'plate_state', 'CT', 'make', '', 'color', '',
    'body_type', '', 'start', '2026-11-01T00:00', 'end', '2026-11-02T00:00', 'time_zone', 'America/New_York',
    'purpose', 'investigation', 'case_number', ${CASE}, 'justification', 'Stolen vehicle, follow-up on a report',
    'look_alikes', json('false')), 'agencies', json_array('hartford-police-000001', 'new-haven'), 'agency_count', 2)`;

/** The statements that fill each table. */
const FILLS: Record<string, string> = {
  "audit log, searches": audit("search", { plate: PLATE, caseNumber: CASE, detail: QUERY }),
  "audit log, other rows": audit("image.view", {
    plate: PLATE,
    caseNumber: "''",
    detail: `json_object('kind', 'vehicle', 'program', 'Axis', 'camera', 'I-84 W at Exit 48')`,
  }),
  hits: `
    INSERT INTO alerts (id, group_id, agency_id, entry_id, pass_key, program, match_kind, plate, plate_state, make, color,
      body_type, confidence, captured_at, camera_id, camera_name, camera_agency_id, camera_agency, latitude_e6,
      longitude_e6, listed_plate, listed_state, reason, notes, case_number, listed_at, listed_by, listed_by_agency,
      created_at, fanned_out_at, disposition, disposition_by, disposition_by_name, disposition_at)
    ${SERIES}
    SELECT ${ID}, printf('group-%016d', i % 20), 'hartford-police-000001', i, ${ID}, 'Axis', 'exact', ${PLATE}, 'CT', 'Toyota', 'Black',
      'suv-standard', 93, ${AT} + i * 1000, printf('camera-%015d', i % 50), 'I-84 W at Exit 48', 'hartford-police-000001',
      'Hartford Police', 41763000, -72685000, ${PLATE}, 'CT', 'Stolen vehicle', 'Approach with caution', ${CASE}, ${AT},
      'Jane Officer', 'Hartford Police', ${AT} + i * 1000, ${AT} + i * 1000, 'correct', ${USER}, 'Jane Officer',
      ${AT} + i * 1000
    FROM n`,
  // In the order of random hashes, 58 in each segment.
  "index of the archived hits": `
    INSERT INTO alert_segment_ids (hash, segment)
    ${SERIES}
    SELECT abs(random()) % 281474976710656, i / 58 FROM n`,
  // 58 hits of fifteen cameras and forty cases: those of a group in 29 days.
  "segments of archived hits": `
    INSERT INTO alert_segments (group_id, agency_id, object_key, sealed_key, min_captured_at, max_captured_at,
      min_created_at, max_created_at, min_disposition_at, max_disposition_at, hits, cameras, cases, bytes, created_at)
    ${SERIES}
    SELECT printf('group-%016d', i % 20), 'hartford-police-000001',
      printf('hit-segments/hartford-police-000001/group-%016d/%s', i % 20, lower(hex(randomblob(18)))),
      printf('v1.%s.%s', lower(hex(randomblob(8))), lower(hex(randomblob(40)))), ${AT}, ${AT}, ${AT}, ${AT}, ${AT},
      ${AT}, 58, (
        WITH RECURSIVE c(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM c WHERE k < 14)
        SELECT json_group_array(json_array(printf('camera-%015d', k), 'I-84 W at Exit 48', ${AT})) FROM c), (
        WITH RECURSIVE c(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM c WHERE k < 39)
        SELECT json_group_array(json_array(printf('26-%05d', k), ${AT})) FROM c), 5000, ${AT}
    FROM n`,
  "deliveries of hits": `
    INSERT INTO deliveries (alert_id, user_id, channel, state, attempts, devices, created_at, updated_at)
    ${SERIES}
    SELECT printf('alert-%016d', i / 60), ${USER}, 'webpush', 'delivered', 1, json_array(${ID}), ${AT} + i * 100,
      ${AT} + i * 100
    FROM n`,
  "hotlist entries": `
    INSERT INTO hotlist_entries (group_id, plate, state, reason, notes, case_number, created_at, added_by, added_by_name,
      added_by_agency, digest, from_version, expires_at)
    ${SERIES}
    SELECT printf('group-%016d', i % 20), ${PLATE}, 'CT', 'Stolen vehicle', '', ${CASE}, ${AT}, ${USER}, 'Jane Officer',
      'Hartford Police', abs(random()) % 9007199254740991, i / 1000, ${AT} + 90 * 86400000
    FROM n`,
  "former hotlist entries": `
    INSERT INTO former_entries (group_id, ended_at, id, plate, state, reason, notes, case_number, match_policy,
      state_required, make, color, body_type, priority, expires_at, created_at, added_by, added_by_name, added_by_agency,
      revision, from_version, until_version, removed_by)
    ${SERIES}
    SELECT printf('group-%016d', i % 20), ${AT} + i * 1000, i, ${PLATE}, 'CT', 'Stolen vehicle', '', ${CASE}, 'exact', 0, '', '',
      '', 'normal', ${AT} + 90 * 86400000, ${AT}, ${USER}, 'Jane Officer', 'Hartford Police', 1, i / 1000, i / 1000 + 100,
      ${USER}
    FROM n`,
  imports: `
    INSERT INTO hotlist_imports (id, group_id, agency_id, user_id, username, user_name, agency_name, file_name, size,
      preset, mode, on_conflict, state, layout, version, first_entry_id, created_at, updated_at, applied_at)
    ${SERIES}
    SELECT printf('import-%015d', i), printf('group-%016d', i % 20), 'hartford-police-000001', ${USER}, 'j.officer', 'Jane Officer',
      'Hartford Police', 'hotlist-2026-11-01.csv', 4200000, 'ncic', 'replace', 'keep', 'applied',
      json_object('columns', json_array('plate', 'state', 'reason', 'notes', 'case_number'), 'delimiter', ','), i, i,
      ${AT} + i * 1000, ${AT} + i * 1000, ${AT} + i * 1000
    FROM n`,
  "rows of imports to look at": `
    INSERT INTO hotlist_import_issues (import_id, kind, line, plate, reason)
    ${SERIES}
    SELECT printf('import-%015d', i / 100), 'repeated', i % 100, ${PLATE}, 'The plate is on line 17 as well.'
    FROM n`,
  "deliveries to other systems": `
    INSERT INTO outgoing_deliveries (id, webhook_id, event, event_key, group_id, alert_id, state, attempts, status,
      created_at, updated_at)
    ${SERIES}
    SELECT ${ID}, 'webhook-00000000000001', 'hit', ${ID}, printf('group-%016d', i % 20), ${ID}, 'delivered', 1, 200,
      ${AT} + i * 1000, ${AT} + i * 1000
    FROM n`,
  // A row is a fingerprint: 80 of them in each of the 64 buckets of a segment of 2,000 rows.
  "index of the archived audit log": `
    INSERT INTO audit_segment_filters (segment, bucket, prints)
    ${SERIES}
    SELECT i / 5120, i / 80 % 64, randomblob(80 * 3) FROM n WHERE i % 80 = 0`,
  // In the order of time, as they are archived.
  "archived searches that the review compares": `
    INSERT INTO review_searches (agency_id, user_id, at, seq, plate, case_number)
    ${SERIES}
    SELECT 'hartford-police-000001', ${USER}, ${AT} + i * 1000, i, ${PLATE}, ${CASE} FROM n`,
  sessions: `
    INSERT INTO sessions (id, token_hash, user_id, kind, proved_at, created_at, last_seen_at, ip, user_agent,
      notice_version)
    ${SERIES}
    SELECT ${ID}, lower(hex(randomblob(32))), ${USER}, 'cookie', ${AT}, ${AT}, ${AT} + i, '198.51.100.17', ${BROWSER},
      '2026-01'
    FROM n`,
};

/** The rows that others refer to. */
const PARENTS = [
  "INSERT OR IGNORE INTO agencies (id, name, created_at) VALUES ('hartford-police-000001', 'Hartford Police', 0)",
  `INSERT OR IGNORE INTO users (id, agency_id, username, name, email, password_hash, role, created_at)
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
    SELECT ${USER}, 'hartford-police-000001', printf('j.officer%02d', i), 'Jane Officer', '', '', 'user', 0 FROM n`,
  `INSERT OR IGNORE INTO outgoing_webhooks (id, agency_id, name, url, sealed_secret, on_hit, on_disposition, on_expiring,
      created_at, created_by)
    VALUES ('webhook-00000000000001', 'hartford-police-000001', '', '', '', 1, 0, 0, 0, '')`,
];

async function sizeOf(db: D1Database): Promise<number> {
  const { meta } = await db.prepare("SELECT 1").run();
  return meta.size_after;
}

const CHUNK = 20_000;

export default {
  async fetch(request: Request, env: BenchEnv): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const name = searchParams.get("table");
    if (name === null) return Response.json(Object.keys(FILLS));
    const sql = FILLS[name];
    if (sql === undefined) return new Response("no such table", { status: 404 });
    const rows = Number(searchParams.get("rows"));
    await env.DB.batch(PARENTS.map((text) => env.DB.prepare(text)));
    const before = await sizeOf(env.DB);
    for (let from = 0; from < rows; from += CHUNK) await env.DB.prepare(sql).bind(from, CHUNK).run();
    const app = { db: openControl(env.DB), clock: () => AT };
    while ((await sealAuditLog(app, 50)) > 0);
    return Response.json((await sizeOf(env.DB)) - before);
  },
} satisfies ExportedHandler<BenchEnv>;
