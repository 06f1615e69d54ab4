// All keys of objects in R2, and their deletion. All objects of a result set have one prefix and are purged together.

import { chunksOf } from "#app/lib/at.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";

/** Keys that R2 deletes or lists in one call. */
export const KEYS_OF_A_CALL = 1000;

/** Deletes any number of objects. */
export async function removeObjects(bucket: R2Bucket, keys: string[]): Promise<void> {
  for (const part of chunksOf(keys, KEYS_OF_A_CALL)) await bucket.delete(part);
}

/** The key of a result set's columns, as the browser reads them. */
export function columnsKey(resultId: string): string {
  return `results/${resultId}/columns`;
}

/** The key of a result set's first rows, which its page shows before the columns arrive. */
export function firstRowsKey(resultId: string): string {
  return `results/${resultId}/first`;
}

/** The key of a result set's image locators (where its images are with the vendors); never sent to a browser. */
export function locatorsKey(resultId: string): string {
  return `results/${resultId}/locators`;
}

/** The key of the ranked answer of a place or convoy search, whose evidence is a result set. */
export function investigationKey(resultId: string): string {
  return `results/${resultId}/investigation`;
}

/** Returns a new random key for an attached file. Keys do not reveal the owner. */
export function attachmentKey(): string {
  return `attachments/${randomToken(24)}`;
}

/** Prefixes that divide the keys of attached files evenly. */
export const ATTACHMENT_PREFIXES = Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
  (first) => `attachments/${first}`,
);

/** Prefix of the objects of archived hits in the bucket ATTACHMENTS, the only ones that are overwritten. */
export const HIT_SEGMENTS = "hit-segments/";

/** The key of a hotlist import's file, kept while it is read. */
export function importKey(importId: string): string {
  return `imports/${importId}`;
}

/** The key of an export's file. */
export function exportFileKey(exportId: string): string {
  return `exports/${exportId}/file`;
}

/** The key of a queued export's input, deleted when the export is built. */
export function exportInputKey(exportId: string): string {
  return `exports/${exportId}/input`;
}
