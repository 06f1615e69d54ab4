// Some rows of an alert that are taken together: each is taken with a lease before anything is sent and settled
// afterwards. Whoever dies in between leaves rows that are sent again under the same ids, so that no device shows a hit
// twice.

import type { AppContext } from "#app/context.ts";
import {
  PUSH_USEFUL_MS,
  type PushChannel,
  type PushMessage,
  type PushOutcome,
  whyNotPushed,
} from "#app/entities/alerts/push.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { fullJitter, persistently } from "#app/lib/retry.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import {
  claimDeliveries,
  countUnseen,
  type Delivery,
  listMembersToTell,
  type Settled,
  settleDeliveries,
} from "#app/store/alerts/deliveries.ts";
import { listDevicesOf, noteDevices } from "#app/store/alerts/push-devices.ts";
import { inOneStep } from "#app/store/database.ts";

/** What the sends of a round take where each waits for its deadline (alert-delivery.ts), and nearly as much for D1. */
const LEASE_MS = 90 * SECOND;
/** A send that begins this long before the lease ends has its answer, and its row is settled, while it holds. */
const LAST_SEND_MS = 15 * SECOND;

const MOST_ATTEMPTS = 6;
const BACKOFF = { base: 4 * SECOND, cap: 64 * SECOND };
/** A row that would wait longer than this is given up: with its last lease it ends within ten minutes. */
const PATIENCE_MS = 8 * MINUTE;

export type AlertToTell = { id: string; groupId: string; createdAt: number };
type Row = Delivery & { channel: PushChannel };
export type Device = { id: string; userId: string; channel: PushChannel; sealedAddress: string };
export type Send = { row: Row; device: Device; message: PushMessage; outcome?: PushOutcome };

export type Slice = {
  alert: AlertToTell;
  /** No send begins later. */
  sendUntil: number;
  /** Rows that are not to be sent. */
  unsent: Settled[];
  rows: Row[];
  sends: Send[];
};

/** Takes rows of an alert that are due, as many as have so many devices; null where none is. */
export async function takeSlice(
  app: AppContext,
  alert: AlertToTell,
  devicesAtMost: number,
): Promise<Slice | null> {
  const now = app.clock();
  const leasedUntil = now + LEASE_MS;
  const rows = await claimDeliveries(app.db, { alertId: alert.id, now, leasedUntil, devices: devicesAtMost });
  if (rows.length === 0) return null;
  return sliceOf(app, alert, { rows: rows as Row[], sendUntil: leasedUntil - LAST_SEND_MS });
}

async function sliceOf(
  app: AppContext,
  alert: AlertToTell,
  taken: Pick<Slice, "rows" | "sendUntil">,
): Promise<Slice> {
  const userIds = [...new Set(taken.rows.map(({ userId }) => userId))];
  const [members, devices, unseen] = await Promise.all([
    listMembersToTell(app.db, { groupId: alert.groupId, limit: userIds.length, among: userIds }),
    listDevicesOf(app.db, userIds),
    countUnseen(app.db, userIds),
  ]);
  const now = app.clock();
  const standing = new Map(members.map((member) => [member.userId, whyNotPushed(member, now) ?? ""]));
  const slice: Slice = { alert, sendUntil: taken.sendUntil, unsent: [], rows: [], sends: [] };
  for (const row of taken.rows) {
    const expiresAt = (row.retriedAt ?? alert.createdAt) + PUSH_USEFUL_MS;
    const unwanted = standing.get(row.userId) ?? "No longer a member";
    const reason =
      unwanted || (app.push[row.channel] ? "" : "Not configured") || (expiresAt <= now ? "Too old" : "");
    if (reason !== "") {
      slice.unsent.push(ended(row, { state: row.devices.length > 0 ? "delivered" : "suppressed", reason }));
      continue;
    }
    slice.rows.push(row);
    const badge = unseen.get(row.userId) ?? 1;
    for (const device of devices) {
      if (device.userId !== row.userId || device.channel !== row.channel) continue;
      if (row.devices.includes(device.id)) continue;
      const id = pushIdOf(alert.id, device.id);
      slice.sends.push({ row, device, message: { alertId: alert.id, id, badge, expiresAt } });
    }
  }
  return slice;
}

/** Writes down what became of a slice. What was sent has to be known: a write that fails is tried again. */
export async function settleSlice(app: AppContext, slice: Slice): Promise<void> {
  const { alert, sends } = slice;
  const at = app.clock();
  const settled = slice.rows.map((row) => {
    const own = sends.filter((send) => send.row === row);
    return outcomeOf(row, own, at);
  });
  const dropped = sends.flatMap(({ device, outcome }) =>
    outcome?.kind === "gone" ? [{ id: device.id, reason: outcome.reason }] : [],
  );
  const used = sends.filter(({ outcome }) => outcome?.kind === "delivered").map(({ device }) => device.id);
  await persistently(() =>
    inOneStep(app.db, [
      settleDeliveries(app.db, { alertId: alert.id, rows: [...slice.unsent, ...settled], at }),
      ...noteDevices(app.db, { at, used, dropped }),
    ]),
  );
}

/** The row's end, or when it is tried again. */
function outcomeOf(row: Row, sends: Send[], at: number): Settled {
  const done = [...row.devices];
  for (const { device, outcome } of sends) if (outcome?.kind === "delivered") done.push(device.id);
  const after = { ...row, devices: done };
  const later = sends.flatMap(({ outcome }) => (outcome?.kind === "later" ? [outcome] : []));
  const first = later[0];
  if (first) {
    const asked = Math.max(0, ...later.map(({ retryAfter = 0 }) => retryAfter));
    const step = Math.min(BACKOFF.cap, BACKOFF.base * 2 ** (row.attempts - 1));
    const nextAt = at + Math.max(asked, step / 2 + fullJitter(1, { base: step / 2, cap: step / 2 }));
    const isOver = nextAt > (row.retriedAt ?? row.createdAt) + PATIENCE_MS;
    if (row.attempts < MOST_ATTEMPTS && !isOver)
      return { ...pick(after), state: "pending", reason: first.reason, nextAt };
  }
  const refused = sends.flatMap(({ outcome }) => (outcome?.kind === "refused" ? [outcome.reason] : []));
  const why = first?.reason ?? refused[0] ?? "";
  if (done.length > 0)
    return ended(after, { state: "delivered", reason: why && `Not on every device: ${why}` });
  return why === ""
    ? ended(after, { state: "suppressed", reason: "No device is registered any more" })
    : ended(after, { state: "dead", reason: why });
}

function pick({ userId, channel, devices }: Row): Pick<Settled, "userId" | "channel" | "devices"> {
  return { userId, channel, devices };
}

function ended(row: Row, end: Pick<Settled, "state" | "reason">): Settled {
  return { ...pick(row), ...end, nextAt: null };
}

/** The id of a push: the same for the same alert and device whenever it is sent, in the form of a UUID (version 8). */
function pushIdOf(alertId: string, deviceId: string): string {
  const digits = [...stableId("push", alertId, deviceId)];
  digits[12] = "8";
  digits[16] = "89ab"[Number.parseInt(digits[16] as string, 16) % 4] as string;
  return digits.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
