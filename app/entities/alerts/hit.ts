/** Alerts as calls answer them, and what they mean. What calls send is in alert-calls.ts. Pure, safe in the browser. */

import type { ExpiryStage, Priority } from "#app/entities/hotlists/entry.ts";
import { parsePlatePattern } from "#app/entities/search/plate.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search/query.ts";
import { type RangeEdge, timeOf } from "#app/lib/time/wall-clock.ts";

export const ALERT_PAGE_SIZE = 50;
/** Hits that the list of the bell holds. */
export const LIVE_LIST_SIZE = 20;
/** From here on hits are not counted but said to be more. */
export const LIVE_COUNT_MOST = 99;
export const DISPOSITION_NOTE_MAX = 500;

/** What everybody who looks at a hit is told first. */
export const VERIFY_FIRST = "Verify plate and state before action";

export const DISPOSITIONS = [
  { value: "correct", label: "Correct" },
  { value: "wrong-state", label: "Wrong state" },
  { value: "misread", label: "Misread" },
  { value: "dismissed", label: "Dismissed" },
] as const;
export type Disposition = (typeof DISPOSITIONS)[number]["value"];

export type MatchKind = "exact" | "lookalike" | "wildcard";

export const MATCH_WORDS: Record<MatchKind, string> = {
  exact: "Exact plate",
  lookalike: "Look-alike plate",
  wildcard: "Wildcard entry",
};

/** What a form sends in place of a disposition to take one back. */
export const NO_DISPOSITION = "none";

export function dispositionLabel(disposition: Disposition): string {
  return DISPOSITIONS.find(({ value }) => value === disposition)?.label ?? disposition;
}

/** A row of a group's history. */
export type AlertRow = {
  id: string;
  plate: string;
  state: string;
  timestamp: string | null;
  camera: string;
  agency: string;
  /** The reason of the entry. */
  justification: string;
  notes: string;
  /** When its entry was added to the hotlist. */
  date_added: string;
  image_url: string | null;
  latitude: number | null;
  longitude: number | null;
  source_program: SourceProgram;
  /** When Odin made it: hits may come later than their reads. */
  created_at: string;
  match_kind: MatchKind;
  priority: Priority;
  differences: string[];
  disposition: Disposition | null;
};

/** A hit with everything that was copied into it, as GET /api/alerts/{id} answers it. */
export type Alert = AlertRow & {
  added_by: string;
  added_by_agency: string;
  case_number: string;
  plate_image_url: string | null;
  /** The vendor has not given a picture yet and is asked for it. */
  images_pending: boolean;
  make: string;
  color: string;
  body_type: string;
  confidence: number | null;
  listed_plate: string;
  listed_state: string;
  group: { id: string; name: string };
  disposition_note: string;
  disposition_by: string | null;
  disposition_at: string | null;
};

/** Part of a group's history, newest first. `older` and `newer` ask for what lies beside it. */
export type AlertPage = {
  alerts: AlertRow[];
  older: string | null;
  newer: string | null;
  /** Of the newest hit of the group: what comes later than this is new. */
  latest: string;
};

/** A hit in the list of the bell. */
export type LiveAlert = {
  id: string;
  plate: string;
  state: string;
  camera: string;
  timestamp: string | null;
  arrived_at: string;
  group: string;
  group_id: string;
  priority: Priority;
  seen: boolean;
};

/** From here on plates of a notice are not counted. */
export const NOTICE_COUNT_MOST = 999;

/** Tells whoever added plates to a group that these are about to expire, or have expired. */
export type ExpiryNotice = {
  id: string;
  group_id: string;
  group: string;
  stage: ExpiryStage;
  /** Up to NOTICE_COUNT_MOST + 1. */
  plates: number;
  /** The plate where it is only one; empty otherwise. */
  plate: string;
  noticed_at: string;
  seen: boolean;
};

