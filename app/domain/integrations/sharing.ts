// Which other agencies may search an agency's reads. Axon: every agency that the owner has not blacklisted. Axis: the
// agencies that the owner has named. Rekor: the vendor controls searches; the owner names the agencies that its
// webhooks alert. A sharing can have terms: a declaration and an end date, as Connecticut's Public Act 26-14 section 13
// requires. Every search, image and live match reads the rows again, so a change or an end date takes effect at once; a
// running export reads them twice a minute, and a search that took long once more before it answers.

import type { AppContext } from "#app/context.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import { ALL_LISTED, partOfAgencies } from "#app/domain/users/agencies.ts";
import { zoneFor } from "#app/domain/users/time-zone.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type {
  AgencyChoice,
  AgencyPart,
  AxonChoice,
  NamedAgency,
  NamingProgram,
  NewShare,
  SharedAgency,
} from "#app/entities/integrations/settings.ts";
import type { AuditAction } from "#app/entities/oversight/audit.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { AppError } from "#app/lib/errors.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { timeOf } from "#app/lib/time/wall-clock.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { findAxonIntegration } from "#app/store/integrations/settings.ts";
import {
  findOtherAgency,
  findShare,
  insertAxonTerms,
  insertBlacklisted,
  insertShare,
  listForBlacklist,
  listForShares,
  removeBlacklisted,
  removeShare,
  type Terms,
} from "#app/store/integrations/sharing.ts";
import { listMaySearch } from "#app/store/search/permission.ts";
import { requireAxon } from "./axon.ts";

/**
 * Returns the parts of two lists of agencies that a screen shows, with the number of agencies and of matches in each:
 * all, or, in a large installation, the first ones whose name contains `find`.
 */
function agencyParts<First extends NamedAgency, Second extends NamedAgency>(
  lists: readonly [readonly First[], readonly Second[]],
  find: string,
): { parts: [AgencyPart<First>, AgencyPart<Second>]; search: { find: string } | null } {
  const isLong = lists[0].length + lists[1].length > ALL_LISTED;
  const wanted = isLong ? find : null;
  return {
    parts: [partOfAgencies(lists[0], wanted), partOfAgencies(lists[1], wanted)],
    search: isLong ? { find } : null,
  };
}

/** An agency, with the terms of its sharing if it has any. */
type AxonAgency = NamedAgency | SharedAgency;
export type AxonSharing = { authorized_agencies: AxonAgency[]; blacklisted_agencies: AxonAgency[] };

/**
 * GET /get-authorized-and-blacklisted-agencies. Both lists are empty if the agency has no integration. An agency whose
 * terms have ended cannot search, so it is listed as blacklisted.
 */
export async function axonSharing(app: AppContext, actor: Actor): Promise<AxonSharing> {
  const { agencyId } = actor;
  const own = await findAxonIntegration(app.db, { agencyId, now: app.clock() });
  const agencies = own ? await listForBlacklist(app.db, { integrationId: own.source.id, agencyId }) : [];
  const now = app.clock();
  const of = (mayNot: boolean) =>
    agencies.flatMap(({ id, name, blacklisted, terms }): AxonAgency[] => {
      const agency = terms ? { id, name, ...terms, expired: hasEnded(terms, now) } : { id, name };
      return (blacklisted || hasEnded(terms, now)) === mayNot ? [agency] : [];
    });
  return { authorized_agencies: of(false), blacklisted_agencies: of(true) };
}

/** Returns the same lists for the screen, in a large installation the first of both whose name contains `find`. */
export async function axonSharingParts(app: AppContext, actor: Actor, find: string) {
  const { authorized_agencies, blacklisted_agencies } = await axonSharing(app, actor);
  return agencyParts([authorized_agencies, blacklisted_agencies], find);
}

function hasEnded(terms: Terms | null, now: number): boolean {
  return terms !== null && terms.valid_until !== null && terms.valid_until <= now;
}

/**
 * Returns the agencies that the actor's agency shares a program's reads with, including those whose terms have ended,
 * and all other agencies. In a large installation, returns the first of both whose name contains `find`.
 */
export async function sharesOf(
  app: AppContext,
  actor: Actor,
  { program, find }: { program: NamingProgram; find: string },
) {
  const agencies = await listForShares(app.db, { program, agencyId: actor.agencyId });
  const now = app.clock();
  const shared = agencies.flatMap(({ id, name, terms }): SharedAgency[] =>
    terms ? [{ id, name, ...terms, expired: hasEnded(terms, now) }] : [],
  );
  const others = agencies.flatMap(({ id, name, terms }): NamedAgency[] => (terms ? [] : [{ id, name }]));
  return agencyParts([shared, others], find);
}

/** POST /add-to-blacklist. Throws AppError not_found for an unknown agency or the actor's own. */
export async function addToBlacklist(app: AppContext, actor: Actor, id: string): Promise<{ msg: string }> {
  const { id: integrationId } = await requireAxon(app, actor);
  const other = await requireOther(app, actor, id);
  const row = { integrationId, agencyId: other.id, createdAt: app.clock() };
  await change(app, actor, {
    action: "sharing.refuse",
    program: "Axon",
    integrationId,
    other,
    statement: insertBlacklisted(app.db, row),
  });
  return { msg: `${other.name} can no longer search your Axon reads` };
}

