// Sends the pending deliveries of several alerts in rounds of a few sends, over six connections. The alerts take turns,
// and the rows of the next round are leased while a round is sent. A push service that does not answer is skipped for
// the rest of the batch, so that it delays only its own devices.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { DEVICES_PER_USER, NO_ANSWER, type PushOutcome, pushServiceOf } from "#app/entities/alerts/push.ts";
import { unseal } from "#app/lib/crypto/primitives.ts";
import { logError } from "#app/lib/log.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { interleaved } from "#app/lib/turns.ts";
import { findNextDue } from "#app/store/alerts/deliveries.ts";
import { deviceAddressOwner } from "#app/store/alerts/push-devices.ts";
import { sendJob } from "#app/store/queue.ts";
import {
  type AlertToDeliver,
  type Device,
  type Send,
  type Slice,
  settleSlice,
  takeSlice,
} from "./delivery-slice.ts";

/** Maximum concurrent connections of a Worker. */
const SENDS_AT_ONCE = 6;
/**
 * Sends per round: at six at a time and a deadline of five seconds each, 35 seconds in the worst case. A lease
 * (delivery-slice.ts) lasts for two rounds: the one that is being sent when it is taken, and its own.
 */
const ROUND_SENDS = 40;
/** Rounds per batch. All of them fit the 15 minutes that a queue consumer may take. */
const MAX_ROUNDS = 18;
/** Queries of a slice: one leases its rows, three say what is sent, three save the outcome. A lease of nothing takes one. */
const SLICE_QUERIES = { lease: 1, rest: 6 };
/** Unanswered sends in a row after which a push service is skipped for the rest of the batch. */
const MAX_SILENCES = 2;

/** The state of one batch while it is sent. */
type Run = {
  app: AppContext;
  /** How often in a row each push service gave no answer. */
  silences: Map<string, number>;
  /** Alerts that may have more rows due, in the order of their turns. */
  waiting: AlertToDeliver[];
  /** Queries left. */
  left: number;
  /** Alerts of which a slice was taken. */
  begun: Set<string>;
  failed: Map<string, unknown>;
};

/** `finished`: alerts of which something was sent and no more rows are due. */
type Round = { slices: Slice[]; finished: AlertToDeliver[] };

/**
 * Sends the due deliveries of these alerts with at most this many queries; the rest is queued again. Rows that are too late
 * to be sent take queries too. Returns the failures by alert id; failed alerts need a retry.
 */
export async function deliverAlerts(
  app: AppContext,
  alerts: AlertToDeliver[],
  queries: number,
): Promise<Map<string, unknown>> {
  const run: Run = {
    app,
    silences: new Map(),
    waiting: [...alerts],
    // Keeps one query per alert, which finds when its next row is due.
    left: queries - alerts.length,
    begun: new Set(),
    failed: new Map(),
  };
  let round = await takeRound(run);
  /** Alerts whose sends have all ended. */
  let ended: AlertToDeliver[] = [];
  for (let taken = 1; round.slices.length > 0; taken++) {
    const next = taken < MAX_ROUNDS ? takeRound(run) : { slices: [], finished: [] };
    await Promise.all([sendRound(run, round.slices), rescheduleAll(run, ended)]);
    ended = round.finished;
    round = await next;
  }
  await rescheduleAll(run, [...ended, ...round.finished, ...run.waiting]);
  return run.failed;
}

