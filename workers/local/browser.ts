/**
 * Browser Rendering on this machine: the installed Chromium behind the interface of Cloudflare's binding, so that
 * reports show street maps locally too. `POST /v1/devtools/browser` starts a browser and returns its session; the
 * WebSocket `/v1/devtools/browser/<session>` is its DevTools connection.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const FOLDERS = ["/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/google/chrome"];
const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/** Returns the path of the machine's Chromium: CHROMIUM_PATH or an installed one. */
export function installedChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env.CHROMIUM_PATH) return existsSync(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : undefined;
  const installed = FOLDERS.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...installed, MAC].find((path) => existsSync(path));
}

export type LocalBrowsers = { port: number; close: () => Promise<void> };

/** Serves browsers on a free port of this machine. */
export async function startBrowsers(chromium: string): Promise<LocalBrowsers> {
  const running = new Map<string, { child: ChildProcess; port: number }>();
  const children = new Set<ChildProcess>();
  const clients = new Set<Socket>();
  const server = createServer(async (request, response) => {
    if (request.method !== "POST" || !request.url?.startsWith("/v1/devtools/browser")) {
      response.writeHead(404).end();
      return;
    }
    try {
      const { child, started } = launchChromium(chromium);
      children.add(child);
      child.once("exit", () => children.delete(child));
      const { port, session } = await started;
      running.set(session, { child, port });
      child.once("exit", () => running.delete(session));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ sessionId: session }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.on("upgrade", (request, client: Socket, head) => {
    const session = /^\/v1\/devtools\/browser\/([\w-]+)/.exec(request.url ?? "")?.[1] ?? "";
    const browser = running.get(session);
    if (!browser) return client.destroy();
    const target = connect(browser.port, "127.0.0.1", () => {
      target.write(handshake(request, { session, port: browser.port }));
      target.write(head);
      client.pipe(target).pipe(client);
    });
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const)
      one.on("error", () => other.destroy());
    clients.add(client);
    client.once("close", () => {
      clients.delete(client);
      browser.child.kill();
    });
  });
  const port = await listening(server);
  return {
    port,
    async close() {
      // Also ends a browser that does not answer, and one that has not started yet. Its profile is deleted anyway.
      for (const child of children) child.kill("SIGKILL");
      for (const client of clients) client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the request with which the client's WebSocket continues at Chromium; the frames are the same. */
function handshake(
  { headers }: IncomingMessage,
  { session, port }: { session: string; port: number },
): string {
  return [
    `GET /devtools/browser/${session} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    `Sec-WebSocket-Key: ${headers["sec-websocket-key"]}`,
    "Sec-WebSocket-Version: 13",
    "\r\n",
  ].join("\r\n");
}

type Launch = { child: ChildProcess; started: Promise<{ port: number; session: string }> };

function launchChromium(path: string): Launch {
  const profile = mkdtempSync(join(tmpdir(), "odin-browser-"));
  const child = spawn(
    path,
    [
      "--headless=new",
      "--remote-debugging-port=0",
      "--no-first-run",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      `--user-data-dir=${profile}`,
      "about:blank",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  // Chromium's other processes write to it for a moment longer.
  child.once("exit", () =>
    rm(profile, { recursive: true, force: true, maxRetries: 10 }).catch((error: unknown) =>
      console.warn(`${profile} could not be deleted:`, error),
    ),
  );
  let text = "";
  const started = new Promise<{ port: number; session: string }>((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      text = (text + String(chunk)).slice(-2000);
      const [, port, session] = /ws:\/\/127\.0\.0\.1:(\d+)\/devtools\/browser\/([\w-]+)/.exec(text) ?? [];
      if (port && session) resolve({ port: Number(port), session });
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`Chromium did not start: ${text}`)));
  });
  return { child, started };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The browsers have no port.");
  return address.port;
}
