// Past reads of a plate that a user adds to a hotlist. They are shown only to that user, and no one is alerted. The
// lookup is recorded in the audit log like a search, and the agency's policy for ranges and case numbers applies.

import type { AppContext } from "#app/context.ts";
import { findReadsOf } from "#app/domain/hotlists/plate-check.ts";
import { auditNow, refuse } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { PastReads, PastReadsQuestion } from "#app/entities/archive/past-reads.ts";
import { parseEntryPlate } from "#app/entities/hotlists/entry.ts";
import { caseNumberProblem } from "#app/entities/search/query.ts";
import { AppError } from "#app/lib/errors.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { findSearchPolicy } from "#app/store/search/result-sets.ts";

/** Maximum number of reads in one answer. */
const MAX_READS = 200;

/**
 * Returns the newest reads that an entry would have hit, of those in the archive that the actor may search. Throws
 * AppError bad_request if the plate is not valid or the agency requires a case number (audited).
 */
export async function findPastReads(
  app: AppContext,
  actor: Actor,
  question: PastReadsQuestion,
): Promise<PastReads> {
  const parsed = parseEntryPlate(question.plate_number, { wildcards: true });
  if (parsed.problem !== undefined) throw new AppError("bad_request", parsed.problem);
  const { plate } = parsed;
  const policy = await findSearchPolicy(app.db, actor.agencyId);
  const act = { action: "plate.past-reads", plate, caseNumber: question.case_number } as const;
  const problem = caseNumberProblem(question.case_number, policy?.caseNumberRequired ?? false);
  if (problem !== undefined)
    throw await refuse(app, actor, {
      ...act,
      error: new AppError("bad_request", problem, { field: "case_number" }),
    });
  const now = app.clock();
  const days = policy?.searchLimitDays ?? 0;
  const entry = {
    plate,
    state: question.state,
    matchPolicy: question.match_policy,
    stateRequired: question.state_required && question.state !== "",
  };
  const found = await findReadsOf(app, actor, { entry, from: now - days * DAY, to: now, limit: MAX_READS });
  await auditNow(app, actor, {
    ...act,
    at: now,
    programsQueried: found ? "Axis" : "",
    detail: { reads: found?.reads.length ?? null, days, match: entry.matchPolicy },
  });
  return {
    days,
    more: found?.more ?? false,
    reads: (found?.reads ?? []).map((read) => ({
      plate: read.plate,
      state: read.plateState,
      timestamp: isoTime(read.capturedAt),
      camera_name: read.cameraName,
      agency: found?.agencies.get(read.agency) ?? "",
      source_program: "Axis",
      make: read.make,
      color: read.color,
      body_type: read.bodyType,
      latitude: read.latitude,
      longitude: read.longitude,
      confidence: read.confidence,
    })),
  };
}
