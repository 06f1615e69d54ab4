// Bytes per row of the growing tables of the control database, in real D1 inside workerd, and the size of the database
// with 10, 100 and 1,000 agencies. The activity of an agency per day is an assumption: adapt it to your agencies.

import { HITS_LATEST_DAYS, HITS_ONLINE_DAYS } from "#app/entities/alerts/segment.ts";
import { AUDIT_ONLINE_DAYS } from "#app/entities/oversight/audit-segment.ts";
import { HOURS_HISTORY_MS } from "#app/entities/oversight/review.ts";
import { DAY } from "#app/lib/time/dates.ts";
import type { Figure } from "./figure.ts";
import { withBenchWorker } from "./harness.ts";

export const name = "control";

const ROWS = 100_000;
/** The limit of a D1 database. */
const GIGABYTES = 10;
const GIGA = 1e9;
const AGENCIES = [10, 100, 1000];

const OFFICERS = 60;
/** Fingerprints of an archived row in the index, measured by `npm run bench -- audit`. */
const PRINTS = 2.6;
/** Audit rows leave at the start of a day, once they fill a segment, which takes an agency a day. */
const AUDIT_DAYS = AUDIT_ONLINE_DAYS + 2;
const HITS = 40;
const GROUPS = 20;
/** Hits of a small group leave together, once the oldest has waited this many days longer than it had to. */
const HITS_WAIT = HITS_LATEST_DAYS - HITS_ONLINE_DAYS;
/** Days that hits stay in the database, of all groups on average. */
const HIT_DAYS = HITS_ONLINE_DAYS + HITS_WAIT / 2;
const HISTORY_DAYS = HOURS_HISTORY_MS / DAY + 1 - AUDIT_ONLINE_DAYS;
/** Rows of an agency of sixty officers, half of them on duty: new rows a day and the days they are kept by default. */
const ROWS_OF_AN_AGENCY: Record<string, { daily: number; days: number }> = {
  // Four searches per officer, each with a second row for its end.
  "audit log, searches": { daily: OFFICERS * 4, days: AUDIT_DAYS },
  // Sign-ins, results opened, pictures and hits viewed, lists changed.
  "audit log, other rows": { daily: OFFICERS * 26, days: AUDIT_DAYS },
  "index of the archived audit log": { daily: OFFICERS * 30 * PRINTS, days: 730 - AUDIT_DAYS },
  "archived searches that the review compares": { daily: OFFICERS * 4, days: HISTORY_DAYS },
  hits: { daily: HITS, days: HIT_DAYS },
  "index of the archived hits": { daily: HITS, days: 365 - HIT_DAYS },
  "segments of archived hits": { daily: GROUPS / HITS_WAIT, days: 365 - HIT_DAYS },
  "deliveries of hits": { daily: HITS * 20, days: 30 },
  // 20,000 current plates of which 200 are replaced a day, and those that were replaced.
  "hotlist entries": { daily: 200, days: 101 },
  "former hotlist entries": { daily: 200, days: 364 },
  imports: { daily: 2, days: 365 },
  "rows of imports to look at": { daily: 100, days: 365 },
  "deliveries to other systems": { daily: HITS, days: 30 },
  sessions: { daily: OFFICERS * 2, days: 30 },
};

export function run(): Promise<Figure[]> {
  return withBenchWorker({ name, databases: { DB: "control" }, buckets: ["AUDITS"] }, async ({ call }) => {
    let perAgency = 0;
    for (const table of await call<string[]>("/")) {
      const bytes = await call<number>(`/?table=${encodeURIComponent(table)}&rows=${ROWS}`);
      const use = ROWS_OF_AN_AGENCY[table];
      if (!use) throw new Error(`how many rows of "${table}" an agency has is not known`);
      const megabytes = ((bytes / ROWS) * use.daily * use.days) / 1e6;
      perAgency += megabytes;
      console.log(
        `${table}: ${(bytes / ROWS).toFixed(bytes / ROWS < 100 ? 1 : 0)} bytes a row, ${Math.round(use.daily * use.days)} rows of an agency, ${megabytes.toFixed(0)} MB`,
      );
    }
    const fit = Math.floor((GIGABYTES * 1000) / perAgency);
    console.log(`an agency of ${OFFICERS} officers: ${perAgency.toFixed(0)} MB after two years; ${fit} fit`);
    return AGENCIES.map((count) => ({
      name: `control: ${count} agencies over two years, against a D1 database`,
      own: (count * perAgency * 1e6) / GIGA,
      peer: GIGABYTES,
      unit: "GB",
      goal: 1,
    }));
  });
}
