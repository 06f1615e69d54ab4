import * as z from "zod/mini";
import { parseJson } from "#app/lib/json/parse.ts";
import { isTimeZone } from "#app/lib/time/wall-clock.ts";
import type * as answers from "./answers.ts";

/** Channels that reach users who do not have Odin open. */
export const PUSH_CHANNELS = ["apns", "webpush"] as const;
export type PushChannel = (typeof PUSH_CHANNELS)[number];

/** What users are told if Apple's push service is not configured. */
export const NO_IPHONES = "Pushes to iPhones are not set up in this installation.";

/** The only text that a locked screen may show: no plate, name, reason or group. */
export const PUSH_TITLE = "Odin";
export const PUSH_BODY = "Hotlist hit. Open Odin.";

/** A push is not sent later than this after the hit, in milliseconds. */
export const PUSH_USEFUL_MS = 60 * 60 * 1000;

/** Devices that one user may have at a time. */
export const DEVICES_PER_USER = 10;

/** A push to one device. */
export type PushMessage = {
  alertId: string;
  /** A UUID that is always the same for this alert and device, so that the device can drop a repeated push. */
  id: string;
  /** Hits that the user has not seen, at most 99. */
  badge: number;
  expiresAt: number;
};

/** The result of one send. `reason` is a fixed text or a code of the push service, never its free text. */
export type PushOutcome =
  | { kind: "delivered" }
  /** The device no longer exists or belongs to another app: it is dropped. */
  | { kind: "gone"; reason: string }
  /** Worth a retry, after at least `retryAfter` milliseconds. */
  | { kind: "later"; reason: string; retryAfter?: number }
  /**
   * With `orGone`, the device is dropped for this reason if the same push service took a push to another device: then
   * the subscription is wrong, otherwise Odin's own settings may be.
   */
  | { kind: "refused"; reason: string; orGone?: string };

/** The reason if a push service cannot be reached or times out. */
export const NO_ANSWER = "No answer";

/** Sends to one device. Never throws. */
export type PushSender = (address: string, message: PushMessage) => Promise<PushOutcome>;

/** The push services by channel; null for a channel that is not configured. */
export type PushServices = Record<PushChannel, PushSender | null> & {
  /** Returns the key with which browsers subscribe; null if Web Push is not configured. */
  vapidPublicKey: () => Promise<string | null>;
};

/** A token that Odin signs for a push service, and its time of issue. */
export type ProviderToken = { token: string; issuedAt: number };

/** Storage of these tokens, shared by all isolates. */
export type ProviderTokens = {
  find(id: string): Promise<ProviderToken | null>;
  /** Saves a token unless another was issued after `notAfter`; returns the token in effect. */
  replace(id: string, token: ProviderToken, notAfter: number): Promise<ProviderToken>;
};

const name = z
  .string("Give the device a name.")
  .check(
    z.trim(),
    z.minLength(1, "Give the device a name."),
    z.maxLength(80, "The device's name is too long."),
  );

/** A subscription as a browser's PushSubscription.toJSON() returns it. */
export const Subscription = z.object({
  endpoint: z.string("The subscription has no endpoint.").check(z.maxLength(1500)),
  keys: z.object({
    p256dh: z.string().check(z.regex(/^[\w-]{87}=?$/, "The subscription's key is invalid.")),
    auth: z.string().check(z.regex(/^[\w-]{22}={0,2}$/, "The subscription's secret is invalid.")),
  }),
});
export type Subscription = z.infer<typeof Subscription>;

const Addressed = z.object({ endpoint: z.string() });

/** Returns the push service of a device: Apple, or the host of the subscription's endpoint. */
export function pushServiceOf(channel: PushChannel, address: string): string {
  if (channel === "apns") return channel;
  const subscription = Addressed.safeParse(parseJson(address));
  const endpoint = subscription.success ? URL.parse(subscription.data.endpoint) : null;
  return endpoint?.host ?? address;
}

/** The body of POST /push/devices: a phone by its token, or a browser by its subscription. */
export const NewDevice = z.discriminatedUnion("channel", [
  z.object({
    channel: z.literal("apns"),
    token: z
      .string("The device token is missing.")
      .check(z.regex(/^([0-9a-fA-F]{2}){32,100}$/, "The device token is 64 to 200 hexadecimal digits.")),
    name,
  }),
  z.object({ channel: z.literal("webpush"), subscription: Subscription, name }),
]);
export type NewDevice = z.infer<typeof NewDevice>;

/** A device as its owner sees it. */
export type PushDevice = z.infer<typeof answers.PushDevice>;

const timeOfDay = z.nullable(z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Give times as HH:MM.")));

/** The body of PUT /push/settings and the response of GET. */
export const PushSettings = z
  .object({
    enabled: z.boolean("Turn push alerts on or off."),
    quiet_from: timeOfDay,
    quiet_until: timeOfDay,
    time_zone: z.string().check(z.maxLength(60)),
  })
  .check(
    z.refine((one) => (one.quiet_from === null) === (one.quiet_until === null), {
      error: "Quiet hours need a beginning and an end.",
    }),
    z.refine((one) => one.quiet_from === null || one.quiet_from !== one.quiet_until, {
      error: "Quiet hours must begin and end at different times. To stop all pushes, turn push alerts off.",
    }),
    z.refine((one) => one.quiet_from === null || isTimeZone(one.time_zone), {
      error: "Unknown time zone.",
    }),
  );
export type PushSettings = z.infer<typeof PushSettings>;

/** Returns the minutes after midnight of `HH:MM`. */
export function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

/** Returns `HH:MM` of minutes after midnight. */
export function timeOf(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Returns the minutes after midnight in a zone; an unknown zone counts as UTC. */
function minuteOfDay(at: number, zone: string): number {
  const timeZone = isTimeZone(zone) ? zone : "UTC";
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const part: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(at)) part[type] = value;
  return Number(part.hour) * 60 + Number(part.minute);
}

/** A user's push preferences as stored. */
export type PushPreference = {
  enabled: boolean;
  quietFrom: number | null;
  quietUntil: number | null;
  timeZone: string;
};

/** Returns whether it is quiet time; hours that end before they begin cross midnight. */
export function isQuiet(preference: PushPreference, at: number): boolean {
  const { quietFrom: from, quietUntil: until, timeZone } = preference;
  if (from === null || until === null) return false;
  const minute = minuteOfDay(at, timeZone);
  return from <= until ? minute >= from && minute < until : minute >= from || minute < until;
}

/** Returns why a push to a member is suppressed, or undefined if it is sent. */
export function suppressionReason(preference: PushPreference, at: number): string | undefined {
  if (!preference.enabled) return "Push alerts are off";
  return isQuiet(preference, at) ? "Quiet hours" : undefined;
}
