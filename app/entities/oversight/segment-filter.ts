/**
 * Tells which segments of the audit log may contain a value. A segment's values are 48-bit hashes. Six bits choose one of
 * 64 buckets, which stores 24 other bits as a fingerprint of three bytes. Two values may have the same bits, or the
 * three bytes may occur across two fingerprints: about one segment in 60,000 of 2,000 rows is opened needlessly. So
 * readers compare the rows of the segments that they find. Pure.
 */

/** Enough buckets to keep each one small: SQLite stores longer rows of the table on overflow pages. */
export const FILTER_BUCKETS = 64;
const PRINT_BITS = 24;
/** Hexadecimal digits of a fingerprint. */
const PRINT_DIGITS = PRINT_BITS / 4;

/** Where a hash is looked for; `print` in hexadecimal digits. */
export type Print = { bucket: number; print: string };
/** A bucket of a segment: its fingerprints, in hexadecimal digits, sorted and unique. */
export type SegmentFilter = { bucket: number; prints: string };

/** Returns the bucket and the fingerprint of a 48-bit hash. */
export function printOf(hash: number): Print {
  const print = Math.floor(hash / FILTER_BUCKETS) % 2 ** PRINT_BITS;
  return {
    bucket: hash % FILTER_BUCKETS,
    print: print.toString(16).toUpperCase().padStart(PRINT_DIGITS, "0"),
  };
}

/** Returns the buckets of a segment with these hashes, without the empty ones, in order. */
export function filtersOf(hashes: readonly number[]): SegmentFilter[] {
  const buckets = new Map<number, Set<string>>();
  for (const { bucket, print } of hashes.map(printOf)) {
    const prints = buckets.get(bucket);
    if (prints) prints.add(print);
    else buckets.set(bucket, new Set([print]));
  }
  return [...buckets]
    .sort(([a], [b]) => a - b)
    .map(([bucket, prints]) => ({ bucket, prints: [...prints].sort().join("") }));
}

/** Returns whether stored buckets are those of these hashes, no more and no less. */
export function isFilterOf(stored: readonly SegmentFilter[], hashes: readonly number[]): boolean {
  const prints = new Map(stored.map((filter) => [filter.bucket, filter.prints]));
  const expected = filtersOf(hashes);
  return (
    stored.length === expected.length &&
    expected.every((filter) => prints.get(filter.bucket) === filter.prints)
  );
}
