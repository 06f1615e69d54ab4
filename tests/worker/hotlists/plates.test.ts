import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { decideAlert } from "#app/domain/alerts/hit.ts";
import { bulkUpload } from "#app/domain/hotlists/bulk-upload.ts";
import { archiveGroup, createGroup, editGroup } from "#app/domain/hotlists/group-changes.ts";
import { describeGroup, groupForEditing, listArchive, listGroupCards } from "#app/domain/hotlists/groups.ts";
import { continueImport, sweepImports } from "#app/domain/hotlists/import-work.ts";
import { applyImport, cancelImport, latestImport, startImport } from "#app/domain/hotlists/imports.ts";
import {
  answerInvitation,
  chooseOwnMembers,
  inviteAgency,
  pageOwnInvitations,
  withdrawInvitation,
} from "#app/domain/hotlists/invitations.ts";
import { changePermissions, listPermissions, togglePushAlerts } from "#app/domain/hotlists/permissions.ts";
import { addPlate, editPlate, removePlate } from "#app/domain/hotlists/plate-changes.ts";
import { checkPlate } from "#app/domain/hotlists/plate-check.ts";
import { openAttachmentOf, pagePlates } from "#app/domain/hotlists/plates.ts";
import { listReasons } from "#app/domain/hotlists/reasons.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { AddPlate, EntryDetails, GroupForm, ImportOptions, NewPlate } from "#app/entities/hotlists/calls.ts";
import { REASON_NEEDED } from "#app/entities/hotlists/entry.ts";
import { fileAnswer } from "#app/http/file-answer.ts";
import { DAY } from "#app/lib/time/dates.ts";
import {
  anAlert,
  bindings,
  newAgency,
  newUser,
  quietApp,
  sessionActorOf,
  setExpiryDays,
  type TestUser,
  unique,
} from "../../factories.ts";
import { newGroup as groupWith, plate } from "../../live.ts";
import { beforeWrite } from "../../support/batches.ts";

const encoder = new TextEncoder();
let now = Date.UTC(2026, 10, 20, 12);
let app: AppContext;
let people: Record<"hotadmin" | "viewer" | "officer" | "admin" | "stranger" | "strangerViewer", SessionActor>;

function actorOf(user: TestUser, agencyName: string): SessionActor {
  return sessionActorOf(user, agencyName, { provedAt: now });
}

beforeEach(async () => {
  now = Date.UTC(2026, 10, 20, 12);
  app = quietApp(() => now);
  const [ours, theirs] = [await newAgency(), await newAgency()];
  await setExpiryDays(ours.id, 30);
  const make = async (agency: { id: string; name: string }, over: Partial<TestUser>) =>
    actorOf(await newUser(agency.id, over), agency.name);
  people = {
    hotadmin: await make(ours, { hotlistAdmin: true }),
    viewer: await make(ours, { hotlistViewer: true }),
    officer: await make(ours, {}),
    admin: await make(ours, { role: "admin" }),
    stranger: await make(theirs, { hotlistAdmin: true }),
    strangerViewer: await make(theirs, { hotlistViewer: true }),
  };
});

function formOf(
  over: Partial<
    Record<"group_name" | "group_description" | "group_members" | "version" | "idempotency_key", string>
  > = {},
) {
  return GroupForm.parse({ group_name: "Stolen vehicles", ...over });
}

async function newGroup(over: Parameters<typeof formOf>[0] = {}): Promise<string> {
  const { group_id } = await createGroup(app, people.hotadmin, {
    form: formOf(over),
    image: null,
    plates: [],
  });
  return group_id;
}

function adding(group_id: string, over: object = {}) {
  return AddPlate.parse({
    plate_number: "AB-12345",
    reason: "Stolen",
    state: "CT",
    notes: "",
    group_id,
    ...over,
  });
}

async function auditOf(
  action: string,
): Promise<{ detail: { before: unknown; after: unknown }; plate: string }[]> {
  const { results } = await bindings.DB.prepare(
    "SELECT detail, plate FROM audit_log WHERE action = ? AND agency_id = ? ORDER BY seq",
  )
    .bind(action, people.hotadmin.agencyId)
    .all<{ detail: string; plate: string }>();
  return results.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
}

async function platesOf(groupId: string, actor = people.hotadmin): Promise<string[]> {
  const all: string[] = [];
  let after: string | null = null;
  do {
    const page = await pagePlates(app, actor, { groupId, after, limit: 500 });
    all.push(...page.plates.map((plate) => `${plate.plate_number}|${plate.state}|${plate.reason}`));
    after = page.next;
  } while (after);
  return all;
}

function csv(rows: string[]): Uint8Array<ArrayBuffer> {
  return encoder.encode(["plate,state,reason,notes,expiry,case number", ...rows].join("\r\n"));
}

async function runImport(groupId: string, bytes: Uint8Array<ArrayBuffer>, over: object = {}) {
  const options = ImportOptions.parse({ mode: "add", ...over });
  const { id } = await startImport(app, people.hotadmin, {
    groupId,
    options,
    body: bytes,
    size: bytes.length,
  });
  await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
  return id;
}

