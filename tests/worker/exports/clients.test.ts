// POST /export-pdf and /export-zip as documented clients call them (specification sections 3 and 7): records with
// the documented fields and their images, without ids or result set, and the file as the response.

import { unzipSync } from "fflate";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { checkExport } from "#app/components/exports/check.ts";
import { findExportRecords } from "#app/domain/exports/records.ts";
import { ExportRequest, INLINE_RECORDS } from "#app/entities/exports/request.ts";
import { at } from "#app/lib/at.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import {
  actorOf,
  auditOf,
  bindings,
  type Client,
  client,
  type Found,
  newAgency,
  search,
  searchBody,
  testApp,
  vendors,
  type World,
} from "../../factories.ts";
import { axisEvent, newPlate, postAxis } from "../../live.ts";
import { bytesOf, exportWorld } from "../../support/exports.ts";

let world: World;
let officer: Client;
let found: Found;

beforeAll(async () => {
  ({ world, officer, found } = await exportWorld());
});

beforeEach(() => vendors.setFaults());
afterEach(() => void vi.useRealTimers());

type Row = Found["rows"][number];

/**
 * Returns an export record with exactly the documented fields; fields that do not identify the read are invented.
 */
const documented = (row: Row, image = "data:image/jpeg;base64,AAAA") => ({
  plate: row.plate,
  plate_state: "ZZ",
  make: "FORGED",
  color: "FORGED",
  body_type: "FORGED",
  timestamp: row.timestamp,
  camera_name: row.camera_name,
  agency: row.agency,
  coordinates: "FORGED",
  latitude: 1,
  longitude: 1,
  justification: "FORGED",
  address: "FORGED",
  vehicle_image_data_uri: image,
  plate_crop_data_uri: image,
  source_program: row.source_program,
  map_data_uri: image,
});
const bodyOf = (records: readonly object[]) => ({ records, justification: "Stolen vehicle" });
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
function idsIn(archive: Uint8Array): string[] {
  const records: { id: string }[] = JSON.parse(textOf(unzipSync(archive)["records.json"]));
  return records.map(({ id }) => id);
}

/** Makes the vendors answer without images, for tests that do not need them. */
const noImages = () =>
  vendors.setFaults({ program: "rekor", kind: "imageMissing" }, { program: "axon", kind: "imageMissing" });

