// Rekor keys of the administrator's own agency, and what every integration has in common: where a vendor may be called,
// what is written down. A key comes in once, is sealed for its record, and of it the last four characters are shown.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type NewApiKey, REKOR_HOSTS, type RekorKeyRow } from "#app/entities/integrations/settings.ts";
import { type AuditEntry, auditWho } from "#app/entities/oversight/audit.ts";
import { randomToken, seal } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { publicAddressProblem } from "#app/lib/public-address.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  findRekorKey,
  insertRekorKeys,
  listRekorKeys,
  type RekorKeyInsert,
  removeRekorKey,
  removeTraces,
} from "#app/store/integrations/settings.ts";
import { secretOwner } from "#app/store/integrations/sources.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/oversight/audit.ts";

/** The agency's keys by agency, none of them readable. */
export async function rekorKeysOf(app: AppContext, actor: Actor): Promise<RekorKeyRow[]> {
  return listRekorKeys(app.db, { tenantId: actor.agencyId, now: app.clock() });
}

/** A vendor's address as it is kept, without slashes at its end. Throws AppError bad_request where it may not be called. */
export function vendorAddress(app: AppContext, input: { text: string; host: string }): string {
  const { allowLoopback, vendorHosts: hosts } = app.config;
  const rule = { allowLoopback, hosts, ownHost: ownHostOf(app, input.host) };
  const problem = publicAddressProblem(input.text, rule);
  if (problem) throw new AppError("bad_request", problem);
  return input.text.replace(/\/+$/, "");
}

/** Where people meet Odin, without its port: a call to it would be a loop. */
function ownHostOf(app: AppContext, host: string): string {
  const { publicOrigin } = app.config;
  return publicOrigin === "" ? host : new URL(publicOrigin).host;
}

/** The row of a new key, its secret sealed; its address is one that may be called. */
export async function rekorKeyRow(
  app: AppContext,
  actor: Actor,
  { key, host }: { key: NewApiKey; host: string },
): Promise<RekorKeyInsert> {
  const id = randomToken();
  return {
    id,
    tenantId: actor.agencyId,
    agency: key.agency,
    baseUrl: vendorAddress(app, { text: key.base_url || REKOR_HOSTS[0], host }),
    sealedKey: await seal(app.config.sealingKeys, secretOwner({ program: "Rekor", id }), key.api_key),
    keyLast4: key.api_key.slice(-4),
    createdAt: app.clock(),
  };
}

/** POST /add-api-key. Throws AppError bad_request for an address that may not be called. */
export async function addApiKey(
  app: AppContext,
  actor: Actor,
  input: { key: NewApiKey; host: string },
): Promise<{ msg: string; id: string }> {
  const row = await rekorKeyRow(app, actor, input);
  await inOneStep(app.db, [
    insertAudit(app.db, keyAdded(app, actor, row)),
    ...insertRekorKeys(app.db, [row]),
  ]);
  return { msg: "API key added successfully", id: row.id };
}

/** What is written of a key: never the key. */
export function keyAdded(app: AppContext, actor: Actor, row: RekorKeyInsert): AuditEntry {
  return integrationEntry(app, actor, {
    action: "integration.add",
    object: row.id,
    detail: { program: "Rekor", after: shownKey(row) },
  });
}

const shownKey = ({ agency, baseUrl, keyLast4 }: { agency: string; baseUrl: string; keyLast4: string }) => ({
  agency,
  base_url: baseUrl,
  last_four: keyLast4,
});

/** One of the agency's own keys. Throws AppError not_found. */
export async function requireRekorKey(app: AppContext, actor: Actor, id: string) {
  const key = await findRekorKey(app.db, { id, tenantId: actor.agencyId });
  if (!key) throw new AppError("not_found", "There is no such API key.");
  return key;
}

/** DELETE /delete-api-key/{id}: gone at once, for searches that begin from now on. */
export async function deleteApiKey(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const key = await requireRekorKey(app, actor, id);
  await inOneStep(app.db, [
    removeRekorKey(app.db, { id, tenantId: actor.agencyId }),
    insertAuditIfChanged(
      app.db,
      integrationEntry(app, actor, {
        action: "integration.remove",
        object: id,
        detail: { program: "Rekor", before: shownKey(key) },
      }),
    ),
    ...removeTraces(app.db, id),
  ]);
  return { msg: "API key deleted" };
}

/** The audit row of an act on integrations; `detail` never holds a secret. */
export function integrationEntry(
  app: AppContext,
  actor: Actor,
  entry: Pick<AuditEntry, "action" | "object" | "detail"> & { outcome?: AuditEntry["outcome"] },
): AuditEntry {
  return { ...auditWho(actor), at: app.clock(), outcome: "ok", ...entry };
}
