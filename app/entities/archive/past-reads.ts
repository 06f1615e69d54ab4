/** POST /hotlist/past-reads: request and response. */

import * as z from "zod/mini";
import { EntryState } from "#app/entities/hotlists/calls.ts";
import { CASE_NUMBER_MAX } from "#app/entities/hotlists/entry.ts";
import type * as answers from "./answers.ts";

const text = (max: number) => z._default(z.string().check(z.maxLength(max)), "");

/** A planned entry; its past reads are those that it would have hit. */
export const PastReadsQuestion = z.object({
  plate_number: z.string("plate_number is missing.").check(z.maxLength(40)),
  state: z._default(EntryState, ""),
  match_policy: z._default(z.enum(["exact", "lookalike"]), "exact"),
  state_required: z._default(z.boolean(), false),
  case_number: text(CASE_NUMBER_MAX),
});
export type PastReadsQuestion = z.infer<typeof PastReadsQuestion>;

type PastRead = z.infer<typeof answers.PastRead>;

/**
 * Newest first. `more` says that there may be further reads. Rekor and Axon keep their own reads, which only a search
 * returns.
 */
export type PastReads = { days: number; more: boolean; reads: PastRead[] };
