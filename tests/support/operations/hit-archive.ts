import { eq } from "drizzle-orm";
import { archiveAgency } from "#app/domain/alerts/archiving.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { hashOfId, selectSegmentsWith } from "#app/store/alerts/segments.ts";
import { inOneStep, openControl } from "#app/store/database.ts";
import { alerts } from "#app/store/schema/alerts.ts";
import { anAlert, bindings, newAgency, setUpPart, testApp, unique } from "../../factories.ts";

type Group = { id: string; agencyId: string };
type NewHit = Partial<typeof alerts.$inferInsert>;

/** Returns a new group, of a new agency unless one is given. */
export async function hitGroup(agencyId?: string, members: string[] = []): Promise<Group> {
  const group = { id: unique("group"), agencyId: agencyId ?? (await newAgency()).id };
  const createdBy = members[0] ?? unique("user");
  await setUpPart({
    alertGroups: [{ ...group, name: unique("Group"), description: "", createdBy, members, plates: [] }],
  });
  return group;
}

/** Inserts a hit that was created, and delivered, some days ago. */
export function oldHit(group: Group, age: number, over: NewHit = {}) {
  const at = Date.now() - age * DAY;
  return anAlert(group, { createdAt: at, fannedOutAt: at, ...over });
}

/** Inserts many hits like an example. */
export async function writeHits(group: Group, hits: readonly NewHit[]): Promise<void> {
  const example = await oldHit(group, 0);
  const db = openControl(bindings.DB);
  await inOneStep(db, [
    db.delete(alerts).where(eq(alerts.id, example.id)),
    ...hits.map((hit) => db.insert(alerts).values({ ...example, passKey: unique("pass"), ...hit })),
  ]);
}

/** Archives an agency's hits that are old enough, in segments of `hits` hits, some days from now. Throws if a group fails. */
export async function archiveHits({ agencyId }: { agencyId: string }, hits: number, days = 0) {
  const app = testApp(() => Date.now() + days * DAY);
  const limits = { segments: 1_000, groups: 1_000, ms: 100_000, hits };
  const done = await archiveAgency(app, { id: agencyId, imageDays: 90 }, limits);
  if (done.problems.length > 0) throw new AggregateError(done.problems);
  return done;
}

/** Returns the ids of a group's hits in the database. */
export async function onlineHits({ id }: { id: string }): Promise<string[]> {
  const { results } = await bindings.DB.prepare(
    "SELECT id FROM alerts WHERE group_id = ? ORDER BY captured_at, id",
  )
    .bind(id)
    .all<{ id: string }>();
  return results.map((row) => row.id);
}

/** Returns a group's segments, the oldest first. */
export async function segmentsOf({ id }: { id: string }) {
  const { results } = await bindings.DB.prepare(
    "SELECT number, object_key AS key, hits, sealed_key FROM alert_segments WHERE group_id = ? ORDER BY min_captured_at",
  )
    .bind(id)
    .all<{ number: number; key: string; hits: number; sealed_key: string }>();
  return results;
}

/** Returns the segments that may have a hit, as its agency's administrators find them. */
export async function segmentsWith({ db }: ReturnType<typeof testApp>, { agencyId }: Group, id: string) {
  const viewer = { userId: "", agencyId, seesJoined: true, managesHotlists: true };
  return selectSegmentsWith(db, viewer, await hashOfId(id));
}

/** Returns the keys of an agency's objects of archived hits. */
export async function hitObjects({ agencyId }: { agencyId: string }): Promise<string[]> {
  const listed = await bindings.ATTACHMENTS.list({ prefix: `hit-segments/${agencyId}/` });
  return listed.objects.map(({ key }) => key);
}
