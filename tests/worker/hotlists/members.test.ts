// Group members from other agencies: who can be chosen, and how their agency is invited.

import { beforeEach, describe, expect, it } from "vitest";
import { answerInvitation, chooseOwnMembers } from "#app/domain/hotlists/invitations.ts";
import type {
  GroupCard,
  GroupInvitation,
  GroupMember,
  PendingMember,
  UsersOfAgency,
} from "#app/entities/hotlists/group.ts";
import {
  actorOf,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  formInit,
  jsonInit,
  newAgency,
  newUser,
  setUpPart,
  type TestUser,
  testApp,
  unique,
} from "../../factories.ts";
import { beforeWrite } from "../../support/batches.ts";

type Agency = { id: string; name: string };
let [ours, theirs, others]: Agency[] = [];
let users: Record<
  "hotadmin" | "viewer" | "theirAdmin" | "theirViewer" | "theirOfficer" | "otherViewer",
  TestUser
>;
let hotadmin: Client;
let theirAdmin: Client;
let theirViewer: Client;

beforeEach(async () => {
  [ours, theirs, others] = [await newAgency(), await newAgency(), await newAgency()];
  users = {
    hotadmin: await newUser(ours.id, { hotlistAdmin: true }),
    viewer: await newUser(ours.id, { hotlistViewer: true }),
    theirAdmin: await newUser(theirs.id, { hotlistAdmin: true }),
    theirViewer: await newUser(theirs.id, { hotlistViewer: true }),
    theirOfficer: await newUser(theirs.id),
    otherViewer: await newUser(others.id, { hotlistViewer: true }),
  };
  [hotadmin, theirAdmin, theirViewer] = await Promise.all([
    client(users.hotadmin),
    client(users.theirAdmin),
    client(users.theirViewer),
  ]);
});

async function read<T>(who: Client, path: string, init?: RequestInit): Promise<T> {
  const response = await who.fetch(path, init);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return bodyOf<T>(response);
}

type Saved = { group_id: string; pending: PendingMember[] };
const create = (...members: string[]) =>
  read<Saved>(
    hotadmin,
    "/groups/create-mobile",
    formInit({ group_name: unique("Group"), group_members: members.join(",") }),
  );
const edit = (id: string, ...members: string[]) =>
  read<Saved>(
    hotadmin,
    `/groups/${id}/edit-mobile`,
    formInit({ group_name: "x", group_members: members.join(",") }),
  );
type Editing = {
  group: { member_ids: string[]; version: number };
  members: GroupMember[];
  users_by_agency: Record<string, UsersOfAgency["users"]>;
  pending_members: PendingMember[];
  invitations: GroupInvitation[];
};
const editing = (id: string) => read<Editing>(hotadmin, `/groups/${id}/edit-data?limit=1`);
const answer = (id: string, accept: boolean, who = theirAdmin) =>
  who.post(`/groups/${id}/invitation-answer`, { accept });
const candidates = async () =>
  Object.keys((await read<{ users_by_agency: object }>(hotadmin, "/group-create-data")).users_by_agency);