async function apply(groupId: string, id: string): Promise<void> {
  await applyImport(app, people.hotadmin, { groupId, id });
  await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
}

describe("groups", () => {
  it("are viewed by viewers of their agency, changed by its hotlist admins, and hidden from others", async () => {
    const id = await newGroup();
    expect((await describeGroup(app, people.viewer, id)).group).toMatchObject({
      name: "Stolen vehicles",
      can_edit: false,
    });
    expect((await describeGroup(app, people.admin, id)).group.can_edit).toBe(true);
    await expect(describeGroup(app, people.stranger, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(groupForEditing(app, people.viewer, id)).rejects.toMatchObject({ code: "forbidden" });
    await expect(archiveGroup(app, people.stranger, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(addPlate(app, people.stranger, adding(id))).rejects.toMatchObject({ code: "not_found" });
    await expect(addPlate(app, people.viewer, adding(id))).rejects.toMatchObject({ code: "forbidden" });
  });

  it("refuse members who are not users", async () => {
    await expect(newGroup({ group_members: "nobody" })).rejects.toMatchObject({ code: "bad_request" });
  });

  it("return a conflict to the second of two concurrent editors, and lose no changes", async () => {
    const id = await newGroup();
    const save = (version: string, name: string) =>
      editGroup(app, people.hotadmin, {
        id,
        form: formOf({ group_name: name, version }),
        image: null,
        plates: [],
      });
    await save("1", "First");
    await expect(save("1", "Second")).rejects.toMatchObject({ code: "conflict" });
    expect((await describeGroup(app, people.hotadmin, id)).group.name).toBe("First");
    const both = await Promise.allSettled([save("2", "A"), save("2", "B")]);
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("are saved once if a save is repeated with the same idempotency key", async () => {
    const key = crypto.randomUUID();
    const [one, two] = await Promise.all([
      newGroup({ idempotency_key: key }),
      newGroup({ idempotency_key: key }),
    ]);
    expect(two).toBe(one);
    const answers = await Promise.all(
      [1, 2, 3].map(() => addPlate(app, people.hotadmin, adding(one, { idempotency_key: `${key}p` }))),
    );
    expect(new Set(answers.map((answer) => answer.message))).toEqual(
      new Set(["Successfully added 'AB12345' to 'Stolen vehicles'"]),
    );
    expect(await platesOf(one)).toEqual(["AB12345|CT|Stolen"]);
    expect((await describeGroup(app, people.hotadmin, one)).group.plate_count).toBe(1);
  });

  it("can only be read, and only by their agency's hotlist admins, once archived", async () => {
    const id = await newGroup({ group_members: people.viewer.userId });
    await addPlate(app, people.hotadmin, adding(id));
    now += DAY;
    await archiveGroup(app, people.hotadmin, id);
    for (const who of [people.viewer, people.officer, people.stranger]) {
      await expect(describeGroup(app, who, id)).rejects.toMatchObject({ code: "not_found" });
      expect((await listArchive(app, who)).map((group) => group.id)).not.toContain(id);
    }
    for (const who of [people.hotadmin, people.admin]) {
      expect((await describeGroup(app, who, id)).group).toMatchObject({
        can_edit: false,
        archived_at: new Date(now).toISOString(),
      });
      expect((await pagePlates(app, who, { groupId: id })).plates).toMatchObject([
        { plate_number: "AB12345" },
      ]);
      expect(await listArchive(app, who)).toMatchObject([{ id, archived_by: people.hotadmin.name }]);
      await expect(groupForEditing(app, who, id)).rejects.toMatchObject({ code: "not_found" });
      await expect(addPlate(app, who, adding(id, { plate_number: "NEW1" }))).rejects.toMatchObject({
        code: "not_found",
      });
    }
    const hit = await anAlert({ id, agencyId: people.hotadmin.agencyId });
    const decision = { disposition: "correct", note: "", known: null } as const;
    await expect(decideAlert(app, people.hotadmin, { id: hit.id, decision })).rejects.toMatchObject({
      code: "conflict",
    });
    expect((await listGroupCards(app, people.hotadmin)).map((group) => group.id)).not.toContain(id);
    const kept = await bindings.DB.prepare("SELECT count(*) AS n FROM hotlist_entries WHERE group_id = ?")
      .bind(id)
      .first("n");
    expect(kept).toBe(1);
    expect((await auditOf("group.archive"))[0]?.detail).toMatchObject({
      before: { plates: 1 },
      after: { archived: true },
    });
  });
});

describe("other agencies", () => {
  it("participate only after their own hotlist admin accepts, with the members whom the admin chooses", async () => {
    const id = await newGroup();
    await inviteAgency(app, people.hotadmin, { groupId: id, agencyId: people.stranger.agencyId });
    await expect(describeGroup(app, people.stranger, id)).rejects.toMatchObject({ code: "not_found" });
    expect((await pageOwnInvitations(app, people.strangerViewer, 1)).rows).toEqual([]);
    expect((await pageOwnInvitations(app, people.stranger, 1)).rows).toMatchObject([
      { group_id: id, state: "pending" },
    ]);
    await expect(chooseOwnMembers(app, people.stranger, { groupId: id, userIds: [] })).rejects.toMatchObject({
      code: "not_found",
    });
    await answerInvitation(app, people.stranger, { groupId: id, accept: true });
    await expect(answerInvitation(app, people.stranger, { groupId: id, accept: true })).rejects.toMatchObject(
      { code: "conflict" },
    );
    expect((await describeGroup(app, people.stranger, id)).group.can_edit).toBe(false);
    await expect(describeGroup(app, people.strangerViewer, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(
      chooseOwnMembers(app, people.stranger, { groupId: id, userIds: [people.viewer.userId] }),
    ).rejects.toMatchObject({ code: "bad_request" });
    await chooseOwnMembers(app, people.stranger, { groupId: id, userIds: [people.strangerViewer.userId] });
    expect((await describeGroup(app, people.strangerViewer, id)).members).toHaveLength(1);
    await expect(addPlate(app, people.stranger, adding(id))).rejects.toMatchObject({ code: "forbidden" });
    await withdrawInvitation(app, people.hotadmin, { groupId: id, agencyId: people.stranger.agencyId });
    await expect(describeGroup(app, people.strangerViewer, id)).rejects.toMatchObject({ code: "not_found" });
    expect((await describeGroup(app, people.hotadmin, id)).members).toEqual([]);
  });
});

describe("plates", () => {
  it("are marked with every other group that lists them, also on a large page", async () => {
    const plates = Array.from({ length: 260 }, (_, i) => plate(`AB${1000 + i}`));
    const groups = [];
    for (let i = 0; i < 5; i++) groups.push(await groupWith(people.hotadmin.agencyId, plates));
    for (const { id } of groups) {
      const page = await pagePlates(app, people.hotadmin, { groupId: id, limit: 260 });
      expect(page.plates).toHaveLength(260);
      const others = groups.map((group) => group.id).filter((other) => other !== id);
      for (const { also_in } of page.plates) expect(also_in.toSorted()).toEqual(others.toSorted());
    }
  });

  it("cannot be added twice with the same state; other groups with the plate are named", async () => {
    const [one, two] = [await newGroup(), await newGroup({ group_name: "Missing persons" })];
    await addPlate(app, people.hotadmin, adding(one));
    await expect(addPlate(app, people.hotadmin, adding(one))).rejects.toMatchObject({ code: "conflict" });
    await expect(addPlate(app, people.hotadmin, adding(one, { reason: "  " }))).rejects.toThrow(
      "Please select a group and enter a reason.",
    );
    expect((await addPlate(app, people.hotadmin, adding(two))).duplicates).toEqual(["Stolen vehicles"]);
    const { plates } = await pagePlates(app, people.hotadmin, { groupId: two });
    expect(plates[0]).toMatchObject({ also_in: ["Stolen vehicles"], added_by_name: people.hotadmin.name });
    expect(Date.parse(plates[0]?.expires_at ?? "")).toBe(now + 30 * DAY);
    const check = await checkPlate(app, people.hotadmin, {
      plate_number: "ab 12345",
      state: "CT",
      group_id: one,
      match_policy: "exact",
      state_required: false,
    });
    expect(check).toMatchObject({ plate: "AB12345", reads: null });
    expect(check.duplicates.map(({ in_this_group }) => in_this_group).sort()).toEqual([false, true]);
    expect((await auditOf("plate.check"))[0]).toMatchObject({ plate: "AB12345" });
  });

  it("are looked up with an audit row, once for the pages of a search", async () => {
    const groupId = await newGroup();
    await addPlate(app, people.hotadmin, adding(groupId, { plate_number: "LK12345" }));
    await pagePlates(app, people.viewer, { groupId });
    await pagePlates(app, people.viewer, { groupId, search: " - " });
    for (const after of [null, "0"])
      await pagePlates(app, people.viewer, { groupId, search: "lk-12 3", after });
    await pagePlates(app, people.viewer, { groupId, search: "L?123*" });
    const looked = (await auditOf("plates.view")).map(({ plate }) => plate);
    expect(looked).toEqual(["LK123", "L?123*"]);
  });

  it("have as suggested reasons those that their own agency uses most, never another agency's", async () => {
    const id = await newGroup();
    const reasons = ["Burglary suspect", "Burglary suspect", "stolen vehicle", "Stalking, order 12"];
    for (const [n, reason] of reasons.entries())
      await addPlate(app, people.hotadmin, adding(id, { plate_number: `RS${n}`, reason }));
    const own = await listReasons(app, people.hotadmin);
    expect(own.slice(0, 3)).toEqual(["Burglary suspect", "Stalking, order 12", "stolen vehicle"]);
    // A default reason that the agency writes in another letter case is not suggested twice.
    expect(own).not.toContain("Stolen vehicle");
    expect(own).toContain("Missing person");
    const others = await listReasons(app, people.stranger);
    expect(others).not.toContain("Burglary suspect");
    expect(others[0]).toBe("Stolen vehicle");
  });

  it("are added once by concurrent requests", async () => {
    const id = await newGroup();
    const tries = await Promise.allSettled(
      [1, 2, 3, 4].map(() => addPlate(app, people.hotadmin, adding(id))),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await platesOf(id)).toHaveLength(1);
    expect(await auditOf("plate.add")).toHaveLength(1);
  });

  it("are not listed twice, and not changed after their end, by an edit that crosses another change", async () => {
    const id = await newGroup();
    for (const state of ["CT", "NY"]) await addPlate(app, people.hotadmin, adding(id, { state }));
    const { plates } = await pagePlates(app, people.hotadmin, { groupId: id });
    const [plateId, otherId] = plates.map((plate) => String(plate.id));
    if (!plateId || !otherId) throw new Error("no plates");
    const edit = (on: AppContext, which: string, state: string) => {
      const details = { ...EntryDetails.parse({ state, reason: "Stolen" }), revision: 1, renew: false };
      return editPlate(on, people.hotadmin, { groupId: id, plateId: which, details });
    };
    const both = edit(
      beforeWrite(app, () => edit(app, otherId, "MA")),
      plateId,
      "MA",
    );
    await expect(both).rejects.toMatchObject({ code: "conflict" });
    expect(await platesOf(id)).toEqual(["AB12345|CT|Stolen", "AB12345|MA|Stolen"]);
    const remove = () => removePlate(app, people.hotadmin, { groupId: id, plateId });
    await expect(edit(beforeWrite(app, remove), plateId, "RI")).rejects.toMatchObject({ code: "conflict" });
    const ended = await bindings.DB.prepare("SELECT state FROM hotlist_entries WHERE id = ?").bind(plateId);
    expect(await ended.first("state")).toBe("CT");
  });

  it("are edited, renewed and removed with the previous and new values in the audit log", async () => {
    const id = await newGroup();
    await addPlate(app, people.hotadmin, adding(id));
    const [plate] = (await pagePlates(app, people.hotadmin, { groupId: id })).plates;
    if (!plate) throw new Error("no plate");
    const details = {
      ...EntryDetails.parse({ state: "CT", reason: "Recovered", match_policy: "lookalike" }),
      revision: 1,
      renew: true,
    };
    now += 20 * DAY;
    const edited = await editPlate(app, people.hotadmin, { groupId: id, plateId: String(plate.id), details });
    expect(edited.plate).toMatchObject({ reason: "Recovered", match_policy: "lookalike", revision: 2 });
    expect(Date.parse(edited.plate.expires_at ?? "")).toBe(now + 30 * DAY);
    await expect(
      editPlate(app, people.hotadmin, { groupId: id, plateId: String(plate.id), details }),
    ).rejects.toMatchObject({ code: "conflict" });
    await expect(
      editPlate(app, people.hotadmin, {
        groupId: id,
        plateId: String(plate.id),
        details: { ...details, reason: "", revision: 2 },
      }),
    ).rejects.toMatchObject({ code: "bad_request", message: REASON_NEEDED });
    const other = await newGroup({ group_name: "Other" });
    await expect(
      removePlate(app, people.hotadmin, { groupId: other, plateId: String(plate.id) }),
    ).rejects.toMatchObject({ code: "not_found" });
    await expect(
      removePlate(app, people.stranger, { groupId: id, plateId: String(plate.id) }),
    ).rejects.toMatchObject({ code: "not_found" });
    await removePlate(app, people.hotadmin, { groupId: id, plateId: String(plate.id) });
    await expect(
      removePlate(app, people.hotadmin, { groupId: id, plateId: String(plate.id) }),
    ).rejects.toMatchObject({ code: "not_found" });
    expect(await platesOf(id)).toEqual([]);
    expect((await auditOf("plate.edit"))[0]?.detail).toMatchObject({
      before: { reason: "Stolen" },
      after: { reason: "Recovered" },
    });
    expect((await auditOf("plate.remove"))[0]?.detail).toMatchObject({
      before: { reason: "Recovered" },
      after: null,
    });
    await addPlate(app, people.hotadmin, adding(id));
    expect(await platesOf(id)).toHaveLength(1);
  });

  it("have attachments that are served only after the permission check", async () => {
    const id = await newGroup();
    const pdf = encoder.encode(
      "%PDF-1.4\n1 0 obj\n<</Type /Catalog>>\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
    );
    const save = (bytes: Uint8Array<ArrayBuffer>) =>
      editGroup(app, people.hotadmin, {
        id,
        form: formOf(),
        image: null,
        plates: [
          { plate: NewPlate.parse({ number: "CC1", reason: "x" }), file: { name: "../w arrant.pdf", bytes } },
        ],
      });
    await expect(
      save(encoder.encode("<svg xmlns='http://www.w3.org/2000/svg' onload='x'/>")),
    ).rejects.toMatchObject({ code: "unsupported_media" });
    await expect(
      save(encoder.encode(`${new TextDecoder().decode(pdf)}/S /JavaScript /JS (app.alert(1))\n%%EOF`)),
    ).rejects.toThrow("active content");
    await save(pdf);
    const [plate] = (await pagePlates(app, people.viewer, { groupId: id })).plates;
    const asked = { file: plate?.attachment_path ?? "", plateId: String(plate?.id) };
    const answer = fileAnswer(await openAttachmentOf(app, people.viewer, asked));
    expect(answer.headers.get("content-disposition")).toMatch(/^inline; filename=".._w arrant.pdf"/);
    expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(pdf);
    await expect(openAttachmentOf(app, people.stranger, asked)).rejects.toMatchObject({ code: "not_found" });
    await expect(openAttachmentOf(app, people.viewer, { ...asked, file: "other.pdf" })).rejects.toMatchObject(
      {
        code: "not_found",
      },
    );
    await expect(openAttachmentOf(app, people.viewer, { ...asked, plateId: "1e3" })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

describe("permissions", () => {
  it("cannot be granted to oneself, or to users of other agencies", async () => {
    const { officer, hotadmin, stranger } = people;
    await changePermissions(app, hotadmin, {
      [`hotlist_viewer_${officer.userId}`]: true,
      [`hotlist_admin_${hotadmin.userId}`]: true,
    });
    expect((await listPermissions(app, hotadmin)).find(({ id }) => id === officer.userId)).toMatchObject({
      hotlist_viewer: true,
    });
    await expect(
      changePermissions(app, hotadmin, { [`hotlist_viewer_${hotadmin.userId}`]: true }),
    ).rejects.toMatchObject({ code: "forbidden" });
    await expect(
      changePermissions(app, hotadmin, { [`hotlist_admin_${stranger.userId}`]: true }),
    ).rejects.toMatchObject({ code: "bad_request" });
    await expect(changePermissions(app, hotadmin, { role: true })).rejects.toMatchObject({
      code: "bad_request",
    });
  });

  it("that are not named in a change stay, even if someone else changes them at the same time", async () => {
    const { officer, hotadmin } = people;
    const [viewer, admin] = [`hotlist_viewer_${officer.userId}`, `hotlist_admin_${officer.userId}`];
    await changePermissions(app, hotadmin, { [viewer]: true, [admin]: false });
    // The other change is made between the read and the write of this one.
    const interrupted = beforeWrite(app, () => changePermissions(app, hotadmin, { [viewer]: false }));
    await changePermissions(interrupted, hotadmin, { [admin]: true });
    expect((await listPermissions(app, hotadmin)).find(({ id }) => id === officer.userId)).toMatchObject({
      hotlist_admin: true,
      hotlist_viewer: false,
    });
    await changePermissions(app, hotadmin, { [viewer]: true, [admin]: false });
  });

  it("are audited as they change: the same change of someone else at the same time leaves one row", async () => {
    const { officer, hotadmin } = people;
    const [viewer, admin] = [`hotlist_viewer_${officer.userId}`, `hotlist_admin_${officer.userId}`];
    const change = (context: AppContext) => changePermissions(context, hotadmin, { [admin]: true });
    await change(beforeWrite(app, () => change(app)));
    expect(await auditOf("alert-permissions.edit")).toHaveLength(1);
    const interrupted = beforeWrite(app, () => changePermissions(app, hotadmin, { [viewer]: true }));
    await changePermissions(interrupted, hotadmin, { [admin]: false });
    expect((await auditOf("alert-permissions.edit")).at(-1)?.detail).toMatchObject({
      changes: [
        {
          id: officer.userId,
          before: { hotlistAdmin: true, hotlistViewer: true },
          hotlistAdmin: false,
          hotlistViewer: true,
        },
      ],
    });
  });

  it("to view hotlists suffice to set push alerts; a request without a value toggles the setting", async () => {
    expect(await togglePushAlerts(app, people.viewer, undefined)).toEqual({ push_alerts: true });
    expect(await togglePushAlerts(app, people.viewer, true)).toEqual({ push_alerts: true });
    expect(await togglePushAlerts(app, people.viewer, undefined)).toEqual({ push_alerts: false });
  });
});

describe("imports", () => {
  it("preview their changes and then apply them in one step", async () => {
    const id = await newGroup();
    await bulkUpload(app, people.hotadmin, {
      groupId: id,
      mode: "add",
      file: { name: "a.csv", bytes: csv(["AA1,CT,Old", "BB2,CT,Same", "CC3,NY,Gone"]) },
    });
    expect(await platesOf(id)).toEqual(["AA1|CT|Old", "BB2|CT|Same", "CC3|NY|Gone"]);
    const bytes = csv([
      "AA1,CT,New",
      "BB2,CT,Same",
      "DD4,,Fresh",
      "dd-4,,Fresh",
      "E E5,XX1,Bad",
      ",CT,Nothing",
      "GG7,CT,Expired,,2020-01-01",
    ]);
    const importId = await runImport(id, bytes, { mode: "replace" });
    expect(await latestImport(app, people.hotadmin, id)).toMatchObject({
      state: "ready",
      rows: 7,
      added: 1,
      unchanged: 1,
      conflicting: 1,
      removed: 1,
      rejected: 3,
      repeated: 1,
    });
    const issues = (await latestImport(app, people.hotadmin, id))?.issues;
    expect(issues?.map(({ kind, line }) => `${kind} ${line}`)).toEqual([
      "rejected 6",
      "rejected 7",
      "rejected 8",
      "conflicting 2",
      "repeated 5",
    ]);
    expect(await platesOf(id)).toEqual(["AA1|CT|Old", "BB2|CT|Same", "CC3|NY|Gone"]);
    await expect(runImport(id, bytes)).rejects.toMatchObject({ code: "conflict" });
    await apply(id, importId);
    expect(await platesOf(id)).toEqual(["AA1|CT|New", "BB2|CT|Same", "DD4||Fresh"]);
    expect((await describeGroup(app, people.hotadmin, id)).group.plate_count).toBe(3);
    await expect(applyImport(app, people.hotadmin, { groupId: id, id: importId })).rejects.toMatchObject({
      code: "conflict",
    });
    await expect(cancelImport(app, people.hotadmin, { groupId: id, id: importId })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("of a client name the first rejected row, not a repeated one before it", async () => {
    const groupId = await newGroup();
    const bytes = csv(["AA1,CT,Stolen", "AA1,CT,Stolen", "BB2,Narnia,Stolen"]);
    const upload = (mode: "add" | "replace") =>
      bulkUpload(app, people.hotadmin, { groupId, mode, file: { name: "a.csv", bytes } });
    expect(await upload("add")).toMatch(/ 1 row rejected\. The first is line 4: .*state/);
    await expect(upload("replace")).rejects.toThrow(/ 1 row cannot be read\. The first is line 4: .*state/);
  });

  it("read the plate from its own column, also after a column of numbers", async () => {
    const id = await newGroup();
    const upload = (text: string) =>
      bulkUpload(app, people.hotadmin, {
        groupId: id,
        mode: "replace",
        file: { name: "a.csv", bytes: encoder.encode(text) },
      });
    await upload("Plate,State,Reason\nABC123,CT,Stolen\nDEF456,CT,Stolen\n");
    expect(await upload("Number,Plate,State,Reason\n1,ABC123,CT,Stolen\n2,DEF456,CT,Stolen\n")).toBe(
      '0 plates added, 2 unchanged, 0 conflicting, 0 removed. Ignored column: "Number".',
    );
    expect(await platesOf(id)).toEqual(["ABC123|CT|Stolen", "DEF456|CT|Stolen"]);
  });

  it("keep the attachment of a plate that they change", async () => {
    const id = await newGroup();
    const bytes = encoder.encode(
      "%PDF-1.4\n1 0 obj\n<</Type /Catalog>>\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
    );
    const plate = NewPlate.parse({ number: "AB12345", state: "CT", reason: "Old" });
    await editGroup(app, people.hotadmin, {
      id,
      form: formOf(),
      image: null,
      plates: [{ plate, file: { name: "warrant.pdf", bytes } }],
    });
    const entry = async () => (await pagePlates(app, people.viewer, { groupId: id })).plates[0];
    const before = await entry();
    expect(before?.attachment_path).toMatch(/pdf$/);
    await apply(id, await runImport(id, csv(["AB12345,CT,New"]), { on_conflict: "replace" }));
    await apply(id, await runImport(id, csv(["AB12345,CT,Newer"]), { mode: "replace" }));
    const after = await entry();
    expect(after).toMatchObject({
      reason: "Newer",
      attachment_path: before?.attachment_path,
      attachment_name: "warrant.pdf",
    });
    const asked = { file: after?.attachment_path ?? "", plateId: String(after?.id) };
    const answer = fileAnswer(await openAttachmentOf(app, people.viewer, asked));
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes);
  });

  it.each([0, 30])(
    "without an expiry neither remove nor shorten one, if the policy says %i days",
    async (days) => {
      await setExpiryDays(people.hotadmin.agencyId, days);
      const id = await newGroup();
      const wishes = { AA1: "never", BB2: "2026-12-01T00:00:00Z", CC3: "2027-03-01T00:00:00Z" };
      for (const [plate_number, expires] of Object.entries(wishes))
        await addPlate(app, people.hotadmin, adding(id, { plate_number, expires }));
      const expiries = async () =>
        (await pagePlates(app, people.hotadmin, { groupId: id })).plates.map(({ expires_at }) => expires_at);
      const policy = new Date(now + 30 * DAY).toISOString();
      const expected = [null, days === 0 ? "2026-12-01T00:00:00.000Z" : policy, "2027-03-01T00:00:00.000Z"];
      await apply(id, await runImport(id, csv(["AA1,CT,Stolen", "BB2,CT,Stolen", "CC3,CT,Stolen"])));
      expect(await expiries()).toEqual(expected);
      const changed = csv(["AA1,CT,New", "BB2,CT,New", "CC3,CT,New"]);
      await apply(id, await runImport(id, changed, { mode: "replace" }));
      expect(await platesOf(id)).toEqual(["AA1|CT|New", "BB2|CT|New", "CC3|CT|New"]);
      expect(await expiries()).toEqual(expected);
      const stated = csv(["AA1,CT,New,,2026-12-24T00:00:00Z", "CC3,CT,Newer,,2026-12-24T00:00:00Z"]);
      await apply(id, await runImport(id, stated, { on_conflict: "replace" }));
      expect(await expiries()).toEqual(["2026-12-24T00:00:00.000Z", expected[1], "2026-12-24T00:00:00.000Z"]);
    },
  );

  it("in add mode keep the existing version of a plate, unless set to replace it", async () => {
    const id = await newGroup();
    await bulkUpload(app, people.hotadmin, {
      groupId: id,
      mode: "add",
      file: { name: "a.csv", bytes: csv(["AA1,CT,Old"]) },
    });
    await apply(id, await runImport(id, csv(["AA1,CT,New", "BB2,CT,B"])));
    expect(await platesOf(id)).toEqual(["AA1|CT|Old", "BB2|CT|B"]);
    await apply(id, await runImport(id, csv(["AA1,CT,New"]), { on_conflict: "replace" }));
    expect(await platesOf(id)).toEqual(["AA1|CT|New", "BB2|CT|B"]);
  });

  it("in add mode change only what the file has columns for, and say so before they are applied", async () => {
    const id = await newGroup();
    const byHand = {
      notes: "Approach with care",
      case_number: "26-1",
      state_required: true,
      priority: "high",
    };
    for (const plate_number of ["AA1", "BB2"])
      await addPlate(
        app,
        people.hotadmin,
        adding(id, { plate_number, reason: "Old", color: "Red", ...byHand }),
      );
    const file = encoder.encode("plate,state,reason,color\nAA1,CT,Old,Red\nAA1,CT,Old,Red\nBB2,CT,New,\n");
    const runs = await runImport(id, file, { on_conflict: "replace" });
    expect(await latestImport(app, people.hotadmin, id)).toMatchObject({
      ...{ unchanged: 1, repeated: 1, conflicting: 1, added: 0 },
      issues: [
        {
          line: 4,
          reason:
            "Differs from the plate on the list. The file's version is used for what it has columns for.",
        },
        { line: 3, reason: "Duplicate of an earlier row in the file." },
      ],
    });
    await apply(id, runs);
    const plates = async () => (await pagePlates(app, people.hotadmin, { groupId: id })).plates;
    expect(await plates()).toMatchObject([
      { plate_number: "AA1", reason: "Old", color: "Red", ...byHand },
      { plate_number: "BB2", reason: "New", color: "", ...byHand },
    ]);
    // With Replace All, the list becomes what the file says.
    await apply(id, await runImport(id, file, { mode: "replace" }));
    expect(await plates()).toMatchObject([
      { plate_number: "AA1", notes: "", case_number: "" },
      { plate_number: "BB2", notes: "", case_number: "" },
    ]);
  });

  it("leave nothing behind when canceled, and renew the plates that they confirm", async () => {
    const id = await newGroup();
    await bulkUpload(app, people.hotadmin, {
      groupId: id,
      mode: "add",
      file: { name: "a.csv", bytes: csv(["AA1,CT,A", "BB2,CT,B"]) },
    });
    const cancelled = await runImport(id, csv(["CC3,CT,C"]), { mode: "replace" });
    await cancelImport(app, people.hotadmin, { groupId: id, id: cancelled });
    await continueImport(app, cancelled);
    expect((await latestImport(app, people.hotadmin, id))?.state).toBe("cancelled");
    now += 20 * DAY;
    await apply(id, await runImport(id, csv(["AA1,CT,A"])));
    expect(await platesOf(id)).toEqual(["AA1|CT|A", "BB2|CT|B"]);
    const { plates } = await pagePlates(app, people.hotadmin, { groupId: id });
    expect(plates.map((plate) => (Date.parse(plate.expires_at ?? "") - now) / DAY)).toEqual([30, 10]);
    expect(await bindings.IMPORTS.get(`imports/${cancelled}`)).toBeNull();
  });

  it("are refused as a whole if the file is not a table", async () => {
    const id = await newGroup();
    const zip = new Uint8Array([0x50, 0x4b, 3, 4, ...new Array(100).fill(7)]);
    await expect(
      bulkUpload(app, people.hotadmin, {
        groupId: id,
        mode: "add",
        file: { name: "plates.csv", bytes: zip },
      }),
    ).rejects.toThrow("ZIP archive");
    await expect(
      bulkUpload(app, people.hotadmin, {
        groupId: id,
        mode: "add",
        file: { name: "p.csv", bytes: encoder.encode("a,b\n1,2") },
      }),
    ).rejects.toThrow("plate column");
    await expect(
      bulkUpload(app, people.hotadmin, {
        groupId: id,
        mode: "replace",
        file: { name: "p.csv", bytes: csv(["AA1,CT,x", "!!,CT,x"]) },
      }),
    ).rejects.toThrow("Nothing was changed");
    expect(await platesOf(id)).toEqual([]);
    await runImport(id, csv(["AA1,CT,x"]));
    now += 2 * DAY;
    await sweepImports(app);
    expect((await latestImport(app, people.hotadmin, id))?.state).toBe("cancelling");
  });

  it("produce the same list after a crash before or after any database or bucket call", async () => {
    const base = Array.from({ length: 40 }, (_, i) => `BASE${i},CT,Base ${i}`);
    // Six blocks, which are small: the import is repeated for every call.
    const limits = { ms: Number.POSITIVE_INFINITY, block: 12_000 };
    const rows = Array.from({ length: 450 }, (_, i) => `AA${i},CT,${"Reason ".repeat(20)}${i}`);
    const file = csv([...base.slice(0, 20), "BASE30,CT,Changed", ...rows, "!,CT,x"]);
    const counts = {
      rows: 472,
      added: 450,
      unchanged: 20,
      conflicting: 1,
      removed: 19,
      rejected: 1,
      repeated: 0,
    };
    const prepare = async () => {
      const id = await newGroup();
      const file = { name: "a.csv", bytes: csv(base) };
      await bulkUpload(app, people.hotadmin, { groupId: id, mode: "add", file });
      return id;
    };
    const clean = await prepare();
    const before = await platesOf(clean);
    await apply(clean, await runImport(clean, file, { mode: "replace" }));
    const expected = await platesOf(clean);
    expect(expected).toHaveLength(471);

    let kills = 0;
    for (const after of [false, true]) {
      for (let at = 1, reached = true; reached; at++) {
        const id = await prepare();
        const options = ImportOptions.parse({ mode: "replace" });
        const { id: importId } = await startImport(app, people.hotadmin, {
          groupId: id,
          options,
          body: file,
          size: file.length,
        });
        const killed = killedAt(app, at, after);
        await continueImport(killed.app, importId, limits).catch(() => {});
        // As the queue does for a message whose consumer died: it is delivered again.
        await continueImport(app, importId, limits);
        expect(await platesOf(id)).toEqual(before);
        expect(await latestImport(app, people.hotadmin, id)).toMatchObject({ state: "ready", ...counts });
        const inSwitch = killedAt(app, at, after);
        await applyImport(inSwitch.app, people.hotadmin, { groupId: id, id: importId }).catch(() => {});
        const half = await platesOf(id);
        expect([before, expected]).toContainEqual(half);
        await applyImport(app, people.hotadmin, { groupId: id, id: importId }).catch(() => {});
        const inRenewal = killedAt(app, at, after);
        await continueImport(inRenewal.app, importId).catch(() => {});
        await continueImport(app, importId);
        expect(await platesOf(id)).toEqual(expected);
        expect((await latestImport(app, people.hotadmin, id))?.state).toBe("applied");
        reached = killed.died() || inSwitch.died() || inRenewal.died();
        if (reached) kills += 1;
        // Otherwise the plates of each group are compared with those of all groups before it.
        await archiveGroup(app, people.hotadmin, id);
      }
    }
    expect(kills).toBeGreaterThan(12);
  });

  it("are processed once when the queue delivers their message twice concurrently", async () => {
    const id = await newGroup();
    const rows = Array.from({ length: 9000 }, (_, i) => `AA${i},CT,${"Reason ".repeat(20)}${i}`);
    const file = csv(rows);
    const { id: importId } = await startImport(app, people.hotadmin, {
      groupId: id,
      options: ImportOptions.parse({}),
      body: file,
      size: file.length,
    });
    await Promise.all([1, 2, 3].map(() => continueImport(app, importId, { ms: Number.POSITIVE_INFINITY })));
    await continueImport(app, importId, { ms: Number.POSITIVE_INFINITY });
    expect(await latestImport(app, people.hotadmin, id)).toMatchObject({
      state: "ready",
      rows: 9000,
      added: 9000,
    });
    await apply(id, importId);
    expect(await platesOf(id)).toHaveLength(9000);
  });

  it("handle any file content without an error", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ minLength: 1, maxLength: 3000 }),
          fc
            .string({ minLength: 1, maxLength: 2000, unit: "binary" })
            .map((text) => encoder.encode(`plate,state,reason\n${text}`)),
        ),
        fc.constantFrom("odin", "rekor", "flock", "genetec", "ncic", "collect"),
        async (bytes, preset) => {
          const id = await newGroup({ group_name: unique("Fuzz") });
          await runImport(id, new Uint8Array(bytes), { preset });
          expect(["ready", "failed"]).toContain((await latestImport(app, people.hotadmin, id))?.state);
        },
      ),
      { numRuns: 40 },
    );
  });
});

/**
 * Returns a context in which the nth call to D1 or R2 fails, either before it takes effect or after, with its response
 * lost.
 */
function killedAt(whole: AppContext, at: number, after: boolean) {
  let calls = 0;
  let died = false;
  const guard = <T extends object>(target: T, methods: string[]): T =>
    new Proxy(target, {
      get(object, name) {
        const value = Reflect.get(object, name);
        if (typeof value !== "function") return value;
        if (!methods.includes(String(name))) return value.bind(object);
        return async (...args: unknown[]) => {
          calls += 1;
          if (calls !== at) return value.apply(object, args);
          died = true;
          if (after) await value.apply(object, args);
          throw new Error("killed");
        };
      },
    });
  return {
    app: {
      ...whole,
      db: guard(whole.db, ["batch", "all"]),
      imports: guard(whole.imports, ["get", "delete"]),
    },
    died: () => died,
  };
}
