/** The hash chain over the audit log: what a link covers, and what a verification says. Pure. */

import { sha256 } from "#app/lib/crypto/primitives.ts";

/** A row of the log as its database holds it: `detail` is the text, not what it means. */
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
  outcome: string;
  object: string;
  plate: string;
  case_number: string;
  programs_queried: string;
  detail: string;
};

export type ChainLink = { seq: number; agencyId: string; position: number; hash: string };

/** What an agency's first link follows: no two agencies' chains begin alike. */
export function chainStart(agencyId: string): Promise<string> {
  return sha256(`odin audit chain 1|${agencyId}`);
}

/** The hash of a row behind another: SHA-256 over the hash before it and every column in a fixed order. */
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

export type ChainProblem = {
  /** The row's number in the log, and its place in the agency's chain. */
  seq: number;
  position: number;
  problem: string;
};

/** How far a verification has come. `next` null: it has seen everything there is. */
export type ChainReport = {
  checked: number;
  total: number;
  next: number | null;
  /** Hash of the last link that was seen, to compare with what somebody has written down. */
  head: string;
  /** Newest rows that no link covers yet: sealed within a minute. */
  waiting: number;
  problem: ChainProblem | null;
};

/** A link of a chain beside the row that it covers, where there is one. */
export type LinkedRow = { link: ChainLink; row: ChainedRow | null };

/**
 * Checks links in their order, the first of which follows `previous` at place `position`. Gives the first that does not
 * fit, and the hash where the next stretch goes on.
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
    if (link.position !== position + 1) return fail("Links before this row are missing.");
    if (!row) return fail("The row was removed from the log.");
    if ((await linkHash(previous, row)) !== link.hash) return fail("The row is not what was written.");
    previous = link.hash;
    position = link.position;
  }
  return { problem: null, previous, position };
}
