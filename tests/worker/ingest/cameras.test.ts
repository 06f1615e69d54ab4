import { unzipSync } from "fflate";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { refreshRekorCameras } from "#app/domain/integrations/connection-test.ts";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import type { CameraSeen, RekorCamera } from "#app/entities/ingest/camera.ts";
import { decodeColumns } from "#app/entities/search/result-codec.ts";
import { rowAt } from "#app/entities/search/result-columns.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import { type ControlDb, inOneStep, openControl } from "#app/store/database.ts";
import { CAMERAS_LISTED, noteRekorCameras } from "#app/store/ingest/rekor-cameras.ts";
import {
  auditOf,
  bindings,
  type Client,
  client,
  jsonInit,
  newAgency,
  newWorld,
  search,
  searchBody,
  setUpPart,
  testApp,
  unique,
  vendors,
  type World,
} from "../../factories.ts";
import { plansOf } from "../../support/workerd/queries.ts";

let world: World;
let owner: Client;
let officer: Client;

beforeAll(async () => {
  world = await newWorld();
  owner = await client(world.users.owner);
  officer = await client(world.users.officer);
});

beforeEach(() => vendors.setFaults());

const cameras = async () => (await (await owner.fetch("/rekor-cameras")).json()) as RekorCamera[];
const one = async (id: string) => (await cameras()).find((camera) => camera.camera_id === id);
const patch = (id: string, body: object, who = owner) =>
  who.fetch(`/rekor-cameras/${encodeURIComponent(id)}`, jsonInit(body, { method: "PATCH" }));
const place = (latitude: unknown, longitude: unknown, over: object = {}) => ({
  corrected_latitude: latitude,
  corrected_longitude: longitude,
  agency_id: null,
  is_manual: true,
  ...over,
});

/** Registers cameras in one transaction. */
async function noteAll(db: ControlDb, seen: CameraSeen[]): Promise<void> {
  const [first, ...others] = noteRekorCameras(db, seen);
  if (first) await inOneStep(db, [first, ...others]);
}

type Placed = { id: string; camera_name: string; latitude: number; longitude: number; agency: string };

async function found(): Promise<{ rows: Placed[]; resultId: string }> {
  const { rows, resultId } = await search(officer, searchBody([world.hartford.id]));
  return { rows: rows as unknown as Placed[], resultId };
}

/** Returns the rows of a stored set by id, as the screen and the map receive them. */
async function storedRows(resultId: string) {
  const page = await (await officer.fetch(`/results.data?id=${resultId}`)).text();
  const answer = await officer.fetch(`/results/${resultId}/columns`);
  const columns = decodeColumns(new Uint8Array(await answer.arrayBuffer()));
  const rows = Array.from({ length: columns.count }, (_, row) => rowAt(columns, row));
  return { page, rows: new Map(rows.map((row) => [row.id, row])) };
}

/** Returns a read of a registered camera, and that camera. */
async function aCamera() {
  const { rows, resultId } = await found();
  const known = await cameras();
  const read = rows.find((row) => known.some((camera) => camera.camera_name === row.camera_name)) as Placed;
  const camera = known.find(({ camera_name }) => camera_name === read.camera_name) as RekorCamera;
  return { read, camera, resultId };
}

