// Simulates Apple's push service for the bench `posts`: answers each push after a delay and records the time.

import { createServer } from "node:http";

/** The response time of the push service. */
const ANSWER_MS = 50;

export type Push = { alertId: string; device: string; at: number };

/** Starts the service on this machine. */
export async function startPhones() {
  const pushes: Push[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () =>
      setTimeout(() => {
        const device = (request.url ?? "").split("/").at(-1) ?? "";
        pushes.push({ alertId: String(request.headers["apns-collapse-id"]), device, at: performance.now() });
        response.writeHead(200, { "apns-id": String(request.headers["apns-id"]) }).end();
      }, ANSWER_MS),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the push service has no port");
  return { url: `http://127.0.0.1:${address.port}`, pushes, close: () => server.close() };
}
