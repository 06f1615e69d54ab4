import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Ends a start that hangs. Long enough for a machine that is many times slower. */
const PATIENCE_MS = 420_000;
const KEPT_OUTPUT = 10_000;

/**
 * Starts the product of a folder as `npm start` does and waits until it is ready. Returns a function that stops it.
 * Throws an Error with the end of its output if it does not start.
 */
export async function startProduct(
  folder: string,
  env: Record<string, string>,
): Promise<() => Promise<void>> {
  const product = spawn(process.execPath, [join(folder, "workers/local/start.ts")], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const ended = once(product, "exit");
  const stop = async () => {
    product.kill("SIGTERM");
    await ended;
  };
  let output = "";
  try {
    await new Promise<void>((resolve, reject) => {
      const patience = setTimeout(
        () => reject(new Error(`Odin did not start in time:\n${output}`)),
        PATIENCE_MS,
      );
      // Reads all output, because a process blocks if no one reads its output.
      const read = (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
        if (!output.includes("Odin is ready at")) return;
        clearTimeout(patience);
        resolve();
      };
      product.stdout.on("data", read);
      product.stderr.on("data", read);
      ended.then(() => {
        clearTimeout(patience);
        reject(new Error(`Odin ended before it was ready:\n${output}`));
      });
    });
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
