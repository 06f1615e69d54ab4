// The addresses that vendors and cameras post to. The secret is part of the address: it is generated here, shown once,
// and stored only as its SHA-256. A revoked address is refused from the next request on.

import type { AppContext } from "#app/context.ts";
import { secretOnce } from "#app/domain/operations/idempotency.ts";
import { auditAct, auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { NewWebhook, WebhookRow } from "#app/entities/integrations/settings.ts";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { type AskedPage, type NumberedPage, numberedPage } from "#app/lib/pages.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  countWebhooks,
  findWebhook,
  insertWebhook,
  listWebhooks,
  revokeWebhook,
} from "#app/store/ingest/webhooks.ts";

/** An address with its secret, for the only response that contains it. */
export type ShownAddress = { id: string; address: string; msg: string };

/** Generates a secret of 192 random bits. Returns its text, its SHA-256 and its last four characters. */
export async function newSecret(): Promise<{ secret: string; hash: string; lastFour: string }> {
  const secret = randomToken(24);
  return { secret, hash: await sha256(secret), lastFour: secret.slice(-4) };
}

/** Returns the full address of a webhook, on the configured public origin if there is one. */
export function webhookAddress(
  app: AppContext,
  input: { origin: string; path: string; secret: string },
): string {
  return `${app.config.publicOrigin || input.origin}${input.path}/${input.secret}`;
}

/** Webhooks on one page. */
const PAGE_SIZE = 50;

/** Returns a page of the agency's webhooks, without their secrets: of those in use, or of the revoked ones. */
export async function webhookPage(
  app: AppContext,
  actor: Actor,
  { revoked, find, page }: AskedPage & { revoked: boolean },
): Promise<NumberedPage<WebhookRow>> {
  const filter = { agencyId: actor.agencyId, revoked, find };
  return numberedPage({
    page,
    size: PAGE_SIZE,
    count: () => countWebhooks(app.db, filter),
    list: (part) => listWebhooks(app.db, { ...filter, ...part }),
  });
}

/** POST /rekor-webhooks: adds a webhook for Rekor. Its address is in this response and never shown again. */
export async function addWebhook(
  app: AppContext,
  actor: Actor,
  { webhook: { name, idempotency_key }, origin }: { webhook: NewWebhook; origin: string },
): Promise<ShownAddress> {
  return secretOnce(app, {
    actor,
    key: idempotency_key,
    content: { what: "a Rekor webhook", fields: name },
    again: `${name} was added already. Its address cannot be shown again. Revoke it and add another.`,
    work: async (noted) => {
      const { secret, hash, lastFour } = await newSecret();
      const id = randomToken();
      await inOneStep(app.db, [
        insertWebhook(app.db, {
          id,
          agencyId: actor.agencyId,
          program: "rekor",
          name,
          secretHash: hash,
          secretLast4: lastFour,
          createdAt: app.clock(),
          createdBy: actor.userId,
        }),
        auditAct(app, actor, {
          action: "door.add",
          object: id,
          detail: { program: "Rekor", after: { name, last_four: lastFour } },
        }),
        ...noted,
      ]);
      const address = webhookAddress(app, { origin, path: "/ingest/rekor", secret });
      return { id, address, msg: `The webhook ${name} was added` };
    },
  });
}

/** DELETE /rekor-webhooks/{id}. Throws AppError not_found if it does not exist, is another agency's, or is revoked. */
export async function closeWebhook(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const webhook = await findWebhook(app.db, { id, agencyId: actor.agencyId });
  if (!webhook || webhook.revoked_at !== null) throw new AppError("not_found", "There is no such webhook.");
  await inOneStep(app.db, [
    revokeWebhook(app.db, { id, agencyId: actor.agencyId, now: app.clock() }),
    auditIfChanged(app, actor, {
      action: "door.revoke",
      object: id,
      detail: { program: "Rekor", before: { name: webhook.name, last_four: webhook.last_four } },
    }),
  ]);
  return { msg: `${webhook.name} was revoked` };
}
