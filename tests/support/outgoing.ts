import { Webhook } from "standardwebhooks";
import { bindings, type Client, jsonInit, unique, vendors } from "../factories.ts";

/** A message as the simulated receiver kept it. */
export type Received = { name: string; query: string; headers: Record<string, string>; body: string };

export const receiver = {
  url: (name: string) => `${vendors.url}/receiver/${name}`,
  async received(name: string): Promise<Received[]> {
    return (await fetch(`${vendors.url}/_simulator/receiver?name=${name}`)).json();
  },
};

export type Added = { id: string; secret: string; name: string };

/** Adds a webhook that has its own receiver, as a user would. */
export async function addWebhook(who: Client, over: object = {}): Promise<Added> {
  const name = unique("receiver");
  const body = { name, url: receiver.url(name), events: ["hit", "disposition", "expiring"], ...over };
  const answer = await who.post("/outgoing-webhooks", body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return { name, ...((await answer.json()) as { id: string; secret: string }) };
}

export const put = (body: object): RequestInit => jsonInit(body, { method: "PUT" });

type Message = { type: string; timestamp: string; data: Record<string, unknown> };

/** Verifies a message with the specification's library, at the message's own timestamp. Returns its content. */
export function verified(message: Received, secret: string): Message {
  const signedAt = Number(message.headers["webhook-timestamp"]) * 1000;
  const now = Date.now;
  Date.now = () => signedAt;
  try {
    return new Webhook(secret).verify(message.body, message.headers) as Message;
  } finally {
    Date.now = now;
  }
}

export type DeliveryRow = {
  id: string;
  event: string;
  state: string;
  attempts: number;
  status: number | null;
  reason: string;
  next_at: number | null;
  updated_at: number;
  alert_id: string;
};

export async function outgoingOf(webhookId: string): Promise<DeliveryRow[]> {
  const { results } = await bindings.DB.prepare(
    "select * from outgoing_deliveries where webhook_id = ? order by created_at, id",
  )
    .bind(webhookId)
    .all<DeliveryRow>();
  return results;
}
