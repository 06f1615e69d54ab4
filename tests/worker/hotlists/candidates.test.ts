// The search for users who can become members of a group, and the form of a group in a large installation.

import { beforeEach, describe, expect, it } from "vitest";
import type { FoundCandidates } from "#app/entities/hotlists/group.ts";
import {
  bindings,
  bodyOf,
  type Client,
  client,
  formInit,
  newAgency,
  newUser,
  setUpPart,
  type TestUser,
  unique,
} from "../../factories.ts";

type Agency = { id: string; name: string };
let [ours, theirs, strangers]: Agency[] = [];
let officer: TestUser;
let stranger: TestUser;
let hotadmin: Client;

beforeEach(async () => {
  [ours, theirs, strangers] = [await newAgency(), await newAgency(), await newAgency()];
  officer = await newUser(theirs.id);
  stranger = await newUser(strangers.id);
  hotadmin = await client(await newUser(ours.id, { hotlistAdmin: true }));
  await setUpPart({ axisShares: [{ ownerAgencyId: theirs.id, viewerAgencyId: ours.id }] });
});

/** Adds users to an agency, named "Many 1001 …" in the order of their numbers. */
const addMany = (agency: Agency | undefined, count: number) =>
  bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
    INSERT INTO users (id, agency_id, username, name, email, role, password_hash, created_at)
    SELECT ?2 || i, ?2, ?2 || '.' || i, 'Many ' || (1000 + i), 'many' || i || '@example.gov', 'user', 'x', 0 FROM n`,
  )
    .bind(count, agency?.id)
    .run();

async function found(who: Client, find: string, page = 1): Promise<FoundCandidates> {
  const answer = await who.fetch(`/group-candidates?${new URLSearchParams({ find, page: String(page) })}`);
  expect([find, answer.status]).toEqual([find, 200]);
  return bodyOf<FoundCandidates>(answer);
}
const idsOf = ({ users }: FoundCandidates) => users.map(({ id }) => id);

describe("a search for users who can become members", () => {
  it("finds users by words of their name, email and agency, those of the own agency by user name too", async () => {
    const mine = await newUser(ours?.id ?? "", { name: "Zoë Quill" });
    const other = await newUser(theirs?.id ?? "", { name: "Zoë Quill" });
    await bindings.DB.prepare("UPDATE users SET username = 'u' || lower(id) WHERE id IN (?, ?)")
      .bind(mine.id, other.id)
      .run();
    expect(idsOf(await found(hotadmin, "quill zoë"))).toEqual([mine.id, other.id]);
    expect(idsOf(await found(hotadmin, `QUILL ${theirs?.name}`))).toEqual([other.id]);
    expect(idsOf(await found(hotadmin, other.email))).toEqual([other.id]);
    expect(idsOf(await found(hotadmin, `u${mine.id}`.toLowerCase()))).toEqual([mine.id]);
    expect(idsOf(await found(hotadmin, `u${other.id}`.toLowerCase()))).toEqual([]);
    expect(idsOf(await found(hotadmin, "%"))).toEqual([]);
    expect((await found(hotadmin, "quill absent")).users).toEqual([]);
  });

  it("finds only users whom the form lists, with the same data", async () => {
    const data = await bodyOf<{ users_by_agency: Record<string, { id: string }[]> }>(
      await hotadmin.fetch("/group-create-data"),
    );
    const listed = Object.entries(data.users_by_agency).flatMap(([agency, users]) =>
      users.map((user) => ({ ...user, agency })),
    );
    expect((await found(hotadmin, "@")).users).toEqual(listed);
    expect(listed.map(({ id }) => id)).toContain(officer.id);
    for (const text of [stranger.name, stranger.email, strangers?.name ?? "", stranger.username])
      expect([text, idsOf(await found(hotadmin, text))]).toEqual([text, []]);
    // Their own hotlist admin shares with this agency, but nothing is shared with theirs.
    const back = await client(await newUser(theirs?.id ?? "", { hotlistAdmin: true }));
    expect(idsOf(await found(back, officer.email))).toEqual([officer.id]);
    expect((await found(back, ours?.name ?? "")).users).toEqual([]);
    await bindings.DB.prepare("UPDATE axis_shares SET valid_until = 1 WHERE viewer_agency_id = ?")
      .bind(ours?.id)
      .run();
    expect((await found(hotadmin, officer.email)).users).toEqual([]);
  });

  it("does not find users who were disabled", async () => {
    await bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?").bind(officer.id).run();
    expect((await found(hotadmin, officer.email)).users).toEqual([]);
  });

  it("answers 50 at a time; without a text, the users of the own agency", async () => {
    await addMany(ours, 60);
    await addMany(theirs, 60);
    const pages = [1, 2, 3].map((page) => found(hotadmin, "many", page));
    const answers = await Promise.all(pages);
    expect(answers.map(({ users, more }) => [users.length, more])).toEqual([
      [50, true],
      [50, true],
      [20, false],
    ]);
    const all = answers.flatMap(idsOf);
    expect(new Set(all).size).toBe(120);
    expect(all.slice(0, 60).every((id) => id.startsWith(ours?.id ?? "-"))).toBe(true);
    const own = [await found(hotadmin, ""), await found(hotadmin, "", 2)];
    expect(own.map(({ users, more }) => [users.length, more])).toEqual([
      [50, true],
      [11, false],
    ]);
    expect(own.flatMap(({ users }) => users).every(({ agency }) => agency === ours?.name)).toBe(true);
    expect((await hotadmin.fetch("/group-candidates?page=0")).status).toBe(400);
  });

  it("needs the hotlist admin permission", async () => {
    const viewer = await client(await newUser(ours?.id ?? "", { hotlistViewer: true }));
    expect((await viewer.fetch("/group-candidates?find=many")).status).toBe(403);
  });
});

describe("the form of a group", () => {
  async function boxes(path: string): Promise<Map<string | undefined, boolean>> {
    const html = await (await hotadmin.fetch(path)).text();
    return new Map(
      [...html.matchAll(/<input[^>]*name="member"[^>]*>/g)].map(([box]) => [
        /value="([^"]*)"/.exec(box)?.[1],
        / checked=""/.test(box),
      ]),
    );
  }

  it("has all users while there are up to 200", async () => {
    await addMany(theirs, 198);
    expect((await boxes("/create-group")).size).toBe(200);
    await addMany(strangers, 1);
    expect((await boxes("/create-group")).size).toBe(200);
  });

  it("has the members, the own agency and what a browser without scripts finds, if there are more users", async () => {
    await addMany(theirs, 300);
    const [first, last] = [`${theirs?.id}1`, `${theirs?.id}300`];
    expect((await boxes("/create-group")).size).toBe(1);
    expect([...(await boxes("/create-group?find=many+1300")).keys()]).toEqual([last]);
    const saved = await bodyOf<{ group_id: string }>(
      await hotadmin.fetch(
        "/groups/create-mobile",
        formInit({ group_name: unique("Group"), group_members: first }),
      ),
    );
    const edit = `/groups/${saved.group_id}/edit`;
    const proposed = await boxes(edit);
    expect([proposed.size, proposed.get(first)]).toEqual([2, true]);
    const also = await boxes(`${edit}?find=many+1300`);
    expect([...also].toSorted()).toEqual([
      [first, true],
      [last, false],
    ]);
    expect((await (await hotadmin.fetch(edit)).text()).length).toBeLessThan(100_000);
  });

  it("keeps what a refused form without scripts chose", async () => {
    await addMany(theirs, 300);
    const chosen = `${theirs?.id}300`;
    const refused = await hotadmin.fetch(
      "/create-group?find=many+1300",
      formInit({ intent: "create", group_name: "", member: chosen }),
    );
    const html = await refused.text();
    const box = new RegExp(`<input[^>]*value="${chosen}"[^>]*>`).exec(html)?.[0];
    expect(box).toContain('checked=""');
  });
});