describe("candidates for membership", () => {
  it("are the agency's own users, and users of agencies that share their reads, by agency", async () => {
    expect(await candidates()).toEqual([ours?.name]);
    // Sharing one's own reads does not reveal the users of the other agency.
    await setUpPart({ axisShares: [{ ownerAgencyId: ours?.id ?? "", viewerAgencyId: theirs?.id ?? "" }] });
    expect(await candidates()).toEqual([ours?.name]);
    await setUpPart({ axisShares: [{ ownerAgencyId: theirs?.id ?? "", viewerAgencyId: ours?.id ?? "" }] });
    const { users_by_agency } = await read<Editing>(hotadmin, "/group-create-data");
    expect(users_by_agency).toEqual({
      [ours?.name ?? ""]: expect.arrayContaining([
        expect.objectContaining({ id: users.viewer.id, email: users.viewer.email, hotlist: true }),
      ]),
      [theirs?.name ?? ""]: expect.arrayContaining([
        expect.objectContaining({ id: users.theirViewer.id, name: users.theirViewer.name, hotlist: true }),
        expect.objectContaining({ id: users.theirOfficer.id, hotlist: false }),
      ]),
    });
    await bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE agency_id = ?").bind(theirs?.id).run();
    expect(await candidates()).toEqual([ours?.name]);
  });

  it("exclude agencies whose sharing has ended or that blacklisted the agency", async () => {
    const pair = [others?.id, ours?.id];
    await bindings.DB.prepare(
      "INSERT INTO rekor_shares (owner_agency_id, viewer_agency_id, created_at, valid_until) VALUES (?, ?, 1, 2)",
    )
      .bind(...pair)
      .run();
    const axon = { id: unique("axon"), agencyId: others?.id ?? "", baseUrl: "http://127.0.0.1:1" };
    await setUpPart({
      axonIntegrations: [{ ...axon, clientId: "c", clientSecret: "s", partnerId: "p" }],
      axonBlacklist: [{ integrationId: axon.id, agencyId: ours?.id ?? "" }],
    });
    expect(await candidates()).not.toContain(others?.name);
    await bindings.DB.prepare("DELETE FROM axon_blacklist WHERE integration_id = ?").bind(axon.id).run();
    expect(await candidates()).toContain(others?.name);
    await bindings.DB.prepare("DELETE FROM axon_integrations WHERE id = ?").bind(axon.id).run();
    await bindings.DB.prepare("UPDATE rekor_shares SET valid_until = NULL WHERE owner_agency_id = ?")
      .bind(others?.id)
      .run();
    expect(await candidates()).toContain(others?.name);
  });

  it.each(["constructor", "__proto__"])("include an agency whose name is %s", async (name) => {
    await setUpPart({ axisShares: [{ ownerAgencyId: theirs?.id ?? "", viewerAgencyId: ours?.id ?? "" }] });
    await bindings.DB.prepare("UPDATE agencies SET name = ? WHERE id = ?").bind(name, theirs?.id).run();
    expect(await candidates()).toEqual([ours?.name, name]);
    await bindings.DB.prepare("UPDATE agencies SET name = id WHERE name = ?").bind(name).run();
  });

  it("include agencies that accepted an invitation, until they leave", async () => {
    const { group_id: id } = await create();
    await read(hotadmin, `/groups/${id}/invitations`, jsonInit({ agency_id: theirs?.id }));
    expect(await candidates()).toEqual([ours?.name]);
    expect((await answer(id, true)).status).toBe(200);
    expect(await candidates()).toEqual([ours?.name, theirs?.name]);
    const back = await read<Editing>(theirAdmin, "/group-create-data");
    expect(Object.keys(back.users_by_agency)).toEqual([theirs?.name, ours?.name]);
    expect((await answer(id, false)).status).toBe(200);
    expect(await candidates()).toEqual([ours?.name]);
  });
});

it("the list of groups says whether anyone gets a group's alerts", async () => {
  const { group_id: id } = await create();
  const hasMembers = async () =>
    (await read<GroupCard[]>(hotadmin, "/alerts-data")).find((group) => group.id === id)?.has_members;
  expect(await hasMembers()).toBe(false);
  await edit(id, users.viewer.id);
  expect(await hasMembers()).toBe(true);
  await bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?").bind(users.viewer.id).run();
  expect(await hasMembers()).toBe(false);
});

it("a member without a right to hotlists gets no alerts, which the list of groups and the group's page say", async () => {
  const member = await newUser(ours?.id ?? "", { hotlistViewer: true });
  const { group_id: id } = await create(member.id);
  const said = async () => {
    const cards = await read<GroupCard[]>(hotadmin, "/alerts-data");
    const page = await (await hotadmin.fetch(`/groups/${id}`)).text();
    const { members } = await editing(id);
    return {
      hasMembers: cards.find((group) => group.id === id)?.has_members,
      members: members.map(({ hotlist }) => hotlist),
      page: page.includes("has no hotlist permission, so gets no alerts"),
    };
  };
  expect(await said()).toEqual({ hasMembers: true, members: [true], page: false });
  await bindings.DB.prepare("UPDATE users SET hotlist_viewer = 0 WHERE id = ?").bind(member.id).run();
  expect(await said()).toEqual({ hasMembers: false, members: [false], page: true });
});

