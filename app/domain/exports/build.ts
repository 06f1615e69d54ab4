// Builds the file of an export in R2, record by record. The images of one record are written before the next are
// loaded, so memory use does not grow with the number of records.

import type { AppContext } from "#app/context.ts";
import { type MapSource, mapSource } from "#app/entities/exports/map.ts";
import { createSeal } from "#app/entities/exports/pdf-signature.ts";
import type { Export, ExportInput, MissingImage } from "#app/entities/exports/request.ts";
import { overviewView, placeView } from "#app/entities/exports/street-map.ts";
import { type PackedBasemap, unpackBasemap } from "#app/entities/search/map/basemap.ts";
import { mappablePlace } from "#app/entities/search/sighting.ts";
import { sign } from "#app/lib/crypto/signing.ts";
import { AppError } from "#app/lib/errors.ts";
import { openFont } from "#app/lib/pdf/ttf.ts";
import { retryBriefly } from "#app/lib/retry.ts";
import { zonedTime } from "#app/lib/time/zoned-time.ts";
import { noteUpload } from "#app/store/exports/files.ts";
import { createExportFile } from "#app/store/exports/uploads.ts";
import { createAddresses } from "./addresses.ts";
import { fetchRecordImages, type RecordImages, releaseImages } from "./images.ts";
import { MAP_SIZE, OVERVIEW_SIZE, placeKey } from "./map-print.ts";
import type { ReportFonts } from "./page.ts";
import { createReport } from "./pdf.ts";
import type { ExportTap } from "./stream.ts";
import { openStreetMaps } from "./street-maps.ts";
import { createArchive } from "./zip.ts";

export type BuiltExport = { bytes: number; sha256: string; missing: number };

/**
 * Builds the file. Returns its size, its SHA-256 and the number of missing images. `onRecord` is called after every
 * record, and `onWritten` before the file gets its key; both may throw to stop the build. If it throws, no part is left
 * in R2.
 */
export async function buildExport(
  app: AppContext,
  input: {
    export: Export;
    exportInput: ExportInput;
    /** Number of this run of the job; 0 inside a request. */
    run: number;
    signal: AbortSignal;
    /** Receives the bytes as well while the file is built. */
    tap?: ExportTap;
    onRecord: (done: number) => Promise<void> | void;
    onWritten: () => Promise<void>;
  },
): Promise<BuiltExport> {
  const { exportInput, run, signal, tap } = input;
  const exportRow = input.export;
  const file = createExportFile(app.results, {
    id: exportRow.id,
    type: exportRow.kind === "pdf" ? "application/pdf" : "application/zip",
    hasSeal: exportRow.kind === "pdf",
    async onUpload(uploadId) {
      const isNoted = await retryBriefly(() => noteUpload(app.db, { id: exportRow.id, run, uploadId }));
      if (!isNoted) throw new AppError("gone", "The export was canceled.");
    },
  });
  function write(bytes: Uint8Array): void {
    file.write(bytes);
    tap?.write(bytes);
  }
  async function settle(): Promise<void> {
    await Promise.all([file.settle(), tap?.settle()]);
  }
  let writer: Writer | undefined;
  try {
    writer =
      exportRow.kind === "pdf"
        ? await reportWriter(app, { exportRow, exportInput, write })
        : archiveWriter(app, { exportRow, exportInput, write, settle });
    const missing: MissingImage[] = [];
    let done = 0;
    const asked = { records: exportInput.records, tenant: exportRow, signal };
    for await (const images of fetchRecordImages(app, asked)) {
      missing.push(...(await writer.add(images)));
      releaseImages(images);
      await settle();
      await input.onRecord(++done);
    }
    signal.throwIfAborted();
    const startxref = await writer.finish(missing);
    if (startxref !== undefined)
      write(await sealOf(app, exportRow, { ...(await file.contentHash()), startxref }));
    await input.onWritten();
    signal.throwIfAborted();
    return { ...(await file.finish()), missing: missing.length };
  } catch (error) {
    await file.abort();
    throw error;
  } finally {
    await writer?.close?.();
  }
}

/**
 * Returns the seal of a report: a signature over its hash (pdf-signature.ts). An archive has a signed manifest
 * instead.
 */
function sealOf(
  app: AppContext,
  exportRow: Export,
  content: { bytes: number; sha256: string; startxref: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const { signingKeys } = app.config;
  return createSeal({
    exportId: exportRow.id,
    createdAt: exportRow.createdAt,
    ...content,
    keyVersion: signingKeys.current,
    sign: (data) => sign(signingKeys, data),
  });
}

type Writer = {
  add: (images: RecordImages) => Promise<MissingImage[]>;
  /** Returns the offset of a report's cross-reference table; undefined for an archive. */
  finish: (missing: MissingImage[]) => Promise<number | undefined>;
  close?: () => Promise<void>;
};
type WriterInput = { exportRow: Export; exportInput: ExportInput; write: (bytes: Uint8Array) => void };
type ArchiveInput = WriterInput & { settle: () => Promise<void> };

function archiveWriter(app: AppContext, { exportRow, exportInput, write, settle }: ArchiveInput): Writer {
  const archive = createArchive({
    write,
    settle,
    export: exportRow,
    exportInput,
    keys: app.config.signingKeys,
  });
  return {
    add: async ({ record, ...images }) => archive.add(record, images),
    finish: async (missing) => {
      await archive.finish(missing);
      return undefined;
    },
  };
}

async function reportWriter(
  app: AppContext,
  { exportRow, exportInput, write }: WriterInput,
): Promise<Writer> {
  const [fonts, map, streets] = await Promise.all([loadFonts(app), loadMap(app), openStreetMaps(app)]);
  const report = createReport({
    write,
    fonts,
    map,
    attribution: streets.longestAttribution,
    export: exportRow,
    exportInput,
    timeText: zonedTime(exportRow.timeZone),
  });
  // First, because the time for street maps is limited.
  const { places } = report;
  const overview = places.length > 0 ? await streets.of(overviewView(places, OVERVIEW_SIZE)) : undefined;
  const addressOf = createAddresses(app, places);
  /** Places whose map is in the report already. */
  const drawn = new Set<string>();
  return {
    add: async ({ record, vehicle, plate }) => {
      const place = mappablePlace(record);
      const view = place && !drawn.has(placeKey(place)) ? placeView(place, MAP_SIZE) : undefined;
      if (place) drawn.add(placeKey(place));
      const address = await addressOf(record);
      return report.add(record, { vehicle, plate, address, streets: view && (await streets.of(view)) });
    },
    finish: async (missing) => report.finish(missing, { streets: overview, maps: streets.attribution() }),
    close: streets.close,
  };
}

/** Loads the fonts of a report. */
async function loadFonts(app: AppContext): Promise<ReportFonts> {
  const open = async (name: string) => openFont(await app.asset(`/fonts/report/${name}.ttf`));
  const [text, bold, mono] = await Promise.all([open("inter-400"), open("inter-600"), open("mono-500")]);
  return { text, bold, mono };
}

/** Loads the embedded basemap, from which map snapshots are drawn. */
export async function loadMap(app: AppContext): Promise<MapSource> {
  // Odin's own asset, whose shape the build determines.
  const packed: PackedBasemap = JSON.parse(
    new TextDecoder().decode(await app.asset("/basemap/embedded.json")),
  );
  return mapSource(unpackBasemap(packed));
}
