// Who is told of a hit. The message names the alert and nothing else; whom it concerns is looked up when it is taken,
// and looked up again at every send: who has left the group meanwhile is not woken.

import type { AppContext } from "#app/context.ts";
import { PUSH_CHANNELS, whyNotPushed } from "#app/entities/push.ts";
import { MINUTE, SECOND } from "#app/lib/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  endOverdueDeliveries,
  findAlertToTell,
  insertDeliveries,
  listForgottenAlerts,
  listMembersToTell,
  type MemberToTell,
  markFannedOut,
  type NewDelivery,
} from "#app/store/deliveries.ts";
import { sendJobs } from "#app/store/queue.ts";
import { deliverAlert } from "./alert-delivery.ts";

/** Members whose rows are written in one step. */
const PAGE = 500;

/** What is older than this was given up by its message, and is the sweep's. */
const FORGOTTEN_MS = 20 * SECOND;
const SWEEP_LIMIT = 1000;

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
 * Tells the members of an alert's group: writes a row a member and channel, then sends what is due. May be called any
 * number of times, at once or anew: rows are written once, and each is one caller's at a time.
 */
export async function fanOutAlert(app: AppContext, alertId: string): Promise<void> {
  const alert = await findAlertToTell(app.db, alertId);
  if (!alert) return;
  if (alert.fannedOutAt === null) await writeRows(app, alert);
  await deliverAlert(app, alert);
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
export async function sweepAlerts(app: AppContext): Promise<void> {
  const now = app.clock();
  await endOverdueDeliveries(app.db, { before: now - OVERDUE_MS, at: now, reason: "Not sent in time" });
  await announceAlerts(
    app,
    await listForgottenAlerts(app.db, { before: now - FORGOTTEN_MS, limit: SWEEP_LIMIT }),
  );
}
