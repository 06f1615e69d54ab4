import { beforeAll, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import {
  agencyMappings,
  deleteAgencyMapping,
  mapImport,
  renameAgencyMapping,
} from "#app/domain/hotlists/mappings.ts";
import type { ImportStatus } from "#app/entities/hotlists/import.ts";
import { type HotlistLayout, MAPPINGS_MAX } from "#app/entities/hotlists/layout.ts";
import {
  actorOf,
  bindings,
  bodyOf,
  type Client,
  client,
  jsonInit,
  newAgency,
  newUser,
  type TestUser,
  testApp,
  unique,
} from "../../factories.ts";
import { createGroupAs, endImport } from "../../support/acts/hotlists.ts";
import { beforeWrite } from "../../support/batches.ts";

const app = testApp();
let clients: Record<"hotadmin" | "viewer" | "stranger", Client>;
let ours: { id: string };
let hotadmin: TestUser;

beforeAll(async () => {
  ours = await newAgency();
  const theirs = await newAgency();
  hotadmin = await newUser(ours.id, { hotlistAdmin: true });
  clients = {
    hotadmin: await client(hotadmin),
    viewer: await client(await newUser(ours.id, { hotlistViewer: true })),
    stranger: await client(await newUser(theirs.id, { hotlistAdmin: true })),
  };
});

const LAYOUT: HotlistLayout = {
  kind: "delimited",
  delimiter: ";",
  header: 0,
  parts: [
    { field: "plate", column: 1 },
    { field: "reason", column: 2 },
    { field: "expiry", column: 3 },
  ],
  state: "CT",
  reasonNeeded: true,
};

/** Uploads a file and runs its import as far as possible. */
async function upload(
  group: string,
  text: string | Uint8Array<ArrayBuffer>,
  preset = "auto",
  who = clients.hotadmin,
): Promise<ImportStatus> {
  const body = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const answer = await who.fetch(`/groups/${group}/import?preset=${encodeURIComponent(preset)}`, {
    method: "POST",
    body,
    headers: { "content-type": "application/octet-stream", "content-length": String(body.length) },
  });
  expect(answer.status).toBe(200);
  const { id } = await bodyOf<{ id: string }>(answer);
  await endImport(app, id);
  return latest(group, who);
}

const latest = async (group: string, who = clients.hotadmin) =>
  (await bodyOf<{ import: ImportStatus }>(who.fetch(`/groups/${group}/import`))).import;

const map = (group: string, id: string, body: object, who = clients.hotadmin) =>
  who.fetch(`/groups/${group}/import/${id}/mapping`, jsonInit(body));

const entriesOf = async (group: string) =>
  (
    await bindings.DB.prepare(
      "SELECT plate, state, reason, expires_at FROM hotlist_entries WHERE group_id = ? ORDER BY plate",
    )
      .bind(group)
      .all<{ plate: string; state: string; reason: string; expires_at: number }>()
  ).results;

const auditOf = async (action: string) =>
  (
    await bindings.DB.prepare(
      "SELECT object, detail FROM audit_log WHERE action = ? AND agency_id = ? ORDER BY seq",
    )
      .bind(action, ours.id)
      .all<{ object: string; detail: string }>()
  ).results;

describe("an import with an unknown layout", () => {
  it("waits for its columns to be mapped, is read with them, and saves the mapping for the next file", async () => {
    const group = await createGroupAs(clients.hotadmin);
    const year = new Date().getUTCFullYear() + 1;
    const text = `1;AB1234;Stolen;12/31/${year % 100}\n2;CD5678;Wanted;5/31/${year} 11:59:00 PM\n3;;Nothing;\n`;
    const waiting = await upload(group, text);
    expect(waiting).toMatchObject({ state: "mapping", layout_name: "", rows: 0 });
    const screen = await (await clients.hotadmin.fetch(`/groups/${group}/columns`)).text();
    expect(screen).toContain("Choose Columns");
    expect(screen).toContain("AB1234");
    const name = unique("Layout");
    const mapped = await map(group, waiting.id, { layout: LAYOUT, save_as: name });
    expect(mapped.status).toBe(200);
    expect(await bodyOf(mapped)).toMatchObject({ state: "reading", layout_name: name });
    await endImport(app, waiting.id);
    expect(await latest(group)).toMatchObject({ state: "ready", rows: 3, added: 2, rejected: 1 });
    // Dates without a time zone are in the agency's zone.
    expect(await entriesOf(group)).toEqual([
      { plate: "AB1234", state: "CT", reason: "Stolen", expires_at: Date.UTC(year + 1, 0, 1, 5) - 1 },
      { plate: "CD5678", state: "CT", reason: "Wanted", expires_at: Date.UTC(year, 5, 1, 3, 59) },
    ]);
    expect((await map(group, waiting.id, { layout: LAYOUT })).status).toBe(409);
    const after = await clients.hotadmin.fetch(`/groups/${group}/columns`);
    expect([after.status, after.headers.get("location")]).toEqual([302, `/groups/${group}/edit`]);

    const { mappings } = await bodyOf<{ mappings: { id: string; name: string }[] }>(
      clients.hotadmin.fetch("/hotlist/mappings"),
    );
    const saved = mappings.find((one) => one.name === name);
    const next = await createGroupAs(clients.hotadmin);
    expect(await upload(next, text, `mapping:${saved?.id}`)).toMatchObject({
      state: "ready",
      added: 2,
      layout_name: name,
    });
    expect((await auditOf("hotlist-mapping.add")).map(({ object }) => object)).toContain(saved?.id);
    expect((await auditOf("hotlist-import.map")).map(({ object }) => object)).toContain(group);
  });

  it("saves a mapping only up to the limit, also if another is saved at the same time", async () => {
    const agency = await newAgency();
    const who = await client(await newUser(agency.id, { hotlistAdmin: true }));
    const actor = await actorOf(who);
    for (let i = 1; i < MAPPINGS_MAX; i++)
      await bindings.DB.prepare(
        `INSERT INTO hotlist_mappings (id, agency_id, name, name_key, layout, created_at, created_by)
         VALUES (?1, ?2, ?1, ?1, '{}', 1, 'x')`,
      )
        .bind(unique("mapping"), agency.id)
        .run();
    const waiting = async () => {
      const group = await createGroupAs(who);
      const { id } = await upload(group, "1;AB1234;Stolen;12/31/30\n2;CD5678;Wanted;5/31/30\n", "auto", who);
      return (save_as: string, on = app) =>
        mapImport(on, actor, { groupId: group, id, layout: LAYOUT, save_as });
    };
    const [one, two] = [await waiting(), await waiting()];
    await expect(
      two(
        "Second",
        beforeWrite(app, () => one("First")),
      ),
    ).rejects.toMatchObject({
      code: "conflict",
      message: "An agency can have at most 100 mappings. Delete one first.",
    });
    expect((await agencyMappings(app, actor)).mappings).toHaveLength(MAPPINGS_MAX);
  });

  it("can be canceled, and a mapping name can be used only once", async () => {
    const group = await createGroupAs(clients.hotadmin);
    const { id } = await upload(group, "x;AB1234;Stolen\n", "columns");
    const name = unique("Twice");
    expect((await map(group, id, { layout: LAYOUT, save_as: name })).status).toBe(200);
    const other = await createGroupAs(clients.hotadmin);
    const second = await upload(other, "x;AB1234;Stolen\n", "columns");
    const taken = await map(other, second.id, { layout: LAYOUT, save_as: name.toUpperCase() });
    expect([taken.status, (await bodyOf<{ message: string }>(taken)).message]).toEqual([
      409,
      "A mapping with this name exists. Choose another name.",
    ]);
    // The refused request saved nothing.
    expect(await latest(other)).toMatchObject({ state: "mapping" });
    expect(
      (await clients.hotadmin.fetch(`/groups/${other}/import/${second.id}/cancel`, { method: "POST" }))
        .status,
    ).toBe(200);
    await endImport(app, second.id);
    expect(await latest(other)).toMatchObject({ state: "cancelled" });
  });

  it("cannot be accessed by viewers or other agencies", async () => {
    const group = await createGroupAs(clients.hotadmin);
    const { id } = await upload(group, "x;AB1234;Stolen\n", "columns");
    expect((await map(group, id, { layout: LAYOUT }, clients.viewer)).status).toBe(403);
    expect((await map(group, id, { layout: LAYOUT }, clients.stranger)).status).toBe(404);
    expect((await clients.stranger.fetch(`/groups/${group}/columns`)).status).toBe(404);
    expect((await map(group, id, { layout: { ...LAYOUT, parts: [] } })).status).toBe(400);
    expect((await map(await createGroupAs(clients.hotadmin), id, { layout: LAYOUT })).status).toBe(404);
    expect(await latest(group)).toMatchObject({ state: "mapping" });
  });

  it("does not result from a column with an unknown heading, which is ignored and named", async () => {
    const group = await createGroupAs(clients.hotadmin);
    const file = "Plate,Reason,Bureau,State\nAB1234,Stolen,North,CT\n";
    expect(await upload(group, file)).toMatchObject({
      state: "ready",
      added: 1,
      ignored_columns: ["Bureau"],
    });
    const next = await createGroupAs(clients.hotadmin);
    const { id } = await upload(next, file, "columns");
    await map(next, id, { layout: LAYOUT });
    expect(await latest(next)).toMatchObject({ ignored_columns: [] });
  });

  it("does not result from UTF-16 or from a recognized fixed-width file", async () => {
    const text = "\ufeffplate,state,reason\nAB1234,Ontario,Côté\n";
    const bytes = new Uint8Array(text.length * 2);
    for (let i = 0; i < text.length; i++)
      new DataView(bytes.buffer).setUint16(i * 2, text.charCodeAt(i), true);
    const group = await createGroupAs(clients.hotadmin);
    expect(await upload(group, bytes)).toMatchObject({ state: "ready", added: 1, layout_name: "Odin CSV" });
    expect(await entriesOf(group)).toMatchObject([{ plate: "AB1234", state: "CA-ON", reason: "Côté" }]);
    const next = await createGroupAs(clients.hotadmin);
    const lines = ["V123456789CT000123420250607AB1234    CT2019PC2019HONDCIV4DBLK"];
    expect(await upload(next, lines.join("\n"))).toMatchObject({
      state: "ready",
      added: 1,
      layout_name: "NCIC fixed width",
    });
  });
});

/** Sends the form of the mapping step without scripts. Returns the status and the page. */
async function sendForm(group: string, fields: Record<string, string>) {
  const answer = await clients.hotadmin.fetch(`/groups/${group}/columns`, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ intent: "map", ...fields }),
  });
  return { status: answer.status, page: await answer.text() };
}

