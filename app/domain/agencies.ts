// Agencies and their policies, which only the product's owner adds and changes. A policy counts from the next request
// on: session times are read with the session, the rest where it applies.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/account.ts";
import { auditWho } from "#app/entities/audit.ts";
import type { AgencyChange, AgencyWithPolicy, NewAgency } from "#app/entities/policy.ts";
import { randomToken } from "#app/lib/crypto.ts";
import { AppError } from "#app/lib/errors.ts";
import { demandEnrolment } from "#app/store/account-factors.ts";
import {
  findAgency,
  insertAgency,
  isAgencyNameTaken,
  listAgencies,
  updateAgency,
} from "#app/store/agencies.ts";
import { insertAudit } from "#app/store/audit.ts";
import { inOneStep } from "#app/store/database.ts";

export async function allAgencies(app: AppContext): Promise<AgencyWithPolicy[]> {
  return listAgencies(app.db);
}

/** One agency with its policy. Throws AppError not_found. */
export async function agencyForOwner(app: AppContext, id: string) {
  const agency = await findAgency(app.db, id);
  if (!agency) throw new AppError("not_found", "There is no such agency.");
  return agency;
}

const nameTaken = () => new AppError("conflict", "There is an agency with this name already.");

/** POST /owner/agencies. Throws AppError conflict where the name is taken. */
export async function addAgency(
  app: AppContext,
  actor: Actor,
  { name }: NewAgency,
): Promise<{ msg: string; id: string }> {
  const agency = { id: randomToken(), name, createdAt: app.clock() };
  if (await isAgencyNameTaken(app.db, { name })) throw nameTaken();
  await inOneStep(app.db, [
    insertAgency(app.db, agency),
    insertAudit(app.db, {
      ...auditWho(actor),
      at: app.clock(),
      action: "agency.add",
      outcome: "ok",
      object: agency.id,
      detail: { name },
    }),
  ]);
  return { msg: "Agency added successfully", id: agency.id };
}

/** PUT /owner/agencies/{id}: name and policy as a whole; what changed is written down, before and after. */
export async function changeAgency(
  app: AppContext,
  actor: Actor,
  input: { id: string; change: AgencyChange },
): Promise<{ msg: string }> {
  const { id, change } = input;
  const before = await findAgency(app.db, id);
  if (!before) throw new AppError("not_found", "There is no such agency.");
  if (await isAgencyNameTaken(app.db, { name: change.name, exceptId: id })) throw nameTaken();
  if (change.policy.absolute_minutes < change.policy.idle_minutes)
    throw new AppError("bad_request", "A session cannot end sooner than it may be unused.");
  const demands = change.policy.second_factor_required && !before.policy.second_factor_required;
  await inOneStep(app.db, [
    updateAgency(app.db, { id, ...change }),
    ...(demands ? [demandEnrolment(app.db, id)] : []),
    insertAudit(app.db, {
      ...auditWho(actor),
      at: app.clock(),
      action: "agency.change",
      outcome: "ok",
      object: id,
      detail: {
        before: { name: before.name, ...before.policy },
        after: { name: change.name, ...change.policy },
      },
    }),
  ]);
  return { msg: "Agency saved" };
}
