import { beforeAll, describe, expect, it } from "vitest";
import { at } from "#app/lib/at.ts";
import {
  apiClient,
  bindings,
  bodyOf,
  type Client,
  client,
  formInit,
  jsonInit,
  newAgency,
  newUser,
  type TestUser,
  textWithoutId,
} from "../../factories.ts";
import { createGroupAs } from "../../support/acts/hotlists.ts";

type Who = "admin" | "hotadmin" | "viewer" | "officer" | "stranger" | "strangeViewer";

let users: Record<Who, TestUser>;
let clients: Record<Who, Client>;
let theirs: { id: string; name: string };

beforeAll(async () => {
  const ours = await newAgency();
  theirs = await newAgency();
  users = {
    admin: await newUser(ours.id, { role: "admin" }),
    hotadmin: await newUser(ours.id, { hotlistAdmin: true }),
    viewer: await newUser(ours.id, { hotlistViewer: true }),
    officer: await newUser(ours.id),
    stranger: await newUser(theirs.id, { hotlistAdmin: true }),
    strangeViewer: await newUser(theirs.id, { hotlistViewer: true }),
  };
  clients = {
    admin: await client(users.admin),
    hotadmin: await client(users.hotadmin),
    viewer: await client(users.viewer),
    officer: await client(users.officer),
    stranger: await client(users.stranger),
    strangeViewer: await client(users.strangeViewer),
  };
});

function addPlate(who: Client, group_id: string, over: object = {}): Promise<Response> {
  return who.post("/hotlist/add-plate-direct", {
    plate_number: "AB12345",
    reason: "Stolen",
    state: "CT",
    notes: "",
    group_id,
    ...over,
  });
}

type Plates = { plates: { id: number; plate_number: string; state: string; revision: number }[] };

const details = (who: Client, id: string) => who.fetch(`/alerts/group/${id}/details-data`);
const platesOf = async (id: string) => (await bodyOf<Plates>(details(clients.hotadmin, id))).plates;

const PDF = "%PDF-1.4\n1 0 obj\n<</Type /Catalog>>\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

/** Creates a group with a plate that has an attachment, and a pending import. */
async function fullGroup() {
  const id = await createGroupAs(clients.hotadmin);
  const saved = await clients.hotadmin.fetch(
    `/groups/${id}/edit-mobile`,
    formInit({
      group_name: "Full",
      group_description: "",
      group_members: users.viewer.id,
      "plates[0][number]": "CC777",
      "plates[0][reason]": "Stolen",
      "plates[0][file]": new File([PDF], "warrant.pdf"),
    }),
  );
  expect(saved.status).toBe(200);
  const [plate] = (
    await bodyOf<{ plates: { id: number; attachment_path: string }[] }>(details(clients.viewer, id))
  ).plates;
  if (!plate) throw new Error("no plate");
  const csv = "plate,state,reason\nDD1,CT,New\n";
  const started = await clients.hotadmin.fetch(`/groups/${id}/import?mode=add`, {
    method: "POST",
    body: csv,
    headers: { "content-type": "application/octet-stream", "content-length": String(csv.length) },
  });
  expect(started.status).toBe(200);
  return { id, plate, importId: (await bodyOf<{ id: string }>(started)).id };
}

