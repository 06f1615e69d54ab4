// Behavior that existing clients of the hotlist API rely on: complete lists, large saves, and every documented input.

import { beforeAll, describe, expect, it } from "vitest";
import type { AlertRow } from "#app/entities/alerts/hit.ts";
import type { HotlistPlate } from "#app/entities/hotlists/entry.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { inOneStep, openControl } from "#app/store/database.ts";
import { insertStagedEntries, recountEntries } from "#app/store/hotlists/plates.ts";
import {
  anAlert,
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
  unique,
} from "../../factories.ts";
import { createGroupAs } from "../../support/acts/hotlists.ts";

let agencyId: string;
let user: TestUser;
let hotadmin: Client;

beforeAll(async () => {
  agencyId = (await newAgency()).id;
  user = await newUser(agencyId, { hotlistAdmin: true });
  hotadmin = await client(user);
});

async function read<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await hotadmin.fetch(path, init);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return bodyOf<T>(response);
}

/** Adds plates to a list as an import does. */
async function fill(groupId: string, count: number): Promise<void> {
  const db = openControl(bindings.DB);
  const author = { id: user.id, name: user.name, agency: "Agency" };
  for (let from = 0; from < count; from += 5000) {
    const rows = Array.from({ length: Math.min(5000, count - from) }, (_, i) => {
      const plate = `P${String(from + i).padStart(6, "0")}`;
      return [plate, "CT", "Stolen", "", "", "exact", 0, "", "", "", "normal", null, 1, null];
    });
    await inOneStep(db, [
      insertStagedEntries(db, { groupId, rows: JSON.stringify(rows), author, at: Date.now(), version: 1 }),
      recountEntries(db, groupId),
    ]);
  }
}

type Listed = {
  group: { last_alert: string | null };
  plates: HotlistPlate[];
  next: string | null;
  counts: object;
};

describe("a complete list", () => {
  it.each(["/alerts/group/:id/details-data", "/groups/:id/edit-data"])(
    "of plates is returned by %s unless a page is requested",
    async (route) => {
      const id = await createGroupAs(hotadmin);
      await fill(id, 6001);
      const path = route.replace(":id", id);
      const whole = await read<Listed>(path);
      expect(whole.plates.map((plate) => plate.plate_number)).toEqual(
        Array.from({ length: 6001 }, (_, i) => `P${String(i).padStart(6, "0")}`),
      );
      expect(whole).toMatchObject({ next: null, counts: { "in-force": 6001 } });
      expect(whole.plates.at(-1)).toMatchObject({
        plate_number: "P006000",
        state: "CT",
        reason: "Stolen",
        notes: "",
        added_by_name: user.name,
        attachment_path: null,
      });
      const page = await read<Listed>(`${path}?limit=100`);
      expect(page.plates).toHaveLength(100);
      const second = await read<Listed>(`${path}?limit=50&after=${page.next}`);
      expect(second.plates.map((plate) => plate.plate_number).at(0)).toBe("P000100");
      expect(second.plates).toHaveLength(50);
      expect((await read<Listed>(`${path}?after=${page.next}`)).plates).toHaveLength(100);
    },
  );

  it("of 100,000 plates is streamed", async () => {
    const id = await createGroupAs(hotadmin);
    await fill(id, 100_000);
    const response = await hotadmin.fetch(`/alerts/group/${id}/details-data`);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    let [pieces, largest, text] = [0, 0, ""];
    const decoder = new TextDecoder();
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      pieces += 1;
      largest = Math.max(largest, piece.length);
      text += decoder.decode(piece, { stream: true });
    }
    expect(pieces).toBeGreaterThan(20);
    expect(largest).toBeLessThan(text.length / 10);
    const list: Listed = JSON.parse(text);
    expect(list.plates).toHaveLength(100_000);
  });

  it("of plates is empty for an empty group, and marks plates that other groups also list", async () => {
    const [one, two] = [await createGroupAs(hotadmin), await createGroupAs(hotadmin)];
    expect((await read<Listed>(`/groups/${one}/edit-data`)).plates).toEqual([]);
    for (const group_id of [one, two])
      await read(
        "/hotlist/add-plate-direct",
        jsonInit({ plate_number: "TW1CE", reason: "Stolen", state: "CT", notes: "", group_id }),
      );
    const [plate] = (await read<Listed>(`/groups/${one}/edit-data`)).plates;
    expect(plate?.also_in).toHaveLength(1);
  });

  it("of alerts is in the group data unless a page is requested; each alert has a time", async () => {
    const id = await createGroupAs(hotadmin);
    for (const path of [`/alerts/group/${id}/details-data`, `/groups/${id}/edit-data`])
      expect((await read<Listed>(path)).group.last_alert).toBeNull();
    const start = Date.now() - DAY;
    const made: string[] = [];
    for (let i = 0; i < 120; i++)
      made.unshift((await anAlert({ id, agencyId }, { capturedAt: start + i * 1000 })).id);
    const lastAt = Date.now();
    await bindings.DB.prepare("UPDATE alert_groups SET last_alert_at = ? WHERE id = ?")
      .bind(lastAt, id)
      .run();
    type Data = {
      group: { id: string; last_alert: string | null };
      alerts: AlertRow[];
      older: string | null;
    };
    const whole = await read<Data>(`/alerts/group/${id}/data`);
    expect(whole.alerts.map((alert) => alert.id)).toEqual(made);
    expect(whole).toMatchObject({ group: { id, last_alert: isoTime(lastAt) }, older: null, newer: null });
    // Specification section 3, every field of an alert.
    expect(whole.alerts[0]).toMatchObject({
      plate: "AB12345",
      state: "CT",
      timestamp: expect.any(String),
      camera: "Main St",
      agency: "Some Police",
      justification: "Stolen vehicle",
      notes: "Seen with another car",
      date_added: expect.any(String),
      image_url: null,
      latitude: 41.7637,
      longitude: -72.6851,
      source_program: "Axis",
    });
    const page = await read<Data>(`/alerts/group/${id}/data?limit=50`);
    expect(page.alerts).toHaveLength(50);
    expect((await read<Data>(`/alerts/group/${id}/data?older=${page.older}`)).alerts).toHaveLength(50);
    expect((await read<Data>(`/alerts/group/${id}/data?program=Rekor`)).alerts).toEqual([]);
    for (const path of [`/alerts/group/${id}/details-data`, `/groups/${id}/edit-data?limit=1`])
      expect((await read<Listed>(path)).group.last_alert).toBe(isoTime(lastAt));
  });

  it.each(["0", "-1", "501", "x", "1.5", ""])("refuses the page size %j", async (limit) => {
    const id = await createGroupAs(hotadmin);
    for (const path of [
      `/alerts/group/${id}/details-data`,
      `/groups/${id}/edit-data`,
      `/alerts/group/${id}/data`,
    ])
      expect([path, (await hotadmin.fetch(`${path}?limit=${limit}`)).status]).toEqual([path, 400]);
  });

  it("is a snapshot at the time of the request, even while an import replaces the list", async () => {
    const id = await createGroupAs(hotadmin);
    await fill(id, 6000);
    const response = await hotadmin.fetch(`/groups/${id}/edit-data`);
    await bindings.DB.batch([
      bindings.DB.prepare("UPDATE hotlist_entries SET until_version = 2 WHERE group_id = ?").bind(id),
      bindings.DB.prepare("UPDATE alert_groups SET list_version = 2 WHERE id = ?").bind(id),
    ]);
    expect((await bodyOf<Listed>(response)).plates).toHaveLength(6000);
    expect((await read<Listed>(`/groups/${id}/edit-data`)).plates).toEqual([]);
  });
});

