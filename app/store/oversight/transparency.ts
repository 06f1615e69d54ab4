// Pages of figures, and what was counted for them. An agency's page is found by its address only while it is published.

import { and, eq, gte, isNotNull, isNull, lt, lte, or } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies } from "#app/store/schema/accounts.ts";
import { figureCounts, figurePages } from "#app/store/schema/transparency.ts";

export type PageRecord = Pick<
  typeof figurePages.$inferSelect,
  "slug" | "introduction" | "contact" | "publishedAt"
>;

export type FiguresAgency = { id: string; name: string; createdAt: number; retentionDays: number };

const AGENCY = {
  id: agencies.id,
  name: agencies.name,
  createdAt: agencies.createdAt,
  retentionDays: agencies.retentionDays,
};
const PAGE = {
  slug: figurePages.slug,
  introduction: figurePages.introduction,
  contact: figurePages.contact,
  publishedAt: figurePages.publishedAt,
};

/** A published page by its address. */
export async function findPublishedPage(
  db: ControlDb,
  slug: string,
): Promise<{ agency: FiguresAgency; page: PageRecord } | undefined> {
  const [found] = await db
    .select({ agency: AGENCY, page: PAGE })
    .from(figurePages)
    .innerJoin(agencies, eq(agencies.id, figurePages.agencyId))
    .where(and(eq(figurePages.slug, slug), isNotNull(figurePages.publishedAt)));
  return found;
}

/** An agency with its page, which is null until it was first saved. */
export async function findOwnPage(
  db: ControlDb,
  agencyId: string,
): Promise<{ agency: FiguresAgency; page: PageRecord | null } | undefined> {
  const [found] = await db
    .select({ agency: AGENCY, page: PAGE })
    .from(agencies)
    .leftJoin(figurePages, eq(figurePages.agencyId, agencies.id))
    .where(eq(agencies.id, agencyId));
  return found;
}

/** Agencies whose figures are public and whose `period` was last counted before an instant, those long ago first. */
export async function listPublishing(
  db: ControlDb,
  { period, before, limit }: { period: string; before: number; limit: number },
): Promise<FiguresAgency[]> {
  const { agencyId, period: counted, countedAt } = figureCounts;
  return db
    .select(AGENCY)
    .from(figurePages)
    .innerJoin(agencies, eq(agencies.id, figurePages.agencyId))
    .leftJoin(figureCounts, and(eq(agencyId, agencies.id), eq(counted, period)))
    .where(and(isNotNull(figurePages.publishedAt), or(isNull(countedAt), lt(countedAt, before))))
    .orderBy(countedAt)
    .limit(limit);
}

/** Saves what an agency's page says; whether it is published stays. Breaks `figure_pages.slug` where that is taken. */
export function upsertPage(
  db: ControlDb,
  page: { agencyId: string; slug: string; introduction: string; contact: string; changedAt: number },
): Statement {
  const { agencyId: _, ...values } = page;
  return db
    .insert(figurePages)
    .values(page)
    .onConflictDoUpdate({ target: figurePages.agencyId, set: values });
}

/** Publishes a page, or takes it back; changes nothing where it is so already. */
export function updatePublished(
  db: ControlDb,
  input: { agencyId: string; publishedAt: number | null; changedAt: number },
): Statement {
  const { agencyId, publishedAt, changedAt } = input;
  const other = publishedAt === null ? isNotNull(figurePages.publishedAt) : isNull(figurePages.publishedAt);
  return db
    .update(figurePages)
    .set({ publishedAt, changedAt })
    .where(and(eq(figurePages.agencyId, agencyId), other));
}

export type StoredCounts = { period: string; counts: unknown; countedAt: number };

/** What was counted for an agency: months from one on, and what has no month. */
export async function listCounts(
  db: ControlDb,
  input: { agencyId: string; from: string },
): Promise<StoredCounts[]> {
  const { period, counts, countedAt } = figureCounts;
  // Months begin with a digit: `now` and `audit` come after every one of them.
  return db
    .select({ period, counts, countedAt })
    .from(figureCounts)
    .where(and(eq(figureCounts.agencyId, input.agencyId), gte(period, input.from)));
}

export async function findCounts(
  db: ControlDb,
  input: { agencyId: string; period: string },
): Promise<StoredCounts | undefined> {
  const { agencyId, period, counts, countedAt } = figureCounts;
  const [found] = await db
    .select({ period, counts, countedAt })
    .from(figureCounts)
    .where(and(eq(agencyId, input.agencyId), eq(period, input.period)));
  return found;
}

const CLAIM_MS = 60_000;

/** Whether the caller is the one to count again what is out of date; others take what is there meanwhile. */
export async function claimCounts(
  db: ControlDb,
  input: { agencyId: string; period: string; now: number },
): Promise<boolean> {
  const { agencyId, period, now } = input;
  const claimed = await db
    .update(figureCounts)
    .set({ claimedAt: now })
    .where(
      and(
        eq(figureCounts.agencyId, agencyId),
        eq(figureCounts.period, period),
        lt(figureCounts.claimedAt, now - CLAIM_MS),
      ),
    )
    .returning({ period: figureCounts.period });
  return claimed.length > 0;
}

/** Keeps what was counted, unless something newer is there. */
export async function putCounts(
  db: ControlDb,
  row: { agencyId: string; period: string; counts: unknown; countedAt: number },
): Promise<void> {
  const { counts, countedAt } = row;
  await db
    .insert(figureCounts)
    .values({ ...row, claimedAt: countedAt })
    .onConflictDoUpdate({
      target: [figureCounts.agencyId, figureCounts.period],
      set: { counts, countedAt },
      setWhere: lte(figureCounts.countedAt, countedAt),
    });
}
