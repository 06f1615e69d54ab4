// POST /search-places: the plates that were read in several of up to five places, each within its own time window.

import type { AppContext } from "#app/context.ts";
import { rangesInUtc } from "#app/domain/users/time-zone.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  MAX_PLATES,
  PLACES_WARNING,
  type PlacesAnswer,
  placeName,
} from "#app/entities/search/investigate/answer.ts";
import { areasOverlap, contains, type InvestigationCamera } from "#app/entities/search/investigate/areas.ts";
import { type PlaceRead, rankPlaces } from "#app/entities/search/investigate/places.ts";
import type { PlaceRequest, PlacesRequest } from "#app/entities/search/investigate/request.ts";
import { joined, type Window } from "#app/entities/search/investigate/windows.ts";
import { rangeProblem } from "#app/entities/search/query.ts";
import { lastMoment, NO_MARKS, queryOf, type SearchRequest } from "#app/entities/search/request.ts";
import type { ColumnsBuilder } from "#app/entities/search/result-builder.ts";
import { placeAt } from "#app/entities/search/result-columns.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { counted } from "#app/lib/number-text.ts";
import { isoTime, SECOND } from "#app/lib/time/dates.ts";
import { findInvestigationCameras } from "#app/store/search/investigations.ts";
import {
  cameraKey,
  cameraKeysOf,
  describePlate,
  type LeftOut,
  leftOutNotes,
  platesByCode,
  reasonLeftOut,
  shownEvidence,
} from "./evidence.ts";
import { gather, integrationsOf } from "./gather.ts";
import { type Hooks, investigate, type Ranking } from "./investigation.ts";

type Place = PlaceRequest & Window & { index: number };

/** Runs a search of many places. Throws what `investigate` throws. */
export async function searchPlaces(
  app: AppContext,
  actor: Actor,
  input: { request: PlacesRequest } & Hooks,
): Promise<PlacesAnswer> {
  const request = { ...input.request, places: await rangesInUtc(app, actor, input.request.places) };
  const ids = request.places.flatMap(({ area }) => (area.kind === "cameras" ? area.cameras : []));
  const tenant = { tenantId: actor.agencyId, now: app.clock() };
  const picked = await findInvestigationCameras(app.db, { ...tenant, ids });
  const cameras = new Map(picked.map((camera) => [camera.id, camera]));
  const places = request.places.map(
    (place, index): Place => ({
      ...place,
      index,
      from: Date.parse(place.start_time),
      to: Math.min(lastMoment(place), app.clock()),
    }),
  );
  const { justification, case_number, purpose, agencies, ...query } = request;
  const { justification: _, ...told } = request;
  const search = searchOf(request, places);
  return investigate<PlacesAnswer>(app, actor, {
    tool: "places",
    signal: input.signal,
    onProgress: input.onProgress,
    reasons: { justification, case_number, purpose, agencies },
    named: Object.fromEntries(request.places.map(({ name }, i) => [`places.${i}.name`, name])),
    query,
    search,
    problems: async (known) => placesProblems(request, { ...known, cameras }),
    async gather({ sources, ...to }) {
      const windows = joined(places);
      const result = { truncated: false, health: [] as { integrationId: string; failure: string | null }[] };
      for (const [i, window] of windows.entries()) {
        const here = places.filter(({ from, to }) => from <= window.to && to >= window.from);
        const own = withCamerasIn(sources, here);
        const wanted = { ...queryOf(search, app.clock()), ...window };
        const left = app.config.searchMaxReads - to.columns.count;
        const done = await gather(app, {
          ...to,
          asked: integrationsOf(own).map((together) => ({ sources: together, queries: [wanted] })),
          // Each window gets a share of the rows, so that the last one is not left out.
          maxReads: to.columns.count + Math.floor(left / (windows.length - i)),
        });
        result.truncated ||= done.truncated;
        result.health.push(...done.health);
      }
      return result;
    },
    rank: (columns, cut) => rank({ request: told, places, cameras, columns, cut }),
  });
}

/** Returns the search as whose result the evidence is shown: the vehicle, over all windows. */
function searchOf(request: PlacesRequest, places: readonly Place[]): SearchRequest {
  const { places: _, at_least: __, ...rest } = request;
  return {
    ...rest,
    plate: "",
    start_time: isoTime(Math.min(...places.map(({ from }) => from))),
    end_time: isoTime(Math.max(...places.map(({ to }) => to))),
    filters: NO_MARKS,
  };
}

