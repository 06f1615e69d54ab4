/** A decimal number that was sent as text, as forms and the documented client do, as a number; all else as it is. */
export function numberFromText(value: unknown): unknown {
  return typeof value === "string" && /^\s*[+-]?\d{1,15}(\.\d{1,15})?\s*$/.test(value)
    ? Number(value)
    : value;
}
