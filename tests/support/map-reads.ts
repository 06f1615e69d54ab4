import type { SourceProgram } from "#app/entities/search/query.ts";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import { decodeColumns, encodeColumns } from "#app/entities/search/result-codec.ts";
import { newestFirst } from "#app/entities/search/result-columns.ts";

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
      id: i.toString(16).padStart(32, "0"),
      program: read.program,
      sourceId: "s",
      agency: "A",
      plate: read.plate,
      plateState: "CT",
      make: "",
      color: "",
      bodyType: "",
      capturedAt: read.time,
      ...(read.timeIsArrival && { timeIsArrival: true }),
      cameraName: "C",
      latitude: read.place[0],
      longitude: read.place[1],
      confidence: null,
      vehicleImage: null,
      plateImage: null,
      plateCorners: null,
    })),
  );
  return decodeColumns(encodeColumns(builder, order ? Uint32Array.from(order) : newestFirst(builder)));
}
