// Changes of groups' plates, reads of cameras and dispositions, which anyone may try.

import { fanOutAlerts } from "#app/domain/alerts/fan-out.ts";
import { at } from "#app/lib/at.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { bindings, formInit, jsonInit, testApp } from "../../../factories.ts";
import { alertsOf, axisEvent, groupDocument, postAxis, postRekor } from "../../../live.ts";
import { seesGroup } from "../hits.ts";
import { status } from "../sequences.ts";
import { attempt } from "./asks.ts";
import type { Commands } from "./commands.ts";
import { actedOn, actorOf, groupAt, pictureBytes } from "./groups.ts";
import * as model from "./rules.ts";
import { chiefOf, clientOf, newMark, type World } from "./world.ts";

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
  world.plates.set(mark, { mark, groups, reads: [] });
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
  const plate = world.plates.get(mark) ?? { mark, groups: new Set(), reads: [] };
  world.plates.set(mark, plate);
  plate.reads.push({ owner, program });
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
  const webhook = at(world.webhooks, owner);
  const rekor = groupDocument({
    ...{
      best_plate_number: mark,
      best_plate: { plate: mark, confidence: 95, region: "us-ct" },
      epoch_start: world.is.now,
    },
    ...{
      agent_uid: webhook.cameraId,
      web_server_config: { camera_label: `Lane ${webhook.mark}`, agent_label: "HQ" },
    },
  });
  const sent =
    program === "Axis" ? postAxis(at(world.axis, owner).secret, axis) : postRekor(webhook.secret, rekor);
  await status(sent, 200, "read");
  const camera = program === "Axis" ? /QX\w{6}/.exec(at(world.axis, owner).name)?.[0] : webhook.mark;
  for (const group of plate.groups)
    for (const hit of await alertsOf(group.id)) {
      if (world.things.some(({ kind, id }) => kind === "hit" && id === hit.id)) continue;
      world.cameraHits.get(camera ?? "")?.add(group);
      // People are told at once, so that the bell shows it.
      await fanOutAlerts(testApp(), [hit.id]);
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
