import * as z from "zod/mini";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import { numberFromText } from "#app/lib/number-text.ts";

/** A Rekor camera that a list, a read or a heartbeat told of. */
export type CameraSeen = {
  /** What `rekorCameraId` makes of the vendor's words. */
  id: string;
  /** Whose camera it is, where that is known. */
  agencyId: string | null;
  name: string;
  siteName: string;
  latitude: number | null;
  longitude: number | null;
  /** When it was read or heard of, in milliseconds since 1970. */
  at: number;
  /** A read as it happens, one that a search found, a heartbeat, or the vendor's list of cameras. */
  kind: "read" | "past-read" | "heartbeat" | "list";
};

/** One name for a camera in all of Rekor's documents: camera numbers are told apart by the agent that they belong to. */
export function rekorCameraId(agent: string | undefined, camera: string | undefined): string {
  if (!camera) return "";
  return (agent ? `${agent}/${camera}` : camera).slice(0, 250);
}

/** A row of GET /rekor-cameras (specification section 3), and what the vendor says beside it. */
export type RekorCamera = {
  camera_id: string;
  camera_name: string;
  site_name: string;
  /** The corrected place, or the vendor's where nobody has corrected it. */
  corrected_latitude: number | null;
  corrected_longitude: number | null;
  agency_id: string | null;
  is_manual: boolean;
  vendor_latitude: number | null;
  vendor_longitude: number | null;
  last_read_at: number | null;
  last_heartbeat_at: number | null;
  /** Not heard of for longer than is usual for it. */
  silent: boolean;
};

/** What the owner says of a camera; it holds for reads of this camera wherever they are shown. */
export type CameraCorrection = {
  cameraId: string;
  latitude: number;
  longitude: number;
  /** Name of the agency that it belongs to, or null where the owner names none. */
  agency: string | null;
};

const COORDINATE_PROBLEM =
  "Enter a latitude strictly between -90 and 90 and a longitude strictly between -180 and 180, not 0, 0.";
const DECIMALS_PROBLEM = "Coordinates have at most 6 decimals.";

const Coordinate = z.pipe(
  z.transform(numberFromText),
  z.nullable(
    z
      .number(COORDINATE_PROBLEM)
      .check(z.refine((value) => Number(value.toFixed(6)) === value, DECIMALS_PROBLEM)),
  ),
);

/** PATCH /rekor-cameras/{id}; `is_manual` false, or no place (null, null), takes a correction back. */
export const CameraChange = z
  .object({
    corrected_latitude: Coordinate,
    corrected_longitude: Coordinate,
    agency_id: z.nullable(z.string().check(z.maxLength(100))),
    is_manual: z.optional(z.boolean()),
  })
  .check(
    z.refine(
      ({ corrected_latitude, corrected_longitude }) =>
        (corrected_latitude === null && corrected_longitude === null) ||
        isMappable(corrected_latitude, corrected_longitude),
      COORDINATE_PROBLEM,
    ),
  );
export type CameraChange = z.infer<typeof CameraChange>;

/** A coordinate as somebody typed it: plain decimals, at most six of them; undefined for anything else. */
export function typedCoordinate(text: string): number | undefined {
  const trimmed = text.trim();
  return /^-?\d{1,3}(\.\d{1,6})?$/.test(trimmed) ? Number(trimmed) : undefined;
}

const TYPED_PROBLEM = `${COORDINATE_PROBLEM} At most 6 decimals.`;

/**
 * The owner's form for one camera: the place as typed, or none, since whose a camera is can be said before anybody knows
 * where it stands.
 */
export const CorrectionFields = z
  .object({
    camera_id: z.string("Which camera?").check(z.minLength(1, "Which camera?"), z.maxLength(250)),
    latitude: z._default(z.string().check(z.maxLength(40)), ""),
    longitude: z._default(z.string().check(z.maxLength(40)), ""),
    agency_id: z._default(z.string().check(z.maxLength(100)), ""),
  })
  .check(
    z.refine(
      ({ latitude, longitude }) =>
        (latitude.trim() === "" && longitude.trim() === "") ||
        isMappable(typedCoordinate(latitude) ?? null, typedCoordinate(longitude) ?? null),
      { error: TYPED_PROBLEM, path: ["place"] },
    ),
  );
export type CorrectionFields = z.infer<typeof CorrectionFields>;

/** The form as the call of PATCH /rekor-cameras/{id}. */
export function correctionOf(fields: CorrectionFields, is_manual: boolean): CameraChange {
  return {
    corrected_latitude: typedCoordinate(fields.latitude) ?? null,
    corrected_longitude: typedCoordinate(fields.longitude) ?? null,
    agency_id: fields.agency_id || null,
    is_manual,
  };
}

/** A place as it is edited: six decimals, always. */
export function coordinateText(value: number | null): string {
  return value === null ? "" : value.toFixed(6);
}

/** Cameras with less than this between reads are not called silent at once: traffic has its pauses. */
const SHORTEST_PAUSE_MS = 60 * 60 * 1000;
/** Rekor's heartbeats come every minute. An Axis camera sends one every 5 minutes to 24 hours, as it was set up. */
const HEARTBEAT_PAUSE_MS = 10 * 60 * 1000;
const AXIS_HEARTBEAT_PAUSE_MS = 25 * 60 * 60 * 1000;

/** Whether a camera has been silent for longer than is usual: three times its usual pause, or heartbeats that ended. */
export function isSilent(
  camera: {
    program: SourceProgram;
    lastReadAt: number | null;
    lastHeartbeatAt: number | null;
    usualGapMs: number | null;
  },
  now: number,
): boolean {
  const { program, lastReadAt, lastHeartbeatAt, usualGapMs } = camera;
  const pause = program === "Axis" ? AXIS_HEARTBEAT_PAUSE_MS : HEARTBEAT_PAUSE_MS;
  if (lastHeartbeatAt !== null && now - lastHeartbeatAt > pause) {
    if (lastReadAt === null || now - lastReadAt > pause) return true;
  }
  if (lastReadAt === null || !usualGapMs) return false;
  return now - lastReadAt > Math.max(SHORTEST_PAUSE_MS, 3 * usualGapMs);
}

/** A row of GET /camera-health. */
export type CameraHealth = {
  camera_id: string;
  camera_name: string;
  source_program: SourceProgram;
  last_read_at: string | null;
  last_heartbeat_at: string | null;
  usual_gap_ms: number | null;
  silent: boolean;
};