it("a member who was disabled or deleted meanwhile does not keep a form from being saved", async () => {
  const disable = (id: string, at: number | null) =>
    bindings.DB.prepare("UPDATE users SET disabled_at = ? WHERE id = ?").bind(at, id).run();
  const [away, gone] = [await newUser(ours?.id ?? ""), await newUser(ours?.id ?? "")];
  const { group_id: id } = await create(users.viewer.id, away.id, gone.id, users.theirViewer.id);
  for (const { id } of [away, gone, users.theirViewer]) await disable(id, 1);
  await bindings.DB.prepare("UPDATE users SET deleted_at = 1 WHERE id = ?").bind(gone.id).run();
  await edit(id, users.viewer.id, away.id, gone.id, users.theirViewer.id);
  expect((await editing(id)).group.member_ids).toEqual([users.viewer.id]);
  await disable(away.id, null);
  expect((await editing(id)).group.member_ids.toSorted()).toEqual([users.viewer.id, away.id].toSorted());
  const { group_id: other } = await create(users.viewer.id);
  await disable(away.id, 1);
  await expect(edit(other, users.viewer.id, away.id), "who never was a member").rejects.toThrow("400");
});

it("a user who was deleted since a client read the candidates is left out; an unknown one is refused", async () => {
  const [gone, away] = [await newUser(theirs?.id ?? ""), await newUser(theirs?.id ?? "")];
  const { group_id: id } = await create(users.theirViewer.id, gone.id, away.id);
  expect((await answer(id, true)).status).toBe(200);
  const end = (column: string, user: TestUser) =>
    bindings.DB.prepare(`UPDATE users SET disabled_at = 1, ${column} = 1 WHERE id = ?`).bind(user.id).run();
  await end("deleted_at", gone);
  await end("disabled_at", away);
  const choose = (...members: string[]) =>
    theirAdmin.fetch(`/groups/${id}/own-members`, jsonInit({ members }, { method: "PUT" }));
  const chosen = await choose(users.theirOfficer.id, gone.id, away.id);
  expect([chosen.status, await chosen.json()]).toEqual([200, { members: 1 }]);
  expect((await editing(id)).group.member_ids).toEqual([users.theirOfficer.id]);
  const neverMember = await newUser(theirs?.id ?? "");
  await end("disabled_at", neverMember);
  for (const user of ["no-such-user", users.viewer.id, neverMember.id])
    expect([user, (await choose(users.theirOfficer.id, user)).status]).toEqual([user, 400]);
  const [mine, former] = [await newUser(ours?.id ?? ""), await newUser(ours?.id ?? "")];
  await end("deleted_at", former);
  const made = await create(mine.id, former.id, gone.id);
  expect([(await editing(made.group_id)).group.member_ids, made.pending]).toEqual([[mine.id], []]);
  await edit(made.group_id, mine.id, former.id, gone.id);
  await expect(edit(made.group_id, mine.id, "no-such-user")).rejects.toThrow("400");
});

