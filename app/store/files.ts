// R2 keys, all in one place. A result set is two objects under one prefix, so that a purge takes both.

import { randomToken } from "#app/lib/crypto/primitives.ts";

/** The columns of a result set, as the browser reads them. */
export function columnsKey(resultId: string): string {
  return `results/${resultId}/columns`;
}

/** Where the images of a result set are with their vendors; never sent to a browser. */
export function locatorsKey(resultId: string): string {
  return `results/${resultId}/locators`;
}

/** A new key for an attached file: random alone, so that a key tells nobody whose it is. */
export function attachmentKey(): string {
  return `attachments/${randomToken(24)}`;
}

/** Prefixes that share all keys of attached files out among them, evenly. */
export const ATTACHMENT_PREFIXES = Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
  (first) => `attachments/${first}`,
);

/** The file of a hotlist import while it is read. */
export function importKey(importId: string): string {
  return `imports/${importId}`;
}

/** The file of an export. */
export function exportFileKey(exportId: string): string {
  return `exports/${exportId}/file`;
}

/** What an export that waits in the queue is made of; gone when it is made. */
export function exportInputKey(exportId: string): string {
  return `exports/${exportId}/input`;
}
