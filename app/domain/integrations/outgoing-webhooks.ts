// Outgoing webhooks of an agency and of its groups. Administrators manage all of them; anyone who may edit a group manages
// the webhooks of groups. Only administrators let messages contain plates, because that is the agency's decision. A
// secret is shown once, and for a day after a rotation the former one signs too.

import type { AppContext } from "#app/context.ts";
import { requireEditableGroup } from "#app/domain/hotlists/groups.ts";
import { ownHostOf } from "#app/domain/integrations/rekor-keys.ts";
import { secretOnce } from "#app/domain/operations/idempotency.ts";
import { auditAct, auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { missingPermission } from "#app/entities/accounts/missing-permission.ts";
import {
  type DeliveryPage,
  type DeliveryState,
  HIDDEN_VALUE,
  MAX_OUTGOING_WEBHOOKS,
  type NewOutgoingWebhook,
  type OutgoingTest,
  type OutgoingWebhookFields,
  type OutgoingWebhookRow,
  queryOf,
  SECRET_OVERLAP_MS,
  withoutValues,
} from "#app/entities/integrations/outgoing-webhooks.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { randomToken, seal } from "#app/lib/crypto/primitives.ts";
import { newWebhookSecret } from "#app/lib/crypto/standard-webhooks.ts";
import { AppError } from "#app/lib/errors.ts";
import { counted } from "#app/lib/number-text.ts";
import { publicAddressProblem } from "#app/lib/public-address.ts";
import { visibleText } from "#app/lib/text.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { changesOf, inOneStep, type Statement } from "#app/store/database.ts";
import {
  cancelPending,
  listOutgoing,
  type OutgoingWebhook,
  retryOutgoing,
} from "#app/store/integrations/outgoing-deliveries.ts";
import {
  eventColumns,
  eventsOf,
  findOutgoingWebhook,
  insertOutgoingWebhook,
  listOutgoingWebhooks,
  outgoingSecretOwner,
  removeOutgoingWebhook,
  updateOutgoingWebhook,
  type WebhookReach,
} from "#app/store/integrations/outgoing-webhooks.ts";
import { announceToWebhooks } from "./outgoing-announce.ts";
import { openSecrets, postSigned, receiverReason } from "./outgoing-delivery.ts";
import { outgoingBody } from "./outgoing-message.ts";

/** Deliveries that one call retries. */
const MAX_RETRIED = 5000;
/** Bytes of a receiver's answer that the test shows. */
const ANSWER_SHOWN = 1000;

/** A secret for the only response that contains it. */
export type ShownSecret = { id: string; secret: string; msg: string };

const isAdmin = (actor: Actor) => mayUse("admin", actor);

function reachOf(actor: Actor): WebhookReach {
  return { agencyId: actor.agencyId, agencyWide: isAdmin(actor) };
}

/** GET /outgoing-webhooks: the webhooks within the actor's reach, by name. */
export async function outgoingWebhooksOf(app: AppContext, actor: Actor): Promise<OutgoingWebhookRow[]> {
  const rows = await listOutgoingWebhooks(app.db, reachOf(actor), { now: app.clock() });
  return rows.map((row) => rowFor(actor, row));
}

/** Returns whether the actor may see the path of the address, which may contain a secret of the receiver. */
function seesPath(actor: Actor, hasPlates: boolean): boolean {
  return isAdmin(actor) || !hasPlates;
}

/** Leaves out the path for those who may not change the webhook. */
function rowFor(actor: Actor, row: OutgoingWebhookRow): OutgoingWebhookRow {
  return seesPath(actor, row.plate_data) ? row : { ...row, url: new URL(row.url).origin };
}

/** Returns one webhook as the screens show it. Throws AppError not_found. */
export async function outgoingWebhook(
  app: AppContext,
  actor: Actor,
  id: string,
): Promise<OutgoingWebhookRow> {
  const [row] = await listOutgoingWebhooks(app.db, reachOf(actor), { now: app.clock(), id });
  if (!row) throw notFound();
  return rowFor(actor, row);
}

const notFound = () => new AppError("not_found", "There is no such webhook.");

async function requireWebhook(app: AppContext, actor: Actor, id: string): Promise<OutgoingWebhook> {
  const webhook = await findOutgoingWebhook(app.db, reachOf(actor), id);
  if (!webhook) throw notFound();
  return webhook;
}

/**
 * POST /outgoing-webhooks: adds a webhook. Its secret is in this response and never shown again. Throws AppError
 * bad_request for an address that Odin may not call, not_found or forbidden for a group that the actor cannot edit,
 * forbidden without the administrator's rights that it needs, and conflict if the agency has too many webhooks.
 */
export async function addOutgoingWebhook(
  app: AppContext,
  actor: Actor,
  { webhook, host }: { webhook: NewOutgoingWebhook; host: string },
): Promise<ShownSecret> {
  const { group_id, idempotency_key, ...fields } = webhook;
  requireAdmin(actor, group_id === "" || fields.plate_data);
  if (group_id !== "") await requireEditableGroup(app, actor, group_id);
  checkAddress(app, { url: fields.url, host });
  return secretOnce(app, {
    actor,
    key: idempotency_key,
    content: { what: "an outgoing webhook", fields: { ...fields, group_id } },
    again: `${fields.name} was added already. Its secret cannot be shown again. Create a new secret on its page.`,
    work: (noted) => insertWebhook(app, actor, { fields, groupId: group_id, noted }),
  });
}

async function insertWebhook(
  app: AppContext,
  actor: Actor,
  { fields, groupId, noted }: { fields: OutgoingWebhookFields; groupId: string; noted: Statement[] },
): Promise<ShownSecret> {
  const id = randomToken();
  const secret = newWebhookSecret();
  const row = {
    id,
    agencyId: actor.agencyId,
    groupId: groupId === "" ? null : groupId,
    ...columnsOf(fields),
    ...(await addressColumns(app, id, fields.url)),
    sealedSecret: await seal(app.config.sealingKeys, outgoingSecretOwner(id, "secret"), secret),
    createdAt: app.clock(),
    createdBy: actor.userId,
  };
  const detail = { after: { ...shownFields(fields), group: groupId } };
  try {
    await inOneStep(app.db, [
      insertOutgoingWebhook(app.db, row, MAX_OUTGOING_WEBHOOKS),
      auditAct(app, actor, { action: "outgoing-webhook.add", object: id, detail }),
      ...noted,
    ]);
  } catch (error) {
    if (brokenConstraint(error) !== "outgoing_webhooks.created_at") throw error;
    throw new AppError("conflict", `An agency can have at most ${MAX_OUTGOING_WEBHOOKS} webhooks.`);
  }
  return { id, secret, msg: `The webhook ${fields.name} was added` };
}

function requireAdmin(actor: Actor, isNeeded: boolean): void {
  if (!isNeeded || isAdmin(actor)) return;
  const details = missingPermission("admin");
  throw new AppError("forbidden", MESSAGES.accessDenied, { ...(details && { details }) });
}

function checkAddress(app: AppContext, { url, host }: { url: string; host: string }): void {
  const { allowLoopback, webhookHosts: hosts } = app.config;
  const rule = { allowLoopback, hosts, ownHost: ownHostOf(app, host), setting: "WEBHOOK_HOSTS", query: true };
  const problem = publicAddressProblem(url, rule);
  if (problem) throw new AppError("bad_request", problem, { field: "url" });
}

function columnsOf({ name, events, plate_data }: OutgoingWebhookFields) {
  return { name, ...eventColumns(events), plateData: plate_data };
}

/** Throws AppError bad_request if an address has a shown value where its own is needed. */
async function addressColumns(app: AppContext, id: string, url: string) {
  const query = queryOf(url);
  if (query.includes(HIDDEN_VALUE)) {
    const problem = `Enter the values of the query. Odin shows ${HIDDEN_VALUE} in their place.`;
    throw new AppError("bad_request", problem, { field: "url" });
  }
  const owner = outgoingSecretOwner(id, "query");
  const sealedQuery = query === "" ? null : await seal(app.config.sealingKeys, owner, query);
  return { url: withoutValues(url), sealedQuery };
}

/** For the audit log: the host of the address, because its path may contain a secret of the receiver. */
function shownFields({ name, url, events, plate_data }: OutgoingWebhookFields) {
  return { name, host: new URL(url).host, events, plate_data };
}

function fieldsOf(webhook: OutgoingWebhook): OutgoingWebhookFields {
  return { name: webhook.name, url: webhook.url, events: eventsOf(webhook), plate_data: webhook.plateData };
}

/**
 * PUT /outgoing-webhooks/{id}: replaces name, address, events and the choice of plates. The address as it is shown keeps
 * its query. Throws like adding one.
 */
export async function changeOutgoingWebhook(
  app: AppContext,
  actor: Actor,
  { id, fields, host }: { id: string; fields: OutgoingWebhookFields; host: string },
): Promise<{ msg: string }> {
  const webhook = await requireWebhook(app, actor, id);
  // A webhook that contains plates must not be redirected by someone who could not have created it.
  requireAdmin(actor, fields.plate_data || webhook.plateData);
  checkAddress(app, { url: fields.url, host });
  const isMoved = fields.url !== webhook.url;
  await inOneStep(app.db, [
    updateOutgoingWebhook(
      app.db,
      { id, agencyId: actor.agencyId },
      {
        ...columnsOf(fields),
        ...(isMoved && { ...(await addressColumns(app, id, fields.url)), failures: 0, pausedUntil: 0 }),
      },
    ),
    auditIfChanged(app, actor, {
      action: "outgoing-webhook.change",
      object: id,
      detail: { before: shownFields(fieldsOf(webhook)), after: shownFields(fields) },
    }),
  ]);
  return { msg: `${fields.name} was saved` };
}

/** Former secrets that still sign: if the answer with a new secret is lost, the receiver's secret must keep working. */
const FORMER_SECRETS = 3;

/**
 * POST /outgoing-webhooks/{id}/secret: creates a new secret. For a day the former ones sign messages too. Throws AppError
 * conflict if someone else created one at the same time.
 */
export async function rotateOutgoingSecret(app: AppContext, actor: Actor, id: string): Promise<ShownSecret> {
  const webhook = await requireWebhook(app, actor, id);
  requireAdmin(actor, webhook.plateData);
  const now = app.clock();
  const former = ((await openSecrets(app, webhook, now)) ?? []).slice(0, FORMER_SECRETS).join(" ");
  const secret = newWebhookSecret();
  const sealed = (field: "secret" | "former", text: string) =>
    seal(app.config.sealingKeys, outgoingSecretOwner(id, field), text);
  const [changed] = await inOneStep(app.db, [
    updateOutgoingWebhook(
      app.db,
      { id, agencyId: actor.agencyId, sealedSecret: webhook.sealedSecret },
      {
        sealedSecret: await sealed("secret", secret),
        sealedFormer: former === "" ? null : await sealed("former", former),
        formerUntil: former === "" ? null : now + SECRET_OVERLAP_MS,
      },
    ),
    auditIfChanged(app, actor, {
      action: "outgoing-webhook.secret",
      object: id,
      detail: { name: webhook.name },
    }),
  ]);
  if (changesOf(changed) === 0)
    throw new AppError(
      "conflict",
      "Someone else created a secret at the same time. Reload the list and try again.",
    );
  return { id, secret, msg: `${webhook.name} has a new secret` };
}

/**
 * POST /outgoing-webhooks/{id}/on: turns a webhook on or off. Turning it off cancels its unsent deliveries. Throws
 * AppError forbidden for turning on a webhook with plates without the administrator's rights.
 */
export async function switchOutgoingWebhook(
  app: AppContext,
  actor: Actor,
  { id, on }: { id: string; on: boolean },
): Promise<{ msg: string }> {
  const { name, plateData } = await requireWebhook(app, actor, id);
  // An administrator may have turned it off so that no more plates leave the agency.
  requireAdmin(actor, on && plateData);
  const at = app.clock();
  const key = { id, agencyId: actor.agencyId };
  const set = on
    ? { offAt: null, offReason: "", failures: 0, pausedUntil: 0 }
    : { offAt: at, offReason: `Turned off by ${actor.name}.` };
  await inOneStep(app.db, [
    updateOutgoingWebhook(app.db, key, set),
    auditIfChanged(app, actor, {
      action: `outgoing-webhook.${on ? "on" : "off"}`,
      object: id,
      detail: { name },
    }),
    ...(on ? [] : [cancelPending(app.db, { webhookId: id, reason: "The webhook was turned off.", at })]),
  ]);
  return { msg: `${name} was turned ${on ? "on" : "off"}` };
}

/** DELETE /outgoing-webhooks/{id}: deletes a webhook with its deliveries. */
export async function deleteOutgoingWebhook(
  app: AppContext,
  actor: Actor,
  id: string,
): Promise<{ msg: string }> {
  const webhook = await requireWebhook(app, actor, id);
  requireAdmin(actor, webhook.plateData);
  await inOneStep(app.db, [
    removeOutgoingWebhook(app.db, { id, agencyId: actor.agencyId }),
    auditIfChanged(app, actor, {
      action: "outgoing-webhook.delete",
      object: id,
      detail: { before: shownFields(fieldsOf(webhook)) },
    }),
  ]);
  return { msg: `${webhook.name} was deleted` };
}

/**
 * POST /outgoing-webhooks/{id}/test: sends a test message now and returns the receiver's answer. Sent once. The answer's
 * text may repeat the address, so it is left out for those who may not see the path, and if there is a query.
 */
export async function testOutgoingWebhook(app: AppContext, actor: Actor, id: string): Promise<OutgoingTest> {
  const webhook = await requireWebhook(app, actor, id);
  const began = app.clock();
  const answer = await postSigned(app, webhook, {
    id: `msg_test_${randomToken()}`,
    body: outgoingBody({ type: "test", at: began, data: { webhook_id: id } }),
    readMost: ANSWER_SHOWN,
  });
  const status = answer.kind === "answered" ? answer.status : null;
  const ok = status !== null && status >= 200 && status < 300;
  const took_ms = app.clock() - began;
  const msg = ok ? `Accepted with status ${status}` : receiverReason(answer);
  await inOneStep(app.db, [
    auditAct(app, actor, {
      action: "outgoing-webhook.test",
      object: id,
      outcome: ok ? "ok" : "failed",
      detail: { name: webhook.name, answer: msg },
    }),
  ]);
  const isShown =
    answer.kind === "answered" && seesPath(actor, webhook.plateData) && webhook.sealedQuery === null;
  return { ok, msg, status, answer: isShown ? visibleText(answer.text) : "", took_ms };
}

/** GET /outgoing-webhooks/{id}/deliveries: newest first, optionally those in one state. */
export async function outgoingDeliveriesOf(
  app: AppContext,
  actor: Actor,
  input: { id: string; state: string | null; before: string | null },
): Promise<DeliveryPage> {
  await requireWebhook(app, actor, input.id);
  const state = STATES.find((known) => known === input.state);
  if (input.state && !state) throw new AppError("bad_request", "There is no such state.");
  const [, at, id] = /^(\d{1,15})\.(\w{1,100})$/.exec(input.before ?? "") ?? [];
  if (input.before && !id) throw new AppError("bad_request", "There is no such page.");
  return listOutgoing(app.db, {
    webhookId: input.id,
    ...(state && { state }),
    ...(id !== undefined && { before: { at: Number(at), id } }),
  });
}

const STATES: readonly DeliveryState[] = ["pending", "delivered", "failed", "cancelled"];

/** POST /outgoing-webhooks/{id}/retry: sends one failed delivery again, or all. Throws AppError conflict if it is off. */
export async function retryOutgoingDeliveries(
  app: AppContext,
  actor: Actor,
  { id, deliveryId }: { id: string; deliveryId: string | undefined },
): Promise<{ msg: string; deliveries: number }> {
  const webhook = await requireWebhook(app, actor, id);
  if (webhook.offAt !== null) throw new AppError("conflict", "Turn the webhook on first.");
  const detail = { name: webhook.name, ...(deliveryId !== undefined && { delivery: deliveryId }) };
  const [retried] = await inOneStep(app.db, [
    retryOutgoing(app.db, { webhookId: id, deliveryId, at: app.clock(), limit: MAX_RETRIED }),
    auditIfChanged(app, actor, { action: "outgoing-webhook.retry", object: id, detail }),
  ]);
  const deliveries = (retried as unknown[]).length;
  if (deliveries > 0) await announceToWebhooks(app, [id]);
  const many = counted(deliveries, "delivery is", "deliveries are");
  return { msg: deliveries === 0 ? "There is nothing to retry" : `${many} sent again`, deliveries };
}