describe("a form without scripts that is refused", () => {
  it("keeps the separator, the columns and the box for NCIC, and previews the lines with them", async () => {
    const group = await createGroupAs(clients.hotadmin);
    const { id } = await upload(group, "x;AB1234,0H\ny;CD5678,0H\n", "columns");
    const { status, page } = await sendForm(group, {
      import: id,
      kind: "delimited",
      delimiter: ",",
      header: "1",
      "column-0": "notes",
      "column-1": "plate",
      ncic: "on",
    });
    expect([status, page.includes("Choose which column is the reason")]).toEqual([400, true]);
    expect(page).toMatch(/<input[^>]*type="checkbox"[^>]*name="ncic"[^>]*checked=""/);
    expect(page).toMatch(/name="column-0"[^>]*>(?:(?!<\/select>).)*value="notes" selected=""/);
    expect(page).toContain("of the first <!-- -->1<!-- -->");
    const fixed = await sendForm(group, { import: id, kind: "fixed", delimiter: ",", header: "0" });
    expect(fixed.status).toBe(400);
    expect(fixed.page).toContain("From, position 1");
  });
});

describe("the columns of a page whose import another user has replaced", () => {
  it("are refused, and not shown for the other file", async () => {
    const group = await createGroupAs(clients.hotadmin);
    const { id } = await upload(group, "x;AB1234;Stolen\n", "columns");
    await clients.hotadmin.fetch(`/groups/${group}/import/${id}/cancel`, { method: "POST" });
    await endImport(app, id);
    await upload(group, "Stolen;CD5678\n", "columns");
    const fields = {
      kind: "delimited",
      delimiter: ";",
      header: "3",
      "column-1": "plate",
      "column-2": "reason",
    };
    for (const sent of [fields, { ...fields, "column-2": "" }]) {
      const { status, page } = await sendForm(group, { import: id, ...sent });
      expect(status).toBe(409);
      expect(page).toContain("The import that this page showed has ended.");
      expect(page).toContain("CD5678");
      expect(page).not.toContain('value="3"');
    }
  });
});

