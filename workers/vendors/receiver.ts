/**
 * A receiver of Odin's outgoing webhooks: POST /receiver/{name} accepts a message and keeps it. It verifies nothing,
 * because it does not know the secret; the tests verify what it kept.
 */

type Received = {
  name: string;
  at: number;
  query: string;
  headers: Record<string, string>;
  body: string;
};

/** The newest messages; the demo runs for days. */
const KEPT = 500;
const HEADERS = ["content-type", "user-agent", "webhook-id", "webhook-timestamp", "webhook-signature"];

let received: Received[] = [];

/** Returns the receiver's name if a request is a message for one. */
export function receiverName(request: Request, path: string[]): string | null {
  return request.method === "POST" && path[0] === "receiver" && path.length === 2 ? (path[1] ?? null) : null;
}

export async function handleReceiver(request: Request, name: string): Promise<Response> {
  const headers = Object.fromEntries(HEADERS.map((key) => [key, request.headers.get(key) ?? ""]));
  const { search: query } = new URL(request.url);
  received = [...received, { name, at: Date.now(), query, headers, body: await request.text() }].slice(-KEPT);
  return Response.json({ accepted: true });
}

/** Answers with the messages since the start or the last DELETE, of one receiver if `name` is given. */
export function handleReceived(request: Request): Response {
  const name = new URL(request.url).searchParams.get("name");
  if (request.method === "DELETE") received = [];
  return Response.json(name === null ? received : received.filter((message) => message.name === name));
}
