// The owner's approvals for agencies' single sign-on: of their email domains, and of a provider's second factor.

import type { AppContext } from "#app/context.ts";
import { auditIfChanged, auditRow, refuse } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type {
  DomainDecision,
  EmailDomain,
  FactorDecision,
  RequestedDomain,
  RequestedFactor,
} from "#app/entities/accounts/sign-on-settings.ts";
import type { AuditAction } from "#app/entities/oversight/audit.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { AppError } from "#app/lib/errors.ts";
import { type AskedPage, type NumberedPage, pageOfRows, rowsWith } from "#app/lib/pages.ts";
import { revokeProviderFactorSessions } from "#app/store/accounts/sign-on-sessions.ts";
import {
  approveDomain,
  approveFactor,
  insertDomain,
  listDomains,
  listFactors,
  removeDomain,
} from "#app/store/accounts/single-sign-on.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { changesOf, inOneStep } from "#app/store/database.ts";
import { insertAuditIfChanged } from "#app/store/oversight/audit.ts";

const MAX_DOMAINS = 20;

/** Asks the owner to approve an email domain for the agency. Throws AppError conflict. */
export async function requestDomain(
  app: AppContext,
  actor: Actor,
  { domain }: EmailDomain,
): Promise<{ msg: string }> {
  const { agencyId } = actor;
  const known = await listDomains(app.db, agencyId);
  const refused = (error: AppError) =>
    refuse(app, actor, { action: "sign-on.domain-request", object: domain, error });
  if (known.some((one) => one.domain === domain))
    throw await refused(
      new AppError("conflict", "Your agency has asked for this domain.", { field: "domain" }),
    );
  const row = { domain, agencyId, requestedAt: app.clock(), requestedBy: actor.userId };
  try {
    await inOneStep(app.db, [
      insertDomain(app.db, row, MAX_DOMAINS),
      auditIfChanged(app, actor, { action: "sign-on.domain-request", object: domain, detail: { domain } }),
    ]);
  } catch (error) {
    if (brokenConstraint(error) !== "sign_on_domains.requested_at") throw error;
    throw await refused(
      new AppError("conflict", `An agency can have at most ${MAX_DOMAINS} domains.`, { field: "domain" }),
    );
  }
  return { msg: `${domain} awaits the owner's approval` };
}

/** Gives up a domain, or withdraws the request. Throws AppError not_found. */
export async function dropDomain(
  app: AppContext,
  actor: Actor,
  { domain }: { domain: string },
): Promise<{ msg: string }> {
  return withdraw(app, actor, { domain, agencyId: actor.agencyId, action: "sign-on.domain-remove" });
}

/** Domains on one page. */
const PAGE_SIZE = 100;

/**
 * Returns a page of the domains of all agencies whose domain or agency contains a text, those that await approval
 * first.
 */
export async function domainPage(
  app: AppContext,
  { find, page }: AskedPage,
): Promise<NumberedPage<RequestedDomain>> {
  const domains = await listDomains(app.db, null);
  const found = rowsWith(domains, find, ({ domain, agency }) => [domain, agency]);
  return pageOfRows(found, { page, size: PAGE_SIZE });
}

/** Returns the providers whose second factor agencies want Odin to accept, those that await approval first. */
export async function allFactors(app: AppContext): Promise<RequestedFactor[]> {
  return listFactors(app.db);
}

/**
 * Approves that the second factor of an agency's provider counts where the policy requires one, or withdraws it, which
 * ends the sessions that may rest on it. Throws AppError conflict, audited, if the agency has changed its settings in the
 * meantime.
 */
export async function decideFactor(
  app: AppContext,
  actor: Actor,
  input: FactorDecision & { approved: boolean },
): Promise<{ msg: string }> {
  const { agency_id: agencyId, changed_at: changedAt, approved } = input;
  const action = approved ? "sign-on.factor-approve" : "sign-on.factor-withdraw";
  const entry = auditRow(app, actor, { action, object: agencyId, detail: { agency: agencyId } });
  const now = app.clock();
  // Placed before the approval changes, because it selects the sessions by the approval.
  const ends = approved ? [] : [revokeProviderFactorSessions(app.db, { agencyId, changedAt, now })];
  const results = await inOneStep(
    app.db,
    nonEmpty([
      ...ends,
      approveFactor(app.db, { agencyId, changedAt, at: approved ? now : null }),
      insertAuditIfChanged(app.db, entry),
    ]),
  );
  if (changesOf(results[ends.length]) === 0) {
    const error = new AppError("conflict", "The agency has changed its settings. Load the page again.");
    throw await refuse(app, actor, { action, object: agencyId, error });
  }
  return { msg: approved ? "The second factor was approved" : "The approval was withdrawn" };
}

/** Approves a domain for one agency. Throws AppError conflict if another agency has it, or not_found. */
export async function approveDomainOf(
  app: AppContext,
  actor: Actor,
  { domain, agency_id: agencyId }: DomainDecision,
): Promise<{ msg: string }> {
  const action = "sign-on.domain-approve";
  const refused = (error: AppError) => refuse(app, actor, { action, object: domain, error });
  const entry = auditRow(app, actor, { action, object: domain, detail: { domain, agency: agencyId } });
  try {
    const [approval] = await inOneStep(app.db, [
      approveDomain(app.db, { domain, agencyId, at: app.clock() }),
      insertAuditIfChanged(app.db, entry),
    ]);
    if (changesOf(approval) === 0)
      throw await refused(new AppError("not_found", "This domain does not await approval."));
  } catch (error) {
    if (brokenConstraint(error) !== "sign_on_domains.domain") throw error;
    throw await refused(new AppError("conflict", "Another agency has this domain. Withdraw it there first."));
  }
  return { msg: `${domain} approved` };
}

/** Refuses a request, or withdraws an approval. Throws AppError not_found. */
export async function refuseDomainOf(
  app: AppContext,
  actor: Actor,
  { domain, agency_id: agencyId }: DomainDecision,
): Promise<{ msg: string }> {
  return withdraw(app, actor, { domain, agencyId, action: "sign-on.domain-refuse" });
}

async function withdraw(
  app: AppContext,
  actor: Actor,
  { domain, agencyId, action }: { domain: string; agencyId: string; action: AuditAction },
): Promise<{ msg: string }> {
  const entry = auditRow(app, actor, { action, object: domain, detail: { domain, agency: agencyId } });
  const [removal] = await inOneStep(app.db, [
    removeDomain(app.db, { domain, agencyId }),
    insertAuditIfChanged(app.db, entry),
  ]);
  if (changesOf(removal) === 0)
    throw await refuse(app, actor, {
      action,
      object: domain,
      error: new AppError("not_found", "This domain is not in the list."),
    });
  return { msg: `${domain} removed` };
}