/** Returns what is wrong with the places, by field: `places.<index>.<field>`. */
function placesProblems(
  { places, at_least }: PlacesRequest,
  context: {
    sources: readonly SearchSource[];
    cameras: ReadonlyMap<string, InvestigationCamera>;
    limitDays: number;
    now: number;
  },
): Record<string, string> {
  const { sources, cameras, limitDays, now } = context;
  const problems: Record<string, string> = {};
  for (const [i, place] of places.entries()) {
    const name = placeName(place, i);
    const [start, end] = [Date.parse(place.start_time), Date.parse(place.end_time)];
    const wrong = rangeProblem({ start, end, now, limitDays });
    if (wrong) problems[`places.${i}.start_time`] = `${name}: ${wrong}`;
    const area = areaProblem(place, { sources, cameras });
    if (area) problems[`places.${i}.area`] = `${name}: ${area}`;
    for (const [j, other] of places.slice(0, i).entries()) {
      // Windows may touch: `readsByPlace` counts a read of that second in the first of the places only.
      const isAtOnce = start < Date.parse(other.end_time) && end > Date.parse(other.start_time);
      if (!isAtOnce || !areasOverlap(place.area, other.area, cameras)) continue;
      problems[`places.${i}.start_time`] ??=
        `${name} overlaps ${placeName(other, j)} in place and time, so one read would count twice. Change its window or its area.`;
    }
  }
  if (at_least > places.length)
    problems.at_least = `A plate cannot be in ${at_least} of ${places.length} places.`;
  return problems;
}

/** Returns what is wrong with where a place is. A circle or box may be anywhere. */
function areaProblem(
  { area }: PlaceRequest,
  {
    sources,
    cameras,
  }: { sources: readonly SearchSource[]; cameras: ReadonlyMap<string, InvestigationCamera> },
): string | undefined {
  if (area.kind !== "cameras") return undefined;
  for (const id of area.cameras) {
    const camera = cameras.get(id);
    if (!camera) return "one of its cameras is unknown, or you may not search it.";
    const own = sources.filter(
      ({ id, program, agency }) =>
        program === camera.program &&
        (id === camera.sourceId || agency.toLowerCase() === camera.agency.toLowerCase()),
    );
    if (own.length === 0)
      return `${camera.name} belongs to ${camera.agency}, which is not selected under agencies.`;
    // A request's agencies may name single cameras of an Axis agency; then only these are searched.
    const isSearched = own.some(
      ({ program, cameraIds }) => program !== "Axis" || cameraIds.includes(camera.readAs),
    );
    if (!isSearched) return `${camera.name} is not one of the cameras that are selected under agencies.`;
  }
  return undefined;
}

/**
 * Returns the sources, limited to the picked Axis cameras unless a place is an area: a read keeps the location of its
 * time, and its camera may have been moved since. The archive filters by camera, vendors do not.
 */
function withCamerasIn(sources: readonly SearchSource[], places: readonly Place[]): readonly SearchSource[] {
  if (!places.every(isPicked)) return sources;
  const picked = new Set(places.flatMap(({ area }) => (area.kind === "cameras" ? area.cameras : [])));
  return sources.flatMap((source) => {
    if (source.program !== "Axis") return [source];
    const cameraIds = source.cameraIds.filter((id) => picked.has(`axis:${id}`));
    return cameraIds.length === 0 ? [] : [{ ...source, cameraIds }];
  });
}

