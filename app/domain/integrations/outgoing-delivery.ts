// Sends the due deliveries of outgoing webhooks: one at a time per webhook, webhooks concurrently. A receiver that does
// not answer ends its webhook's run, and after several failures pauses the webhook, so that it delays only itself.
// A delivery whose outcome could not be saved is sent again under the same id.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import {
  DELIVERY_ENDS_MS,
  queryOf,
  RECEIVER_DEADLINE_MS,
  RETRY_DELAYS_MS,
  type ReceiverAnswer,
} from "#app/entities/integrations/outgoing-webhooks.ts";
import { unseal } from "#app/lib/crypto/primitives.ts";
import { webhookHeaders } from "#app/lib/crypto/standard-webhooks.ts";
import { logError } from "#app/lib/log.ts";
import { retryBriefly } from "#app/lib/retry.ts";
import { HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { repeatWhileFull } from "#app/lib/turns.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import {
  cancelPending,
  claimOutgoing,
  endOverdueOutgoing,
  findNextOutgoing,
  findToSend,
  listDueWebhooks,
  noteAccepted,
  noteFailure,
  type OutgoingDelivery,
  type OutgoingWebhook,
  settleOutgoing,
} from "#app/store/integrations/outgoing-deliveries.ts";
import {
  outgoingSecretOwner,
  requireAddressUnchanged,
  updateOutgoingWebhook,
} from "#app/store/integrations/outgoing-webhooks.ts";
import { sendJob } from "#app/store/queue.ts";
import { announceToWebhooks } from "./outgoing-announce.ts";
import { outgoingMessage } from "./outgoing-message.ts";

/** The queue gives a batch of at most five (wrangler.toml), so that each webhook has a connection of its own. */
const WEBHOOKS_AT_ONCE = 5;
/**
 * Sends per run, which its webhooks share equally, and for how long; the rest is queued again. A send takes five to seven
 * queries, and D1 allows 1,000 per invocation.
 */
const MAX_SENDS = 120;
const RUN_MS = 2 * MINUTE;
/** Longer than a send with its deadline takes, with time to save its outcome. */
const LEASE_MS = RECEIVER_DEADLINE_MS + 50 * SECOND;

/**
 * From the third unanswered send in a row on, the webhook is paused for up to a quarter of an hour. A receiver can
 * request a pause earlier with Retry-After.
 */
const OPENS_AT = 3;
const PAUSE = { base: MINUTE, cap: 15 * MINUTE };

/** Attempts that are due sooner are queued with a delay; the sweep finds later ones. */
const QUEUED_AHEAD_MS = 2 * MINUTE;
const LONGEST_RETRY_AFTER_MS = 8 * HOUR;

/** Due deliveries without a message are swept after this time. */
const FORGOTTEN_MS = 20 * SECOND;
const SWEEP = { webhooks: 1000, rows: 5000 };
/** Transactions that end deliveries, per sweep: D1 allows 1,000 queries for all jobs of a minute. */
const SWEEP_STEPS = 20;

/** Sends what is due to these webhooks. Returns Odin's own failures by webhook id, which need a retry. */
export async function sendToWebhooks(app: AppContext, webhookIds: string[]): Promise<Map<string, unknown>> {
  const failed = new Map<string, unknown>();
  const ids = new Set(webhookIds);
  const most = Math.ceil(MAX_SENDS / ids.size);
  const run = (id: string) => runWebhook(app, id, most).catch((error: unknown) => failed.set(id, error));
  await pMap(ids, run, { concurrency: WEBHOOKS_AT_ONCE });
  return failed;
}

async function runWebhook(app: AppContext, webhookId: string, most: number): Promise<void> {
  const endsAt = app.clock() + RUN_MS;
  let sent = 0;
  for (let goesOn = true; goesOn && sent < most && app.clock() < endsAt; ) {
    const now = app.clock();
    const delivery = await claimOutgoing(app.db, { webhookId, now, leasedUntil: now + LEASE_MS });
    if (!delivery) break;
    sent++;
    goesOn = await sendOne(app, delivery);
  }
  // Only if this run sent something: otherwise a duplicated message would keep duplicating itself.
  if (sent > 0) await reschedule(app, webhookId);
}

async function reschedule(app: AppContext, webhookId: string): Promise<void> {
  const next = await findNextOutgoing(app.db, webhookId);
  const wait = next === null ? Number.POSITIVE_INFINITY : Math.max(0, next - app.clock());
  if (wait > QUEUED_AHEAD_MS) return;
  await sendJob(app.webhookJobs, { v: 1, type: "webhook", id: webhookId }, { delaySeconds: wait / SECOND });
}