describe("the edit form of an existing client", () => {
  it("adds a plate with only its number", async () => {
    const id = await createGroupAs(hotadmin);
    await read(`/groups/${id}/edit-mobile`, formInit({ group_name: "x", "plates[0][number]": "N0REAS" }));
    expect((await read<Listed>(`/groups/${id}/edit-data`)).plates).toMatchObject([
      { plate_number: "N0REAS", state: "", reason: "", notes: "", expires_at: null },
    ]);
    // POST /hotlist/add-plate-direct requires a reason (specification section 5).
    const direct = await hotadmin.post("/hotlist/add-plate-direct", { plate_number: "X1", group_id: id });
    expect(direct.status).toBe(400);
  });

  it("adds 5,000 plates at once, each with an audit row, and refuses more", async () => {
    const id = await createGroupAs(hotadmin);
    const fields = (count: number) => {
      const all: Record<string, string> = { group_name: "Large" };
      for (let i = 0; i < count; i++) {
        all[`plates[${i}][number]`] = `L${i}`;
        all[`plates[${i}][reason]`] = `Stolen ${i} ${"because of this ".repeat(15)}`;
        all[`plates[${i}][notes]`] = "n".repeat(300);
        all[`plates[${i}][state]`] = "CT";
      }
      return formInit(all);
    };
    const refused = await hotadmin.fetch(`/groups/${id}/edit-mobile`, fields(5001));
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("5,000")]);
    await read(`/groups/${id}/edit-mobile`, fields(5000));
    const { plates, group } = await read<Listed & { group: object }>(`/groups/${id}/edit-data`);
    expect(plates).toHaveLength(5000);
    expect(group).toMatchObject({ plate_count: 5000, version: 2 });
    const rows = await auditOf(user, 5000);
    expect(new Set(rows.map(({ action, plate }) => `${action} ${plate}`)).size).toBe(5000);
    expect(rows.every(({ action, object }) => action === "plate.add" && object === id)).toBe(true);
    // All or nothing: one of the plates is already in the group.
    const again = formInit({ group_name: "x", "plates[0][number]": "L7", "plates[0][state]": "CT" });
    expect((await hotadmin.fetch(`/groups/${id}/edit-mobile`, again)).status).toBe(409);
  });
});

