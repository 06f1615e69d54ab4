import type { SourceProgram } from "#app/entities/search/query.ts";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import { decodeColumns, encodeColumns } from "#app/entities/search/result-codec.ts";
import { newestFirst } from "#app/entities/search/result-columns.ts";
import { BLANK_SIGHTING, sightingId } from "./search/sighting.ts";

/** What the map needs of a read. */
export type MapRead = {
  place: [latitude: number | null, longitude: number | null];
  time: number | null;
  plate: string;
  program: SourceProgram;
  timeIsArrival?: boolean;
};

/** Returns a result set of these reads, newest first unless an order is given. */
export function columnsOf(list: readonly MapRead[], order?: readonly number[]) {
  const builder = createColumns();
  appendSightings(
    builder,
    list.map((read, i) => ({
      ...BLANK_SIGHTING,
      id: sightingId(i),
      program: read.program,
      agency: "A",
      plate: read.plate,
      capturedAt: read.time,
      ...(read.timeIsArrival && { timeIsArrival: true }),
      cameraName: "C",
      latitude: read.place[0],
      longitude: read.place[1],
    })),
  );
  return decodeColumns(encodeColumns(builder, order ? Uint32Array.from(order) : newestFirst(builder)));
}
