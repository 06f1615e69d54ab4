/**
 * Returns a decimal number sent as text (by forms and the documented client) as a number, other values unchanged.
 */
export function numberFromText(value: unknown): unknown {
  return typeof value === "string" && /^\s*[+-]?\d{1,15}(\.\d{1,15})?\s*$/.test(value)
    ? Number(value)
    : value;
}
