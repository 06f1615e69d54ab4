// Notifies the user who added a plate a week and a day before it expires, and once it has expired; if that user has left
// or may no longer change the list, those who manage it. The notice appears in the bell and on the group's page. Outgoing
// webhooks get the same as events.

import type { AppContext } from "#app/context.ts";
import { announceToWebhooks } from "#app/domain/integrations/outgoing-announce.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type ExpiryNotice, MAX_NOTICE_COUNT } from "#app/entities/alerts/hit.ts";
import { EXPIRY_NEAR_MS } from "#app/entities/hotlists/entry.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  findNoticedUntil,
  insertNotices,
  listNotices,
  removeOldNotices,
} from "#app/store/hotlists/expiry-notices.ts";
import { insertExpiryEvents, webhooksTold } from "#app/store/integrations/outgoing-events.ts";
import { viewerOf } from "./groups.ts";

/** How long a notice is shown, unless its plates are renewed or removed first. */
const KEPT_MS = 30 * DAY;
/** How far the first run looks back, so that everything that expires within a week gets a notice. */
const FIRST_MS = EXPIRY_NEAR_MS - DAY;
const REMOVED_AT_ONCE = 5000;

/**
 * Creates the notices that are due since the last run, and removes old ones. Idempotent: the notices and the time of
 * the run are written in one batch, so a retry or two concurrent runs create no duplicate, and a missed run loses none.
 */
export async function noticeExpiries(app: AppContext): Promise<void> {
  const now = app.clock();
  const lastRun = await findNoticedUntil(app.db);
  const since = Math.max(lastRun ?? now - FIRST_MS, now - KEPT_MS);
  if (since < now) {
    const events = insertExpiryEvents(app.db, { since, now });
    const notices = insertNotices(app.db, { since, now, lastRun });
    try {
      const results = await inOneStep(app.db, nonEmpty([...events, ...notices]));
      await announceToWebhooks(app, results.slice(0, events.length).flatMap(webhooksTold));
    } catch (error) {
      // Another run has created the notices.
      if (!brokenConstraint(error)?.startsWith("expiry_notice_runs")) throw error;
    }
  }
  await removeOldNotices(app.db, { before: now - KEPT_MS, limit: REMOVED_AT_ONCE });
}

/** Returns the actor's notices, or those of one group. A group that the actor cannot see has none. */
export async function listOwnNotices(
  app: AppContext,
  actor: Actor,
  groupId?: string,
): Promise<ExpiryNotice[]> {
  return listNotices(app.db, viewerOf(actor), {
    now: app.clock(),
    most: MAX_NOTICE_COUNT + 1,
    ...(groupId !== undefined && { groupId }),
  });
}
