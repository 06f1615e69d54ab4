/**
 * Alerts as the API returns them, and their vocabulary. An alert, also called a hit, is a read that matched a
 * hotlist entry; a disposition is a user's verdict on it. Request schemas are in calls.ts. Pure, safe in the
 * browser.
 */

import type * as z from "zod/mini";
import type { ImpossibleTrip } from "#app/entities/search/analysis/impossible-trips.ts";
import {
  hasOnlySeparators,
  isGlobPattern,
  isLongPlatePattern,
  PLATE_PATTERN_MAX_LENGTH,
  parsePlatePattern,
} from "#app/entities/search/plate.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search/query.ts";
import { DAY, SECOND } from "#app/lib/time/dates.ts";
import { type RangeEdge, timeOf } from "#app/lib/time/wall-clock.ts";
import type * as answers from "./answers.ts";

/** Hits on a page of a group's history, unless a client asks for another number. */
export const ALERT_PAGE_SIZE = 50;
/** Hits in the list of the bell. */
export const LIVE_LIST_SIZE = 20;
/** How far back the list of live hits reaches. */
export const LIVE_KEPT_MS = 7 * DAY;
/** Counts above this are shown as "99+". */
export const MAX_LIVE_COUNT = 99;
/** Maximum number of characters of a disposition's note. */
export const DISPOSITION_NOTE_MAX = 500;

/** The warning at the top of every hit. */
export const VERIFY_FIRST = "Verify plate and state before action";

/** What a hit turned out to be, with the labels of the screens. */
export const DISPOSITIONS = [
  { value: "correct", label: "Correct" },
  { value: "wrong-state", label: "Wrong state" },
  { value: "misread", label: "Misread" },
  { value: "dismissed", label: "Dismissed" },
] as const;
export type Disposition = (typeof DISPOSITIONS)[number]["value"];

export type MatchKind = "exact" | "lookalike" | "wildcard";

/** The value that a form sends to remove a disposition. */
export const NO_DISPOSITION = "none";

/** Returns the label of a disposition. */
export function dispositionLabel(disposition: Disposition): string {
  return DISPOSITIONS.find(({ value }) => value === disposition)?.label ?? disposition;
}

/** A row of a group's history. */
export type AlertRow = z.infer<typeof answers.AlertRow>;

/** A hit with everything that was copied into it, as GET /api/alerts/{id} returns it. */
export type Alert = AlertRow & {
  added_by: string;
  added_by_agency: string;
  case_number: string;
  plate_image_url: string | null;
  /** A picture is still to be fetched from the vendor. */
  images_pending: boolean;
  make: string;
  color: string;
  body_type: string;
  confidence: number | null;
  listed_plate: string;
  listed_state: string;
  /** How plate and state matched the entry, as `matchText` of match.ts says it. */
  match: string;
  group: { id: string; name: string };
  disposition_note: string;
  disposition_by: string | null;
  disposition_at: string | null;
  /** Trips to and from this read that no car can drive, by the group's other hits of the plate within a day. */
  impossible_trips: ImpossibleTrip[];
};

/** A page of a group's history, newest first. `older` and `newer` are cursors of the adjacent pages. */
export type AlertPage = {
  alerts: AlertRow[];
  older: string | null;
  newer: string | null;
  /** Cursor of the group's newest hit: later hits are new. */
  latest: string;
};

/** A hit in the list of the bell. */
export type LiveAlert = z.infer<typeof answers.LiveAlert>;

/** Maximum count of a notice's plates. */
export const MAX_NOTICE_COUNT = 999;

/** Tells the user who added plates to a group that these plates are about to expire or have expired. */
export type ExpiryNotice = z.infer<typeof answers.ExpiryNotice>;

/** The response of GET /live-alerts. */
export type LiveAlerts = z.infer<typeof answers.LiveAlerts>;

/** Counts of one camera or group over the last `QUALITY_DAYS`. */
export type HitQuality = z.infer<typeof answers.HitQuality>;

/** The days over which hit quality is computed. */
export const QUALITY_DAYS = 90;

/**
 * Returns the share of correct hits among those whose plate and state were checked; null if none was. Dismissed
 * hits are left out, because they say nothing about the camera.
 */
