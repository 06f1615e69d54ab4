// Users' permissions to see and manage their agency's hotlists, and their choice of push alerts. No one can change
// their own permissions (separation of duties).

import type { AppContext } from "#app/context.ts";
import { auditAct, auditRow } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { AgencyUser } from "#app/entities/hotlists/group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { AppError } from "#app/lib/errors.ts";
import { type AskedPage, type NumberedPage, numberedPage } from "#app/lib/pages.ts";
import { findPreference, pushSwitchChange, switchPushAlerts } from "#app/store/alerts/push-devices.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep, rowsOf } from "#app/store/database.ts";
import { countAgencyUsers, listAgencyUsers } from "#app/store/hotlists/groups.ts";
import { insertAuditOf } from "#app/store/oversight/audit.ts";
import { type HotlistRights, listFormerUsers, updateHotlistRights } from "#app/store/users/directory.ts";

/** Returns the users of the actor's agency with their permissions. */
export async function listPermissions(app: AppContext, actor: Actor): Promise<AgencyUser[]> {
  return (await listAgencyUsers(app.db, { agencyId: actor.agencyId })).map(toAgencyUser(actor));
}

/** Users on one page of the screen. */
const PAGE_SIZE = 100;

/** Returns a page of the same users: all, or those whose name or address contains a text. */
export async function permissionPage(
  app: AppContext,
  actor: Actor,
  { find, page }: AskedPage,
): Promise<NumberedPage<AgencyUser>> {
  const filter = { agencyId: actor.agencyId, find };
  const users = await numberedPage({
    page,
    size: PAGE_SIZE,
    count: () => countAgencyUsers(app.db, filter),
    list: (part) => listAgencyUsers(app.db, { ...filter, ...part }),
  });
  return { ...users, rows: users.rows.map(toAgencyUser(actor)) };
}

function toAgencyUser(actor: Actor) {
  return (user: Awaited<ReturnType<typeof listAgencyUsers>>[number]): AgencyUser => ({
    id: user.id,
    name: user.name,
    email: user.email,
    hotlist_admin: user.hotlistAdmin,
    hotlist_viewer: user.hotlistViewer,
    role: user.role,
    is_self: user.id === actor.userId,
  });
}

/**
 * Sets permissions by a map of `hotlist_admin_{id}` and `hotlist_viewer_{id}`. Permissions not in the map stay. All or
 * nothing. Revoking a permission of an unknown user, keeping one of a disabled user, or granting one to a deleted user
 * changes nothing: documented clients send the whole list as they read it. Throws AppError bad_request for granting one to
 * a disabled user or a user of another agency, and forbidden for the actor's own.
 */
export async function changePermissions(
  app: AppContext,
  actor: Actor,
  map: Record<string, boolean>,
): Promise<{ msg: string }> {
  for (let attempt = 1; ; attempt++)
    try {
      await changeAsRead(app, actor, map);
      return { msg: MESSAGES.permissionsUpdated };
    } catch (error) {
      // Someone else changed them at the same time: read them again, so that the audit row has what did change.
      if (brokenConstraint(error) !== "users.hotlist_admin" || attempt === ATTEMPTS) throw error;
    }
}

const ATTEMPTS = 20;

async function changeAsRead(app: AppContext, actor: Actor, map: Record<string, boolean>): Promise<void> {
  const users = new Map(
    (await listAgencyUsers(app.db, { agencyId: actor.agencyId })).map((user) => [user.id, { ...user }]),
  );
  const before = new Map([...users].map(([id, user]) => [id, { ...user }]));
  const asked = Object.entries(map).map(([name, value]) => {
    const [, flag, id = ""] = /^hotlist_(admin|viewer)_(.+)$/.exec(name) ?? [];
    return { id, right: flag === "admin" ? ("hotlistAdmin" as const) : ("hotlistViewer" as const), value };
  });
  const unknown = asked.filter(({ id, value }) => value && !users.has(id)).map(({ id }) => id);
  const former = new Map(
    (await listFormerUsers(app.db, { agencyId: actor.agencyId, ids: unknown })).map((user) => [
      user.id,
      user,
    ]),
  );
  for (const { id, right, value } of asked) {
    const user = users.get(id);
    const gone = former.get(id);
    if (user) user[right] = value;
    else if (value && !(gone && (gone.deletedAt !== null || gone[right])))
      throw new AppError("bad_request", "One of these users is not in your agency.");
  }
  const changes = [...users.values()].flatMap(({ id, hotlistAdmin, hotlistViewer }) => {
    const was = before.get(id);
    if (!was || (was.hotlistAdmin === hotlistAdmin && was.hotlistViewer === hotlistViewer)) return [];
    return [
      {
        id,
        hotlistAdmin,
        hotlistViewer,
        before: { hotlistAdmin: was.hotlistAdmin, hotlistViewer: was.hotlistViewer },
      },
    ];
  });
  if (changes.some(({ id }) => id === actor.userId))
    throw new AppError("forbidden", "You cannot change your own permissions. Ask another administrator.");
  if (changes.length === 0) return;
  await inOneStep(app.db, [
    auditAct(app, actor, { action: "alert-permissions.edit", detail: { changes } }),
    ...updateHotlistRights(app.db, { agencyId: actor.agencyId, rights: changes.map(onlyChanged) }),
  ]);
}

type Flags = { hotlistAdmin: boolean; hotlistViewer: boolean };

/** Leaves out what does not change. */
function onlyChanged({ id, before, ...after }: Flags & { id: string; before: Flags }): HotlistRights {
  const { hotlistAdmin, hotlistViewer } = after;
  return {
    id,
    was: before,
    ...(hotlistAdmin !== before.hotlistAdmin && { hotlistAdmin }),
    ...(hotlistViewer !== before.hotlistViewer && { hotlistViewer }),
  };
}

/** Returns whether the actor has push alerts on. */
export async function wantsPushAlerts(app: AppContext, actor: Actor): Promise<boolean> {
  return (await findPreference(app.db, actor.userId)).enabled;
}

/** Sets push alerts to `wanted`, or toggles them if it is undefined. Returns the new setting. */
export async function togglePushAlerts(
  app: AppContext,
  actor: Actor,
  wanted: boolean | undefined,
): Promise<{ push_alerts: boolean }> {
  const at = app.clock();
  const to = { userId: actor.userId, wanted };
  const [, switched] = await inOneStep(app.db, [
    insertAuditOf(app.db, auditRow(app, actor, { at, action: "push-alerts" }), pushSwitchChange(to)),
    switchPushAlerts(app.db, { ...to, at }),
  ]);
  return { push_alerts: rowsOf<{ enabled: number }>(switched)[0]?.enabled === 1 };
}