describe("Rekor's cameras", () => {
  it("are registered from the reads of a search, at the vendor's location", async () => {
    await bindings.DB.prepare("DELETE FROM rekor_cameras").run();
    const { rows } = await found();
    const names = new Set(rows.map(({ camera_name }) => camera_name));
    const known = await cameras();
    expect(new Set(known.map(({ camera_name }) => camera_name))).toEqual(names);
    for (const camera of known) {
      const read = rows.find(({ camera_name }) => camera_name === camera.camera_name);
      expect(camera.is_manual).toBe(false);
      expect(camera.corrected_latitude).toBeCloseTo(read?.latitude ?? 0, 6);
      expect(camera.last_read_at).toBeGreaterThan(0);
      expect(camera.camera_id).toMatch(/^[\w]+\/\d+$/);
    }
  });

  it("are registered from the vendor's list, which is fetched once a day", async () => {
    await bindings.DB.prepare("DELETE FROM rekor_cameras").run();
    expect(await refreshRekorCameras(testApp())).toBeGreaterThan(1);
    const listed = await cameras();
    expect(listed.length).toBeGreaterThan(1);
    await found();
    // A vendor list, a read and a heartbeat of one camera register it once.
    expect((await cameras()).length).toBe(listed.length);
  });

  it("are fetched with a part of the keys each day, and with all of them within days", async () => {
    const more = Array.from({ length: 6 }, () => ({ ...world.hartford, id: unique("rekor") }));
    await setUpPart({ rekorKeys: more });
    const { results } = await bindings.DB.prepare("SELECT id FROM rekor_keys ORDER BY id").all();
    const keys = results.length;
    const asked = async () => {
      const health =
        "SELECT integration_id AS id FROM integration_health WHERE coalesce(last_ok_at, last_failure_at) > 0";
      const known = await bindings.DB.prepare(
        `SELECT id FROM rekor_keys WHERE id IN (${health}) ORDER BY id`,
      ).all();
      return known.results;
    };
    await bindings.DB.prepare("DELETE FROM integration_health").run();
    const today = Date.now();
    for (let day = 0; day < keys; day++) {
      expect(await asked()).toHaveLength(day);
      await refreshRekorCameras(
        testApp(() => today + day * DAY),
        1,
      );
    }
    expect(await asked()).toEqual(results);
    for (const { id } of more)
      await bindings.DB.prepare("DELETE FROM rekor_keys WHERE id = ?").bind(id).run();
  });

  it("are registered from a read or a heartbeat, and keep location and name if a later one has none", async () => {
    const app = testApp();
    const id = `AGENT/${unique("7")}`;
    const seen = {
      id,
      agencyId: world.ours.id,
      name: "Pole 7",
      siteName: "HQ",
      latitude: 41.5,
      longitude: -72.5,
    };
    const at = Date.now() - 60 * MINUTE;
    const note = (over: object) => noteAll(app.db, [{ ...seen, at, kind: "read", ...over }]);
    await note({});
    await note({ at: at + 10 * MINUTE, name: "", siteName: "", latitude: null, longitude: null });
    await note({ at: at + 30 * MINUTE, kind: "heartbeat", latitude: 0, longitude: 0 });
    await note({ at: at - 10 * MINUTE, name: "Before it was moved", latitude: 40, longitude: -70 });
    expect(await one(id)).toMatchObject({
      camera_name: "Pole 7",
      site_name: "HQ",
      corrected_latitude: 41.5,
      corrected_longitude: -72.5,
      agency_id: world.ours.id,
      last_read_at: at + 10 * MINUTE,
      last_heartbeat_at: at + 30 * MINUTE,
    });
    const gap = await bindings.DB.prepare("SELECT usual_gap_ms FROM rekor_cameras WHERE id = ?")
      .bind(id)
      .first();
    expect(gap).toEqual({ usual_gap_ms: 10 * MINUTE });
    // Half an hour without the heartbeat that is due every minute.
    expect((await one(id))?.silent).toBe(true);
    await note({ at: Date.now(), kind: "heartbeat" });
    expect((await one(id))?.silent).toBe(false);
  });
});

