// Who is told of hits. A message names an alert and nothing else; whom it concerns is looked up when it is taken, and
// looked up again at every send: who has left the group meanwhile is not woken. Of all that come together the lists in
// the open app are written first, since no push service can hold those up.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { PUSH_CHANNELS, whyNotPushed } from "#app/entities/alerts/push.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import {
  endOverdueDeliveries,
  findAlertToTell,
  insertDeliveries,
  listForgottenAlerts,
  listMembersToTell,
  type MemberToTell,
  markFannedOut,
  type NewDelivery,
} from "#app/store/alerts/deliveries.ts";
import { inOneStep } from "#app/store/database.ts";
import { sendJobs } from "#app/store/queue.ts";
import { deliverAlerts } from "./delivery.ts";
import type { AlertToTell } from "./delivery-slice.ts";

/** Members whose rows are written in one step. */
const PAGE = 500;
const WRITES_AT_ONCE = 6;

/** What is older than this was given up by its message, and is the sweep's. */
const FORGOTTEN_MS = 20 * SECOND;
/** Alerts that one sweep takes up, and rows that are ended in one step. */
const SWEEP = { alerts: 1000, rows: 5000 };

/** No row waits longer for its end. */
const OVERDUE_MS = 10 * MINUTE;

/**
 * Hands new alerts to the queue that tells their members. Never throws: an alert whose message was lost still has
 * `fanned_out_at` null, and cron takes it up within a minute.
 */
export async function announceAlerts(app: AppContext, alertIds: string[]): Promise<void> {
  if (alertIds.length === 0) return;
  try {
    await sendJobs(
      app.alertJobs,
      alertIds.map((id) => ({ v: 1, type: "alert", id })),
    );
  } catch (error) {
    console.warn(`${alertIds.length} alerts wait for the sweep, since the queue did not take them`, error);
  }
}

/**
 * Tells the members of alerts' groups: writes a row a member and channel for all of them, then sends what is due. May be
 * called any number of times, at once or anew: rows are written once, and each is one caller's at a time. Gives what
 * failed by alert; those are to be tried again, the others are done.
 */
export async function fanOutAlerts(app: AppContext, alertIds: string[]): Promise<Map<string, unknown>> {
  const failed = new Map<string, unknown>();
  const written: AlertToTell[] = [];
  const write = async (id: string) => {
    try {
      const alert = await findAlertToTell(app.db, id);
      if (alert?.fannedOutAt === null) await writeRows(app, alert);
      if (alert) written.push(alert);
    } catch (error) {
      failed.set(id, error);
    }
  };
  await pMap(new Set(alertIds), write, { concurrency: WRITES_AT_ONCE });
  for (const [id, error] of await deliverAlerts(app, written)) failed.set(id, error);
  return failed;
}

async function writeRows(app: AppContext, alert: { id: string; groupId: string }): Promise<void> {
  for (let after = ""; ; ) {
    const members = await listMembersToTell(app.db, { groupId: alert.groupId, limit: PAGE, after });
    const at = app.clock();
    const rows = members.flatMap((member) => rowsOf(app, member, at));
    const insert = insertDeliveries(app.db, { alertId: alert.id, rows, at });
    const isLast = members.length < PAGE;
    await inOneStep(app.db, isLast ? [insert, markFannedOut(app.db, { id: alert.id, at })] : [insert]);
    if (isLast) return;
    after = members.at(-1)?.userId ?? "";
  }
}

/** The list in the open app has the hit as soon as the row stands; a channel without a device has no row. */
function rowsOf(app: AppContext, member: MemberToTell, at: number): NewDelivery[] {
  const { userId } = member;
  const unwanted = whyNotPushed(member, at);
  const pushes = PUSH_CHANNELS.filter((channel) => member[channel]).map((channel): NewDelivery => {
    const reason = unwanted ?? (app.push[channel] ? "" : "Not configured");
    return { userId, channel, state: reason === "" ? "pending" : "suppressed", reason };
  });
  return [{ userId, channel: "live", state: "delivered", reason: "" }, ...pushes];
}

/** Takes up alerts whose message was lost and sends that are due, and ends what nobody could end in time. */
export async function sweepAlerts(app: AppContext, limits = SWEEP): Promise<void> {
  const now = app.clock();
  const overdue = { before: now - OVERDUE_MS, at: now, reason: "Not sent in time", limit: limits.rows };
  while ((await endOverdueDeliveries(app.db, overdue)) === limits.rows);
  await announceAlerts(
    app,
    await listForgottenAlerts(app.db, { before: now - FORGOTTEN_MS, limit: limits.alerts }),
  );
}