/** Returns calls of every endpoint that reads or changes a group. */
function callsOf({ id, plate, importId }: Awaited<ReturnType<typeof fullGroup>>) {
  const seeing: [string, RequestInit?][] = [
    [`/groups/${id}`],
    [`/groups/${id}/details`],
    [`/alerts/group/${id}/details-data`],
    [`/groups/${id}/image`],
    [`/groups/${id}/plates`, jsonInit({})],
    [`/get-hotlist-attachment-url/${plate.attachment_path}?plate_id=${plate.id}`],
  ];
  const changing: [string, RequestInit?][] = [
    [`/groups/${id}/edit`],
    [`/groups/${id}/edit-data`],
    [`/groups/${id}/edit-mobile`, formInit({ group_name: "Taken over" })],
    [
      `/groups/${id}/bulk-upload-plates`,
      formInit({ csv_file: new File(["plate\nX1"], "x.csv"), mode: "add" }),
    ],
    [
      `/groups/${id}/remove-plate`,
      { method: "POST", body: new URLSearchParams({ plate_id: String(plate.id) }) },
    ],
    [`/groups/${id}/renew-plates`, jsonInit({ part: "expired" })],
    [`/groups/${id}/plates/${plate.id}`, jsonInit({ reason: "x", revision: 1 }, { method: "PATCH" })],
    ["/archive-group", jsonInit({ group_id: id })],
    ["/hotlist/add-plate-direct", jsonInit({ plate_number: "ZZ1", reason: "x", group_id: id })],
    [`/groups/${id}/import`],
    [
      `/groups/${id}/import?mode=add`,
      {
        method: "POST",
        body: "plate\nX1",
        headers: { "content-type": "application/octet-stream", "content-length": "8" },
      },
    ],
    [`/groups/${id}/import/${importId}/apply`, { method: "POST" }],
    [`/groups/${id}/import/${importId}/cancel`, { method: "POST" }],
    [`/groups/${id}/invitations`, jsonInit({ agency_id: theirs.id })],
    [`/groups/${id}/invitations/${theirs.id}`, { method: "DELETE" }],
  ];
  return { seeing, changing };
}

async function statuses(who: Client, calls: [string, RequestInit?][]) {
  const found: [string, number][] = [];
  for (const [path, init] of calls) {
    const answer = await who.fetch(path, init);
    await answer.body?.cancel();
    found.push([`${init?.method ?? "GET"} ${path}`, answer.status]);
  }
  return found;
}

const all = (calls: [string, RequestInit?][], status: number) =>
  calls.map(([path, init]) => [`${init?.method ?? "GET"} ${path}`, status]);

