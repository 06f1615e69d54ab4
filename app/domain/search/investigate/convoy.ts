// POST /search-convoy: the plates that were read shortly before or after a given plate at several cameras. First the
// given plate is searched, then the traffic around each of its reads, only at the sources that returned it.

import type { AppContext } from "#app/context.ts";
import type { SourcesResult } from "#app/domain/search/sources.ts";
import { rangesInUtc } from "#app/domain/users/time-zone.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  CONVOY_WARNING,
  type ConvoyAnswer,
  MAX_ANCHORS,
  MAX_EVIDENCE,
  MAX_PLATES,
} from "#app/entities/search/investigate/answer.ts";
import { type CameraRead, type OtherRead, rankConvoy } from "#app/entities/search/investigate/convoy.ts";
import type { ConvoyRequest } from "#app/entities/search/investigate/request.ts";
import { joinedToFit } from "#app/entities/search/investigate/windows.ts";
import { rangeProblem } from "#app/entities/search/query.ts";
import { NO_MARKS, queryOf, type SearchRequest } from "#app/entities/search/request.ts";
import type { ColumnsBuilder } from "#app/entities/search/result-builder.ts";
import { newestFirst, wordAt } from "#app/entities/search/result-columns.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { at } from "#app/lib/at.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import {
  cameraKeysOf,
  describePlate,
  type LeftOut,
  leftOutNotes,
  platesByCode,
  reasonLeftOut,
} from "./evidence.ts";
import { type Gathering, gather, integrationsOf, mostQueriesFor } from "./gather.ts";
import { type Hooks, investigate, type Ranking } from "./investigation.ts";

/** Runs a convoy search. Throws what `investigate` throws. */
export async function searchConvoy(
  app: AppContext,
  actor: Actor,
  input: { request: ConvoyRequest } & Hooks,
): Promise<ConvoyAnswer> {
  const request = at(await rangesInUtc(app, actor, [input.request]), 0);
  const { justification, case_number, purpose, agencies, ...query } = request;
  const { justification: _, ...told } = request;
  const search: SearchRequest = {
    ...{ justification, case_number, purpose, agencies },
    plate: request.plate,
    plate_state: request.plate_state,
    vehicle_color: "",
    vehicle_make: "",
    vehicle_body_type: "",
    start_time: request.start_time,
    end_time: request.end_time,
    filters: NO_MARKS,
  };
  const withinMs = request.minutes * MINUTE;
  let anchors: Anchors = { rows: [], found: 0 };
  return investigate<ConvoyAnswer>(app, actor, {
    tool: "convoy",
    signal: input.signal,
    onProgress: input.onProgress,
    reasons: { justification, case_number, purpose, agencies },
    query,
    search,
    async problems({ limitDays, now }) {
      const [start, end] = [Date.parse(request.start_time), Date.parse(request.end_time)];
      const range = rangeProblem({ start, end, now, limitDays });
      const problems: Record<string, string> = range ? { start_time: range } : {};
      return problems;
    },
    async gather(to) {
      const { anchors: found, ...result } = await gatherConvoy(app, { ...to, search, withinMs });
      anchors = found;
      return result;
    },
    rank: (columns, cut) => rank({ request: told, columns, anchors, cut, withinMs }),
  });
}

/**
 * Gathers the reads of the search's plate and the traffic around each of them. Returns the rows of those reads, and the
 * results of all queries.
 */
export async function gatherConvoy(
  app: AppContext,
  input: Gathering & { sources: SearchSource[]; search: SearchRequest; withinMs: number },
): Promise<SourcesResult & { anchors: Anchors }> {
  const { sources, search, withinMs, ...to } = input;
  const wanted = queryOf(search, app.clock());
  const integrations = integrationsOf(sources);
  const maxReads = app.config.searchMaxReads;
  const first = await gather(app, {
    ...to,
    asked: integrations.map((together) => ({ sources: together, queries: [wanted] })),
    maxReads,
  });
  const anchors = anchorsOf(to.columns, search.plate);
  const passesOf = integrations.map((together) =>
    anchors.rows.flatMap((row) => {
      const at = to.columns.times[row] ?? 0;
      const source = wordAt(to.columns, "source", row);
      return together.some(({ id }) => id === source) ? [{ from: at - withinMs, to: at + withinMs }] : [];
    }),
  );
  // Passes that are close in time share a query, which then covers the time between them as well.
  const most = mostQueriesFor(passesOf.filter((passes) => passes.length > 0).length);
  const windows = passesOf.map((passes) => joinedToFit(passes, most));
  const around = { ...wanted, plate: { kind: "any" }, plateState: "" } as const;
  const second = await gather(app, {
    ...to,
    asked: integrations.map((together, i) => ({
      sources: passed(together, to.columns, anchors),
      queries: (windows[i] ?? []).map((window) => ({ ...around, ...window })),
    })),
    maxReads,
  });
  return {
    truncated: first.truncated || second.truncated,
    health: [...first.health, ...second.health],
    anchors,
  };
}

