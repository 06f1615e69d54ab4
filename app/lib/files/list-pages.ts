/** Yields the pages of a bucket's list, in the order of keys. */
export async function* listPages(bucket: R2Bucket, options: R2ListOptions): AsyncGenerator<R2Objects> {
  let cursor: string | undefined;
  do {
    const page: R2Objects = await bucket.list({ ...options, ...(cursor && { cursor }) });
    yield page;
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor);
}