describe("a group, at every endpoint", () => {
  it("can be read but not changed by viewers, and neither read nor changed by officers", async () => {
    const group = await fullGroup();
    const { seeing, changing } = callsOf(group);
    for (const [path, status] of await statuses(clients.viewer, seeing))
      expect([path, [200, 302].includes(status)]).toEqual([path, true]);
    expect(await statuses(clients.viewer, changing)).toEqual(all(changing, 403));
    expect(await statuses(clients.officer, [...seeing, ...changing])).toEqual(
      all([...seeing, ...changing], 403),
    );
    expect(await platesOf(group.id)).toMatchObject([{ plate_number: "CC777", revision: 1 }]);
  });

  it("is not found for any user of another agency", async () => {
    const group = await fullGroup();
    const { seeing, changing } = callsOf(group);
    expect(await statuses(clients.stranger, seeing)).toEqual(all(seeing, 404));
    expect(await statuses(clients.stranger, changing)).toEqual(all(changing, 404));
    expect(await statuses(clients.strangeViewer, seeing)).toEqual(all(seeing, 404));
    const listed = await bodyOf<{ id: string }[]>(clients.stranger.fetch("/alerts-data"));
    expect(listed.map(({ id }) => id)).not.toContain(group.id);
    expect(await platesOf(group.id)).toMatchObject([{ plate_number: "CC777", revision: 1 }]);
  });

  it("cannot be reached with forged ids, and responses do not reveal whether an id exists", async () => {
    const { id } = await fullGroup();
    const words = async (who: Client, group: string) => textWithoutId(await details(who, group));
    expect(await words(clients.stranger, id)).toBe(await words(clients.stranger, "no-such-group"));
    for (const forged of [
      "%2e%2e",
      "1%20or%201=1",
      "..%2Falerts",
      "x".repeat(5000),
      "%00",
      "*",
      "%F0%9F%9A%97",
    ]) {
      const answer = await details(clients.hotadmin, forged);
      await answer.body?.cancel();
      expect([forged.slice(0, 20), answer.status]).toEqual([forged.slice(0, 20), 404]);
    }
  });

  it("does not expose its plates, imports or attachments through the URL of another group of the agency", async () => {
    const full = await fullGroup();
    const other = await createGroupAs(clients.hotadmin);
    const calls: [string, RequestInit?][] = [
      [
        `/groups/${other}/remove-plate`,
        { method: "POST", body: new URLSearchParams({ plate_id: String(full.plate.id) }) },
      ],
      [
        `/groups/${other}/plates/${full.plate.id}`,
        jsonInit({ reason: "x", revision: 1 }, { method: "PATCH" }),
      ],
      [`/groups/${other}/import/${full.importId}/apply`, { method: "POST" }],
      [`/groups/${other}/import/${full.importId}/cancel`, { method: "POST" }],
      [`/get-hotlist-attachment-url/${full.plate.attachment_path}?plate_id=1`],
      [`/get-hotlist-attachment-url/${full.plate.attachment_path}`],
    ];
    expect(await statuses(clients.hotadmin, calls)).toEqual(all(calls, 404));
  });

  it("is not found by members once it is archived; its managers can only read it", async () => {
    const group = await fullGroup();
    const { seeing, changing } = callsOf(group);
    expect((await clients.hotadmin.post("/archive-group", { group_id: group.id })).status).toBe(200);
    expect(await statuses(clients.viewer, seeing)).toEqual(all(seeing, 404));
    expect(await statuses(clients.hotadmin, changing)).toEqual(all(changing, 404));
    expect((await details(clients.hotadmin, group.id)).status).toBe(200);
    expect(await bodyOf(clients.hotadmin.post("/archive-group", { group_id: group.id }))).toMatchObject({
      msg: expect.any(String),
    });
  });

  it("promises nothing on its page once it is archived, because no plate or member can be added", async () => {
    const id = await createGroupAs(clients.hotadmin);
    const page = async () => (await clients.hotadmin.fetch(`/groups/${id}`)).text();
    const promises = ["Nothing is matched for this group until plates are added.", "alerts yet."];
    for (const promise of promises) expect(await page()).toContain(promise);
    await clients.hotadmin.post("/archive-group", { group_id: id });
    const archived = await page();
    expect(archived).toContain("No plates in this group.");
    for (const promise of promises) expect(archived).not.toContain(promise);
  });
});

