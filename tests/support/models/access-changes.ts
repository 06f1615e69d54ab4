// Changes of rights, memberships, lists and sharing, which anyone may try: by the rules they are made in the product and
// in the model, or refused.

import { vi } from "vitest";
import { at } from "#app/lib/at.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { bindings, formInit, jsonInit } from "../../factories.ts";
import { alertsOf, axisEvent, groupDocument, postAxis, postRekor } from "../../live.ts";
import * as model from "./access.ts";
import { attempt } from "./access-asks.ts";
import type { Commands } from "./access-commands.ts";
import { AGENCIES, chiefOf, clientOf, newMark, type World } from "./access-world.ts";
import { type ModelGroup, seesGroup } from "./hits.ts";
import * as members from "./members.ts";
import { status } from "./sequences.ts";

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

function actedOn(world: World, who: model.Person, group: ModelGroup): void {
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

type Listed = { id: number; revision: number; plate_number: string; attachment_path: string | null };

/** Lists a new plate, perhaps with a document. */
export async function list(world: World, { by, group: n, withFile }: Commands["list"]): Promise<void> {
  const group = groupAt(world, n);
  if (!group) return;
  const who = actorOf(world, by, group.agency);
  const groups = new Set([group]);
  const mark = newMark();
  world.is.secrets.set(mark, {
    ...{ what: "a listed plate", kind: "plate" },
    mayKnow: (viewer) => model.seesAny(viewer, groups) || model.hasFound(world.is, viewer, mark),
  });
  const sees = (viewer: model.Person) => seesGroup(viewer, group);
  const [reason, notes] = [
    world.secret("the reason of a plate", sees),
    world.secret("the notes of a plate", sees),
  ];
  const allowed = model.mayEdit(who, group);
  const file = world.secret("a document of a plate", sees);
  const name = world.things.find(({ id }) => id === group.id)?.marks[0];
  const fields = { plate_number: mark, state: "CT", reason: `Reason ${reason}`, notes: `Notes ${notes}` };
  const request =
    withFile && allowed
      ? {
          path: `/groups/${group.id}/edit-mobile`,
          init: formInit({
            ...{ group_name: `Group ${name}`, "plates[0][number]": mark, "plates[0][state]": "CT" },
            ...{ "plates[0][reason]": fields.reason, "plates[0][notes]": fields.notes },
            "plates[0][file]": new File(
              [`%PDF-1.4\n% ${file}\n1 0 obj\n<</Type /Catalog>>\nendobj\n%%EOF\n`],
              `warrant-${file}.pdf`,
            ),
          }),
        }
      : { path: "/hotlist/add-plate-direct", init: jsonInit({ ...fields, group_id: group.id }) };
  await attempt(world, who, { ...request, allowed, action: "plate.add" });
  if (!allowed) return;
  world.plates.set(mark, { mark, groups, owners: new Set() });
  actedOn(world, who, group);
  const admin = await clientOf(world, chiefOf(world, group.agency));
  const answer = await status(admin.fetch(`/alerts/group/${group.id}/details-data`), 200, "the list");
  const { plates } = (await answer.json()) as { plates: Listed[] };
  const row = plates.find(({ plate_number }) => plate_number === mark);
  if (!row) throw new Error(`${mark} was not listed`);
  world.entries.push({ group, mark, id: row.id, revision: row.revision });
  world.things.push({ kind: "entry", id: String(row.id), mayOpen: sees, marks: [mark, reason, notes] });
  if (row.attachment_path)
    world.things.push({
      kind: "attachment",
      id: row.attachment_path,
      in: String(row.id),
      mayOpen: sees,
      marks: [file],
    });
}

export async function unlist(world: World, { by, entry: n }: Commands["unlist"]): Promise<void> {
  const entry = world.entries[n % world.entries.length];
  if (!entry) return;
  const who = actorOf(world, by, entry.group.agency);
  const allowed = model.mayEdit(who, entry.group);
  const init = { method: "POST", body: new URLSearchParams({ plate_id: String(entry.id) }) };
  await attempt(world, who, {
    path: `/groups/${entry.group.id}/remove-plate`,
    init,
    allowed,
    action: "plate.remove",
  });
  if (!allowed) return;
  world.entries.splice(world.entries.indexOf(entry), 1);
  world.is.known[who.agency]?.add(entry.mark);
  for (const mark of world.things.find(({ kind, id }) => kind === "entry" && id === String(entry.id))
    ?.marks ?? [])
    world.is.known[who.agency]?.add(mark);
  actedOn(world, who, entry.group);
}

/** A camera reads a plate that is listed or new, with a picture. */
export async function read(world: World, { owner, program, entry: n }: Commands["read"]): Promise<void> {
  const entry = n === undefined ? undefined : world.entries[n % world.entries.length];
  const mark = entry?.mark ?? newMark();
  if (!entry)
    world.is.secrets.set(mark, {
      ...{ what: "a read plate", kind: "plate" },
      mayKnow: (viewer) => model.hasFound(world.is, viewer, mark),
    });
  const plate = world.plates.get(mark) ?? { mark, groups: new Set(), owners: new Set() };
  world.plates.set(mark, plate);
  plate.owners.add(owner);
  world.reads.set(mark, { owner, program });
  const picture = world.secret(
    "the picture of a read",
    (viewer) => model.seesAny(viewer, plate.groups) || model.hasFound(world.is, viewer, mark),
  );
  const images = [
    {
      ImageFormat: "jpg",
      ImageType: "vehicle",
      BinaryImage: btoa(String.fromCharCode(...pictureBytes(picture))),
    },
  ];
  const time = String(world.is.now);
  const axis = axisEvent({
    plateUTF8: mark,
    capture_timestamp: time,
    carState: "lost",
    imageType: "vehicle",
    ImageArray: images,
  });
  const door = at(world.doors, owner);
  const rekor = groupDocument({
    ...{
      best_plate_number: mark,
      best_plate: { plate: mark, confidence: 95, region: "us-ct" },
      epoch_start: world.is.now,
    },
    ...{
      agent_uid: door.cameraId,
      web_server_config: { camera_label: `Lane ${door.mark}`, agent_label: "HQ" },
    },
  });
  const sent =
    program === "Axis" ? postAxis(at(world.axis, owner).secret, axis) : postRekor(door.secret, rekor);
  await status(sent, 200, "read");
  const camera = program === "Axis" ? /QX\w{6}/.exec(at(world.axis, owner).name)?.[0] : door.mark;
  for (const group of plate.groups)
    for (const hit of await alertsOf(group.id)) {
      if (world.things.some(({ kind, id }) => kind === "hit" && id === hit.id)) continue;
      world.cameraHits.get(camera ?? "")?.add(group);
      world.things.push({
        kind: "hit",
        id: hit.id,
        mayOpen: (viewer) => seesGroup(viewer, group),
        marks: [hit.plate],
        in: group.id,
      });
    }
}

export async function judge(world: World, { by, hit: n }: Commands["judge"]): Promise<void> {
  const hits = world.things.filter(({ kind }) => kind === "hit");
  const hit = hits[n % hits.length];
  const group = world.is.groups.find(({ id }) => id === hit?.in);
  if (!hit || !group) return;
  const who = actorOf(world, by, group.agency);
  const allowed = seesGroup(who, group, false);
  const note = world.secret("the note of a disposition", (viewer) => seesGroup(viewer, group));
  const known = await bindings.DB.prepare("SELECT disposition_at AS at FROM alerts WHERE id = ?")
    .bind(hit.id)
    .first<number | null>("at");
  const body = {
    disposition: "correct",
    note: `Note ${note}`,
    known: known === null ? null : isoTime(known),
  };
  await attempt(world, who, {
    path: `/api/alerts/${hit.id}/disposition`,
    init: jsonInit(body),
    allowed,
    action: "alert.disposition",
  });
  if (allowed) actedOn(world, who, group);
}

export async function wait(world: World, milliseconds: number): Promise<void> {
  world.is.now += milliseconds;
  vi.setSystemTime(world.is.now);
}
