// A slice is a set of an alert's pending deliveries that is sent together. Its rows are leased before anything is
// sent and settled afterwards. If the process dies in between, the rows are sent again under the same push ids, so
// that no device shows a hit twice.

import type { AppContext } from "#app/context.ts";
import { LIVE_KEPT_MS } from "#app/entities/alerts/hit.ts";
import {
  DEVICES_PER_USER,
  PUSH_USEFUL_MS,
  type PushChannel,
  type PushMessage,
  type PushOutcome,
  suppressionReason,
} from "#app/entities/alerts/push.ts";
import { at } from "#app/lib/at.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { fullJitter, retryBriefly } from "#app/lib/retry.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import {
  claimDeliveries,
  countUnseen,
  type Delivery,
  listRecipients,
  type Settled,
  settleDeliveries,
  WAITS_AS_ASKED,
} from "#app/store/alerts/deliveries.ts";
import { listDevicesOf, recordPushResults } from "#app/store/alerts/push-devices.ts";
import { inOneStep } from "#app/store/database.ts";

/** Longer than two rounds of sends take if each waits for its deadline (delivery.ts), with time left for D1. */
const LEASE_MS = 90 * SECOND;
/** The last send begins this long before the lease ends, which leaves time for its answer and for settling its row. */
const LAST_SEND_MS = 15 * SECOND;

const MAX_ATTEMPTS = 6;
const BACKOFF = { base: 4 * SECOND, cap: 64 * SECOND };
/**
 * A row that would wait longer than this fails, unless a push service asked for the delay. Including its last lease, it
 * ends within ten minutes.
 */
const PATIENCE_MS = 8 * MINUTE;

export type AlertToDeliver = { id: string; groupId: string; createdAt: number };
type Row = Delivery & { channel: PushChannel };
export type Device = { id: string; userId: string; channel: PushChannel; sealedAddress: string };
export type Send = {
  row: Row;
  device: Device;
  message: PushMessage;
  /** The push service that was called. */
  service?: string;
  outcome?: PushOutcome;
};

export type Slice = {
  alert: AlertToDeliver;
  /** No send begins after this time. */
  sendUntil: number;
  /** Rows that are not to be sent. */
  unsent: Settled[];
  rows: Row[];
  sends: Send[];
  /** Whether the alert may have more rows due than there was room for. */
  mayHaveMore: boolean;
};

/**
 * Leases due rows of an alert that together have at most `devicesAtMost` devices. Returns null if no row is due.
 */
export async function takeSlice(
  app: AppContext,
  alert: AlertToDeliver,
  devicesAtMost: number,
): Promise<Slice | null> {
  const now = app.clock();
  const leasedUntil = now + LEASE_MS;
  const claimed = await claimDeliveries(app.db, {
    alertId: alert.id,
    now,
    leasedUntil,
    devices: devicesAtMost,
  });
  const rows = claimed.filter(isPush);
  if (rows.length === 0) return null;
  return sliceOf(app, alert, { rows, devicesAtMost, sendUntil: leasedUntil - LAST_SEND_MS });
}

/** Returns whether a delivery goes to a push service. Deliveries to the open app are never pending. */
function isPush(delivery: Delivery): delivery is Row {
  return delivery.channel !== "live";
}

async function sliceOf(
  app: AppContext,
  alert: AlertToDeliver,
  taken: Pick<Slice, "rows" | "sendUntil"> & { devicesAtMost: number },
): Promise<Slice> {
  const { devicesAtMost, sendUntil } = taken;
  const userIds = [...new Set(taken.rows.map(({ userId }) => userId))];
  const now = app.clock();
  const [members, devices, unseen] = await Promise.all([
    listRecipients(app.db, { groupId: alert.groupId, limit: userIds.length, among: userIds }),
    listDevicesOf(app.db, userIds),
    countUnseen(app.db, { userIds, since: now - LIVE_KEPT_MS }),
  ]);
  const standing = new Map(members.map((member) => [member.userId, suppressionReason(member, now) ?? ""]));
  const devicesOf = (row: Row) =>
    devices.filter(({ userId, channel }) => userId === row.userId && channel === row.channel);
  const leased = taken.rows.reduce((sum, row) => sum + devicesOf(row).length, 0);
  // A row has at most DEVICES_PER_USER devices, so the next one would have had room.
  const mayHaveMore = taken.rows.length >= devicesAtMost || leased > devicesAtMost - DEVICES_PER_USER;
  const slice: Slice = { alert, sendUntil, unsent: [], rows: [], sends: [], mayHaveMore };
  for (const row of taken.rows) {
    const expiresAt = expiryOf(alert, row);
    const unwanted = standing.get(row.userId) ?? "No longer a member";
    const reason =
      unwanted || (app.push[row.channel] ? "" : "Not configured") || (expiresAt <= now ? "Too old" : "");
    if (reason !== "") {
      slice.unsent.push(ended(row, { state: row.devices.length > 0 ? "delivered" : "suppressed", reason }));
      continue;
    }
    slice.rows.push(row);
    const badge = unseen.get(row.userId) ?? 1;
    for (const device of devicesOf(row)) {
      if (row.devices.includes(device.id)) continue;
      const id = pushIdOf(alert.id, device.id);
      slice.sends.push({ row, device, message: { alertId: alert.id, id, badge, expiresAt } });
    }
  }
  return slice;
}

