/** What is known of a user's own search, from the audit log and from what the user saved. */

/** The audit row of a search, how it ended, what its user saved, and its results if they can still be opened. */
export type SearchRecord = {
  id: string;
  seq: number;
  at: number;
  action: string;
  plate: string;
  case_number: string;
  programs_queried: string;
  /** JSON. */
  query: string;
  /** The requested identifiers, JSON; only of a single search, since a page of them would be large. */
  agencies: string | null;
  agency_count: number | null;
  /** Null while the search runs. */
  ended_as: string | null;
  reads: number | null;
  truncated: number | null;
  name: string | null;
  pinned_at: number | null;
  results_until: number | null;
  results_state: string | null;
  service_account: string;
};

/** Whose searches, and the instant before which they are not listed. */
export type SearchesOf = { userId: string; agencyId: string; since: number; now: number };

export type SearchCursor = { at: number; seq: number };

/** What a user saved of searches, by their ids. */
export type Saved = ReadonlyMap<string, { name: string; pinnedAt: number | null }>;
