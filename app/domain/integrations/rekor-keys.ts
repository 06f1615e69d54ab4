// Rekor keys of the administrator's own agency, and what all integrations share: the rule for vendor addresses, and
// audit rows. A key is submitted once, sealed (encrypted, bound to its record), and only its last four characters are
// shown.

import type { AppContext } from "#app/context.ts";
import { onlyOnce } from "#app/domain/operations/idempotency.ts";
import { auditIfChanged, auditRow } from "#app/domain/oversight/audit-act.ts";
import { listSearchableAgencies } from "#app/domain/search/searchable.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { Actor, SessionActor } from "#app/entities/accounts/actor.ts";
import {
  type NewApiKey,
  REKOR_HOSTS,
  type RekorKeyRow,
  shownEnd,
} from "#app/entities/integrations/settings.ts";
import type { AuditEntry } from "#app/entities/oversight/audit.ts";
import { randomToken, seal } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { type AskedPage, type NumberedPage, pageOfRows } from "#app/lib/pages.ts";
import { publicAddressProblem } from "#app/lib/public-address.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  findRekorKey,
  insertRekorKeys,
  listRekorKeyIdsOf,
  listRekorKeys,
  type RekorKeyInsert,
  removeRekorKey,
  removeTraces,
} from "#app/store/integrations/settings.ts";
import { secretOwner } from "#app/store/integrations/sources.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";

/** Returns the agency's keys by agency, masked. */
export async function rekorKeysOf(app: AppContext, actor: Actor): Promise<RekorKeyRow[]> {
  return listRekorKeys(app.db, { tenantId: actor.agencyId, now: app.clock() });
}

/** Keys on one page of a screen. */
const PAGE_SIZE = 100;

/** Returns a page of the agency's keys: all, or those that have a text in the agency, the host or the last four characters. */
export async function rekorKeyPage(
  app: AppContext,
  actor: Actor,
  { find, page }: AskedPage,
): Promise<NumberedPage<RekorKeyRow>> {
  const tenantId = actor.agencyId;
  const ids = pageOfRows(await listRekorKeyIdsOf(app.db, { tenantId, find }), { page, size: PAGE_SIZE });
  return { ...ids, rows: await listRekorKeys(app.db, { tenantId, now: app.clock(), among: ids.rows }) };
}

/**
 * GET /api-keys-data serves two screens. Returns the agencies whose Rekor reads the actor may search, sorted by agency,
 * for the search form; for administrators the agency's keys, masked. No permission of a service account covers keys, so
 * it gets the agencies, even when it acts for an administrator.
 */
export async function rekorAgencies(app: AppContext, actor: SessionActor) {
  const managesKeys = mayUse("admin", actor) && actor.service === undefined;
  return managesKeys ? rekorKeysOf(app, actor) : (await listSearchableAgencies(app, actor)).rekor;
}

/**
 * Returns a vendor's address as stored, without trailing slashes. Throws AppError bad_request if Odin may not call it.
 */
export function vendorAddress(app: AppContext, input: { text: string; host: string }): string {
  const { allowLoopback, vendorHosts: hosts } = app.config;
  const rule = { allowLoopback, hosts, ownHost: ownHostOf(app, input.host) };
  const problem = publicAddressProblem(input.text, rule);
  if (problem) throw new AppError("bad_request", problem);
  return input.text.replace(/\/+$/, "");
}

/** Returns Odin's own public host, without its port. A call to it would be a loop. */
export function ownHostOf(app: AppContext, host: string): string {
  const { publicOrigin } = app.config;
  return publicOrigin === "" ? host : new URL(publicOrigin).host;
}

/** Returns the row of a new key, with its secret sealed and its address checked. Throws AppError bad_request. */
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
    keyLast4: shownEnd(key.api_key),
    createdAt: app.clock(),
  };
}

/** POST /add-api-key. Throws AppError bad_request for an address that Odin may not call. */
export async function addApiKey(
  app: AppContext,
  actor: Actor,
  { key: { idempotency_key, ...key }, host }: { key: NewApiKey; host: string },
): Promise<{ msg: string; id: string }> {
  return onlyOnce(app, {
    actor,
    key: idempotency_key,
    content: { what: "a Rekor key", fields: key },
    work: async (noted) => {
      const row = await rekorKeyRow(app, actor, { key, host });
      const answer = { msg: "API key added successfully", id: row.id };
      await inOneStep(app.db, [
        insertAudit(app.db, keyAdded(app, actor, row)),
        ...insertRekorKeys(app.db, [row]),
        ...noted(answer),
      ]);
      return answer;
    },
  });
}

/** Returns the audit row of a new key, without the key. */
export function keyAdded(app: AppContext, actor: Actor, row: RekorKeyInsert): AuditEntry {
  return auditRow(app, actor, {
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

/** Returns one of the agency's own keys. Throws AppError not_found. */
export async function requireRekorKey(app: AppContext, actor: Actor, id: string) {
  const key = await findRekorKey(app.db, { id, tenantId: actor.agencyId });
  if (!key) throw new AppError("not_found", "This API key does not exist.");
  return key;
}

/** DELETE /delete-api-key/{id}. New searches no longer use it. Throws AppError not_found. */
export async function deleteApiKey(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const key = await requireRekorKey(app, actor, id);
  await inOneStep(app.db, [
    removeRekorKey(app.db, { id, tenantId: actor.agencyId }),
    auditIfChanged(app, actor, {
      action: "integration.remove",
      object: id,
      detail: { program: "Rekor", before: shownKey(key) },
    }),
    ...removeTraces(app.db, id),
  ]);
  return { msg: "API key deleted" };
}
