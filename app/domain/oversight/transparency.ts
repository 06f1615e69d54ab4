// The transparency page that an agency may publish (Connecticut Public Act 26-14 section 13 (e): use data are public,
// plates are not). The preview and the public page come from the same function, so they show the same.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  type PublishedStatistics,
  publishMonth,
  publishNow,
  publishYear,
} from "#app/entities/oversight/transparency.ts";
import { statisticsCsv } from "#app/entities/oversight/transparency-files.ts";
import {
  plainLines,
  SLUG,
  slugsOf,
  type TransparencyOverview,
  type TransparencyPage,
} from "#app/entities/oversight/transparency-page.ts";
import { AppError } from "#app/lib/errors.ts";
import { visibleText } from "#app/lib/text.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  findOwnPage,
  findPublishedPage,
  type PageRecord,
  type TransparencyAgency,
  updatePublished,
  upsertPage,
} from "#app/store/oversight/transparency.ts";
import { auditAct, auditIfChanged, refuse } from "./audit-act.ts";
import { checkAuditLog, transparencyStatistics } from "./transparency-count.ts";

/** Batches of the audit log that are verified while an administrator waits; the daily run verifies the rest. */
const STRETCHES_AT_ONCE = 4;

/**
 * Returns the published statistics at an address. Throws AppError not_found, the same for a withdrawn page as for an
 * unknown one.
 */
export async function publicStatistics(app: AppContext, slug: string): Promise<PublishedStatistics> {
  const found = SLUG.test(slug) ? await findPublishedPage(app.db, slug) : undefined;
  if (!found) throw new AppError("not_found", "No agency publishes statistics at this address.");
  return published(app, found);
}

/** The same as a CSV text. */
export async function publicStatisticsCsv(app: AppContext, slug: string): Promise<string> {
  return statisticsCsv(await publicStatistics(app, slug));
}

/** Returns an administrator's view of their agency's page: its settings, and a preview. */
export async function transparencyOverview(app: AppContext, actor: Actor): Promise<TransparencyOverview> {
  const { agency, page } = await ownPage(app, actor);
  const slugs = slugsOf(agency);
  const shownPage = page ?? { slug: slugs[0] ?? "", introduction: "", contact: "", publishedAt: null };
  const { slug, introduction, contact, publishedAt } = shownPage;
  return {
    page: { slug, introduction, contact },
    published_at: publishedAt,
    // An agency that was renamed may keep its address.
    slugs: slugs.includes(slug) ? slugs : [slug, ...slugs],
    figures: await published(app, { agency, page: shownPage }),
  };
}

/** Saves the page's texts. If it is published, the public sees them at once. Throws AppError bad_request, conflict. */
export async function saveTransparencyPage(
  app: AppContext,
  actor: Actor,
  input: TransparencyPage,
): Promise<{ msg: string }> {
  const { agency, page } = await ownPage(app, actor);
  const after = {
    slug: input.slug,
    introduction: plainLines(input.introduction),
    contact: visibleText(input.contact),
  };
  const refused = (error: AppError) => refuse(app, actor, { action: "figures.change", error });
  if (after.slug !== page?.slug && !slugsOf(agency).includes(after.slug))
    throw await refused(new AppError("bad_request", "Choose one of the addresses from your agency's name."));
  if (page && page.publishedAt !== null && after.contact === "") throw await refused(contactMissing());
  const now = app.clock();
  try {
    await inOneStep(app.db, [
      upsertPage(app.db, { agencyId: agency.id, ...after, changedAt: now }),
      auditAct(app, actor, {
        action: "figures.change",
        object: after.slug,
        detail: { before: page && saidOf(page), after },
      }),
    ]);
  } catch (error) {
    if (brokenConstraint(error) !== "figure_pages.slug") throw error;
    throw await refused(
      new AppError("conflict", "Another agency has this address. Choose another one.", { cause: error }),
    );
  }
  return { msg: "The page was saved" };
}

/** Publishes the page. Throws AppError bad_request if it names no contact, conflict if it is already published. */
export async function publishTransparencyPage(
  app: AppContext,
  actor: Actor,
): Promise<{ msg: string; slug: string }> {
  const { agency, page } = await ownPage(app, actor);
  const refused = (error: AppError) => refuse(app, actor, { action: "figures.publish", error });
  if (!page) throw await refused(new AppError("bad_request", "Save the page before you publish it."));
  if (page.contact === "") throw await refused(contactMissing());
  if (page.publishedAt !== null)
    throw await refused(new AppError("conflict", "The page is already published."));
  await transparencyStatistics(app, agency);
  await checkAuditLog(app, agency.id, { left: STRETCHES_AT_ONCE });
  await change(app, actor, { action: "figures.publish", page, publishedAt: app.clock() });
  return { msg: "The page is public now", slug: page.slug };
}

/** Withdraws the page. Throws AppError conflict if it is not published. */
export async function withdrawTransparencyPage(app: AppContext, actor: Actor): Promise<{ msg: string }> {
  const { page } = await ownPage(app, actor);
  if (!page || page.publishedAt === null)
    throw await refuse(app, actor, {
      action: "figures.withdraw",
      error: new AppError("conflict", "The page is not published."),
    });
  await change(app, actor, { action: "figures.withdraw", page, publishedAt: null });
  return { msg: "The page was withdrawn" };
}

const contactMissing = () =>
  new AppError("bad_request", "Enter a contact for questions from the public.", { field: "contact" });
const saidOf = ({ slug, introduction, contact }: PageRecord) => ({ slug, introduction, contact });

async function ownPage(app: AppContext, actor: Actor) {
  const found = await findOwnPage(app.db, actor.agencyId);
  if (!found) throw new AppError("not_found", "There is no such agency.");
  return found;
}

async function change(
  app: AppContext,
  actor: Actor,
  input: { action: "figures.publish" | "figures.withdraw"; page: PageRecord; publishedAt: number | null },
): Promise<void> {
  const { action, page, publishedAt } = input;
  await inOneStep(app.db, [
    updatePublished(app.db, { agencyId: actor.agencyId, publishedAt, changedAt: app.clock() }),
    auditIfChanged(app, actor, {
      action,
      object: page.slug,
      detail: {
        before: { published: page.publishedAt !== null, ...saidOf(page) },
        after: { published: publishedAt !== null, ...saidOf(page) },
      },
    }),
  ]);
}

async function published(
  app: AppContext,
  { agency, page }: { agency: TransparencyAgency; page: PageRecord },
): Promise<PublishedStatistics> {
  const { months, notAvailable, now, audit } = await transparencyStatistics(app, agency);
  const shownMonths = months.map(({ month, counts }) =>
    publishMonth({ month, counts, reviews: now.counts.reviews[month] ?? null }),
  );
  return {
    agency: agency.name,
    introduction: page.introduction,
    contact: page.contact,
    as_of: Math.max(now.countedAt, ...months.map(({ countedAt }) => countedAt)),
    now: publishNow(now.counts),
    year: publishYear(shownMonths),
    months: shownMonths.reverse(),
    not_available: notAvailable.reverse(),
    audit: audit && { ...audit.counts, checked_at: audit.countedAt },
  };
}
