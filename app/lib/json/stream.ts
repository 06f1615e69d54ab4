/**
 * Returns a JSON object that is written while its list is read: the fields of `head`, then the list under `name`, page
 * by page. Memory holds one page. If a page fails, the stream ends with the error, so that no reader mistakes a part
 * for the whole.
 */
export function jsonWithList(input: {
  head: Record<string, unknown>;
  name: string;
  pages: AsyncIterator<readonly unknown[]>;
}): ReadableStream<Uint8Array> {
  const { head, name, pages } = input;
  const encoder = new TextEncoder();
  const fields = Object.entries(head)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`);
  let before = `{${fields.join("")}${JSON.stringify(name)}:[`;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await pages.next();
      if (done) {
        controller.enqueue(encoder.encode(`${before === "," ? "" : before}]}`));
        return controller.close();
      }
      if (value.length === 0) return controller.enqueue(new Uint8Array());
      controller.enqueue(encoder.encode(before + value.map((item) => JSON.stringify(item)).join(",")));
      before = ",";
    },
    async cancel() {
      await pages.return?.();
    },
  });
}