export function shareCorrect({ counts }: Pick<HitQuality, "counts">): number | null {
  const checked = counts.correct + counts["wrong-state"] + counts.misread;
  return checked === 0 ? null : counts.correct / checked;
}

/** The conditions of a filtered history. */
export type AlertFilter = {
  /** GLOB pattern for the plate as read or as listed; empty for any. */
  plate: string;
  program: SourceProgram | "";
  camera: string;
  from: number | null;
  until: number | null;
  disposition: Disposition | "none" | "";
};

/** Names of the filter fields in a history's URL. `cameras` is a part of a camera's name: it filters the choice of cameras. */
export const FILTER_FIELDS = [
  "plate",
  "program",
  "cameras",
  "camera",
  "from",
  "until",
  "disposition",
] as const;

/** Cameras of a group that its history offers as a filter, and how many others there are. */
export type AlertCameras = { listed: { id: string; name: string }[]; others: number };

/** Names of the cursor fields in a history's URL. */
export const PAGE_FIELDS = ["older", "newer"] as const;

/** The filter fields as texts. */
export type AlertTexts = Partial<Record<(typeof FILTER_FIELDS)[number], string>>;

/** A request for a page of a history: its filter, the cursor of the page, and the point after which hits are new. */
export type AlertQuery = {
  filter: AlertTexts;
  older: AlertKey | undefined;
  newer: AlertKey | undefined;
  latest: number | undefined;
};

/** A page of a history filtered by plate, for a form that works without scripts. */
export type PlatePage = {
  plate: string;
  /** The rest of the filter, as a query. */
  query: string;
  page: AlertPage;
};

/** Parses a filter; times without a zone are in `zone`. Returns an error message if it is invalid. */
export function parseAlertFilter(texts: AlertTexts, zone: string): AlertFilter | string {
  const text = (name: keyof AlertTexts) => (texts[name] ?? "").trim();
  if (isLongPlatePattern(text("plate"))) return `A plate has at most ${PLATE_PATTERN_MAX_LENGTH} characters.`;
  const pattern = parsePlatePattern(text("plate"));
  if (!pattern || hasOnlySeparators(text("plate")))
    return "A plate has only letters and digits, with * or ? for unknown ones.";
  const plate =
    pattern.kind === "any" ? "" : pattern.kind === "contains" ? `*${pattern.text}*` : pattern.text;
  if (!isGlobPattern(plate)) return "The plate is too long.";
  const program = text("program");
  const known = program === "" ? "" : SOURCE_PROGRAMS.find((one) => one === program);
  if (known === undefined) return "There is no such program.";
  const disposition = text("disposition");
  const found = DISPOSITIONS.find(({ value }) => value === disposition)?.value;
  if (disposition !== "" && disposition !== "none" && !found) return "There is no such disposition.";
  const from = instant(text("from"), { zone, edge: "start" });
  const until = instant(text("until"), { zone, edge: "end" });
  if (from === undefined || until === undefined) return "A time is invalid.";
  if (from !== null && until !== null && from > until) return "The start is after the end.";
  return {
    plate,
    program: known,
    camera: text("camera").slice(0, 200),
    from,
    // Hits are shown without fractions of a second, so an end includes its whole second.
    until: until !== null && until % SECOND === 0 ? until + SECOND - 1 : until,
    disposition: found ?? (disposition === "none" ? "none" : ""),
  };
}

function instant(text: string, input: { zone: string; edge: RangeEdge }): number | null | undefined {
  return text === "" ? null : timeOf(text, input);
}

/** A position in a history: the time of a read, and the alert's id to order reads of the same time. */
export type AlertKey = { capturedAt: number; id: string };

/** Returns a hit's position in the history as text, for the address of a page. */
export function writeAlertKey({ capturedAt, id }: AlertKey): string {
  return `${capturedAt}.${id}`;
}

/** Returns the position that `writeAlertKey` wrote; undefined for any other text. */
export function readAlertKey(text: string | null): AlertKey | undefined {
  const [, time, id] = /^(-?\d{1,16})\.([\w-]{1,80})$/.exec(text ?? "") ?? [];
  return id === undefined ? undefined : { capturedAt: Number(time), id };
}
