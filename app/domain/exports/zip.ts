// The ZIP archive: images as received, records as CSV and JSON, a manifest with every file's hash, and a signature
// of the manifest. Written file by file; the lists come last, when missing images are known. The lists are
// generated twice, to measure and then to write them, so they are never held in memory: each image costs about 40
// bytes.

import {
  ARCHIVE_COLUMNS,
  type ArchivedImage,
  type ArchivedRecord,
  archivedRecord,
  csvLine,
  imageFile,
  type ManifestFile,
  manifestParts,
} from "#app/entities/exports/manifest.ts";
import type { Export, ExportInput, ExportRecord, MissingImage } from "#app/entities/exports/request.ts";
import { at } from "#app/lib/at.ts";
import { release } from "#app/lib/buffers.ts";
import { createDigest } from "#app/lib/crypto/digest.ts";
import { fromHex, hex } from "#app/lib/crypto/encoding.ts";
import { type SigningKeys, sign } from "#app/lib/crypto/signing.ts";
import { crc32, createZip } from "#app/lib/files/zip.ts";
import { jsonArrayParts, textPieces } from "#app/lib/text-pieces.ts";
import { localAsUtc } from "#app/lib/time/zoned-time.ts";
import type { ReportImage } from "./picture.ts";

export type Archive = {
  /** Writes the images of the next record. */
  add: (record: ExportRecord, images: { vehicle: ReportImage; plate: ReportImage }) => MissingImage[];
  finish: (missing: MissingImage[]) => Promise<void>;
};

type ImageNote = { bytes: number; type: string; sha256: string };
type Text = () => Generator<string>;
type Kind = "vehicle" | "plate";
const KINDS = ["vehicle", "plate"] as const satisfies Kind[];

/** Begins a ZIP of images and writes it as records are added. `finish` adds the lists and the signed manifest. */
export function createArchive(input: {
  write: (bytes: Uint8Array) => void;
  /** Waits until the written bytes are uploaded. */
  settle: () => Promise<void>;
  export: Export;
  exportInput: ExportInput;
  keys: SigningKeys;
}): Archive {
  const { exportInput, keys, settle } = input;
  const exportRow = input.export;
  const zip = createZip(input.write, localAsUtc(exportRow.createdAt, exportRow.timeZone));
  const notes = createImageNotes(exportInput.records);
  const lists: ManifestFile[] = [];
  let records = 0;

  function* rows() {
    for (let i = 0; i < records; i++) {
      const record = at(exportInput.records, i);
      const [vehicle, plate] = KINDS.map((kind) => archived(notes.find(i, kind)));
      yield archivedRecord({ number: i + 1, record, justification: exportRow.justification, vehicle, plate });
    }
  }

  function* files(): Generator<ManifestFile> {
    for (let i = 0; i < records; i++) {
      for (const kind of KINDS) {
        const image = notes.find(i, kind);
        if (image) yield image;
      }
    }
    yield* lists;
  }

  async function addText(name: string, text: Text): Promise<void> {
    const { size, crc, sha256 } = await measure(text);
    zip.begin(name, { size, crc });
    for (const piece of textPieces(text())) {
      zip.write(piece);
      await settle();
    }
    lists.push({ name, bytes: size, sha256 });
  }

  return {
    add(record, images) {
      const i = records++;
      for (const kind of KINDS) {
        const image = images[kind];
        if (!("bytes" in image)) continue;
        const { bytes, type, sha256 } = image;
        notes.keep(i, kind, { bytes: bytes.length, type, sha256 });
        zip.add(imageFile(i + 1, record, { kind, type }), [bytes]);
      }
      return KINDS.flatMap((kind) => {
        const image = images[kind];
        if ("bytes" in image || !image.isFailure) return [];
        return { record: i + 1, id: record.id, image: kind, reason: image.reason };
      });
    },
    async finish(missing) {
      for (const [name, text] of Object.entries(recordTexts(rows))) await addText(name, text);
      const manifest: Text = () =>
        manifestParts({
          exportId: exportRow.id,
          createdAt: exportRow.createdAt,
          timeZone: exportRow.timeZone,
          justification: exportRow.justification,
          caseNumber: exportRow.caseNumber,
          input: exportInput,
          missing,
          files: files(),
          keyVersion: keys.current,
        });
      // The signature needs the whole manifest in memory.
      const bytes = joined(manifest);
      const signature = await sign(keys, bytes);
      zip.add("manifest.json", [bytes]);
      release(bytes);
      zip.add("manifest.sig", [signature]);
      zip.finish();
      await settle();
    },
  };
}

const archived = (image: ManifestFile | undefined): ArchivedImage | undefined =>
  image && { file: image.name, sha256: image.sha256 };

/** Returns the texts that list the records, by file name. */
function recordTexts(rows: () => Generator<ArchivedRecord>): Record<string, Text> {
  return {
    *"records.csv"() {
      // The byte order mark lets spreadsheets read it as UTF-8.
      yield `\uFEFF${csvLine(ARCHIVE_COLUMNS)}`;
      for (const row of rows()) yield csvLine(ARCHIVE_COLUMNS.map((column) => row[column]));
    },
    *"records.json"() {
      yield* jsonArrayParts(rows());
      yield "\n";
    },
  };
}

async function measure(text: Text): Promise<{ size: number; crc: number; sha256: string }> {
  const digest = createDigest();
  let [size, crc] = [0, 0];
  for (const piece of textPieces(text())) {
    size += piece.length;
    crc = crc32(piece, crc);
    await digest.update(piece);
  }
  return { size, crc, sha256: await digest.hex() };
}

/** Returns the bytes of a text in a buffer of exactly that size. */
function joined(text: Text): Uint8Array<ArrayBuffer> {
  let size = 0;
  for (const piece of textPieces(text())) size += piece.length;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of textPieces(text())) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

const HASH_BYTES = 32;

/**
 * Keeps the size, type and SHA-256 of each image until the lists are written, in typed arrays: ten thousand objects
 * would take megabytes.
 */
function createImageNotes(records: readonly ExportRecord[]) {
  const places = records.length * KINDS.length;
  const placeOf = (record: number, kind: Kind) => record * KINDS.length + KINDS.indexOf(kind);
  const sizes = new Uint32Array(places);
  const hashes = new Uint8Array(places * HASH_BYTES);
  /** Index into `types` plus one; zero if there is no image. */
  const kinds = new Uint8Array(places);
  const types: string[] = [];
  return {
    keep(record: number, kind: Kind, { bytes, type, sha256 }: ImageNote): void {
      const place = placeOf(record, kind);
      if (place >= places) throw new RangeError("more images than records");
      if (!types.includes(type)) types.push(type);
      kinds[place] = types.indexOf(type) + 1;
      sizes[place] = bytes;
      hashes.set(fromHex(sha256), place * HASH_BYTES);
    },
    find(record: number, kind: Kind): ManifestFile | undefined {
      const place = placeOf(record, kind);
      const type = types[(kinds[place] ?? 0) - 1];
      if (type === undefined) return undefined;
      const name = imageFile(record + 1, at(records, record), { kind, type });
      const sha256 = hex(hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES));
      return { name, bytes: at(sizes, place), sha256 };
    },
  };
}
