// The configured push services. A channel with incomplete settings is off; the alert fan-out records that for every
// member concerned, so that a missing push can be explained.

import type { ProviderTokens, PushServices } from "#app/entities/alerts/push.ts";
import { publicPointOf } from "#app/lib/crypto/jwt.ts";
import { createApns } from "./apns.ts";
import { createWebPush } from "./web-push.ts";

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
