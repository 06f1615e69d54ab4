import { spawn } from "node:child_process";
import { ROOT, WRANGLER } from "../settings.ts";

/** Runs wrangler with these arguments, unseen. Returns its output, or null if it failed. */
export function askWrangler(...words: string[]): Promise<string | null> {
  const child = spawn(process.execPath, [WRANGLER, ...words], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", FORCE_COLOR: "0" },
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  return new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", (code) => resolve(code === 0 ? printed : null));
  });
}