describe("records with the documented fields", () => {
  it("are matched to the caller's own results in each format, and the sent values are not printed", async () => {
    const rows = found.rows.slice(0, 4);
    const zip = await officer.post("/export-zip", bodyOf(rows.map((row) => documented(row))));
    expect(zip.status).toBe(200);
    const archive = await bytesOf(zip);
    expect(idsIn(archive).sort()).toEqual(rows.map(({ id }) => id).sort());
    for (const [name, bytes] of Object.entries(unzipSync(archive)))
      if (/records|manifest\.json/.test(name)) expect(textOf(bytes)).not.toContain("FORGED");
    const pdf = await officer.post("/export-pdf", bodyOf(rows.map((row) => documented(row))));
    expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    await pdf.body?.cancel();
  });

  it("are found although the user has searched hundreds of times since, at the same or at other times", async () => {
    const row = at(found.rows, 0);
    /** Stores later searches of the officer, of one day each. */
    const searchAgain = (count: number, days: number) =>
      bindings.DB.prepare(
        `INSERT INTO result_sets (id, user_id, agency_id, state, request, statuses, count, created_at, expires_at)
         SELECT 'again-' || ?1 || '-' || value, user_id, agency_id, state,
           json_set(request, '$.start_time', ?2, '$.end_time', ?3), statuses, 1, created_at + value, expires_at
         FROM result_sets
         JOIN json_each(?4)
         WHERE result_sets.id = ?5`,
      )
        .bind(
          days,
          isoTime(Date.now() - (days + 1) * DAY),
          isoTime(Date.now() - days * DAY),
          JSON.stringify(Array.from({ length: count }, (_, i) => i + 1)),
          found.resultId,
        )
        .run();
    await searchAgain(900, 20);
    await searchAgain(250, 0);
    const request = ExportRequest.parse(bodyOf([documented(row)]));
    const { records } = await findExportRecords(testApp(), await actorOf(officer), request).finally(() =>
      bindings.DB.prepare("DELETE FROM result_sets WHERE id LIKE 'again-%'").run(),
    );
    expect(records.map(({ id }) => id)).toEqual([row.id]);
  });

  it("are matched even with other letter case, spaces, N/A, null or a time offset", async () => {
    const row = at(
      found.rows.filter(({ plate, timestamp }) => plate !== "" && timestamp),
      0,
    );
    const spelled = {
      ...documented(row),
      plate: ` ${row.plate.toLowerCase()} `,
      timestamp: String(row.timestamp).replace("Z", "+00:00"),
    };
    expect(idsIn(await bytesOf(await officer.post("/export-zip", bodyOf([spelled]))))).toEqual([row.id]);
    const unread = found.rows.find(({ plate }) => plate === "");
    if (unread) {
      for (const plate of ["N/A", null, ""]) {
        const response = await officer.post("/export-zip", bodyOf([{ ...documented(unread), plate }]));
        expect(response.status).toBe(200);
        await response.body?.cancel();
      }
    }
  });

  it("are matched as the search returned them, although their camera got another agency since", async () => {
    await noImages();
    const row = at(
      found.rows.filter(({ source_program, timestamp }) => source_program === "Rekor" && timestamp),
      0,
    );
    const { name, id: agencyId } = await newAgency();
    const correct = bindings.DB.prepare(
      `UPDATE rekor_cameras
      SET agency_id = ?, is_manual = ?, corrected_at = ?, corrected_latitude_e6 = 41000000, corrected_longitude_e6 = -72000000`,
    );
    await correct.bind(agencyId, 1, Date.now()).run();
    const response = await officer.post("/export-zip", bodyOf([documented(row)]));
    expect(response.status).toBe(200);
    const files = unzipSync(await bytesOf(response));
    // The corrections apply wherever reads are shown.
    const corrected = { id: row.id, agency: name, latitude: 41, longitude: -72 };
    expect(JSON.parse(textOf(files["records.json"]))).toMatchObject([corrected]);
    const renamed = await officer.post("/export-zip", bodyOf([documented({ ...row, agency: name })]));
    expect(renamed.status).toBe(200);
    await renamed.body?.cancel();
    // The former and the corrected record are the same read, in the first result set and in that of a later search.
    const both = ExportRequest.parse(bodyOf([documented(row), documented({ ...row, agency: name })]));
    const idsFound = async () => {
      const { records } = await findExportRecords(testApp(), await actorOf(officer), both);
      return records.map(({ id }) => id);
    };
    expect(await idsFound()).toEqual([row.id]);
    const start_time = isoTime(Date.now() - 21 * DAY);
    await search(officer, searchBody(world.agencies, { start_time }));
    expect(await idsFound()).toEqual([row.id]);
    await correct.bind(null, 0, 0).run();
  });

  it("are marked as having the time of arrival if the camera sent no time", async () => {
    const plate = newPlate();
    const { capture_timestamp: _, ...event } = axisEvent({ plateUTF8: plate, carState: "lost" });
    expect((await postAxis(world.camera.secret, event)).status).toBe(200);
    const { rows } = await search(officer, searchBody(world.agencies, { plate: plate.toLowerCase() }));
    const note = "Time of arrival: the camera sent none or a wrong one.";
    expect(rows).toMatchObject([{ plate, timestamp_note: note }]);
    const zip = await bytesOf(await officer.post("/export-zip", bodyOf(rows.map((row) => documented(row)))));
    expect(JSON.parse(textOf(unzipSync(zip)["records.json"]))).toMatchObject([{ timestamp_note: note }]);
    const dated = found.rows.find(({ timestamp }) => timestamp);
    expect(dated).not.toHaveProperty("timestamp_note");
  });

  it("are matched in every live result set, even mixed with records that have an id", async () => {
    const [first, second] = [at(found.rows, 0), at(found.rows, 1)];
    // A newer result set that contains neither record.
    await search(officer, searchBody(world.agencies, { plate: "NOSUCH1" }));
    const other = await search(officer, searchBody(world.agencies));
    const third = at(
      other.rows.filter(({ id }) => id !== first.id && id !== second.id),
      0,
    );
    const body = bodyOf([documented(first), { id: second.id }, documented(third), documented(first)]);
    const ids = idsIn(await bytesOf(await officer.post("/export-zip", body)));
    expect(ids.sort()).toEqual([first.id, second.id, third.id].sort());
  });

  it("that have no match are all named in one error, by position and not by their values", async () => {
    const row = at(found.rows, 0);
    const records = [
      { ...documented(row), plate: "NOTMINE" },
      documented(row),
      { ...documented(row), timestamp: "2020-01-01T00:00:00.000Z" },
      { ...documented(row), camera_name: "<script>" },
      { ...documented(row), timestamp: "Invalid timestamp" },
      { ...documented(row), source_program: "Other" },
      {},
      { id: "f".repeat(32) },
    ];
    const response = await officer.post("/export-pdf", bodyOf(records));
    expect(response.status).toBe(404);
    const answer: { message: string; not_found: number[] } = await response.json();
    expect(answer.not_found).toEqual([1, 3, 4, 5, 6, 7, 8]);
    expect(answer.message).toBe(
      "7 of 8 selected records are not in your results (records 1, 3, 4, 5, 6, 7, 8): deleted, or never in your results.",
    );
    const [refused] = await auditOf(world.users.officer);
    expect([refused?.action, refused?.outcome]).toEqual(["export", "refused"]);
  });

  it("do not match for a colleague or a user of another agency", async () => {
    const records = found.rows.slice(0, 2).map((row) => documented(row));
    for (const user of [world.users.colleague, world.users.stranger]) {
      const response = await (await client(user)).post("/export-zip", bodyOf(records));
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ not_found: [1, 2] });
    }
  });
});