/**
 * POST /remove-from-blacklist: lets an agency search; with terms, it sets or changes them. Throws AppError not_found,
 * and bad_request for an end in the past.
 */
export async function removeFromBlacklist(
  app: AppContext,
  actor: Actor,
  { agency_id, declaration, valid_until }: AxonChoice,
): Promise<{ msg: string }> {
  const { id: integrationId } = await requireAxon(app, actor);
  const other = await requireOther(app, actor, agency_id);
  const now = app.clock();
  const row = { integrationId, agencyId: other.id };
  const hasTerms = declaration !== undefined || valid_until !== undefined;
  const given = { declaration: declaration ?? "", valid_until: valid_until ?? null };
  const terms = { declaration: given.declaration, valid_until: await endOf(app, actor, given.valid_until) };
  await change(app, actor, {
    action: "sharing.allow",
    program: "Axon",
    integrationId,
    other,
    statement: hasTerms
      ? insertAxonTerms(app.db, { ...row, createdAt: now, terms })
      : removeBlacklisted(app.db, { ...row, now }),
    ...(hasTerms && { terms: given }),
  });
  return { msg: `${other.name} can search your Axon reads` };
}

/** Messages to the owner when a sharing starts and ends. */
const SHARE_WORDS: Record<
  NamingProgram,
  { added: (name: string) => string; removed: (name: string) => string }
> = {
  Axis: {
    added: (name) => `${name} can search your Axis reads`,
    removed: (name) => `${name} can no longer search your Axis reads`,
  },
  Rekor: {
    added: (name) => `The hotlists of ${name} are matched with your Rekor reads`,
    removed: (name) => `The hotlists of ${name} are no longer matched with your Rekor reads`,
  },
};

/**
 * POST /add-axis-share and /add-rekor-share: shares reads, or changes the terms. Throws AppError not_found, and
 * bad_request for an end in the past.
 */
export async function addShare(
  app: AppContext,
  actor: Actor,
  { program, agency_id, declaration, valid_until }: NewShare & { program: NamingProgram },
): Promise<{ msg: string }> {
  const other = await requireOther(app, actor, agency_id);
  const createdAt = app.clock();
  const validUntil = await endOf(app, actor, valid_until);
  const pair = { program, ownerAgencyId: actor.agencyId, viewerAgencyId: other.id };
  const row = { ...pair, createdAt, declaration, validUntil };
  const before = await findShare(app.db, pair);
  await change(app, actor, {
    action: "sharing.allow",
    program,
    other,
    statement: insertShare(app.db, row),
    before: before && termsOf(before),
    terms: termsOf(row),
  });
  return { msg: SHARE_WORDS[program].added(other.name) };
}

const termsOf = ({ declaration, validUntil }: { declaration: string; validUntil: number | null }) => ({
  declaration,
  valid_until: validUntil === null ? null : isoTime(validUntil),
});

/** POST /remove-axis-share and /remove-rekor-share. Throws AppError not_found. */
export async function endShare(
  app: AppContext,
  actor: Actor,
  { program, agency_id }: AgencyChoice & { program: NamingProgram },
): Promise<{ msg: string }> {
  const other = await requireOther(app, actor, agency_id);
  const pair = { program, ownerAgencyId: actor.agencyId, viewerAgencyId: other.id };
  await change(app, actor, {
    action: "sharing.refuse",
    program,
    other,
    statement: removeShare(app.db, pair),
  });
  return { msg: SHARE_WORDS[program].removed(other.name) };
}

/** Returns the instant of an end date in milliseconds. Throws AppError bad_request if it is in the past. */
async function endOf(app: AppContext, actor: Actor, text: string | null): Promise<number | null> {
  if (text === null) return null;
  const end = timeOf(text, { zone: await zoneFor(app, actor, [text]), edge: "end" }) ?? Number.NaN;
  if (!(end > app.clock()))
    throw new AppError("bad_request", "The end of the sharing must be in the future.");
  return end;
}

async function requireOther(app: AppContext, actor: Actor, id: string): Promise<NamedAgency> {
  const other = await findOtherAgency(app.db, { id, agencyId: actor.agencyId });
  if (!other) throw new AppError("not_found", "This agency does not exist.");
  return other;
}

async function change(
  app: AppContext,
  actor: Actor,
  input: {
    action: AuditAction & `sharing.${string}`;
    program: SourceProgram;
    integrationId?: string;
    other: NamedAgency;
    statement: Statement;
    /** The previous terms, if only the terms change. */
    before?: Omit<NewShare, "agency_id"> | undefined;
    terms?: Omit<NewShare, "agency_id">;
  },
): Promise<void> {
  const { action, program, integrationId = "", other, statement, terms } = input;
  const allowed = await listMaySearch(app.db, {
    origins: [{ program, agencyId: actor.agencyId, integrationId }],
    tenants: [other.id],
    now: app.clock(),
  });
  // A share of Rekor reads does not allow searches.
  const right = program === "Rekor" ? "is_alerted" : "may_search";
  const before = { [right]: allowed.length > 0, ...input.before };
  const after = { [right]: action === "sharing.allow", ...terms };
  const detail = { program, agency: other.name, before, after };
  await inOneStep(app.db, [statement, auditIfChanged(app, actor, { action, object: other.id, detail })]);
}