describe("mobile requests", () => {
  it("keep their documented field names and texts", async () => {
    const phone = await apiClient(users.hotadmin);
    const created = await phone.fetch(
      "/groups/create-mobile",
      formInit({
        group_name: "Phone",
        group_description: "",
        group_members: `${users.viewer.id},${users.admin.id}`,
      }),
    );
    const { group_id: id, message } = await bodyOf<{ group_id: string; message: string }>(created);
    expect(message).toBe("Group created successfully!");
    expect(await bodyOf(addPlate(phone, id))).toMatchObject({
      message: "Successfully added 'AB12345' to 'Phone'",
    });
    const edit = await bodyOf<
      { group: { member_ids: string[] }; members: object[]; users_by_agency: object } & Plates
    >(phone.fetch(`/groups/${id}/edit-data`));
    expect(edit.group.member_ids.toSorted()).toEqual([users.viewer.id, users.admin.id].toSorted());
    expect(edit.members).toHaveLength(2);
    expect(Object.values(edit.users_by_agency)[0]).toHaveLength(4);
    expect(edit.plates).toMatchObject([{ plate_number: "AB12345", state: "CT" }]);
    const bulk = await phone.fetch(
      `/groups/${id}/bulk-upload-plates`,
      formInit({ csv_file: new File(["plate,state,reason\nEE1,CT,x\n"], "plates.csv"), mode: "replace" }),
    );
    expect([bulk.status, await bulk.text()]).toEqual([
      200,
      "1 plate added, 0 unchanged, 0 conflicting, 1 removed.",
    ]);
    // A failed export has a header only. Nothing was previewed, so it must not end the alerts of a whole list.
    const empty = await phone.fetch(
      `/groups/${id}/bulk-upload-plates`,
      formInit({ csv_file: new File(["plate,state,reason\n"], "plates.csv"), mode: "replace" }),
    );
    expect([empty.status, await empty.text()]).toEqual([400, expect.stringContaining("has no plates")]);
    const [left] = await platesOf(id);
    expect(left).toMatchObject({ plate_number: "EE1" });
    const removed = await phone.fetch(`/groups/${id}/remove-plate`, {
      method: "POST",
      body: new URLSearchParams({ plate_id: String(left?.id) }),
    });
    expect(await bodyOf(removed)).toMatchObject({ success: true });
    const failing = await phone.fetch(
      `/groups/${id}/bulk-upload-plates`,
      formInit({ csv_file: new File(["PK\u0003\u0004"], "plates.csv"), mode: "add" }),
    );
    expect([failing.status, await failing.text()]).toEqual([400, expect.stringContaining("ZIP archive")]);
    expect(await bodyOf(phone.post("/toggle-push-alerts", { push_alerts: true }))).toEqual({
      push_alerts: true,
    });
    expect((await bodyOf(phone.post("/archive-group", { group_id: id }))).msg).toContain("archived");
  });

  it("accept null for optional fields, and keep line breaks in notes and descriptions", async () => {
    const id = await createGroupAs(clients.hotadmin);
    const phone = await apiClient(users.hotadmin);
    const plate = { plate_number: "NUL1", reason: "Stolen", group_id: id };
    expect(
      await bodyOf(phone.post("/hotlist/add-plate-direct", { ...plate, state: null, notes: null })),
    ).toMatchObject({ plate: "NUL1" });
    await bodyOf(
      phone.post("/hotlist/add-plate-direct", {
        ...plate,
        plate_number: "L1NES",
        notes: "one\r\n\ttwo\u200b ",
      }),
    );
    expect(await platesOf(id)).toMatchObject([{ notes: "one\ntwo" }, { notes: "", state: "" }]);
    for (const missing of [
      { ...plate, group_id: null },
      { ...plate, reason: null },
    ]) {
      const refused = await phone.post("/hotlist/add-plate-direct", missing);
      expect([refused.status, await bodyOf<object>(refused)]).toEqual([
        400,
        expect.objectContaining({ message: "Please select a group and enter a reason." }),
      ]);
    }
    const saved = await phone.fetch(
      `/groups/${id}/edit-mobile`,
      formInit({ group_name: "Lines", group_description: "first\n\n\n\nsecond" }),
    );
    expect(saved.status).toBe(200);
    expect((await bodyOf<{ group: { description: string } }>(details(phone, id))).group.description).toBe(
      "first\n\nsecond",
    );
  });

  it("name the plate that is wrong, unless it is blank", async () => {
    const id = await createGroupAs(clients.hotadmin);
    const messageFor = async (plate_number: string) =>
      (await bodyOf<{ msg: string }>(addPlate(clients.hotadmin, id, { plate_number }))).msg;
    expect(await messageFor("AB!1")).toBe("AB!1: A plate can contain only letters and digits.");
    for (const blank of ["", "  ", "\u00a0"])
      expect(await messageFor(blank)).toBe("A plate number is required.");
  });

  it("refuse undocumented input with a message, never with a server error", async () => {
    const id = await createGroupAs(clients.hotadmin);
    const tries: [string, RequestInit][] = [
      [
        "/hotlist/add-plate-direct",
        jsonInit({ plate_number: "AB1", reason: " ", state: "CT", group_id: id }),
      ],
      ["/hotlist/add-plate-direct", jsonInit({ plate_number: "'; --", reason: "x", group_id: id })],
      [
        "/hotlist/add-plate-direct",
        jsonInit({ plate_number: "AB1", reason: "x", state: "Connecticat", group_id: id }),
      ],
      ["/hotlist/add-plate-direct", jsonInit({ plate_number: [5], reason: "x", group_id: id })],
      [`/groups/${id}/edit-mobile`, formInit({ group_name: "  " })],
      [`/groups/${id}/edit-mobile`, formInit({ group_name: "x", group_members: "nobody" })],
      [`/groups/${id}/edit-mobile`, formInit({ group_name: "x", "plates[0][reason]": "no number" })],
      ["/groups/create-mobile", formInit({ group_name: "x", group_members: "nobody" })],
      [
        "/groups/create-mobile",
        formInit({ group_name: "x", group_image_file: new File(["<svg/>"], "a.png") }),
      ],
      [`/groups/${id}/bulk-upload-plates`, formInit({ mode: "add" })],
      [
        `/groups/${id}/bulk-upload-plates`,
        formInit({ csv_file: new File(["plate\nA1"], "a.csv"), mode: "swap" }),
      ],
      ["/update-alert-permissions-api", jsonInit({ [`hotlist_admin_${users.stranger.id}`]: true })],
      [`/groups/${id}/plates`, jsonInit({ q: "A", part: "everything" })],
    ];
    for (const [path, init] of tries) {
      const answer = await clients.hotadmin.fetch(path, init);
      await answer.body?.cancel();
      expect([path, [400, 415].includes(answer.status)]).toEqual([path, true]);
    }
  });
});

