/** What a list shows of its rows: a page, counted from 1, of those that were found. */
export type NumberedPage<Row> = { rows: Row[]; page: number; pages: number; found: number };

/** A text that rows contain, or "", and a page of those rows. */
export type AskedPage = { find: string; page: number };

/** Returns the page number of a query, or 1. */
export function pageOf(query: URLSearchParams): number {
  const text = query.get("page") ?? "";
  return /^\d{1,9}$/.test(text) ? Math.max(1, Number(text)) : 1;
}

/** Loads a page of a list. A number after the last page is the last page: rows may have been deleted since it was linked. */
export async function numberedPage<Row>(input: {
  page: number;
  size: number;
  count: () => Promise<number>;
  list: (part: { limit: number; offset: number }) => Promise<Row[]>;
}): Promise<NumberedPage<Row>> {
  const { size } = input;
  const found = await input.count();
  const pages = Math.max(1, Math.ceil(found / size));
  const page = Math.min(Math.max(1, input.page), pages);
  return { rows: await input.list({ limit: size, offset: (page - 1) * size }), page, pages, found };
}

/** Returns a page of rows that are all known, of those whose words contain a text in any case. */
export function pageOfRows<Row>(
  rows: readonly Row[],
  { find, page, size, words }: AskedPage & { size: number; words: (row: Row) => readonly string[] },
): Promise<NumberedPage<Row>> {
  const wanted = find.toLowerCase();
  const found = rows.filter((row) => words(row).some((word) => word.toLowerCase().includes(wanted)));
  return numberedPage({
    page,
    size,
    count: async () => found.length,
    list: async ({ limit, offset }) => found.slice(offset, offset + limit),
  });
}
