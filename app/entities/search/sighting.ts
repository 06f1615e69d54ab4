import type { SourceProgram } from "./query.ts";

/** A read of a plate by a camera of one program, in Odin's terms. Images are opaque locators of their provider. */
export type Sighting = {
  /** 32 hexadecimal digits, the same each time the read is found. */
  id: string;
  program: SourceProgram;
  sourceId: string;
  agency: string;
  plate: string;
  plateState: string;
  make: string;
  color: string;
  bodyType: string;
  /** Milliseconds since 1970 UTC, or null if the vendor sent none. */
  capturedAt: number | null;
  cameraName: string;
  /** The id of its camera: Axis has one, Rekor's is from `rekorCameraId`. Axon names its cameras only. */
  cameraId?: string;
  latitude: number | null;
  longitude: number | null;
  /** 0-100, or null if the program sent none. */
  confidence: number | null;
  vehicleImage: string | null;
  plateImage: string | null;
  /** `capturedAt` is the time of arrival: the camera sent none or a wrong one. */
  timeIsArrival?: boolean;
  /** Rekor only: corners of the plate in the image, x1, y1 to x4, y4; all eight or none. */
  plateCorners: readonly number[] | null;
};

/**
 * Returns whether a place can be shown on the map: numeric, latitude strictly between -90 and 90, longitude strictly
 * between -180 and 180, and neither (0,0) nor (-1,-1) (specification section 5).
 */
export function isMappable(latitude: number | null, longitude: number | null): boolean {
  if (latitude === null || longitude === null) return false;
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) return false;
  if (latitude <= -90 || latitude >= 90 || longitude <= -180 || longitude >= 180) return false;
  return !(latitude === 0 && longitude === 0) && !(latitude === -1 && longitude === -1);
}

/** A location that a map can show, in degrees. */
export type Place = { latitude: number; longitude: number };

/** Returns the location of a read if a map can show it, otherwise null. */
export function mappablePlace(read: { latitude: number | null; longitude: number | null }): Place | null {
  const { latitude, longitude } = read;
  if (latitude === null || longitude === null || !isMappable(latitude, longitude)) return null;
  return { latitude, longitude };
}

/** Returns a vendor's coordinate from a number or a numeric text; null for anything else. */
export function coordinate(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** Returns the Google Maps link of a place for the detail view. Nothing is sent unless the user follows it. */
export function googleMapsUrl(latitude: number, longitude: number): string {
  return `https://www.google.com/maps/search/?api=1&query=${latitude},${longitude}`;
}
