import { describe, expect, it } from "vitest";
import {
  ARCHIVE_COLUMNS,
  archivedRecord,
  csvLine,
  imageFile,
  manifestParts,
} from "#app/entities/exports/manifest.ts";
import { sampleInput, sampleRecord } from "./samples.ts";

const NOON = Date.UTC(2026, 10, 20, 17, 3, 7);

describe("a record of the archive", () => {
  it("has the fields of the read, its images and their SHA-256", () => {
    const record = sampleRecord(0, { latitude: 41.7, longitude: -72.6 });
    expect(
      archivedRecord({
        number: 7,
        record,
        justification: "Stolen vehicle",
        vehicle: { file: "images/0007-AB10000-vehicle.jpg", sha256: "aa" },
        plate: { file: "images/0007-AB10000-plate.jpg", sha256: "bb" },
      }),
    ).toEqual({
      number: 7,
      id: "00000000000000000000000000000000",
      plate: "AB10000",
      plate_state: "CT",
      make: "Toyota",
      color: "Silver/Gray",
      body_type: "sedan-standard",
      timestamp: "2026-11-20T17:03:07.000Z",
      timestamp_note: null,
      camera_name: "I-84 East at Exit 0",
      agency: "Hartford Police Department",
      latitude: 41.7,
      longitude: -72.6,
      confidence: 91,
      source_program: "Rekor",
      justification: "Stolen vehicle",
      vehicle_image: "images/0007-AB10000-vehicle.jpg",
      vehicle_image_sha256: "aa",
      plate_image: "images/0007-AB10000-plate.jpg",
      plate_image_sha256: "bb",
    });
  });

  it("has null where the read has no time and no images", () => {
    const record = sampleRecord(0, { capturedAt: null, timeIsArrival: true });
    const row = archivedRecord({
      number: 1,
      record,
      justification: "",
      vehicle: undefined,
      plate: undefined,
    });
    expect(row).toMatchObject({
      timestamp: null,
      timestamp_note: "Time of arrival: the camera sent none or a wrong one.",
      vehicle_image: null,
      vehicle_image_sha256: null,
      plate_image: null,
      plate_image_sha256: null,
    });
    expect(Object.keys(row)).toEqual([...ARCHIVE_COLUMNS]);
  });

  it("has the first millisecond of 1970 as a time", () => {
    const record = sampleRecord(0, { capturedAt: 0 });
    const row = archivedRecord({
      number: 1,
      record,
      justification: "",
      vehicle: undefined,
      plate: undefined,
    });
    expect(row.timestamp).toBe("1970-01-01T00:00:00.000Z");
  });
});

describe("a line of records.csv", () => {
  it.each([
    ["plain", "plain"],
    ["", ""],
    ["a b", "a b"],
    ["a,b", '"a,b"'],
    ['say "x" "y"', '"say ""x"" ""y"""'],
    ["a\rb", '"a\rb"'],
    ["a\nb", '"a\nb"'],
    [" a", '" a"'],
    ["a ", '"a "'],
    ["=1", "'=1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@a", "'@a"],
    ["\ta", "'\ta"],
    ["\ra", '"\'\ra"'],
    ["\na", '"\'\na"'],
    ["\0a", "'\0a"],
    ["\uFF1D1", "'\uFF1D1"],
    ["\uFF0B1", "'\uFF0B1"],
    ["\uFF0D1", "'\uFF0D1"],
    ["\uFF20a", "'\uFF20a"],
    ["1=1", "1=1"],
    ["AB-1", "AB-1"],
    ["=1,2", '"\'=1,2"'],
    [-72.5, "-72.5"],
    [0, "0"],
    [null, ""],
  ])("writes %j as %j", (value, cell) => {
    expect(csvLine([value])).toBe(`${cell}\r\n`);
  });

  it("separates its cells with commas", () => {
    expect(csvLine(["a", 1, null, "b"])).toBe("a,1,,b\r\n");
    expect(csvLine([])).toBe("\r\n");
  });
});

describe("the name of an image in the archive", () => {
  it.each([
    [1, "AB10000", "vehicle", "image/jpeg", "images/0001-AB10000-vehicle.jpg"],
    [42, "ab 1-2/3", "plate", "image/png", "images/0042-ab123-plate.png"],
    [5000, "../../x", "plate", "image/webp", "images/5000-x-plate.webp"],
    [12_345, "ABCDEFGHIJKLM", "plate", "image/tiff", "images/12345-ABCDEFGHIJKL-plate.bin"],
    [7, "", "vehicle", "image/jpeg", "images/0007-no-plate-vehicle.jpg"],
    [7, "??", "vehicle", "image/jpeg", "images/0007-no-plate-vehicle.jpg"],
    [7, "Zz09", "vehicle", "image/jpeg", "images/0007-Zz09-vehicle.jpg"],
  ])("of record %i with plate %j, %s, %s is %s", (number, plate, kind, type, name) => {
    expect(imageFile(number, sampleRecord(0, { plate }), { kind, type })).toBe(name);
  });
});

describe("the manifest", () => {
  it("states the export, the exporter, the searches, the records, the missing images and the files", () => {
    const input = sampleInput([sampleRecord(3), sampleRecord(16)]);
    const text = [
      ...manifestParts({
        exportId: "00112233445566778899aabbccddeeff",
        createdAt: NOON,
        timeZone: "America/New_York",
        justification: "Stolen vehicle",
        caseNumber: "26-1044",
        input,
        missing: [{ record: 2, id: "10", image: "plate", reason: "Rekor did not answer." }],
        files: [{ name: "records.csv", bytes: 12, sha256: "aa" }],
        keyVersion: 3,
      }),
    ].join("");
    expect(JSON.parse(text)).toEqual({
      schema: "odin-export",
      schema_version: 1,
      export_id: "00112233445566778899aabbccddeeff",
      created_at: "2026-11-20T17:03:07.000Z",
      time_zone: "America/New_York",
      exporter: { username: "officer", name: "Jo Officer", agency: "Hartford Police Department" },
      justification: "Stolen vehicle",
      case_number: "26-1044",
      queries: [
        {
          result_id: "result",
          searched_at: "2026-11-20T16:53:07.000Z",
          request: {
            plate: "ab1",
            plate_state: "CT",
            vehicle_color: "",
            vehicle_make: "Toyota",
            vehicle_body_type: "",
            justification: "Stolen vehicle",
            case_number: "26-1044",
            purpose: "stolen-vehicle",
            start_time: "2026-11-13T17:03:07.000Z",
            end_time: "2026-11-20T17:03:07.000Z",
            agencies: ["a", "b-camera-1", "b-camera-2"],
            filters: { top_rack: false, back_rack: false, bumper_stickers: false, window_stickers: false },
          },
        },
      ],
      records: [
        { number: 1, id: "00000000000000000000000000000003", source_program: "Rekor" },
        { number: 2, id: "00000000000000000000000000000010", source_program: "Axon" },
      ],
      missing: [{ record: 2, id: "10", image: "plate", reason: "Rekor did not answer." }],
      files: [{ name: "records.csv", bytes: 12, sha256: "aa" }],
      signature: { algorithm: "ECDSA-P256-SHA256", key_version: 3, file: "manifest.sig" },
    });
  });
});
