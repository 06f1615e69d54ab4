/**
 * Keeps the temporary databases of a test run in memory where there is room: workerd writes each commit to the disk,
 * hundreds of times a second, and tests and journeys wait for it.
 */
import { accessSync, constants, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";

/** A file system in memory, on Linux. Other systems, and containers in which it is small, use the disk. */
const SHARED_MEMORY = "/dev/shm";
/** A complete run has 330 MB of temporary files at most. */
const ROOM_BYTES = 2 ** 30;

/** Returns the folder for a test run's temporary files. */
export function temporaryFolder(): string {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    // What is stored there also counts as used memory.
    return Math.min(bavail * bsize, freemem()) > ROOM_BYTES ? SHARED_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Before the runtime of the worker tests and the simulated vendors choose their folders. */
export default function setup(): void {
  process.env.TMPDIR = temporaryFolder();
}
