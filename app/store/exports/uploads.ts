// The files of exports in R2 and, until a file is made, what it is made of. A file is written in parts as it grows; what
// is not finished is taken back whole.

import type { ExportInput } from "#app/entities/exports/request.ts";
import { createDigest } from "#app/lib/crypto/digest.ts";
import { exportFileKey, exportInputKey } from "#app/store/files.ts";

export async function putExportInput(bucket: R2Bucket, id: string, input: ExportInput): Promise<void> {
  await bucket.put(exportInputKey(id), JSON.stringify(input));
}

export async function findExportInput(bucket: R2Bucket, id: string): Promise<ExportInput | undefined> {
  const object = await bucket.get(exportInputKey(id));
  return object ? ((await object.json()) as ExportInput) : undefined;
}

export async function removeExportInput(bucket: R2Bucket, id: string): Promise<void> {
  await bucket.delete(exportInputKey(id));
}

export async function openExportFile(bucket: R2Bucket, id: string): Promise<R2ObjectBody | null> {
  return bucket.get(exportFileKey(id));
}

/** Takes back an unfinished upload; one that is finished or gone is what was wanted. */
export async function abortUpload(
  bucket: R2Bucket,
  { id, uploadId }: { id: string; uploadId: string },
): Promise<void> {
  await bucket
    .resumeMultipartUpload(exportFileKey(id), uploadId)
    .abort()
    .catch(() => {});
}

/** Removes everything that R2 has of an export, an unfinished upload among it. */
export async function removeExportFiles(
  bucket: R2Bucket,
  one: { id: string; uploadId: string | null },
): Promise<void> {
  if (one.uploadId) await abortUpload(bucket, { id: one.id, uploadId: one.uploadId });
  await bucket.delete([exportFileKey(one.id), exportInputKey(one.id)]);
}

/** R2 wants parts of at least 5 MiB, all of one size but the last. */
const PART = 5 * 1024 * 1024;

export type ExportFile = {
  /** Takes bytes; they may be used again at once. */
  write: (bytes: Uint8Array) => void;
  /** Sends what is full on its way; called between records, so that no more than a few parts ever wait. */
  settle: () => Promise<void>;
  /** Size and SHA-256 of what was written so far; once, and only where the file was created with `hasSeal`. */
  contentHash: () => Promise<{ bytes: number; sha256: string }>;
  finish: () => Promise<{ bytes: number; sha256: string }>;
  /** Leaves nothing behind. */
  abort: () => Promise<void>;
};

/** A file that grows in R2. Small ones are put at once; `onUpload` hears of an upload in parts before it begins. */
export function createExportFile(
  bucket: R2Bucket,
  input: {
    id: string;
    type: string;
    /** The file ends with a seal over the hash of its content. */
    hasSeal?: boolean;
    onUpload: (uploadId: string) => Promise<void>;
  },
): ExportFile {
  const key = exportFileKey(input.id);
  const options = { httpMetadata: { contentType: input.type } };
  const digest = createDigest();
  /** Of what comes before the seal, until that hash is taken. */
  let content = input.hasSeal ? createDigest() : undefined;
  const full: Uint8Array<ArrayBuffer>[] = [];
  const parts: R2UploadedPart[] = [];
  /** Buffers whose part has left: garbage of this size would be most of an export's memory. */
  const spare: Uint8Array<ArrayBuffer>[] = [];
  let upload: R2MultipartUpload | undefined;
  let part = new Uint8Array(PART);
  let [filled, bytes] = [0, 0];

  async function send(data: Uint8Array<ArrayBuffer>): Promise<void> {
    if (!upload) {
      upload = await bucket.createMultipartUpload(key, options);
      await input.onUpload(upload.uploadId);
    }
    const [sent] = await Promise.all([
      upload.uploadPart(parts.length + 1, data),
      digest.update(data),
      content?.update(data),
    ]);
    parts.push(sent);
  }

  async function settle(): Promise<void> {
    for (let data = full.shift(); data; data = full.shift()) {
      await send(data);
      spare.push(data);
    }
  }

  return {
    write(more) {
      bytes += more.length;
      for (let at = 0; at < more.length; ) {
        const taken = Math.min(PART - filled, more.length - at);
        part.set(more.subarray(at, at + taken), filled);
        filled += taken;
        at += taken;
        if (filled < PART) continue;
        full.push(part);
        part = spare.pop() ?? new Uint8Array(PART);
        filled = 0;
      }
    },
    settle,
    async contentHash() {
      await settle();
      const hash = content;
      if (!hash) throw new Error("the content of this file is not hashed");
      content = undefined;
      await hash.update(part.slice(0, filled));
      return { bytes, sha256: await hash.hex() };
    },
    async finish() {
      await settle();
      const rest = part.subarray(0, filled);
      if (upload) {
        if (filled > 0) await send(rest);
        await upload.complete(parts);
      } else {
        await digest.update(rest);
        await bucket.put(key, rest, options);
      }
      return { bytes, sha256: await digest.hex() };
    },
    async abort() {
      // The parts that are on their way belong to the upload and go with it.
      if (upload) await upload.abort();
      await bucket.delete(key);
    },
  };
}
