// Notifies group members of hits. A queue message names only an alert; its recipients are looked up when the
// message is processed and again at every send, so a member who has left the group is not notified. For all alerts
// of a batch, the rows for the open app are written first, because no push service can delay those. Outgoing webhooks
// are sent by a queue of their own, which gets only their ids here.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { announceToWebhooks } from "#app/domain/integrations/outgoing-announce.ts";
import { PUSH_CHANNELS, suppressionReason } from "#app/entities/alerts/push.ts";
import { logWarning } from "#app/lib/log.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { repeatWhileFull } from "#app/lib/turns.ts";
import {
  endOverdueDeliveries,
  findAlertToDeliver,
  insertDeliveries,
  listRecipients,
  listUndeliveredAlerts,
  markFannedOut,
  type NewDelivery,
  type Recipient,
} from "#app/store/alerts/deliveries.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAlertEvent, webhooksTold } from "#app/store/integrations/outgoing-events.ts";
import { sendJobs } from "#app/store/queue.ts";
import { deliverAlerts } from "./delivery.ts";
import type { AlertToDeliver } from "./delivery-slice.ts";

/** Members whose rows are written in one transaction. */
const PAGE = 500;
const WRITES_AT_ONCE = 6;
/**
 * After this many queries for writing rows, the other alerts of a batch are queued again: D1 allows 1,000 queries per
 * invocation, and pushes need the rest. An alert with 7,680 members takes 35.
 */
const WRITE_QUERIES = 400;
/** Queries for writing rows and sending them. */
const ALL_QUERIES = 950;

/** Older alerts without deliveries have lost their queue message; the sweep queues them again. */
const FORGOTTEN_MS = 20 * SECOND;
/** Alerts per sweep, and rows ended per transaction. */
const SWEEP = { alerts: 1000, rows: 5000 };
/** Maximum transactions per sweep: D1 allows 1,000 queries for all jobs of a minute. */
const SWEEP_STEPS = 20;

/** Pending deliveries fail after OVERDUE_MS, but not earlier than DUE_MS after a delay that a push service requested. */
const OVERDUE_MS = 10 * MINUTE;
const DUE_MS = 2 * MINUTE;

/**
 * Queues new alerts for notification. Never throws: if the message is lost, the alert keeps `fanned_out_at` null
 * and cron queues it again within a minute.
 */
export async function announceAlerts(app: AppContext, alertIds: string[]): Promise<void> {
  if (alertIds.length === 0) return;
  try {
    await sendJobs(
      app.alertJobs,
      alertIds.map((id) => ({ v: 1, type: "alert", id })),
    );
  } catch (error) {
    logWarning(`the queue did not accept ${alertIds.length} alerts, which the sweep queues again`, error);
  }
}

/**
 * Notifies the members of the alerts' groups: writes a row per member and channel, then sends what is due.
 * Idempotent and safe to run concurrently: rows are written once and leased by one caller at a time. Alerts for which the
 * queries do not suffice are queued again. Returns the failures by alert id; failed alerts need a retry.
 */
export async function fanOutAlerts(app: AppContext, alertIds: string[]): Promise<Map<string, unknown>> {
  const failed = new Map<string, unknown>();
  const written: AlertToDeliver[] = [];
  const webhooks: string[] = [];
  const putOff: string[] = [];
  const budget = { left: WRITE_QUERIES };
  const write = async (id: string) => {
    if (budget.left <= 0) {
      putOff.push(id);
      return;
    }
    try {
      budget.left -= 1;
      const alert = await findAlertToDeliver(app.db, id);
      if (alert?.fannedOutAt === null) webhooks.push(...(await writeRows(app, alert, budget)));
      if (alert) written.push(alert);
    } catch (error) {
      failed.set(id, error);
    }
  };
  await pMap(new Set(alertIds), write, { concurrency: WRITES_AT_ONCE });
  // A new message: a retry would count as a failed attempt.
  await announceAlerts(app, putOff);
  const left = ALL_QUERIES - (WRITE_QUERIES - budget.left);
  const [undelivered] = await Promise.all([
    deliverAlerts(app, written, left),
    announceToWebhooks(app, webhooks),
  ]);
  for (const [id, error] of undelivered) failed.set(id, error);
  return failed;
}

/** Writes an alert's rows, and its event for outgoing webhooks. Returns the webhooks that have something to send. */
async function writeRows(
  app: AppContext,
  alert: { id: string; groupId: string },
  budget: { left: number },
): Promise<string[]> {
  for (let after = ""; ; ) {
    budget.left -= 2;
    const members = await listRecipients(app.db, { groupId: alert.groupId, limit: PAGE, after });
    const at = app.clock();
    const rows = members.flatMap((member) => rowsOf(app, member, at));
    const insert = insertDeliveries(app.db, { alertId: alert.id, rows, at });
    const isLast = members.length < PAGE;
    if (isLast) {
      budget.left -= 2;
      const { id, groupId } = alert;
      const event = insertAlertEvent(app.db, { event: "hit", alertId: id, groupId, key: id, at });
      const [told] = await inOneStep(app.db, [event, insert, markFannedOut(app.db, { id, at })]);
      return webhooksTold(told);
    }
    await inOneStep(app.db, [insert]);
    after = members.at(-1)?.userId ?? "";
  }
}

/**
 * Returns the rows of a member. The open app shows the hit as soon as its row exists; a channel without a device
 * has no row.
 */
function rowsOf(app: AppContext, member: Recipient, at: number): NewDelivery[] {
  const { userId } = member;
  const unwanted = suppressionReason(member, at);
  const pushes = PUSH_CHANNELS.filter((channel) => member[channel]).map((channel): NewDelivery => {
    const reason = unwanted ?? (app.push[channel] ? "" : "Not configured");
    return { userId, channel, state: reason === "" ? "pending" : "suppressed", reason };
  });
  return [{ userId, channel: "live", state: "delivered", reason: "" }, ...pushes];
}

/**
 * Queues alerts again whose message was lost or whose deliveries are overdue, and ends deliveries past their time.
 */
export async function sweepAlerts(app: AppContext, limits = SWEEP): Promise<void> {
  const now = app.clock();
  const overdue = {
    before: now - OVERDUE_MS,
    dueBefore: now - DUE_MS,
    at: now,
    reason: "Not sent in time",
    limit: limits.rows,
  };
  await repeatWhileFull(() => endOverdueDeliveries(app.db, overdue), {
    limit: limits.rows,
    steps: SWEEP_STEPS,
  });
  await announceAlerts(
    app,
    await listUndeliveredAlerts(app.db, { before: now - FORGOTTEN_MS, limit: limits.alerts }),
  );
}
