import { counted } from "#app/lib/number-text.ts";
import type { SourceProgram, SourceStatus } from "./query.ts";
import type { SearchRequest } from "./request.ts";

/** A finished search that its user may view until it is purged. */
export type ResultSet = {
  id: string;
  userId: string;
  agencyId: string;
  request: SearchRequest;
  statuses: SourceStatus[];
  count: number;
  /** True if more reads were found than the search's limit allows. */
  truncated: boolean;
  createdAt: number;
  expiresAt: number;
};

/** What a screen knows of a result set before its rows arrive. */
export type ResultSummary = Omit<ResultSet, "userId" | "agencyId"> & {
  /**
   * When a camera was last corrected since the search, or 0; part of the columns' URL, so that they are fetched again.
   */
  placesAt: number;
};

/** The message that replaces results after their lifetime. */
export const RESULTS_PURGED = "These results have been purged.";

/** Maximum number of agencies that the message of ended sharing names. */
const MAX_NAMED = 3;

/** Returns the message that replaces results with reads of these agencies, which have ended their sharing. */
export function sharingEnded(agencies: readonly string[]): string {
  const more = agencies.length - MAX_NAMED;
  const named = agencies.slice(0, MAX_NAMED);
  if (more > 0) named.push(counted(more, "other agency", "other agencies"));
  const verb = agencies.length === 1 ? "shares" : "share";
  return `${new Intl.ListFormat("en").format(named)} no longer ${verb} reads with your agency.`;
}

export type ImageKind = "vehicle" | "plate";

/** Returns an image reference: `<result set id>.<row>.<v or p>`, the only names that the image proxies accept. */
export function imageReference(resultId: string, row: number, kind: ImageKind): string {
  return `${resultId}.${row}.${kind === "vehicle" ? "v" : "p"}`;
}

/** Parses an image reference. Returns undefined if the text is not one. */
export function parseImageReference(
  text: string,
): { resultId: string; row: number; kind: ImageKind } | undefined {
  const match = /^([\w-]{16,64})\.(\d{1,7})\.([vp])$/.exec(text);
  if (!match) return undefined;
  const [, resultId = "", row, kind] = match;
  return { resultId, row: Number(row), kind: kind === "v" ? "vehicle" : "plate" };
}

/** Returns the URL of a program's image: the proxy of specification section 7 with its reference parameter. */
export function imageUrl(program: SourceProgram, reference: string): string {
  const isPlate = reference.endsWith(".p");
  const value = encodeURIComponent(reference);
  switch (program) {
    case "Rekor":
      return isPlate ? `/rekor/cropped-plate?image_uuid=${value}` : `/proxy-rekor-image?image_uuid=${value}`;
    case "Axon":
      return isPlate ? `/proxy-axon-plate-image?url=${value}` : `/proxy-axon-image?url=${value}`;
    case "Axis":
      return `/proxy-axis-image?path=${value}`;
  }
}

/** Rows that the results screen shows before its scripts run and the columns arrive: more than fit on most screens. */
export const FIRST_ROWS = 12;

/** Rows per page of the results table without scripts. */
export const RESULT_PAGE_SIZE = 100;

/** Returns the URL of a page of that table, counted from 1. */
export function resultPageAddress(id: string, page: number): string {
  return `/results/${encodeURIComponent(id)}/table?page=${page}`;
}

/** Returns the URL of one read's page. */
export function sightingAddress(id: string, row: number): string {
  return `/results/${encodeURIComponent(id)}/sightings/${row}`;
}
