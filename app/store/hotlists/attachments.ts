// Attached files: a row in D1, and the bytes in R2 under a random key that reveals nothing about the plate.

import { eq, sql } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { attachmentKey } from "#app/store/files.ts";
import { jsonChunks } from "#app/store/json-chunks.ts";
import { attachments } from "#app/store/schema/groups.ts";

export type StoredAttachment = typeof attachments.$inferSelect;

/** Returns the statements that insert the rows of files. */
export function insertAttachments(db: ControlDb, files: readonly StoredAttachment[]): Statement[] {
  const field = (name: keyof StoredAttachment) => sql.raw(`value ->> '${name}'`);
  return jsonChunks(files).map(({ json }) =>
    db.run(sql`
      INSERT INTO ${attachments} (id, group_id, key, name, type, size, sha256, created_at, created_by)
      SELECT ${field("id")}, ${field("groupId")}, ${field("key")}, ${field("name")}, ${field("type")},
        ${field("size")}, ${field("sha256")}, ${field("createdAt")}, ${field("createdBy")}
      FROM json_each(${json})`),
  );
}

/** Returns the row of an attached file, or undefined. Does not check who may see its group. */
export async function findAttachment(db: ControlDb, id: string): Promise<StoredAttachment | undefined> {
  return db.query.attachments.findFirst({ where: eq(attachments.id, id) });
}

/** Stores a file's bytes in R2 and returns their new random key, which the caller stores with the file's row. */
export async function putAttachment(
  bucket: R2Bucket,
  file: { bytes: Uint8Array<ArrayBuffer>; type: string },
): Promise<string> {
  const key = attachmentKey();
  await bucket.put(key, file.bytes, { httpMetadata: { contentType: file.type } });
  return key;
}

/** Returns an attached file, its body not yet read, or null if R2 does not have it. */
export async function openAttachment(bucket: R2Bucket, key: string): Promise<R2ObjectBody | null> {
  return bucket.get(key);
}