/** Saves the outcome of a slice. A failed write is retried: if a send is not recorded, it is repeated. */
export async function settleSlice(app: AppContext, slice: Slice): Promise<void> {
  const { alert } = slice;
  const sends = withGone(slice.sends);
  const at = app.clock();
  const settled = slice.rows.map((row) => {
    const own = sends.filter((send) => send.row === row);
    return outcomeOf(row, own, { at, expiresAt: expiryOf(alert, row) });
  });
  const dropped = sends.flatMap(({ device, outcome }) =>
    outcome?.kind === "gone" ? [{ id: device.id, reason: outcome.reason }] : [],
  );
  const used = sends.filter(({ outcome }) => outcome?.kind === "delivered").map(({ device }) => device.id);
  await retryBriefly(() =>
    inOneStep(app.db, [
      settleDeliveries(app.db, { alertId: alert.id, rows: [...slice.unsent, ...settled], at }),
      ...recordPushResults(app.db, { at, used, dropped }),
    ]),
  );
}

/** Returns the sends with refused devices as gone where their push service took a push to another device. */
function withGone(sends: Send[]): Send[] {
  const working = new Set(
    sends.filter(({ outcome }) => outcome?.kind === "delivered").map(({ service }) => service),
  );
  return sends.map((send): Send => {
    const reason = send.outcome?.kind === "refused" ? send.outcome.orGone : undefined;
    if (reason === undefined || !working.has(send.service)) return send;
    return { ...send, outcome: { kind: "gone", reason } };
  });
}

function expiryOf(alert: AlertToDeliver, row: Row): number {
  return (row.retriedAt ?? alert.createdAt) + PUSH_USEFUL_MS;
}

/** Returns the row's final state, or when it is tried again, which is before `expiresAt`. */
function outcomeOf(row: Row, sends: Send[], { at, expiresAt }: { at: number; expiresAt: number }): Settled {
  const done = [...row.devices];
  for (const { device, outcome } of sends) if (outcome?.kind === "delivered") done.push(device.id);
  const after = { ...row, devices: done };
  const later = sends.flatMap(({ outcome }) => (outcome?.kind === "later" ? [outcome] : []));
  const [first] = later;
  if (first) {
    const asked = Math.max(0, ...later.map(({ retryAfter = 0 }) => retryAfter));
    const step = Math.min(BACKOFF.cap, BACKOFF.base * 2 ** (row.attempts - 1));
    const nextAt = at + Math.max(asked, step / 2 + fullJitter(1, { base: step / 2, cap: step / 2 }));
    const isLate = nextAt > (row.retriedAt ?? row.createdAt) + PATIENCE_MS;
    const isUseful = !isLate || (asked > BACKOFF.cap && nextAt + LEASE_MS < expiresAt);
    const reason = isLate ? WAITS_AS_ASKED : first.reason;
    if (row.attempts < MAX_ATTEMPTS && isUseful) return { ...pick(after), state: "pending", reason, nextAt };
  }
  const refused = sends.flatMap(({ outcome }) => (outcome?.kind === "refused" ? [outcome.reason] : []));
  const why = later[0]?.reason ?? refused[0] ?? "";
  if (done.length > 0)
    return ended(after, { state: "delivered", reason: why && `Not on every device: ${why}` });
  return why === ""
    ? ended(after, { state: "suppressed", reason: "No registered device" })
    : ended(after, { state: "dead", reason: why });
}

function pick({ userId, channel, devices }: Row): Pick<Settled, "userId" | "channel" | "devices"> {
  return { userId, channel, devices };
}

function ended(row: Row, end: Pick<Settled, "state" | "reason">): Settled {
  return { ...pick(row), ...end, nextAt: null };
}

/** Returns the id of a push, a UUID (version 8) that is the same whenever this alert is sent to this device. */
function pushIdOf(alertId: string, deviceId: string): string {
  const digits = [...stableId("push", alertId, deviceId)];
  digits[12] = "8";
  digits[16] = at("89ab", Number.parseInt(at(digits, 16), 16) % 4);
  return digits.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
