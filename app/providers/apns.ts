// Apple's push service (HTTP/2 provider API, token-based). The payload contains only the id of a hit; Odin checks
// access when it is opened. All isolates share one token, renewed every forty minutes, because Apple rejects callers
// whose token changes more often than every twenty minutes.

import {
  type ProviderToken,
  type ProviderTokens,
  PUSH_BODY,
  PUSH_TITLE,
  type PushMessage,
  type PushOutcome,
  type PushSender,
} from "#app/entities/alerts/push.ts";
import { importEs256Key, signJwt } from "#app/lib/crypto/jwt.ts";
import { logError } from "#app/lib/log.ts";
import { publicAddressProblem } from "#app/lib/public-address.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { commonOutcome, type PushAnswer, postPush } from "./push-http.ts";

export type ApnsOptions = {
  /** Apple's host, or a relay that speaks HTTP/2 with it. */
  url: string;
  /** The app's bundle id. */
  topic: string;
  /** The content of Apple's .p8 file. */
  key: string;
  keyId: string;
  teamId: string;
  tokens: ProviderTokens;
  clock: () => number;
  allowLoopback: boolean;
};

/** Apple accepts a token for an hour, and a new one every twenty minutes. */
const RENEW_AFTER_MS = 40 * MINUTE;
const RENEW_NOT_BEFORE_MS = 20 * MINUTE;

/** Reasons why the device token is not, and will not be, valid for this app. */
const GONE = new Set(["BadDeviceToken", "DeviceTokenNotForTopic", "Unregistered", "ExpiredToken"]);
/** Reasons about our provider token: a newer one may be accepted. */
const STALE = new Set(["ExpiredProviderToken", "InvalidProviderToken", "MissingProviderToken"]);

/** Returns a sender to iPhones; the address is the device token. */
export function createApns(options: ApnsOptions): PushSender {
  const { url, topic, keyId, teamId, tokens, clock, allowLoopback } = options;
  const id = `apns:${teamId}:${keyId}`;
  let current: Promise<ProviderToken> | undefined;

  async function makeToken(): Promise<ProviderToken> {
    const key = await importEs256Key(options.key);
    const issuedAt = clock();
    const claims = { iss: teamId, iat: Math.floor(issuedAt / SECOND) };
    return { token: await signJwt(key, { header: { kid: keyId }, claims }), issuedAt };
  }

  async function renewed(): Promise<ProviderToken> {
    return tokens.replace(id, await makeToken(), clock() - RENEW_NOT_BEFORE_MS);
  }

  async function findToken(): Promise<ProviderToken> {
    const known = await tokens.find(id);
    return known && known.issuedAt > clock() - RENEW_AFTER_MS ? known : renewed();
  }

  function providerToken(): Promise<ProviderToken> {
    current ??= findToken();
    return current;
  }

  /** Replaces a token that Apple rejected, unless it is too new to be replaced. The next attempt uses the new one. */
  async function replaceStale(stale: ProviderToken): Promise<void> {
    if (stale.issuedAt > clock() - RENEW_NOT_BEFORE_MS) return;
    current = renewed();
    await current;
  }

  async function post(device: string, token: string, message: PushMessage): Promise<PushAnswer | undefined> {
    return postPush(`${url.replace(/\/+$/, "")}/3/device/${device}`, {
      now: clock(),
      headers: {
        authorization: `bearer ${token}`,
        "content-type": "application/json",
        "apns-topic": topic,
        "apns-push-type": "alert",
        "apns-priority": "10",
        "apns-id": message.id,
        "apns-collapse-id": message.alertId.slice(0, 64),
        "apns-expiration": String(Math.floor(message.expiresAt / SECOND)),
      },
      body: JSON.stringify({
        aps: {
          alert: { title: PUSH_TITLE, body: PUSH_BODY },
          badge: message.badge,
          sound: "default",
          "interruption-level": "time-sensitive",
        },
        alert_id: message.alertId,
      }),
    });
  }

  return async (device, message): Promise<PushOutcome> => {
    if (publicAddressProblem(url, { allowLoopback }) || !/^[0-9a-f]+$/i.test(device))
      return { kind: "refused", reason: "Address not allowed" };
    let token: ProviderToken;
    try {
      token = await providerToken();
    } catch (error) {
      current = undefined;
      logError("no token for Apple's push service", error);
      return { kind: "later", reason: "No provider token" };
    }
    const answer = await post(device, token.token, message);
    const reason = answer?.reason ?? "";
    if (GONE.has(reason)) return { kind: "gone", reason };
    if (STALE.has(reason)) {
      await replaceStale(token).catch(() => {});
      return { kind: "later", reason };
    }
    return commonOutcome(answer) ?? { kind: "refused", reason: reason || `Status ${answer?.status}` };
  };
}
