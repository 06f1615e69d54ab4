/**
 * Returns a decimal number sent as text (by forms and the documented client) as a number, other values unchanged.
 */
export function numberFromText(value: unknown): unknown {
  return typeof value === "string" && /^\s*[+-]?\d{1,15}(\.\d{1,15})?\s*$/.test(value)
    ? Number(value)
    : value;
}

/** Returns a number of bytes in the largest unit, in powers of a thousand: `7 bytes`, `1.2 kB`, `67.1 MB`, `2 GB`. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** power).toLocaleString("en-US", { maximumFractionDigits: 1 })} ${units[power]}`;
}

const NUMBERS = new Intl.NumberFormat("en-US");

/** Returns a number with thousands separators: `1,204`. */
export function numberText(value: number): string {
  return NUMBERS.format(value);
}

/** Returns a count with its noun: `1 agency`, `1,204 reads`. By default, `many` is the noun with an s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}
