import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startVendors } from "../../workers/local/servers.ts";
import { readSecrets, type Settings } from "../../workers/local/settings.ts";

/** Where the simulated vendors answer, and the secret that their credentials are derived from. */
export type Vendors = { url: string; secret: string };

declare module "vitest" {
  interface ProvidedContext {
    vendors: Vendors;
  }
}

/** A port that nobody uses at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Starts the simulated vendors for a run of tests, with a small world and a state that is thrown away. */
export async function startTestVendors({
  readsPerDay = 120,
} = {}): Promise<Vendors & { settings: Settings; stop(): Promise<void> }> {
  const settings: Settings = {
    port: 0,
    vendorsPort: await freePort(),
    state: mkdtempSync(join(tmpdir(), "odin-vendors-")),
    readsPerDay,
    historyDays: 0,
  };
  const server = await startVendors(settings);
  return {
    settings,
    url: `http://127.0.0.1:${settings.vendorsPort}`,
    secret: readSecrets(settings).VENDOR_SECRET,
    async stop() {
      await server.dispose();
      rmSync(settings.state, { recursive: true, force: true });
    },
  };
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, secret, stop } = await startTestVendors();
  project.provide("vendors", { url, secret });
  return stop;
}
