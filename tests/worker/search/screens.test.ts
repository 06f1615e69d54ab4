// The search, sighting and hit screens in a browser without scripts: posted forms and returned pages.

import { beforeAll, describe, expect, it } from "vitest";
import { ARRIVAL_TIME_NOTE } from "#app/entities/search/result-columns.ts";
import { HOUR, MINUTE } from "#app/lib/time/dates.ts";
import {
  anAlert,
  auditOf,
  bindings,
  type Client,
  client,
  newWorld,
  pushRead,
  search,
  searchBody,
  unique,
  type World,
} from "../../factories.ts";
import { postAxis } from "../../live.ts";
import { createGroupAs } from "../../support/acts/hotlists.ts";

let world: World;
let officer: Client;
let stranger: Client;
let hotadmin: Client;
let viewer: Client;

beforeAll(async () => {
  world = await newWorld();
  [officer, stranger, hotadmin, viewer] = (await Promise.all(
    (["officer", "stranger", "hotadmin", "viewer"] as const).map((name) => client(world.users[name])),
  )) as [Client, Client, Client, Client];
  for (let i = 0; i < 3; i++)
    await pushRead(world.camera, { plate: `FRM000${i}`, at: Date.now() - i * HOUR - MINUTE });
});

/** Posts a form as a browser without scripts does. */
function postForm(who: Client, path: string, fields: Record<string, string | string[]>, headers = {}) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) body.append(name, one);
  return who.fetch(path, { method: "POST", body, headers });
}

const searchForm = (over: Record<string, string | string[]> = {}) => ({
  intent: "search",
  plate: "",
  justification: "Stolen vehicle, case 26-1044",
  case_number: "26-1044",
  range: "7d",
  start: "",
  end: "",
  zone: "",
  programs: ["Axis"],
  ...over,
});

async function searchByForm(over: Record<string, string | string[]> = {}): Promise<string> {
  const response = await postForm(officer, "/search", searchForm(over));
  expect(response.status, await response.clone().text()).toBe(303);
  return new URL(response.headers.get("location") ?? "", "https://odin.test").searchParams.get("id") ?? "";
}

async function requestOf(resultId: string): Promise<Record<string, string>> {
  const row = await bindings.DB.prepare("SELECT request FROM result_sets WHERE id = ?")
    .bind(resultId)
    .first<{ request: string }>();
  return JSON.parse(row?.request ?? "");
}

