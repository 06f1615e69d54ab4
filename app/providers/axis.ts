// Axis: cameras post their reads to Odin, so a search queries Odin's archive and sends nothing out. The locator of an
// image is its key in the bucket; only keys of images under `axis/` are opened.

import type { SearchFilter, SightingQuery } from "#app/entities/search/query.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import type { ArchivedRead, ReadArchive, SearchSource } from "#app/entities/search/source.ts";
import { VEHICLE_COLORS } from "#app/entities/search/vehicle.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { imageTypeOf } from "#app/lib/images/type.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { abortFailure, failure } from "./failures.ts";
import { isProviderFailure, type Provider, type ProviderFailure } from "./provider.ts";

const LOCATOR = /^axis\/\d{4}-\d\d-\d\d\/[^/]+\/[\w-]+(?:\.(?:jpg|png|webp)|(?:~[1-9]\d{0,8}){1,2})$/;

/** Returns the Axis provider over an archive of reads. */
export function createAxisProvider(archive: ReadArchive): Provider {
  return {
    program: "Axis",
    unsupported,
    prepare: async (sources, query) => archive.startSearch({ agencyIds: idsOf(sources), query }),
    async *search({ together, query, maxReads, signal }) {
      const agencies = new Map(together.map((source) => [source.id, source]));
      const agencyIds = idsOf(together);
      const cameraIds = together.flatMap((source) => source.cameraIds);
      try {
        for await (const page of archive.search({ agencyIds, cameraIds, query, maxReads, signal })) {
          yield {
            sightings: page.reads.flatMap((read) => {
              const source = agencies.get(read.agency);
              return source ? [toSighting(source, read)] : [];
            }),
            truncated: page.truncated,
          };
          if (page.missedDays) throw failure("incomplete", "Axis", { words: missedNote(page.missedDays) });
        }
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
    // Cameras post to Odin, so there is nothing to call.
    check: async () => ({
      words: "Axis cameras post to Odin; there is nothing to sign in to.",
      cameras: null,
    }),
    async image({ source, locator, signal }) {
      if (!LOCATOR.test(locator)) throw failure("missing", "Axis");
      try {
        signal.throwIfAborted();
        const bytes = await archive.image({ key: locator, agencyId: source.id });
        if (!bytes) throw failure("missing", "Axis");
        const type = imageTypeOf(bytes);
        if (!type) throw failure("bad-answer", "Axis");
        return { bytes, type };
      } catch (error) {
        throw failureOf(error, signal);
      }
    },
  };
}

function idsOf(sources: readonly SearchSource[]): string[] {
  return [...new Set(sources.map(({ id }) => id))];
}

/**
 * Returns the filters that the cameras cannot apply: racks, stickers, and the colors that the form marks "Rekor Only".
 */
function unsupported(query: SightingQuery): SearchFilter[] {
  const rekorOnly = VEHICLE_COLORS.some((color) => color.name === query.color && color.rekorOnly);
  return [...(rekorOnly ? (["color"] as const) : []), ...query.marks];
}

/** Names the UTC days that were not searched; consecutive days as a range. */
function missedNote(days: number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last && last.to === day - 1) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  const date = (day: number) => isoTime(day * DAY).slice(0, 10);
  const named = ranges.map(({ from, to }) => (from === to ? date(from) : `${date(from)} to ${date(to)}`));
  return `Not completely searched: the UTC days ${named.join(", ")}. Their part of the archive did not answer, or could not be opened. Search again later.`;
}

function toSighting(source: SearchSource, read: ArchivedRead): Sighting {
  return {
    id: stableId("Axis", read.id),
    program: "Axis",
    sourceId: source.id,
    agency: source.agency,
    plate: read.plate,
    plateState: read.plateState,
    make: read.make,
    color: read.color,
    bodyType: read.bodyType,
    capturedAt: read.capturedAt,
    cameraName: read.cameraName,
    cameraId: read.cameraId,
    latitude: read.latitude,
    longitude: read.longitude,
    confidence: read.confidence,
    vehicleImage: read.vehicleImageKey,
    plateImage: read.plateImageKey,
    plateCorners: null,
    ...(read.timeIsArrival && { timeIsArrival: true }),
  };
}

function failureOf(error: unknown, signal: AbortSignal): ProviderFailure {
  if (isProviderFailure(error)) return error;
  if (signal.aborted) return abortFailure(signal, "Axis");
  return failure("server-error", "Axis", {
    words: "The archive of Axis reads did not answer.",
    cause: error,
  });
}
