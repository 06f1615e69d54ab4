import type { SourceProgram, SourceStatus } from "./query.ts";
import type { SearchRequest } from "./request.ts";

/** A finished search that its owner may look at until it is purged. */
export type ResultSet = {
  id: string;
  userId: string;
  agencyId: string;
  request: SearchRequest;
  statuses: SourceStatus[];
  count: number;
  /** No more than the search's limit is kept; true where more was found. */
  truncated: boolean;
  createdAt: number;
  expiresAt: number;
};

/** What a screen knows of a result set before its rows arrive. */
export type ResultSummary = Omit<ResultSet, "userId" | "agencyId"> & {
  /** When a camera was last corrected since the search, or 0: the rows were fetched anew since. */
  placesAt: number;
};

export type ImageKind = "vehicle" | "plate";

/** What an image of a read is called outside: `<result set id>.<row>.<v or p>`, all that the image proxies accept. */
export function imageReference(resultId: string, row: number, kind: ImageKind): string {
  return `${resultId}.${row}.${kind === "vehicle" ? "v" : "p"}`;
}

/** Parses an image reference; undefined where the text is none. */
export function parseImageReference(
  text: string,
): { resultId: string; row: number; kind: ImageKind } | undefined {
  const match = /^([\w-]{16,64})\.(\d{1,7})\.([vp])$/.exec(text);
  if (!match) return undefined;
  return {
    resultId: match[1] as string,
    row: Number(match[2]),
    kind: match[3] === "v" ? "vehicle" : "plate",
  };
}

/** The proxy of section 7 that serves a program's image, with the parameter that carries the reference. */
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

/** Rows on one page of the results table that needs no scripts. */
export const RESULT_PAGE_SIZE = 100;

/** The address of a page of that table, from 1. */
export function resultPageAddress(id: string, page: number): string {
  return `/results/${encodeURIComponent(id)}/table?page=${page}`;
}

/** The address of one read's own page. */
export function sightingAddress(id: string, row: number): string {
  return `/results/${encodeURIComponent(id)}/sightings/${row}`;
}
