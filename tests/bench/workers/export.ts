// Runs in workerd: creates reports and archives with our writers and with their peers.
// The fake R2 bucket discards the output, so that only the creation is measured.

import { zipSync } from "fflate";
import { PDFDocument, StandardFonts } from "pdf-lib";
import { releaseImages } from "#app/domain/exports/images.ts";
import type { ReportFonts } from "#app/domain/exports/page.ts";
import { createReport } from "#app/domain/exports/pdf.ts";
import type { ReportImage } from "#app/domain/exports/picture.ts";
import { createArchive } from "#app/domain/exports/zip.ts";
import { mapSource } from "#app/entities/exports/map.ts";
import type { Export, ExportInput, ExportRecord } from "#app/entities/exports/request.ts";
import { EMBEDDED_BASEMAP, type PackedBasemap, unpackBasemap } from "#app/entities/search/map/basemap.ts";
import { readExportBody } from "#app/http/export-body.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { parseSigningKeys } from "#app/lib/crypto/signing.ts";
import { openFont } from "#app/lib/pdf/ttf.ts";
import { zonedTime } from "#app/lib/time/zoned-time.ts";
import { createExportFile, type ExportFile } from "#app/store/exports/uploads.ts";
import { sightingId } from "../../support/search/sighting.ts";

type Env = { SIGNING_KEYS: string; ASSETS: Fetcher };
type Picture = Uint8Array<ArrayBuffer>;

const NOON = Date.UTC(2026, 10, 20, 17);

function recordOf(n: number): ExportRecord {
  return {
    id: sightingId(n),
    resultId: "result",
    program: (["Rekor", "Axon", "Axis"] as const)[n % 3] ?? "Axis",
    plate: `AB${10_000 + n}`,
    state: "CT",
    make: "Toyota",
    color: "Silver/Gray",
    bodyType: "sedan-standard",
    agency: "Hartford Police Department",
    camera: `I-84 East at Exit ${n % 20}`,
    sourceId: "source",
    capturedAt: NOON - n * 61_000,
    timeIsArrival: false,
    latitude: 41.7623 + (n % 20) * 0.01,
    longitude: -72.6741 - (n % 20) * 0.01,
    confidence: 60 + (n % 40),
    vehicleImage: "v",
    plateImage: "p",
  };
}

function partsOf(count: number, kind: "pdf" | "zip"): { one: Export; made: ExportInput } {
  const one: Export = {
    id: "00112233445566778899aabbccddeeff",
    userId: "user",
    agencyId: "agency",
    kind,
    state: "running",
    name: `odin-report-2026-11-20.${kind}`,
    justification: "Stolen vehicle, seen near the scene",
    caseNumber: "26-1044",
    timeZone: "America/New_York",
    records: count,
    done: 0,
    missing: 0,
    bytes: 0,
    sha256: "",
    message: "",
    createdAt: NOON,
    finishedAt: null,
    expiresAt: NOON,
  };
  const exporter = { username: "officer", name: "Jo Officer", agency: "Hartford Police Department" };
  return {
    one,
    made: { exporter, queries: [], records: Array.from({ length: count }, (_, n) => recordOf(n)) },
  };
}

/** Returns a bucket that accepts and discards everything. */
function discardingBucket(): R2Bucket {
  const upload = { uploadId: "upload", uploadPart: async (partNumber: number) => ({ partNumber, etag: "" }) };
  const bucket = {
    put: async () => null,
    delete: async () => {},
    createMultipartUpload: async () => ({ ...upload, complete: async () => null, abort: async () => {} }),
  };
  return bucket as unknown as R2Bucket;
}

function newFile(): ExportFile {
  return createExportFile(discardingBucket(), { id: "x", type: "", onUpload: async () => {} });
}

type Pair = [vehicle: Picture, plate: Picture];

/** Returns a copy with different bytes near the end, so that no two hashes are equal. */
function copyOf(picture: Picture, n: number): Picture {
  const copy = picture.slice();
  new DataView(copy.buffer).setUint32(copy.length - 8, 0x01010101 + n);
  return copy;
}

function pairOf(pairs: readonly Pair[], n: number): Pair {
  const [vehicle, plate] = pairs[n % pairs.length] as Pair;
  return [copyOf(vehicle, n), copyOf(plate, n)];
}

/** Returns an image with its hash, as if fetched from a vendor. */
async function fetchedImage(bytes: Picture): Promise<ReportImage> {
  return { bytes, type: "image/jpeg", sha256: await sha256(bytes) };
}

async function fetchedPair(pairs: readonly Pair[], n: number) {
  const [vehicle, plate] = pairOf(pairs, n);
  return { vehicle: await fetchedImage(vehicle), plate: await fetchedImage(plate) };
}

