import { join } from "node:path";
import { unstable_startWorker as startWorker } from "wrangler";
import { type Identity, startIdentity } from "../vendors/identity/server.ts";
import { installedChromium, startBrowsers } from "./browser.ts";
import { notedBasemap, pushedUntil, ROOT, readSecrets, type Settings, secretsFile } from "./settings.ts";

const DAY = 24 * 60 * 60 * 1000;

type Server = Awaited<ReturnType<typeof startWorker>>;

/** Options of both servers: this machine only, no inspector, and no restart when a file changes. */
function quietly(port: number, persist: string) {
  return {
    server: { hostname: "127.0.0.1", port },
    inspector: false,
    watch: false,
    persist,
    logLevel: process.env.ODIN_VERBOSE ? "debug" : "error",
  } as const;
}

/** Starts the simulated vendors in their own workerd and waits until they answer. */
export async function startVendors(settings: Settings): Promise<Server> {
  const text = (value: string) => ({ type: "plain_text", value }) as const;
  const server = await startWorker({
    config: join(ROOT, "workers/vendors/wrangler.toml"),
    envFiles: [],
    bindings: {
      VENDOR_SECRET: text(readSecrets(settings).VENDOR_SECRET),
      WORLD_READS_PER_DAY: text(String(settings.readsPerDay)),
    },
    dev: quietly(settings.vendorsPort, join(settings.state, "vendors")),
  });
  await server.ready;
  return server;
}

/** Starts the demo's identity provider, at which the agency Hartford is registered. */
export async function startIdentityOf(settings: Settings): Promise<Identity> {
  const { port, identityPort } = settings;
  return startIdentity({
    port: identityPort,
    secret: readSecrets(settings).VENDOR_SECRET,
    origins: [`http://localhost:${port}`, `http://127.0.0.1:${port}`],
  });
}

/**
 * Starts the built app in workerd and waits until it answers. `/__scheduled?cron=…` runs a cron by hand. With
 * BASEMAP_URL in the environment, or after `npm run basemap`, maps show streets; in reports only if this machine has
 * Chromium.
 */
export async function startApp(settings: Settings): Promise<Pick<Server, "dispose">> {
  const { BASEMAP_URL = notedBasemap(settings) } = process.env;
  const chromium = BASEMAP_URL === "" ? undefined : installedChromium();
  const browsers = chromium ? await startBrowsers(chromium) : undefined;
  const server = await startWorker({
    config: join(ROOT, "wrangler.toml"),
    ...(settings.latency && { entrypoint: join(ROOT, "workers/slow-app.ts") }),
    envFiles: [secretsFile(settings)],
    // The simulator is also a geocoder in Nominatim's format, a virus scanner and Apple's push service.
    bindings: {
      APNS_URL: { type: "plain_text", value: `http://127.0.0.1:${settings.vendorsPort}` },
      APNS_TOPIC: { type: "plain_text", value: "app.odin.demo" },
      VAPID_SUBJECT: { type: "plain_text", value: "mailto:odin@hartford-pd.example" },
      GEOCODER_URL: { type: "plain_text", value: `http://127.0.0.1:${settings.vendorsPort}` },
      SCANNER_URL: { type: "plain_text", value: `http://127.0.0.1:${settings.vendorsPort}/scan` },
      ...(BASEMAP_URL !== "" && { BASEMAP_URL: { type: "plain_text", value: BASEMAP_URL } }),
      ...(browsers && {
        BROWSER: {
          type: "fetcher",
          fetcher: { external: { address: `127.0.0.1:${browsers.port}`, http: {} } },
        },
      }),
      ...(settings.latency && {
        SIMULATED_LATENCY: { type: "plain_text", value: JSON.stringify(settings.latency) },
      }),
      ...(process.env.SOURCE_DEADLINE_MS && {
        SOURCE_DEADLINE_MS: { type: "plain_text", value: process.env.SOURCE_DEADLINE_MS },
      }),
      ...(process.env.RESTORE_TOKEN && {
        RESTORE_TOKEN: { type: "plain_text", value: process.env.RESTORE_TOKEN },
      }),
    },
    dev: { ...quietly(settings.port, settings.state), testScheduled: true },
  });
  await server.ready;
  return {
    async dispose() {
      await server.dispose();
      await browsers?.close();
    },
  };
}

type Pushed = { sent: number; total: number; failed: number; lastError?: string };

/**
 * Makes the Axis cameras push their reads between two instants; reports progress. Pushing a pass again creates no
 * second read.
 */
export async function pushPasses(
  settings: Settings,
  window: { from: number; to: number },
  progress: (pushed: Pushed) => void,
): Promise<void> {
  const { from, to } = window;
  const response = await fetch(`http://127.0.0.1:${settings.vendorsPort}/_simulator/axis/push`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      webhook: `http://127.0.0.1:${settings.port}/ingest/axis`,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      concurrency: 6,
    }),
  });
  if (!response.ok || !response.body) throw new Error(`The cameras could not push: ${await response.text()}`);
  let rest = "";
  let last: Pushed | undefined;
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const lines = (rest + decoder.decode(step.value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const pushed: Pushed = JSON.parse(line);
      last = pushed;
      progress(pushed);
    }
  }
  if (last && last.failed > 0) throw new Error(`${last.failed} passes were refused: ${last.lastError ?? ""}`);
}

/** Makes the demo's cameras report everything that passed them in a window: previews, images, heartbeats. */
export async function reportLive(settings: Settings, window: { from: number; to: number }): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${settings.vendorsPort}/_simulator/live`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      origin: `http://127.0.0.1:${settings.port}`,
      from: new Date(window.from).toISOString(),
      to: new Date(window.to).toISOString(),
    }),
  });
  if (!response.ok) throw new Error(`The live cameras could not report: ${await response.text()}`);
  const { failed, lastError }: { failed: number; lastError: string } = await response.json();
  if (failed > 0) throw new Error(`${failed} live events were refused: ${lastError}`);
}

/** Returns the time from which cameras have reads to push: their last push, or the configured number of days ago. */
export function pushedSince(settings: Settings): number {
  return Math.max(pushedUntil(settings) ?? 0, Date.now() - settings.historyDays * DAY);
}
