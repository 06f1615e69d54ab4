// The configured push services, and pushes to browsers. A channel with incomplete settings is off; the alert fan-out
// records that for every member concerned, so that a missing push can be explained.

import {
  type ProviderTokens,
  type PushMessage,
  type PushSender,
  type PushServices,
  Subscription,
} from "#app/entities/alerts/push.ts";
import { importEs256Key, publicPointOf, signJwt } from "#app/lib/crypto/jwt.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { encryptPush } from "#app/lib/crypto/web-push-encryption.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { logError } from "#app/lib/log.ts";
import { pushEndpointProblem } from "#app/lib/public-address.ts";
import { HOUR, SECOND } from "#app/lib/time/dates.ts";
import { createApns } from "./apns.ts";
import { commonOutcome, postPush } from "./push-http.ts";

export type PushConfig = {
  apns: { url: string; topic: string; key: string; keyId: string; teamId: string };
  /** A P-256 key as PKCS #8 in base64, with or without a version prefix, and the contact for push services. */
  vapid: { key: string; subject: string };
  tokens: ProviderTokens;
  clock: () => number;
  allowLoopback: boolean;
  /** Hosts of browsers' push services. */
  hosts: readonly string[];
};

type WebPushOptions = {
  /** P-256 private key, PKCS #8 in base64. */
  key: string;
  /** `mailto:` or `https:` address of the operator for the push service; empty for none. */
  subject: string;
  clock: () => number;
  allowLoopback: boolean;
  /** Push service hosts that may be called. */
  hosts: readonly string[];
};

/**
 * 403: the browser subscribed with a key other than the one that signed (RFC 8292 section 4.2), or the signature is
 * wrong. Apple names the second case by a reason.
 */
const OTHER_KEY = "Turn on again in this browser";

/** RFC 8292 allows at most a day. */
const TOKEN_LASTS_MS = 12 * HOUR;

/**
 * Returns a sender to browsers (RFC 8030) with VAPID (RFC 8292). The address is the subscription as JSON. It comes from a
 * browser, so it is checked at every use. The push service can read neither the payload, which only the browser can
 * decrypt, nor the name of the hit's list.
 */
function createWebPush(options: WebPushOptions): PushSender {
  const { subject, clock, allowLoopback, hosts } = options;
  const authorizations = new Map<string, Promise<string>>();

  async function authorize(audience: string): Promise<string> {
    const exp = Math.floor((clock() + TOKEN_LASTS_MS) / SECOND);
    const claims = { aud: audience, exp, ...(subject !== "" && { sub: subject }) };
    const token = await signJwt(await importEs256Key(options.key), { claims });
    return `vapid t=${token}, k=${await publicPointOf(options.key)}`;
  }

  function authorizationFor(audience: string): Promise<string> {
    const known = authorizations.get(audience) ?? authorize(audience);
    authorizations.set(audience, known);
    return known;
  }

  async function headersOf(endpoint: string, message: PushMessage): Promise<Record<string, string>> {
    const left = Math.max(0, Math.floor((message.expiresAt - clock()) / SECOND));
    return {
      authorization: await authorizationFor(new URL(endpoint).origin),
      "content-type": "application/octet-stream",
      "content-encoding": "aes128gcm",
      ttl: String(left),
      urgency: "high",
      // At most 32 characters; a later push for the same hit replaces a pending one.
      topic: stableId("push", message.alertId),
    };
  }

  return async (address, message) => {
    const subscription = Subscription.safeParse(parseJson(address));
    if (!subscription.success) return { kind: "gone", reason: "Unreadable subscription" };
    const { endpoint, keys } = subscription.data;
    if (pushEndpointProblem(endpoint, { allowLoopback, hosts }))
      return { kind: "gone", reason: "Address not allowed" };
    let headers: Record<string, string>;
    let body: Uint8Array<ArrayBuffer>;
    try {
      headers = await headersOf(endpoint, message);
      body = await encryptPush(JSON.stringify({ alert_id: message.alertId, badge: message.badge }), keys);
    } catch (error) {
      logError("a push to a browser could not be encrypted", error);
      return { kind: "refused", reason: "Not encrypted" };
    }
    const answer = await postPush(endpoint, { headers, body, now: clock() });
    if (answer?.status === 404) return { kind: "gone", reason: "Unregistered" };
    const common = commonOutcome(answer);
    if (common) return common;
    const refused = { kind: "refused", reason: `Status ${answer?.status}` } as const;
    return answer?.status === 403 && answer.reason === "" ? { ...refused, orGone: OTHER_KEY } : refused;
  };
}

/** Returns the senders of an installation; null for a channel that is not configured. */
export function createPushServices(config: PushConfig): PushServices {
  const { apns, tokens, clock, allowLoopback, hosts } = config;
  const hasApns = Object.values(apns).every((value) => value !== "");
  const vapid = { ...config.vapid, key: config.vapid.key.replace(/^\s*\d+:/, "") };
  const hasVapid = vapid.key !== "";
  return {
    apns: hasApns ? createApns({ ...apns, tokens, clock, allowLoopback }) : null,
    webpush: hasVapid ? createWebPush({ ...vapid, clock, allowLoopback, hosts }) : null,
    vapidPublicKey: async () => (hasVapid ? publicPointOf(vapid.key) : null),
  };
}