/** What GET /live-alerts answers. */
export type LiveAlerts = {
  /** Whether the caller is a member of any group, or has notices. */
  member: boolean;
  alerts: LiveAlert[];
  /** All of the caller's notices; null where none has come since `after`. */
  notices: ExpiryNotice[] | null;
  /** Up to LIVE_COUNT_MOST + 1; null where nothing has come since `after`, nor was anything looked at. */
  unread: number | null;
  /** Hits that had arrived by then have been looked at, in whatever window. */
  seen_at: string;
  /** What to ask for next. */
  cursor: string;
};

/** Counts of one camera or group, as far back as `QUALITY_DAYS`. */
export type HitQuality = {
  id: string;
  name: string;
  hits: number;
  counts: Record<Disposition, number>;
};

export const QUALITY_DAYS = 90;

/**
 * The share of hits that were right among those whose plate and state somebody checked; null where nobody has.
 * A dismissed hit says nothing of the camera.
 */
export function shareCorrect({ counts }: Pick<HitQuality, "counts">): number | null {
  const checked = counts.correct + counts["wrong-state"] + counts.misread;
  return checked === 0 ? null : counts.correct / checked;
}

/** What a history is narrowed to. */
export type AlertFilter = {
  /** GLOB that a plate, read or listed, has to fit; empty for any. */
  plate: string;
  program: SourceProgram | "";
  camera: string;
  from: number | null;
  until: number | null;
  disposition: Disposition | "none" | "";
};

/** Names of the fields of a history's address. */
export const FILTER_FIELDS = ["plate", "program", "camera", "from", "until", "disposition"] as const;

/** Names of the fields that ask for the page beside another. */
export const PAGE_FIELDS = ["older", "newer"] as const;

/** A page of a history under a plate, as a form without scripts is answered. */
export type PlatePage = {
  plate: string;
  /** The rest of the filter, as a query. */
  query: string;
  page: AlertPage;
};

/** Reads the filter of an address; times without a zone are in `zone`. Returns the words of what is wrong, if anything. */
export function parseAlertFilter(query: URLSearchParams, zone: string): AlertFilter | string {
  const text = (name: (typeof FILTER_FIELDS)[number]) => (query.get(name) ?? "").trim();
  const pattern = parsePlatePattern(text("plate"));
  if (!pattern) return "A plate has letters and digits only, and * or ? for unknown ones.";
  const program = text("program");
  if (program !== "" && !SOURCE_PROGRAMS.some((known) => known === program))
    return "There is no such program.";
  const disposition = text("disposition");
  const isDisposition = DISPOSITIONS.some(({ value }) => value === disposition);
  if (disposition !== "" && disposition !== "none" && !isDisposition) return "There is no such disposition.";
  const from = instant(text("from"), { zone, edge: "start" });
  const until = instant(text("until"), { zone, edge: "end" });
  if (from === undefined || until === undefined) return "A time is not readable.";
  if (from !== null && until !== null && from > until) return "The start lies after the end.";
  return {
    plate: pattern.kind === "any" ? "" : pattern.kind === "contains" ? `*${pattern.text}*` : pattern.text,
    program: program as SourceProgram | "",
    camera: text("camera").slice(0, 200),
    from,
    until,
    disposition: disposition as AlertFilter["disposition"],
  };
}

function instant(text: string, input: { zone: string; edge: RangeEdge }): number | null | undefined {
  return text === "" ? null : timeOf(text, input);
}

/** A place in a history: the time of a read, and the alert's id where two have one time. */
export type AlertKey = { capturedAt: number; id: string };

export function writeAlertKey({ capturedAt, id }: AlertKey): string {
  return `${capturedAt}.${id}`;
}

export function readAlertKey(text: string | null): AlertKey | undefined {
  const match = /^(-?\d{1,16})\.([\w-]{1,80})$/.exec(text ?? "");
  return match ? { capturedAt: Number(match[1]), id: match[2] as string } : undefined;
}
