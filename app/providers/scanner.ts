// Asks a virus scanner about a file before it is stored. The contract is our own and small, so that a few lines of
// adapter suffice for any scanner: POST the bytes; the answer is {"clean": true} or {"clean": false, "found": "name"}.
// Any other answer, or none within the time limit, does not count as clean.

import * as z from "zod/mini";
import { readBytes } from "#app/lib/files/bodies.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { publicAddressProblem } from "#app/lib/public-address.ts";

type Scanned = { clean: true } | { clean: false; found: string };

export type Scanner = {
  /** Returns the scanner's result for a file. Throws Error if the scanner fails or its answer is invalid. */
  scan(bytes: Uint8Array<ArrayBuffer>): Promise<Scanned>;
};

export type ScannerOptions = {
  /** Sent as a bearer token if it is set. */
  /** Sent as a bearer token where it is set. */
  token: string;
  allowLoopback: boolean;
};

const PATIENCE_MS = 30_000;
const LIMIT = 16 * 1024;

const Answer = z.union([
  z.object({ clean: z.literal(true) }),
  z.object({ clean: z.literal(false), found: z._default(z.string(), "") }),
]);

/** Returns the scanner at a configured URL, or null if none is configured. */
export function createScanner({ url, token, allowLoopback }: ScannerOptions): Scanner | null {
  if (url.trim() === "") return null;
  return {
    scan: async (bytes) => {
      const problem = publicAddressProblem(url, { allowLoopback });
      if (problem) throw new Error(`SCANNER_URL: ${problem}`);
      const response = await fetch(url, {
        method: "POST",
        headers: {
          accept: "application/json",
          "content-type": "application/octet-stream",
          ...(token && { authorization: `Bearer ${token}` }),
        },
        body: bytes,
        redirect: "manual",
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`the scanner answered ${response.status}`);
      }
      const text = new TextDecoder().decode(await readBytes(response, LIMIT));
      const answer = Answer.safeParse(parseJson(text));
      if (!answer.success) throw new Error("the scanner's answer is not as documented");
      return answer.data.clean ? answer.data : { clean: false, found: answer.data.found.slice(0, 200) };
    },
  };
}