/**
 * Returns the sources with only those Axis cameras that the plate passed, since no other camera's reads count. The archive
 * filters by camera, vendors do not.
 */
function passed(sources: SearchSource[], columns: ColumnsBuilder, anchors: Anchors): SearchSource[] {
  const cameras = new Set(anchors.rows.map((row) => wordAt(columns, "cameraId", row)));
  return sources.flatMap((source) => {
    if (source.program !== "Axis") return [source];
    const cameraIds = source.cameraIds.filter((id) => cameras.has(id));
    return cameraIds.length === 0 ? [] : [{ ...source, cameraIds }];
  });
}

/** Returns the companions of the gathered passes; see `rankConvoy`. */
export function companionsIn(input: {
  columns: ColumnsBuilder;
  plate: string;
  anchors: Anchors;
  withinMs: number;
  atLeast: number;
}) {
  const { columns, plate: given, anchors, withinMs, atLeast } = input;
  const plates = platesByCode(columns);
  const keyOf = cameraKeysOf(columns);
  const readOf = (row: number): CameraRead => ({ row, at: columns.times[row] ?? 0, camera: keyOf(row) });
  const passes = anchors.rows.map(readOf);
  const cameras = new Set(passes.map(({ camera }) => camera));
  const others: OtherRead[] = [];
  for (let row = 0; row < columns.count; row++) {
    const plate = plates[columns.words.plate[row] ?? 0] ?? "";
    if (plate === given || reasonLeftOut(columns, row, plate)) continue;
    const read = readOf(row);
    if (cameras.has(read.camera)) others.push({ ...read, plate });
  }
  return rankConvoy({ anchors: passes, others, withinMs, atLeast });
}

type Anchors = {
  /** Newest first. */
  rows: number[];
  /** Includes those beyond the limit. */
  found: number;
};

/** Returns the reads of exactly this plate with a time of capture, at most MAX_ANCHORS. */
function anchorsOf(columns: ColumnsBuilder, plate: string): Anchors {
  const plates = platesByCode(columns);
  const own = [...newestFirst(columns)].filter(
    (row) => plates[columns.words.plate[row] ?? 0] === plate && !reasonLeftOut(columns, row, plate),
  );
  return { rows: own.slice(0, MAX_ANCHORS), found: own.length };
}

function rank(input: {
  request: ConvoyAnswer["request"];
  columns: ColumnsBuilder;
  anchors: Anchors;
  cut: boolean;
  withinMs: number;
}): Ranking<ConvoyAnswer> {
  const { request, columns, anchors, cut, withinMs } = input;
  const { plate, at_least: atLeast } = request;
  const found = companionsIn({ columns, plate, anchors, withinMs, atLeast });
  const listed = found.slice(0, MAX_PLATES);
  const shownPairs = MAX_EVIDENCE / 2;
  const plates = platesByCode(columns);
  const leftOut: LeftOut = { unread: 0, arrivals: 0, undated: 0 };
  for (let row = 0; row < columns.count; row++) {
    const reason = reasonLeftOut(columns, row, plates[columns.words.plate[row] ?? 0] ?? "");
    if (reason) leftOut[reason]++;
  }
  return {
    rows: [
      ...new Set([
        ...anchors.rows,
        ...listed.flatMap(({ pairs }) => pairs.slice(-shownPairs).map(({ row }) => row)),
      ]),
    ],
    answer: (head, rowOf) => ({
      ...head,
      tool: "convoy",
      request,
      anchor_rows: anchors.rows.map(rowOf),
      plates: listed.map((one) => ({
        plate: one.plate,
        ...describePlate(
          columns,
          one.pairs.map(({ row }) => row),
        ),
        log10_chance: one.logChance / Math.LN10,
        left_out: Math.max(0, one.pairs.length - shownPairs),
        cameras: one.cameras,
        trips: one.trips,
        pairs_found: one.pairs.length,
        expected_pairs: one.expected,
        lift: one.lift,
        pairs: one.pairs.slice(-shownPairs).map(({ anchor, row, apartMs }) => ({
          anchor_row: rowOf(anchor),
          row: rowOf(row),
          seconds: Math.round(apartMs / 1000),
        })),
      })),
      plates_found: found.length,
      notes: [
        ...(anchors.found === 0
          ? [
              `${request.plate} was not read ${leftOut.arrivals + leftOut.undated > 0 ? "with a time of capture " : ""}in this range, so there is nothing to compare.`,
            ]
          : []),
        ...(anchors.found > MAX_ANCHORS
          ? [
              `${request.plate} was read ${anchors.found} times; the newest ${MAX_ANCHORS} reads were followed.`,
            ]
          : []),
        ...(cut
          ? ["Some sources had more reads than could be gathered. Shorten the range to see all of them."]
          : []),
        ...leftOutNotes(leftOut),
        ...(found.length > MAX_PLATES
          ? [`${found.length} plates match; the ${MAX_PLATES} least likely by chance are listed.`]
          : []),
      ],
      warning: CONVOY_WARNING,
    }),
  };
}
