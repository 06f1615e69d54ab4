import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Served = { url: string; close: () => Promise<void> };

/** Starts a local server for one test file, on a free port. */
export async function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Served> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Starts a server for a Worker's fetch handler, to send its responses over real HTTP. */
export function serveWorker(fetchHandler: (request: Request) => Promise<Response>): Promise<Served> {
  return serve(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: incoming.headers as Record<string, string>,
      ...(hasBody && { body: Buffer.concat(chunks) }),
    });
    const closed = new Promise<void>((resolve) => outgoing.once("close", resolve));
    try {
      const response = await fetchHandler(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      const reader = response.body?.getReader();
      while (reader && !outgoing.destroyed) {
        const { done, value } = await reader.read();
        if (done) break;
        if (!outgoing.write(value)) {
          await Promise.race([new Promise<void>((resolve) => outgoing.once("drain", resolve)), closed]);
        }
      }
      await reader?.cancel();
      outgoing.end();
    } catch {
      outgoing.destroy();
    }
  });
}