describe("a camera that other agencies report too", () => {
  const at = Date.now() - 60 * MINUTE;
  const app = testApp();
  const seen = { name: "Pole 7", siteName: "HQ", latitude: 41.5, longitude: -72.5, kind: "read" as const };
  const note = (id: string, over: Partial<CameraSeen>) =>
    noteAll(app.db, [{ ...seen, id, at, agencyId: world.ours.id, ...over }]);
  const row = (id: string) =>
    bindings.DB.prepare("SELECT * FROM rekor_cameras WHERE id = ?").bind(id).first<Record<string, unknown>>();

  it("cannot be renamed, moved or kept from silent status by another agency", async () => {
    const id = `AGENT/${unique("7")}`;
    await note(id, {});
    await note(id, { at: at + 10 * MINUTE });
    const before = await row(id);
    const theirs = { agencyId: world.theirs.id, name: "Mine", latitude: 10, at: Date.now() };
    await note(id, theirs);
    await note(id, { ...theirs, kind: "heartbeat" });
    await note(id, { ...theirs, kind: "past-read" });
    expect(await row(id)).toEqual(before);
  });

  it("cannot be renamed, moved or kept from silent status by a key that names no owner", async () => {
    const id = `AGENT/${unique("7")}`;
    await note(id, {});
    const before = await row(id);
    const theirs = { agencyId: null, name: "Mine", latitude: 10, at: Date.now() };
    await note(id, { ...theirs, kind: "past-read" });
    await note(id, { ...theirs, kind: "list" });
    expect(await row(id)).toEqual(before);
  });

  it("has no owner if it was registered through a key with another name, until an agency posts or lists it", async () => {
    for (const kind of ["read", "heartbeat", "list"] as const) {
      const id = `AGENT/${unique("8")}`;
      await note(id, { kind: "list", agencyId: null });
      expect(await row(id)).toMatchObject({ agency_id: null });
      await note(id, { kind, name: "Pole 8", at: at + MINUTE });
      expect(await row(id)).toMatchObject({ agency_id: world.ours.id, name: "Pole 8" });
      const before = await row(id);
      await note(id, { kind, agencyId: world.theirs.id, name: "Mine", at: at + 2 * MINUTE });
      expect(await row(id)).toEqual(before);
    }
  });

  it("belongs to a key's agency only if the key has the agency's own name", async () => {
    const theirs = await newAgency(`${unique("POLICÍA")} ÑUÑOA`);
    await bindings.DB.prepare("DELETE FROM rekor_cameras").run();
    const label = (agency: string, tenant: string) =>
      bindings.DB.prepare("UPDATE rekor_keys SET agency = ?, tenant_id = ? WHERE id = ?")
        .bind(agency, tenant, world.hartford.id)
        .run();
    const owners = async () => {
      const { results } = await bindings.DB.prepare(
        "SELECT DISTINCT agency_id FROM rekor_cameras WHERE agency_id IS NOT NULL",
      ).all<{ agency_id: string }>();
      return results.map(({ agency_id }) => agency_id);
    };
    try {
      // A name that the tenant chose must neither fill another agency's list of cameras nor show it the tenant's.
      await label(theirs.name, world.ours.id);
      await refreshRekorCameras(app);
      await found();
      expect((await cameras()).length).toBeGreaterThan(1);
      expect(await owners()).toEqual([]);
      await label(theirs.name.toLowerCase(), theirs.id);
      await refreshRekorCameras(app);
      expect(await owners()).toEqual([theirs.id]);
    } finally {
      await label(world.hartford.agency, world.ours.id);
    }
  });

  it("counts toward a limit of five thousand per agency; known cameras are still updated", async () => {
    const { id: agencyId } = await newAgency();
    const many = Array.from({ length: 4999 }, (_, i) => ({ ...seen, agencyId, at, id: `${agencyId}/${i}` }));
    await noteAll(app.db, many);
    await note(`${agencyId}/last`, { agencyId });
    await note(`${agencyId}/more`, { agencyId });
    const unowned = `AGENT/${unique("9")}`;
    await note(unowned, { agencyId: null, kind: "list" });
    await note(unowned, { agencyId });
    expect(await row(unowned)).toMatchObject({ agency_id: null });
    await note(`${agencyId}/1`, { agencyId, at: at + MINUTE });
    expect(await row(`${agencyId}/last`)).not.toBeNull();
    expect(await row(`${agencyId}/more`)).toBeNull();
    expect(await row(`${agencyId}/1`)).toMatchObject({ last_read_at: at + MINUTE });
    const elsewhere = `AGENT/${unique("9")}`;
    await note(elsewhere, {});
    expect(await row(elsewhere)).not.toBeNull();
  });
});

