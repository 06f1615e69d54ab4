import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { findExportRecords } from "#app/domain/exports/records.ts";
import { searchConvoy } from "#app/domain/search/investigate/convoy.ts";
import { investigateFormFor } from "#app/domain/search/investigate/form.ts";
import { searchPlaces } from "#app/domain/search/investigate/places.ts";
import { ExportRequest } from "#app/entities/exports/request.ts";
import type { ConvoyAnswer, PlacesAnswer } from "#app/entities/search/investigate/answer.ts";
import { ConvoyRequest, PlacesRequest } from "#app/entities/search/investigate/request.ts";
import type { SearchProgress } from "#app/entities/search/query.ts";
import { at } from "#app/lib/at.ts";
import { HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { putInvestigation } from "#app/store/search/investigations.ts";
import { axisCameraSecret } from "../../../workers/vendors/credentials.ts";
import { countingDatabase, noCounts } from "../../bench/support/counting-database.ts";
import {
  actorOf,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  newAgency,
  newUser,
  newWorld,
  pushRead,
  setUpPart,
  testApp,
  unique,
  vendors,
  type World,
} from "../../factories.ts";
import { postAxis } from "../../live.ts";

let world: World;
let admin: Client;
let officer: Client;
/** Our cameras, about seven miles apart. */
let cameras: { id: string; secret: string; latitude: number; longitude: number }[];

const NOW = Date.now();
const ago = (hours: number) => NOW - hours * HOUR;
const REASON = { justification: "Burglary series on Main Street", case_number: "26-2001", purpose: "" };

beforeAll(async () => {
  world = await newWorld();
  [admin, officer] = await Promise.all([client(world.users.admin), client(world.users.officer)]);
  cameras = await Promise.all(
    [0, 1, 2].map(async (n) => {
      const id = unique("spot");
      const place = { latitude: 41.76 - n * 0.1, longitude: -72.67 };
      return {
        id,
        agencyId: world.ours.id,
        name: `Spot ${n} ${id}`,
        ...place,
        secret: await axisCameraSecret("test", id),
      };
    }),
  );
  await setUpPart({ axisCameras: cameras as never });
  // THIEF1 passes all cameras, an hour apart; each has four other vehicles, one of which passes two.
  for (const [n, camera] of cameras.entries()) {
    const at = ago(10 - n);
    const others = [`LOCAL${n}A`, `LOCAL${n}B`, `LOCAL${n}C`, n < 2 ? "TWICE22" : "LOCAL9D"];
    for (const plate of others) await pushRead(camera, { plate, at: at - 20 * MINUTE });
    await pushRead(camera, { plate: "THIEF1", at });
    await pushRead(camera, { plate: "FRIEND2", at: at + 40_000 });
  }
});

beforeEach(() => vendors.clearCalls());
afterEach(() => void vi.useRealTimers());

const circle = (n: number) => {
  const { latitude, longitude } = cameras[n] ?? { latitude: 0, longitude: 0 };
  return { kind: "circle", latitude, longitude, radius_miles: 1 };
};
const place = (n: number, over: object = {}) => ({
  name: "",
  area: { kind: "cameras", cameras: [`axis:${cameras[n]?.id}`] },
  start_time: isoTime(ago(10.5 - n)),
  end_time: isoTime(ago(9.5 - n)),
  ...over,
});
const placesBody = (over: object = {}) => ({
  ...REASON,
  agencies: [world.ours.id],
  places: [place(0), place(1, { name: "The bank", area: circle(1) }), place(2)],
  ...over,
});
const convoyBody = (over: object = {}) => ({
  ...REASON,
  agencies: [world.ours.id],
  plate: "thief-1",
  start_time: isoTime(ago(24)),
  end_time: isoTime(NOW),
  ...over,
});

async function problemsOf(
  path: string,
  body: object,
): Promise<{ status: number; fields: string[]; message: string }> {
  const answer = await admin.post(path, body);
  const { problems = {}, message } = await bodyOf<{ problems?: Record<string, string>; message: string }>(
    answer,
  );
  return { status: answer.status, fields: Object.keys(problems), message };
}

describe("a place search", () => {
  it("returns the plates of several places, least likely by chance first, and stores their reads", async () => {
    const answer = await bodyOf<PlacesAnswer>(admin.post("/search-places", placesBody()));
    expect(answer.plates.map(({ plate, places }) => [plate, places.length])).toEqual([
      ["FRIEND2", 3],
      ["THIEF1", 3],
      ["TWICE22", 2],
    ]);
    expect(answer.plates[1]?.log10_chance).toBeLessThan(answer.plates[2]?.log10_chance ?? 0);
    const rows = answer.plates[1]?.places.flatMap((one) => one.rows) ?? [];
    expect(rows.map((row) => answer.reads[row]?.plate)).toEqual(["THIEF1", "THIEF1", "THIEF1"]);
    expect(answer.sources).toMatchObject([{ program: "Axis", state: "ok" }]);

    // Only reads of returned plates are stored: the stored columns contain no plates of bystanders.
    const columns = await (await admin.fetch(`/results/${answer.result_id}/columns`)).text();
    expect(columns).toContain("THIEF1");
    expect(columns).not.toContain("LOCAL0A");
    const screen = await admin.fetch(`/investigate/${answer.result_id}`);
    expect(screen.status).toBe(200);
    expect(await screen.text()).toContain("TWICE22");
    expect((await officer.fetch(`/investigate/${answer.result_id}`)).status).toBe(403);
    const strange = await client(world.users.strangeAdmin);
    expect((await strange.fetch(`/investigate/${answer.result_id}`)).status).toBe(404);
  });

  it("shows ten of many plates a page, because each may have sixty reads", async () => {
    const boss = await client(await newUser(world.ours.id, { role: "admin" }));
    const answer = await bodyOf<PlacesAnswer>(boss.post("/search-places", placesBody()));
    const [plate] = answer.plates;
    const plates = Array.from({ length: 100 }, (_, n) => ({ ...plate, plate: `MANY${n + 1}` }));
    await putInvestigation(bindings.RESULTS, answer.result_id, { ...answer, plates });
    const shown = async (page: number) => {
      const screen = await boss.fetch(`/investigate/${answer.result_id}?page=${page}`);
      const html = await screen.text();
      return [...html.matchAll(/Search this plate: (\w+)/g)].map(([, text]) => text);
    };
    const names = (first: number) => Array.from({ length: 10 }, (_, n) => `MANY${first + n}`);
    expect(await shown(1)).toEqual(names(1));
    expect(await shown(4)).toEqual(names(31));
    expect(await shown(99)).toEqual(names(91));
  });

  it("is recorded in the audit log with its reason and the plates that it returned", async () => {
    const { result_id } = await bodyOf<PlacesAnswer>(
      admin.post("/search-places", placesBody({ at_least: 3 })),
    );
    const [begun, ended] = await auditOf(world.users.admin, 2);
    expect(begun).toMatchObject({
      action: "search-places",
      outcome: "ok",
      object: result_id,
      case_number: "26-2001",
    });
    expect(JSON.parse(begun?.detail ?? "")).toMatchObject({
      query: { justification: REASON.justification, at_least: 3 },
    });
    expect(ended).toMatchObject({ action: "search-places.finished", object: result_id });
    expect(JSON.parse(ended?.detail ?? "")).toMatchObject({ plates: ["FRIEND2", "THIEF1"] });
  });

  it("reports every problem with its field, and makes no request to a vendor", async () => {
    const wrong = async (over: object) => {
      const { status, fields } = await problemsOf(
        "/search-places",
        placesBody({ agencies: world.agencies, ...over }),
      );
      return [status, ...fields];
    };
    const sameSpot = [place(0), place(0, { area: circle(0), start_time: isoTime(ago(10)) })];
    const future = [
      place(0),
      place(1, { start_time: isoTime(NOW + HOUR), end_time: isoTime(NOW + 2 * HOUR) }),
    ];
    const foreign = [
      place(0),
      place(1, { area: { kind: "cameras", cameras: [`axis:${world.axisCameras[1]?.id}`] } }),
    ];
    expect(await wrong({ places: sameSpot })).toEqual([400, "places.1.start_time"]);
    expect(await wrong({ places: future })).toEqual([400, "places.1.start_time"]);
    expect(await wrong({ places: foreign })).toEqual([400, "places.1.area"]);
    expect(await wrong({ agencies: [world.hartford.id] })).toContain("places.0.area");
    // Only one camera of the agency is searched, and the second place is at another.
    const oneOf = { agencies: [cameras[0]?.id], places: [place(0), place(1)] };
    expect(await wrong(oneOf)).toEqual([400, "places.1.area"]);
    expect(await wrong({ at_least: 4 })).toEqual([400, "at_least"]);
    expect(await wrong({ case_number: " " })).toEqual([400, "case_number"]);
    expect(await wrong({ agencies: ["nobody"] })).toEqual([403, "agencies"]);
    expect(await wrong({ justification: "Deportation of the driver" })).toEqual([403, "justification"]);
    const clinic = [place(0), place(1, { name: "Abortion clinic" })];
    expect(await wrong({ places: clinic })).toEqual([403, "places.1.name"]);
    expect(await vendors.calls()).toEqual({});
    const [refused] = await auditOf(world.users.admin, 1);
    expect(refused).toMatchObject({ action: "search-places", outcome: "refused" });
    for (const places of [[place(0)], Array.from({ length: 6 }, () => place(0)), "all"])
      expect((await problemsOf("/search-places", placesBody({ places }))).status).toBe(400);
  });

  it("that was canceled does not record as searched what was not asked", async () => {
    const request = PlacesRequest.parse(placesBody());
    const hooks = { signal: AbortSignal.abort(), onProgress: () => {} };
    const search = searchPlaces(testApp(), await actorOf(admin), { request, ...hooks });
    await expect(search).rejects.toMatchObject({ code: "gone" });
    const [ended] = await auditOf(world.users.admin, 1);
    expect(ended).toMatchObject({ action: "search-places.finished", outcome: "failed" });
    const { sources } = JSON.parse(ended?.detail ?? "");
    expect(sources).toMatchObject([{ program: "Axis", state: "cancelled", reads: 0 }]);
  });

  it("accepts areas that are far from every known town", async () => {
    const alaska = { kind: "circle", latitude: 66.5, longitude: -150, radius_miles: 5 };
    const desert = { kind: "box", north: 33.6, south: 33.3, east: -108.2, west: -108.5 };
    const places = [place(0), place(1, { area: alaska }), place(2, { area: desert })];
    const answer = await admin.post("/search-places", placesBody({ places }));
    expect(answer.status).toBe(200);
    expect((await bodyOf<PlacesAnswer>(answer)).notes).toEqual([
      "No camera returned a read in Place 2.",
      "No camera returned a read in Place 3.",
    ]);
  });

  it("accepts windows at one place that only touch, and counts a read between them once", async () => {
    const [camera] = cameras;
    const hour = Math.floor(ago(4) / MINUTE) * MINUTE;
    for (const at of [hour - 10 * MINUTE, hour + 10 * MINUTE])
      if (camera) await pushRead(camera, { plate: "BOTH88", at });
    if (camera) await pushRead(camera, { plate: "EDGE77", at: hour });
    if (camera) await pushRead(camera, { plate: "EDGE78", at: hour + 400 });
    const window = (from: number) => ({ start_time: isoTime(from), end_time: isoTime(from + HOUR) });
    const first = place(0, window(hour - HOUR));
    const touching = placesBody({ places: [first, place(0, window(hour))] });
    const answer = await bodyOf<PlacesAnswer>(admin.post("/search-places", touching));
    expect(answer.plates.map(({ plate }) => plate)).toEqual(["BOTH88"]);
    expect(answer.reads_gathered).toBe(4);
    expect(answer.notes).toEqual([]);
    const overlapping = placesBody({ places: [first, place(0, window(hour - 1000))] });
    const { status, fields } = await problemsOf("/search-places", overlapping);
    expect([status, ...fields]).toEqual([400, "places.1.start_time"]);
  });

  it("counts a read of a picked camera for that place, if an area that overlaps it unnoticed has it too", async () => {
    const placed = (latitude: number | null, longitude: number | null) =>
      bindings.DB.prepare("UPDATE axis_cameras SET latitude_e6 = ?, longitude_e6 = ? WHERE id = ?")
        .bind(latitude, longitude, cameras[0]?.id)
        .run();
    const before = await bindings.DB.prepare(
      "SELECT latitude_e6, longitude_e6 FROM axis_cameras WHERE id = ?",
    )
      .bind(cameras[0]?.id)
      .first<{ latitude_e6: number; longitude_e6: number }>();
    // Its location is no longer known, but its reads have the one of their time.
    await placed(null, null);
    const window = { start_time: isoTime(ago(10.5)), end_time: isoTime(ago(8.5)) };
    const places = [place(1, { ...window, area: { ...circle(0), radius_miles: 8 } }), place(0, window)];
    const request = PlacesRequest.parse(placesBody({ places }));
    const hooks = { signal: new AbortController().signal, onProgress: () => {} };
    const answer = await searchPlaces(testApp(), await actorOf(admin), { request, ...hooks }).finally(() =>
      placed(before?.latitude_e6 ?? null, before?.longitude_e6 ?? null),
    );
    expect(answer.plates.map(({ plate, places }) => [plate, places.map((one) => one.rows.length)])).toEqual(
      expect.arrayContaining([["TWICE22", [1, 1]]]),
    );
    expect(answer.notes).toEqual([
      "6 reads are in more than one place and count for one of them only, because the places overlap in place and time.",
    ]);
  });

  it("identifies a camera by its id, even if it was renamed or shares a name with another one", async () => {
    const named = (name: string) =>
      bindings.DB.prepare("UPDATE axis_cameras SET name = ? WHERE id = ?").bind(name, cameras[1]?.id).run();
    await named(`Spot 0 ${cameras[0]?.id}`);
    const places = [place(0), place(1), place(2)];
    const answer = await bodyOf<PlacesAnswer>(admin.post("/search-places", placesBody({ places })));
    await named(`Spot 1 ${cameras[1]?.id}`);
    expect(answer.plates.map(({ plate, places }) => [plate, places.length])).toEqual([
      ["FRIEND2", 3],
      ["THIEF1", 3],
      ["TWICE22", 2],
    ]);
  });

  it("reports a source that fails, and truncated results", async () => {
    await vendors.setFaults({ program: "rekor", kind: "status", code: 500 });
    const answer = await bodyOf<PlacesAnswer>(
      admin.post("/search-places", placesBody({ agencies: world.agencies })),
    );
    await vendors.setFaults();
    const states = Object.groupBy(answer.sources, ({ program }) => program);
    expect(states.Rekor?.map(({ state }) => state)).toEqual(["failed", "failed"]);
    expect(states.Axon?.map(({ state }) => state)).toEqual(["ok"]);
    expect(answer.plates.map(({ plate }) => plate)).toContain("THIEF1");
    await bindings.DB.prepare("DELETE FROM integration_health").run();
  });
});

describe("a convoy search", () => {
  it("returns the plates that traveled with the searched one, with the pairs of reads and the lift", async () => {
    const init = { headers: { accept: "application/x-ndjson" } };
    const lines = (await (await admin.post("/search-convoy", convoyBody(), init)).text()).trim().split("\n");
    const steps = lines.map((line): SearchProgress => JSON.parse(line));
    expect(steps[0]).toMatchObject({ type: "started", sources: [{ program: "Axis" }] });
    expect(steps.at(-1)).toMatchObject({ type: "done" });
    const answer = await bodyOf<ConvoyAnswer>(admin.post("/search-convoy", convoyBody()));
    expect(answer.plates).toMatchObject([{ plate: "FRIEND2", cameras: 3, pairs_found: 3, trips: 1 }]);
    expect(answer.plates[0]?.lift).toBeGreaterThan(1);
    expect(answer.plates[0]?.pairs.map(({ seconds }) => seconds)).toEqual([40, 40, 40]);
    const [pair] = answer.plates[0]?.pairs ?? [];
    expect(answer.reads[pair?.anchor_row ?? -1]?.plate).toBe("THIEF1");
    expect(answer.reads[pair?.row ?? -1]?.plate).toBe("FRIEND2");
    expect(answer.warning).toMatch(/proves nothing/);
    const [begun] = await auditOf(world.users.admin, 2);
    expect(begun).toMatchObject({ action: "search-convoy", plate: "THIEF1" });
    // An export of the evidence does not call it the results of a search for the plate.
    const records = answer.reads.map(({ plate, at, camera, agency, program }) => ({
      ...{ plate, agency, timestamp: isoTime(at), camera_name: camera, source_program: program },
    }));
    const request = ExportRequest.parse({ records, justification: "Burglary", result_id: answer.result_id });
    const { queries } = await findExportRecords(testApp(), await actorOf(admin), request);
    expect(queries).toMatchObject([{ investigation: { tool: "convoy", request: { minutes: 2 } } }]);
  });

  it("leaves out reads with fewer than three characters, and reports this", async () => {
    const [camera] = cameras;
    if (camera) await pushRead(camera, { plate: "Z9", at: ago(10) + 50_000 });
    const answer = await bodyOf<ConvoyAnswer>(admin.post("/search-convoy", convoyBody()));
    expect(answer.notes).toEqual(["1 read has no plate of at least 3 characters and was left out."]);
    const places = await bodyOf<PlacesAnswer>(admin.post("/search-places", placesBody()));
    expect(places.notes).toEqual(answer.notes);
  });

  it("leaves out reads that only have the time of their arrival, and reports this", async () => {
    // The searches of a day are limited per user.
    const boss = await client(await newUser(world.ours.id, { role: "admin" }));
    const from = isoTime(Date.now());
    const late = (plate: string) => ({ plateUTF8: plate, carState: "lost", carID: unique("car") });
    for (const camera of cameras.slice(0, 2))
      for (const plate of ["CLOCK11", "CLOCK22"])
        expect((await postAxis(camera.secret, late(plate))).status).toBe(200);
    const now = { start_time: from, end_time: isoTime(Date.now()) };
    const convoy = await bodyOf<ConvoyAnswer>(
      boss.post("/search-convoy", convoyBody({ plate: "CLOCK11", at_least: 2, ...now })),
    );
    expect(convoy.plates).toEqual([]);
    expect(convoy.reads).toEqual([]);
    expect(convoy.notes).toEqual([
      "CLOCK11 was not read with a time of capture in this range, so there is nothing to compare.",
      "2 reads have only the time of arrival and were left out.",
    ]);
    const places = await bodyOf<PlacesAnswer>(
      boss.post("/search-places", placesBody({ places: [place(0, now), place(1, now)] })),
    );
    expect(places.plates).toEqual([]);
    expect(places.notes).toContain("4 reads have only the time of arrival and were left out.");

    // Nor does such a read travel with a plate whose reads have the time of their capture.
    for (const camera of cameras.slice(0, 2)) await pushRead(camera, { plate: "CLOCK33", at: Date.now() });
    const later = { start_time: from, end_time: isoTime(Date.now()) };
    const timedBody = convoyBody({ plate: "CLOCK33", at_least: 2, ...later });
    const beside = await bodyOf<ConvoyAnswer>(boss.post("/search-convoy", timedBody));
    expect(beside.anchor_rows).toHaveLength(2);
    expect(beside.plates).toEqual([]);
    expect(beside.notes).toEqual(["4 reads have only the time of arrival and were left out."]);
  });

  it("gathers no reads of Axis cameras that the plate did not pass, which may be too many", async () => {
    const busy = { id: unique("busy"), secret: unique("secret"), latitude: 41.5, longitude: -72 };
    const { id, latitude, longitude } = busy;
    const secret = await axisCameraSecret("test", id);
    const camera = { id, agencyId: world.ours.id, name: "Busy road", latitude, longitude, secret };
    await setUpPart({ axisCameras: [camera] as never });
    for (let n = 0; n < 15; n++)
      await pushRead({ ...busy, secret }, { plate: `BUSY${n}00`, at: ago(10) + 60_000 + n * 3000 });
    const app = testApp();
    const few = { ...app, config: { ...app.config, searchMaxReads: 15 } };
    const hooks = { signal: new AbortController().signal, onProgress: () => {} };
    const request = ConvoyRequest.parse(convoyBody());
    const answer = await searchConvoy(few, await actorOf(admin), { request, ...hooks });
    expect(answer.plates).toMatchObject([{ plate: "FRIEND2", cameras: 3 }]);
    expect(answer.notes).not.toContainEqual(expect.stringContaining("more reads than could be gathered"));
  });

  it("reports that the plate was not read, instead of returning only an empty list", async () => {
    const answer = await bodyOf<ConvoyAnswer>(
      admin.post("/search-convoy", convoyBody({ plate: "NOTSEEN1" })),
    );
    expect(answer.plates).toEqual([]);
    expect(answer.notes).toEqual([expect.stringContaining("NOTSEEN1 was not read")]);
  });

  it("accepts only one complete plate", async () => {
    for (const plate of ["*", "??", "AB", "ABC*", "", "A".repeat(200)]) {
      const { status, message } = await problemsOf("/search-convoy", convoyBody({ plate }));
      expect([plate, status]).toEqual([plate, 400]);
      expect(message).toMatch(/^plate: /);
    }
    const future = convoyBody({ start_time: isoTime(NOW + HOUR), end_time: isoTime(NOW + 2 * HOUR) });
    expect(await problemsOf("/search-convoy", future)).toMatchObject({ status: 400, fields: ["start_time"] });
  });
});

describe("the limit of reads", () => {
  it("applies to all sources together, and the response says that it was reached", async () => {
    const app = testApp();
    const few = { ...app, config: { ...app.config, searchMaxReads: 7 } };
    const actor = await actorOf(admin);
    const hooks = { signal: new AbortController().signal, onProgress: () => {} };
    const agencies = world.agencies;
    const wide = { start_time: isoTime(ago(72)), end_time: isoTime(NOW) };
    const one = place(0, wide);
    const other = place(1, wide);
    const places = PlacesRequest.parse(placesBody({ agencies, places: [one, other] }));
    const found = await searchPlaces(few, actor, { request: places, ...hooks });
    expect(found.reads_gathered).toBe(7);
    expect(found.notes).toContainEqual(expect.stringContaining("more reads than could be gathered"));
    expect(found.sources.some(({ truncated }) => truncated)).toBe(true);
    const convoy = ConvoyRequest.parse(convoyBody({ agencies }));
    const along = await searchConvoy(few, actor, { request: convoy, ...hooks });
    expect(along.reads_gathered).toBe(7);
    expect(along.notes).toContainEqual(expect.stringContaining("more reads than could be gathered"));
  });
});

describe("place and convoy searches", () => {
  it("are allowed only for the users whom the agency's policy names", async () => {
    const allow = (who: string) =>
      bindings.DB.prepare("UPDATE agencies SET investigators = ? WHERE id = ?")
        .bind(who, world.ours.id)
        .run();
    expect((await officer.post("/search-convoy", convoyBody())).status).toBe(403);
    await allow("everyone");
    expect((await officer.post("/search-convoy", convoyBody())).status).toBe(200);
    await allow("none");
    expect((await admin.post("/search-convoy", convoyBody())).status).toBe(403);
    expect((await admin.fetch("/investigate")).status).toBe(403);
    await allow("admins");
  });

  it("have a daily limit that concurrent searches cannot exceed", async () => {
    const other = await client(world.users.owner);
    await bindings.DB.prepare("UPDATE agencies SET investigations_per_day = 2 WHERE id = ?")
      .bind(world.ours.id)
      .run();
    const answers = await Promise.all([1, 2, 3, 4].map(() => other.post("/search-convoy", convoyBody())));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
    const [refused] = (await auditOf(world.users.owner, 8)).filter(({ outcome }) => outcome === "refused");
    expect(refused).toMatchObject({ action: "search-convoy" });
    await bindings.DB.prepare("UPDATE agencies SET investigations_per_day = 20 WHERE id = ?")
      .bind(world.ours.id)
      .run();
  });

  it("get a review finding if the user was shown many plates that no one searched for", async () => {
    // The review covers UTC days.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const shown = Array.from({ length: 60 }, (_, i) => `SHOWN${i}`);
    const agency = world.ours.id;
    const user = world.users.admin;
    const write = (action: string, object: string, plate: string, detail: object) =>
      bindings.DB.prepare(
        `INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object, plate, detail)
         VALUES (?, ?, ?, ?, 's', 'ip', 'agent', ?, 'ok', ?, ?, ?)`,
      )
        .bind(Date.now(), agency, user.id, user.username, action, object, plate, JSON.stringify(detail))
        .run();
    const examine = async () => {
      expect((await admin.post("/review/examine", {})).status).toBe(200);
      const { results } = await bindings.DB.prepare(
        "SELECT kind, searches FROM review_findings WHERE agency_id = ? AND kind = 'breadth'",
      )
        .bind(agency)
        .all();
      return results;
    };
    await write("search-places", "wide", "", { query: { justification: "Burglaries on Main Street" } });
    await write("search-places.finished", "wide", "", { plates: shown.slice(0, 30) });
    expect(await examine()).toEqual([]);
    await write("search-places", "wider", "", { query: { justification: "Burglaries on Main Street" } });
    await write("search-places.finished", "wider", "", { plates: shown.slice(30) });
    expect(await examine()).toMatchObject([{ kind: "breadth" }]);
  });
});

describe("the list of cameras", () => {
  it("reports how many cameras it leaves out, and includes those of a search that is run again", async () => {
    // Without digits, which the test looks for in the cameras' names.
    const agency = await newAgency(
      unique("Agency").replace(/\d/g, (digit) => at("ghijklmnop", Number(digit))),
    );
    const boss = await client(await newUser(agency.id, { role: "admin" }));
    const many = Array.from({ length: 502 }, (_, n) => ({
      id: unique("many"),
      agencyId: agency.id,
      name: `Camera ${String(n).padStart(3, "0")}`,
      latitude: 41.7,
      longitude: -72.7,
      secret: unique("secret"),
    }));
    await setUpPart({ axisCameras: many as never });
    const last = `axis:${many.at(-1)?.id}`;
    const form = await (await boss.fetch("/investigate")).text();
    expect(form.replaceAll("<!-- -->", "")).toContain("50 of 502 cameras are listed.");
    expect(form).not.toContain(last);
    const picked = (n: number, id: string) => place(n, { area: { kind: "cameras", cameras: [id] } });
    const places = [picked(0, last), picked(1, `axis:${many[0]?.id}`)];
    const { result_id } = await bodyOf<PlacesAnswer>(
      boss.post("/search-places", placesBody({ agencies: [agency.id], places })),
    );
    const again = await (await boss.fetch(`/investigate?tool=places&again=${result_id}`)).text();
    expect(again).toContain(last);
    const unknown = await (await boss.fetch("/investigate?tool=places&again=unknown")).text();
    expect(unknown).toContain("That search is not in your history, so this is an empty form.");
    expect(again + form).not.toContain("not in your history");
    const counts = noCounts();
    const app = testApp(Date.now, { DB: countingDatabase(bindings.DB, () => counts) });
    const empty = await investigateFormFor(app, await actorOf(boss), {
      tool: "places",
      again: null,
      range: null,
      find: "",
    });
    expect([empty.cameras.length, empty.camerasListed, empty.camerasKnown]).toEqual([200, 50, 502]);
    expect(empty.groups.flatMap(({ options }) => options.map(({ key }) => key))).toContain(agency.id);
    // Index and row for the list, index for the number, and the rights of agencies.
    expect(counts.rowsRead).toBeLessThan(3 * 502 + 100);
    expect(empty.groups.flatMap(({ options }) => options.flatMap(({ parts = [] }) => parts))).toEqual([]);
    const found = async (find: string) =>
      (
        await bodyOf<{ cameras: { id: string; name: string }[] }>(
          boss.fetch(`/investigation-cameras?find=${encodeURIComponent(find)}`),
        )
      ).cameras;
    expect(await found("camera 501")).toMatchObject([{ id: last, name: "Camera 501" }]);
    const names = (await found(` 50  ${agency.name.toUpperCase()} `)).map(({ name }) => name);
    expect(names).toEqual(many.map(({ name }) => name).filter((name) => name.includes("50")));
    expect(await found("camera")).toHaveLength(200);
    expect(await found("no such camera's name")).toEqual([]);
    // Another agency's cameras are not found.
    const stranger = await client(await newUser((await newAgency()).id, { role: "admin" }));
    expect(
      await bodyOf(stranger.fetch(`/investigation-cameras?find=${encodeURIComponent(agency.name)}`)),
    ).toEqual({ cameras: [] });
  });
});

describe("a picked camera", () => {
  it("is searched and filled in again, however many cameras come before it in the list", async () => {
    const agency = await newAgency();
    const boss = await client(await newUser(agency.id, { role: "admin" }));
    const prefix = unique("state");
    await bindings.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20002)
       INSERT INTO axis_cameras (id, agency_id, name, secret_hash, created_at)
       SELECT ?1 || '-' || i, ?2, printf('Camera %06d', i), ?1 || '-' || i, 0 FROM n`,
    )
      .bind(prefix, agency.id)
      .run();
    const last = (n: number) => `axis:${prefix}-${20_001 + n}`;
    const places = [0, 1].map((n) => place(n, { area: { kind: "cameras", cameras: [last(n)] } }));
    const body = placesBody({ agencies: [agency.id], places });
    const answer = await boss.post("/search-places", body);
    expect(answer.status).toBe(200);
    const { result_id: again } = await bodyOf<PlacesAnswer>(answer);
    const filled = await investigateFormFor(testApp(), await actorOf(boss), {
      tool: "places",
      again,
      range: null,
      find: "",
    });
    const listed = filled.cameras.slice(0, filled.camerasListed).map(({ id }) => id);
    expect(listed).toHaveLength(52);
    expect(listed.slice(-2)).toEqual([last(0), last(1)]);
    expect(filled.cameras).toHaveLength(202);
    expect(filled.camerasKnown).toBe(20_002);
  });
});

describe("without scripts", () => {
  it("place searches by camera and convoy searches work, and a refused form marks its fields", async () => {
    const form = (fields: [string, string][]) => ({
      method: "POST",
      body: new URLSearchParams([
        ...fields,
        ["agencies", world.ours.id],
        ["justification", REASON.justification],
      ]),
      redirect: "manual" as const,
    });
    const wall = (at: number) => isoTime(at).slice(0, 16);
    const zone: [string, string] = ["zone", "UTC"];
    const spot = (n: number): [string, string][] => [
      [`p${n}_kind`, "cameras"],
      [`p${n}_cameras`, `axis:${cameras[n]?.id}`],
      [`p${n}_start`, wall(ago(10.5 - n))],
      [`p${n}_end`, wall(ago(9.4 - n))],
    ];
    const places: [string, string][] = [["intent", "places"], zone, ...spot(0), ...spot(1)];
    const found = await admin.fetch("/investigate", form([...places, ["case_number", "26-1"]]));
    expect(found.status).toBe(303);
    const page = await admin.fetch(found.headers.get("location") ?? "");
    expect(await page.text()).toContain("THIEF1");
    const refused = await admin.fetch("/investigate", form(places));
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("A case number is required");
    // Agencies that were cleared stay cleared, and a third place that was filled in is open.
    const third: [string, string][] = [["p2_start", wall(ago(8))]];
    const body = new URLSearchParams([...places, ...third, ["case_number", "26-1"]]);
    const cleared = await admin.fetch("/investigate", { method: "POST", body, redirect: "manual" });
    expect(cleared.status).toBe(400);
    const html = await cleared.text();
    expect(html).toContain("Select at least one agency.");
    const boxes = html.match(/<input[^>]*name="agencies"[^>]*>/g) ?? [];
    expect(boxes.length).toBeGreaterThan(0);
    expect(boxes.filter((box) => box.includes("checked"))).toEqual([]);
    const placesOpen = html.match(/<details[^>]*>/g)?.map((details) => details.includes("open"));
    expect(placesOpen).toEqual([true, false, false, true]);
    const convoy: [string, string][] = [
      ["intent", "convoy"],
      zone,
      ["plate", "THIEF1"],
      ["start_time", wall(ago(24))],
      ["end_time", wall(NOW)],
      ["case_number", "26-1"],
    ];
    expect((await admin.fetch("/investigate?tool=convoy", form(convoy))).status).toBe(303);
  });
});
