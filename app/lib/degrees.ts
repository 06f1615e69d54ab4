/** Returns degrees as whole millionths (about ten centimeters), as coordinates are stored; null stays null. */
export function millionths(degrees: number | null): number | null {
  return degrees === null ? null : Math.round(degrees * 1e6);
}

/** Returns whole millionths as degrees; null stays null. */
export function degrees(millionths: number | null): number | null {
  return millionths === null ? null : millionths / 1e6;
}

/** Returns a coordinate with six decimals, about 11 cm (specification section 9): clients send more. */
export function sixDecimals(value: number): number {
  return Number(value.toFixed(6));
}
