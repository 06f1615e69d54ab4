// The part of the audit log that left the database: its objects in R2, and the hashes by which they are found. Nothing is
// cached, so that no agency's rows or keys stay in an isolate.

import type { ChainedRow } from "#app/entities/oversight/audit-chain.ts";
import type { Segment } from "#app/entities/oversight/audit-segment.ts";
import { base64, fromBase64 } from "#app/lib/crypto/encoding.ts";
import { type SealedFor, type SealingKeys, seal, unseal } from "#app/lib/crypto/primitives.ts";
import { ArchiveFault } from "#app/store/archive-fault.ts";
import type { ControlDb } from "#app/store/database.ts";
import { type NewSegment, openSegment, SEGMENT_MISSING, sealSegment } from "./audit-segment-file.ts";
import { addTermKey, findTermKey } from "./audit-segments.ts";

export type AuditArchive = {
  /** Writes the rows of a segment. Returns the object's bytes. */
  put(segment: NewSegment, rows: readonly ChainedRow[]): Promise<number>;
  /** Returns a segment's rows, oldest first. Throws ArchiveFault if they are not those that were archived. */
  open(segment: NewSegment): Promise<ChainedRow[]>;
  /**
   * Deletes a segment's object and its copy in the backups. Returns false if the object is still there: the bucket's lock
   * keeps it, or a bucket does not answer.
   */
  remove(segment: Pick<Segment, "objectKey">): Promise<boolean>;
  /** Returns the hashes of values of an agency's rows, which differ by agency, in the order of the values. */
  hash(agencyId: string, terms: readonly string[]): Promise<number[]>;
  /** The encryption keys, for keys of new segments. */
  sealingKeys: SealingKeys;
};

const termKeyOwner = (id: string): SealedFor => ({ table: "audit_term_keys", id, field: "key" });

/** Returns the archive in a database and a bucket. */
export function createAuditArchive(parts: {
  db: ControlDb;
  audits: R2Bucket;
  sealingKeys: SealingKeys;
}): AuditArchive {
  const { db, audits, sealingKeys } = parts;

  async function read(segment: NewSegment): Promise<ChainedRow[]> {
    const object = await audits.get(segment.objectKey);
    if (!object) throw new ArchiveFault(SEGMENT_MISSING, { isFileMissing: true });
    return openSegment(sealingKeys, segment, new Uint8Array(await object.arrayBuffer()));
  }

  async function termKey(agencyId: string): Promise<CryptoKey> {
    const id = agencyId || "none";
    const sealed = (await findTermKey(db, id)) ?? (await makeTermKey(id));
    const secret = await unseal(sealingKeys, termKeyOwner(id), sealed);
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    return crypto.subtle.importKey("raw", fromBase64(secret), algorithm, false, ["sign"]);
  }

  async function makeTermKey(id: string): Promise<string> {
    const secret = base64(crypto.getRandomValues(new Uint8Array(32)));
    await addTermKey(db, { id, sealedKey: await seal(sealingKeys, termKeyOwner(id), secret) });
    // A concurrent call may have stored another key first.
    return (await findTermKey(db, id)) ?? "";
  }

  return {
    sealingKeys,
    async put(segment, rows) {
      const bytes = await sealSegment(sealingKeys, segment, rows);
      await audits.put(segment.objectKey, bytes, { onlyIf: { etagDoesNotMatch: "*" } });
      return bytes.length;
    },
    open: read,
    async remove({ objectKey }) {
      try {
        await audits.delete(objectKey);
        return true;
      } catch {
        return false;
      }
    },
    async hash(agencyId, terms) {
      if (terms.length === 0) return [];
      const key = await termKey(agencyId);
      return Promise.all(terms.map((term) => hashOf(key, term)));
    },
  };
}

const encoder = new TextEncoder();

/** Returns 48 bits, which a number holds exactly: two values of one agency almost never share them. */
async function hashOf(key: CryptoKey, term: string): Promise<number> {
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(term)));
  return new DataView(mac.buffer).getUint32(0) * 0x1_0000 + new DataView(mac.buffer).getUint16(4);
}
