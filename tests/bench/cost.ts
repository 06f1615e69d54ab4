// The cost of a state's reads on Cloudflare, from the measured usage of one post. The prices are list prices of the
// paid plan in US dollars, beyond the included usage; change them to those of your contract.

import type { Counts } from "./workers/posts.ts";

const PRICES = {
  /** Per million. */
  requests: 0.3,
  cpuMs: 0.02,
  rowsRead: 0.001,
  rowsWritten: 1,
  r2Writes: 4.5,
  queueOperations: 0.4,
  /** Per GB and month. */
  d1Gigabyte: 0.75,
  r2Gigabyte: 0.015,
};

const READS_A_DAY = 10_000_000;
const DAYS_KEPT = 30;
const DAYS_A_MONTH = 30;
/** The size of one read in a database: 566 measured by `npm run bench -- search`, and the keys of two pictures. */
const BYTES_A_READ = 566 + 44;
/** Each message is written, read and deleted. */
const OPERATIONS_A_MESSAGE = 3;
/** The limit of a D1 database, and the share of it at which the alarm is raised. */
const DATABASE_GIGABYTES = 10 * 0.7;
const GIGA = 1e9;

/** Returns lines with the monthly cost of each part, the largest first, assuming that every read is one such post. */
export function costOf(input: {
  counts: Counts;
  posts: number;
  pictureBytes: number;
  cpuMs: number;
}): string[] {
  const { counts, posts, pictureBytes, cpuMs } = input;
  const { control, reads } = counts;
  const monthly = (each: number, price: number) => (each * READS_A_DAY * DAYS_A_MONTH * price) / 1e6;
  const kept = (bytes: number) => (bytes * READS_A_DAY * DAYS_KEPT) / GIGA;
  const parts = {
    "Worker requests": monthly(1, PRICES.requests),
    "Worker CPU": monthly(cpuMs, PRICES.cpuMs),
    "D1 rows read": monthly((control.rowsRead + reads.rowsRead) / posts, PRICES.rowsRead),
    "D1 rows written": monthly((control.rowsWritten + reads.rowsWritten) / posts, PRICES.rowsWritten),
    "D1 storage": kept(BYTES_A_READ) * PRICES.d1Gigabyte,
    "R2 writes": monthly(counts.r2 / posts, PRICES.r2Writes),
    "R2 storage": kept(pictureBytes) * PRICES.r2Gigabyte,
    "queue operations": monthly((counts.queue / posts) * OPERATIONS_A_MESSAGE, PRICES.queueOperations),
  };
  const total = Object.values(parts).reduce((sum, dollars) => sum + dollars, 0);
  const dollars = (amount: number) => `$${Math.round(amount).toLocaleString("en-US")}`;
  return [
    `${READS_A_DAY.toLocaleString("en-US")} reads a day, kept ${DAYS_KEPT} days: ${dollars(total)} a month, ` +
      `${Math.ceil(kept(BYTES_A_READ) / DATABASE_GIGABYTES)} databases of reads`,
    ...Object.entries(parts)
      .sort(([, a], [, b]) => b - a)
      .map(([name, amount]) => `  ${name.padEnd(18)}${dollars(amount).padStart(8)}`),
  ];
}
