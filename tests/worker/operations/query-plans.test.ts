// Statements of screens, searches and jobs that must not read more as other agencies, or the other users of an agency, grow.

import { expect, it } from "vitest";
import { listLiveAlerts } from "#app/domain/alerts/live.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { findLiveTimes, isMemberOfAny, listLive } from "#app/store/alerts/live.ts";
import { inOneStep, openControl } from "#app/store/database.ts";
import { findCandidates, listRelatedUsers } from "#app/store/hotlists/candidates.ts";
import { insertNotices } from "#app/store/hotlists/expiry-notices.ts";
import { listGroups, listGroupsWithMembers } from "#app/store/hotlists/groups.ts";
import { listCorrections } from "#app/store/ingest/rekor-cameras.ts";
import { listAllSources } from "#app/store/integrations/sources.ts";
import { removeStrayAttachments } from "#app/store/operations/retention-records.ts";
import { addMembers, listAllMembers, listMembers } from "#app/store/users/scim/groups.ts";
import { findScimUser, listScimUsers, listSeenUsers } from "#app/store/users/scim/people.ts";
import { countingDatabase, noCounts } from "../../bench/support/counting-database.ts";
import { anAlert, bindings, newAgency, newUser, sessionActorOf, testApp } from "../../factories.ts";
import { newGroup } from "../../live.ts";
import { plansOf } from "../../support/workerd/queries.ts";

const [agencyId, id] = ["agency", "user"];
const viewer = { userId: id, agencyId, seesJoined: false, managesHotlists: false };
const now = Date.now();

type Db = ReturnType<typeof openControl>;

/** Returns the plans of the statements of some work. */
async function plansIn(work: (db: Db) => unknown): Promise<string[]> {
  const { database, plans } = plansOf(bindings.DB);
  await work(openControl(database));
  return (await plans("")).map(({ plan }) => plan);
}

const scimUsers = (field: "id" | "userName" | "externalId") => (db: Db) =>
  listScimUsers(db, { agencyId, conditions: [{ field, value: id }], offset: 0, limit: 1 });

it.each<[string, (db: Db) => unknown]>([
  ["users that SCIM finds by name", scimUsers("userName")],
  ["users that SCIM finds by the provider's id", scimUsers("externalId")],
  ["users that SCIM finds by id", scimUsers("id")],
  ["a user of SCIM", (db) => findScimUser(db, { agencyId, id })],
  ["users who become members by SCIM", (db) => listSeenUsers(db, { agencyId, ids: [id] })],
  ["members of a group of SCIM", (db) => listMembers(db, { agencyId, groupIds: ["group"] })],
  ["all members of a group of SCIM", (db) => listAllMembers(db, { agencyId, groupId: "group" })],
  ["new members of SCIM", async (db) => await addMembers(db, { agencyId, groupId: "group", userIds: [id] })],
])("%s are found without reading the agency's other users", async (_, work) => {
  const plans = await plansIn(work);
  expect(plans).not.toEqual([]);
  for (const plan of plans) expect(plan).not.toMatch(/users_agency|SCAN (users|scim_users)/);
});

it.each<[string, (db: Db) => unknown, RegExp]>([
  ["sources of Axis", (db) => listAllSources(db, { tenantId: agencyId, now }), /SCAN axis_cameras/],
  ["users who can become members", (db) => listRelatedUsers(db, { agencyId, now }), /SCAN users/],
  [
    "users who are found as members",
    (db) => findCandidates(db, { agencyId, now, find: "alex", limit: 51, offset: 0 }),
    /SCAN users/,
  ],
  [
    "corrections of cameras",
    (db) => listCorrections(db),
    /SCAN rekor_cameras(?! USING INDEX rekor_cameras_manual)/,
  ],
  ["memberships", (db) => isMemberOfAny(db, viewer), /SCAN alert_groups/],
  ["groups", (db) => listGroups(db, viewer), /SCAN alert_groups/],
  ["groups with members", (db) => listGroupsWithMembers(db, ["group"]), /SCAN (m|u)\b/],
  [
    "times of a live poll",
    (db) => findLiveTimes(db, id),
    /SCAN (users|deliveries|expiry_notices|alerts_seen)\b/,
  ],
  [
    "live hits",
    (db) => listLive(db, viewer, { since: now, unreadSince: now, limit: 50, most: 100 }),
    /SCAN (alerts|alert_groups|deliveries|expiry_notices|alerts_seen)\b/,
  ],
  [
    "notices of expiries",
    async (db) => {
      const statements = insertNotices(db, { since: now, now, lastRun: 0 });
      await inOneStep(db, nonEmpty(statements)).catch(() => {});
    },
    /SCAN (u|m)\b/,
  ],
  [
    "attachments that no row names",
    async (db) => {
      const key = `attachments/${crypto.randomUUID()}`;
      await bindings.ATTACHMENTS.put(key, "x");
      await removeStrayAttachments(
        { db, attachments: bindings.ATTACHMENTS },
        { prefix: key, before: now * 2 },
      );
    },
    /SCAN attachments/,
  ],
])("%s are found by indexes", async (_, work, scan) => {
  const plans = await plansIn(work);
  expect(plans).not.toEqual([]);
  for (const plan of plans) expect(plan).not.toMatch(scan);
});

it("a live poll without news makes one call, and reads as few rows for a user with many hits", async () => {
  const agency = await newAgency();
  const member = await newUser(agency.id);
  const { id: groupId } = await newGroup(agency.id, []);
  await bindings.DB.prepare("INSERT INTO alert_group_members VALUES (?, ?, 0, 'u')")
    .bind(groupId, member.id)
    .run();
  const hit = await anAlert({ id: groupId, agencyId: agency.id });
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO deliveries (alert_id, user_id, channel, state, created_at, updated_at)
    SELECT ?1 || nullif(i, 1), ?2, 'live', 'delivered', ?3 - i, 0 FROM n WHERE i > 1
    UNION ALL SELECT ?1, ?2, 'live', 'delivered', ?3, 0`,
  )
    .bind(hit.id, member.id, now)
    .run();
  let counts = noCounts();
  const app = testApp(Date.now, { DB: countingDatabase(bindings.DB, () => counts) });
  const actor = sessionActorOf(member, agency.name);
  const { cursor, alerts } = await listLiveAlerts(app, actor, null);
  expect(alerts).toHaveLength(1);
  counts = noCounts();
  expect(await listLiveAlerts(app, actor, cursor)).toMatchObject({ alerts: [], notices: null, unread: null });
  expect(counts.calls).toBe(1);
  expect(counts.rowsRead).toBeLessThan(10);
});
