// Reads result sets. A set is visible only to the user who searched; other users get not_found.

import type { AppContext } from "#app/context.ts";
import { correctedColumns } from "#app/domain/ingest/camera-places.ts";
import { auditNow } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { cornersAt } from "#app/entities/search/result-builder.ts";
import { ARRIVAL_TIME_NOTE, rowAt } from "#app/entities/search/result-columns.ts";
import {
  FIRST_ROWS,
  imageReference,
  RESULTS_PURGED,
  type ResultSet,
  type ResultSummary,
  sharingEnded,
} from "#app/entities/search/result-set.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { at } from "#app/lib/at.ts";
import { base64 } from "#app/lib/crypto/encoding.ts";
import { AppError } from "#app/lib/errors.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { lastCorrectionSince } from "#app/store/ingest/rekor-cameras.ts";
import { findFirstRows, findResultSet, openColumns, wasPurged } from "#app/store/search/result-sets.ts";
import type { Searched } from "./run.ts";

/**
 * Returns the actor's own set. Throws AppError gone if it was purged or an agency whose reads it has ended its sharing,
 * not_found if it never was the actor's. The check looks at every agency of the set; a caller that checks the agency of
 * the one read that it shows passes `checksSharing: false`.
 */
export async function requireResultSet(
  app: AppContext,
  actor: Actor,
  id: string,
  { checksSharing = true } = {},
): Promise<ResultSet> {
  const who = { id, userId: actor.userId, now: app.clock() };
  const found = await findResultSet(app.db, { ...who, checksSharing });
  if (found && found.endedBy.length > 0) throw new AppError("gone", sharingEnded(found.endedBy));
  if (found) return found.set;
  if (await wasPurged(app.db, who)) throw new AppError("gone", RESULTS_PURGED);
  throw new AppError("not_found", "There are no such results.");
}

/** Returns what the results screen shows before the rows arrive. */
export async function summarizeResults(app: AppContext, actor: Actor, id: string): Promise<ResultSummary> {
  return summaryOf(app, await requireResultSet(app, actor, id));
}

/** Returns what the results screen shows of a set before its rows arrive. */
export async function summaryOf(app: AppContext, set: ResultSet): Promise<ResultSummary> {
  const { userId: _, agencyId: __, ...summary } = set;
  return { ...summary, placesAt: await lastCorrectionSince(app.db, summary.createdAt) };
}

/**
 * Returns the summary of a set and its first rows (encoded columns in base64, "" if there are none), which are on
 * screen before the browser has fetched the columns, and the server's time. Recorded in the audit log like every view of rows.
 */
export async function openResults(
  app: AppContext,
  actor: Actor,
  id: string,
): Promise<ResultSummary & { firstRows: string; now: number }> {
  const set = await requireResultSet(app, actor, id);
  const [summary, rows] = await Promise.all([
    summaryOf(app, set),
    set.count === 0 ? null : findFirstRows(app.results, set),
  ]);
  const now = app.clock();
  if (!rows) return { ...summary, now, firstRows: "" };
  const detail = { reads: Math.min(FIRST_ROWS, set.count), from: 0 };
  await auditView(app, actor, { set, detail });
  return { ...summary, now, firstRows: base64(rows) };
}

/** Records that the actor saw rows of a set. */
export function auditView(
  app: AppContext,
  actor: Actor,
  { set, detail }: { set: Pick<ResultSet, "id" | "request">; detail: Record<string, unknown> },
): Promise<void> {
  return auditNow(app, actor, {
    action: "result-set.view",
    object: set.id,
    caseNumber: set.request.case_number,
    detail,
  });
}

/**
 * Returns the columns of a set, after recording the access in the audit log (it covers the images of the reads). They
 * are streamed from R2 unchanged unless cameras were corrected since. The browser may cache them until the set expires;
 * their URL names the latest correction.
 */
