import type { ResultColumns } from "#app/entities/search/result-columns.ts";

/**
 * Returns the plate whose track and pattern the screen offers: that of the current read, else the searched plate if it
 * was read, else the only plate among the filtered reads; "" if there is none.
 */
export function plateInView(
  columns: ResultColumns,
  input: { pass: Uint8Array; current: number | null; searched: string },
): string {
  const { pass, current, searched } = input;
  const { plate: codes } = columns.words;
  const { plate: plates } = columns.dictionaries;
  if (current !== null) return plates[codes[current] ?? 0] ?? "";
  if (searched !== "" && plates.includes(searched)) return searched;
  let only = -1;
  for (let row = 0; row < columns.count; row++) {
    if (pass[row] !== 1 || codes[row] === only) continue;
    if (only >= 0) return "";
    only = codes[row] ?? 0;
  }
  return plates[only] ?? "";
}