describe("a bulk upload", () => {
  it("accepts 100,000 rows in one request", async () => {
    const id = await createGroupAs(hotadmin);
    const lines = Array.from({ length: 100_000 }, (_, i) => `B${i},CT,Stolen vehicle of case ${i}`);
    const file = new File([`plate,state,reason\n${lines.join("\n")}\n`], "plates.csv");
    const answer = await hotadmin.fetch(
      `/groups/${id}/bulk-upload-plates`,
      formInit({ csv_file: file, mode: "add" }),
    );
    expect([answer.status, await answer.text()]).toEqual([
      200,
      "100,000 plates added, 0 unchanged, 0 conflicting, 0 removed.",
    ]);
    expect((await read<{ counts: object }>(`/groups/${id}/edit-data?limit=1`)).counts).toMatchObject({
      "in-force": 100_000,
    });
  });
});

describe("a change of a plate", () => {
  it("keeps the fields that are not sent, and empties those that are sent empty", async () => {
    const group_id = await createGroupAs(hotadmin);
    const fields = {
      state: "CT",
      reason: "Stolen",
      notes: "Armed",
      case_number: "26-1",
      match_policy: "lookalike",
      state_required: true,
      make: "Honda",
      color: "Black",
      body_type: "SUV",
      priority: "high",
    };
    const expires = isoTime(Date.now() + DAY);
    const add = { plate_number: "KEPT1", group_id, ...fields, expires };
    await read("/hotlist/add-plate-direct", jsonInit(add));
    const listed = async () => (await read<Listed>(`/groups/${group_id}/edit-data`)).plates[0];
    const change = async (sent: object) => {
      const plate = await listed();
      const body = { ...sent, revision: plate?.revision };
      await read(`/groups/${group_id}/plates/${plate?.id}`, jsonInit(body, { method: "PATCH" }));
      return listed();
    };
    expect(await change({ reason: "Wanted" })).toMatchObject({
      ...fields,
      reason: "Wanted",
      expires_at: expires,
    });
    expect(await change({ notes: "", make: null })).toMatchObject({
      ...fields,
      reason: "Wanted",
      notes: "",
      make: "",
      expires_at: expires,
    });
  });

  it("is no conflict if it is sent again because its answer was lost; other content is one", async () => {
    const group_id = await createGroupAs(hotadmin);
    await read("/hotlist/add-plate-direct", jsonInit({ plate_number: "LOST1", group_id, reason: "Stolen" }));
    const listed = async () => (await read<Listed>(`/groups/${group_id}/edit-data`)).plates[0];
    const plate = await listed();
    const path = `/groups/${group_id}/plates/${plate?.id}`;
    const sent = { reason: "Found", expires: isoTime(Date.now() + DAY), revision: plate?.revision };
    const send = (more: object = {}) =>
      hotadmin.fetch(path, jsonInit({ ...sent, ...more }, { method: "PATCH" }));
    expect((await send()).status).toBe(200);
    const saved = await listed();
    expect(saved).toMatchObject({ reason: "Found" });
    const again = await send();
    expect([again.status, await again.json()]).toMatchObject([200, { plate: { reason: "Found" } }]);
    for (const other of [{ reason: "Other" }, { expires: isoTime(Date.now() + 2 * DAY) }, { renew: true }])
      expect((await send(other)).status).toBe(409);
    expect(await listed()).toEqual(saved);
  });
});

describe("numbers and ids", () => {
  it("may be sent as text or as numbers", async () => {
    const group = { id: String(700_000 + Math.floor(Math.random() * 100_000)), agencyId };
    await setUpPart({
      alertGroups: [
        {
          id: group.id,
          agencyId,
          name: "By number",
          description: "",
          createdBy: user.id,
          members: [],
          plates: [],
        },
      ],
    });
    const add = { plate_number: "NUM1", reason: "x", state: "", notes: "", group_id: Number(group.id) };
    await read("/hotlist/add-plate-direct", jsonInit(add));
    await read("/hotlist/check-plate", jsonInit({ plate_number: "NUM1", group_id: Number(group.id) }));
    const [plate] = (await read<Listed>(`/groups/${group.id}/edit-data`)).plates;
    expect(plate).toBeDefined();
    await read(
      `/groups/${group.id}/plates/${plate?.id}`,
      jsonInit({ reason: "y", revision: String(plate?.revision) }, { method: "PATCH" }),
    );
    await read(`/groups/${group.id}/plates`, jsonInit({ after: plate?.id }));
    for (const revision of ["", "x", "1.5", 1.5, null]) {
      const init = jsonInit({ reason: "y", revision }, { method: "PATCH" });
      expect([
        revision,
        (await hotadmin.fetch(`/groups/${group.id}/plates/${plate?.id}`, init)).status,
      ]).toEqual([revision, 400]);
    }
    const other = await newAgency();
    const numbered = { id: "4711", name: unique("Agency") };
    await setUpPart({ agencies: [numbered] });
    await read(`/groups/${group.id}/invitations`, jsonInit({ agency_id: 4711 }));
    expect((await hotadmin.post(`/groups/${group.id}/invitations`, { agency_id: other.id })).status).toBe(
      200,
    );
    await read("/archive-group", jsonInit({ group_id: Number(group.id) }));
  });
});
