// Attached files: a row in D1, and the bytes in R2 under a random key that reveals nothing about the plate.

import { eq } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { attachmentKey } from "#app/store/files.ts";
import { attachments } from "#app/store/schema/groups.ts";

export type StoredAttachment = typeof attachments.$inferSelect;

export function insertAttachment(db: ControlDb, attachment: StoredAttachment): Statement {
  return db.insert(attachments).values(attachment);
}

export async function findAttachment(db: ControlDb, id: string): Promise<StoredAttachment | undefined> {
  return db.query.attachments.findFirst({ where: eq(attachments.id, id) });
}

export async function putAttachment(
  bucket: R2Bucket,
  file: { bytes: Uint8Array<ArrayBuffer>; type: string },
): Promise<string> {
  const key = attachmentKey();
  await bucket.put(key, file.bytes, { httpMetadata: { contentType: file.type } });
  return key;
}

export async function openAttachment(bucket: R2Bucket, key: string): Promise<R2ObjectBody | null> {
  return bucket.get(key);
}