describe("a member of another agency", () => {
  it("is pending until that agency's hotlist admin accepts, and then becomes a member", async () => {
    const saved = await create(users.viewer.id, users.theirViewer.id, users.otherViewer.id);
    const wanted = { id: users.theirViewer.id, name: users.theirViewer.name, agency: theirs?.name };
    expect(saved.pending).toHaveLength(2);
    expect(saved.pending).toEqual(expect.arrayContaining([expect.objectContaining(wanted)]));
    const id = saved.group_id;
    const before = await editing(id);
    expect(before.group.member_ids).toEqual([users.viewer.id]);
    expect(before.pending_members).toHaveLength(2);
    expect(Object.keys(before.users_by_agency).toSorted()).toEqual(
      [ours?.name, theirs?.name, others?.name].toSorted(),
    );
    expect(before.invitations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          agency_id: theirs?.id,
          state: "pending",
          proposed: [users.theirViewer.name],
        }),
      ]),
    );
    const rows = await auditOf(users.hotadmin, 3);
    expect(rows.map(({ action }) => action)).toEqual(["group.create", "group.invite", "group.invite"]);
    // No user of that agency sees the group before.
    const path = `/alerts/group/${id}/details-data`;
    for (const who of [theirAdmin, theirViewer]) expect((await who.fetch(path)).status).toBe(404);
    expect((await answer(id, true, theirViewer)).status).toBe(403);
    expect((await theirAdmin.fetch("/alerts")).status).toBe(200);
    expect(await (await theirAdmin.fetch("/alerts")).text()).toContain(users.theirViewer.name);
    expect((await answer(id, true)).status).toBe(200);
    const after = await editing(id);
    expect(after.group.member_ids.toSorted()).toEqual([users.viewer.id, users.theirViewer.id].toSorted());
    expect(after.pending_members.map((user) => user.id)).toEqual([users.otherViewer.id]);
    expect((await theirViewer.fetch(path)).status).toBe(200);
    const [row] = await auditOf(users.theirAdmin);
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({
      after: "accepted",
      members: [users.theirViewer.id],
    });
  });

  it("stays pending when an existing client saves only known members; the invitation is sent once", async () => {
    const { group_id: id } = await create(users.theirViewer.id);
    expect((await edit(id, users.viewer.id)).pending.map((user) => user.id)).toEqual([users.theirViewer.id]);
    expect((await edit(id, users.viewer.id, users.theirViewer.id)).pending).toHaveLength(1);
    const rows = await auditOf(users.hotadmin, 4);
    expect(rows.map(({ action }) => action)).toEqual([
      "group.create",
      "group.invite",
      "group.edit",
      "group.edit",
    ]);
  });

  it("is neither a member nor pending after the agency declines or the owner withdraws", async () => {
    for (const end of [
      (id: string) => answer(id, false),
      (id: string) => hotadmin.fetch(`/groups/${id}/invitations/${theirs?.id}`, { method: "DELETE" }),
    ]) {
      const { group_id: id } = await create(users.theirViewer.id);
      expect((await end(id)).status).toBe(200);
      const after = await editing(id);
      expect([after.group.member_ids, after.pending_members]).toEqual([[], []]);
      expect((await answer(id, true)).status).toBe(404);
    }
  });

  it("is not removed by an owner's form that was opened before the agency chose the user", async () => {
    const { group_id: id } = await create(users.theirViewer.id);
    await answer(id, true);
    const opened = await editing(id);
    const members = [users.theirViewer.id, users.theirOfficer.id];
    await read(theirAdmin, `/groups/${id}/own-members`, jsonInit({ members }, { method: "PUT" }));
    const saved = await hotadmin.fetch(
      `/groups/${id}/edit-mobile`,
      formInit({
        group_name: "x",
        group_members: opened.group.member_ids.join(","),
        version: String(opened.group.version),
      }),
    );
    expect(saved.status).toBe(409);
    expect((await editing(id)).group.member_ids.toSorted()).toEqual(members.toSorted());
  });

  it("is not invited again by an owner's form that was opened before the agency left", async () => {
    const { group_id: id } = await create(users.theirViewer.id);
    await answer(id, true);
    const opened = await editing(id);
    await answer(id, false);
    const group_members = opened.group.member_ids.join(",");
    const saved = await hotadmin.fetch(
      `/groups/${id}/edit-mobile`,
      formInit({ group_name: "x", group_members, version: String(opened.group.version) }),
    );
    expect(saved.status).toBe(409);
    expect((await editing(id)).invitations).toEqual([]);
  });

  it("is not invited again by a form that another owner opened before the invitation was withdrawn", async () => {
    for (const accepted of [false, true]) {
      const { group_id: id } = await create(users.theirViewer.id, users.viewer.id);
      if (accepted) await answer(id, true);
      const opened = await editing(id);
      await read(hotadmin, `/groups/${id}/invitations/${theirs?.id}`, { method: "DELETE" });
      const members = [...opened.group.member_ids, ...opened.pending_members.map((user) => user.id)];
      const saved = await hotadmin.fetch(
        `/groups/${id}/edit-mobile`,
        formInit({
          group_name: "x",
          group_members: members.join(","),
          version: String(opened.group.version),
        }),
      );
      expect([accepted, saved.status]).toEqual([accepted, 409]);
      expect((await editing(id)).invitations).toEqual([]);
    }
  });

  it("is not chosen for a group whose owner withdraws the agency meanwhile", async () => {
    const { group_id: id } = await create(users.theirViewer.id);
    await answer(id, true);
    const withdraw = () => read(hotadmin, `/groups/${id}/invitations/${theirs?.id}`, { method: "DELETE" });
    const app = beforeWrite(testApp(), withdraw);
    const choice = { groupId: id, userIds: [users.theirViewer.id, users.theirOfficer.id] };
    await expect(chooseOwnMembers(app, await actorOf(theirAdmin), choice)).rejects.toMatchObject({
      code: "not_found",
    });
    expect((await editing(id)).group.member_ids).toEqual([]);
  });

  it("leaves by a choice without the user, also if a colleague adds the user meanwhile", async () => {
    const { group_id: id } = await create();
    await read(hotadmin, `/groups/${id}/invitations`, jsonInit({ agency_id: theirs?.id }));
    await answer(id, true);
    const choose = (members: string[]) =>
      read(theirAdmin, `/groups/${id}/own-members`, jsonInit({ members }, { method: "PUT" }));
    const app = beforeWrite(testApp(), () => choose([users.theirViewer.id]));
    const choice = { groupId: id, userIds: [users.theirOfficer.id] };
    await chooseOwnMembers(app, await actorOf(theirAdmin), choice);
    expect((await editing(id)).group.member_ids).toEqual([users.theirOfficer.id]);
  });

  it("is also pending if that agency already participates, until its hotlist admin decides", async () => {
    const { group_id: id } = await create(users.theirViewer.id);
    await answer(id, true);
    const saved = await edit(id, users.theirViewer.id, users.theirAdmin.id);
    expect(saved.pending.map((user) => user.id)).toEqual([users.theirAdmin.id]);
    expect((await editing(id)).group.member_ids).toEqual([users.theirViewer.id]);
    const theirView = await read<{ own_proposed: string[] }>(theirAdmin, `/alerts/group/${id}/details-data`);
    expect(theirView.own_proposed).toEqual([users.theirAdmin.id]);
    expect(await (await theirAdmin.fetch("/alerts")).text()).toContain("Pending members");
    const members = [users.theirViewer.id, users.theirAdmin.id];
    await read(theirAdmin, `/groups/${id}/own-members`, jsonInit({ members }, { method: "PUT" }));
    const after = await editing(id);
    expect(after.group.member_ids.toSorted()).toEqual(members.toSorted());
    expect(after.pending_members).toEqual([]);
  });

  it("stays pending if the owner proposes the user while that agency's hotlist admin accepts", async () => {
    const { group_id: id } = await create(users.theirViewer.id);
    // The owner saves after the acceptance has read the proposals, and before it writes.
    const app = beforeWrite(testApp(), () => edit(id, users.theirViewer.id, users.theirOfficer.id));
    await answerInvitation(app, await actorOf(theirAdmin), { groupId: id, accept: true });
    const after = await editing(id);
    expect(after.group.member_ids).toEqual([users.theirViewer.id]);
    expect(after.pending_members.map((user) => user.id)).toEqual([users.theirOfficer.id]);
  });

  it("who is disabled, deleted or unknown is refused, and nothing is saved", async () => {
    await bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?")
      .bind(users.theirViewer.id)
      .run();
    for (const member of [users.theirViewer.id, "nobody"]) {
      const answered = await hotadmin.fetch(
        "/groups/create-mobile",
        formInit({ group_name: "x", group_members: `${users.viewer.id},${member}` }),
      );
      expect([member, answered.status]).toEqual([member, 400]);
    }
    expect(await read<object[]>(hotadmin, "/alerts-data")).toEqual([]);
  });
});
