// The ZIP archive: images as they came, records as CSV and JSON, a manifest of every file's hash, and a signature over
// the manifest. Written file by file; the lists come last, when it is known what could be had.

import type { Export, ExportInput, ExportRecord, MissingImage } from "#app/entities/export.ts";
import {
  ARCHIVE_COLUMNS,
  type ArchivedImage,
  archivedRecord,
  csvLine,
  imageFile,
  type ManifestFile,
  manifestOf,
} from "#app/entities/export-files.ts";
import { createDigest } from "#app/lib/digest.ts";
import { createGrowingText } from "#app/lib/growing-text.ts";
import { type SigningKeys, sign } from "#app/lib/signing.ts";
import { createZip } from "#app/lib/zip.ts";
import type { ReportImage } from "./export-record.ts";

const encoder = new TextEncoder();

export type Archive = {
  add: (record: ExportRecord, images: { vehicle: ReportImage; plate: ReportImage }) => MissingImage[];
  finish: (missing: MissingImage[]) => Promise<void>;
};

export function createArchive(input: {
  write: (bytes: Uint8Array) => void;
  export: Export;
  made: ExportInput;
  keys: SigningKeys;
}): Archive {
  const { made, keys } = input;
  const one = input.export;
  const zip = createZip(input.write, one.createdAt);
  const files: ManifestFile[] = [];
  const [csv, json] = [createGrowingText(), createGrowingText()];
  let records = 0;
  // The mark at the start lets spreadsheets read it as UTF-8.
  csv.add(`\uFEFF${csvLine(ARCHIVE_COLUMNS)}`);

  function addImage(number: number, record: ExportRecord, kind: "vehicle" | "plate", image: ReportImage) {
    if (!("bytes" in image)) return undefined;
    const name = imageFile(number, record, { kind, type: image.type });
    zip.add(name, [image.bytes]);
    files.push({ name, bytes: image.bytes.length, sha256: image.sha256 });
    return { file: name, sha256: image.sha256 } satisfies ArchivedImage;
  }

  async function addText(name: string, pieces: readonly Uint8Array<ArrayBuffer>[]): Promise<void> {
    const digest = createDigest();
    for (const piece of pieces) await digest.update(piece);
    zip.add(name, pieces);
    const bytes = pieces.reduce((size, piece) => size + piece.length, 0);
    files.push({ name, bytes, sha256: await digest.hex() });
  }

  return {
    add(record, images) {
      const number = ++records;
      const vehicle = addImage(number, record, "vehicle", images.vehicle);
      const plate = addImage(number, record, "plate", images.plate);
      const row = archivedRecord({ number, record, justification: one.justification, vehicle, plate });
      csv.add(csvLine(ARCHIVE_COLUMNS.map((column) => row[column])));
      json.add(`${number === 1 ? "[" : ","}\n${JSON.stringify(row)}`);
      return (["vehicle", "plate"] as const).flatMap((kind) => {
        const image = images[kind];
        if ("bytes" in image || !image.isFailure) return [];
        return { record: number, id: record.id, image: kind, reason: image.reason };
      });
    },
    async finish(missing) {
      json.add(records === 0 ? "[]\n" : "\n]\n");
      await addText("records.csv", csv.pieces());
      await addText("records.json", json.pieces());
      const manifest = manifestOf({
        exportId: one.id,
        createdAt: one.createdAt,
        timeZone: one.timeZone,
        justification: one.justification,
        caseNumber: one.caseNumber,
        input: made,
        missing,
        files,
        keyVersion: keys.current,
      });
      const bytes = encoder.encode(`${JSON.stringify(manifest, null, 1)}\n`);
      zip.add("manifest.json", [bytes]);
      zip.add("manifest.sig", [await sign(keys, bytes)]);
      zip.finish();
    },
  };
}
