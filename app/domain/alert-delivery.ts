// Sending what an alert has pending. Each row is taken with a lease before anything is sent and settled afterwards;
// whoever dies in between leaves a row that is sent again under the same ids, so that no device shows it twice.

import type { AppContext } from "#app/context.ts";
import {
  PUSH_USEFUL_MS,
  type PushChannel,
  type PushMessage,
  type PushOutcome,
  whyNotPushed,
} from "#app/entities/push.ts";
import { unseal } from "#app/lib/crypto.ts";
import { MINUTE, SECOND } from "#app/lib/dates.ts";
import { fullJitter, persistently } from "#app/lib/retry.ts";
import { stableId } from "#app/lib/stable-id.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  claimDeliveries,
  countUnseen,
  type Delivery,
  findNextDue,
  listMembersToTell,
  type Settled,
  settleDeliveries,
} from "#app/store/deliveries.ts";
import { deviceAddressOwner, listDevicesOf, noteDevices } from "#app/store/push-devices.ts";
import { sendJob } from "#app/store/queue.ts";

/** Connections that a Worker may wait for at a time. */
const SENDS_AT_ONCE = 6;
/** Rows that are taken together, and rows that one message sees to before it leaves the rest to another. */
const CLAIM = 24;
const ROWS_A_MESSAGE = 240;
/** Longer than the sends of one claim take, were every one of them to wait for its deadline. */
const LEASE_MS = 90 * SECOND;

const MOST_ATTEMPTS = 6;
const BACKOFF = { base: 4 * SECOND, cap: 64 * SECOND };
/** A row that would wait longer than this is given up: with its last lease it ends within ten minutes. */
const PATIENCE_MS = 8 * MINUTE;

type Alert = { id: string; groupId: string; createdAt: number };
type Row = Delivery & { channel: PushChannel };
type Device = { id: string; userId: string; channel: PushChannel; sealedAddress: string };
type Sent = { device: Device; outcome: PushOutcome };

/**
 * Sends what is due, and asks to be called again when the next row is. Whoever finds nothing to do asks for nothing:
 * otherwise every message that comes twice would go on doubling itself, and what nobody asked for is cron's.
 */
export async function deliverAlert(app: AppContext, alert: Alert): Promise<void> {
  let seen = 0;
  while (seen < ROWS_A_MESSAGE) {
    const now = app.clock();
    const leasedUntil = now + LEASE_MS;
    const rows = await claimDeliveries(app.db, { alertId: alert.id, now, leasedUntil, limit: CLAIM });
    if (rows.length === 0) break;
    seen += rows.length;
    await deliverRows(app, alert, rows as Row[]);
  }
  const next = seen === 0 ? null : await findNextDue(app.db, alert.id);
  if (next === null) return;
  const delaySeconds = Math.max(0, next - app.clock()) / SECOND;
  await sendJob(app.alertJobs, { v: 1, type: "alert", id: alert.id }, { delaySeconds });
}

async function deliverRows(app: AppContext, alert: Alert, rows: Row[]): Promise<void> {
  const userIds = [...new Set(rows.map(({ userId }) => userId))];
  const [members, devices, unseen] = await Promise.all([
    listMembersToTell(app.db, { groupId: alert.groupId, limit: userIds.length, among: userIds }),
    listDevicesOf(app.db, userIds),
    countUnseen(app.db, userIds),
  ]);
  const now = app.clock();
  const standing = new Map(members.map((member) => [member.userId, whyNotPushed(member, now) ?? ""]));
  const settled: Settled[] = [];
  const tasks: { row: Row; device: Device; message: PushMessage }[] = [];
  const sends = new Map<Row, Sent[]>(rows.map((row) => [row, []]));
  for (const row of rows) {
    const expiresAt = (row.drivenAt ?? alert.createdAt) + PUSH_USEFUL_MS;
    const unwanted = standing.get(row.userId) ?? "No longer a member";
    const reason =
      unwanted || (app.push[row.channel] ? "" : "Not configured") || (expiresAt <= now ? "Too old" : "");
    if (reason !== "") {
      sends.delete(row);
      settled.push(ended(row, { state: row.devices.length > 0 ? "delivered" : "suppressed", reason }));
      continue;
    }
    for (const device of devices) {
      if (device.userId !== row.userId || device.channel !== row.channel) continue;
      if (row.devices.includes(device.id)) continue;
      const id = uuidOf(alert.id, device.id);
      const badge = unseen.get(row.userId) ?? 1;
      tasks.push({ row, device, message: { alertId: alert.id, id, badge, expiresAt } });
    }
  }
  await inTurns(tasks, async ({ row, device, message }) => {
    sends.get(row)?.push({ device, outcome: await send(app, device, message) });
  });
  const at = app.clock();
  for (const [row, sent] of sends) settled.push(outcomeOf(row, sent, at));
  const all = [...sends.values()].flat();
  const dropped = all.flatMap(({ device, outcome }) =>
    outcome.kind === "gone" ? [{ id: device.id, reason: outcome.reason }] : [],
  );
  const used = all.filter(({ outcome }) => outcome.kind === "delivered").map(({ device }) => device.id);
  // What was sent has to be known: a write that fails is tried again before the message is.
  await persistently(() =>
    inOneStep(app.db, [
      settleDeliveries(app.db, { alertId: alert.id, rows: settled, at }),
      ...noteDevices(app.db, { at, used, dropped }),
    ]),
  );
}

async function send(app: AppContext, device: Device, message: PushMessage): Promise<PushOutcome> {
  const owner = deviceAddressOwner(device.id);
  let address: string;
  try {
    address = await unseal(app.config.sealingKeys, owner, device.sealedAddress);
  } catch (error) {
    console.error(`the address of device ${device.id} cannot be opened`, error);
    return { kind: "gone", reason: "Address cannot be opened" };
  }
  return (
    (await app.push[device.channel]?.(address, message)) ?? { kind: "refused", reason: "Not configured" }
  );
}

/** The row's end, or when it is tried again. */
function outcomeOf(row: Row, sent: Sent[], at: number): Settled {
  const done = [...row.devices];
  for (const { device, outcome } of sent) if (outcome.kind === "delivered") done.push(device.id);
  const after = { ...row, devices: done };
  const later = sent.flatMap(({ outcome }) => (outcome.kind === "later" ? [outcome] : []));
  const first = later[0];
  if (first) {
    const asked = Math.max(0, ...later.map(({ retryAfter = 0 }) => retryAfter));
    const step = Math.min(BACKOFF.cap, BACKOFF.base * 2 ** (row.attempts - 1));
    const nextAt = at + Math.max(asked, step / 2 + fullJitter(1, { base: step / 2, cap: step / 2 }));
    const isOver = nextAt > (row.drivenAt ?? row.createdAt) + PATIENCE_MS;
    if (row.attempts < MOST_ATTEMPTS && !isOver)
      return { ...pick(after), state: "pending", reason: first.reason, nextAt };
  }
  const refused = sent.flatMap(({ outcome }) => (outcome.kind === "refused" ? [outcome.reason] : []));
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
export function uuidOf(alertId: string, deviceId: string): string {
  const digits = [...stableId("push", alertId, deviceId)];
  digits[12] = "8";
  digits[16] = "89ab"[Number.parseInt(digits[16] as string, 16) % 4] as string;
  return digits.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

async function inTurns<T>(tasks: T[], work: (task: T) => Promise<void>): Promise<void> {
  const waiting = tasks.values();
  const worker = async () => {
    for (const task of waiting) await work(task);
  };
  await Promise.all(Array.from({ length: SENDS_AT_ONCE }, worker));
}
