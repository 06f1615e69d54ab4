import * as z from "zod/mini";
import { parseJson } from "#app/lib/json/parse.ts";
import { isTimeZone } from "#app/lib/time/wall-clock.ts";

/** Ways to tell somebody who does not look at Odin. */
export const PUSH_CHANNELS = ["apns", "webpush"] as const;
export type PushChannel = (typeof PUSH_CHANNELS)[number];

/** All that a locked screen may show: no plate, no name, no reason, no group. */
export const PUSH_TITLE = "Odin";
export const PUSH_BODY = "Hotlist hit. Open Odin.";

/** A push that comes later than this after the hit, in milliseconds, wakes somebody for nothing. */
export const PUSH_USEFUL_MS = 60 * 60 * 1000;

/** Devices that one user may have registered at a time. */
export const DEVICES_PER_USER = 10;

/** What goes to one device. */
export type PushMessage = {
  alertId: string;
  /** A UUID that is the same whenever this alert is sent to this device, so that a repeated one is known again. */
  id: string;
  /** How many hits the user has not looked at, at most 99. */
  badge: number;
  expiresAt: number;
};

/** What became of one send. `reason` is a fixed word or one of the push service's own codes, never its free text. */
export type PushOutcome =
  | { kind: "delivered" }
  /** The device is no more, or is none of ours: it is dropped. */
  | { kind: "gone"; reason: string }
  /** Worth another attempt, not before so many milliseconds. */
  | { kind: "later"; reason: string; retryAfter?: number }
  | { kind: "refused"; reason: string };

/** The reason where a push service was out of reach or took too long. */
export const NO_ANSWER = "No answer";

/** Sends to one device. Never throws. */
export type PushSender = (address: string, message: PushMessage) => Promise<PushOutcome>;

/** A channel that is not configured is null. */
export type PushServices = Record<PushChannel, PushSender | null> & {
  /** What browsers subscribe with; null where Web Push is not configured. */
  vapidPublicKey: () => Promise<string | null>;
};

/** A token that we sign for a push service, and when. */
export type ProviderToken = { token: string; issuedAt: number };

/** Where it is kept for all isolates together. */
export type ProviderTokens = {
  find(id: string): Promise<ProviderToken | null>;
  /** Keeps a new one unless another was issued after `notAfter`; gives the one that counts from now on. */
  replace(id: string, token: ProviderToken, notAfter: number): Promise<ProviderToken>;
};

const name = z
  .string("Give the device a name.")
  .check(
    z.trim(),
    z.minLength(1, "Give the device a name."),
    z.maxLength(80, "The device's name is too long."),
  );

/** A subscription as a browser's PushSubscription.toJSON() gives it. */
export const Subscription = z.object({
  endpoint: z.string("The subscription has no endpoint.").check(z.maxLength(1500)),
  keys: z.object({
    p256dh: z.string().check(z.regex(/^[\w-]{87}=?$/, "The subscription's key cannot be read.")),
    auth: z.string().check(z.regex(/^[\w-]{22}={0,2}$/, "The subscription's secret cannot be read.")),
  }),
});
export type Subscription = z.infer<typeof Subscription>;

/** Whom a device hangs on: Apple, or the host that its browser named. */
export function pushServiceOf(channel: PushChannel, address: string): string {
  if (channel === "apns") return channel;
  const subscription = parseJson(address) as { endpoint?: unknown } | null | undefined;
  return URL.parse(String(subscription?.endpoint))?.host ?? address;
}

/** The call of POST /push/devices: a phone by its token, or a browser by its subscription. */
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
export type PushDevice = {
  id: string;
  channel: PushChannel;
  name: string;
  /** SHA-256 of token or endpoint: by it a browser knows itself in the list. */
  address_hash: string;
  created_at: number;
  last_used_at: number | null;
  /** Since when and why nothing is sent to it any more. */
  dropped_at: number | null;
  dropped: string | null;
};

const timeOfDay = z.nullable(z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Give times as HH:MM.")));

/** The call of PUT /push/settings, and what GET gives. */
export const PushSettings = z
  .object({
    enabled: z.boolean("Say whether push alerts are on."),
    quiet_from: timeOfDay,
    quiet_until: timeOfDay,
    time_zone: z.string().check(z.maxLength(60)),
  })
  .check(
    z.refine((one) => (one.quiet_from === null) === (one.quiet_until === null), {
      error: "Quiet hours need a beginning and an end.",
    }),
    z.refine((one) => one.quiet_from === null || one.quiet_from !== one.quiet_until, {
      error: "Quiet hours that end when they begin would never be over. Turn push alerts off instead.",
    }),
    z.refine((one) => one.quiet_from === null || isTimeZone(one.time_zone), {
      error: "This time zone is not known.",
    }),
  );
export type PushSettings = z.infer<typeof PushSettings>;

/** Minutes after midnight of `HH:MM`, and back. */
export function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

export function timeOf(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Minutes after midnight in a zone; a zone that is not known counts as UTC. */
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

/** What a user wants, as it is stored. */
export type PushPreference = {
  enabled: boolean;
  quietFrom: number | null;
  quietUntil: number | null;
  timeZone: string;
};

/** Whether nothing is to be pushed now; hours that end before they begin go over midnight. */
export function isQuiet(preference: PushPreference, at: number): boolean {
  const { quietFrom: from, quietUntil: until, timeZone } = preference;
  if (from === null || until === null || from === until) return false;
  const minute = minuteOfDay(at, timeZone);
  return from < until ? minute >= from && minute < until : minute >= from || minute < until;
}

/** Why a member is not pushed to, or undefined where they are. */
export function suppressionReason(preference: PushPreference, at: number): string | undefined {
  if (!preference.enabled) return "Push alerts are off";
  return isQuiet(preference, at) ? "Quiet hours" : undefined;
}
