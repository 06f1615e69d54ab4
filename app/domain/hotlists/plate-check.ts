// The check of a plate before it is added: how many of the reads that the actor may search it would match, and which of
// the actor's groups watch it. A check reveals where a vehicle was, so every check is audited.

import type { AppContext } from "#app/context.ts";
import { auditNow } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  type EntryMatch,
  entryMatches,
  isWildcardPlate,
  type MatchPolicy,
  parseEntryPlate,
} from "#app/entities/hotlists/entry.ts";
import {
  type PlateCheck,
  SEEN_DAYS,
  SEEN_LIMIT,
  SEEN_LOOKED_AT,
  seenPattern,
} from "#app/entities/hotlists/plate-check.ts";
import type { ArchivedRead } from "#app/entities/search/source.ts";
import { AppError } from "#app/lib/errors.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { findExpiryDays, listGroups } from "#app/store/hotlists/groups.ts";
import { listWatched } from "#app/store/hotlists/plates.ts";
import { listAxisSources } from "#app/store/integrations/sources.ts";
import { viewerOf } from "./groups.ts";
import { statesOverlap } from "./plates.ts";
import { listReasons } from "./reasons.ts";

const DEADLINE_MS = 10_000;

export type PlateLook = {
  plate_number: string;
  state: string;
  group_id: string;
  match_policy: MatchPolicy;
  state_required: boolean;
};

/** Checks a plate before it is added. Throws AppError bad_request if the plate is not valid. */
export async function checkPlate(app: AppContext, actor: Actor, input: PlateLook): Promise<PlateCheck> {
  const parsed = parseEntryPlate(input.plate_number, { wildcards: true });
  if (parsed.problem !== undefined) throw new AppError("bad_request", parsed.problem);
  const { plate } = parsed;
  const now = app.clock();
  const entry: EntryMatch = {
    plate,
    state: input.state,
    matchPolicy: input.match_policy,
    stateRequired: input.state_required && input.state !== "",
  };
  const [{ watched, expiryDays }, seen, reasons] = await Promise.all([
    findWatched(app, actor, { plate, groupId: input.group_id }),
    countSeen(app, actor, entry),
    listReasons(app, actor),
  ]);
  const isExpired = (other: { expiresAt: number | null }) =>
    other.expiresAt !== null && other.expiresAt <= now;
  const check: PlateCheck = {
    plate,
    wildcard: isWildcardPlate(plate),
    ...seen,
    days: SEEN_DAYS,
    expiry_days: expiryDays,
    common_reasons: reasons,
    duplicates: watched
      .filter((other) => statesOverlap(other.state, input.state))
      .map((other) => ({
        group_id: other.groupId,
        group: other.group,
        state: other.state,
        reason: other.reason,
        added_by: other.addedBy,
        added_at: isoTime(other.createdAt),
        expired: isExpired(other),
        in_this_group: other.groupId === input.group_id && other.state === input.state,
      })),
  };
  await auditNow(app, actor, {
    at: now,
    action: "plate.check",
    plate,
    programsQueried: seen.reads === null ? "" : "Axis",
    detail: { reads: seen.reads, days: SEEN_DAYS, group: input.group_id, match: entry.matchPolicy },
  });
  return check;
}

/** Returns the entries of the actor's groups for a plate, and after how many days an entry of the group expires. */
async function findWatched(
  app: AppContext,
  actor: Actor,
  { plate, groupId }: { plate: string; groupId: string },
) {
  const groups = await listGroups(app.db, viewerOf(actor));
  const agencyId = groups.find(({ id }) => id === groupId)?.agencyId ?? actor.agencyId;
  const [watched, expiryDays] = await Promise.all([
    listWatched(app.db, { groupIds: groups.map(({ id }) => id), plates: [plate] }),
    findExpiryDays(app.db, agencyId),
  ]);
  return { watched, expiryDays };
}

async function countSeen(
  app: AppContext,
  actor: Actor,
  entry: EntryMatch,
): Promise<Pick<PlateCheck, "reads" | "more" | "newest">> {
  const now = app.clock();
  const found = await findReadsOf(app, actor, {
    entry,
    from: now - SEEN_DAYS * DAY,
    to: now,
    limit: SEEN_LIMIT,
  });
  if (!found) return { reads: null, more: false, newest: null };
  const newest = found.reads[0]?.capturedAt;
  return {
    reads: found.reads.length,
    more: found.more,
    newest: newest === undefined ? null : isoTime(newest),
  };
}

/**
 * Returns the reads that an entry would match, newest first, among those that the actor may search; `more` if there may
 * be others, and `agencies` are their names by id. Returns undefined if the actor may search none. The caller writes the audit row.
 */
export async function findReadsOf(
  app: AppContext,
  actor: Actor,
  input: { entry: EntryMatch; from: number; to: number; limit: number },
): Promise<{ reads: ArchivedRead[]; more: boolean; agencies: Map<string, string> } | undefined> {
  const { entry, from, to, limit } = input;
  const sources = await listAxisSources(app.db, { tenantId: actor.agencyId, now: app.clock() });
  if (sources.length === 0) return undefined;
  const found: ArchivedRead[] = [];
  let more = false;
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const pages = app.reads.searchReads({
    agencyIds: sources.map(({ id }) => id),
    cameraIds: sources.flatMap(({ cameraIds }) => cameraIds),
    maxReads: SEEN_LOOKED_AT,
    signal,
    query: {
      plate: { kind: "pattern", text: seenPattern(entry) },
      plateState: "",
      color: "",
      make: "",
      bodyType: "",
      marks: [],
      from,
      to,
    },
  });
  try {
    for await (const page of pages) {
      for (const read of page.reads)
        if (entryMatches(entry, { plate: read.plate, state: read.plateState })) found.push(read);
      more ||= page.truncated || page.missedDays !== undefined;
      if (found.length > limit) break;
    }
  } catch (error) {
    // After the deadline, the reads found so far are returned, marked as incomplete.
    if (!signal.aborted) throw error;
    more = true;
  }
  const agencies = new Map(sources.map(({ id, agency }) => [id, agency]));
  return { reads: found.slice(0, limit), more: more || found.length > limit, agencies };
}
