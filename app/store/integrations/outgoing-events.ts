// Writes the deliveries of an event in the transaction of the event itself: one row for each webhook that gets it. The
// same condition decides when a message is sent, so that a group that was archived or left gets no more messages.

import { sql } from "drizzle-orm";
import type { DeliveryDetail, OutgoingEvent } from "#app/entities/integrations/outgoing-webhooks.ts";
import { type ControlDb, rowsOf, type Statement } from "#app/store/database.ts";
import { stagesEntered } from "#app/store/hotlists/expiry-notices.ts";

/**
 * Whether a webhook may get events of a group: a group's webhook while its agency owns the group, an agency's webhook
 * while it owns the group or participates in it. The group is in use, and the agency has a user who is not disabled.
 * Query plan: the invitation by primary key, the users by users_agency.
 */
export const IS_ENTITLED = sql.raw(`(
  alert_groups.archived_at IS NULL
  AND (
    outgoing_webhooks.agency_id = alert_groups.agency_id
      AND (outgoing_webhooks.group_id IS NULL OR outgoing_webhooks.group_id = alert_groups.id)
    OR outgoing_webhooks.group_id IS NULL AND EXISTS (
      SELECT 1
      FROM alert_group_invitations i
      WHERE i.group_id = alert_groups.id AND i.agency_id = outgoing_webhooks.agency_id AND i.state = 'accepted'))
  AND EXISTS (
    SELECT 1
    FROM users u
    WHERE u.agency_id = outgoing_webhooks.agency_id AND u.disabled_at IS NULL AND u.deleted_at IS NULL))`);

const COLUMNS = sql.raw(
  "id, webhook_id, event, event_key, group_id, alert_id, detail, state, created_at, updated_at, next_at",
);
const NEW_ID = sql.raw("'msg_' || lower(hex(randomblob(16)))");
const WANTS: Record<OutgoingEvent, ReturnType<typeof sql.raw>> = {
  hit: sql.raw("outgoing_webhooks.on_hit"),
  disposition: sql.raw("outgoing_webhooks.on_disposition"),
  expiring: sql.raw("outgoing_webhooks.on_expiring"),
};
/** Agencies that own the group or may participate in it, by the index on the webhooks' agency. */
const CONCERNED = sql.raw(`
  SELECT alert_groups.agency_id
  UNION ALL
  SELECT i.agency_id
  FROM alert_group_invitations i
  WHERE i.group_id = alert_groups.id AND i.state = 'accepted'`);

/** Returns the statement that writes the deliveries of an event about one hit. Idempotent by `key`. */
export function insertAlertEvent(
  db: ControlDb,
  input: {
    event: "hit" | "disposition";
    alertId: string;
    groupId: string;
    key: string;
    detail?: DeliveryDetail;
    at: number;
  },
): Statement {
  const { event, alertId, groupId, key, detail = {}, at } = input;
  return db.all(sql`
    INSERT OR IGNORE INTO outgoing_deliveries (${COLUMNS})
    SELECT ${NEW_ID}, outgoing_webhooks.id, ${event}, ${key}, alert_groups.id, ${alertId}, ${JSON.stringify(detail)},
      'pending', ${at}, ${at}, ${at}
    FROM alert_groups
    CROSS JOIN outgoing_webhooks ON outgoing_webhooks.agency_id IN (${CONCERNED})
    WHERE alert_groups.id = ${groupId} AND outgoing_webhooks.off_at IS NULL AND ${WANTS[event]} AND ${IS_ENTITLED}
    RETURNING webhook_id AS id`);
}

/**
 * Returns the statements that write the deliveries of plates that entered a stage of their expiry since the last run:
 * one per group and stage, without the plates.
 */
export function insertExpiryEvents(db: ControlDb, input: { since: number; now: number }): Statement[] {
  return stagesEntered(input).map(({ stage, from, until, inForce }) => {
    const detail: DeliveryDetail = { stage, expires_after: from, expires_until: until };
    const has = sql.join(
      inForce.map(
        ({ end, expiresAt }) => sql`EXISTS (
          SELECT 1
          FROM hotlist_entries AS e INDEXED BY hotlist_entries_expiry
          WHERE e.group_id = g.id AND ${end} AND ${expiresAt} > ${from} AND ${expiresAt} <= ${until}
            AND e.from_version <= g.list_version)`,
      ),
      sql` OR `,
    );
    // Query plan: ranges of hotlist_entries_expiry for each group, once, if there is a webhook for them; for the few groups
    // found, the webhooks of each agency concerned by outgoing_webhooks_agency.
    const insertion = sql`
      INSERT OR IGNORE INTO outgoing_deliveries (${COLUMNS})
      WITH entered AS MATERIALIZED (
        SELECT g.id
        FROM alert_groups AS g
        WHERE g.archived_at IS NULL
          AND EXISTS (SELECT 1 FROM outgoing_webhooks WHERE off_at IS NULL AND ${WANTS.expiring})
          AND (${has})
      )
      SELECT ${NEW_ID}, outgoing_webhooks.id, 'expiring', alert_groups.id || '|' || ${stage} || '|' || ${until},
        alert_groups.id, '', ${JSON.stringify(detail)}, 'pending', ${input.now}, ${input.now}, ${input.now}
      FROM entered
      CROSS JOIN alert_groups ON alert_groups.id = entered.id
      CROSS JOIN outgoing_webhooks ON outgoing_webhooks.agency_id IN (${CONCERNED})
      WHERE outgoing_webhooks.off_at IS NULL AND ${WANTS.expiring} AND ${IS_ENTITLED}
      RETURNING webhook_id AS id`;
    return db.all(insertion);
  });
}

/** Returns the webhooks of the rows that such a statement inserted. */
export function webhooksTold(result: unknown): string[] {
  return rowsOf<{ id: string }>(result).map(({ id }) => id);
}