/** Sends a claimed delivery and saves the outcome. Returns whether the webhook's next delivery may follow at once. */
async function sendOne(app: AppContext, delivery: OutgoingDelivery): Promise<boolean> {
  const facts = await findToSend(app.db, delivery.id);
  if (!facts) return cancel(app, delivery, "The group is no longer stored.");
  const message = await outgoingMessage(app, delivery, facts);
  if ("cancelled" in message) return cancel(app, delivery, message.cancelled);
  const answer = await postSigned(app, facts.webhook, { id: delivery.id, body: message.body, readMost: 0 });
  await settleAnswer(app, { delivery, webhook: facts.webhook, answer });
  return !isSilent(answer);
}

/** Ends a delivery that is not sent. Returns true: the next one may follow. */
async function cancel(app: AppContext, { id }: OutgoingDelivery, reason: string): Promise<true> {
  await settle(app, [settleOutgoing(app.db, id, ended("cancelled", { reason, at: app.clock() }))]);
  return true;
}

/** Posts a message, signed with the webhook's secret and, for a day after a rotation, with the former ones. */
export async function postSigned(
  app: AppContext,
  webhook: OutgoingWebhook,
  { id, body, readMost }: { id: string; body: string; readMost: number },
): Promise<ReceiverAnswer> {
  const at = app.clock();
  const [secrets, url] = await Promise.all([openSecrets(app, webhook, at), openAddress(app, webhook)]);
  if (url === null)
    return {
      kind: "forbidden",
      reason: "The query of the address cannot be opened. Enter the address again.",
    };
  if (!secrets) return { kind: "forbidden", reason: "The secret cannot be opened. Create a new one." };
  const headers = await webhookHeaders({ id, at, body, secrets });
  return app.postToReceiver({ url, headers, body, readMost });
}

/** Returns the address with the values of its query; null if they cannot be opened. */
async function openAddress(
  app: AppContext,
  { id, url, sealedQuery }: OutgoingWebhook,
): Promise<string | null> {
  if (sealedQuery === null) return url;
  try {
    const query = await unseal(app.config.sealingKeys, outgoingSecretOwner(id, "query"), sealedQuery);
    return url.replace(queryOf(url), () => query);
  } catch (error) {
    logError(`the query of the outgoing webhook ${id} cannot be opened`, error);
    return null;
  }
}

/** Returns the secrets that sign at a time, the newest first; null if they cannot be opened. */
export async function openSecrets(
  app: AppContext,
  webhook: OutgoingWebhook,
  at: number,
): Promise<string[] | null> {
  const { sealingKeys } = app.config;
  try {
    const secret = await unseal(sealingKeys, outgoingSecretOwner(webhook.id, "secret"), webhook.sealedSecret);
    if (webhook.sealedFormer === null || (webhook.formerUntil ?? 0) <= at) return [secret];
    const former = outgoingSecretOwner(webhook.id, "former");
    return [secret, ...(await unseal(sealingKeys, former, webhook.sealedFormer)).split(" ")];
  } catch (error) {
    logError(`the secret of the outgoing webhook ${webhook.id} cannot be opened`, error);
    return null;
  }
}

type Ended = Parameters<typeof settleOutgoing>[2];

function ended(
  state: "delivered" | "failed" | "cancelled",
  { reason = "", status = null, at }: { reason?: string; status?: number | null; at: number },
): Ended {
  return { state, reason, status, nextAt: null, updatedAt: at };
}

/** A receiver that is down or overloaded. Any other answer shows that it works. */
function isSilent(answer: ReceiverAnswer): boolean {
  if (answer.kind !== "answered") return answer.kind === "unanswered";
  return answer.status >= 500 || answer.status === 429 || answer.status === 408;
}

type Answered = { delivery: OutgoingDelivery; webhook: OutgoingWebhook; answer: ReceiverAnswer };

/**
 * Saves the outcome. If the webhook's address changed during the send, the answer says nothing about the new address.
 */
async function settleAnswer(app: AppContext, input: Answered): Promise<void> {
  const { delivery, webhook, answer } = input;
  const isSettled = await retryBriefly(async () => {
    try {
      await inOneStep(app.db, [requireAddressUnchanged(app.db, webhook), ...outcomeOf(app, input)]);
      return true;
    } catch (error) {
      if (brokenConstraint(error) !== "outgoing_webhooks.url") throw error;
      return false;
    }
  });
  if (!isSettled) await settle(app, [deliveryOutcome(app, { delivery, answer, at: app.clock() })]);
}

