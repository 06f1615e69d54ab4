import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { isFree } from "../../workers/local/processes.ts";
import { startIdentityOf, startVendors } from "../../workers/local/servers.ts";
import { readSecrets, type Settings } from "../../workers/local/settings.ts";
import { startHostileProvider } from "./hostile-provider.ts";

/** The address of the simulated vendors, and the secret that their credentials are derived from. */
export type Vendors = { url: string; secret: string };

declare module "vitest" {
  interface ProvidedContext {
    vendors: Vendors;
    /** The issuers of a real identity provider and of one that answers whatever a test tells it to. */
    identity: { issuer: string; hostile: string };
  }
}

/** Below the ephemeral ports, so that no outgoing connection takes a server's port while it starts. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];
const returned = new Set<number>();

/** Returns a free port, a different one at every call. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    if (returned.has(port) || !(await isFree(port))) continue;
    returned.add(port);
    return port;
  }
  throw new Error("There is no free port.");
}

/** Starts the simulated vendors for a test run, with a small world and temporary state. */
export async function startTestVendors({
  readsPerDay = 120,
} = {}): Promise<Vendors & { settings: Settings; stop(): Promise<void> }> {
  const settings: Settings = {
    port: 0,
    vendorsPort: await freePort(),
    identityPort: await freePort(),
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
  const { url, secret, settings, stop } = await startTestVendors();
  const identity = await startIdentityOf(settings);
  const hostile = await startHostileProvider(await freePort());
  project.provide("vendors", { url, secret });
  project.provide("identity", { issuer: identity.issuer, hostile: hostile.issuer });
  return async () => {
    await Promise.all([identity.dispose(), hostile.dispose()]);
    await stop();
  };
}
