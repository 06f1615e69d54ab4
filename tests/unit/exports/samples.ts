import { readFileSync } from "node:fs";
import { join } from "node:path";
import jpeg from "jpeg-js";
import { createReport } from "#app/domain/exports/pdf.ts";
import type { ReportImage } from "#app/domain/exports/picture.ts";
import { mapSource } from "#app/entities/exports/map.ts";
import type { Export, ExportInput, ExportRecord, MissingImage } from "#app/entities/exports/request.ts";
import { EMBEDDED_BASEMAP, type PackedBasemap, unpackBasemap } from "#app/entities/search/map/basemap.ts";
import { at } from "#app/lib/at.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { openFont } from "#app/lib/pdf/ttf.ts";
import { zonedTime } from "#app/lib/time/zoned-time.ts";
import { sightingId } from "../../support/search/sighting.ts";

const PUBLIC = join(import.meta.dirname, "../../../public");
const font = (name: string) =>
  openFont(new Uint8Array(readFileSync(join(PUBLIC, `fonts/report/${name}.ttf`))));

const reportFonts = () => ({
  text: font("inter-400"),
  bold: font("inter-600"),
  mono: font("mono-500"),
});

function sampleMap() {
  const packed: PackedBasemap = JSON.parse(readFileSync(join(PUBLIC, "basemap/embedded.json"), "utf8"));
  return mapSource(unpackBasemap(packed));
}

/** Returns a picture of a road with a box, different for each seed. */
function samplePicture(width: number, height: number, seed: number): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const isCar = Math.abs(x / width - 0.5) < 0.2 && Math.abs(y / height - 0.6) < 0.2;
      const noise = ((x * 7919 + y * 104_729 + seed * 31) % 23) - 11;
      const base = isCar ? [150, 30 + (seed % 90), 40] : y < height / 2 ? [120, 160, 200] : [90, 90, 90];
      const start = (y * width + x) * 4;
      for (let k = 0; k < 3; k++) data[start + k] = Math.max(0, Math.min(255, at(base, k) + noise));
      data[start + 3] = 255;
    }
  }
  return new Uint8Array(jpeg.encode({ data, width, height }, 70).data);
}

export async function sampleImage(width: number, height: number, seed: number): Promise<ReportImage> {
  const bytes = samplePicture(width, height, seed);
  return { bytes, type: "image/jpeg", sha256: await sha256(bytes) };
}

export const NOON = Date.UTC(2026, 10, 20, 17, 3, 7);

export function sampleRecord(n: number, over: Partial<ExportRecord> = {}): ExportRecord {
  return {
    id: sightingId(n),
    resultId: "result",
    program: (["Rekor", "Axon", "Axis"] as const)[n % 3] ?? "Axis",
    plate: `AB${String(10_000 + n)}`,
    state: "CT",
    make: "Toyota",
    color: "Silver/Gray",
    bodyType: "sedan-standard",
    agency: "Hartford Police Department",
    camera: `I-84 East at Exit ${n % 20}`,
    sourceId: "source",
    capturedAt: NOON - n * 60_000,
    timeIsArrival: false,
    latitude: 41.7623 + (n % 20) * 0.01,
    longitude: -72.6741 - (n % 20) * 0.01,
    confidence: 91,
    vehicleImage: "v",
    plateImage: "p",
    ...over,
  };
}

export function sampleExport(over: Partial<Export> = {}): Export {
  return {
    id: "00112233445566778899aabbccddeeff",
    userId: "user",
    agencyId: "agency",
    kind: "pdf",
    state: "running",
    name: "odin-report-2026-11-20.pdf",
    justification: "Stolen vehicle, seen near the scene by two witnesses",
    caseNumber: "26-1044",
    timeZone: "America/New_York",
    records: 1,
    done: 0,
    missing: 0,
    bytes: 0,
    sha256: "",
    message: "",
    createdAt: NOON,
    finishedAt: null,
    expiresAt: NOON + 1,
    ...over,
  };
}

export function sampleInput(records: ExportRecord[]): ExportInput {
  return {
    exporter: { username: "officer", name: "Jo Officer", agency: "Hartford Police Department" },
    queries: [
      {
        resultId: "result",
        searchedAt: NOON - 600_000,
        agencies: 2,
        request: {
          plate: "ab1",
          plate_state: "CT",
          vehicle_color: "",
          vehicle_make: "Toyota",
          vehicle_body_type: "",
          justification: "Stolen vehicle",
          case_number: "26-1044",
          purpose: "stolen-vehicle",
          start_time: new Date(NOON - 7 * 86_400_000).toISOString(),
          end_time: new Date(NOON).toISOString(),
          agencies: ["a", "b-camera-1", "b-camera-2"],
          filters: { top_rack: false, back_rack: false, bumper_stickers: false, window_stickers: false },
        },
      },
    ],
    records,
  };
}

/** Returns a whole report in memory. */
export function makeReport(
  records: ExportRecord[],
  imagesOf: (n: number) => { vehicle: ReportImage; plate: ReportImage; address: string },
  over: Partial<Export> = {},
): { bytes: Uint8Array<ArrayBuffer>; missing: MissingImage[]; startxref: number } {
  const chunks: Uint8Array[] = [];
  const report = createReport({
    write: (bytes) => chunks.push(bytes.slice()),
    fonts: reportFonts(),
    map: sampleMap(),
    attribution: EMBEDDED_BASEMAP.attribution,
    export: sampleExport({ records: records.length, ...over }),
    exportInput: sampleInput(records),
    timeText: zonedTime("America/New_York"),
  });
  const missing = records.flatMap((record, n) => report.add(record, imagesOf(n)));
  const startxref = report.finish(missing);
  return { bytes: new Uint8Array(Buffer.concat(chunks)), missing, startxref };
}