describe("the search form", () => {
  it("searches as POST /search-data does and redirects to the results", async () => {
    const id = await searchByForm({ plate: " frm000? ", marks: [] });
    expect(await requestOf(id)).toMatchObject({
      plate: "frm000?",
      justification: "Stolen vehicle, case 26-1044",
      case_number: "26-1044",
    });
    const [asked, finished] = await auditOf(world.users.officer, 2);
    expect(asked).toMatchObject({ action: "search", outcome: "ok", object: id });
    expect(finished).toMatchObject({ action: "search.finished", outcome: "ok", object: id });
  });

  it("reads typed times in the agency's zone before the preset, or in the browser's zone if it is sent", async () => {
    const times = { start: "2026-07-01T08:00", end: "2026-07-01T20:00:30" };
    expect(await requestOf(await searchByForm(times))).toMatchObject({
      start_time: "2026-07-01T12:00:00.000Z",
      end_time: "2026-07-02T00:00:30.000Z",
    });
    const told = await searchByForm({ ...times, range: [], zone: "America/Los_Angeles" });
    expect(await requestOf(told)).toMatchObject({ start_time: "2026-07-01T15:00:00.000Z" });
    const halved = await requestOf(await searchByForm({ start: "", end: "2026-07-01T20:00", range: "1h" }));
    expect(halved).toMatchObject({
      start_time: "2026-07-01T23:00:00.000Z",
      end_time: "2026-07-02T00:00:00.000Z",
    });
  });

  it("shows every problem at its field and keeps what was typed", async () => {
    const response = await postForm(
      officer,
      "/search",
      searchForm({ plate: "A;B", justification: "Stolen <vehicle>", programs: [] }),
    );
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).toContain("A plate has letters, digits, * and ? only.");
    expect(html).toContain("Select at least one agency.");
    expect(html).toContain("Stolen &lt;vehicle&gt;");
    expect(html).toMatch(/name="plate"[^>]*value="A;B"|value="A;B"[^>]*name="plate"/);
  });

  it("refuses a blank justification with the specification's message", async () => {
    const response = await postForm(officer, "/search", searchForm({ justification: "\u200b " }));
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).toContain("Justification and date range are required.");
    expect(html).toMatch(/<a href="#search-justification"[^>]*>Enter a justification\./);
  });

  it("asks for a confirmation of a prohibited purpose, and searches once it is given", async () => {
    const purpose = { justification: "Vehicles at the protest" };
    const response = await postForm(officer, "/search", searchForm(purpose));
    expect(response.status).toBe(403);
    const html = await response.text();
    for (const text of [
      "Confirm this search",
      "Type: I confirm that this search is lawful",
      'name="supervisor"',
    ])
      expect(html).toContain(text);
    const [row] = await auditOf(world.users.officer);
    expect(row).toMatchObject({ action: "search", outcome: "refused" });
    const confirmation = "I confirm that this search is lawful";
    const id = await searchByForm({ ...purpose, confirmation, supervisor: "Lt. Dana Reyes" });
    expect(await requestOf(id)).toMatchObject({ ...purpose, confirmation, supervisor: "Lt. Dana Reyes" });
    expect(
      await requestOf(await searchByForm({ confirmation, supervisor: "Lt. Dana Reyes" })),
    ).not.toHaveProperty("supervisor");
  });

  it("can be opened with a plate from another screen, without searching for it", async () => {
    const response = await postForm(officer, "/search", { intent: "prefill", plate: "FRM0001" });
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(
      /name="plate"[^>]*value="FRM0001"|value="FRM0001"[^>]*name="plate"/,
    );
  });

  it("refuses other tenants' agencies, and audits what was searched for as POST /search-data does", async () => {
    const foreign = world.axisCameras[1]?.id ?? "";
    const forms: [name: string, fields: Record<string, string | string[]>][] = [
      [foreign, { agencies: foreign, programs: [] }],
      [foreign, { agencies: foreign }],
      ["Flock", { programs: "Flock" }],
    ];
    for (const [name, fields] of forms) {
      const response = await postForm(officer, "/search", searchForm({ plate: "frm0001", ...fields }));
      expect(response.status).toBe(403);
      expect(await response.text()).toContain("You cannot search one of the selected agencies.");
      const [row] = await auditOf(world.users.officer);
      expect(row).toMatchObject({ action: "search", outcome: "refused", plate: "FRM0001" });
      expect(row?.detail).toContain(name);
    }
  });

  it("refuses forms from other sites and from users who are not signed in", async () => {
    const cross = await postForm(officer, "/search", searchForm(), { "sec-fetch-site": "cross-site" });
    expect(cross.status).toBe(403);
    const anonymous = await postForm(officer, "/search", searchForm(), { cookie: "" });
    expect([401, 403, 302]).toContain(anonymous.status);
    expect(anonymous.headers.get("location") ?? "").not.toContain("/results");
  });
});

