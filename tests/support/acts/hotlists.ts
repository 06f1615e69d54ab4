import type { AppContext } from "#app/context.ts";
import { continueImport, reloadImport } from "#app/domain/hotlists/import-work.ts";
import { isImportBusy } from "#app/entities/hotlists/import.ts";
import { anAlert, bindings, type Client, formInit, jsonInit, testApp, unique } from "../../factories.ts";
import { type Act, type Acts, DELETE, newPlate, POST, type Scene, told } from "./scene.ts";

/** Creates a group as a hotlist admin does. Returns its id. */
export async function createGroupAs(who: Client, fields: Record<string, string> = {}): Promise<string> {
  const form = formInit({ group_name: unique("Group"), ...fields });
  return (await told<{ group_id: string }>(who, "/groups/create-mobile", form)).group_id;
}

/** Creates a group of our agency with its viewer as a member. Returns its id. */
function newGroup({ hotadmin, world }: Scene): Promise<string> {
  return createGroupAs(hotadmin, { group_members: world.users.viewer.id });
}

const details = { reason: "Stolen", state: "CT", notes: "" };

/** Creates a group with one plate. */
async function groupWithPlate(scene: Scene) {
  const group = await newGroup(scene);
  const entry = { plate_number: newPlate(), ...details, group_id: group };
  await told(scene.hotadmin, "/hotlist/add-plate-direct", jsonInit(entry));
  const path = `/alerts/group/${group}/details-data`;
  const { plates } = await told<{ plates: { id: number; revision: number }[] }>(scene.hotadmin, path, {});
  return { group, ...(plates[0] as { id: number; revision: number }) };
}

const fileInit = (): RequestInit => {
  const csv = `plate,state,reason\n${newPlate()},CT,Stolen\n`;
  const headers = { "content-type": "application/octet-stream", "content-length": String(csv.length) };
  return { method: "POST", body: csv, headers };
};

/** Continues an import until it waits for a user or ends. The queue's consumer may do some of its steps meanwhile. */
export async function endImport(app: AppContext, id: string): Promise<void> {
  do await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
  while (isImportBusy((await reloadImport(app, id)).state));
}

/** Creates a group with an import that waits for confirmation. Returns the path of the import. */
async function groupWithImport(scene: Scene) {
  const group = await newGroup(scene);
  const { id } = await told(scene.hotadmin, `/groups/${group}/import?mode=add`, fileInit());
  await endImport(testApp(), id as string);
  return `/groups/${group}/import/${id}`;
}

const LAYOUT = { kind: "delimited", delimiter: ";", header: 0, parts: [{ field: "plate", column: 0 }] };

/** Creates a group with an import that waits for its columns. Returns path and body that map and save them. */
async function groupWithColumns(scene: Scene) {
  const group = await newGroup(scene);
  const { id } = await told(scene.hotadmin, `/groups/${group}/import?preset=columns`, fileInit());
  await endImport(testApp(), id as string);
  const body = { layout: { ...LAYOUT, reason: "Stolen" }, save_as: unique("Mapping") };
  return { path: `/groups/${group}/import/${id}/mapping`, body };
}

/** Saves a column mapping of the agency. Returns its path. */
async function savedMapping(scene: Scene): Promise<string> {
  const { path, body } = await groupWithColumns(scene);
  await told(scene.hotadmin, path, jsonInit(body));
  const { mappings } = await told<{ mappings: { id: string; name: string }[] }>(
    scene.hotadmin,
    "/hotlist/mappings",
    {},
  );
  return `/hotlist/mappings/${mappings.find(({ name }) => name === body.save_as)?.id}`;
}

/** Creates a group and invites the other agency, which accepts if `accepted`. Returns the group's id. */
async function invited(scene: Scene, accepted: boolean): Promise<string> {
  const group = await newGroup(scene);
  const { hotadmin, stranger, world } = scene;
  await told(hotadmin, `/groups/${group}/invitations`, jsonInit({ agency_id: world.theirs.id }));
  if (accepted) await told(stranger, `/groups/${group}/invitation-answer`, jsonInit({ accept: true }));
  return group;
}