/** Takes slices of the alerts in turn while the round has room and queries are left. An alert with nothing due leaves `waiting`. */
async function takeRound(run: Run): Promise<Round> {
  const { waiting } = run;
  const round: Round = { slices: [], finished: [] };
  let left = ROUND_SENDS;
  const isRoom = () => left >= DEVICES_PER_USER && run.left >= SLICE_QUERIES.lease + SLICE_QUERIES.rest;
  for (let turn = waiting.length; turn > 0 && isRoom(); turn--) {
    const alert = waiting.shift();
    if (!alert) break;
    if (run.failed.has(alert.id)) continue;
    await guarded(run, alert, async () => {
      run.left -= SLICE_QUERIES.lease;
      const slice = await takeSlice(run.app, alert, left);
      if (slice) {
        run.left -= SLICE_QUERIES.rest;
        run.begun.add(alert.id);
        round.slices.push(slice);
        left -= slice.sends.length;
      }
      if (slice?.mayHaveMore) waiting.push(alert);
      else if (run.begun.has(alert.id)) round.finished.push(alert);
    });
  }
  return round;
}

/** Settles each slice right after its own last send. */
async function sendRound(run: Run, slices: Slice[]): Promise<void> {
  const open = new Map(slices.map((slice) => [slice, slice.sends.length]));
  const idle = slices.filter(({ sends }) => sends.length === 0);
  const settle = (slice: Slice) => guarded(run, slice.alert, () => settleSlice(run.app, slice));
  await pMap(idle, settle, { concurrency: SENDS_AT_ONCE });
  const tasks = interleaved(slices.map((slice) => slice.sends.map((send) => ({ slice, send }))));
  const sendOne = ({ slice, send }: (typeof tasks)[number]) =>
    guarded(run, slice.alert, async () => {
      // Its rows stay leased: another run sends them when the lease ends.
      if (run.failed.has(slice.alert.id)) return;
      send.outcome = await outcomeOf(run, slice, send);
      const left = (open.get(slice) ?? 0) - 1;
      open.set(slice, left);
      if (left === 0) await settleSlice(run.app, slice);
    });
  await pMap(tasks, sendOne, { concurrency: SENDS_AT_ONCE });
}

async function outcomeOf(run: Run, slice: Slice, send: Send): Promise<PushOutcome> {
  const { app, silences } = run;
  const { device, message } = send;
  const address = await openAddress(app, device);
  if (address === null) return { kind: "gone", reason: "Address cannot be opened" };
  const service = pushServiceOf(device.channel, address);
  send.service = service;
  const silent = silences.get(service) ?? 0;
  if (silent >= MAX_SILENCES) return { kind: "later", reason: NO_ANSWER };
  if (app.clock() > slice.sendUntil) return { kind: "later", reason: "No time left" };
  const push = app.push[device.channel];
  if (!push) return { kind: "refused", reason: "Not configured" };
  const outcome = await push(address, message);
  const isSilent = outcome.kind === "later" && outcome.reason === NO_ANSWER;
  silences.set(service, isSilent ? (silences.get(service) ?? 0) + 1 : 0);
  return outcome;
}

async function openAddress(app: AppContext, device: Device): Promise<string | null> {
  try {
    return await unseal(app.config.sealingKeys, deviceAddressOwner(device.id), device.sealedAddress);
  } catch (error) {
    logError(`the address of device ${device.id} cannot be opened`, error);
    return null;
  }
}

/**
 * Queues another run for when each alert's next row is due. Called only if this run sent something: otherwise a
 * duplicated message would keep duplicating itself. The sweep finds anything that is left.
 */
async function rescheduleAll(run: Run, alerts: AlertToDeliver[]): Promise<void> {
  const { app, failed } = run;
  const reschedule = (alert: AlertToDeliver) =>
    guarded(run, alert, async () => {
      const next = failed.has(alert.id) ? null : await findNextDue(app.db, alert.id);
      if (next === null) return;
      const delaySeconds = Math.max(0, next - app.clock()) / SECOND;
      await sendJob(app.alertJobs, { v: 1, type: "alert", id: alert.id }, { delaySeconds });
    });
  await pMap(alerts, reschedule, { concurrency: SENDS_AT_ONCE });
}

/** Runs a step of one alert. A failure is recorded for that alert only. */
async function guarded(run: Run, alert: AlertToDeliver, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    run.failed.set(alert.id, error);
  }
}
