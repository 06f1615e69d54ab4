// The supervisor's review of what the review job found. Viewing writes an audit row with the plates before anything is
// shown. No one decides on their own searches, or on those of a service account whose token they hold.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { REVIEW_PAGE_SIZE, REVIEW_WITHIN_MS } from "#app/entities/oversight/review.ts";
import type {
  ReviewCounts,
  ReviewCursor,
  ReviewDecision,
  ReviewDetail,
  ReviewFilter,
  ReviewPage,
  ReviewRow,
} from "#app/entities/oversight/review-calls.ts";
import { purposeLabel } from "#app/entities/search/purpose.ts";
import { at } from "#app/lib/at.ts";
import { AppError } from "#app/lib/errors.ts";
import { visibleText } from "#app/lib/text.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  answersFor,
  countOpen,
  decideFinding,
  type FindingRecord,
  findFinding,
  listDeciders,
  listDecisions,
  listEvidence,
  listFindings,
} from "#app/store/oversight/review.ts";
import { auditIfChanged, auditNow, refuse } from "./audit-act.ts";

/** Returns a page of the agency's findings under a filter, and the counts of open findings. */
export async function viewReview(
  app: AppContext,
  actor: Actor,
  input: { filter: ReviewFilter; after?: ReviewCursor | null | undefined },
): Promise<ReviewPage & { counts: ReviewCounts }> {
  const { filter, after = null } = input;
  const overdueBefore = app.clock() - REVIEW_WITHIN_MS;
  const [page, counts] = await Promise.all([
    listFindings(app.db, {
      agencyId: actor.agencyId,
      state: filter.state,
      kind: filter.kind,
      username: filter.user.toLowerCase(),
      overdueBefore,
      after,
      limit: REVIEW_PAGE_SIZE,
    }),
    countOpen(app.db, { agencyId: actor.agencyId, overdueBefore }),
  ]);
  const plates = [...new Set(page.rows.map(({ plate }) => plate).filter(Boolean))];
  await auditNow(app, actor, { action: "review.view", detail: { filter, after, plates } });
  return { rows: page.rows.map(rowOf), next: page.next, counts };
}

/** Returns a finding with its searches and decisions. Throws AppError not_found. */
export async function viewFinding(app: AppContext, actor: Actor, id: string): Promise<ReviewDetail> {
  const finding = await findingOf(app, actor, id);
  const detail = await detailOf(app, actor, finding);
  const plates = [...new Set(detail.evidence.map(({ plate }) => plate).filter(Boolean))];
  await auditNow(app, actor, {
    action: "review.view",
    outcome: "ok",
    object: finding.id,
    plate: plates.length === 1 ? at(plates, 0) : "",
    detail: { kind: finding.kind, user: finding.username, plates },
  });
  return detail;
}

/**
 * Decides on a finding, or changes an earlier decision. Returns the finding. Throws AppError not_found, forbidden for
 * those who searched, and conflict if there is a newer decision or another number of searches than the actor saw.
 */
export async function decide(
  app: AppContext,
  actor: Actor,
  input: { id: string; decision: ReviewDecision },
): Promise<ReviewDetail> {
  const { verdict, known, searches } = input.decision;
  const finding = await findingOf(app, actor, input.id);
  const entry = { action: "review.decide", object: finding.id } as const;
  const words = visibleText(input.decision.note);
  const detail = {
    kind: finding.kind,
    user: finding.username,
    before: finding.verdict ?? "open",
    after: verdict,
    note: words,
  };
  const refused = (error: AppError) => refuse(app, actor, { ...entry, detail, error });
  const barred = await barredWords(app, actor, finding);
  if (barred !== "") throw await refused(new AppError("forbidden", barred));
  const now = app.clock();
  await inOneStep(app.db, [
    ...decideFinding(app.db, {
      id: finding.id,
      agencyId: actor.agencyId,
      known,
      searches,
      verdict,
      note: words,
      by: actor.userId,
      byName: actor.name,
      at: now,
    }),
    auditIfChanged(app, actor, { at: now, ...entry, detail }),
  ]);
  const made = (await listDecisions(app.db, finding.id)).find(({ number }) => number === known + 1);
  // The same decision, sent again because its answer was lost, is no conflict.
  const isMade = made?.by === actor.userId && made.verdict === verdict && made.note === words;
  const isGrown = made === undefined && finding.decisions === known;
  if (!isMade) throw await refused(new AppError("conflict", isGrown ? GROWN_MEANWHILE : DECIDED_MEANWHILE));
  return detailOf(app, actor, await findingOf(app, actor, input.id));
}

const DECIDED_MEANWHILE = "Someone else has decided on this. Read the decision first.";
const GROWN_MEANWHILE = "More searches were added to this finding. Read them first.";

async function findingOf(app: AppContext, actor: Actor, id: string): Promise<FindingRecord> {
  const finding = await findFinding(app.db, { id, agencyId: actor.agencyId });
  if (!finding) throw new AppError("not_found", "There is no such finding.");
  return finding;
}

async function detailOf(app: AppContext, actor: Actor, finding: FindingRecord): Promise<ReviewDetail> {
  const [evidence, made, barred] = await Promise.all([
    listEvidence(app, { id: finding.id, agencyId: actor.agencyId }),
    listDecisions(app.db, finding.id),
    barredWords(app, actor, finding),
  ]);
  return {
    ...rowOf(finding),
    evidence: evidence.map((search) => ({ ...search, purpose: purposeLabel(search.purpose) })),
    made: made.map(({ by, ...decision }) => decision),
    barred,
  };
}

/** Returns why the actor may not decide on a finding, and who may, or "". */
async function barredWords(app: AppContext, actor: Actor, finding: FindingRecord): Promise<string> {
  const own = await ownWords(app, actor, finding);
  if (own === "") return "";
  const others = await listDeciders(app.db, { agencyId: actor.agencyId, findingId: finding.id });
  const who =
    others.length > 0
      ? `These may: ${others.join(", ")}.`
      : "No other administrator of your agency may, so it stays open until one does.";
  return `${own}, so someone else must decide. ${who}`;
}

async function ownWords(app: AppContext, actor: Actor, finding: FindingRecord): Promise<string> {
  if (finding.user_id === actor.userId) return "These are your own searches";
  const holds = await answersFor(app.db, { findingId: finding.id, userId: actor.userId });
  return holds ? "You are responsible for a service account that made some of these searches" : "";
}

function rowOf({ user_id, ...row }: FindingRecord): ReviewRow {
  if (row.kind !== "repeated") return row;
  return { ...row, reason: `${row.searches} searches of this plate without a case number.` };
}
