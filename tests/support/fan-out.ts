import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import { fanOutAlerts } from "#app/domain/alerts/fan-out.ts";
import type { PushChannel } from "#app/entities/alerts/push.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { base64, hex } from "#app/lib/crypto/encoding.ts";
import { seal, sha256 } from "#app/lib/crypto/primitives.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { deviceAddressOwner, saveDevice, savePreference } from "#app/store/alerts/push-devices.ts";
import { inOneStep } from "#app/store/database.ts";
import { bindings, newAgency, unique, vendors } from "../factories.ts";

/** A push that the simulator accepted. */
export type Taken = {
  channel: PushChannel;
  device: string;
  id: string;
  collapse: string;
  payload: Record<string, unknown>;
};

export const pushes = {
  async taken(): Promise<Taken[]> {
    return (await fetch(`${vendors.url}/_simulator/push`)).json();
  },
  async clear(): Promise<void> {
    await fetch(`${vendors.url}/_simulator/push`, { method: "DELETE" });
  },
  /** Creates a browser's subscription at the simulated push service. */
  async subscription(): Promise<{ endpoint: string; keys: { p256dh: string; auth: string } }> {
    return (await fetch(`${vendors.url}/_simulator/push/subscriptions`, { method: "POST" })).json();
  },
};

async function newKey(): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  return base64(new Uint8Array((await crypto.subtle.exportKey("pkcs8", pair.privateKey)) as ArrayBuffer));
}

const apnsKey = await newKey();
const APNS = { APNS_TOPIC: "app.odin.test", APNS_KEY_ID: "TESTKEY001", APNS_TEAM_ID: "TESTTEAM01" };

type Message = { body: Job; at: number };

/** Returns a queue that keeps its messages; `take` returns the one that is due first. */
function testQueue(clock: () => number) {
  const messages: Message[] = [];
  const queue = {
    messages,
    /** Set to true to make every send fail. */
    isDown: false,
    async send(body: Job, options: { delaySeconds?: number } = {}): Promise<void> {
      if (queue.isDown) throw new Error("the queue is down");
      messages.push({ body, at: clock() + (options.delaySeconds ?? 0) * 1000 });
    },
    async sendBatch(batch: Iterable<{ body: Job }>): Promise<void> {
      for (const { body } of batch) await queue.send(body);
    },
    take(): Message | undefined {
      messages.sort((a, b) => a.at - b.at);
      return messages.shift();
    },
  };
  return queue;
}

/** Returns an installation that uses the simulated push services, with a clock that the test controls. */
export function pushWorld(over: Partial<Env> = {}) {
  const time = { now: Date.now() };
  const clock = () => time.now;
  const queue = testQueue(clock);
  const env = {
    ...bindings,
    ...APNS,
    APNS_URL: vendors.url,
    APNS_KEY: apnsKey,
    ALERTS: queue as unknown as Queue<Job>,
    WEBHOOKS: queue as unknown as Queue<Job>,
    ...over,
  } as Env;
  const app = (): AppContext => createAppContext(env, { waitUntil: () => {} }, clock);
  return { app, queue, time, env };
}

/** Fans out one alert. Throws the error if it fails. */
export async function fanOutAlert(app: AppContext, alertId: string): Promise<void> {
  const failed = await fanOutAlerts(app, [alertId]);
  if (failed.has(alertId)) throw failed.get(alertId);
}

type Member = { id: string; tokens: string[] };

/** Returns a device token that no other test has. The simulator reacts to some prefixes, such as `bad` and `dead`. */
export function newToken(prefix = "1"): string {
  return (prefix + hex(crypto.getRandomValues(new Uint8Array(32)))).slice(0, 64);
}

/** Inserts many users in one statement. They have no password, because no one signs in as one of them. */
export async function insertUsers(agencyId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => unique("member"));
  await bindings.DB.prepare(
    `insert into users (id, agency_id, username, name, email, role, hotlist_viewer, password_hash, created_at)
     select value, ?1, value, value, value || '@police.example', 'user', 1, 'none', 1 from json_each(?2)`,
  )
    .bind(agencyId, JSON.stringify(ids))
    .run();
  return ids;
}

export async function newGroup(agencyId: string, userIds: readonly string[]) {
  const id = unique("group");
  await bindings.DB.batch([
    bindings.DB.prepare(
      `insert into alert_groups (id, agency_id, name, created_at, created_by, changed_at, changed_by)
       values (?1, ?2, ?1, 1, 'u', 1, 'u')`,
    ).bind(id, agencyId),
    bindings.DB.prepare(
      `insert into alert_group_members (group_id, user_id, added_at, added_by)
       select ?1, value, 1, 'u' from json_each(?2)`,
    ).bind(id, JSON.stringify(userIds)),
  ]);
  return { id, agencyId };
}

export async function wantsPushes(
  app: AppContext,
  userId: string,
  over: { enabled?: boolean; quietFrom?: number; quietUntil?: number; timeZone?: string } = {},
): Promise<void> {
  const { enabled = true, quietFrom = null, quietUntil = null, timeZone = "UTC" } = over;
  await inOneStep(app.db, [
    savePreference(app.db, { userId, at: 1, enabled, quietFrom, quietUntil, timeZone }),
  ]);
}

/** Adds devices to users without the API. The addresses are encrypted as the API encrypts them. */
export async function giveDevices(
  app: AppContext,
  devices: { userId: string; channel: PushChannel; address: string; known?: string }[],
): Promise<string[]> {
  const rows = await Promise.all(
    devices.map(async ({ userId, channel, address, known = address }) => {
      const addressHash = await sha256(known);
      const id = stableId("push-device", userId, addressHash);
      const sealedAddress = await seal(app.config.sealingKeys, deviceAddressOwner(id), address);
      return { id, userId, channel, name: "Device", addressHash, sealedAddress, createdAt: 1 };
    }),
  );
  for (let from = 0; from < rows.length; from += 50) {
    const [first, ...rest] = rows.slice(from, from + 50).map((row) => saveDevice(app.db, row));
    if (first) await inOneStep(app.db, [first, ...rest]);
  }
  return rows.map(({ id }) => id);
}

/** Creates a group of members who have pushes turned on, each with one phone. */
export async function newPushGroup(app: AppContext, count: number) {
  const agency = await newAgency();
  const ids = await insertUsers(agency.id, count);
  await bindings.DB.prepare(
    `insert into push_preferences (user_id, enabled, time_zone, changed_at) select value, 1, 'UTC', 1 from json_each(?1)`,
  )
    .bind(JSON.stringify(ids))
    .run();
  const group = await newGroup(agency.id, ids);
  const members: Member[] = ids.map((id) => ({ id, tokens: [newToken()] }));
  await giveDevices(
    app,
    members.map(({ id, tokens }) => ({ userId: id, channel: "apns", address: tokens[0] as string })),
  );
  return { agency, group, members };
}

export type DeliveryRow = {
  user_id: string;
  channel: string;
  state: string;
  reason: string;
  attempts: number;
  devices: string;
  created_at: number;
  next_at: number | null;
  updated_at: number;
};

export async function deliveriesOf(alertId: string, channel?: string): Promise<DeliveryRow[]> {
  const { results } = await bindings.DB.prepare(
    "select * from deliveries where alert_id = ?1 and (?2 is null or channel = ?2) order by user_id, channel",
  )
    .bind(alertId, channel ?? null)
    .all<DeliveryRow>();
  return results;
}
