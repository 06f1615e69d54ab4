// The objects of hits that left the database: one line of JSON per hit, gzipped, then encrypted with the object's own
// key. They are in the bucket ATTACHMENTS, which backups copy completely, which has no lock, and whose cleanup covers
// only `attachments/`.
//
// When some of its hits expire, an object and its copy in the backups are overwritten under the same key. An earlier
// database, from a backup or D1's Time Travel, can then still open it, and has exactly the hits that are kept. If each
// change created a new object, an earlier database would lose the other hits of the segment.

import type { AlertSegment } from "#app/entities/alerts/segment.ts";
import { type SealedFor, type SealingKeys, seal, unseal } from "#app/lib/crypto/primitives.ts";
import { type LinesSeal, newLinesKey, openLines, sealLines } from "#app/lib/crypto/sealed-lines.ts";
import { ArchiveFault } from "#app/store/archive-fault.ts";
import { HIT_SEGMENTS } from "#app/store/files.ts";
import { copyToPool } from "#app/store/operations/backup-pool.ts";
import type { StoredAlert } from "./history.ts";

const unreadable = (objectKey: string, what: string) =>
  `Archived hits cannot be read: the file ${objectKey} ${what}.`;

/** The fields that open an object. */
export type SegmentFile = Pick<AlertSegment, "groupId" | "agencyId" | "objectKey" | "sealedKey">;

export type AlertArchive = {
  /** Returns a name that no object has had, not even one of a worker that died, and a new encryption key. */
  newFile(group: Pick<AlertSegment, "groupId" | "agencyId">): Promise<SegmentFile>;
  /** Writes the hits of a new segment. Returns the object's size in bytes. */
  put(file: SegmentFile, hits: readonly StoredAlert[]): Promise<number>;
  /** Returns a segment's hits and the version of its object. Throws ArchiveFault if they are not those that were written. */
  open(file: SegmentFile): Promise<{ hits: StoredAlert[]; etag: string }>;
  /** Overwrites a version of an object. Returns its size in bytes, or null if the object has another version by now. */
  rewrite(file: SegmentFile, hits: readonly StoredAlert[], etag: string): Promise<number | null>;
  remove(file: Pick<SegmentFile, "objectKey">): Promise<void>;
};

const ownerOf = (objectKey: string): SealedFor => ({ table: "alert_segments", id: objectKey, field: "key" });

/** Returns the archive of hits in a bucket, whose copies are in the bucket of backups. */
export function createAlertArchive(parts: {
  attachments: R2Bucket;
  backups: R2Bucket;
  sealingKeys: SealingKeys;
}): AlertArchive {
  const { attachments, backups, sealingKeys } = parts;

  async function sealOf({ groupId, agencyId, objectKey, sealedKey }: SegmentFile): Promise<LinesSeal> {
    return {
      key: await unseal(sealingKeys, ownerOf(objectKey), sealedKey),
      associated: ["odin hit segment 1", objectKey, groupId, agencyId],
    };
  }

  async function sealed(file: SegmentFile, hits: readonly StoredAlert[]) {
    return sealLines(
      await sealOf(file),
      hits.map((hit) => JSON.stringify(hit)),
    );
  }

  return {
    async newFile({ groupId, agencyId }) {
      const objectKey = `${HIT_SEGMENTS}${agencyId}/${groupId}/${crypto.randomUUID()}`;
      return {
        groupId,
        agencyId,
        objectKey,
        sealedKey: await seal(sealingKeys, ownerOf(objectKey), newLinesKey()),
      };
    },
    async put(file, hits) {
      const bytes = await sealed(file, hits);
      await attachments.put(file.objectKey, bytes, { onlyIf: { etagDoesNotMatch: "*" } });
      return bytes.length;
    },
    async open(file) {
      const object = await attachments.get(file.objectKey);
      if (!object) throw new ArchiveFault(unreadable(file.objectKey, "is missing"), { isFileMissing: true });
      const bytes = new Uint8Array(await object.arrayBuffer());
      try {
        const lines = await openLines(await sealOf(file), bytes);
        return { hits: lines.map((line): StoredAlert => JSON.parse(line)), etag: object.etag };
      } catch (cause) {
        throw new ArchiveFault(unreadable(file.objectKey, "was altered, or its key is missing"), { cause });
      }
    },
    async rewrite(file, hits, etag) {
      const bytes = await sealed(file, hits);
      const put = await attachments.put(file.objectKey, bytes, { onlyIf: { etagMatches: etag } });
      if (!put) return null;
      const pool = { backups, keys: sealingKeys };
      await copyToPool(pool, { name: "ATTACHMENTS", bucket: attachments, key: file.objectKey });
      return bytes.length;
    },
    async remove({ objectKey }) {
      await attachments.delete(objectKey);
    },
  };
}
