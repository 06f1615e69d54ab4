// Changes of groups' members, of users' rights, of sharing and of time, made in the product and in the model.

import { vi } from "vitest";
import { at } from "#app/lib/at.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { client, formInit, setExpiryDays, unique } from "../../factories.ts";
import { type Commands, USERS } from "./hit-commands.ts";
import { REASON, type World } from "./hit-world.ts";
import { keyOf, type ModelGroup, type ModelUser } from "./hits.ts";
import * as lists from "./lists.ts";
import * as members from "./members.ts";
import { status } from "./sequences.ts";

const activeAt = ({ is }: World, places: number[]): ModelUser[] =>
  places.map((n) => at(is.users, n)).filter(({ disabled }) => !disabled);

function groupAt({ is }: World, n: number): ModelGroup | undefined {
  const groups = is.groups.filter(({ archived }) => !archived);
  return groups[n % groups.length];
}

const idsOf = (users: ModelUser[]) => users.map(({ id }) => id);

export async function create(world: World, { agency, users }: Commands["create"]): Promise<void> {
  const wanted = activeAt(world, users);
  const admin = await world.as(at(world.admins, agency));
  const form = formInit({ group_name: unique("group"), group_members: idsOf(wanted).join(",") });
  const made = await status(admin.fetch("/groups/create-mobile", form), 200, "create");
  const { group_id: id } = await made.json<{ group_id: string }>();
  const group: ModelGroup = {
    ...{ id, agency, archived: false, members: new Set(), proposed: new Set() },
    ...{ invited: new Map(), entries: new Map() },
  };
  members.nameMembers(group, wanted);
  world.is.groups.push(group);
}

/** Saves the edit form: a new name, the members, perhaps a plate. */
export async function name(world: World, { group: n, users, entry }: Commands["name"]): Promise<void> {
  const group = groupAt(world, n);
  if (!group) return;
  const wanted = activeAt(world, users);
  const admin = await world.as(at(world.admins, group.agency));
  const form = { group_name: unique("renamed"), group_members: idsOf(wanted).join(",") };
  if (entry && !group.entries.has(keyOf(entry))) {
    const expiresAt = lists.policyExpiry(world.is, group);
    lists.list(world.is, group, { ...entry, policy: "exact", required: false, expiresAt });
    Object.assign(form, {
      ...{ "plates[0][number]": entry.plate, "plates[0][state]": entry.state },
      ...{ "plates[0][reason]": REASON, "plates[0][notes]": "" },
    });
  }
  members.nameMembers(group, wanted);
  await status(admin.fetch(`/groups/${group.id}/edit-mobile`, formInit(form)), 200, "name");
}

export async function decide(world: World, { group: n, agency, how }: Commands["decide"]): Promise<void> {
  const group = groupAt(world, n);
  if (!group || agency === group.agency || (how === "withdraw" && !group.invited.has(agency))) return;
  const wanted = members.decide(group, agency, how);
  const admin = await world.as(at(world.admins, how === "withdraw" ? group.agency : agency));
  const path = `/groups/${group.id}`;
  await status(
    how === "withdraw"
      ? admin.fetch(`${path}/invitations/${at(world.agencies, agency).id}`, { method: "DELETE" })
      : admin.post(`${path}/invitation-answer`, { accept: how === "accept" }),
    wanted,
    how,
  );
}

export async function choose(world: World, { group: n, agency, users }: Commands["choose"]): Promise<void> {
  const group = groupAt(world, n);
  if (!group || agency === group.agency) return;
  const wanted = activeAt(world, users).filter((user) => user.agency === agency);
  const answer = members.choose(group, agency, wanted);
  const admin = await world.as(at(world.admins, agency));
  const body = { members: idsOf(wanted) };
  await status(admin.post(`/groups/${group.id}/own-members`, body, { method: "PUT" }), answer, "choose");
}

export async function archive(world: World, { group: n, really }: Commands["archive"]): Promise<void> {
  const group = groupAt(world, n);
  if (!group || really > 0) return;
  group.archived = true;
  const admin = await world.as(at(world.admins, group.agency));
  await status(admin.post("/archive-group", { group_id: group.id }), 200, "archive");
}

export async function right(world: World, { user: n, right }: Commands["right"]): Promise<void> {
  const user = at(world.is.users, n % USERS);
  if (user.disabled || user.right === right) return;
  const admin = await world.as(at(world.admins, user.agency));
  const { id } = user;
  const flags = {
    [`hotlist_admin_${id}`]: right === "hotadmin",
    [`hotlist_viewer_${id}`]: right === "viewer",
  };
  await status(admin.post("/update-alert-permissions-api", flags), 200, "rights");
  const isAdmin = right === "admin";
  const body = { new_role: isAdmin ? "admin" : "user" };
  if (isAdmin !== (user.right === "admin"))
    await status(admin.post(`/admin/toggle-role/${id}`, body, { method: "PUT" }), 200, "role");
  user.right = right;
}

export async function push(world: World, input: Commands["push"]): Promise<void> {
  const user = at(world.is.users, input.user % USERS);
  if (user.disabled || user.right === "none") return;
  const { from, until, zone, isQuiet, on } = input;
  const quiet = isQuiet ? { from: from * 60 + 30, until: until * 60, zone } : null;
  user.push = { on: on > 0, quiet };
  const two = (value: number) => String(value).padStart(2, "0");
  const body = {
    ...{ enabled: on > 0, quiet_from: quiet && `${two(from)}:30`, quiet_until: quiet && `${two(until)}:00` },
    time_zone: zone,
  };
  const person = await client(at(world.people, input.user % USERS));
  await status(person.post("/push/settings", body, { method: "PUT" }), 200, "push");
}

export async function disable(world: World, { user: n, disabled }: Commands["disable"]): Promise<void> {
  const user = at(world.is.users, n % USERS);
  user.disabled = disabled;
  const admin = await world.as(at(world.admins, user.agency));
  await status(admin.post(`/admin/disable-user/${user.id}`, { disabled }, { method: "PUT" }), 200, "disable");
}

export async function share(
  world: World,
  { program, owner, viewer, until }: Commands["share"],
): Promise<void> {
  if (owner === viewer) return;
  const end = until === null ? null : world.is.now + until;
  world.is.shares.set(`${program} ${owner} ${viewer}`, end);
  const admin = await world.as(at(world.admins, owner));
  const agency_id = at(world.agencies, viewer).id;
  const body = { agency_id, declaration: "For cases", valid_until: end === null ? null : isoTime(end) };
  await status(admin.post(`/add-${program.toLowerCase()}-share`, body), 200, "share");
}

export async function unshare(world: World, { program, owner, viewer }: Commands["unshare"]): Promise<void> {
  if (owner === viewer) return;
  world.is.shares.delete(`${program} ${owner} ${viewer}`);
  const admin = await world.as(at(world.admins, owner));
  const body = { agency_id: at(world.agencies, viewer).id };
  await status(admin.post(`/remove-${program.toLowerCase()}-share`, body), 200, "unshare");
}

export async function policy(world: World, { agency, days }: Commands["policy"]): Promise<void> {
  world.is.policyDays[agency] = days;
  await setExpiryDays(at(world.agencies, agency).id, days);
}

export async function wait(world: World, milliseconds: number): Promise<void> {
  world.is.now += milliseconds;
  vi.setSystemTime(world.is.now);
}