describe("the cameras of one search of a large state", () => {
  it("are registered, although they are more than D1 accepts as one value", async () => {
    const { database, run } = plansOf(bindings.DB);
    const agent = unique("AGENT");
    const camera = { siteName: "", latitude: 41.512345, longitude: -72.512345, kind: "past-read" as const };
    const seen = Array.from({ length: 12_000 }, (_, i) => ({
      ...camera,
      id: `${agent}${String(i).padStart(20, "0")}/${i}`,
      name: `Interstate 95 northbound at exit ${i}`,
      agencyId: null,
      at: Date.now(),
    }));
    await noteAll(openControl(database), seen);
    for (const { values } of run) expect(JSON.stringify(values).length).toBeLessThan(2_000_000);
    const count = await bindings.DB.prepare("SELECT count(*) AS n FROM rekor_cameras WHERE id LIKE ?")
      .bind(`${agent}%`)
      .first("n");
    expect(count).toBe(12_000);
    await bindings.DB.prepare("DELETE FROM rekor_cameras WHERE id LIKE ?").bind(`${agent}%`).run();
  });
});

describe("more cameras than one list has", () => {
  it("are found by id, name or site, by the endpoint and on the screen", async () => {
    await bindings.DB.prepare(
      `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 20001)
       INSERT INTO rekor_cameras (id, name, site_name, first_seen_at)
       SELECT 'many/' || value, 'Many ' || value, 'Site Ñ ' || value, 1 FROM n`,
    ).run();
    await bindings.DB.prepare(
      "INSERT INTO rekor_cameras (id, name, site_name, first_seen_at) VALUES ('many/last', 'Zz Bridge 100%', 'Old Port', 1)",
    ).run();
    const find = async (text: string) => {
      const answer = await owner.fetch(`/rekor-cameras?find=${encodeURIComponent(text)}`);
      return ((await answer.json()) as RekorCamera[]).map(({ camera_id }) => camera_id);
    };
    const first = await cameras();
    const page = await (await owner.fetch("/rekor-camera-management?find=zz%20bridge")).text();
    const none = await (await owner.fetch("/rekor-camera-management?find=nowhere-at-all")).text();
    const [byName, bySite, byId] = [
      await find(" zz BRIDGE 100% "),
      await find("old port"),
      await find("many/last"),
    ];
    await bindings.DB.prepare("DELETE FROM rekor_cameras WHERE id LIKE 'many/%'").run();
    expect(first.length).toBe(20_000);
    expect(first.some(({ camera_id }) => camera_id === "many/last")).toBe(false);
    expect([byName, bySite, byId]).toEqual([["many/last"], ["many/last"], ["many/last"]]);
    expect(page).toContain("Zz Bridge 100%");
    expect(none).toContain("0 found.");
    expect(none).not.toContain("No Rekor cameras yet.");
  });
});

