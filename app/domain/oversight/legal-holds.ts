// A legal hold keeps the records of an ongoing case from the purge. One administrator requests it, another approves it
// (Connecticut Public Act 26-14 section 13: a criminal investigation, a case number, a supervisor's approval). Until it
// is approved, it keeps nothing.

import type { AppContext } from "#app/context.ts";
import { onlyOnce } from "#app/domain/operations/idempotency.ts";
import { zoneFor } from "#app/domain/users/time-zone.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type AuditAction, auditWho } from "#app/entities/oversight/audit.ts";
import {
  holdRangeProblem,
  type LegalHold,
  type NewLegalHold,
  platesOfHold,
} from "#app/entities/oversight/legal-hold.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError, audited } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { type NumberedPage, numberedPage } from "#app/lib/pages.ts";
import { rangeEnd, timeOf } from "#app/lib/time/wall-clock.ts";
import { sleep } from "#app/lib/waiting.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit, insertAuditIfChanged } from "#app/store/oversight/audit.ts";
import {
  beginApproval,
  countHolds,
  decideHold,
  endApproval,
  findHold,
  type HoldRecord,
  insertHold,
  listHolds,
  releaseHold,
} from "#app/store/oversight/legal-holds.ts";
import { changeAmongSteps, isPurging } from "#app/store/oversight/purge-steps.ts";
import { auditAct } from "./audit-act.ts";

/** Holds on one page of the screen. */
const SHOWN_AT_ONCE = 50;
/** Holds on one page of the API. */
const ANSWERED_AT_ONCE = 500;

/** How often an approval checks whether a purge that began before it has ended its step, which takes about a second. */
const PURGE_POLL_MS = 300;

/** Returns a page of the holds of the actor's agency: those that wait or are in force, then the others, newest first. */
export async function legalHoldPage(
  app: AppContext,
  actor: Actor,
  page: number,
): Promise<NumberedPage<LegalHold>> {
  const { agencyId } = actor;
  const holds = await numberedPage({
    page,
    size: SHOWN_AT_ONCE,
    count: () => countHolds(app.db, agencyId),
    list: (part) => listHolds(app.db, { agencyId, ...part }),
  });
  return { ...holds, rows: holds.rows.map((hold) => shown(hold, actor)) };
}

/** GET /legal-holds-data: returns a page of the holds, which is empty after the last one. */
export async function legalHoldsOf(app: AppContext, actor: Actor, page: number): Promise<LegalHold[]> {
  const offset = (page - 1) * ANSWERED_AT_ONCE;
  const holds = await listHolds(app.db, { agencyId: actor.agencyId, limit: ANSWERED_AT_ONCE, offset });
  return holds.map((hold) => shown(hold, actor));
}

/** Requests a hold, which another administrator has to approve. Returns its id. Throws AppError bad_request. */
export async function requestHold(
  app: AppContext,
  actor: Actor,
  { idempotency_key, ...input }: NewLegalHold,
): Promise<{ id: string }> {
  const found = platesOfHold(input.plates);
  if (found.problem !== undefined) throw new AppError("bad_request", found.problem, { field: "plates" });
  const zone = await zoneFor(app, actor, [input.start, input.end]);
  const from = timeOf(input.start, { zone, edge: "start" }) ?? Number.NaN;
  const written = timeOf(input.end, { zone, edge: "end" }) ?? Number.NaN;
  const problem = holdRangeProblem({ from, until: written, zone: input.time_zone ?? zone });
  if (problem) throw new AppError("bad_request", problem, { field: "end" });
  const until = rangeEnd(input.end, zone) ?? written;
  return onlyOnce(app, {
    actor,
    key: idempotency_key,
    content: { what: "a legal hold", fields: input },
    work: async (noted) => {
      const id = randomToken();
      const now = app.clock();
      await inOneStep(app.db, [
        insertHold(app.db, {
          id,
          agencyId: actor.agencyId,
          caseNumber: input.case_number,
          reason: input.reason,
          plates: found.plates,
          from,
          until,
          requestedBy: actor.userId,
          requestedByName: actor.name,
          requestedAt: now,
        }),
        auditAct(app, actor, {
          at: now,
          action: "legal-hold.request",
          object: id,
          caseNumber: input.case_number,
          detail: { plates: found.plates, from, until, reason: input.reason },
        }),
        ...noted({ id }),
      ]);
      return { id };
    },
  });
}

