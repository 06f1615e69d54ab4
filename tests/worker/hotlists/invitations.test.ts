// Invitations of another agency to a group: whose users they let an agency list, and how many may await an answer.

import { beforeEach, expect, it } from "vitest";
import { MAX_WAITING_INVITATIONS } from "#app/entities/hotlists/group.ts";
import {
  auditAbout,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  formInit,
  jsonInit,
  newAgency,
  newUser,
  type TestUser,
  unique,
} from "../../factories.ts";

type Agency = { id: string; name: string };
let ours: Agency;
let theirs: Agency;
let officer: TestUser;
let owner: TestUser;
let hotadmin: Client;
let theirAdmin: Client;

beforeEach(async () => {
  [ours, theirs] = [await newAgency(), await newAgency()];
  owner = await newUser(ours.id, { hotlistAdmin: true });
  officer = await newUser(theirs.id);
  hotadmin = await client(owner);
  theirAdmin = await client(await newUser(theirs.id, { hotlistAdmin: true }));
});

const create = (members = "") =>
  hotadmin.fetch("/groups/create-mobile", formInit({ group_name: unique("Group"), group_members: members }));
const newGroup = async () => String((await bodyOf(create())).group_id);
const invite = (id: string) =>
  hotadmin.fetch(`/groups/${id}/invitations`, jsonInit({ agency_id: theirs.id }));
const withdraw = (id: string) =>
  hotadmin.fetch(`/groups/${id}/invitations/${theirs.id}`, { method: "DELETE" });
const accept = (id: string) => theirAdmin.post(`/groups/${id}/invitation-answer`, { accept: true });
const agenciesFor = async (who: Client) =>
  Object.keys((await bodyOf<{ users_by_agency: object }>(who.fetch("/group-create-data"))).users_by_agency);

it("an agency is no longer related to a group's owner once the owner has ended its participation", async () => {
  const id = await newGroup();
  await invite(id);
  await accept(id);
  expect(await agenciesFor(hotadmin)).toEqual([ours.name, theirs.name]);
  expect((await withdraw(id)).status).toBe(200);
  expect(await agenciesFor(hotadmin), "the owner").toEqual([ours.name]);
  expect(await agenciesFor(theirAdmin), "the agency").toEqual([theirs.name]);
  // A new invitation alone does not relate them again.
  await invite(id);
  expect(await agenciesFor(hotadmin), "invited again").toEqual([ours.name]);
});

it("an invitation that there never was cannot be withdrawn, and the owner's own agency does not leave its group", async () => {
  const id = String((await bodyOf(create(owner.id))).group_id);
  const members = async () =>
    (
      await bindings.DB.prepare("SELECT user_id FROM alert_group_members WHERE group_id = ?").bind(id).raw()
    ).flat();
  const before = await members();
  expect(before).toEqual([owner.id]);
  for (const agency of [ours.id, theirs.id, "unknown"]) {
    const answer = await hotadmin.fetch(`/groups/${id}/invitations/${agency}`, { method: "DELETE" });
    expect(answer.status, agency).toBe(404);
  }
  expect(await members()).toEqual(before);
  expect((await auditAbout(id)).filter(({ action }) => action === "group.invitation")).toEqual([]);
});

it("an agency is no longer related to the owner of a group that was archived, which it cannot leave", async () => {
  const id = await newGroup();
  await invite(id);
  await accept(id);
  await hotadmin.post("/archive-group", { group_id: id });
  expect(await agenciesFor(hotadmin), "the owner").toEqual([ours.name]);
  expect(await agenciesFor(theirAdmin), "the agency").toEqual([theirs.name]);
});

it("an invitation that waits or was accepted is not written again", async () => {
  const id = await newGroup();
  for (const state of ["pending", "accepted"]) {
    if (state === "accepted") await accept(id);
    for (let times = 0; times < 2; times++) {
      const { invitations } = await bodyOf<{ invitations: object[] }>(invite(id));
      expect(invitations).toEqual([expect.objectContaining({ agency_id: theirs.id, state })]);
    }
  }
  const rows = await auditOf(owner, 5);
  expect(rows.filter(({ action }) => action === "group.invite")).toHaveLength(1);
});

it("an agency cannot have more than twenty unanswered invitations of another", async () => {
  const ids = await Promise.all(Array.from({ length: MAX_WAITING_INVITATIONS }, newGroup));
  for (const id of ids) expect((await invite(id)).status).toBe(200);
  const [first = "", second = "", third = ""] = ids;
  const another = await newGroup();
  const message =
    "An agency has not answered 20 invitations of yours. Withdraw one, or wait until it answers one.";
  const refused = await invite(another);
  expect([refused.status, await bodyOf(refused)]).toEqual([409, expect.objectContaining({ message })]);
  const created = await create(officer.id);
  expect([created.status, await bodyOf(created)]).toEqual([409, expect.objectContaining({ message })]);
  const count = bindings.DB.prepare("SELECT count(*) AS n FROM alert_group_invitations WHERE agency_id = ?");
  expect(await count.bind(theirs.id).first("n")).toBe(ids.length);
  // An answer makes room, and so do a withdrawal and archiving the group. A group that participates can propose more users meanwhile.
  await accept(first);
  expect((await invite(another)).status).toBe(200);
  const proposal = formInit({ group_name: "x", group_members: officer.id });
  expect((await hotadmin.fetch(`/groups/${first}/edit-mobile`, proposal)).status).toBe(200);
  await withdraw(second);
  expect((await invite(await newGroup())).status).toBe(200);
  await hotadmin.post("/archive-group", { group_id: third });
  expect((await invite(await newGroup())).status).toBe(200);
  expect((await invite(await newGroup())).status).toBe(409);
  // Invitations of other agencies are counted apart.
  const neighbor = await client(await newUser((await newAgency()).id, { hotlistAdmin: true }));
  const theirGroup = await bodyOf(
    neighbor.fetch("/groups/create-mobile", formInit({ group_name: unique("Group") })),
  );
  const theirInvitation = jsonInit({ agency_id: theirs.id });
  expect((await neighbor.fetch(`/groups/${theirGroup.group_id}/invitations`, theirInvitation)).status).toBe(
    200,
  );
});

it("an administrator of an invited agency who opens the group for editing is refused, and the audit log says so", async () => {
  const id = await newGroup();
  await invite(id);
  await accept(id);
  for (const path of [`/groups/${id}/edit-data`, `/groups/${id}/edit`]) {
    expect((await theirAdmin.fetch(path)).status, path).toBe(403);
    expect(await auditAbout(path), path).toMatchObject([
      { agency_id: theirs.id, action: "access", outcome: "refused" },
    ]);
  }
});
