// Makes the file of an export in R2, record by record: the images of one are written before those of the next are
// held, so that memory does not grow with the number of records.

import type { AppContext } from "#app/context.ts";
import { addressOfPlace, nearestPlace } from "#app/domain/search/address.ts";
import { listSources } from "#app/domain/search/run.ts";
import { type MapSource, mapSource } from "#app/entities/exports/map.ts";
import { createSeal } from "#app/entities/exports/pdf-signature.ts";
import type { Export, ExportInput, ExportRecord, MissingImage } from "#app/entities/exports/request.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { EMBEDDED_BASEMAP, type PackedBasemap, unpackBasemap } from "#app/entities/search/map/basemap.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import { sign } from "#app/lib/crypto/signing.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { openFont } from "#app/lib/pdf/ttf.ts";
import { zonedTime } from "#app/lib/time/zoned-time.ts";
import { noteUpload } from "#app/store/exports/files.ts";
import { createExportFile } from "#app/store/exports/uploads.ts";
import { fetchRecordImages, type RecordImages, releaseImages } from "./images.ts";
import type { ReportFonts } from "./page.ts";
import { createReport } from "./pdf.ts";
import type { ExportTap } from "./stream.ts";
import { createArchive } from "./zip.ts";

/** A geocoder gives one address a second: after so long the nearest place that ships with Odin is named instead. */
const ADDRESSES_MS = 15_000;

export type BuiltExport = { bytes: number; sha256: string; missing: number };

/**
 * Builds the file. `onRecord` hears of every record that is written and may throw to stop. Leaves nothing in R2 where
 * it throws.
 */
export async function buildExport(
  app: AppContext,
  input: {
    export: Export;
    made: ExportInput;
    signal: AbortSignal;
    /** Where the bytes go as well while the file is made. */
    tap?: ExportTap;
    onRecord: (done: number) => Promise<void> | void;
  },
): Promise<BuiltExport> {
  const { made, signal, tap } = input;
  const one = input.export;
  const file = createExportFile(app.results, {
    id: one.id,
    type: one.kind === "pdf" ? "application/pdf" : "application/zip",
    hasSeal: one.kind === "pdf",
    onUpload: (uploadId) => noteUpload(app.db, one.id, uploadId),
  });
  function write(bytes: Uint8Array): void {
    file.write(bytes);
    tap?.write(bytes);
  }
  async function settle(): Promise<void> {
    await Promise.all([file.settle(), tap?.settle()]);
  }
  try {
    const writer =
      one.kind === "pdf"
        ? await reportWriter(app, { one, made, write })
        : archiveWriter(app, { one, made, write, settle });
    const missing: MissingImage[] = [];
    const sources = await listSources(app, one);
    let done = 0;
    for await (const images of fetchRecordImages(app, { records: made.records, sources, signal })) {
      missing.push(...(await writer.add(images)));
      releaseImages(images);
      await settle();
      await input.onRecord(++done);
    }
    signal.throwIfAborted();
    const startxref = await writer.finish(missing);
    if (startxref !== undefined) write(await sealOf(app, one, { ...(await file.contentHash()), startxref }));
    return { ...(await file.finish()), missing: missing.length };
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** What a report is signed with; an archive has a signed manifest instead. */
function sealOf(
  app: AppContext,
  one: Export,
  content: { bytes: number; sha256: string; startxref: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const { signingKeys } = app.config;
  return createSeal({
    exportId: one.id,
    createdAt: one.createdAt,
    ...content,
    keyVersion: signingKeys.current,
    sign: (data) => sign(signingKeys, data),
  });
}

type Writer = {
  add: (images: RecordImages) => Promise<MissingImage[]>;
  /** Returns where the cross-references of a report are; undefined for an archive. */
  finish: (missing: MissingImage[]) => Promise<number | undefined>;
};
type WriterInput = { one: Export; made: ExportInput; write: (bytes: Uint8Array) => void };
type ArchiveInput = WriterInput & { settle: () => Promise<void> };

function archiveWriter(app: AppContext, { one, made, write, settle }: ArchiveInput): Writer {
  const archive = createArchive({ write, settle, export: one, made, keys: app.config.signingKeys });
  return {
    add: async ({ record, ...images }) => archive.add(record, images),
    finish: async (missing) => {
      await archive.finish(missing);
      return undefined;
    },
  };
}

async function reportWriter(app: AppContext, { one, made, write }: WriterInput): Promise<Writer> {
  const [fonts, map] = await Promise.all([loadFonts(app), loadMap(app)]);
  const report = createReport({
    write,
    fonts,
    map,
    attribution: EMBEDDED_BASEMAP.attribution,
    export: one,
    made,
    timeText: zonedTime(one.timeZone),
  });
  const addressOf = createAddresses(app);
  return {
    add: async ({ record, vehicle, plate }) =>
      report.add(record, { vehicle, plate, address: await addressOf(record) }),
    finish: async (missing) => report.finish(missing),
  };
}

/** The fonts that a report is set in. */
async function loadFonts(app: AppContext): Promise<ReportFonts> {
  const open = async (name: string) => openFont(await app.asset(`/fonts/report/${name}.ttf`));
  const [text, bold, mono] = await Promise.all([open("inter-400"), open("inter-600"), open("mono-500")]);
  return { text, bold, mono };
}

/** The basemap that ships with Odin, which map snapshots are drawn from. */
export async function loadMap(app: AppContext): Promise<MapSource> {
  const packed = parseJson(new TextDecoder().decode(await app.asset("/basemap/embedded.json")));
  return mapSource(unpackBasemap(packed as PackedBasemap));
}

/** The nearest address of each record, each place asked for once, within a time for all. */
function createAddresses(app: AppContext): (record: ExportRecord) => Promise<string> {
  const known = new Map<string, string>();
  let spent = 0;
  return async ({ latitude, longitude }) => {
    if (latitude === null || longitude === null || !isMappable(latitude, longitude))
      return MESSAGES.unavailable;
    const key = `${latitude.toFixed(4)} ${longitude.toFixed(4)}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const start = app.clock();
    const place = { latitude, longitude };
    const { address, approximate } =
      spent > ADDRESSES_MS ? nearestPlace(place) : await addressOfPlace(app, place);
    spent += app.clock() - start;
    const text = address === null ? MESSAGES.unavailable : approximate ? `${address} (approximate)` : address;
    known.set(key, text);
    return text;
  };
}