describe("mappings of an agency", () => {
  it("can be renamed and deleted only by its hotlist admins", async () => {
    const group = await createGroupAs(clients.hotadmin);
    const { id } = await upload(group, "x;AB1234;Stolen\n", "columns");
    const name = unique("Mine");
    await map(group, id, { layout: LAYOUT, save_as: name });
    type List = { mappings: { id: string; name: string }[] };
    const list = async (who: Client) => (await bodyOf<List>(who.fetch("/hotlist/mappings"))).mappings;
    const saved = (await list(clients.hotadmin)).find((one) => one.name === name);
    if (!saved) throw new Error("not saved");
    const path = `/hotlist/mappings/${saved.id}`;
    expect(await list(clients.stranger)).toEqual([]);
    const renaming = (to: string) => jsonInit({ name: to }, { method: "PATCH" });
    expect((await clients.stranger.fetch(path, renaming("Taken over"))).status).toBe(404);
    expect((await clients.stranger.fetch(path, { method: "DELETE" })).status).toBe(404);
    expect((await clients.viewer.fetch(path, { method: "DELETE" })).status).toBe(403);
    expect((await clients.hotadmin.fetch(path, renaming(" "))).status).toBe(400);
    const renamed = unique("Renamed");
    expect(await bodyOf(clients.hotadmin.fetch(path, renaming(renamed)))).toMatchObject({
      mapping: { name: renamed },
    });
    expect((await list(clients.hotadmin)).map((one) => one.name)).toContain(renamed);
    // Another agency's import cannot use it.
    const body = "x;AB1\n";
    const answer = await clients.stranger.fetch("/groups/create-mobile", {
      method: "POST",
      body: new URLSearchParams({ group_name: unique("Theirs") }),
    });
    const theirs = (await bodyOf<{ group_id: string }>(answer)).group_id;
    const started = await clients.stranger.fetch(`/groups/${theirs}/import?preset=mapping:${saved.id}`, {
      method: "POST",
      body,
      headers: { "content-type": "application/octet-stream", "content-length": String(body.length) },
    });
    expect(started.status).toBe(404);
    expect((await clients.hotadmin.fetch(path, { method: "DELETE" })).status).toBe(200);
    expect((await clients.hotadmin.fetch(path, { method: "DELETE" })).status).toBe(404);
    expect((await auditOf("hotlist-mapping.rename")).map(({ object }) => object)).toContain(saved.id);
    expect((await auditOf("hotlist-mapping.delete")).map(({ object }) => object)).toContain(saved.id);
  });

  it("are renamed and deleted once, if someone else deletes them at the same moment", async () => {
    const actor = await actorOf(clients.hotadmin);
    for (const late of [
      (context: AppContext, id: string) => deleteAgencyMapping(context, actor, id),
      (context: AppContext, id: string) => renameAgencyMapping(context, actor, { id, name: unique("Late") }),
    ]) {
      const group = await createGroupAs(clients.hotadmin);
      const { id } = await upload(group, "x;AB1234;Stolen\n", "columns");
      const name = unique("Mine");
      await map(group, id, { layout: LAYOUT, save_as: name });
      const saved = (await agencyMappings(app, actor)).mappings.find((one) => one.name === name)?.id ?? "";
      const context = beforeWrite(app, () => deleteAgencyMapping(app, actor, saved));
      await expect(late(context, saved)).rejects.toMatchObject({ code: "not_found" });
      const rows = [
        ...(await auditOf("hotlist-mapping.rename")),
        ...(await auditOf("hotlist-mapping.delete")),
      ];
      expect(rows.filter(({ object }) => object === saved)).toHaveLength(1);
    }
  });
});
