/** Response schemas of the oversight endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { described, named } from "#app/lib/json/named-schema.ts";

export const AuditLogRow = named(
  "AuditLogRow",
  z.object({
    id: z.number(),
    user: z.string(),
    user_name: z.string(),
    user_agency: z.string(),
    query_parameters: described(
      "JSON text: the parameters of a search, or the details of another act.",
      z.string(),
    ),
    timestamp: described("ISO, UTC.", z.string()),
    programs_queried: z.string(),
    action: z.string(),
    outcome: z.enum(["failed", "refused", "ok"]),
    object: z.string(),
    plate: z.string(),
    case_number: z.string(),
    ip: z.string(),
    service_account: described("The name of the service account that acted, or empty.", z.string()),
  }),
  "A row of GET /admin-audit-logs-api: the documented fields (specification section 3) and Odin's own.",
);

export const AuditEntries = z.array(AuditLogRow);

export const AuditPage = named(
  "AuditPage",
  z.object({
    rows: z.array(
      z.object({
        object: z.string(),
        id: z.number(),
        user: z.string(),
        timestamp: described("ISO, UTC.", z.string()),
        ip: z.string(),
        case_number: z.string(),
        plate: z.string(),
        user_name: z.string(),
        user_agency: z.string(),
        programs_queried: z.string(),
        action: z.string(),
        outcome: z.enum(["failed", "refused", "ok"]),
        service_account: described("The name of the service account that acted, or empty.", z.string()),
        detail: described("JSON text.", z.string()),
      }),
    ),
    next: z.nullable(z.object({ at: z.number(), seq: z.number() })),
    searched_to: described(
      "How far back a search for part of a plate has looked, if older rows remain. ISO, UTC.",
      z.nullable(z.string()),
    ),
  }),
);

export const ChainProblem = named(
  "ChainProblem",
  z.object({
    seq: described("The row's number in the log, and its position in the agency's chain.", z.number()),
    position: z.number(),
    problem: z.string(),
  }),
);

export const ChainReport = named(
  "ChainReport",
  z.object({
    checked: z.number(),
    total: z.number(),
    next: z.nullable(z.number()),
    head: described("The hash of the last verified link, to compare with a written record.", z.string()),
    waiting: described("Newest rows without a link. They get one within a minute.", z.number()),
    problem: z.nullable(ChainProblem),
  }),
  "The progress of a verification. `next` is null at the end.",
);

export const LegalHold = named(
  "LegalHold",
  z.object({
    id: z.string(),
    case_number: z.string(),
    reason: z.string(),
    plates: z.array(z.string()),
    from: z.number(),
    until: z.number(),
    state: z.enum(["requested", "active", "refused", "released"]),
    requested_by_name: z.string(),
    requested_at: z.number(),
    decided_by_name: z.nullable(z.string()),
    decided_at: z.nullable(z.number()),
    released_by_name: z.nullable(z.string()),
    released_at: z.nullable(z.number()),
    is_own: described("Requested by the viewer, who then cannot approve it.", z.boolean()),
  }),
  "A hold as the screen shows it.",
);

export const LegalHolds = z.array(LegalHold);

export const HoldRequested = named("HoldRequested", z.object({ id: z.string() }));

export const ReviewRow = named(
  "ReviewRow",
  z.object({
    id: z.string(),
    kind: z.enum(["repeated", "prohibited", "vague", "breadth", "hours", "sample"]),
    username: z.string(),
    user_name: z.string(),
    plate: z.string(),
    first_at: z.number(),
    last_at: z.number(),
    searches: z.number(),
    created_at: z.number(),
    decisions: z.number(),
    verdict: z.nullable(z.enum(["in-order", "explained", "violation"])),
    decided_at: z.nullable(z.number()),
    reason: described("The reason of its newest search.", z.string()),
  }),
  "A finding as the lists show it.",
);

const ReviewCounts = named(
  "ReviewCounts",
  z.object({
    kinds: z.object({
      repeated: z.number(),
      prohibited: z.number(),
      vague: z.number(),
      breadth: z.number(),
      hours: z.number(),
      sample: z.number(),
    }),
    overdue: z.number(),
  }),
  "Open findings. COUNTED_TO means that many or more.",
);

export const ReviewView = named(
  "ReviewView",
  z.object({
    rows: z.array(ReviewRow),
    next: z.nullable(z.object({ at: z.number(), id: z.string() })),
    counts: ReviewCounts,
  }),
);

export const Examined = named("Examined", z.object({ msg: z.string(), next: z.nullable(z.string()) }));

export const ReviewedSearch = named(
  "ReviewedSearch",
  z.object({
    seq: z.number(),
    at: z.number(),
    plate: z.string(),
    justification: z.string(),
    case_number: z.string(),
    purpose: z.string(),
    agencies: z.number(),
    ip: z.string(),
    programs: z.string(),
    reason: z.string(),
    service_account: described("The name of the service account that acted, or empty.", z.string()),
  }),
  "A search of a finding: its row in the audit log, and the reason it was found.",
);

const DecisionMade = named(
  "DecisionMade",
  z.object({
    number: z.number(),
    verdict: z.enum(["in-order", "explained", "violation"]),
    note: z.string(),
    by_name: z.string(),
    at: z.number(),
  }),
);

export const ReviewFinding = named(
  "ReviewFinding",
  z.extend(ReviewRow, {
    evidence: described("The newest searches, at most EVIDENCE_SHOWN.", z.array(ReviewedSearch)),
    made: described("Newest first.", z.array(DecisionMade)),
    barred: described('Why the viewer may not decide on it; "" if they may.', z.string()),
  }),
);