function rank(input: {
  request: PlacesAnswer["request"];
  places: readonly Place[];
  cameras: ReadonlyMap<string, InvestigationCamera>;
  columns: ColumnsBuilder;
  cut: boolean;
}): Ranking<PlacesAnswer> {
  const { request, places, cameras, columns, cut } = input;
  const { reads, elsewhere, leftOut, shared } = readsByPlace(columns, places, cameras);
  const found = rankPlaces({ places: reads, elsewhere, atLeast: request.at_least });
  const placeOf = new Int8Array(columns.count);
  for (const [place, own] of reads.entries()) for (const { row } of own) placeOf[row] = place;
  const listed = found.slice(0, MAX_PLATES).map((one) => {
    const rows = one.places.map((place) => one.rows.filter((row) => placeOf[row] === place));
    return { one, shown: shownEvidence(columns, rows) };
  });
  return {
    rows: listed.flatMap(({ shown }) => shown.places.flat()),
    answer: (head, rowOf) => ({
      ...head,
      tool: "places",
      request,
      plates: listed.map(({ one, shown }) => ({
        plate: one.plate,
        ...describePlate(columns, one.rows),
        log10_chance: one.logChance / Math.LN10,
        expected_by_chance: one.expected,
        left_out: shown.leftOut,
        places: one.places.map((place, i) => ({ place, rows: (shown.places[i] ?? []).map(rowOf) })),
      })),
      plates_found: found.length,
      notes: [
        ...(cut
          ? ["Some sources had more reads than could be gathered. Narrow the windows to see all of them."]
          : []),
        ...places
          .filter(({ index }) => reads[index]?.length === 0)
          .map((place) => `No camera returned a read in ${placeName(place, place.index)}.`),
        ...sharedNotes(shared),
        ...leftOutNotes(leftOut),
        ...(found.length > MAX_PLATES
          ? [`${found.length} plates match; the ${MAX_PLATES} least likely by chance are listed.`]
          : []),
      ],
      warning: PLACES_WARNING,
    }),
  };
}

const isPicked = ({ area }: Place) => area.kind === "cameras";

function sharedNotes(shared: number): string[] {
  if (shared === 0) return [];
  const many = counted(shared, "read is", "reads are");
  return [
    `${many} in more than one place and ${shared === 1 ? "counts" : "count"} for one of them only, because the places overlap in place and time.`,
  ];
}

/** Returns whether two windows share only the second in which one ends and the other begins. */
function touch(a: Window, b: Window): boolean {
  return Math.min(a.to, b.to) - Math.max(a.from, b.from) < SECOND;
}

/**
 * Sorts the gathered reads into the places, each into one. Places may overlap although the form was accepted, because a
 * read has the location that its camera had then. A read of a picked camera counts for the camera's place first,
 * because an area has other reads.
 */
function readsByPlace(
  columns: ColumnsBuilder,
  places: readonly Place[],
  cameras: ReadonlyMap<string, InvestigationCamera>,
) {
  const plates = platesByCode(columns);
  const keyOf = cameraKeysOf(columns);
  const picked = places.map(({ area }) =>
    area.kind === "cameras"
      ? new Set(
          area.cameras.flatMap((id) => {
            const camera = cameras.get(id);
            return camera ? [cameraKey(camera)] : [];
          }),
        )
      : new Set<string>(),
  );
  const reads: PlaceRead[][] = places.map(() => []);
  const elsewhere: string[] = [];
  const leftOut: LeftOut = { unread: 0, arrivals: 0, undated: 0 };
  let shared = 0;
  const pickedFirst = places.toSorted((a, b) => Number(isPicked(b)) - Number(isPicked(a)));
  // Cameras do not move, so each position is compared with an area once.
  const known = places.map(() => new Map<string, boolean>());
  for (let row = 0; row < columns.count; row++) {
    const plate = plates[columns.words.plate[row] ?? 0] ?? "";
    const reason = reasonLeftOut(columns, row, plate);
    if (reason) {
      leftOut[reason]++;
      continue;
    }
    const at = columns.times[row] ?? Number.NaN;
    const found = pickedFirst.filter(({ area, from, to, index }) => {
      if (!(at >= from && at <= to)) return false;
      if (area.kind === "cameras") return picked[index]?.has(keyOf(row)) ?? false;
      const spot = `${columns.latitudes[row]},${columns.longitudes[row]}`;
      let isIn = known[index]?.get(spot);
      if (isIn === undefined) {
        const point = placeAt(columns, row);
        isIn = point !== null && contains(area, point);
        known[index]?.set(spot, isIn);
      }
      return isIn;
    });
    const [first, second] = found;
    if (first) reads[first.index]?.push({ plate, row });
    else elsewhere.push(plate);
    if (first && second && !touch(first, second)) shared++;
  }
  return { reads, elsewhere, leftOut, shared };
}