/** Fetches the assets of a report: three fonts and the basemap. */
async function loadAssets(env: Env) {
  const asset = async (path: string) =>
    new Uint8Array(await (await env.ASSETS.fetch(`https://assets.local${path}`)).arrayBuffer());
  const names = ["fonts/report/inter-400.ttf", "fonts/report/inter-600.ttf", "fonts/report/mono-500.ttf"];
  const [text, bold, mono] = (await Promise.all(names.map((name) => asset(`/${name}`)))) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const fonts: ReportFonts = { text: openFont(text), bold: openFont(bold), mono: openFont(mono) };
  const basemap = await asset("/basemap/embedded.json");
  return { fonts, packed: new TextDecoder().decode(basemap), size: basemap.length };
}

/** The baseline: fetches fonts, basemap and hashed images as the product does, and creates nothing. */
async function fetching(env: Env, count: number, pairs: readonly Pair[]): Promise<number> {
  let size = (await loadAssets(env)).size;
  for (let n = 0; n < count; n++) {
    const images = await fetchedPair(pairs, n);
    if ("bytes" in images.vehicle) size += images.vehicle.bytes.length;
    releaseImages(images);
  }
  return size;
}

async function ownPdf(env: Env, count: number, pairs: readonly Pair[]): Promise<number> {
  const { fonts, packed } = await loadAssets(env);
  const { one, made } = partsOf(count, "pdf");
  const file = newFile();
  const report = createReport({
    write: file.write,
    fonts,
    map: mapSource(unpackBasemap(JSON.parse(packed) as PackedBasemap)),
    attribution: EMBEDDED_BASEMAP.attribution,
    export: one,
    exportInput: made,
    timeText: zonedTime(one.timeZone),
  });
  for (const [n, record] of made.records.entries()) {
    const images = await fetchedPair(pairs, n);
    report.add(record, { ...images, address: "430 Main St, Hartford, Connecticut" });
    releaseImages(images);
    await file.settle();
  }
  report.finish([]);
  return (await file.finish()).bytes;
}

async function peerPdf(count: number, pairs: readonly Pair[]): Promise<number> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let n = 0; n < count; n++) {
    const record = recordOf(n);
    const [vehicle, plate] = pairOf(pairs, n);
    const page = document.addPage([612, 396]);
    page.drawImage(await document.embedJpg(vehicle), { x: 36, y: 180, width: 300, height: 169 });
    page.drawImage(await document.embedJpg(plate), { x: 36, y: 60, width: 146, height: 55 });
    const fields = Object.entries(record).map(([name, value]) => `${name} ${value}`);
    fields.forEach((text, i) => {
      page.drawText(text, { x: 350, y: 340 - i * 13, size: 8.5, font });
    });
    page.drawText(await sha256(vehicle), { x: 36, y: 170, size: 5, font });
    page.drawText(await sha256(plate), { x: 36, y: 50, size: 5, font });
  }
  return (await document.save()).length;
}

async function ownZip(env: Env, count: number, pairs: readonly Pair[]): Promise<number> {
  const { one, made } = partsOf(count, "zip");
  const file = newFile();
  const archive = createArchive({
    write: file.write,
    settle: file.settle,
    export: one,
    exportInput: made,
    keys: parseSigningKeys(env.SIGNING_KEYS),
  });
  for (const [n, record] of made.records.entries()) {
    const images = await fetchedPair(pairs, n);
    archive.add(record, images);
    releaseImages(images);
    await file.settle();
  }
  await archive.finish([]);
  return (await file.finish()).bytes;
}

async function peerZip(count: number, pairs: readonly Pair[]): Promise<number> {
  const files: Record<string, Uint8Array> = {};
  const hashes: Record<string, string> = {};
  for (let n = 0; n < count; n++) {
    for (const [i, picture] of pairOf(pairs, n).entries()) {
      const name = `images/${n}-${i === 0 ? "vehicle" : "plate"}.jpg`;
      files[name] = picture;
      hashes[name] = await sha256(picture);
    }
  }
  files["manifest.json"] = new TextEncoder().encode(JSON.stringify(hashes));
  const bytes = zipSync(files, { level: 0 });
  await sha256(bytes);
  return bytes.length;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/body") {
      const { records } = await readExportBody(request);
      return Response.json({ bytes: records.length });
    }
    const count = Number(searchParams.get("records"));
    const sizes = (searchParams.get("sizes") ?? "").split(",").map(Number);
    const body = new Uint8Array(await request.arrayBuffer());
    const pictures: Picture[] = [];
    for (let i = 0, at = 0; i < sizes.length; at += sizes[i++] as number)
      pictures.push(body.slice(at, at + (sizes[i] as number)));
    const pairs = Array.from(
      { length: pictures.length / 2 },
      (_, i) => pictures.slice(i * 2, i * 2 + 2) as Pair,
    );
    try {
      const ways: Record<string, () => Promise<number>> = {
        "/fetching": () => fetching(env, count, pairs),
        "/own-pdf": () => ownPdf(env, count, pairs),
        "/peer-pdf": () => peerPdf(count, pairs),
        "/own-zip": () => ownZip(env, count, pairs),
        "/peer-zip": () => peerZip(count, pairs),
      };
      const bytes = await ways[pathname]?.();
      return Response.json({ bytes });
    } catch (error) {
      return new Response((error as Error).stack, { status: 500 });
    }
  },
};