/** Returns the statement that ends a delivery, or plans its next attempt. */
function deliveryOutcome(
  app: AppContext,
  { delivery, answer, at }: Pick<Answered, "delivery" | "answer"> & { at: number },
): Statement {
  const status = answer.kind === "answered" ? answer.status : null;
  if (isAccepted(status)) return settleOutgoing(app.db, delivery.id, ended("delivered", { status, at }));
  const reason = receiverReason(answer);
  const nextAt = nextAttempt(delivery, answer, at);
  return settleOutgoing(
    app.db,
    delivery.id,
    nextAt === null
      ? ended("failed", { reason, status, at })
      : { state: "pending", reason, status, nextAt, updatedAt: at },
  );
}

const isAccepted = (status: number | null) => status !== null && status >= 200 && status < 300;

function outcomeOf(app: AppContext, input: Answered): [Statement, ...Statement[]] {
  const { delivery, webhook, answer } = input;
  const at = app.clock();
  const status = answer.kind === "answered" ? answer.status : null;
  if (status === 410) return turnedOff(app, { delivery, webhook, at });
  const note = isAccepted(status)
    ? noteAccepted(app.db, webhook.id, at)
    : noteFailure(app.db, webhook.id, {
        at,
        reason: receiverReason(answer),
        counts: isSilent(answer),
        asked: askedPause(answer),
        opensAt: OPENS_AT,
        pause: PAUSE,
      });
  return [deliveryOutcome(app, { delivery, answer, at }), note];
}

/** Returns why an answer is not a success, for the list of deliveries. Contains no text of the receiver. */
export function receiverReason(answer: ReceiverAnswer): string {
  if (answer.kind !== "answered") return answer.reason;
  const { status } = answer;
  if (status >= 300 && status < 400) return `Redirects (${status}), which Odin does not follow`;
  return `Status ${status}`;
}

/** Returns when a failed delivery is tried again; null if it was tried for a day. */
function nextAttempt(delivery: OutgoingDelivery, answer: ReceiverAnswer, at: number): number | null {
  const delay = RETRY_DELAYS_MS[delivery.attempts - 1];
  if (delay === undefined) return null;
  const asked = askedPause(answer);
  // Up to a twentieth later, so that deliveries that failed together are not retried together.
  const nextAt = at + Math.max(delay * (1 + Math.random() / 20), Math.min(asked, LONGEST_RETRY_AFTER_MS));
  const isOver = nextAt > (delivery.retriedAt ?? delivery.createdAt) + DELIVERY_ENDS_MS;
  return isOver ? null : Math.round(nextAt);
}

/** Returns the milliseconds of the answer's Retry-After, or 0. */
function askedPause(answer: ReceiverAnswer): number {
  return answer.kind === "answered" ? (answer.retryAfterMs ?? 0) : 0;
}

const GONE = "The receiver answered 410 Gone.";

function turnedOff(
  app: AppContext,
  { delivery, webhook, at }: { delivery: OutgoingDelivery; webhook: OutgoingWebhook; at: number },
): [Statement, ...Statement[]] {
  const { id, agencyId, name } = webhook;
  return [
    settleOutgoing(app.db, delivery.id, ended("failed", { reason: "Status 410", status: 410, at })),
    cancelPending(app.db, { webhookId: id, reason: "The webhook was turned off.", at }),
    updateOutgoingWebhook(app.db, { id, agencyId }, { offAt: at, offReason: GONE }),
    auditIfChanged(app, null, {
      agencyId,
      at,
      action: "outgoing-webhook.off",
      object: id,
      detail: { name, reason: GONE },
    }),
  ];
}

/** A failed write is retried: if an outcome is not saved, the message is sent again. */
async function settle(app: AppContext, statements: [Statement, ...Statement[]]): Promise<void> {
  await retryBriefly(() => inOneStep(app.db, statements));
}

/** Queues webhooks with due deliveries again, and ends deliveries that were tried for a day. */
export async function sweepOutgoing(app: AppContext, limits = SWEEP): Promise<void> {
  const now = app.clock();
  const overdue = { before: now - DELIVERY_ENDS_MS, at: now, limit: limits.rows };
  await repeatWhileFull(() => endOverdueOutgoing(app.db, overdue), {
    limit: limits.rows,
    steps: SWEEP_STEPS,
  });
  const due = { now, before: now - FORGOTTEN_MS, limit: limits.webhooks };
  await announceToWebhooks(app, await listDueWebhooks(app.db, due));
}