type Of = Pick<Act, "path" | "init" | "rows"> & Partial<Act>;
const by = (who: Client, act: Of): Act => ({ who, own: true, ...act });

export const HOTLIST_ACTS: Acts = {
  "POST /groups/create-mobile": async ({ hotadmin }) => ({
    who: hotadmin,
    path: "/groups/create-mobile",
    init: formInit({ group_name: unique("Group") }),
    rows: ["group.create"],
  }),
  "POST /groups/:id/edit-mobile": async (scene) => {
    const fields = {
      group_name: unique("Edited"),
      group_members: scene.world.users.colleague.id,
      "plates[0][number]": newPlate(),
      "plates[0][reason]": "Stolen",
      "plates[0][file]": new File(["%PDF-1.4\n1 0 obj\n<</Type /Catalog>>\nendobj\n%%EOF\n"], "warrant.pdf"),
    };
    const path = `/groups/${await newGroup(scene)}/edit-mobile`;
    return by(scene.hotadmin, { path, init: formInit(fields), rows: ["group.edit", "plate.add"] });
  },
  "POST /archive-group": async (scene) =>
    by(scene.hotadmin, {
      path: "/archive-group",
      init: jsonInit({ group_id: await newGroup(scene) }),
      rows: ["group.archive"],
    }),
  "POST /groups/:id/invitations": async (scene) =>
    by(scene.hotadmin, {
      path: `/groups/${await newGroup(scene)}/invitations`,
      init: jsonInit({ agency_id: scene.world.theirs.id }),
      rows: ["group.invite"],
    }),
  "DELETE /groups/:id/invitations/:agency": async (scene) =>
    by(scene.hotadmin, {
      path: `/groups/${await invited(scene, true)}/invitations/${scene.world.theirs.id}`,
      init: DELETE,
      rows: ["group.invitation"],
    }),
  "POST /groups/:id/invitation-answer": async (scene) =>
    by(scene.stranger, {
      path: `/groups/${await invited(scene, false)}/invitation-answer`,
      init: jsonInit({ accept: true }),
      rows: ["group.invitation"],
    }),
  "PUT /groups/:id/own-members": async (scene) =>
    by(scene.stranger, {
      path: `/groups/${await invited(scene, true)}/own-members`,
      init: jsonInit({ members: [scene.world.users.strangeAdmin.id] }, { method: "PUT" }),
      rows: ["group.members"],
    }),
  "POST /update-alert-permissions-api": async ({ hotadmin, world }) => {
    const { id } = world.users.colleague;
    await bindings.DB.prepare("UPDATE users SET hotlist_viewer = 0 WHERE id = ?").bind(id).run();
    return by(hotadmin, {
      path: "/update-alert-permissions-api",
      init: jsonInit({ [`hotlist_viewer_${id}`]: true }),
      rows: ["alert-permissions.edit"],
    });
  },
  "POST /api/alerts/:id/disposition": async (scene) => {
    const { id } = await anAlert({ id: await newGroup(scene), agencyId: scene.world.ours.id });
    return by(scene.viewer, {
      path: `/api/alerts/${id}/disposition`,
      init: jsonInit({ disposition: "correct" }),
      rows: ["alert.disposition"],
    });
  },
  "POST /alerts/group/:id/find": async (scene) => ({
    ...by(scene.viewer, {
      path: `/alerts/group/${await newGroup(scene)}/find`,
      init: jsonInit({ filter: "plate=AB12345" }),
      rows: ["hits.view"],
    }),
    looks: true,
  }),
  "POST /hotlist/add-plate-direct": async (scene) =>
    by(scene.hotadmin, {
      path: "/hotlist/add-plate-direct",
      init: jsonInit({ plate_number: newPlate(), ...details, group_id: await newGroup(scene) }),
      rows: ["plate.add"],
    }),
  "POST /hotlist/check-plate": async ({ hotadmin }) => ({
    who: hotadmin,
    path: "/hotlist/check-plate",
    init: jsonInit({ plate_number: newPlate() }),
    rows: ["plate.check"],
    looks: true,
  }),
  "POST /hotlist/past-reads": async ({ hotadmin }) => ({
    who: hotadmin,
    path: "/hotlist/past-reads",
    init: jsonInit({ plate_number: newPlate() }),
    rows: ["plate.past-reads"],
    looks: true,
  }),
  "POST /groups/:id/plates, of a plate": async (scene) => ({
    ...by(scene.viewer, {
      path: `/groups/${await newGroup(scene)}/plates`,
      init: jsonInit({ q: newPlate() }),
      rows: ["plates.view"],
    }),
    looks: true,
  }),
  "POST /groups/:id/remove-plate": async (scene) => {
    const { group, id } = await groupWithPlate(scene);
    const body = new URLSearchParams({ plate_id: String(id) });
    const path = `/groups/${group}/remove-plate`;
    return by(scene.hotadmin, { path, init: { method: "POST", body }, rows: ["plate.remove"] });
  },
  "POST /groups/:id/renew-plates": async (scene) => {
    const { group, id } = await groupWithPlate(scene);
    await bindings.DB.prepare("UPDATE hotlist_entries SET expires_at = 1 WHERE id = ?").bind(id).run();
    const path = `/groups/${group}/renew-plates`;
    return by(scene.hotadmin, { path, init: jsonInit({ part: "expired" }), rows: ["plate.renew"] });
  },
  "PATCH /groups/:id/plates/:plate": async (scene) => {
    const { group, id, revision } = await groupWithPlate(scene);
    return by(scene.hotadmin, {
      path: `/groups/${group}/plates/${id}`,
      init: jsonInit({ ...details, notes: "Seen again", revision }, { method: "PATCH" }),
      rows: ["plate.edit"],
    });
  },
  "POST /groups/:id/bulk-upload-plates": async (scene) => {
    const csv_file = new File([`plate,state,reason\n${newPlate()},CT,Stolen\n`], "plates.csv");
    return by(scene.hotadmin, {
      path: `/groups/${await newGroup(scene)}/bulk-upload-plates`,
      init: formInit({ csv_file, mode: "add" }),
      rows: ["hotlist-import.start", "hotlist-import.apply"],
    });
  },
  "POST /groups/:id/import": async (scene) =>
    by(scene.hotadmin, {
      path: `/groups/${await newGroup(scene)}/import?mode=add`,
      init: fileInit(),
      rows: ["hotlist-import.start"],
    }),
  "POST /groups/:id/import/:import/apply": async (scene) =>
    by(scene.hotadmin, {
      path: `${await groupWithImport(scene)}/apply`,
      init: POST,
      rows: ["hotlist-import.apply"],
    }),
  "POST /groups/:id/import/:import/cancel": async (scene) =>
    by(scene.hotadmin, {
      path: `${await groupWithImport(scene)}/cancel`,
      init: POST,
      rows: ["hotlist-import.cancel"],
    }),
  "POST /groups/:id/import/:import/mapping": async (scene) => {
    const { path, body } = await groupWithColumns(scene);
    const rows = ["hotlist-import.map", "hotlist-mapping.add"];
    return by(scene.hotadmin, { path, init: jsonInit(body), rows });
  },
  "PATCH /hotlist/mappings/:id": async (scene) =>
    by(scene.hotadmin, {
      path: await savedMapping(scene),
      init: jsonInit({ name: unique("Renamed") }, { method: "PATCH" }),
      rows: ["hotlist-mapping.rename"],
    }),
  "DELETE /hotlist/mappings/:id": async (scene) =>
    by(scene.hotadmin, {
      path: await savedMapping(scene),
      init: DELETE,
      rows: ["hotlist-mapping.delete"],
    }),
};

/** Views of a group for its members; for other agencies the group does not exist. */
export const GROUP_LOOKS: Acts = {
  "POST /alerts/group/:id/new": async (scene) =>
    by(scene.viewer, {
      path: `/alerts/group/${await newGroup(scene)}/new`,
      init: jsonInit({ filter: "latest=0" }),
      rows: [],
    }),
  "POST /groups/:id/plates": async (scene) =>
    by(scene.viewer, { path: `/groups/${await newGroup(scene)}/plates`, init: jsonInit({}), rows: [] }),
};
