// The operator's own tile archive in R2, read in pieces.

/** Reads ranges of the first of some objects that is there; null where none is. */
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
