// Writes an archive to the bucket of the installation in parts, so that memory does not depend on its size. The object
// appears when the last part is written; until then an older one stays.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, type Settings } from "../settings.ts";

/** All parts but the last must have the same size; R2 takes 10,000 of them. */
const PART_BYTES = 16 * 1024 * 1024;
export const MAX_BYTES = 10_000 * PART_BYTES;

type Bucket = Pick<R2Bucket, "createMultipartUpload" | "head">;
export type Target = { bucket: Bucket; dispose: () => Promise<void> };

// Wrangler and the product are imported here because they take seconds, and most command-line mistakes are found
// earlier.

/** Opens the bucket for images of the local installation. */
export async function openLocal(settings: Settings): Promise<Target> {
  const { openStorage } = await import("../storage.ts");
  const { env, dispose } = await openStorage(settings);
  return { bucket: env.IMAGES, dispose };
}

/** Opens the bucket for images of wrangler.toml in the account that wrangler is signed in to. */
export async function openRemote(): Promise<Target> {
  const { getPlatformProxy, unstable_readConfig } = await import("wrangler");
  const { r2_buckets: buckets } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
  const images = buckets.find(({ binding }: { binding: string }) => binding === "IMAGES");
  if (!images) throw new Error("wrangler.toml has no bucket IMAGES.");
  const folder = mkdtempSync(join(tmpdir(), "odin-basemap-"));
  const configPath = join(folder, "wrangler.json");
  const config = {
    name: "odin-basemap",
    compatibility_date: "2026-11-01",
    r2_buckets: [{ ...images, remote: true }],
  };
  writeFileSync(configPath, JSON.stringify(config));
  const proxy = await getPlatformProxy<{ IMAGES: R2Bucket }>({ configPath, persist: false, envFiles: [] });
  const dispose = async () => {
    await proxy.dispose();
    rmSync(folder, { recursive: true, force: true });
  };
  return { bucket: proxy.env.IMAGES, dispose };
}

/** Writes an object. `onProgress` gets the number of bytes written. If it fails, no part of it stays. */
export async function writeObject(
  bucket: Bucket,
  key: string,
  { chunks, onProgress }: { chunks: AsyncIterable<Uint8Array>; onProgress: (bytes: number) => void },
  partBytes = PART_BYTES,
): Promise<void> {
  const upload = await bucket.createMultipartUpload(key, {
    httpMetadata: { contentType: "application/vnd.pmtiles" },
  });
  try {
    const parts: R2UploadedPart[] = [];
    const part = new Uint8Array(partBytes);
    let [used, written] = [0, 0];
    const flush = async () => {
      parts.push(await upload.uploadPart(parts.length + 1, part.slice(0, used).buffer));
      written += used;
      used = 0;
      onProgress(written);
    };
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) {
        const piece = chunk.subarray(at, at + partBytes - used);
        part.set(piece, used);
        used += piece.length;
        at += piece.length;
        if (used === partBytes) await flush();
      }
    }
    if (used > 0 || parts.length === 0) await flush();
    await upload.complete(parts);
  } catch (error) {
    await upload.abort().catch(() => {});
    throw error;
  }
}
