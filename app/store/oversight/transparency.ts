// Transparency pages and their counts. The public finds a page by its address only while it is published.

import { and, eq, gte, isNotNull, isNull, lt, lte, or } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies } from "#app/store/schema/accounts.ts";
import { transparencyCounts, transparencyPages } from "#app/store/schema/oversight.ts";

export type PageRecord = Pick<
  typeof transparencyPages.$inferSelect,
  "slug" | "introduction" | "contact" | "publishedAt"
>;

export type TransparencyAgency = {
  id: string;
  name: string;
  createdAt: number;
  retentionDays: number;
  recordRetentionDays: number;
};

const AGENCY = {
  id: agencies.id,
  name: agencies.name,
  createdAt: agencies.createdAt,
  retentionDays: agencies.retentionDays,
  recordRetentionDays: agencies.recordRetentionDays,
};
const PAGE = {
  slug: transparencyPages.slug,
  introduction: transparencyPages.introduction,
  contact: transparencyPages.contact,
  publishedAt: transparencyPages.publishedAt,
};

/** Returns a published page by its address. */
export async function findPublishedPage(
  db: ControlDb,
  slug: string,
): Promise<{ agency: TransparencyAgency; page: PageRecord } | undefined> {
  const [found] = await db
    .select({ agency: AGENCY, page: PAGE })
    .from(transparencyPages)
    .innerJoin(agencies, eq(agencies.id, transparencyPages.agencyId))
    .where(and(eq(transparencyPages.slug, slug), isNotNull(transparencyPages.publishedAt)));
  return found;
}

/** Returns an agency with its page, which is null until it is first saved. */
export async function findOwnPage(
  db: ControlDb,
  agencyId: string,
): Promise<{ agency: TransparencyAgency; page: PageRecord | null } | undefined> {
  const [found] = await db
    .select({ agency: AGENCY, page: PAGE })
    .from(agencies)
    .leftJoin(transparencyPages, eq(transparencyPages.agencyId, agencies.id))
    .where(eq(agencies.id, agencyId));
  return found;
}

/** Returns agencies with a published page whose `period` was last counted before an instant, oldest try first. */
export async function listPublishing(
  db: ControlDb,
  { period, before, limit }: { period: string; before: number; limit: number },
): Promise<TransparencyAgency[]> {
  const { agencyId, period: counted, countedAt } = transparencyCounts;
  return db
    .select(AGENCY)
    .from(transparencyPages)
    .innerJoin(agencies, eq(agencies.id, transparencyPages.agencyId))
    .leftJoin(transparencyCounts, and(eq(agencyId, agencies.id), eq(counted, period)))
    .where(and(isNotNull(transparencyPages.publishedAt), or(isNull(countedAt), lt(countedAt, before))))
    .orderBy(transparencyPages.triedAt, countedAt)
    .limit(limit);
}

/** Notes that an agency's daily count begins. */
export async function noteCountTry(db: ControlDb, agencyId: string, now: number): Promise<void> {
  await db.update(transparencyPages).set({ triedAt: now }).where(eq(transparencyPages.agencyId, agencyId));
}

/** Saves a page's texts; publishing is separate. Violates `figure_pages.slug` if another agency has the address. */
export function upsertPage(
  db: ControlDb,
  page: { agencyId: string; slug: string; introduction: string; contact: string; changedAt: number },
): Statement {
  const { agencyId: _, ...values } = page;
  return db
    .insert(transparencyPages)
    .values(page)
    .onConflictDoUpdate({ target: transparencyPages.agencyId, set: values });
}

/** Publishes or withdraws a page. Changes nothing if that is its state already. */
export function updatePublished(
  db: ControlDb,
  input: { agencyId: string; publishedAt: number | null; changedAt: number },
): Statement {
  const { agencyId, publishedAt, changedAt } = input;
  const other =
    publishedAt === null ? isNotNull(transparencyPages.publishedAt) : isNull(transparencyPages.publishedAt);
  return db
    .update(transparencyPages)
    .set({ publishedAt, changedAt })
    .where(and(eq(transparencyPages.agencyId, agencyId), other));
}

export type StoredCounts = { period: string; counts: unknown; countedAt: number };

/** Returns an agency's counts: months from `from` on, and those without a month. */
export async function listCounts(
  db: ControlDb,
  input: { agencyId: string; from: string },
): Promise<StoredCounts[]> {
  const { period, counts, countedAt } = transparencyCounts;
  // Months start with a digit, so `now` and `audit` sort after all of them.
  return db
    .select({ period, counts, countedAt })
    .from(transparencyCounts)
    .where(and(eq(transparencyCounts.agencyId, input.agencyId), gte(period, input.from)));
}

/** Returns an agency's stored counts of one period; undefined if there are none. The caller checks their shape. */
export async function findCounts(
  db: ControlDb,
  input: { agencyId: string; period: string },
): Promise<StoredCounts | undefined> {
  const { agencyId, period, counts, countedAt } = transparencyCounts;
  const [found] = await db
    .select({ period, counts, countedAt })
    .from(transparencyCounts)
    .where(and(eq(agencyId, input.agencyId), eq(period, input.period)));
  return found;
}

const CLAIM_MS = 60_000;

/** Returns whether the caller should count again. Concurrent callers get false and use the stored counts. */
export async function claimCounts(
  db: ControlDb,
  input: { agencyId: string; period: string; now: number },
): Promise<boolean> {
  const { agencyId, period, now } = input;
  const claimed = await db
    .update(transparencyCounts)
    .set({ claimedAt: now })
    .where(
      and(
        eq(transparencyCounts.agencyId, agencyId),
        eq(transparencyCounts.period, period),
        lt(transparencyCounts.claimedAt, now - CLAIM_MS),
      ),
    )
    .returning({ period: transparencyCounts.period });
  return claimed.length > 0;
}

/** Stores counts, unless newer ones exist. */
export async function putCounts(
  db: ControlDb,
  row: { agencyId: string; period: string; counts: unknown; countedAt: number },
): Promise<void> {
  const { counts, countedAt } = row;
  await db
    .insert(transparencyCounts)
    .values({ ...row, claimedAt: countedAt })
    .onConflictDoUpdate({
      target: [transparencyCounts.agencyId, transparencyCounts.period],
      set: { counts, countedAt },
      setWhere: lte(transparencyCounts.countedAt, countedAt),
    });
}
