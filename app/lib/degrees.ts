/** Returns degrees as whole millionths (about ten centimeters), as coordinates are stored; null stays null. */
export function millionths(degrees: number | null): number | null {
  return degrees === null ? null : Math.round(degrees * 1e6);
}

/** Returns whole millionths as degrees; null stays null. */
export function degrees(millionths: number | null): number | null {
  return millionths === null ? null : millionths / 1e6;
}
