/**
 * The file with which virus scanners are tried (EICAR, 2003), in two halves: whole, this very file would be refused by
 * the scanner of whoever checks it out.
 */
export const TEST_VIRUS = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$", "EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join(
  "",
);

const WANTED = new TextEncoder().encode(TEST_VIRUS);

/** Whether the test virus stands anywhere in these bytes as it is. */
export function holdsTestVirus(bytes: Uint8Array): boolean {
  const [first] = WANTED as unknown as [number];
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (WANTED.every((byte, i) => bytes[at + i] === byte)) return true;
  }
  return false;
}
