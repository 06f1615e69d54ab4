// Agencies and their policies, which only the product's owner adds and changes. A policy takes effect at the next
// request.

import type { AppContext } from "#app/context.ts";
import { auditAct, refuse } from "#app/domain/oversight/audit-act.ts";
import { STEP_UP_MS } from "#app/entities/accounts/access.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { AgencyPart, NamedAgency } from "#app/entities/integrations/settings.ts";
import type { AgencyChange, AgencyWithPolicy, NewAgency } from "#app/entities/users/policy.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { rowsWith } from "#app/lib/pages.ts";
import { requireEnrollment } from "#app/store/accounts/second-factor.ts";
import { revokeProviderFactorSessions } from "#app/store/accounts/sign-on-sessions.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import { renameRekorKeys } from "#app/store/integrations/settings.ts";
import { listRekorSources } from "#app/store/integrations/sources.ts";
import {
  countAgencies,
  findAgencies,
  findAgency,
  insertAgency,
  isAgencyNameTaken,
  listAgencies,
  updateAgency,
} from "#app/store/users/agencies.ts";

/** Returns every agency with its policy. */
export async function allAgencies(app: AppContext): Promise<AgencyWithPolicy[]> {
  return listAgencies(app.db);
}

/** An agency in the owner's list. */
export type ListedAgency = Pick<AgencyWithPolicy, "id" | "name" | "users"> &
  Pick<AgencyWithPolicy["policy"], "second_factor_required" | "case_number_required">;

/** With more agencies, a screen lists the first ones, and a search finds the others. */
export const ALL_LISTED = 200;
export const MOST_FOUND = 50;

/**
 * Returns the part of a list of agencies, sorted by name, that a screen shows, with the numbers of all agencies and of
 * matches. `find` is null if the screen lists all; otherwise it lists the first ones whose name contains it.
 */
export function partOfAgencies<Agency extends NamedAgency>(
  agencies: readonly Agency[],
  find: string | null,
): AgencyPart<Agency> {
  const found = find === null ? agencies : rowsWith(agencies, find, ({ name }) => [name]);
  const shown = find === null ? found : found.slice(0, MOST_FOUND);
  return { agencies: [...shown], found: found.length, total: agencies.length };
}

/**
 * Returns the agencies as the owner's list shows them, and their number: all or, in a large installation, the first
 * ones whose name contains `find`.
 */
export async function listedAgencies(app: AppContext, find: string) {
  const total = await countAgencies(app.db, "");
  const isLong = total > ALL_LISTED;
  const wanted = isLong ? find : "";
  const [found, agencies] = await Promise.all([
    wanted === "" ? total : countAgencies(app.db, wanted),
    findAgencies(app.db, { find: wanted, most: isLong ? MOST_FOUND : ALL_LISTED }),
  ]);
  const listed = agencies.map(({ id, name, users, policy }): ListedAgency => {
    const { second_factor_required, case_number_required } = policy;
    return { id, name, users, second_factor_required, case_number_required };
  });
  return { listed, found, total, find: wanted, isLong };
}

/** Returns an agency with its policy. Throws AppError not_found. */
export async function agencyForOwner(app: AppContext, id: string) {
  const agency = await findAgency(app.db, id);
  if (!agency) throw new AppError("not_found", "This agency does not exist.");
  return agency;
}

/** Returns the time zone of the actor's agency, an IANA name. */
export async function ownTimeZone(app: AppContext, actor: Actor): Promise<string> {
  return (await agencyForOwner(app, actor.agencyId)).policy.time_zone;
}

const nameTaken = () =>
  new AppError("conflict", "An agency with this name already exists.", { field: "name" });

/** Returns whether a write failed because another request took the name after it had been looked up. */
const isTakenMeanwhile = (error: unknown) => brokenConstraint(error) === "agencies.name";

/** POST /owner/agencies. Throws AppError conflict if the name is taken. */
export async function addAgency(
  app: AppContext,
  actor: Actor,
  { name }: NewAgency,
): Promise<{ msg: string; id: string }> {
  const agency = { id: randomToken(), name, createdAt: app.clock() };
  const refused = () => refuse(app, actor, { action: "agency.add", object: name, error: nameTaken() });
  if (await isAgencyNameTaken(app.db, { name })) throw await refused();
  await inOneStep(app.db, [
    insertAgency(app.db, agency),
    auditAct(app, actor, { action: "agency.add", object: agency.id, detail: { name } }),
  ]).catch(async (error: unknown) => {
    throw isTakenMeanwhile(error) ? await refused() : error;
  });
  return { msg: "Agency added successfully", id: agency.id };
}

/**
 * Returns the ids of an agency's Rekor keys that have its own name, by which its cameras and the pictures of its hits are
 * found.
 */
async function keysWithOwnName(
  app: AppContext,
  { id, name }: { id: string; name: string },
): Promise<string[]> {
  const own = name.toLowerCase();
  const keys = await listRekorSources(app.db, id);
  return keys.filter(({ agency }) => agency.toLowerCase() === own).map((key) => key.id);
}

/**
 * PUT /owner/agencies/{id}: replaces name and policy; a new name is also that of its Rekor keys that had the former one. The
 * audit row has both, before and after. A newly required second
 * factor ends the sessions of users without one, except those that could step up now, and sessions that may rest on an
 * unapproved second factor of the provider. Throws AppError not_found or conflict.
 */
export async function changeAgency(
  app: AppContext,
  actor: Actor,
  input: { id: string; change: AgencyChange },
): Promise<{ msg: string }> {
  const { id, change } = input;
  const before = await findAgency(app.db, id);
  const refused = (error: AppError) =>
    refuse(app, actor, { action: "agency.change", object: id.slice(0, 100), error });
  if (!before) throw await refused(new AppError("not_found", "This agency does not exist."));
  if (await isAgencyNameTaken(app.db, { name: change.name, exceptId: id })) throw await refused(nameTaken());
  const now = app.clock();
  const demands = change.policy.second_factor_required && !before.policy.second_factor_required;
  const keys = change.name === before.name ? [] : await keysWithOwnName(app, before);
  await inOneStep(app.db, [
    updateAgency(app.db, { id, ...change }),
    ...(keys.length > 0 ? [renameRekorKeys(app.db, { tenantId: id, ids: keys, agency: change.name })] : []),
    ...(demands ? requireEnrollment(app.db, { agencyId: id, provedAfter: now - STEP_UP_MS, now }) : []),
    ...(demands ? [revokeProviderFactorSessions(app.db, { agencyId: id, approved: false, now })] : []),
    auditAct(app, actor, {
      action: "agency.change",
      object: id,
      detail: {
        before: { name: before.name, ...before.policy },
        after: {
          name: change.name,
          ...change.policy,
          ...(keys.length > 0 && { rekor_keys: keys.length }),
        },
      },
    }),
  ]).catch(async (error: unknown) => {
    throw isTakenMeanwhile(error) ? await refused(nameTaken()) : error;
  });
  return { msg: "Agency saved" };
}
