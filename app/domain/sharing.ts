// Who else may search an agency's reads: every agency that Axon's owner has not blacklisted, and for Axis those that
// the owner has named. The next search of anybody asks anew, so a change needs nothing but its row.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/account.ts";
import type { AuditAction } from "#app/entities/audit.ts";
import type { NamedAgency, NewShare, SharedAgency } from "#app/entities/integration.ts";
import { isoTime } from "#app/lib/dates.ts";
import { AppError } from "#app/lib/errors.ts";
import { insertAuditIfChanged } from "#app/store/audit.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { findAxonIntegration } from "#app/store/integration-settings.ts";
import {
  findOtherAgency,
  findShare,
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

/** The agencies with which one's Axis reads are shared, whether or not the terms still hold, and all others. */
export async function axisSharing(
  app: AppContext,
  actor: Actor,
): Promise<{ shared: SharedAgency[]; others: NamedAgency[] }> {
  const agencies = await listForShares(app.db, actor.agencyId);
  const now = app.clock();
  return {
    shared: agencies.flatMap(({ id, name, terms }) =>
      terms ? [{ id, name, ...terms, expired: terms.valid_until !== null && terms.valid_until <= now }] : [],
    ),
    others: agencies.flatMap(({ id, name, terms }) => (terms ? [] : [{ id, name }])),
  };
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

/**
 * POST /add-axis-share: shares, or changes on what terms. The declaration and the end are what Connecticut's Public Act
 * 26-14 section 13 asks of sharing; every search, image and live match looks at the end anew. Throws AppError not_found,
 * and bad_request for an end that is past.
 */
export async function addAxisShare(
  app: AppContext,
  actor: Actor,
  { agency_id, declaration, valid_until }: NewShare,
): Promise<{ msg: string }> {
  const other = await requireOther(app, actor, agency_id);
  const createdAt = app.clock();
  const validUntil = valid_until === null ? null : Date.parse(valid_until);
  if (validUntil !== null && validUntil <= createdAt)
    throw new AppError("bad_request", "The end of the sharing has to lie in the future.");
  const row = { ownerAgencyId: actor.agencyId, viewerAgencyId: other.id, createdAt, declaration, validUntil };
  const before = await findShare(app.db, row);
  await change(app, actor, {
    action: "sharing.allow",
    program: "Axis",
    other,
    statement: insertShare(app.db, row),
    before: before && termsOf(before),
    terms: termsOf(row),
  });
  return { msg: `${other.name} can search your Axis reads` };
}

const termsOf = ({ declaration, validUntil }: { declaration: string; validUntil: number | null }) => ({
  declaration,
  valid_until: validUntil === null ? null : isoTime(validUntil),
});

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
    /** On what terms it was shared before, where it was and only they change. */
    before?: Omit<NewShare, "agency_id"> | undefined;
    terms?: Omit<NewShare, "agency_id">;
  },
): Promise<void> {
  const { action, program, other, statement, terms } = input;
  const may = action === "sharing.allow";
  const before = input.before ? { may_search: true, ...input.before } : { may_search: !may };
  const detail = { program, agency: other.name, before, after: { may_search: may, ...terms } };
  await inOneStep(app.db, [
    statement,
    insertAuditIfChanged(app.db, integrationEntry(app, actor, { action, object: other.id, detail })),
  ]);
}
