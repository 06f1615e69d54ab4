import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../workers/local/settings.ts";
import { freePort } from "../support/vendors.ts";

const PATIENCE_MS = 420_000;

/** Starts Odin as `npm start` does, with little demo data in a temporary folder; returns a function that stops it. */
export default async function start(): Promise<() => Promise<void>> {
  const state = mkdtempSync(join(tmpdir(), "odin-e2e-"));
  const [port, vendorsPort, identityPort] = [await freePort(), await freePort(), await freePort()];
  const odin = spawn(process.execPath, [join(ROOT, "workers/local/start.ts")], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      PORT: String(port),
      VENDORS_PORT: String(vendorsPort),
      IDENTITY_PORT: String(identityPort),
      ODIN_STATE: state,
      ODIN_SKIP_BUILD: "1",
      DEMO_DAYS: "3",
      DEMO_READS_PER_DAY: "150",
      // Live reads during a test would change counts, raise alerts and appear above the expected results.
      DEMO_LIVE: "0",
    },
  });
  const ended = once(odin, "exit");
  let output = "";
  const ready = new Promise<void>((resolve, reject) => {
    const patience = setTimeout(
      () => reject(new Error(`Odin did not start in time:\n${output}`)),
      PATIENCE_MS,
    );
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000);
      if (!output.includes("Odin is ready at")) return;
      clearTimeout(patience);
      resolve();
    };
    odin.stdout.on("data", read);
    odin.stderr.on("data", read);
    ended.then(() => reject(new Error(`Odin ended before it was ready:\n${output}`)));
  });
  const stop = async () => {
    odin.kill("SIGTERM");
    await ended;
    rmSync(state, { recursive: true, force: true });
  };
  try {
    await ready;
  } catch (error) {
    await stop();
    throw error;
  }
  process.env.ODIN_URL = `http://localhost:${port}`;
  process.env.ODIN_STATE = state;
  process.env.ODIN_VENDORS_URL = `http://127.0.0.1:${vendorsPort}`;
  process.env.ODIN_IDENTITY_URL = `http://127.0.0.1:${identityPort}`;
  return stop;
}