describe("a saved group", () => {
  it("keeps the description and the members that were not sent", async () => {
    const { hotadmin } = clients;
    const members = [users.viewer.id, users.admin.id].toSorted();
    const id = await createGroupAs(hotadmin, {
      group_description: "Kept",
      group_members: members.join(","),
    });
    const save = async (form: FormData) => {
      const path = `/groups/${id}/edit-mobile`;
      expect((await hotadmin.fetch(path, { method: "POST", body: form })).status).toBe(200);
      const saved = await bodyOf<{ group: { member_ids: string[]; description: string } }>(
        hotadmin.fetch(`/groups/${id}/edit-data`),
      );
      return [saved.group.member_ids.toSorted(), saved.group.description];
    };
    const formOf = (...fields: [string, string][]) => {
      const form = new FormData();
      for (const [name, value] of [["group_name", "Renamed"] as const, ...fields]) form.append(name, value);
      return form;
    };
    expect(await save(formOf())).toEqual([members, "Kept"]);
    const repeated = members.map((member): [string, string] => ["group_members", member]);
    expect(await save(formOf(...repeated))).toEqual([members, "Kept"]);
    const brackets = formOf(["group_members[]", users.viewer.id], ["group_description", ""]);
    expect(await save(brackets)).toEqual([[users.viewer.id], ""]);
    expect(await save(formOf(["group_members", ""]))).toEqual([[], ""]);
  });
});

