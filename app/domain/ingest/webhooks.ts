// The addresses that vendors and cameras post to. The secret is a part of the address, made here and shown once; what is
// kept is its SHA-256. A revoked address takes nothing from the next request on.

import type { AppContext } from "#app/context.ts";
import { integrationEntry } from "#app/domain/integrations/rekor-keys.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { NewWebhook, WebhookRow } from "#app/entities/integrations/settings.ts";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertWebhook, listWebhooks, revokeWebhook } from "#app/store/ingest/webhooks.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/oversight/audit.ts";

/** An address with its secret, for the one answer that holds it. */
export type ShownAddress = { id: string; address: string; msg: string };

/** A new secret: 192 random bits, as text and as what is kept of it. */
export async function newSecret(): Promise<{ secret: string; hash: string; lastFour: string }> {
  const secret = randomToken(24);
  return { secret, hash: await sha256(secret), lastFour: secret.slice(-4) };
}

/** The whole address of a webhook, at the product's own origin where that is configured. */
export function webhookAddress(
  app: AppContext,
  input: { origin: string; path: string; secret: string },
): string {
  return `${app.config.publicOrigin || input.origin}${input.path}/${input.secret}`;
}

/** The agency's webhook addresses, none of them whole. */
export async function webhooksOf(app: AppContext, actor: Actor): Promise<WebhookRow[]> {
  return listWebhooks(app.db, actor.agencyId);
}

/** POST /rekor-webhooks: a new address for Rekor's webhooks, shown in this answer and never again. */
export async function addWebhook(
  app: AppContext,
  actor: Actor,
  { webhook, origin }: { webhook: NewWebhook; origin: string },
): Promise<ShownAddress> {
  const { secret, hash, lastFour } = await newSecret();
  const id = randomToken();
  const row = { id, agencyId: actor.agencyId, program: "rekor" as const, name: webhook.name };
  await inOneStep(app.db, [
    insertWebhook(app.db, {
      ...row,
      secretHash: hash,
      secretLast4: lastFour,
      createdAt: app.clock(),
      createdBy: actor.userId,
    }),
    insertAudit(
      app.db,
      integrationEntry(app, actor, {
        action: "door.add",
        object: id,
        detail: { program: "Rekor", after: { name: webhook.name, last_four: lastFour } },
      }),
    ),
  ]);
  return {
    id,
    address: webhookAddress(app, { origin, path: "/ingest/rekor", secret }),
    msg: `The webhook ${webhook.name} was added`,
  };
}

/** DELETE /rekor-webhooks/{id}. Throws AppError not_found for one that is not there, not ours or revoked already. */
export async function closeWebhook(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const webhook = (await webhooksOf(app, actor)).find((one) => one.id === id);
  if (!webhook || webhook.revoked_at !== null) throw new AppError("not_found", "There is no such webhook.");
  await inOneStep(app.db, [
    revokeWebhook(app.db, { id, agencyId: actor.agencyId, now: app.clock() }),
    insertAuditIfChanged(
      app.db,
      integrationEntry(app, actor, {
        action: "door.revoke",
        object: id,
        detail: { program: "Rekor", before: { name: webhook.name, last_four: webhook.last_four } },
      }),
    ),
  ]);
  return { msg: `${webhook.name} takes nothing any more` };
}
