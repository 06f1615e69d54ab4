import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../workers/local/settings.ts";
import { temporaryFolder } from "../support/operations/memory-folder.ts";
import { startProduct } from "../support/operations/product.ts";
import { freePort } from "../support/vendors.ts";

/** Starts Odin as `npm start` does, with little demo data in a temporary folder; returns a function that stops it. */
export default async function start(): Promise<() => Promise<void>> {
  const state = mkdtempSync(join(temporaryFolder(), "odin-e2e-"));
  const [port, vendorsPort, identityPort] = [await freePort(), await freePort(), await freePort()];
  // The agencies are created after this time.
  process.env.ODIN_STARTED = String(Date.now());
  const removeState = () => rmSync(state, { recursive: true, force: true });
  const stop = await startProduct(ROOT, {
    PORT: String(port),
    VENDORS_PORT: String(vendorsPort),
    IDENTITY_PORT: String(identityPort),
    ODIN_STATE: state,
    ODIN_SKIP_BUILD: "1",
    DEMO_DAYS: "3",
    DEMO_READS_PER_DAY: "150",
    // Live reads during a test would change counts, create alerts and appear above the expected results.
    DEMO_LIVE: "0",
    // Tests hold a vendor's answer while they check a running search.
    SOURCE_DEADLINE_MS: "150000",
  }).catch((error: unknown) => {
    removeState();
    throw error;
  });
  process.env.ODIN_URL = `http://localhost:${port}`;
  process.env.ODIN_STATE = state;
  process.env.ODIN_VENDORS_URL = `http://127.0.0.1:${vendorsPort}`;
  process.env.ODIN_IDENTITY_URL = `http://127.0.0.1:${identityPort}`;
  return () => stop().finally(removeState);
}