describe("rights", () => {
  it("are saved although a client sends other fields too", async () => {
    const officer = await newUser(users.hotadmin.agencyId, { hotlistViewer: true });
    const map = { [`hotlist_viewer_${officer.id}`]: null, csrf: "x", submit: "Save" };
    expect((await clients.hotadmin.post("/update-alert-permissions-api", map)).status).toBe(200);
    expect((await (await client(officer)).fetch("/alerts-data")).status).toBe(403);
  });

  it("cannot be granted to oneself", async () => {
    const give = (who: Client, map: object) => who.post("/update-alert-permissions-api", map);
    for (const who of ["hotadmin", "admin"] as const)
      for (const flag of ["admin", "viewer"])
        expect(
          (await give(clients[who], { [`hotlist_${flag}_${users[who].id}`]: flag === "viewer" })).status,
        ).toBe(flag === "viewer" || who === "hotadmin" ? 403 : 200);
    for (const who of ["viewer", "officer"] as const)
      expect((await give(clients[who], { [`hotlist_admin_${users[who].id}`]: true })).status).toBe(403);
    const officer = await newUser(users.hotadmin.agencyId);
    const before = await client(officer);
    expect((await before.fetch("/alerts-data")).status).toBe(403);
    expect((await give(clients.hotadmin, { [`hotlist_viewer_${officer.id}`]: true })).status).toBe(200);
    expect((await before.fetch("/alerts-data")).status).toBe(200);
    expect((await give(clients.hotadmin, { [`hotlist_viewer_${officer.id}`]: false })).status).toBe(200);
    expect((await before.fetch("/alerts-data")).status).toBe(403);
  });

  it("are set for 10,000 users in one call, even if some of them are gone and have nothing to lose", async () => {
    const [officer, gone] = [
      await newUser(users.hotadmin.agencyId),
      await newUser(users.hotadmin.agencyId, { hotlistViewer: true }),
    ];
    await bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?").bind(gone.id).run();
    const others = Array.from({ length: 9_998 }, () => crypto.randomUUID().slice(0, 22));
    const map = Object.fromEntries(
      [...others, gone.id, officer.id].flatMap((id) => [
        [`hotlist_admin_${id}`, false],
        [`hotlist_viewer_${id}`, id === officer.id],
      ]),
    );
    expect((await clients.hotadmin.post("/update-alert-permissions-api", map)).status).toBe(200);
    expect((await (await client(officer)).fetch("/alerts-data")).status).toBe(200);
    const granted = { [`hotlist_admin_${gone.id}`]: true };
    expect((await clients.hotadmin.post("/update-alert-permissions-api", granted)).status).toBe(400);
  });

  it("are saved with the list as the client read it, although users with rights were disabled or deleted since", async () => {
    const [officer, disabled, deleted] = [
      await newUser(users.hotadmin.agencyId),
      await newUser(users.hotadmin.agencyId, { hotlistViewer: true }),
      await newUser(users.hotadmin.agencyId, { hotlistAdmin: true }),
    ];
    const list: { id: string; hotlist_admin: boolean; hotlist_viewer: boolean }[] = await (
      await clients.hotadmin.fetch("/agency-users-api")
    ).json();
    const rights = Object.fromEntries(
      list.flatMap((one) => [
        [`hotlist_admin_${one.id}`, one.hotlist_admin],
        [`hotlist_viewer_${one.id}`, one.hotlist_viewer || one.id === officer.id],
      ]),
    );
    await bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?").bind(disabled.id).run();
    expect((await clients.admin.fetch(`/admin/delete-user/${deleted.id}`, { method: "DELETE" })).status).toBe(
      200,
    );
    expect((await clients.hotadmin.post("/update-alert-permissions-api", rights)).status).toBe(200);
    expect((await (await client(officer)).fetch("/alerts-data")).status).toBe(200);
    const stranger = await newUser(users.stranger.agencyId, { hotlistViewer: true });
    await bindings.DB.prepare("UPDATE users SET disabled_at = 1, deleted_at = 1 WHERE id = ?")
      .bind(stranger.id)
      .run();
    const foreign = { [`hotlist_viewer_${stranger.id}`]: true };
    expect((await clients.hotadmin.post("/update-alert-permissions-api", foreign)).status).toBe(400);
  });

  it("of an invited agency start when its hotlist admin accepts and end when the owner withdraws", async () => {
    const id = await createGroupAs(clients.hotadmin);
    const answer = (accept: boolean) => clients.stranger.post(`/groups/${id}/invitation-answer`, { accept });
    const choose = (members: string[]) =>
      clients.stranger.fetch(`/groups/${id}/own-members`, jsonInit({ members }, { method: "PUT" }));
    expect((await answer(true)).status).toBe(404);
    expect((await clients.hotadmin.post(`/groups/${id}/invitations`, { agency_id: "none" })).status).toBe(
      400,
    );
    expect((await clients.hotadmin.post(`/groups/${id}/invitations`, { agency_id: theirs.id })).status).toBe(
      200,
    );
    expect(
      (await clients.strangeViewer.post(`/groups/${id}/invitation-answer`, { accept: true })).status,
    ).toBe(403);
    expect((await choose([users.strangeViewer.id])).status).toBe(404);
    expect((await answer(true)).status).toBe(200);
    expect((await answer(true)).status).toBe(409);
    expect((await details(clients.strangeViewer, id)).status).toBe(404);
    expect((await choose([users.viewer.id])).status).toBe(400);
    expect((await choose([users.strangeViewer.id])).status).toBe(200);
    expect((await bodyOf<{ group: object }>(details(clients.strangeViewer, id))).group).toMatchObject({
      can_edit: false,
      member_ids: [users.strangeViewer.id],
    });
    expect((await addPlate(clients.stranger, id)).status).toBe(403);
    expect((await clients.stranger.fetch(`/groups/${id}/edit-data`)).status).toBe(403);
    const ended = await clients.hotadmin.fetch(`/groups/${id}/invitations/${theirs.id}`, {
      method: "DELETE",
    });
    expect(ended.status).toBe(200);
    expect((await details(clients.strangeViewer, id)).status).toBe(404);
    expect((await details(clients.stranger, id)).status).toBe(404);
  });
});

