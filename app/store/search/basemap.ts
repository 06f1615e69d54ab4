// The operator's own tile archive in R2, read in pieces.

/** Returns a reader of ranges of the first of the objects that exists; the reader returns null if none does. */
export function rangeReader(bucket: R2Bucket, keys: readonly string[]) {
  let found: string | undefined;
  return async (offset: number, length: number): Promise<ArrayBuffer | null> => {
    for (const key of found === undefined ? keys : [found]) {
      const object = await bucket.get(key, { range: { offset, length } });
      if (!object) continue;
      found = key;
      return object.arrayBuffer();
    }
    return null;
  };
}
