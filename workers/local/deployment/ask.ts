import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { ROOT, WRANGLER } from "../settings.ts";

/**
 * Wrangler's output, by command, if the requested thing does not exist or no one is signed in. Any other output is a
 * failure that says nothing about the account: the network, a missing permission, a login with several accounts.
 */
const NOT_FOUND: Record<string, RegExp> = {
  whoami: /"loggedIn":\s*false/,
  d1: /\[code: 7404\]/,
  r2: /\[code: 10006\]/,
  queues: /Queue "[^"]+" does not exist/,
  secret: /Worker "[^"]+" not found/,
};

/** Asks who is signed in. Without --json, wrangler also succeeds if no one is. */
export const WHO = ["whoami", "--json"];
export const NOT_SIGNED_IN = "wrangler is not signed in: npx wrangler login";

/** A wrangler command that failed, or whose answer cannot be read. Its message contains what wrangler printed. */
export class WranglerError extends Error {
  constructor(words: readonly string[], problem: string, printed: string) {
    super(`npx wrangler ${words.join(" ")} ${problem}:\n${printed.trim()}`);
    this.name = "WranglerError";
  }
}

/**
 * Runs wrangler with these arguments and without showing its output. Returns its output, or null if wrangler says that there is no such thing.
 * Throws a WranglerError if it failed otherwise.
 */
export function askWrangler(...words: string[]): Promise<string | null> {
  const child = spawn(process.execPath, [WRANGLER, ...words], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", FORCE_COLOR: "0" },
  });
  let printed = "";
  let everything = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
    everything += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    everything += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", ({ message }) => reject(new WranglerError(words, "could not be started", message)));
    child.once("close", (code) => {
      // Wrangler colors its errors even without a terminal.
      const text = stripVTControlCharacters(everything);
      if (code === 0) resolve(printed);
      else if (NOT_FOUND[words[0] ?? ""]?.test(text)) resolve(null);
      else reject(new WranglerError(words, "failed", text));
    });
  });
}
