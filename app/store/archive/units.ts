/** Coordinates are kept as whole millionths of a degree, some ten centimetres. */
export function millionths(degrees: number | null): number | null {
  return degrees === null ? null : Math.round(degrees * 1e6);
}

/** Degrees from whole millionths. */
export function degrees(millionths: number | null): number | null {
  return millionths === null ? null : millionths / 1e6;
}
