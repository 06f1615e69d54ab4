/** Outgoing webhooks: what an agency enters, what the screens show, and the messages that receivers get. */

import * as z from "zod/mini";
import { IdempotencyKey } from "#app/entities/idempotency-key.ts";
import { nameText } from "#app/lib/json/values.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import type * as answers from "./answers.ts";

/** The events that a webhook can receive, with the texts of its form. */
export const OUTGOING_EVENTS = [
  { value: "hit", label: "Hit", hint: "A camera read a plate of a hotlist." },
  {
    value: "disposition",
    label: "Disposition",
    hint: "A member recorded or removed what a hit turned out to be.",
  },
  {
    value: "expiring",
    label: "Plates expiring",
    hint: "Plates of a hotlist expire within a week or a day, or have expired.",
  },
] as const;
export type OutgoingEvent = (typeof OUTGOING_EVENTS)[number]["value"];
const OUTGOING_EVENT_NAMES = OUTGOING_EVENTS.map(({ value }) => value);

/** Maximum number of webhooks of one agency, including those of its groups. */
export const MAX_OUTGOING_WEBHOOKS = 50;
/** How long messages are signed with the former secret too after a rotation. */
export const SECRET_OVERLAP_MS = DAY;
/** How long a receiver may take to answer. */
export const RECEIVER_DEADLINE_MS = 10 * SECOND;
/** Delays between attempts, before jitter. Together nearly a day. */
export const RETRY_DELAYS_MS = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  8 * HOUR,
];
/** The latest time after an event, or after a retry by hand, at which its delivery ends. */
export const DELIVERY_ENDS_MS = 26 * HOUR;
/** Maximum number of plates in a message about expiring plates. */
export const MAX_EXPIRING_PLATES = 100;
/** Deliveries per page of the list. */
export const DELIVERY_PAGE = 50;

const Address = z
  .string("Enter the receiver's address.")
  .check(
    z.trim(),
    z.minLength(1, "Enter the receiver's address."),
    z.maxLength(2000, "At most 2,000 characters."),
  );
const Events = z
  .array(z.enum(OUTGOING_EVENT_NAMES, "There is no such event."), "Choose at least one event.")
  .check(
    z.minLength(1, "Choose at least one event."),
    z.maxLength(OUTGOING_EVENTS.length, "Choose each event only once."),
  );

/** Stands for each value of the query of an address. A value may be a secret of the receiver. */
export const HIDDEN_VALUE = "***";

/** Returns the query of an address with its question mark, or an empty text. */
export const queryOf = (url: string): string => /\?.*$/.exec(url)?.[0] ?? "";

/** Returns an address without the values of its query. A part without `=` counts as a value. */
export function withoutValues(url: string): string {
  const shown = queryOf(url).replace(
    /([^?&=]+=(?=[^&=]))?[^?&]+/g,
    (_part, name = "") => `${name}${HIDDEN_VALUE}`,
  );
  return url.replace(/\?.*$/, () => shown);
}

/** The body of PUT /outgoing-webhooks/{id}. */
export const OutgoingWebhookFields = z.object({
  name: nameText("Enter a name for the webhook.", 120),
  url: Address,
  events: Events,
  /** Whether messages contain the plate and the read; by default they contain only ids. */
  plate_data: z._default(z.boolean(), false),
});
export type OutgoingWebhookFields = z.infer<typeof OutgoingWebhookFields>;

/** The body of POST /outgoing-webhooks. An empty group means the whole agency. */
export const NewOutgoingWebhook = z.extend(OutgoingWebhookFields, {
  group_id: z._default(z.string().check(z.maxLength(100)), ""),
  idempotency_key: IdempotencyKey,
});
export type NewOutgoingWebhook = z.infer<typeof NewOutgoingWebhook>;

/** The body of POST /outgoing-webhooks/{id}/on. */
export const OutgoingSwitch = z.object({ on: z.boolean() });

/** The body of POST /outgoing-webhooks/{id}/retry: one delivery, or without an id all failed ones. */
export const RetryChoice = z.object({ delivery_id: z.optional(z.string().check(z.maxLength(100))) });
export type RetryChoice = z.infer<typeof RetryChoice>;

/** Returns the fields of the form as the schema expects them: checkboxes are lists or missing. */
export function outgoingFieldsOf(fields: Record<string, string>, lists: Record<string, string[]>) {
  return { ...fields, events: lists.events ?? [], plate_data: fields.plate_data === "on" };
}

/** A webhook as its screens show it, without its secret. */
export type OutgoingWebhookRow = z.infer<typeof answers.OutgoingWebhookRow>;

export type DeliveryState = "pending" | "delivered" | "failed" | "cancelled";

export type OutgoingDeliveryRow = z.infer<typeof answers.OutgoingDeliveryRow>;

export type DeliveryPage = z.infer<typeof answers.DeliveryPage>;

/** What the test button shows. */
export type OutgoingTest = z.infer<typeof answers.OutgoingTest>;

/** Facts of an event that are stored nowhere else. No plate, no person. */
export type DeliveryDetail = {
  disposition?: string | null;
  stage?: string;
  expires_after?: number;
  expires_until?: number;
};

/** How a receiver answered. */
export type ReceiverAnswer =
  | { kind: "answered"; status: number; retryAfterMs: number | undefined; text: string }
  | { kind: "unanswered"; reason: string }
  | { kind: "forbidden"; reason: string };

/** Posts one message to a receiver. `readMost` bytes of the answer are returned as text. Never throws. */
export type PostToReceiver = (message: {
  url: string;
  headers: Record<string, string>;
  body: string;
  readMost: number;
}) => Promise<ReceiverAnswer>;