describe("the results without scripts", () => {
  it("are a page of rows, newest first, with images from Odin's proxies", async () => {
    const id = await searchByForm({ plate: "FRM000" });
    const html = await (await officer.fetch(`/results/${id}/table?page=1`)).text();
    const plates = [...html.matchAll(/>(FRM000\d)</g)].map(([, plate]) => plate);
    expect([...new Set(plates)]).toEqual(["FRM0000", "FRM0001", "FRM0002"]);
    expect(html).toContain(`/results/${id}/sightings/0`);
    expect(html).toContain(`/proxy-axis-image?path=${id}.0.v`);
    expect((await auditOf(world.users.officer))[0]).toMatchObject({ action: "result-set.view", object: id });
  });

  it("say that there were too many reads to keep", async () => {
    const id = await searchByForm({ plate: "FRM000" });
    const html = async () => (await officer.fetch(`/results/${id}/table?page=1`)).text();
    expect(await html()).not.toContain("too many reads to keep");
    await bindings.DB.prepare("UPDATE result_sets SET truncated = 1 WHERE id = ?").bind(id).run();
    expect(await html()).toContain("too many reads to keep");
  });

  it("have a hundred rows per page for sets of any size", async () => {
    const { resultId, rows } = await search(officer, searchBody(world.agencies));
    const pages = Math.ceil(rows.length / 100);
    const count = async (page: number) => {
      const html = await (await officer.fetch(`/results/${resultId}/table?page=${page}`)).text();
      return new Set([...html.matchAll(/\/sightings\/(\d+)"/g)].map(([, row]) => row)).size;
    };
    expect(await count(1)).toBe(Math.min(100, rows.length));
    expect(await count(pages)).toBe(rows.length - (pages - 1) * 100);
    for (const page of ["0", String(pages + 1), "x", "-1"])
      expect((await officer.fetch(`/results/${resultId}/table?page=${page}`)).status).toBe(404);
  });

  it("are linked from the scripted page, whose HTML shows the first rows and whose view is audited", async () => {
    const id = await searchByForm({ plate: "FRM000" });
    const page = await officer.fetch(`/results?id=${id}`);
    expect(page.headers.get("cache-control")).toContain("no-store");
    const html = await page.text();
    const plates = [...html.matchAll(/>(FRM000\d)</g)].map(([, plate]) => plate);
    expect(plates).toEqual(["FRM0000", "FRM0001", "FRM0002"]);
    expect(html).toContain(`/proxy-axis-image?path=${id}.0.v`);
    expect(html).toContain(`0;url=/results/${id}/table?page=1`);
    expect((await auditOf(world.users.officer))[0]).toMatchObject({ action: "result-set.view", object: id });
  });

  it("are not available to other users", async () => {
    const id = await searchByForm({ plate: "FRM000" });
    expect(await (await stranger.fetch(`/results?id=${id}`)).text()).not.toContain("FRM000");
  });

  it("are available only to the user who searched, and gone once purged", async () => {
    const id = await searchByForm({ plate: "FRM000" });
    for (const path of [`/results/${id}/table?page=1`, `/results/${id}/sightings/0`])
      expect((await stranger.fetch(path)).status).toBe(404);
    expect((await officer.fetch(`/results/${id}/sightings/99`)).status).toBe(404);
    await bindings.DB.prepare("UPDATE result_sets SET expires_at = 1 WHERE id = ?").bind(id).run();
    for (const path of [`/results/${id}/table?page=1`, `/results/${id}/sightings/0`])
      expect((await officer.fetch(path)).status).toBe(410);
  });

  it("link to a separate page for each read", async () => {
    const id = await searchByForm({ plate: "FRM0001" });
    const html = await (await officer.fetch(`/results/${id}/sightings/0`)).text();
    expect(html).toContain("FRM0001");
    expect(html).toContain("Open in Google Maps");
    expect(html).toContain("Nearest address");
    expect(html).not.toContain("Add Plate to Hotlist");
    expect(html).not.toContain(ARRIVAL_TIME_NOTE);
    expect((await auditOf(world.users.officer))[0]).toMatchObject({ action: "result-set.view", object: id });
  });

  it("say in the facts and the track of a read that its time is the one of its arrival", async () => {
    const event = { plateUTF8: "FRM0007", carState: "lost", carID: unique("car"), imageType: "vehicle" };
    expect((await postAxis(world.camera.secret, event)).status).toBe(200);
    // The range of the form ends with the last full minute, before the read.
    const { resultId } = await search(officer, searchBody([world.ours.id], { plate: "frm0007" }));
    const html = await (await officer.fetch(`/results/${resultId}/sightings/0`)).text();
    expect(html.split(ARRIVAL_TIME_NOTE)).toHaveLength(3);
  });
});

describe("forms on the screens of reads, hits, groups and the audit log", () => {
  it("add a plate from a sighting: a hotlist admin, a group and a reason are required", async () => {
    const group = await createGroupAs(hotadmin);
    const { resultId } = await search(hotadmin, searchBody([world.ours.id], { plate: "frm0002" }));
    const path = `/results/${resultId}/sightings/0`;
    expect(await (await hotadmin.fetch(path)).text()).toContain("Add Plate to Hotlist");
    const fields = { intent: "add-plate", plate_number: "FRM0002", group_id: group, state: "", notes: "" };
    const missing = await postForm(hotadmin, path, { ...fields, reason: " " });
    expect(missing.status).toBe(400);
    expect(await missing.text()).toContain("Please select a group and enter a reason.");
    const added = await postForm(hotadmin, path, { ...fields, reason: "Stolen vehicle" });
    expect(added.status).toBe(303);
    expect(added.headers.get("location")).toBe(path);
    const refused = await postForm(viewer, path, { ...fields, reason: "Stolen vehicle" });
    expect(refused.status).toBe(403);
  });

  it("refuse to add a plate to groups of other agencies", async () => {
    const { resultId } = await search(hotadmin, searchBody([world.ours.id], { plate: "frm0002" }));
    const response = await postForm(hotadmin, `/results/${resultId}/sightings/0`, {
      intent: "add-plate",
      plate_number: "FRM0002",
      group_id: "not-ours",
      reason: "Stolen vehicle",
    });
    expect(response.status).toBe(404);
  });

  it("search for the plate of a hit, a hotlist entry and an audit row", async () => {
    const group = await createGroupAs(hotadmin);
    const entry = { plate_number: "HOT0001", reason: "Stolen vehicle", group_id: group };
    expect((await hotadmin.post("/hotlist/add-plate-direct", entry)).status).toBe(200);
    const alert = await anAlert(
      { id: group, agencyId: world.ours.id },
      { plate: "HIT0001", listedPlate: "H1T0001" },
    );
    const admin = await client(world.users.admin);
    await search(admin, searchBody([world.ours.id], { plate: "aud0001" }));
    /** Returns the plates of the forms that open the search form. */
    const plates = async (page: Response) => {
      const forms = [...(await page.text()).matchAll(/<form[^>]* action="\/search"[^>]*>.*?<\/form>/gs)];
      const posted = forms.filter(([form]) => form.includes('value="prefill"'));
      return posted.map(([form]) => /name="plate" value="([^"]*)"/.exec(form)?.[1]);
    };
    expect(await plates(await hotadmin.fetch(`/groups/${group}`))).toEqual(["HOT0001"]);
    expect(await plates(await hotadmin.fetch(`/alert-history-detail/${alert.id}`))).toEqual([
      "HIT0001",
      "H1T0001",
    ]);
    const log = await postForm(admin, "/audit-log", {
      intent: "filter",
      acts: "searches",
      plate: "AUD0001",
      plate_match: "exact",
    });
    expect(await plates(log)).toEqual(["AUD0001"]);
    // The edited list is one form, which cannot contain another.
    expect(await plates(await hotadmin.fetch(`/groups/${group}/edit`))).toEqual([]);
    const opened = await postForm(viewer, "/search", { intent: "prefill", plate: "HOT0001" });
    expect(await opened.text()).toMatch(/name="plate"[^>]*value="HOT0001"|value="HOT0001"[^>]*name="plate"/);
  });

  it("record the disposition of a hit, and report a concurrent change", async () => {
    const alert = await anAlert({ id: await createGroupAs(hotadmin), agencyId: world.ours.id });
    const path = `/alert-history-detail/${alert.id}`;
    const html = await (await hotadmin.fetch(path)).text();
    expect(html).toContain('name="disposition"');
    const fields = { intent: "disposition", disposition: "correct", note: "Seen on the picture", known: "" };
    const decided = await postForm(hotadmin, path, fields);
    expect(decided.status, await decided.clone().text()).toBe(303);
    expect(decided.headers.get("location")).toBe(path);
    expect(await (await hotadmin.fetch(path)).text()).toContain("Seen on the picture");
    const second = await postForm(hotadmin, path, { ...fields, disposition: "misread", note: "Mine" });
    expect(second.status).toBe(409);
    expect(await second.text()).toContain("Your change was not saved.");
    const { disposition: _, ...none } = fields;
    expect((await postForm(hotadmin, path, none)).status).toBe(400);
    const cross = await postForm(hotadmin, path, fields, { "sec-fetch-site": "cross-site" });
    expect(cross.status).toBe(403);
    expect((await postForm(officer, path, fields)).status).toBe(403);
    const strangeAdmin = await client(world.users.strangeAdmin);
    expect((await postForm(strangeAdmin, path, fields)).status).toBe(404);
  });
});
