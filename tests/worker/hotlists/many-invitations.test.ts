// Invitations of a state's installation: to one agency, and from one group.

import { beforeAll, describe, expect, it } from "vitest";
import {
  bindings,
  bodyOf,
  type Client,
  client,
  newAgency,
  newUser,
  type TestUser,
  unique,
} from "../../factories.ts";
import { fill, marks, page } from "../../support/workerd/screen-pages.ts";

let here: { id: string };
let owner: TestUser;
let admin: Client;
let mark: string;

beforeAll(async () => {
  here = await newAgency();
  owner = await newUser(here.id, { role: "admin" });
  admin = await client(owner);
  mark = unique("List");
  await fill(
    `INSERT INTO alert_groups (id, agency_id, name, created_at, created_by, changed_at, changed_by)
     SELECT ?2 || i, ?3, ?2 || ' ' || (1000 + i), 0, ?4, 0, ?4`,
    60,
    mark,
    here.id,
    owner.id,
  );
});

/** Invites an agency to the groups `from` to `to`. */
const invite = (agency: string, state: "pending" | "accepted", from: number, to: number) =>
  fill(
    `INSERT INTO alert_group_invitations (group_id, agency_id, state, invited_by, invited_at)
     SELECT ?2 || CAST(?3 + i AS INTEGER), ?4, ?5, ?6, ?3 + i`,
    to - from + 1,
    mark,
    from - 1,
    agency,
    state,
    owner.id,
  );

describe("invitations to an agency", () => {
  let invited: { id: string };
  let user: TestUser;
  let who: Client;

  beforeAll(async () => {
    invited = await newAgency();
    user = await newUser(invited.id, { role: "admin" });
    who = await client(user);
    await invite(invited.id, "pending", 1, 45);
    await invite(invited.id, "accepted", 46, 50);
    // Of two of the groups that it joined, the owner proposes a further member.
    for (const group of [47, 49])
      await bindings.DB.prepare(
        "INSERT INTO alert_group_proposals (group_id, user_id, proposed_at, proposed_by) VALUES (?1, ?2, 0, ?3)",
      )
        .bind(`${mark}${group}`, user.id, owner.id)
        .run();
  });

  /** Returns the numbers of the groups in the invitations and requests of a page. */
  const waiting = (html: string) =>
    [...html.matchAll(new RegExp(`<strong>${mark} 10(\\d+)</strong>`, "g"))].map(([, n]) => Number(n));

  it("are shown twenty at a time, newest first, then the requests for members", async () => {
    const first = await page(who, "/alerts");
    expect(waiting(first)).toEqual(Array.from({ length: 20 }, (_, i) => 45 - i));
    expect(first).toContain("47 invitations and requests for members, the newest invitation first.");
    expect(first).toContain("Page 1 of 3");
    const last = await page(who, "/alerts?invitations=3");
    expect(waiting(last)).toEqual([5, 4, 3, 2, 1, 49, 47]);
    expect(last).toContain("Choose your agency&#x27;s members");
    expect(waiting(await page(who, "/alerts?invitations=99"))).toEqual(waiting(last));
  });

  it("are not shown to other agencies, nor to those who cannot answer", async () => {
    expect(waiting(await page(admin, "/alerts"))).toEqual([]);
    const viewer = await client(await newUser(invited.id, { hotlistViewer: true }));
    const html = await page(viewer, "/alerts");
    expect(waiting(html)).toEqual([]);
    expect(html).not.toContain("Pages of invitations");
  });

  it("can be answered from any page without scripts", async () => {
    const body = new URLSearchParams({ intent: "invitation", group_id: `${mark}1`, accept: "no" });
    const answer = await who.fetch("/alerts?invitations=3", { method: "POST", body });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/alerts?invitations=3"]);
    expect(waiting(await page(who, "/alerts?invitations=3"))).toEqual([5, 4, 3, 2, 49, 47]);
    const again = await who.post(`/groups/${mark}1/invitation-answer`, { accept: true });
    expect(again.status).toBe(404);
  });

  it("are found without reading all of them: a group that the agency joined has its own users", async () => {
    const joined = await bodyOf<{ own_users: object | null; own_proposed: string[] }>(
      who.fetch(`/alerts/group/${mark}47/details-data?limit=1`),
    );
    expect(joined).toMatchObject({ own_users: { agency_id: invited.id }, own_proposed: [user.id] });
    expect((await who.fetch(`/alerts/group/${mark}2/details-data?limit=1`)).status).toBe(404);
  });
});

describe("the agencies that a group invited", () => {
  let group: string;
  let other: string;

  beforeAll(async () => {
    group = `${mark}60`;
    other = unique("Troop");
    await fill("INSERT INTO agencies (id, name, created_at) SELECT ?2 || i, ?2 || ' ' || i, 0", 250, other);
    await fill(
      `INSERT INTO alert_group_invitations (group_id, agency_id, state, invited_by, invited_at)
       SELECT ?2, ?3 || i, CASE i % 3 WHEN 0 THEN 'accepted' WHEN 1 THEN 'pending' ELSE 'declined' END, ?4, 0`,
      240,
      group,
      other,
      owner.id,
    );
    const person = await newUser(`${other}4`, { name: "Pat Proposed" });
    await bindings.DB.prepare(
      "INSERT INTO alert_group_proposals (group_id, user_id, proposed_at, proposed_by) VALUES (?1, ?2, 0, ?3)",
    )
      .bind(group, person.id, owner.id)
      .run();
  });

  const path = () => `/groups/${group}/edit`;
  const listed = (html: string) => html.match(/(?:Participating|Invited, no answer yet)</g)?.length ?? 0;
  const offered = (html: string) => html.match(new RegExp(`<option value="${other}\\d+">`, "g")) ?? [];

  it("are the first fifty by name, in the order of their numbers", async () => {
    const html = await page(admin, path());
    expect(listed(html)).toBe(50);
    expect(html).toContain("The first 50 of 160 invited agencies, by name.");
    expect(html).toContain(`>${other} 75<`);
    expect(html).not.toContain(`>${other} 76<`);
    expect(html).toContain("Pending: Pat Proposed");
  });

  it("are found, and not offered again", async () => {
    const html = await page(admin, `${path()}?agency=${encodeURIComponent(`${other} 24`)}`);
    // 24 and 240 participate; 241 to 249 were not invited.
    expect(listed(html)).toBe(2);
    expect(offered(html)).toHaveLength(9);
    expect(html).toContain("11 agencies found.");
    const none = await page(admin, `${path()}?agency=no-agency-has-this`);
    expect([listed(none), offered(none).length]).toEqual([0, 0]);
    expect(none).toContain("0 agencies found.");
  });

  it("are all in the answer of the documented call", async () => {
    const { invitations } = await bodyOf<{ invitations: object[] }>(
      admin.fetch(`/groups/${group}/edit-data?limit=1`),
    );
    expect(invitations).toHaveLength(160);
  });

  it("are not shown to those who cannot edit the group", async () => {
    const stranger = await client(await newUser((await newAgency()).id, { role: "admin" }));
    expect((await stranger.fetch(path())).status).toBe(404);
    const member = await client(await newUser(`${other}3`, { role: "admin" }));
    const answer = await member.fetch(path());
    expect(answer.status).toBe(403);
    // Only the name of the reader's own agency.
    expect(marks(await answer.text(), other)).toBe(1);
  });
});
