// The files of exports in R2 and, until a file is built, the input of its job. A file is uploaded in parts while it
// grows; an unfinished upload is removed completely. A failed call is repeated: a file has hundreds of parts, and R2
// sometimes fails for a moment.

import type { ExportInput } from "#app/entities/exports/request.ts";
import { createDigest } from "#app/lib/crypto/digest.ts";
import type { BytePart } from "#app/lib/files/byte-range.ts";
import { retryBriefly } from "#app/lib/retry.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { exportFileKey, exportInputKey } from "#app/store/files.ts";

/** R2 takes one write a second to an object, and one that fails may have taken effect. */
const WRITE_PAUSE_MS = SECOND;

/** Stores the input of an export (JSON in R2) for the job that builds it. */
export async function putExportInput(bucket: R2Bucket, id: string, input: ExportInput): Promise<void> {
  await bucket.put(exportInputKey(id), JSON.stringify(input));
}

/** Returns the input of a queued export, or undefined if it was deleted. */
export async function findExportInput(bucket: R2Bucket, id: string): Promise<ExportInput | undefined> {
  const object = await bucket.get(exportInputKey(id));
  return object?.json<ExportInput>();
}

/** Deletes the input of an export that was built. No error if it is already gone. */
export async function removeExportInput(bucket: R2Bucket, id: string): Promise<void> {
  await bucket.delete(exportInputKey(id));
}

/**
 * Returns the file of an export or a part of it, its body not yet read, or null if there is none. Does not check whose
 * export it is.
 */
export async function openExportFile(
  bucket: R2Bucket,
  { id, part }: { id: string; part?: BytePart | undefined },
): Promise<R2ObjectBody | null> {
  return bucket.get(exportFileKey(id), part && { range: part });
}

/** Aborts an unfinished upload. No error if the upload is already finished or gone. */
export async function abortUpload(
  bucket: R2Bucket,
  { id, uploadId }: { id: string; uploadId: string },
): Promise<void> {
  await bucket
    .resumeMultipartUpload(exportFileKey(id), uploadId)
    .abort()
    .catch(() => {});
}

/** Deletes everything in R2 that belongs to an export, including an unfinished upload. */
export async function removeExportFiles(
  bucket: R2Bucket,
  one: { id: string; uploadId: string | null },
): Promise<void> {
  if (one.uploadId) await abortUpload(bucket, { id: one.id, uploadId: one.uploadId });
  await bucket.delete([exportFileKey(one.id), exportInputKey(one.id)]);
}

/** R2 requires parts of at least 5 MiB, all of equal size but the last. */
const PART = 5 * 1024 * 1024;

export type ExportFile = {
  /** Copies bytes into the file; the caller may reuse its buffer. */
  write: (bytes: Uint8Array) => void;
  /** Uploads full parts. Called between records, so that at most a few parts wait in memory. */
  settle: () => Promise<void>;
  /**
   * Returns size and SHA-256 of the content so far. Callable once, and only if the file was created with `hasSeal`.
   */
  contentHash: () => Promise<{ bytes: number; sha256: string }>;
  finish: () => Promise<{ bytes: number; sha256: string }>;
  /** Deletes the parts of an unfinished file. A file with its key may be that of another run of the export, and stays. */
  abort: () => Promise<void>;
};

/**
 * Returns a file that grows in R2. A small file is put in one call; `onUpload` is called before a multipart upload
 * begins.
 */
export function createExportFile(
  bucket: R2Bucket,
  input: {
    id: string;
    type: string;
    /** The file ends with a seal over the hash of its content (entities/exports/pdf-signature.ts). */
    hasSeal?: boolean;
    onUpload: (uploadId: string) => Promise<void>;
  },
): ExportFile {
  const key = exportFileKey(input.id);
  const options = { httpMetadata: { contentType: input.type } };
  const digest = createDigest();
  /** Hash of the content before the seal, until it is read. */
  let content = input.hasSeal ? createDigest() : undefined;
  const full: Uint8Array<ArrayBuffer>[] = [];
  const parts: R2UploadedPart[] = [];
  /** Buffers of sent parts, reused: as garbage they would be most of an export's memory. */
  const spare: Uint8Array<ArrayBuffer>[] = [];
  let upload: R2MultipartUpload | undefined;
  let part = new Uint8Array(PART);
  let [filled, bytes] = [0, 0];

  async function send(data: Uint8Array<ArrayBuffer>): Promise<void> {
    if (!upload) {
      upload = await bucket.createMultipartUpload(key, options);
      await input.onUpload(upload.uploadId);
    }
    const begun = upload;
    const [sent] = await Promise.all([
      retryBriefly(() => begun.uploadPart(parts.length + 1, data)),
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
        const begun = upload;
        if (filled > 0) await send(rest);
        await retryBriefly(() => begun.complete(parts), WRITE_PAUSE_MS);
      } else {
        await digest.update(rest);
        await retryBriefly(() => bucket.put(key, rest, options), WRITE_PAUSE_MS);
      }
      return { bytes, sha256: await digest.hex() };
    },
    async abort() {
      // Parts in flight belong to the upload and are deleted with it.
      if (upload) await upload.abort();
    },
  };
}
