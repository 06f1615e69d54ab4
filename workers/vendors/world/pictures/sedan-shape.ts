/** The kind of bodywork between two points of the side profile. */
type Strip = "face" | "panel" | "glass" | "roof" | "bed";

/** A body as its side profile, in meters: distance from the front bumper, height, and the strip up to the next point. */
export interface Shape {
  profile: readonly (readonly [number, number, Strip])[];
  length: number;
  width: number;
  /** Height at which the sides begin to lean in. */
  belt: number;
  /** Width of the roof as a share of the body's. */
  roof: number;
  /** Side windows, as distances from the front at the belt line and at the top. */
  windows: readonly (readonly [bottomFrom: number, bottomTo: number, topFrom: number, topTo: number])[];
  axles: readonly number[];
  wheel: number;
  /** Distance of the camera, and the horizon's height in a picture 720 high. */
  distance: number;
  horizon: number;
  /** Heights of the plate's center, front and rear. */
  frontPlate: number;
  rearPlate: number;
  /** Heights of the lamps' centers, front and rear. */
  frontLamp: number;
  rearLamp: number;
}

export const SEDAN: Shape = {
  profile: [
    [0.08, 0.2, "face"],
    [0, 0.45, "face"],
    [0.06, 0.7, "panel"],
    [0.4, 0.84, "panel"],
    [1.45, 0.98, "glass"],
    [2.2, 1.4, "roof"],
    [2.7, 1.46, "roof"],
    [3.3, 1.41, "glass"],
    [4.15, 1.08, "panel"],
    [4.72, 1.02, "face"],
    [4.8, 0.7, "face"],
    [4.74, 0.24, "face"],
  ],
  length: 4.8,
  width: 1.84,
  belt: 0.96,
  roof: 0.76,
  windows: [
    [1.62, 2.62, 2.2, 2.62],
    [2.7, 3.72, 2.7, 3.3],
  ],
  axles: [0.95, 3.78],
  wheel: 0.33,
  distance: 7.6,
  horizon: 150,
  frontPlate: 0.44,
  rearPlate: 0.79,
  frontLamp: 0.69,
  rearLamp: 0.84,
};

/** Returns half the body's width at a point: the sides lean in above the belt, and the body narrows at both ends. */
export function halfWidth(shape: Shape, along: number, height: number): number {
  const top = Math.max(...shape.profile.map(([, y]) => y));
  const lean = height <= shape.belt ? 0 : (height - shape.belt) / (top - shape.belt);
  const end = Math.max(0, 0.55 - Math.min(along, shape.length - along)) / 0.55;
  const tuck = Math.max(0, 0.45 - height) * 0.1;
  return (shape.width / 2) * (1 - (1 - shape.roof) * lean) * (1 - 0.06 * end * end - tuck);
}
