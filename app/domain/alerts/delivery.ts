// Sending what alerts have pending, side by side: in rounds of few sends, to which each alert gives its share, over the
// same six connections. A push service that does not answer is left alone, so that nobody waits for it but its own.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { DEVICES_PER_USER, NO_ANSWER, type PushOutcome, pushServiceOf } from "#app/entities/alerts/push.ts";
import { unseal } from "#app/lib/crypto/primitives.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { alternately } from "#app/lib/turns.ts";
import { findNextDue } from "#app/store/alerts/deliveries.ts";
import { deviceAddressOwner } from "#app/store/alerts/push-devices.ts";
import { sendJob } from "#app/store/queue.ts";
import {
  type AlertToTell,
  type Device,
  type Send,
  type Slice,
  settleSlice,
  takeSlice,
} from "./delivery-slice.ts";

/** Connections that a Worker may wait for at a time. */
const SENDS_AT_ONCE = 6;
/** Ten times five seconds, were every one to wait for its deadline: a round fits its leases (alert-slice.ts). */
const ROUND_SENDS = 60;
/** Rounds of one batch, which all together fit the quarter of an hour that a consumer may take. */
const MOST_ROUNDS = 12;
/** Sends in a row that a push service leaves without an answer before it is left alone for the rest of the batch. */
const MOST_SILENCES = 2;

/** What one batch knows while it is sent. */
type Run = {
  app: AppContext;
  /** How often in a row each push service gave no answer. */
  silences: Map<string, number>;
  /** Alerts that something was taken of. */
  begun: Set<string>;
  failed: Map<string, unknown>;
};

/** Sends what is due of these alerts. Gives what failed by alert; those are to be tried again, the others are done. */
export async function deliverAlerts(app: AppContext, alerts: AlertToTell[]): Promise<Map<string, unknown>> {
  const run: Run = { app, silences: new Map(), begun: new Set(), failed: new Map() };
  let waiting = [...alerts];
  for (let round = 0; round < MOST_ROUNDS && waiting.length > 0; round++) {
    await sendRound(run, await takeRound(run, waiting));
    waiting = waiting.filter(({ id }) => !run.failed.has(id));
  }
  for (const alert of waiting) await guarded(run, alert, () => askAgain(run, alert));
  return run.failed;
}

/** Takes a slice of each alert in turn while the round has room; who has nothing due leaves the row. */
async function takeRound(run: Run, waiting: AlertToTell[]): Promise<Slice[]> {
  const share = Math.max(DEVICES_PER_USER, Math.floor(ROUND_SENDS / waiting.length));
  const slices: Slice[] = [];
  let left = ROUND_SENDS;
  for (let turn = waiting.length; turn > 0 && left >= DEVICES_PER_USER; turn--) {
    const alert = waiting.shift() as AlertToTell;
    await guarded(run, alert, async () => {
      const slice = await takeSlice(run.app, alert, Math.min(share, left));
      if (slice) {
        run.begun.add(alert.id);
        slices.push(slice);
        left -= slice.sends.length;
        waiting.push(alert);
      } else if (run.begun.has(alert.id)) await askAgain(run, alert);
    });
  }
  return slices;
}

/** A slice is settled with its last send, whatever the others wait for. */
async function sendRound(run: Run, slices: Slice[]): Promise<void> {
  const open = new Map(slices.map((slice) => [slice, slice.sends.length]));
  const idle = slices.filter(({ sends }) => sends.length === 0);
  const settle = (slice: Slice) => guarded(run, slice.alert, () => settleSlice(run.app, slice));
  await pMap(idle, settle, { concurrency: SENDS_AT_ONCE });
  const tasks = alternately(slices.map((slice) => slice.sends.map((send) => ({ slice, send }))));
  const sendOne = ({ slice, send }: (typeof tasks)[number]) =>
    guarded(run, slice.alert, async () => {
      // Rows of a slice that failed are left to their lease.
      if (run.failed.has(slice.alert.id)) return;
      send.outcome = await outcomeOf(run, slice, send);
      const left = (open.get(slice) ?? 0) - 1;
      open.set(slice, left);
      if (left === 0) await settleSlice(run.app, slice);
    });
  await pMap(tasks, sendOne, { concurrency: SENDS_AT_ONCE });
}

async function outcomeOf(run: Run, slice: Slice, { device, message }: Send): Promise<PushOutcome> {
  const { app, silences } = run;
  const address = await addressOf(app, device);
  if (address === null) return { kind: "gone", reason: "Address cannot be opened" };
  const service = pushServiceOf(device.channel, address);
  const silent = silences.get(service) ?? 0;
  if (silent >= MOST_SILENCES) return { kind: "later", reason: NO_ANSWER };
  if (app.clock() > slice.sendUntil) return { kind: "later", reason: "No time left" };
  const push = app.push[device.channel];
  if (!push) return { kind: "refused", reason: "Not configured" };
  const outcome = await push(address, message);
  const isSilent = outcome.kind === "later" && outcome.reason === NO_ANSWER;
  silences.set(service, isSilent ? (silences.get(service) ?? 0) + 1 : 0);
  return outcome;
}

async function addressOf(app: AppContext, device: Device): Promise<string | null> {
  try {
    return await unseal(app.config.sealingKeys, deviceAddressOwner(device.id), device.sealedAddress);
  } catch (error) {
    console.error(`the address of device ${device.id} cannot be opened`, error);
    return null;
  }
}

/**
 * Asks to be called again when the alert's next row is due. Whoever found nothing to do asks for nothing: otherwise every
 * message that comes twice would go on doubling itself, and what nobody asked for is cron's.
 */
async function askAgain({ app }: Run, { id }: AlertToTell): Promise<void> {
  const next = await findNextDue(app.db, id);
  if (next === null) return;
  const delaySeconds = Math.max(0, next - app.clock()) / SECOND;
  await sendJob(app.alertJobs, { v: 1, type: "alert", id }, { delaySeconds });
}

/** Does a step of one alert; one that fails is that alert's and nobody else's. */
async function guarded(run: Run, alert: AlertToTell, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    run.failed.set(alert.id, error);
  }
}
