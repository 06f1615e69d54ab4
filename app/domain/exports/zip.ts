// The ZIP archive: images as they came, records as CSV and JSON, a manifest of every file's hash, and a signature over
// the manifest. Written file by file; the lists come last, when it is known what could be had. They are made twice, once
// to be measured and once to be written, and so are never held: of an image some 40 bytes are kept.

import {
  ARCHIVE_COLUMNS,
  type ArchivedImage,
  archivedRecord,
  csvLine,
  imageFile,
  type ManifestFile,
  manifestParts,
} from "#app/entities/exports/manifest.ts";
import type { Export, ExportInput, ExportRecord, MissingImage } from "#app/entities/exports/request.ts";
import { release } from "#app/lib/buffers.ts";
import { createDigest } from "#app/lib/crypto/digest.ts";
import { type SigningKeys, sign } from "#app/lib/crypto/signing.ts";
import { crc32, createZip } from "#app/lib/files/zip.ts";
import { jsonArrayParts, textPieces } from "#app/lib/text-pieces.ts";
import { wallClock } from "#app/lib/time/zoned-time.ts";
import { createImageNotes, type ImageNote } from "./image-notes.ts";
import type { ReportImage } from "./record.ts";

export type Archive = {
  /** Writes the images of the next record. */
  add: (record: ExportRecord, images: { vehicle: ReportImage; plate: ReportImage }) => MissingImage[];
  finish: (missing: MissingImage[]) => Promise<void>;
};

type Text = () => Generator<string>;
type Kind = "vehicle" | "plate";
const KINDS = ["vehicle", "plate"] as const satisfies Kind[];

export function createArchive(input: {
  write: (bytes: Uint8Array) => void;
  /** Waits until what was written is on its way. */
  settle: () => Promise<void>;
  export: Export;
  made: ExportInput;
  keys: SigningKeys;
}): Archive {
  const { made, keys, settle } = input;
  const one = input.export;
  const zip = createZip(input.write, wallClock(one.createdAt, one.timeZone));
  const notes = createImageNotes(made.records.length * 2);
  const lists: ManifestFile[] = [];
  let records = 0;

  /** The image of a record, as it was noted. */
  function noted(i: number, kind: Kind): (ImageNote & { name: string }) | undefined {
    const note = notes.find(i * 2 + KINDS.indexOf(kind));
    return note && { ...note, name: imageFile(i + 1, made.records[i] as ExportRecord, { kind, ...note }) };
  }

  function archived(i: number, kind: Kind): ArchivedImage | undefined {
    const note = noted(i, kind);
    return note && { file: note.name, sha256: note.sha256 };
  }

  function* rows() {
    for (let i = 0; i < records; i++) {
      const record = made.records[i] as ExportRecord;
      const [vehicle, plate] = [archived(i, "vehicle"), archived(i, "plate")];
      yield archivedRecord({ number: i + 1, record, justification: one.justification, vehicle, plate });
    }
  }

  const texts: Record<string, Text> = {
    *"records.csv"() {
      // The mark at the start lets spreadsheets read it as UTF-8.
      yield `\uFEFF${csvLine(ARCHIVE_COLUMNS)}`;
      for (const row of rows()) yield csvLine(ARCHIVE_COLUMNS.map((column) => row[column]));
    },
    *"records.json"() {
      yield* jsonArrayParts(rows());
      yield "\n";
    },
  };

  function* files(): Generator<ManifestFile> {
    for (let i = 0; i < records; i++) {
      for (const kind of KINDS) {
        const note = noted(i, kind);
        if (note) yield { name: note.name, bytes: note.bytes, sha256: note.sha256 };
      }
    }
    yield* lists;
  }

  async function addText(name: string, text: Text): Promise<void> {
    const digest = createDigest();
    let [size, crc] = [0, 0];
    for (const piece of textPieces(text())) {
      size += piece.length;
      crc = crc32(piece, crc);
      await digest.update(piece);
    }
    zip.begin(name, { size, crc });
    for (const piece of textPieces(text())) {
      zip.write(piece);
      await settle();
    }
    lists.push({ name, bytes: size, sha256: await digest.hex() });
  }

  return {
    add(record, images) {
      const i = records++;
      KINDS.forEach((kind, k) => {
        const image = images[kind];
        if (!("bytes" in image)) return;
        const { bytes, type, sha256 } = image;
        notes.keep(i * 2 + k, { bytes: bytes.length, type, sha256 });
        zip.add(imageFile(i + 1, record, { kind, type }), [bytes]);
      });
      return KINDS.flatMap((kind) => {
        const image = images[kind];
        if ("bytes" in image || !image.isFailure) return [];
        return { record: i + 1, id: record.id, image: kind, reason: image.reason };
      });
    },
    async finish(missing) {
      for (const [name, text] of Object.entries(texts)) await addText(name, text);
      const manifest: Text = () =>
        manifestParts({
          exportId: one.id,
          createdAt: one.createdAt,
          timeZone: one.timeZone,
          justification: one.justification,
          caseNumber: one.caseNumber,
          input: made,
          missing,
          files: files(),
          keyVersion: keys.current,
        });
      // What is signed must be there as a whole, the only thing that is.
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

/** The bytes of a text, in memory of just that size. */
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
