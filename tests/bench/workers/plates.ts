// Plates for the benches of live reads, and a way to list many of them.

import { sql } from "drizzle-orm";
import { openControl } from "#app/store/database.ts";
import { agencies } from "#app/store/schema/accounts.ts";
import { alertGroups } from "#app/store/schema/groups.ts";

/** The agency that owns the cameras and the list. */
export const AGENCY = "bench";

/** Returns the n-th plate of twelve million, with seven characters. Listed plates start with 7, others with 8. */
export function plateOf(n: number, first: "7" | "8"): string {
  // A prime times the rest of n permutes all combinations of three letters.
  const x = (Math.floor(n / 1000) * 7919 + (n % 1000)) % 23 ** 3;
  const letter = (by: number) => "ABCDEFGHJKLMNPRSTUVWXYZ"[Math.floor(x / by) % 23] as string;
  return `${first}${letter(1)}${letter(23)}${String(n % 1000).padStart(3, "0")}${letter(529)}`;
}

/** Adds `count` plates to the list. */
export async function listPlates(
  database: D1Database,
  { from, count }: { from: number; count: number },
): Promise<void> {
  const db = openControl(database);
  const group = {
    id: "g",
    agencyId: AGENCY,
    name: "Bench",
    createdAt: 0,
    createdBy: "",
    changedAt: 0,
    changedBy: "",
  };
  await db.insert(agencies).values({ id: AGENCY, name: "Bench", createdAt: 0 }).onConflictDoNothing();
  await db.insert(alertGroups).values(group).onConflictDoNothing();
  for (let at = from; at < from + count; at += 20_000) {
    const plates = Array.from({ length: Math.min(20_000, from + count - at) }, (_, i) =>
      plateOf(at + i, "7"),
    );
    await db.run(sql`insert into hotlist_entries (group_id, plate, created_at, added_by, added_by_name, added_by_agency, digest, from_version, match_policy)
      select 'g', value, 0, '', '', '', 0, 1, 'lookalike' from json_each(${JSON.stringify(plates)})`);
  }
}
