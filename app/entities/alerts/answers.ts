/** Response schemas of the alert endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { ImpossibleTrip } from "#app/entities/search/answers/search.ts";
import { described, named } from "#app/lib/json/named-schema.ts";

export const AlertRow = named(
  "AlertRow",
  z.object({
    id: z.string(),
    plate: z.string(),
    state: z.string(),
    timestamp: z.nullable(z.string()),
    camera: z.string(),
    agency: z.string(),
    justification: described("The reason of the hotlist entry.", z.string()),
    notes: z.string(),
    date_added: described("When its entry was added to the hotlist.", z.string()),
    image_url: z.nullable(z.string()),
    latitude: z.nullable(z.number()),
    longitude: z.nullable(z.number()),
    source_program: z.enum(["Rekor", "Axon", "Axis"]),
    created_at: described("When Odin created the alert; a read may arrive late.", z.string()),
    match_kind: z.enum(["exact", "lookalike", "wildcard"]),
    priority: z.enum(["high", "normal", "low"]),
    differences: z.array(z.string()),
    disposition: z.nullable(z.enum(["correct", "wrong-state", "misread", "dismissed"])),
  }),
  "A row of a group's history.",
);

export const AlertDetail = named(
  "AlertDetail",
  z.extend(AlertRow, {
    added_by: z.string(),
    added_by_agency: z.string(),
    case_number: z.string(),
    plate_image_url: z.nullable(z.string()),
    images_pending: described("A picture is still to be fetched from the vendor.", z.boolean()),
    make: z.string(),
    color: z.string(),
    body_type: z.string(),
    confidence: z.nullable(z.number()),
    listed_plate: z.string(),
    listed_state: z.string(),
    match: described(
      "How plate and state matched the entry, as `matchText` of match.ts says it.",
      z.string(),
    ),
    group: z.object({ id: z.string(), name: z.string() }),
    disposition_note: z.string(),
    disposition_by: z.nullable(z.string()),
    disposition_at: z.nullable(z.string()),
    impossible_trips: described(
      "Trips to and from this read that no car can drive, by the group's other hits of the plate within a day.",
      z.array(ImpossibleTrip),
    ),
  }),
);

export const NewAlerts = named("NewAlerts", z.object({ count: z.number() }));

export const HitQuality = named(
  "HitQuality",
  z.object({
    id: z.string(),
    name: z.string(),
    hits: z.number(),
    counts: z.object({
      correct: z.number(),
      "wrong-state": z.number(),
      misread: z.number(),
      dismissed: z.number(),
    }),
  }),
  "Counts of one camera or group over the last `QUALITY_DAYS`.",
);

export const QualityOverview = named(
  "QualityOverview",
  z.object({ groups: z.array(HitQuality), cameras: z.array(HitQuality) }),
);

export const LiveAlert = named(
  "LiveAlert",
  z.object({
    id: z.string(),
    plate: z.string(),
    state: z.string(),
    camera: z.string(),
    timestamp: z.nullable(z.string()),
    arrived_at: z.string(),
    group: z.string(),
    group_id: z.string(),
    priority: z.enum(["high", "normal", "low"]),
    reason: described("The reason of the hotlist entry.", z.string()),
    match: described("How plate and state matched the entry.", z.string()),
    image_url: z.nullable(z.string()),
    images_pending: described("A picture is still to be fetched from the vendor.", z.boolean()),
    seen: z.boolean(),
  }),
  "A hit in the list of the bell.",
);

export const ExpiryNotice = named(
  "ExpiryNotice",
  z.object({
    id: z.string(),
    group_id: z.string(),
    group: z.string(),
    stage: z.enum(["week", "day", "expired"]),
    plates: described("Up to MAX_NOTICE_COUNT + 1.", z.number()),
    plate: described("The plate if there is only one; empty otherwise.", z.string()),
    noticed_at: z.string(),
    seen: z.boolean(),
  }),
  "Tells the user who added plates to a group that these are about to expire or have expired.",
);

export const LiveAlerts = named(
  "LiveAlerts",
  z.object({
    member: described("Whether the caller is a member of any group, or has notices.", z.boolean()),
    alerts: z.array(LiveAlert),
    notices: described(
      "All of the caller's notices; null if none has been created since `after`.",
      z.nullable(z.array(ExpiryNotice)),
    ),
    unread: described(
      "Up to MAX_LIVE_COUNT + 1; null if nothing has arrived or was seen since `after`.",
      z.nullable(z.number()),
    ),
    seen_at: described("Hits that arrived up to this time have been seen, in any window.", z.string()),
    cursor: described("The value of `after` for the next request.", z.string()),
  }),
  "The response of GET /live-alerts.",
);

export const PushKey = named("PushKey", z.object({ key: z.string() }));

export const PushDevice = named(
  "PushDevice",
  z.object({
    id: z.string(),
    channel: z.enum(["apns", "webpush"]),
    name: z.string(),
    address_hash: described(
      "SHA-256 of token or endpoint, by which a browser finds itself in the list.",
      z.string(),
    ),
    created_at: z.number(),
    last_used_at: z.nullable(z.number()),
    dropped_at: described("When and why Odin stopped sending to it.", z.nullable(z.number())),
    dropped: z.nullable(z.string()),
  }),
  "A device as its owner sees it.",
);

export const PushDevices = named(
  "PushDevices",
  z.object({
    devices: z.array(PushDevice),
    channels: described(
      "Which push services this installation has. Devices of the others are not notified.",
      z.object({ apns: z.boolean(), webpush: z.boolean() }),
    ),
  }),
);

export const PushSettingsAnswer = named(
  "PushSettingsAnswer",
  z.object({
    enabled: z.boolean(),
    quiet_from: z.nullable(z.string()),
    quiet_until: z.nullable(z.string()),
    time_zone: z.string(),
  }),
);

const GroupOfAlerts = named(
  "GroupOfAlerts",
  z.object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    created_at: z.string(),
    image_url: z.nullable(z.string()),
    last_alert: z.nullable(z.string()),
    archived_at: z.nullable(z.string()),
  }),
  "A group as the pages of its alerts show it.",
);

export const AlertPage = named(
  "AlertPage",
  z.object({
    alerts: z.array(AlertRow),
    older: z.nullable(z.string()),
    newer: z.nullable(z.string()),
    latest: described("Cursor of the group's newest hit: later hits are new.", z.string()),
    group: GroupOfAlerts,
  }),
);

export const Seen = named("Seen", z.object({ seen_at: z.string() }));
