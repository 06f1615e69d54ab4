// The operator's own tile archive in R2, read in pieces.

/** Reads a range of an object; null where it is not there. */
export function rangeReader(bucket: R2Bucket, key: string) {
  return async (offset: number, length: number): Promise<ArrayBuffer | null> => {
    const object = await bucket.get(key, { range: { offset, length } });
    return object ? object.arrayBuffer() : null;
  };
}
