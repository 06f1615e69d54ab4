/** D1 accepts bound texts of at most two million bytes; this leaves a margin. */
const JSON_BYTES = 1_200_000;

/** Returns rows as JSON arrays, each small enough for one bound value, with the number of rows in each. */
export function jsonChunks(rows: readonly unknown[]): { json: string; count: number }[] {
  const chunks: { json: string; count: number }[] = [];
  let texts: string[] = [];
  let size = 0;
  const close = () => {
    if (texts.length > 0) chunks.push({ json: `[${texts.join(",")}]`, count: texts.length });
    [texts, size] = [[], 0];
  };
  for (const row of rows) {
    const text = JSON.stringify(row);
    // A UTF-16 code unit has at most three bytes in UTF-8.
    const bytes = /^[ -~]*$/.test(text) ? text.length : text.length * 3;
    if (size + bytes > JSON_BYTES) close();
    texts.push(text);
    size += bytes + 1;
  }
  close();
  return chunks;
}
