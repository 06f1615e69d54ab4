// Changes of rights, memberships, lists and sharing, which anyone may try: by the rules they are made in the product and
// in the model, or refused.

import { at } from "#app/lib/at.ts";
import { formInit, jsonInit } from "../../../factories.ts";
import { type ModelGroup, seesGroup } from "../hits.ts";
import * as members from "../members.ts";
import { attempt } from "./asks.ts";
import type { Commands } from "./commands.ts";
import * as model from "./rules.ts";
import { AGENCIES, chiefOf, type World } from "./world.ts";

/** Who tries something: anyone who is signed in, or the agency's administrator. */
export function actorOf(world: World, by: number | undefined, agency: number): model.Person {
  const people = world.is.people.filter(({ isService, disabled }) => !isService && !disabled);
  return by === undefined ? chiefOf(world, agency) : at(people, by % people.length);
}

/** People who are not the administrators who never change. */
export const ordinary = ({ is }: World) =>
  is.people.filter((one, i) => i % 5 !== 4 && i < AGENCIES * 5 && !one.isService);
const usersAt = (world: World, places: number[]) =>
  [...new Set(places.map((n) => at(ordinary(world), n % ordinary(world).length)))].filter(
    ({ disabled }) => !disabled,
  );

export function groupAt({ is }: World, n: number): ModelGroup | undefined {
  return is.groups[n % is.groups.length];
}

const idsOf = (people: { id: string }[]) => people.map(({ id }) => id).join(",");
export const put = (body: object) => jsonInit(body, { method: "PUT" });

/** What an agency's log may say of a group, once one of its people has changed or opened it. */
export function noteGroup(world: World, who: model.Person, group: ModelGroup): void {
  const thing = world.things.find(({ id }) => id === group.id);
  for (const mark of thing?.marks ?? []) world.is.known[who.agency]?.add(mark);
}

export function actedOn(world: World, who: model.Person, group: ModelGroup): void {
  const acted = world.is.acted.get(group) ?? new Set();
  world.is.acted.set(group, acted.add(who));
  noteGroup(world, who, group);
}

/** Who names a user by id, as a member of the own group, is told whom that is. */
const proposing = (wanted: model.Person[]) => ({
  allow: (mark: string) => wanted.some((one) => one.mark === mark),
});

export async function create(world: World, { by, agency, users }: Commands["create"]): Promise<void> {
  const who = actorOf(world, by, agency);
  const home = who.agency;
  const wanted = usersAt(world, users);
  const group: ModelGroup = {
    ...{
      id: "",
      agency: home,
      archived: false,
      members: new Set<model.Person>(),
      proposed: new Set<model.Person>(),
    },
    ...{ invited: new Map(), entries: new Map() },
  };
  const name = world.secret("the name of a group", (viewer) => model.seesName(viewer, group));
  const description = world.secret("the description of a group", (viewer) => seesGroup(viewer, group));
  // The owner's agency has no others to see its groups.
  const allowed = model.manages(who);
  const form = formInit({
    ...{ group_name: `Group ${name}`, group_description: `About ${description}` },
    ...{
      group_members: idsOf(wanted),
      group_image_file: pictureOf(
        world.secret("the picture of a group", (viewer) => seesGroup(viewer, group)),
      ),
    },
  });
  const { text } = await attempt(
    world,
    who,
    {
      path: "/groups/create-mobile",
      init: form,
      allowed,
      action: "group.create",
    },
    proposing(wanted),
  );
  if (!allowed) return;
  group.id = JSON.parse(text).group_id;
  members.nameMembers(group, wanted);
  world.is.groups.push(group);
  world.things.push({
    ...{ kind: "group", id: group.id, marks: [name, description] },
    mayOpen: (viewer) => seesGroup(viewer, group),
  });
  actedOn(world, who, group);
}

/** A JPEG with a mark in it. */
function pictureOf(mark: string): File {
  return new File([pictureBytes(mark)], "picture.jpg", { type: "image/jpeg" });
}

export function pictureBytes(mark: string): Uint8Array<ArrayBuffer> {
  const frame = [0xff, 0xc0, 0, 17, 8, 0, 32, 0, 64, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1];
  const scan = [0xff, 0xda, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 0x3f, 0];
  const head = [0xff, 0xd8, ...frame, ...scan];
  return Uint8Array.from([...head, ...new TextEncoder().encode(mark), 0xff, 0xd9]);
}

export async function nameMembers(world: World, { by, group: n, users }: Commands["members"]): Promise<void> {
  const group = groupAt(world, n);
  if (!group) return;
  const who = actorOf(world, by, group.agency);
  const wanted = usersAt(world, users);
  const allowed = model.mayEdit(who, group);
  const name = world.things.find(({ id }) => id === group.id)?.marks[0];
  const init = formInit({ group_name: allowed ? `Group ${name}` : "Mine", group_members: idsOf(wanted) });
  const request = { path: `/groups/${group.id}/edit-mobile`, init, allowed, action: "group.edit" };
  await attempt(world, who, request, proposing(wanted));
  if (!allowed) return;
  members.nameMembers(group, wanted);
  actedOn(world, who, group);
}

export async function decide(world: World, { by, group: n, agency, how }: Commands["decide"]): Promise<void> {
  const group = groupAt(world, n);
  if (!group || agency === group.agency) return;
  const who = actorOf(world, by, how === "withdraw" ? group.agency : agency);
  const path = `/groups/${group.id}`;
  if (how === "withdraw") {
    const allowed = model.mayEdit(who, group) && group.invited.has(agency);
    const request = {
      path: `${path}/invitations/${at(world.agencies, agency).id}`,
      init: { method: "DELETE" },
    };
    await attempt(world, who, { ...request, allowed, action: "group.invitation" });
    if (!allowed) return;
    members.decide(group, agency, how);
    return actedOn(world, who, group);
  }
  const state = group.invited.get(who.agency);
  const isAsked = how === "accept" ? state === "pending" : state !== undefined;
  const allowed = model.manages(who) && !group.archived && isAsked && who.agency !== group.agency;
  const init = jsonInit({ accept: how === "accept" });
  await attempt(world, who, { path: `${path}/invitation-answer`, init, allowed, action: "group.invitation" });
  if (!allowed) return;
  members.decide(group, who.agency, how);
  actedOn(world, who, group);
}

export async function choose(
  world: World,
  { by, group: n, agency, users }: Commands["choose"],
): Promise<void> {
  const group = groupAt(world, n);
  if (!group || agency === group.agency) return;
  const who = actorOf(world, by, agency);
  const wanted = usersAt(world, users).filter((user) => user.agency === who.agency);
  const allowed = model.manages(who) && !group.archived && group.invited.get(who.agency) === "accepted";
  const init = put({ members: wanted.map(({ id }) => id) });
  await attempt(world, who, {
    path: `/groups/${group.id}/own-members`,
    init,
    allowed,
    action: "group.members",
  });
  if (!allowed) return;
  members.choose(group, who.agency, wanted);
  actedOn(world, who, group);
}

export async function archive(world: World, { by, group: n, really }: Commands["archive"]): Promise<void> {
  const group = groupAt(world, n);
  if (!group) return;
  const who = actorOf(world, by, group.agency);
  const allowed = model.mayEdit(who, group);
  if (allowed && really > 0) return;
  await attempt(world, who, {
    path: "/archive-group",
    init: jsonInit({ group_id: group.id }),
    allowed,
    action: "group.archive",
  });
  if (!allowed) return;
  group.archived = true;
  actedOn(world, who, group);
}
