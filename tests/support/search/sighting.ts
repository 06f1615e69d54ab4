import type { Sighting } from "#app/entities/search/sighting.ts";

/** A read with empty fields; each test sets the fields that it is about. */
export const BLANK_SIGHTING: Sighting = {
  id: "0".repeat(32),
  program: "Rekor",
  sourceId: "",
  agency: "",
  plate: "",
  plateState: "",
  make: "",
  color: "",
  bodyType: "",
  capturedAt: null,
  cameraName: "",
  latitude: null,
  longitude: null,
  confidence: null,
  vehicleImage: null,
  plateImage: null,
  plateCorners: null,
};

/** Returns an id with the number of a read. */
export function sightingId(n: number): string {
  return n.toString(16).padStart(32, "0");
}
