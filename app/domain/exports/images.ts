// The images of an export, in the order of its records, asked for a little ahead of the one that is being written.
// A vendor that has failed several times in a row is not asked again: a dead one would cost a deadline an image.

import type { AppContext } from "#app/context.ts";
import type { ExportRecord } from "#app/entities/exports/request.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { release } from "#app/lib/buffers.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { isProviderFailure, type ProviderFailure } from "#app/providers/provider.ts";
import type { ReportImage } from "./record.ts";

/** At most so many calls at a time, whatever the vendor, and the runtime allows no more connections. */
const AT_ONCE = 6;
/** No further image is asked for while so many bytes wait to be written. */
const MOST_WAITING = 8 * 1024 * 1024;
const DEADLINE_MS = 15_000;
/** Failures in a row after which a source is left alone. */
const PATIENCE = 8;

export type RecordImages = { record: ExportRecord; vehicle: ReportImage; plate: ReportImage };

/** Gives back the memory of images that are written. */
export function releaseImages({ vehicle, plate }: Pick<RecordImages, "vehicle" | "plate">): void {
  for (const image of [vehicle, plate]) if ("bytes" in image) release(image.bytes);
}
type Kind = "vehicle" | "plate";

/** Images of all records, in order. Aborting the signal throws its reason. */
export async function* fetchRecordImages(
  app: AppContext,
  input: { records: readonly ExportRecord[]; sources: readonly SearchSource[]; signal: AbortSignal },
): AsyncGenerator<RecordImages> {
  const { records, signal } = input;
  const ask = createAsker(app, input);
  const answers = new Map<number, Promise<ReportImage>>();
  let [next, active, waiting] = [0, 0, 0];

  /** Starts what may be started; the record that is wanted now always may. */
  function start(wanted: number): void {
    while (next < records.length * 2 && active < AT_ONCE) {
      if (next >= wanted + 2 && waiting > MOST_WAITING) return;
      const place = next++;
      const record = records[place >> 1] as ExportRecord;
      active++;
      answers.set(
        place,
        ask(record, place % 2 === 0 ? "vehicle" : "plate").then((image) => {
          active--;
          if ("bytes" in image) waiting += image.bytes.length;
          start(current);
          return image;
        }),
      );
    }
  }

  let current = 0;
  async function take(place: number): Promise<ReportImage> {
    const image = await (answers.get(place) as Promise<ReportImage>);
    answers.delete(place);
    if ("bytes" in image) waiting -= image.bytes.length;
    return image;
  }

  for (let i = 0; i < records.length; i++) {
    signal.throwIfAborted();
    current = i * 2;
    start(current);
    const vehicle = await take(current);
    // Its place may have been beyond what could be started at first.
    start(current);
    const plate = await take(current + 1);
    signal.throwIfAborted();
    yield { record: records[i] as ExportRecord, vehicle, plate };
  }
}

function createAsker(app: AppContext, input: { sources: readonly SearchSource[]; signal: AbortSignal }) {
  const failures = new Map<string, number>();

  return async function ask(record: ExportRecord, kind: Kind): Promise<ReportImage> {
    const locator = kind === "vehicle" ? record.vehicleImage : record.plateImage;
    if (locator === null)
      return { reason: `${record.program} has no ${kind} image of this read.`, isFailure: false };
    const source = input.sources.find(
      ({ id, program }) => id === record.sourceId && program === record.program,
    );
    if (!source) return { reason: "The agency's reads are no longer yours to search.", isFailure: true };
    const failed = failures.get(source.integrationId) ?? 0;
    if (failed >= PATIENCE)
      return { reason: `Not asked: ${source.agency} had failed ${failed} times in a row.`, isFailure: true };
    try {
      const signal = AbortSignal.any([input.signal, AbortSignal.timeout(DEADLINE_MS)]);
      const { bytes, type } = await app.providers[source.program].image({ source, locator, signal });
      failures.set(source.integrationId, 0);
      return { bytes, type, sha256: await sha256(bytes) };
    } catch (error) {
      if (!isProviderFailure(error)) {
        if (input.signal.aborted) return { reason: "Cancelled.", isFailure: true };
        throw error;
      }
      const { kind: why, message } = error as ProviderFailure;
      const isTheirs = why !== "missing" && why !== "bad-answer" && why !== "cancelled";
      if (isTheirs) failures.set(source.integrationId, (failures.get(source.integrationId) ?? 0) + 1);
      return { reason: message, isFailure: true };
    }
  };
}