describe("a corrected camera", () => {
  it("has the new location immediately in new results, in earlier results, and in exports", async () => {
    const { read, camera, resultId } = await aCamera();
    const before = await storedRows(resultId);
    expect(before.rows.get(read.id)?.latitude).toBeCloseTo(read.latitude, 6);
    const answer = await patch(
      camera.camera_id,
      place(41.111111, -72.222222, { agency_id: world.theirs.id }),
    );
    expect(await answer.json()).toMatchObject({
      corrected_latitude: 41.111111,
      corrected_longitude: -72.222222,
      agency_id: world.theirs.id,
      is_manual: true,
    });

    const { rows } = await found();
    const again = rows.find(({ id }) => id === read.id);
    expect([again?.latitude, again?.longitude, again?.agency]).toEqual([
      41.111111,
      -72.222222,
      world.theirs.name,
    ]);
    const other = rows.find(({ camera_name }) => camera_name !== read.camera_name);
    expect(other?.latitude).not.toBe(41.111111);
    expect(other?.agency).toBe(world.hartford.agency);

    const stored = await storedRows(resultId);
    expect(stored.rows.size).toBe(before.rows.size);
    expect(stored.rows.get(read.id)).toMatchObject({ latitude: 41.111111, longitude: -72.222222 });
    expect(stored.rows.get(read.id)).toMatchObject({
      agency: world.theirs.name,
      plate: before.rows.get(read.id)?.plate,
    });
    // Browsers cache the rows by URL, so the URL changes.
    expect(stored.page).not.toBe(before.page);

    const exported = await officer.post("/export-zip", {
      records: [{ id: read.id }],
      justification: "Stolen vehicle",
      case_number: "26-1044",
      result_id: resultId,
    });
    expect(exported.status).toBe(200);
    const files = unzipSync(new Uint8Array(await exported.arrayBuffer()));
    const texts = Object.values(files).map((bytes) => new TextDecoder("latin1").decode(bytes));
    expect(texts.some((text) => text.includes("41.111111") && text.includes("-72.222222"))).toBe(true);
  });

  it("keeps its location when the vendor reports another one, and returns to the vendor's on request", async () => {
    const { read, camera, resultId } = await aCamera();
    expect((await patch(camera.camera_id, place(41.123456, -72.654321))).status).toBe(200);
    await refreshRekorCameras(testApp());
    await found();
    expect(await one(camera.camera_id)).toMatchObject({
      corrected_latitude: 41.123456,
      is_manual: true,
      vendor_latitude: camera.vendor_latitude,
    });
    const during = await found();
    const undone = place(41.123456, -72.654321, { is_manual: false });
    expect((await patch(camera.camera_id, undone)).status).toBe(200);
    expect(await one(camera.camera_id)).toMatchObject({
      corrected_latitude: camera.vendor_latitude,
      corrected_longitude: camera.vendor_longitude,
      is_manual: false,
    });
    for (const id of [resultId, during.resultId]) {
      const { rows } = await storedRows(id);
      expect(rows.get(read.id)?.latitude).toBe(camera.vendor_latitude);
    }
    expect((await found()).rows.find(({ id }) => id === read.id)?.latitude).toBe(camera.vendor_latitude);
  });

  it("is corrected at its address with a slash at the end too, and with a slash within its id", async () => {
    const id = `${unique("site")}/1`;
    const known = { id, agencyId: null, name: "Gate", siteName: "", latitude: null, longitude: null };
    await noteAll(testApp().db, [{ ...known, at: Date.now(), kind: "list" }]);
    for (const [address, latitude] of [
      [id, 41.1],
      [`${id}/`, 41.2],
      [`${encodeURIComponent(id)}/`, 41.3],
    ]) {
      const init = jsonInit(place(latitude, -72.5), { method: "PATCH" });
      const { status } = await owner.fetch(`/rekor-cameras/${address}`, init);
      expect([address, status]).toEqual([address, 200]);
      expect(await one(id)).toMatchObject({ corrected_latitude: latitude });
    }
  });

  it("can be given an agency before it has a location", async () => {
    const id = `AGENT/${unique("8")}`;
    const seen = { id, agencyId: null, name: "Pole 8", siteName: "", latitude: null, longitude: null };
    await noteAll(testApp().db, [{ ...seen, at: Date.now(), kind: "heartbeat" }]);
    const answer = await patch(id, place(null, null, { agency_id: world.ours.id }));
    expect(answer.status).toBe(200);
    expect(await one(id)).toMatchObject({
      agency_id: world.ours.id,
      corrected_latitude: null,
      is_manual: false,
    });
    const { agency_id: _, ...withoutAgency } = place(41.5, -72.5);
    expect((await patch(id, withoutAgency)).status).toBe(200);
    expect(await one(id)).toMatchObject({ agency_id: world.ours.id, corrected_latitude: 41.5 });
    expect((await patch(id, place(41.5, -72.5, { agency_id: "" }))).status).toBe(200);
    expect(await one(id)).toMatchObject({ agency_id: null });
    // The fields of a client that edits coordinates as text are empty without a location.
    expect((await patch(id, place("", " ", { agency_id: world.ours.id }))).status).toBe(200);
    expect(await one(id)).toMatchObject({ agency_id: world.ours.id, corrected_latitude: null });
  });

  it("keeps a location that a change does not name, or that Rekor has none for", async () => {
    const { camera } = await aCamera();
    const change = async (id: string, body: object) => [(await patch(id, body)).status, await one(id)];
    await patch(camera.camera_id, place(41.5, -72.5));
    const corrected = { corrected_latitude: 41.5, corrected_longitude: -72.5, is_manual: true };
    expect(await change(camera.camera_id, { agency_id: world.theirs.id })).toEqual([
      200,
      expect.objectContaining({ ...corrected, agency_id: world.theirs.id }),
    ]);
    // Rekor's location applies again.
    expect(await change(camera.camera_id, { is_manual: false })).toEqual([
      200,
      expect.objectContaining({ corrected_latitude: camera.vendor_latitude, is_manual: false }),
    ]);
    // No change, a manual location without coordinates, and half of one.
    expect((await change(camera.camera_id, {}))[0]).toBe(400);
    expect((await change(camera.camera_id, { is_manual: true }))[0]).toBe(400);
    expect((await change(camera.camera_id, { is_manual: false, corrected_latitude: 41.5 }))[0]).toBe(400);

    const id = `AGENT/${unique("9")}`;
    const seen = { id, agencyId: null, name: "Pole 9", siteName: "", latitude: null, longitude: null };
    await noteAll(testApp().db, [{ ...seen, at: Date.now(), kind: "heartbeat" }]);
    await patch(id, place(41.5, -72.5));
    const kept = [200, expect.objectContaining(corrected)];
    expect(await change(id, { is_manual: false })).toEqual(kept);
    expect(await change(id, place(41.5, -72.5, { is_manual: false }))).toEqual(kept);
    expect(await change(id, place(null, null, { is_manual: false }))).toEqual([
      200,
      expect.objectContaining({ corrected_latitude: null, is_manual: false }),
    ]);
  });

  it("is audited with its previous values", async () => {
    const { camera } = await aCamera();
    await patch(camera.camera_id, place(41.5, -72.5));
    const [entry] = await auditOf(world.users.owner);
    expect(entry).toMatchObject({ action: "camera.change", object: camera.camera_id });
    expect(JSON.parse(entry?.detail ?? "")).toMatchObject({
      before: { latitude: camera.corrected_latitude, is_manual: camera.is_manual },
      after: { latitude: 41.5, longitude: -72.5 },
    });
  });

  it("accepts locations on Earth, and rounds them to six decimals", async () => {
    const { camera } = await aCamera();
    for (const [latitude, longitude] of [
      [90, 0.5],
      [-90, 0.5],
      [41, 180],
      [41, -180],
      [0, 0],
      [-1, -1],
      ["north", -72.5],
      [null, -72.5],
      ["", -72.5],
      [89.9999999, -72.5],
      [41.5, 1e9],
      [undefined, undefined],
    ]) {
      const answer = await patch(camera.camera_id, place(latitude, longitude));
      expect([latitude, longitude, answer.status]).toEqual([latitude, longitude, 400]);
    }
    expect((await patch(camera.camera_id, place(41.5, -72.5, { agency_id: "none" }))).status).toBe(400);
    expect((await patch("nobody/1", place(41.5, -72.5))).status).toBe(404);
    expect((await patch(camera.camera_id, place(89.999999, -179.999999))).status).toBe(200);
    expect((await patch(camera.camera_id, place("41.5", "-72.5"))).status).toBe(200);
    expect((await patch(camera.camera_id, place(41.1234567, "-72.50000004"))).status).toBe(200);
    const [entry] = await auditOf(world.users.owner);
    expect(JSON.parse(entry?.detail ?? "").after).toMatchObject({ latitude: 41.123457, longitude: -72.5 });
    await patch(camera.camera_id, place(41.5, -72.5, { is_manual: false }));
  });
});

