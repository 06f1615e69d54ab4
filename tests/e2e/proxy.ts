import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of a request: a whole answer, one that is cut off or held back in its middle, or none. */
type Way = "whole" | "cut" | "held" | "none";

/** Starts a connection to Odin on a port of its own, which does with each request as `wayOf` says. */
export async function startProxy(odin: string | undefined, wayOf: (path: string) => Way) {
  const server = createServer((asked, answer) => {
    const { method, headers, url = "/" } = asked;
    const way = wayOf(url);
    if (way === "none") return void asked.socket.destroy();
    const forwarded = request(new URL(url, odin), { method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      if (way === "whole") return void from.pipe(answer);
      from.once("data", (part: Buffer) => {
        answer.write(part.subarray(0, part.length / 2), () => way === "cut" && answer.destroy());
      });
    });
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://localhost:${port}`, [Symbol.asyncDispose]: stop };
}
