// Purges the audit log's oldest rows. Rows older than the agency's policy leave from the start of their chain; a
// checkpoint keeps the rest verifiable. The database itself protects rows younger than a year, whatever a policy or
// clock says (CJIS AU-11).

import type { AppContext } from "#app/context.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { chainStart, checkLinks, type LinkedRow } from "#app/entities/oversight/audit-chain.ts";
import { comparedCase } from "#app/entities/oversight/legal-hold.ts";
import { DEFAULT_POLICY } from "#app/entities/users/policy.ts";
import { logError } from "#app/lib/log.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { inTurn } from "#app/lib/turns.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { listLinks } from "#app/store/oversight/audit-chain.ts";
import { findCheckpoint, putCheckpoint, removeUpTo } from "#app/store/oversight/audit-checkpoints.ts";
import { listHeldCases } from "#app/store/oversight/legal-holds.ts";
import { listAgencies } from "#app/store/users/agencies.ts";
import { AGENCIES_A_RUN, RUNS_EVERY } from "./retention-records.ts";

const STEP = 1_000;
/** Batches per agency and run; the rest waits for the next run. */
const MOST_STEPS = 5;

/**
 * Deletes the rows of each agency's audit log that its policy no longer keeps. Keeps a batch that does not verify, for
 * an investigation, and everything from the first row of a case under legal hold on. Returns the number of deleted
 * rows. If one agency fails, the others are still purged and the error is thrown at the end.
 */
export async function purgeOldAudit(app: Pick<AppContext, "db" | "clock" | "audits">): Promise<number> {
  const [agencies, heldCases] = await Promise.all([listAgencies(app.db), listHeldCases(app.db)]);
  // Rows without an agency: sign-in attempts with unknown usernames.
  const chains = [{ id: "", days: DEFAULT_POLICY.audit_retention_days }].concat(
    agencies.map(({ id, policy }) => ({ id, days: policy.audit_retention_days })),
  );
  let removed = 0;
  const now = app.clock();
  const problems: unknown[] = [];
  for (const { id, days } of inTurn(chains, { now, every: RUNS_EVERY, count: AGENCIES_A_RUN })) {
    const stretch = { agencyId: id, before: now - days * DAY, held: heldCases.get(id) ?? new Set<string>() };
    try {
      for (let step = 0; step < MOST_STEPS; step++) {
        const went = await removeStretch(app, stretch);
        removed += went;
        if (went < STEP) break;
      }
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0) throw new AggregateError(problems, "not every audit log was seen to");
  return removed;
}

type Stretch = { agencyId: string; before: number; held: Set<string> };

async function removeStretch(
  app: Pick<AppContext, "db" | "clock" | "audits">,
  stretch: Stretch,
): Promise<number> {
  const { agencyId, before } = stretch;
  const begin = await findCheckpoint(app.db, agencyId);
  const position = begin?.position ?? 0;
  const [oldest] = await listLinks(app.db, { agencyId, after: position, limit: 1 });
  if (!oldest || (oldest.row?.at ?? 0) >= before) return 0;
  const links = await listLinks(app.db, { agencyId, after: position, limit: STEP + 1 });
  const going = goingOf(links, stretch);
  const last = going.at(-1)?.link;
  if (!last) return 0;
  const previous = begin?.hash ?? (await chainStart(agencyId));
  const { problem } = await checkLinks({ links: going, previous, position });
  if (problem) {
    logError(`the audit log of agency ${agencyId || "none"} does not verify: nothing of it is purged`);
    return 0;
  }
  const at = app.clock();
  const checkpoint = { agencyId, position: last.position, seq: last.seq, hash: last.hash, at };
  const rowsUntil = Math.max(...going.map(({ row }) => row?.at ?? 0));
  await putCheckpoint(app.audits, { ...checkpoint, rowsUntil });
  await inOneStep(app.db, [
    ...removeUpTo(
      app.db,
      checkpoint,
      going.map(({ link }) => link.seq),
    ),
    insertAudit(app.db, {
      ...auditWho(null),
      agencyId,
      at,
      action: "retention.audit",
      outcome: "ok",
      detail: { before, rows: going.length, position: last.position, hash: last.hash },
    }),
  ]);
  return going.length;
}

/** Returns the leading rows past their retention. The last row of a chain stays, because the next link refers to it. */
function goingOf(links: LinkedRow[], { before, held }: Stretch): LinkedRow[] {
  const first = links.findIndex(
    ({ row }) => row !== null && (row.at >= before || held.has(comparedCase(row.case_number))),
  );
  return links.slice(0, Math.min(first < 0 ? links.length : first, links.length - 1, STEP));
}