describe("concurrent editors", () => {
  it("cannot overwrite each other: the second gets a conflict with the first editor's name", async () => {
    const id = await createGroupAs(clients.hotadmin, { group_name: "Before" });
    const save = (who: Client, group_name: string, version: number) =>
      who.fetch(`/groups/${id}/edit-mobile`, formInit({ group_name, version: String(version) }));
    expect((await save(clients.admin, "Admin's", 1)).status).toBe(200);
    const second = await save(clients.hotadmin, "Hotadmin's", 1);
    expect(second.status).toBe(409);
    expect((await bodyOf<{ message: string }>(second)).message).toContain(users.admin.name);
    const both = await Promise.all([save(clients.admin, "A", 2), save(clients.hotadmin, "B", 2)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await bodyOf<{ group: object }>(details(clients.viewer, id))).group).toMatchObject({
      name: both[0]?.status === 200 ? "A" : "B",
      version: 3,
    });
  });

  it("can repeat a save with the same idempotency key: it is done once, with the same response", async () => {
    const key = crypto.randomUUID();
    const create = () =>
      clients.hotadmin.fetch(
        "/groups/create-mobile",
        formInit({ group_name: "Twice", idempotency_key: key }),
      );
    const created = await Promise.all([create(), create(), create()]);
    const ids = await Promise.all(
      created.map(async (answer) => (await bodyOf<{ group_id: string }>(answer)).group_id),
    );
    expect(new Set(ids).size).toBe(1);
    const id = at(ids, 0);
    const adds = await Promise.all(
      [1, 2, 3].map(() => addPlate(clients.hotadmin, id, { idempotency_key: `${key}2` })),
    );
    expect(adds.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await platesOf(id)).toHaveLength(1);
    const save = () =>
      clients.hotadmin.fetch(
        `/groups/${id}/edit-mobile`,
        formInit({
          group_name: "Twice",
          version: "1",
          idempotency_key: `${key}3`,
          "plates[0][number]": "BB2",
          "plates[0][reason]": "x",
        }),
      );
    expect((await Promise.all([save(), save()])).map(({ status }) => status)).toEqual([200, 200]);
    expect(await platesOf(id)).toHaveLength(2);
    // The same key from another user is a different save.
    expect((await addPlate(clients.admin, id, { idempotency_key: `${key}2` })).status).toBe(409);
  });

  it("saves other content under a key that was used: a page that was gone back to still has its first key", async () => {
    const key = crypto.randomUUID();
    const create = async (group_name: string) => {
      const init = formInit({ group_name, idempotency_key: key });
      return (await bodyOf<{ group_id: string }>(clients.hotadmin.fetch("/groups/create-mobile", init)))
        .group_id;
    };
    const id = await create("First");
    expect(await create("Second")).not.toBe(id);
    for (const plate_number of ["AA111", "AA222"])
      expect((await addPlate(clients.hotadmin, id, { plate_number, idempotency_key: key })).status).toBe(200);
    const save = (plate: string, file: string) => {
      const fields = { group_name: "First", idempotency_key: key, "plates[0][reason]": "x" };
      const attached = { "plates[0][number]": plate, "plates[0][file]": new File([file], "warrant.pdf") };
      return clients.hotadmin.fetch(`/groups/${id}/edit-mobile`, formInit({ ...fields, ...attached }));
    };
    expect((await save("BB111", PDF)).status).toBe(200);
    expect((await save("BB222", PDF)).status).toBe(200);
    expect(await platesOf(id)).toHaveLength(4);
    // Only the attachment differs, so that the plate is there already.
    expect((await save("BB222", `${PDF} `)).status).toBe(409);
    expect((await save("BB222", PDF)).status).toBe(200);
  });
});

