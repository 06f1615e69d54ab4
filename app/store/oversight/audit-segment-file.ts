// The objects of archived rows: one line of JSON a row, gzipped, then encrypted by AES-256-GCM with its own key. The
// associated data is everything that the database records about the segment, so an object opens only with the agency,
// range, times and hashes with which it was written.

import type { ChainedRow } from "#app/entities/oversight/audit-chain.ts";
import type { Segment } from "#app/entities/oversight/audit-segment.ts";
import { type SealedFor, type SealingKeys, seal, unseal } from "#app/lib/crypto/primitives.ts";
import { type LinesSeal, newLinesKey, openLines, sealLines } from "#app/lib/crypto/sealed-lines.ts";
import { ArchiveFault } from "#app/store/archive-fault.ts";

const PREFIX = "audit-segments/";

const UNREADABLE = "Archived entries of the audit log cannot be read";
const ALTERED = `${UNREADABLE}: their stored file was altered, or its key is missing.`;
/** The message if a segment's object does not exist. */
export const SEGMENT_MISSING = `${UNREADABLE}: their stored file is missing.`;

/** A segment before the database numbers it. */
export type NewSegment = Omit<Segment, "number">;

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns an object key that was never used, not even by a worker that died or before a restore. */
export function newObjectKey(segment: Pick<Segment, "agencyId" | "firstPosition" | "lastPosition">): string {
  const { agencyId, firstPosition, lastPosition } = segment;
  return `${PREFIX}${agencyId || "none"}/${firstPosition}-${lastPosition}-${crypto.randomUUID()}`;
}

const ownerOf = (objectKey: string): SealedFor => ({ table: "audit_segments", id: objectKey, field: "key" });

/** Returns a new key of a segment, encrypted with the operator's newest. */
export function newSegmentKey(keys: SealingKeys, objectKey: string): Promise<string> {
  return seal(keys, ownerOf(objectKey), newLinesKey());
}

async function sealOf(keys: SealingKeys, segment: NewSegment): Promise<LinesSeal> {
  const { objectKey, agencyId, firstPosition, lastPosition, firstSeq, lastSeq, minAt, maxAt } = segment;
  const { previousHash, lastHash } = segment;
  return {
    key: await unseal(keys, ownerOf(objectKey), segment.sealedKey),
    associated: [
      "odin audit segment 1",
      objectKey,
      agencyId,
      firstPosition,
      lastPosition,
      firstSeq,
      lastSeq,
      minAt,
      maxAt,
      previousHash,
      lastHash,
    ],
  };
}

/** Returns the rows of a segment, encrypted. */
export async function sealSegment(
  keys: SealingKeys,
  segment: NewSegment,
  rows: readonly ChainedRow[],
): Promise<Bytes> {
  const lines = rows.map((row) => JSON.stringify(valuesOf(row)));
  return sealLines(await sealOf(keys, segment), lines);
}

/** Returns the rows of a segment, oldest first. Throws ArchiveFault if anything differs from what was written. */
export async function openSegment(
  keys: SealingKeys,
  segment: NewSegment,
  bytes: Bytes,
): Promise<ChainedRow[]> {
  try {
    const lines = await openLines(await sealOf(keys, segment), bytes);
    return lines.map((line) => rowOf(segment.agencyId, JSON.parse(line)));
  } catch (cause) {
    throw new ArchiveFault(ALTERED, { cause });
  }
}

type Values = [
  seq: number,
  at: number,
  userId: string,
  username: string,
  sessionId: string,
  ip: string,
  userAgent: string,
  action: string,
  outcome: ChainedRow["outcome"],
  object: string,
  plate: string,
  caseNumber: string,
  programsQueried: string,
  detail: string,
];

function valuesOf(row: ChainedRow): Values {
  return [
    row.seq,
    row.at,
    row.user_id,
    row.username,
    row.session_id,
    row.ip,
    row.user_agent,
    row.action,
    row.outcome,
    row.object,
    row.plate,
    row.case_number,
    row.programs_queried,
    row.detail,
  ];
}

function rowOf(agencyId: string, values: Values): ChainedRow {
  const [seq, at, userId, username, sessionId, ip, userAgent, action, outcome, object, ...rest] = values;
  const [plate, caseNumber, programs, detail] = rest;
  return {
    seq,
    at,
    agency_id: agencyId,
    user_id: userId,
    username,
    session_id: sessionId,
    ip,
    user_agent: userAgent,
    action,
    outcome,
    object,
    plate,
    case_number: caseNumber,
    programs_queried: programs,
    detail,
  };
}
