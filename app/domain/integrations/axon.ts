// The Axon integration of the administrator's own agency; an agency has at most one. Its secret is submitted once,
// sealed (encrypted, bound to its record), and never shown.

import type { AppContext } from "#app/context.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type {
  AxonCredentials,
  AxonIntegrationRow,
  NewAxonIntegration,
} from "#app/entities/integrations/settings.ts";
import { randomToken, seal } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  countBlacklisted,
  findAxonIntegration,
  insertAxonIntegration,
  removeAxonIntegration,
  removeTraces,
  updateAxonCredentials,
} from "#app/store/integrations/settings.ts";
import { secretOwner } from "#app/store/integrations/sources.ts";
import { vendorAddress } from "./rekor-keys.ts";

/** GET /axon-existing-integration: null if the agency has none. */
export async function axonIntegration(
  app: AppContext,
  actor: Actor,
): Promise<{ existing_integration: AxonIntegrationRow | null }> {
  const found = await findAxonIntegration(app.db, { agencyId: actor.agencyId, now: app.clock() });
  return { existing_integration: found?.shown ?? null };
}

/** Returns the agency's integration. Throws AppError not_found. */
export async function requireAxon(app: AppContext, actor: Actor) {
  const found = await findAxonIntegration(app.db, { agencyId: actor.agencyId, now: app.clock() });
  if (!found) throw noIntegration();
  return found.source;
}

const noIntegration = () => new AppError("not_found", "Your agency has no Axon integration.");

const alreadyConnected = () =>
  new AppError("conflict", "Your agency already has an Axon integration. Delete it before you add another.");

/** POST /add-axon-integration. Throws AppError conflict if the agency has one, and bad_request for its address. */
export async function addAxonIntegration(
  app: AppContext,
  actor: Actor,
  { integration, host }: { integration: NewAxonIntegration; host: string },
): Promise<{ msg: string }> {
  const baseUrl = vendorAddress(app, { text: integration.base_url, host });
  if ((await axonIntegration(app, actor)).existing_integration) throw alreadyConnected();
  const id = randomToken();
  const { client_id: clientId, partner_id: partnerId, secret_id: secret } = integration;
  const sealedSecret = await seal(app.config.sealingKeys, secretOwner({ program: "Axon", id }), secret);
  const row = { id, agencyId: actor.agencyId, baseUrl, clientId, partnerId, sealedSecret };
  await inOneStep(app.db, [
    insertAxonIntegration(app.db, { ...row, createdAt: app.clock() }),
    auditIfChanged(app, actor, {
      action: "integration.add",
      object: id,
      detail: {
        program: "Axon",
        after: { base_url: baseUrl, client_id: clientId, partner_id: partnerId },
      },
    }),
  ]);
  // If two administrators add one at the same time, the first one is kept and the other gets the conflict.
  if ((await requireAxon(app, actor)).id !== id) throw alreadyConnected();
  return { msg: "Axon integration added successfully" };
}

/**
 * POST /change-axon-credentials: replaces client ID, secret and partner ID. Address, blacklist and terms stay. The former
 * token and failures are forgotten, so that the next search uses the new credentials. Throws AppError not_found.
 */
export async function changeAxonCredentials(
  app: AppContext,
  actor: Actor,
  { client_id: clientId, partner_id: partnerId, secret_id: secret }: AxonCredentials,
): Promise<{ msg: string }> {
  const { id, clientId: formerClient, partnerId: formerPartner } = await requireAxon(app, actor);
  const sealedSecret = await seal(app.config.sealingKeys, secretOwner({ program: "Axon", id }), secret);
  await inOneStep(app.db, [
    updateAxonCredentials(app.db, { id, agencyId: actor.agencyId }, { clientId, partnerId, sealedSecret }),
    auditIfChanged(app, actor, {
      action: "integration.change",
      object: id,
      detail: {
        program: "Axon",
        before: { client_id: formerClient, partner_id: formerPartner },
        after: { client_id: clientId, partner_id: partnerId },
      },
    }),
    ...removeTraces(app.db, id),
  ]);
  // If another administrator deleted it meanwhile, nothing was changed.
  if ((await requireAxon(app, actor)).id !== id) throw noIntegration();
  return { msg: "Axon credentials changed" };
}

/** DELETE /delete-axon-integration: also deletes its blacklist and its token. */
export async function deleteAxonIntegration(app: AppContext, actor: Actor): Promise<{ msg: string }> {
  const { id, baseUrl, clientId, partnerId } = await requireAxon(app, actor);
  const blacklisted = await countBlacklisted(app.db, { integrationId: id, now: app.clock() });
  const before = { base_url: baseUrl, client_id: clientId, partner_id: partnerId, blacklisted };
  await inOneStep(app.db, [
    removeAxonIntegration(app.db, { id, agencyId: actor.agencyId }),
    auditIfChanged(app, actor, {
      action: "integration.remove",
      object: id,
      detail: { program: "Axon", before },
    }),
    ...removeTraces(app.db, id),
  ]);
  return { msg: "Axon integration deleted" };
}