describe("an import", () => {
  it("without a file, and one that is sent in chunks, are refused for what they lack", async () => {
    const group = await createGroupAs(clients.hotadmin);
    const post = (body?: ReadableStream) => {
      const headers = { "content-type": "application/octet-stream" };
      return clients.hotadmin.fetch(`/groups/${group}/import`, { method: "POST", headers, body });
    };
    expect((await bodyOf<{ message: string }>(post())).message).toBe("Choose a file.");
    const chunks = new ReadableStream({
      start(stream) {
        stream.enqueue(new TextEncoder().encode("plate,reason\nDD1,New\n"));
        stream.close();
      },
    });
    const chunked = await post(chunks);
    expect([chunked.status, (await bodyOf<{ message: string }>(chunked)).message]).toEqual([
      400,
      "Send the size of the file in Content-Length, not in chunks.",
    ]);
  });
});

describe("privileged functions", () => {
  it("need a recent proof of identity: archive, remove, replace all", async () => {
    const full = await fullGroup();
    const replace = await createGroupAs(clients.hotadmin);
    const csv = "plate,state,reason\nDD1,CT,New\n";
    const started = await clients.hotadmin.fetch(`/groups/${replace}/import?mode=replace`, {
      method: "POST",
      body: csv,
      headers: { "content-type": "application/octet-stream", "content-length": String(csv.length) },
    });
    const { id: replacing } = await bodyOf<{ id: string }>(started);
    const stale = await client(users.hotadmin);
    await bindings.DB.prepare("UPDATE sessions SET proved_at = ? WHERE user_id = ?")
      .bind(Date.now() - 11 * 60_000, users.hotadmin.id)
      .run();
    const privileged: [string, RequestInit][] = [
      ["/archive-group", jsonInit({ group_id: full.id })],
      [
        `/groups/${full.id}/remove-plate`,
        { method: "POST", body: new URLSearchParams({ plate_id: String(full.plate.id) }) },
      ],
      [`/groups/${replace}/import/${replacing}/apply`, { method: "POST" }],
    ];
    for (const [path, init] of privileged) {
      const answer = await stale.fetch(path, init);
      expect([path, answer.status, (await bodyOf(answer)).code]).toEqual([path, 403, "step_up_required"]);
    }
    const other = await createGroupAs(stale);
    const bulk = await stale.fetch(
      `/groups/${other}/bulk-upload-plates`,
      formInit({ csv_file: new File(["plate\nA1"], "a.csv"), mode: "replace" }),
    );
    expect([bulk.status, await bulk.text()]).toEqual([403, "Please confirm that it is you."]);
    // Adding is not privileged.
    expect((await addPlate(stale, other)).status).toBe(200);
    clients.hotadmin = await client(users.hotadmin);
    expect((await clients.hotadmin.post("/archive-group", { group_id: full.id })).status).toBe(200);
  });
});