/**
 * Approves or refuses a hold. An approval waits for the step of a purge that began before it, so that an active hold
 * loses no read. Throws AppError not_found, forbidden for the person who requested it, and conflict if it is already
 * decided.
 */
export async function decideOnHold(
  app: AppContext,
  actor: Actor,
  input: { id: string; approve: boolean },
): Promise<LegalHold> {
  const hold = await holdOf(app, actor, input.id);
  const action = input.approve ? "legal-hold.approve" : "legal-hold.refuse";
  if (hold.requestedBy === actor.userId) {
    const error = new AppError("forbidden", "Someone else has to approve your request.");
    await note(app, actor, { hold, action, refused: error.message });
    throw audited(error);
  }
  const state = input.approve ? "active" : "refused";
  const decider = {
    id: hold.id,
    agencyId: actor.agencyId,
    by: actor.userId,
    byName: actor.name,
    at: app.clock(),
  };
  try {
    if (input.approve && hold.state === "requested") {
      const steps = await changeAmongSteps(app.db, beginApproval(app.db, decider), actor.agencyId);
      while (steps.length > 0 && (await isPurging(app.db, steps))) await sleep(PURGE_POLL_MS);
    }
    await inOneStep(app.db, [
      decideHold(app.db, { ...decider, state, at: app.clock() }),
      insertAuditIfChanged(app.db, entryOf(app, actor, { hold, action })),
    ]);
  } catch (error) {
    // If this fails, too, the request keeps its reads until it is decided.
    if (input.approve)
      await inOneStep(app.db, [endApproval(app.db, decider)]).catch((cause: unknown) =>
        logError("an approval of a legal hold that failed could not be undone", cause),
      );
    throw error;
  }
  const decided = await holdOf(app, actor, input.id);
  // The same decision, sent again because its answer was lost, is no conflict.
  if (decided.decidedBy !== actor.userId || decided.state !== state)
    throw new AppError("conflict", "Someone else has already decided on this hold.");
  return shown(decided, actor);
}

/**
 * Releases a hold: the next purge deletes the records that only this hold kept. Throws AppError not_found and conflict.
 */
export async function releaseLegalHold(app: AppContext, actor: Actor, id: string): Promise<LegalHold> {
  const hold = await holdOf(app, actor, id);
  if (hold.state !== "active" && hold.state !== "requested")
    throw new AppError("conflict", "This hold is no longer in force.");
  const by = { by: actor.userId, byName: actor.name, at: app.clock() };
  await inOneStep(app.db, [
    releaseHold(app.db, { id, agencyId: actor.agencyId, ...by }),
    insertAuditIfChanged(app.db, entryOf(app, actor, { hold, action: "legal-hold.release" })),
  ]);
  return shown(await holdOf(app, actor, id), actor);
}

async function holdOf(app: AppContext, actor: Actor, id: string): Promise<HoldRecord> {
  const hold = await findHold(app.db, { id, agencyId: actor.agencyId });
  if (!hold) throw new AppError("not_found", "There is no such hold.");
  return hold;
}

type Act = { hold: HoldRecord; action: AuditAction; refused?: string };

function entryOf(app: AppContext, actor: Actor, { hold, action, refused }: Act) {
  return {
    ...auditWho(actor),
    at: app.clock(),
    action,
    outcome: refused ? "refused" : "ok",
    object: hold.id,
    caseNumber: hold.caseNumber,
    detail: { before: hold.state, ...(refused && { reason: refused }) },
  } as const;
}

async function note(app: AppContext, actor: Actor, act: Act): Promise<void> {
  await inOneStep(app.db, [insertAudit(app.db, entryOf(app, actor, act))]);
}

function shown(hold: HoldRecord, actor: Actor): LegalHold {
  // While it is being approved, the record names who does.
  const isDecided = hold.state !== "requested";
  return {
    id: hold.id,
    case_number: hold.caseNumber,
    reason: hold.reason,
    plates: hold.plates,
    from: hold.from,
    until: hold.until,
    state: hold.state,
    requested_by_name: hold.requestedByName,
    requested_at: hold.requestedAt,
    decided_by_name: isDecided ? hold.decidedByName : null,
    decided_at: isDecided ? hold.decidedAt : null,
    released_by_name: hold.releasedByName,
    released_at: hold.releasedAt,
    is_own: hold.requestedBy === actor.userId,
  };
}