it("cameras without an agency are recorded up to the length of the owner's list, and known ones still change", async () => {
  const { db } = testApp();
  const [known, late] = [unique("known"), unique("late")];
  const seen = (id: string, name: string, agencyId: string | null = null): CameraSeen => ({
    ...{ id, agencyId, name, siteName: "", latitude: null, longitude: null },
    ...{ at: Date.now(), kind: "list" },
  });
  const nameOf = (id: string) =>
    bindings.DB.prepare("SELECT name FROM rekor_cameras WHERE id = ?").bind(id).first<string>("name");
  await noteAll(db, [seen(known, "Before")]);
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT INTO rekor_cameras (id, name, site_name, is_manual, first_seen_at)
    SELECT 'crowd-' || i, '', '', 0, 0 FROM n`,
  )
    .bind(CAMERAS_LISTED - 1)
    .run();
  try {
    await noteAll(db, [seen(known, "After"), seen(late, "Late")]);
    expect([await nameOf(known), await nameOf(late)]).toEqual(["After", null]);
    await noteAll(db, [seen(late, "Owned", world.ours.id)]);
    expect(await nameOf(late)).toBe("Owned");
  } finally {
    await bindings.DB.prepare("DELETE FROM rekor_cameras WHERE id LIKE 'crowd-%'").run();
  }
});

describe("two windows that correct a camera", () => {
  const at = Date.now();
  const seen = async () => {
    const id = `AGENT/${unique("7")}`;
    const camera = {
      name: "Pole 7",
      siteName: "HQ",
      latitude: 41.5,
      longitude: -72.5,
      kind: "read" as const,
    };
    await noteAll(testApp().db, [{ ...camera, id, at, agencyId: world.ours.id }]);
    return id;
  };
  const CONFLICT = /changed this camera after you opened this page/;

  it("do not overwrite each other: the second gets 409, but may repeat the first", async () => {
    const id = await seen();
    const known = { corrected_at: (await one(id))?.corrected_at ?? null };
    const first: RekorCamera = await (await patch(id, place(41.6, -72.6, known))).json();
    const refused = await patch(id, place(41.7, -72.7, known));
    expect(refused.status).toBe(409);
    expect(await refused.text()).toMatch(CONFLICT);
    expect(await one(id)).toMatchObject({ corrected_latitude: 41.6, corrected_longitude: -72.6 });
    // Its answer was lost, and it is sent again.
    expect((await patch(id, place(41.6, -72.6, known))).status).toBe(200);
    // The screen sends the time as text.
    const next = await patch(id, place(41.8, -72.8, { corrected_at: String(first.corrected_at) }));
    expect(next.status).toBe(200);
    expect((await next.json<RekorCamera>()).corrected_at).toBeGreaterThan(first.corrected_at ?? 0);
    // A client that does not know the field.
    expect((await patch(id, place(41.9, -72.9))).status).toBe(200);
    expect((await patch(id, place(41.9, -72.9, { corrected_at: "now" }))).status).toBe(400);
  });

  it("get the message on the screen for a correction; Rekor's location can be restored from any", async () => {
    const id = await seen();
    const send = async (intent: string, over: Record<string, string>) => {
      const body = new URLSearchParams({ [FORM_FIELDS.intent]: intent, camera_id: id, ...over });
      return (await owner.fetch("/rekor-camera-management", { method: "POST", body })).text();
    };
    const typed = { latitude: "41.6", longitude: "-72.6", agency_id: "" };
    await send("correct", { ...typed, corrected_at: "" });
    expect(await send("correct", { ...typed, latitude: "41.7", corrected_at: "" })).toMatch(CONFLICT);
    expect(await one(id)).toMatchObject({ corrected_latitude: 41.6, is_manual: true });
    await send("undo", {});
    expect(await one(id)).toMatchObject({ corrected_latitude: 41.5, is_manual: false });
  });
});
