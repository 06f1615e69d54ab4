/**
 * The EICAR test file for virus scanners (2003), in two halves: otherwise scanners would block this source file.
 */
export const TEST_VIRUS = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$", "EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join(
  "",
);

const WANTED = new TextEncoder().encode(TEST_VIRUS);
const FIRST = TEST_VIRUS.charCodeAt(0);

/** Returns whether these bytes contain the test virus. */
export function holdsTestVirus(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(FIRST); at >= 0; at = bytes.indexOf(FIRST, at + 1)) {
    if (WANTED.every((byte, i) => bytes[at + i] === byte)) return true;
  }
  return false;
}