describe("bodies with images", () => {
  it("of tens of megabytes are accepted", async () => {
    await noImages();
    const image = `data:image/jpeg;base64,${"A".repeat(4 * 1024 * 1024)}`;
    const rows = found.rows.slice(0, 4);
    const body = bodyOf(rows.map((row) => documented(row, image)));
    const response = await officer.post("/export-zip", body);
    expect(response.status).toBe(200);
    expect(idsIn(await bytesOf(response))).toHaveLength(4);
  });

  it("are rejected if they exceed 64 MiB, are malformed or never end", async () => {
    const send = (text: string | ReadableStream) =>
      officer.fetch("/export-pdf", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: text,
      });
    const piece = new TextEncoder().encode("A".repeat(1024 * 1024));
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(sent++ === 0 ? new TextEncoder().encode('{"justification":"') : piece);
        if (sent > 200) controller.close();
      },
    });
    expect((await send(endless)).status).toBe(413);
    expect(sent).toBeLessThan(100);
    for (const text of ["", "{", '{"records":[{"plate":"AB"', "[1,2]x", "nothing", '{"records":[{]}'])
      expect([text, (await send(text)).status]).toEqual([text, 400]);
    expect((await send(`{"records":${"[".repeat(500_000)}`)).status).toBe(400);
    const typed = await officer.fetch("/export-pdf", { method: "POST", body: "{}" });
    expect(typed.status).toBe(415);
  });
});

describe("bodies without images", () => {
  const post = (body: string) =>
    officer.fetch("/export-zip", { method: "POST", headers: { "content-type": "application/json" }, body });
  const refusalOf = async (body: string) => {
    const response = await post(body);
    const { message }: { message: string } = await response.json();
    return [response.status, message];
  };

  it("of millions of digits or spaces are refused before they are parsed, which takes seconds", async () => {
    const refusal = [400, "The JSON nests too deep, or holds too many values, digits, spaces or escapes."];
    for (const filler of ["1", " "])
      expect(await refusalOf(`{"records":[${filler.repeat(9_000_000)}`)).toEqual(refusal);
  });

  it("of the most records with all fields of a result, each on a line of its own, are read", async () => {
    const corners = Array.from({ length: 8 }, (_, i) => [`plate_${i}`, 1234.567890123456 + i]);
    const sighting = {
      ...Object.fromEntries(corners),
      latitude: -72.68512345678901,
      agent_uid: "A".repeat(40),
    };
    // Records that are refused once all have been read.
    const record = { ...documented(at(found.rows, 0)), ...sighting, id: "AGENT-1-2", plate: "" };
    const body = JSON.stringify(bodyOf(Array.from({ length: 5000 }, () => record)), null, 8);
    const refusal = "A record with an id that is not Odin's cannot be exported.";
    expect(await refusalOf(body)).toEqual([400, refusal]);
  });
});