export async function openResultColumns(
  app: AppContext,
  actor: Actor,
  id: string,
): Promise<ServedFile & { content: ReadableStream<Uint8Array> }> {
  const set = await requireResultSet(app, actor, id);
  const object = await openColumns(app.results, id);
  if (!object) throw new AppError("gone", RESULTS_PURGED);
  const detail = { reads: set.count, bytes: object.size };
  const [corrected] = await Promise.all([
    correctedColumns(app, { set, object }),
    auditView(app, actor, { set, detail }),
  ]);
  return {
    content: corrected ? new Blob([corrected]).stream() : object.body,
    type: "application/octet-stream",
    keptMs: set.expiresAt - app.clock(),
    neverChanges: true,
  };
}

/**
 * Returns the rows of POST /search-data (specification section 3, sighting result): one JSON array, streamed row by
 * row, so that a large set is never one string. Image fields hold references for Odin's proxies, `api_key` holds a
 * handle.
 */
export function documentedRows(searched: Searched): ServedFile {
  return {
    content: streamRows(searched),
    type: "application/json; charset=utf-8",
    facts: documentedFacts(searched),
  };
}

/** Returns the headers of an answer to POST /search-data. */
export function documentedFacts({ resultId, statuses }: Searched): Record<string, string> {
  return {
    "odin-result-id": resultId,
    "odin-sources": statuses.map(({ program, state }) => `${program}=${state}`).join(","),
  };
}

/** Returns whether there are no reads because every agency failed: an empty list would mean "no results". */
export function hasFailed({ statuses, columns }: Pick<Searched, "statuses" | "columns">): boolean {
  const asked = statuses.filter(({ state }) => state !== "unsupported");
  return columns.count === 0 && asked.length > 0 && asked.every(({ state }) => state === "failed");
}

function streamRows(searched: Searched): ReadableStream<Uint8Array> {
  const { columns, order, resultId } = searched;
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const end = Math.min(next + 500, order.length);
      let text = next === 0 ? "[" : "";
      for (; next < end; next++)
        text += `${next === 0 ? "" : ","}${JSON.stringify(documentedRow(searched, next, resultId))}`;
      if (next === order.length) text += "]";
      controller.enqueue(encoder.encode(text));
      if (next === order.length) controller.close();
    },
    cancel() {
      next = columns.count;
    },
  });
}

function documentedRow({ columns, order }: Searched, position: number, resultId: string) {
  const source = at(order, position);
  const row = rowAt(columns, source);
  const corners = cornersAt(columns, source);
  const vehicle = row.hasVehicleImage ? imageReference(resultId, position, "vehicle") : null;
  const plate = row.hasPlateImage ? imageReference(resultId, position, "plate") : null;
  const common = {
    id: row.id,
    plate: row.plate,
    plate_state: row.state,
    make: row.make,
    color: row.color,
    body_type: row.bodyType,
    timestamp: row.capturedAt === null ? null : isoTime(row.capturedAt),
    ...(row.timeIsArrival && { timestamp_note: ARRIVAL_TIME_NOTE }),
    camera_name: row.camera,
    agency: row.agency,
    latitude: row.latitude,
    longitude: row.longitude,
    source_program: row.program,
    image_uuid: row.program === "Rekor" ? (plate ?? vehicle) : vehicle,
    image_path: vehicle,
    ...(row.match && { match_score: row.match.score, match_reason: row.match.reason }),
  };
  if (row.program !== "Rekor") return { ...common, plate_image_url: plate };
  const names = [
    "plate_x1",
    "plate_y1",
    "plate_x2",
    "plate_y2",
    "plate_x3",
    "plate_y3",
    "plate_x4",
    "plate_y4",
  ];
  return {
    ...common,
    agent_uid: row.sourceId,
    api_key: row.sourceId,
    ...Object.fromEntries(names.map((name, i) => [name, corners?.[i] ?? null])),
  };
}
