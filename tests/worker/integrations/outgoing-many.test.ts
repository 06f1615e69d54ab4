// Events of expiring plates where many agencies with outgoing webhooks share many groups.

import { expect, it } from "vitest";
import { nonEmpty } from "#app/lib/at.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep, rowsOf } from "#app/store/database.ts";
import { insertExpiryEvents } from "#app/store/integrations/outgoing-events.ts";
import { bindings, newAgency, testApp, unique } from "../../factories.ts";

const MANY = 40;

it("are looked for in each group once, not once for each webhook", async () => {
  const now = Date.now();
  const ids = JSON.stringify(
    await Promise.all(Array.from({ length: MANY }, async () => (await newAgency()).id)),
  );
  const [owner = ""]: string[] = JSON.parse(ids);
  const mark = unique("shared");
  const run = (sql: string, ...values: unknown[]) =>
    bindings.DB.prepare(sql)
      .bind(...values)
      .run();
  await run(
    `INSERT INTO users (id, agency_id, username, name, email, role, password_hash, created_at)
    SELECT ?1 || key, value, ?1 || key, 'u', 'u@example.gov', 'user', 'x', 1 FROM json_each(?2)`,
    mark,
    ids,
  );
  await run(
    `INSERT INTO alert_groups (id, agency_id, name, created_at, created_by, changed_at, changed_by)
    SELECT ?1 || key, ?2, ?1 || key, 1, '', 1, '' FROM json_each(?3)`,
    mark,
    owner,
    ids,
  );
  await run(
    `INSERT INTO alert_group_invitations (group_id, agency_id, state, invited_by, invited_at)
    SELECT g.id, a.value, 'accepted', '', 1 FROM alert_groups g JOIN json_each(?2) a WHERE g.name LIKE ?1 || '%' AND a.value <> ?3`,
    mark,
    ids,
    owner,
  );
  await run(
    `INSERT INTO outgoing_webhooks
      (id, agency_id, name, url, sealed_secret, on_hit, on_disposition, on_expiring, created_at, created_by)
    SELECT ?1 || key, value, '', '', '', 0, 0, 1, 1, '' FROM json_each(?2)`,
    mark,
    ids,
  );
  await run(
    `INSERT INTO hotlist_entries
      (group_id, plate, created_at, added_by, added_by_name, added_by_agency, digest, from_version, expires_at)
    VALUES (?1, 'EXPIRES', 1, '', '', '', 1, 1, ?2)`,
    `${mark}7`,
    now - MINUTE,
  );
  const groups = await bindings.DB.prepare("SELECT count(*) AS n FROM alert_groups").first<number>("n");
  const { db } = testApp();
  const written = await inOneStep(db, nonEmpty(insertExpiryEvents(db, { since: now - 5 * MINUTE, now })));
  const told = written.flatMap((result) => rowsOf<{ id: string }>(result)).map(({ id }) => id);
  expect(told.filter((id) => id.startsWith(mark))).toHaveLength(MANY);
  const read = written.reduce<number>((sum, result) => sum + (result as D1Result).meta.rows_read, 0);
  // It was 850 for each group.
  expect(read).toBeLessThan(100 * (groups ?? 0));
});
