/** A page of the rows that were found. Pages are counted from 1. */
export type NumberedPage<Row> = { rows: Row[]; page: number; pages: number; found: number };

/** A request for a page of a list: the text that rows must contain ("" for all rows), and the number of the page. */
export type AskedPage = { find: string; page: number };

/** Returns the page number of a query, or 1. A second list on the same screen has its own `name`. */
export function pageOf(query: URLSearchParams, name = "page"): number {
  const text = query.get(name) ?? "";
  return /^\d{1,9}$/.test(text) ? Math.max(1, Number(text)) : 1;
}

/**
 * Returns the position of a page among `found` rows. A number after the last page means the last page, because rows may
 * have been deleted since the page was linked.
 */
function pageAmong(found: number, { page, size }: { page: number; size: number }) {
  const pages = Math.max(1, Math.ceil(found / size));
  const shown = Math.min(Math.max(1, page), pages);
  return { page: shown, pages, found, offset: (shown - 1) * size };
}

/** Returns a page of a list, whose rows it counts and loads. */
export async function numberedPage<Row>(input: {
  page: number;
  size: number;
  count: () => Promise<number>;
  list: (part: { limit: number; offset: number }) => Promise<Row[]>;
}): Promise<NumberedPage<Row>> {
  const from = (offset: number) => input.list({ limit: input.size, offset });
  // The first page starts at 0, however many rows there are, so it needs no second round trip.
  const [found, first] = await Promise.all([input.count(), input.page === 1 ? from(0) : undefined]);
  const { offset, ...page } = pageAmong(found, input);
  return { ...page, rows: first ?? (await from(offset)) };
}

/** Returns a page of rows that are all known. */
export function pageOfRows<Row>(
  rows: readonly Row[],
  part: { page: number; size: number },
): NumberedPage<Row> {
  const { offset, ...page } = pageAmong(rows.length, part);
  return { ...page, rows: rows.slice(offset, offset + part.size) };
}

/** Returns the rows that have a word that contains a text, ignoring case. */
export function rowsWith<Row>(
  rows: readonly Row[],
  find: string,
  words: (row: Row) => readonly string[],
): Row[] {
  const wanted = find.toLowerCase();
  return rows.filter((row) => words(row).some((word) => word.toLowerCase().includes(wanted)));
}
