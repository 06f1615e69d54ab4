import type { ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newWebhookSecret, webhookHeaders } from "#app/lib/crypto/standard-webhooks.ts";
import { createReceiverPost } from "#app/providers/webhook-receiver.ts";
import { type Served, serve } from "./server.ts";

/** The deadline for receivers that do not answer. The others have the product's own deadline. */
const SHORT_MS = 400;

let served: Served;
let answer: (response: ServerResponse) => void = (response) => response.end();
let requests: string[] = [];

beforeAll(async () => {
  served = await serve((request, response) => {
    requests.push(request.url ?? "");
    response.on("error", () => {});
    answer(response);
  });
});
afterAll(() => served.close());

async function send(
  next: (response: ServerResponse) => void,
  options: { readMost?: number; url?: string; deadlineMs?: number } = {},
) {
  const { readMost = 0, url = `${served.url}/hook`, deadlineMs } = options;
  requests = [];
  answer = next;
  const post = createReceiverPost({
    allowLoopback: true,
    hosts: [],
    clock: Date.now,
    ...(deadlineMs && { deadlineMs }),
  });
  return { outcome: await post({ url, headers: { "webhook-id": "msg_1" }, body: "{}", readMost }) };
}

describe("a receiver", () => {
  it("that accepts a message is reported with its status and the beginning of its response", async () => {
    const { outcome } = await send((response) => response.writeHead(202).end("x".repeat(5000)), {
      readMost: 1000,
    });
    expect(outcome).toEqual({
      kind: "answered",
      status: 202,
      retryAfterMs: undefined,
      text: "x".repeat(1000),
    });
  });

  it("that never answers fails at the deadline", async () => {
    const { outcome } = await send(() => {}, { deadlineMs: SHORT_MS });
    expect(outcome).toEqual({ kind: "unanswered", reason: "No answer in time" });
  });

  it("that answers after the deadline fails", async () => {
    const late = (response: ServerResponse) => setTimeout(() => response.end("late"), SHORT_MS * 10);
    const { outcome } = await send(late, { deadlineMs: SHORT_MS });
    expect(outcome).toEqual({ kind: "unanswered", reason: "No answer in time" });
  });

  it("that redirects is reported with its status, and the redirect is not followed", async () => {
    const { outcome } = await send((response) => response.writeHead(307, { location: "/elsewhere" }).end());
    expect(outcome).toMatchObject({ kind: "answered", status: 307 });
    expect(requests).toEqual(["/hook"]);
  });

  it.each([0, 1000])("that sends 100 MB is read only as far as %d bytes", async (readMost) => {
    let sent = 0;
    const chunk = Buffer.alloc(1024 * 1024, "x");
    const closed = Promise.withResolvers<void>();
    const { outcome } = await send(
      (response) => {
        response.once("close", closed.resolve);
        response.writeHead(200);
        const write = () => {
          while (sent < 100 && !response.destroyed) {
            sent++;
            if (!response.write(chunk)) return void response.once("drain", write);
          }
          response.end();
        };
        write();
      },
      { readMost },
    );
    expect(outcome).toMatchObject({ kind: "answered", status: 200, text: "x".repeat(readMost) });
    await closed.promise;
    expect(sent).toBeLessThan(100);
  });

  it("that starts a body and stalls keeps its status, and ends at the deadline", async () => {
    const { outcome } = await send((response) => void response.writeHead(500).write("half"), {
      readMost: 1000,
      deadlineMs: 2000,
    });
    expect(outcome).toMatchObject({ kind: "answered", status: 500 });
  });

  it("that closes the connection, or does not listen, is unreachable", async () => {
    const closed = await send((response) => response.destroy());
    expect(closed.outcome).toEqual({ kind: "unanswered", reason: "Could not be reached" });
    const absent = await send(() => {}, { url: "http://127.0.0.1:1/hook" });
    expect(absent.outcome).toEqual({ kind: "unanswered", reason: "Could not be reached" });
  });

  it("is sent the query of its address", async () => {
    const { outcome } = await send((response) => response.end(), {
      url: `${served.url}/hook?code=a%2Bb&sig=c`,
    });
    expect(outcome).toMatchObject({ kind: "answered", status: 200 });
    expect(requests).toEqual(["/hook?code=a%2Bb&sig=c"]);
  });

  it("that sends Retry-After has its delay reported", async () => {
    const { outcome } = await send((response) => response.writeHead(429, { "retry-after": "90" }).end());
    expect(outcome).toMatchObject({ status: 429, retryAfterMs: 90_000 });
  });
});

describe("an address", () => {
  const strict = createReceiverPost({ allowLoopback: false, hosts: ["*.example.gov"], clock: Date.now });
  it.each([
    ["http://cad.example.gov/hook", /https/],
    ["https://10.0.0.8/hook", /public host/],
    ["https://[::ffff:10.0.0.8]/hook", /public host/],
    ["https://localhost/hook", /public host/],
    ["https://cad.example.gov:8443/hook", /standard https port/],
    ["https://cad.example.gov/hook#token", /fragment/],
    ["https://user:secret@cad.example.gov/hook", /user name or password/],
    ["https://cad.example.com/hook", /WEBHOOK_HOSTS/],
  ])("%s is not called", async (url, problem) => {
    const outcome = await strict({ url, headers: {}, body: "{}", readMost: 0 });
    expect(outcome).toEqual({ kind: "forbidden", reason: expect.stringMatching(problem) });
  });
});

describe("a signature", () => {
  const body = JSON.stringify({ type: "hit", data: { alert_id: "a" } });

  it("is accepted by the specification's own library, with the secret and with the former one", async () => {
    const [secret, former] = [newWebhookSecret(), newWebhookSecret()];
    const headers = await webhookHeaders({ id: "msg_1", at: Date.now(), body, secrets: [secret, former] });
    for (const known of [secret, former])
      expect(new Webhook(known).verify(body, headers)).toMatchObject({ type: "hit" });
  });

  it("is refused for another body, another secret, and an old time", async () => {
    const secret = newWebhookSecret();
    const headers = await webhookHeaders({ id: "msg_1", at: Date.now(), body, secrets: [secret] });
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(/signature/i);
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow(/signature/i);
    const old = await webhookHeaders({ id: "msg_1", at: Date.now() - 3_600_000, body, secrets: [secret] });
    expect(() => new Webhook(secret).verify(body, old)).toThrow(/too old/i);
  });
});
