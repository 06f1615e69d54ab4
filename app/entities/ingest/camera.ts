import * as z from "zod/mini";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import { sixDecimals } from "#app/lib/degrees.ts";
import { clientText, flag } from "#app/lib/json/values.ts";
import { numberFromText } from "#app/lib/number-text.ts";
import type * as answers from "./answers.ts";

/** A Rekor camera that appeared in a camera list, a read or a heartbeat. */
export type CameraSeen = {
  /** Built by `rekorCameraId`. */
  id: string;
  /** The agency that owns the camera, if known. */
  agencyId: string | null;
  name: string;
  siteName: string;
  latitude: number | null;
  longitude: number | null;
  /** Time of the read or heartbeat, in milliseconds since 1970. */
  at: number;
  /**
   * A live read, a read that a search found, a heartbeat, or the vendor's list of cameras, which only says that the camera
   * exists, as does the heartbeat of an agent that gets no video from it.
   */
  kind: "read" | "past-read" | "heartbeat" | "list";
};

/** Returns one id for a camera across all of Rekor's documents. Camera numbers are unique only within an agent. */
export function rekorCameraId(agent: string | undefined, camera: string | undefined): string {
  if (!camera) return "";
  return (agent ? `${agent}/${camera}` : camera).slice(0, 250);
}

/** A row of GET /rekor-cameras (specification section 3), with the vendor's own values. */
export type RekorCamera = z.infer<typeof answers.RekorCamera>;

/** The choices of cameras on the owner's screen of Rekor's cameras. */
export const REKOR_CAMERA_CHOICES = ["all", "manual", "unplaced", "silent"] as const;
export type RekorCameraChoice = (typeof REKOR_CAMERA_CHOICES)[number];

/** Returns whether a camera belongs to a choice of the owner's screen. */
export function isChosen({ is_manual, corrected_latitude, silent }: RekorCamera, choice: RekorCameraChoice) {
  return (
    choice === "all" ||
    (choice === "manual" && is_manual) ||
    (choice === "unplaced" && corrected_latitude === null) ||
    (choice === "silent" && silent)
  );
}

/** The owner's correction of a camera; applies to its reads wherever they are shown, and to its agency's hits. */
export type CameraCorrection = {
  cameraId: string;
  /** The agency that the camera belongs to, or null. */
  agencyId: string | null;
  latitude: number;
  longitude: number;
  /** Name of the agency that owns the camera, or null if the owner names none. */
  agency: string | null;
};

const COORDINATE_PROBLEM =
  "Enter a latitude strictly between -90 and 90 and a longitude strictly between -180 and 180, not 0, 0.";

/** An empty text is null: clients that edit coordinates as text have nothing else for a camera without a location. */
const Coordinate = z.pipe(
  z.transform((value: unknown) =>
    typeof value === "string" && value.trim() === "" ? null : numberFromText(value),
  ),
  z.nullable(z.pipe(z.number(COORDINATE_PROBLEM), z.transform(sixDecimals))),
);

const correctedAt = (value: unknown) => (value === "" ? null : numberFromText(value));

/**
 * PATCH /rekor-cameras/{id}. No location (null, null) removes a correction, and so does `is_manual` false if Rekor
 * knows a location. Without coordinates, the location stays. At least one change is required.
 */
export const CameraChange = z
  .object({
    corrected_latitude: z.optional(Coordinate),
    corrected_longitude: z.optional(Coordinate),
    /** Absent: the agency stays. Null or empty: none. */
    agency_id: z.optional(
      z.pipe(
        clientText(z.string().check(z.maxLength(100))),
        z.transform((id) => id || null),
      ),
    ),
    is_manual: z.nullish(flag),
    /**
     * The correction that the client knows: if the camera was corrected later, the change is refused. Absent: not
     * compared.
     */
    corrected_at: z.optional(z.pipe(z.transform(correctedAt), z.nullable(z.int("This is not a time.")))),
  })
  .check(
    z.refine(
      ({ corrected_latitude: latitude, corrected_longitude: longitude, is_manual, agency_id }) =>
        latitude === undefined || longitude === undefined
          ? latitude === longitude && !is_manual && (is_manual === false || agency_id !== undefined)
          : (latitude === null && longitude === null) || isMappable(latitude, longitude),
      COORDINATE_PROBLEM,
    ),
  );
export type CameraChange = z.infer<typeof CameraChange>;

/** Returns a coordinate from typed text, a plain decimal, with six decimals; undefined for anything else. */
export function typedCoordinate(text: string): number | undefined {
  const trimmed = text.trim();
  return /^-?\d{1,3}(\.\d{1,20})?$/.test(trimmed) ? sixDecimals(Number(trimmed)) : undefined;
}

/** The owner's form for one camera. The location is optional: a camera's agency may be known before its location. */
export const CorrectionFields = z
  .object({
    camera_id: z.string("Which camera?").check(z.minLength(1, "Which camera?"), z.maxLength(250)),
    latitude: z._default(z.string().check(z.maxLength(40)), ""),
    longitude: z._default(z.string().check(z.maxLength(40)), ""),
    agency_id: z._default(z.string().check(z.maxLength(100)), ""),
    corrected_at: z.optional(z.string().check(z.regex(/^\d{0,16}$/, "This is not a time."))),
  })
  .check(
    z.refine(
      ({ latitude, longitude }) =>
        (latitude.trim() === "" && longitude.trim() === "") ||
        isMappable(typedCoordinate(latitude) ?? null, typedCoordinate(longitude) ?? null),
      { error: COORDINATE_PROBLEM, path: ["place"] },
    ),
  );
export type CorrectionFields = z.infer<typeof CorrectionFields>;

/** Returns the form's fields as the body of PATCH /rekor-cameras/{id}. */
export function correctionOf(fields: CorrectionFields): CameraChange {
  const known = fields.corrected_at;
  return {
    corrected_latitude: typedCoordinate(fields.latitude) ?? null,
    corrected_longitude: typedCoordinate(fields.longitude) ?? null,
    agency_id: fields.agency_id || null,
    is_manual: true,
    ...(known !== undefined && { corrected_at: known === "" ? null : Number(known) }),
  };
}

/**
 * The body of PATCH /rekor-cameras/{id} that restores Rekor's location, from any correction. The agency stays.
 */
export const WITHOUT_CORRECTION: CameraChange = {
  corrected_latitude: null,
  corrected_longitude: null,
  is_manual: false,
};

/** Returns a coordinate for editing: always six decimals. */
export function coordinateText(value: number | null): string {
  return value === null ? "" : value.toFixed(6);
}

/** A camera is never called silent before this: traffic has pauses. */
const SHORTEST_PAUSE_MS = 60 * 60 * 1000;
/** Rekor sends heartbeats every minute. An Axis camera sends one every 5 minutes to 24 hours, as configured. */
const HEARTBEAT_PAUSE_MS = 10 * 60 * 1000;
const AXIS_HEARTBEAT_PAUSE_MS = 25 * 60 * 60 * 1000;

/** Returns whether a camera is silent: for three times its usual gap, or because its heartbeats stopped. */
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
  if (lastHeartbeatAt !== null && now - Math.max(lastHeartbeatAt, lastReadAt ?? lastHeartbeatAt) > pause)
    return true;
  if (lastReadAt === null || !usualGapMs) return false;
  return now - lastReadAt > Math.max(SHORTEST_PAUSE_MS, 3 * usualGapMs);
}

/** A row of GET /camera-health. */
export type CameraHealth = z.infer<typeof answers.CameraHealth>;