describe("the response", () => {
  it("is the file itself for any number of records, signed and stored", async () => {
    await noImages();
    const rows = found.rows.slice(0, INLINE_RECORDS.zip + 1);
    expect(rows.length).toBeGreaterThan(INLINE_RECORDS.zip);
    const keys: { version: number; pem: string }[] = await (await officer.fetch("/verification-keys")).json();
    for (const kind of ["pdf", "zip"]) {
      const response = await officer.post(`/export-${kind}`, bodyOf(rows.map((row) => documented(row))));
      expect([response.status, response.headers.get("content-type")]).toEqual([200, `application/${kind}`]);
      const file = new File([await bytesOf(response)], `export.${kind}`);
      expect((await checkExport([file], keys, () => {})).verdict).toBe("unchanged");
      const id = response.headers.get("odin-export-id");
      expect(await (await officer.fetch(`/exports/${id}`)).json()).toMatchObject({
        state: "ready",
        records: rows.length,
        bytes: file.size,
      });
    }
  });

  it("is streamed while it is built: its first bytes come before the last image is fetched", async () => {
    await vendors.setFaults({ program: "rekor", kind: "imageLarge" });
    const rows = found.rows.filter(({ source_program }) => source_program === "Rekor").slice(0, 12);
    const response = await officer.post("/export-zip", bodyOf(rows.map((row) => documented(row))));
    expect(response.headers.get("content-length")).toBeNull();
    const id = response.headers.get("odin-export-id");
    expect(await (await officer.fetch(`/exports/${id}`)).json()).toMatchObject({ state: "running" });
    const bytes = await bytesOf(response);
    expect(idsIn(bytes)).toHaveLength(12);
    expect(await (await officer.fetch(`/exports/${id}`)).json()).toMatchObject({
      state: "ready",
      bytes: bytes.length,
    });
  });

  it("ends early if the client disconnects, and nothing is stored", async () => {
    await vendors.setFaults({ program: "rekor", kind: "imageLarge" });
    const rows = found.rows.filter(({ source_program }) => source_program === "Rekor").slice(0, 12);
    const response = await officer.post("/export-zip", bodyOf(rows.map((row) => documented(row))));
    const id = response.headers.get("odin-export-id");
    await response.body?.cancel();
    await expect
      .poll(async () => (await officer.fetch(`/exports/${id}`)).json(), { timeout: 30_000 })
      .toMatchObject({ state: "cancelled" });
  });
});

describe("times", () => {
  it("in the file's name and in its entries are in the agency's zone", async () => {
    const zone = "Pacific/Kiritimati";
    const agencyOf = "SELECT agency_id FROM users WHERE username = ?";
    await bindings.DB.prepare(`UPDATE agencies SET time_zone = ? WHERE id = (${agencyOf})`)
      .bind(zone, world.users.officer.username)
      .run();
    await noImages();
    // The date in the agency's zone may change during the test.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const response = await officer.post("/export-zip", bodyOf([documented(at(found.rows, 0))]));
    const bytes = await bytesOf(response);
    const clocks = new Date(Date.now() + 14 * 3_600_000).toISOString();
    expect(response.headers.get("content-disposition")).toContain(`odin-export-${clocks.slice(0, 10)}.zip`);
    const view = new DataView(bytes.buffer);
    const [time, date] = [view.getUint16(10, true), view.getUint16(12, true)];
    const stamp = Date.UTC(
      1980 + (date >> 9),
      ((date >> 5) & 15) - 1,
      date & 31,
      time >> 11,
      (time >> 5) & 63,
    );
    expect(Math.abs(stamp - Date.parse(clocks))).toBeLessThan(3 * 60_000);
  });
});
