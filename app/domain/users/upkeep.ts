// The account maintenance: disables users who have not signed in for 90 days (CJIS AC-2(3)).

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { disableUnused, listUnused, revokeIfDisabled } from "#app/store/users/access.ts";
import { removeOldReservations } from "#app/store/users/directory.ts";

const UNUSED_MS = 90 * DAY;
/** Accounts per run, with three queries each. The next run continues: that is 7,200 a day. */
const MAX_USERS = 50;

/**
 * Deletes expired username reservations, and disables at most `most` unused accounts, longest unused first, each with
 * its audit row. Returns the number of disabled accounts. If one account fails, the others are still disabled and the
 * error is thrown at the end.
 */
export async function disableUnusedUsers(app: AppContext, most = MAX_USERS): Promise<number> {
  const now = app.clock();
  const before = now - UNUSED_MS;
  await removeOldReservations(app.db, now);
  const unused = await listUnused(app.db, { before, limit: most });
  const disable = ({ id, agencyId, username }: (typeof unused)[number]) =>
    inOneStep(app.db, [
      disableUnused(app.db, { id, before, now }),
      auditIfChanged(app, null, {
        agencyId,
        at: now,
        action: "user.disable",
        object: id,
        detail: { username, reason: "not used for 90 days" },
      }),
      revokeIfDisabled(app.db, { userId: id, now }),
    ]);
  await pMap(unused, disable, { concurrency: 1, stopOnError: false });
  return unused.length;
}
