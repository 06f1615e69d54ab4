/** Converts degrees to whole millionths, about ten centimeters, as coordinates are stored. */
export function millionths(degrees: number | null): number | null {
  return degrees === null ? null : Math.round(degrees * 1e6);
}

/** Converts whole millionths to degrees. */
export function degrees(millionths: number | null): number | null {
  return millionths === null ? null : millionths / 1e6;
}
