/** Response schemas of the transparency endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { described, named } from "#app/lib/json/named-schema.ts";

const FigureSpan = named(
  "FigureSpan",
  z.object({ low: z.number(), high: z.number() }),
  "The range of a number; exact if both ends are equal.",
);

/** Counts from one to four are hidden, to protect individuals. */
const ShownCount = z.union([z.number(), z.literal("<5")]);

const Purpose = z.enum([
  "",
  "other",
  "audit",
  "hit",
  "investigation",
  "warrant",
  "missing-person",
  "stolen-vehicle",
  "crash",
]);

const AgencyNow = z.object({
  retention_days: z.number(),
  hotlist_entries: z.number(),
  cameras: z.number(),
  reads: described("Stored reads of its own cameras.", z.number()),
  shared_with: described(
    "Names of the agencies that may search its reads or get alerts from them.",
    z.array(z.string()),
  ),
  holds: ShownCount,
});

export const PublishedYear = named(
  "PublishedYear",
  z.object({
    months: z.number(),
    searches: FigureSpan,
    by_purpose: z.array(z.object({ purpose: Purpose, count: FigureSpan })),
    refused: FigureSpan,
    exports: FigureSpan,
    hits: described(
      "Of the months in which they are known; null, like judged, if there is none.",
      z.nullable(FigureSpan),
    ),
    judged: z.nullable(
      z.object({
        correct: FigureSpan,
        "wrong-state": FigureSpan,
        misread: FigureSpan,
        dismissed: FigureSpan,
      }),
    ),
    hit_quality: z.nullable(FigureSpan),
  }),
  "All months together.",
);

export const PublishedMonth = named(
  "PublishedMonth",
  z.object({
    month: z.string(),
    searches: FigureSpan,
    by_purpose: z.array(z.object({ purpose: Purpose, count: ShownCount })),
    with_case_number: described(
      "Percentage of searches with a case number, among purposes whose count is shown; null if none is.",
      z.nullable(FigureSpan),
    ),
    refused: ShownCount,
    searchers: ShownCount,
    exports: ShownCount,
    hits: described(
      "Null, like judged, if the agency no longer kept all hits when it was counted.",
      z.nullable(ShownCount),
    ),
    judged: z.nullable(
      z.object({
        correct: ShownCount,
        "wrong-state": ShownCount,
        misread: ShownCount,
        dismissed: ShownCount,
      }),
    ),
    hit_quality: z.nullable(FigureSpan),
    purges: z.number(),
    /** Null if they are not counted yet. */
    reviews: z.object({
      violations: z.nullable(ShownCount),
      findings: described("Null, like the others, if they are not counted yet.", z.nullable(ShownCount)),
      reviewed: z.nullable(ShownCount),
    }),
  }),
);

const PublishedStatistics = named(
  "PublishedStatistics",
  z.object({
    agency: z.string(),
    introduction: z.string(),
    contact: z.string(),
    as_of: described("When the newest part was counted.", z.number()),
    now: AgencyNow,
    year: PublishedYear,
    months: described("Newest first.", z.array(PublishedMonth)),
    not_available: described("Months that cannot be counted, newest first.", z.array(z.string())),
    audit: z.nullable(
      z.object({
        position: z.number(),
        rowAt: z.nullable(z.number()),
        intact: z.boolean(),
        checked_at: z.number(),
      }),
    ),
  }),
  "A transparency page as the public sees it. Contains nothing that must be hidden.",
);

export const TransparencyOverview = named(
  "TransparencyOverview",
  z.object({
    page: z.object({ slug: z.string(), introduction: z.string(), contact: z.string() }),
    published_at: described("When it was published; null if it is not.", z.nullable(z.number())),
    slugs: described("Addresses to choose from.", z.array(z.string())),
    figures: PublishedStatistics,
  }),
  "What the administrators' screen shows.",
);

export const TransparencyPublished = named(
  "TransparencyPublished",
  z.object({ msg: z.string(), slug: z.string() }),
);

export const PublishedFigures = named(
  "PublishedFigures",
  z.object({
    as_of: z.string(),
    audit: z.nullable(
      z.object({
        intact: z.boolean(),
        rows: z.number(),
        verified_up_to: z.nullable(z.string()),
        checked_at: z.string(),
      }),
    ),
    year: z.extend(PublishedYear, { by_purpose: z.record(z.string(), FigureSpan) }),
    not_available: z.array(z.string()),
    months: z.array(z.extend(PublishedMonth, { by_purpose: z.record(z.string(), ShownCount) })),
    purposes: z.record(z.string(), z.string()),
    meaning: z.object({
      searches: z.literal(
        "A search asks the programs that the agency may search for reads of a plate, of part of a plate, or of a vehicle. Every search is made by a signed-in person, requires a reason, and is recorded in an audit log.",
      ),
      purposes: z.literal(
        "The purpose that the person chose for the search. Searches from before purposes were introduced count as not stated.",
      ),
      case_number: z.literal(
        "Share of searches that included a case number, among the purposes whose counts are shown.",
      ),
      refused: z.literal(
        "Searches that were refused because another agency does not share its reads, the time range was too long, or the agency's policy was not met.",
      ),
      searchers: z.literal("Number of people who searched."),
      exports: z.literal(
        "Files with search results that were exported. Each export is recorded in the audit log with its reason.",
      ),
      hits: z.literal(
        "A hit is a read that matches a plate on one of the agency's hotlists, such as a list of stolen vehicles. A dash means that the agency no longer kept all hits of the month when they were counted.",
      ),
      judged: z.literal(
        "The outcomes that people recorded for hits, by month. Wrong state: the plate was read correctly, but is from another state. Misread: the camera read the plate incorrectly. Dismissed: no statement about the read.",
      ),
      hit_quality: z.literal(
        "Correct hits as a share of all hits recorded as correct, wrong state, or misread.",
      ),
      purges: z.literal(
        "Reads are deleted on schedule, when they reach the agency's retention limit. Each deletion is recorded in the audit log with a certificate.",
      ),
      reviews: z.literal(
        "Searches are scanned daily for signs that a supervisor should review: repeated searches of a plate without a case, vague reasons, unusual hours, prohibited purposes, and a random sample of one percent. Someone other than the searcher decides on each finding.",
      ),
      few: z.literal(
        "Counts from one to four are shown as <5 to protect individuals. Where a count is hidden, totals and shares are shown as ranges.",
      ),
      not_available: z.literal(
        "A month is not available if the records that it is counted from cannot be read, or were deleted before it was counted. Review findings that are not counted yet have a dash.",
      ),
      months: z.literal("Months and days are counted in UTC. A month is shown after it ends."),
      first_month: z.literal("The first month is shown after it ends."),
      no_decision: z.literal(
        "A read or a hit is a lead, not proof. This software makes no decisions: no stop, search or arrest is based on it alone. Officers are instructed to verify the plate, state and current status of a vehicle before they act.",
      ),
    }),
    agency: z.string(),
    introduction: z.string(),
    contact: z.string(),
    now: AgencyNow,
  }),
);
