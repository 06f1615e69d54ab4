// Places on the map: circles, boxes, or cameras picked from a list.

import { milesBetween } from "#app/entities/search/map/camera.ts";
import type { Place } from "#app/entities/search/sighting.ts";

export type Circle = { kind: "circle"; latitude: number; longitude: number; radius_miles: number };
export type Box = { kind: "box"; north: number; south: number; east: number; west: number };
/** Ids of `InvestigationCamera`. */
type PickedCameras = { kind: "cameras"; cameras: string[] };
export type Area = Circle | Box | PickedCameras;

/** A camera that a user may pick. `id` is unique over all programs. */
export type InvestigationCamera = {
  id: string;
  /** The source that returns its reads; null if any of the program may. */
  sourceId: string | null;
  /** The id that its reads have, or their camera name if the program gives no id. */
  readAs: string;
  name: string;
  agency: string;
  program: "Rekor" | "Axon" | "Axis";
  latitude: number | null;
  longitude: number | null;
};

/** What the form shows of a camera. */
export type ListedCamera = Pick<
  InvestigationCamera,
  "id" | "name" | "agency" | "program" | "latitude" | "longitude"
>;

/** Returns whether a circle or box contains a point. */
export function contains(area: Circle | Box, point: Place): boolean {
  if (area.kind === "circle") return milesBetween(area, point) <= area.radius_miles;
  const { latitude, longitude } = point;
  return latitude <= area.north && latitude >= area.south && longitude <= area.east && longitude >= area.west;
}

/** Returns whether two areas share a point or a camera. */
export function areasOverlap(a: Area, b: Area, cameras: ReadonlyMap<string, InvestigationCamera>): boolean {
  if (a.kind === "cameras") {
    if (b.kind === "cameras") return a.cameras.some((id) => b.cameras.includes(id));
    return a.cameras.some((id) => {
      const { latitude = null, longitude = null } = cameras.get(id) ?? {};
      return latitude !== null && longitude !== null && contains(b, { latitude, longitude });
    });
  }
  if (b.kind === "cameras") return areasOverlap(b, a, cameras);
  if (a.kind === "circle")
    return b.kind === "circle" ? milesBetween(a, b) <= a.radius_miles + b.radius_miles : circleTouches(a, b);
  if (b.kind === "circle") return circleTouches(b, a);
  return a.south <= b.north && b.south <= a.north && a.west <= b.east && b.west <= a.east;
}

/** A circle may cross 180 degrees of longitude, where the box may be on the other side. */
function circleTouches(circle: Circle, box: Box): boolean {
  const latitude = Math.min(Math.max(circle.latitude, box.south), box.north);
  return [-360, 0, 360].some((turn) => {
    const longitude = Math.min(Math.max(circle.longitude + turn, box.west), box.east);
    return contains(circle, { latitude, longitude });
  });
}
