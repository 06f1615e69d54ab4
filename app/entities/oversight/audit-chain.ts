/** The hash chain over the audit log: what a link covers, and how links are verified. Pure. */

import type * as z from "zod/mini";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import type * as answers from "./answers.ts";

/** A row of the log as the database stores it; `detail` is unparsed JSON. */
export type ChainedRow = {
  seq: number;
  at: number;
  agency_id: string;
  user_id: string;
  username: string;
  session_id: string;
  ip: string;
  user_agent: string;
  action: string;
  outcome: "ok" | "refused" | "failed";
  object: string;
  plate: string;
  case_number: string;
  programs_queried: string;
  detail: string;
};

export type ChainLink = { seq: number; agencyId: string; position: number; hash: string };

/**
 * Returns the hash before an agency's first link. It differs by agency, so that no two chains start with the same hash.
 */
export function chainStart(agencyId: string): Promise<string> {
  return sha256(`odin audit chain 1|${agencyId}`);
}

/** Returns the link hash of a row: SHA-256 over the previous hash and every column in a fixed order. */
export function linkHash(previous: string, row: ChainedRow): Promise<string> {
  return sha256(
    `${previous}\n${JSON.stringify([
      row.seq,
      row.at,
      row.agency_id,
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
    ])}`,
  );
}

export type ChainProblem = z.infer<typeof answers.ChainProblem>;

/** The progress of a verification. `next` is null at the end. */
export type ChainReport = z.infer<typeof answers.ChainReport>;

/** A link with the row that it covers; null if the row is missing. */
export type LinkedRow = { link: ChainLink; row: ChainedRow | null };

/**
 * Verifies links in order; the first follows `previous` at `position`. Returns the first mismatch, and the hash where
 * the next batch continues.
 */
export async function checkLinks(input: {
  links: LinkedRow[];
  previous: string;
  position: number;
}): Promise<{ problem: ChainProblem | null; previous: string; position: number }> {
  let { previous, position } = input;
  for (const { link, row } of input.links) {
    const fail = (problem: string) => ({
      problem: { seq: link.seq, position: link.position, problem },
      previous,
      position,
    });
    if (link.position !== position + 1) return fail("Entries before it are missing.");
    if (!row) return fail("It was removed from the log.");
    if ((await linkHash(previous, row)) !== link.hash) return fail("It was altered.");
    previous = link.hash;
    position = link.position;
  }
  return { problem: null, previous, position };
}
