// Who else may search an agency's reads: every agency that Axon's owner has not blacklisted, and for Axis those that
// the owner has named. The next search of anybody asks anew, so a change needs nothing but its row.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/account.ts";
import type { AuditAction } from "#app/entities/audit.ts";
import type { NamedAgency } from "#app/entities/integration.ts";
import { AppError } from "#app/lib/errors.ts";
import { insertAuditIfChanged } from "#app/store/audit.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { findAxonIntegration } from "#app/store/integration-settings.ts";
import {
  findOtherAgency,
  insertBlacklisted,
  insertShare,
  listForBlacklist,
  listForShares,
  removeBlacklisted,
  removeShare,
} from "#app/store/sharing.ts";
import { requireAxon } from "./axon-integration.ts";
import { integrationEntry } from "./integrations.ts";

export type AxonSharing = { authorized_agencies: NamedAgency[]; blacklisted_agencies: NamedAgency[] };

/** GET /get-authorized-and-blacklisted-agencies; both lists are empty where the agency has no integration. */
export async function axonSharing(app: AppContext, actor: Actor): Promise<AxonSharing> {
  const { agencyId } = actor;
  const own = await findAxonIntegration(app.db, { agencyId, now: app.clock() });
  const agencies = own ? await listForBlacklist(app.db, { integrationId: own.source.id, agencyId }) : [];
  return { authorized_agencies: named(agencies, false), blacklisted_agencies: named(agencies, true) };
}

/** The agencies with which one's Axis reads are shared, and all others. */
export async function axisSharing(
  app: AppContext,
  actor: Actor,
): Promise<{ shared: NamedAgency[]; others: NamedAgency[] }> {
  const agencies = await listForShares(app.db, actor.agencyId);
  return { shared: named(agencies, true), others: named(agencies, false) };
}

const named = (agencies: readonly (NamedAgency & { listed: boolean })[], listed: boolean) =>
  agencies.filter((agency) => agency.listed === listed).map(({ id, name }) => ({ id, name }));

/** POST /add-to-blacklist. Throws AppError not_found for an agency that there is not, or that is one's own. */
export async function addToBlacklist(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const { id: integrationId } = await requireAxon(app, actor);
  const other = await requireOther(app, actor, id);
  const row = { integrationId, agencyId: other.id, createdAt: app.clock() };
  await change(app, actor, {
    action: "sharing.refuse",
    program: "Axon",
    other,
    statement: insertBlacklisted(app.db, row),
  });
  return { msg: `${other.name} can no longer search your Axon reads` };
}

/** POST /remove-from-blacklist. */
export async function removeFromBlacklist(
  app: AppContext,
  actor: Actor,
  id: string,
): Promise<{ msg: string }> {
  const { id: integrationId } = await requireAxon(app, actor);
  const other = await requireOther(app, actor, id);
  await change(app, actor, {
    action: "sharing.allow",
    program: "Axon",
    other,
    statement: removeBlacklisted(app.db, { integrationId, agencyId: other.id }),
  });
  return { msg: `${other.name} can search your Axon reads` };
}

/** POST /add-axis-share. */
export async function addAxisShare(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const other = await requireOther(app, actor, id);
  const row = { ownerAgencyId: actor.agencyId, viewerAgencyId: other.id, createdAt: app.clock() };
  await change(app, actor, {
    action: "sharing.allow",
    program: "Axis",
    other,
    statement: insertShare(app.db, row),
  });
  return { msg: `${other.name} can search your Axis reads` };
}

/** POST /remove-axis-share. */
export async function removeAxisShare(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const other = await requireOther(app, actor, id);
  const row = { ownerAgencyId: actor.agencyId, viewerAgencyId: other.id };
  await change(app, actor, {
    action: "sharing.refuse",
    program: "Axis",
    other,
    statement: removeShare(app.db, row),
  });
  return { msg: `${other.name} can no longer search your Axis reads` };
}

async function requireOther(app: AppContext, actor: Actor, id: string): Promise<NamedAgency> {
  const other = await findOtherAgency(app.db, { id, agencyId: actor.agencyId });
  if (!other) throw new AppError("not_found", "There is no such agency.");
  return other;
}

async function change(
  app: AppContext,
  actor: Actor,
  input: {
    action: AuditAction & `sharing.${string}`;
    program: "Axon" | "Axis";
    other: NamedAgency;
    statement: Statement;
  },
): Promise<void> {
  const { action, program, other, statement } = input;
  const may = action === "sharing.allow";
  const detail = { program, agency: other.name, before: { may_search: !may }, after: { may_search: may } };
  await inOneStep(app.db, [
    statement,
    insertAuditIfChanged(app.db, integrationEntry(app, actor, { action, object: other.id, detail })),
  ]);
}
