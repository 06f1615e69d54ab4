// Hits, their delivery to each member, when a member last looked, the devices for push notifications, and quiet hours. An
// alert copies everything it shows, because reads of Rekor and Axon are not stored elsewhere.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { VendorImages } from "#app/entities/alerts/match.ts";
import { users } from "./accounts.ts";

export const pushPreferences = sqliteTable("push_preferences", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  enabled: integer({ mode: "boolean" }).notNull(),
  /** Minutes after midnight in the zone, between which nothing is pushed; null without quiet hours. */
  quietFrom: integer("quiet_from"),
  quietUntil: integer("quiet_until"),
  timeZone: text("time_zone").notNull().default(""),
  changedAt: integer("changed_at").notNull(),
});

/** Phones and browsers on which a user wants notifications. */
export const pushDevices = sqliteTable(
  "push_devices",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    channel: text({ enum: ["apns", "webpush"] }).notNull(),
    name: text().notNull(),
    /** SHA-256 of the token or endpoint, so that a device is registered once. */
    addressHash: text("address_hash").notNull().unique(),
    /** Sealed: token, or endpoint and keys. */
    sealedAddress: text("sealed_address").notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    droppedAt: integer("dropped_at"),
    dropped: text(),
  },
  (table) => [
    index("push_devices_user").on(table.userId),
    index("push_devices_dropped").on(table.droppedAt).where(sql`dropped_at is not null`),
  ],
);

/** Our token for Apple's push service. Apple allows a new one every 20 minutes, across all isolates. */
export const providerTokens = sqliteTable("provider_tokens", {
  id: text().primaryKey(),
  sealedToken: text("sealed_token").notNull(),
  issuedAt: integer("issued_at").notNull(),
});

/** A read that matches a hotlist entry, with a copy of everything that the alert shows. */
export const alerts = sqliteTable(
  "alerts",
  {
    id: text().primaryKey(),
    groupId: text("group_id").notNull(),
    /** The agency that owns the group. */
    agencyId: text("agency_id").notNull(),
    entryId: integer("entry_id").notNull(),
    /** One vehicle passing one camera, which may cause several events. */
    passKey: text("pass_key").notNull(),
    program: text({ enum: ["Rekor", "Axon", "Axis"] }).notNull(),
    matchKind: text("match_kind", { enum: ["exact", "lookalike", "wildcard"] }).notNull(),
    plate: text().notNull(),
    plateState: text("plate_state").notNull().default(""),
    make: text().notNull().default(""),
    color: text().notNull().default(""),
    bodyType: text("body_type").notNull().default(""),
    confidence: integer(),
    capturedAt: integer("captured_at").notNull(),
    cameraId: text("camera_id").notNull(),
    cameraName: text("camera_name").notNull(),
    /** The agency that owns the camera. */
    cameraAgencyId: text("camera_agency_id").notNull(),
    cameraAgency: text("camera_agency").notNull(),
    latitude: integer("latitude_e6"),
    longitude: integer("longitude_e6"),
    vehicleImageKey: text("vehicle_image_key"),
    plateImageKey: text("plate_image_key"),
    /** The vendor's image addresses, until the images are stored here or found to be missing. */
    vendorImages: text("vendor_images", { mode: "json" }).$type<VendorImages>(),
    listedPlate: text("listed_plate").notNull(),
    listedState: text("listed_state").notNull().default(""),
    reason: text().notNull().default(""),
    notes: text().notNull().default(""),
    caseNumber: text("case_number").notNull().default(""),
    priority: text({ enum: ["high", "normal", "low"] })
      .notNull()
      .default("normal"),
    listedAt: integer("listed_at").notNull(),
    listedBy: text("listed_by").notNull(),
    listedByAgency: text("listed_by_agency").notNull(),
    /** The quality of the event shown. A better event of the same pass amends the alert. */
    rank: integer().notNull().default(0),
    /** Differences between read and entry as texts, most serious first. */
    differences: text({ mode: "json" }).$type<string[]>().notNull().default(sql`'[]'`),
    createdAt: integer("created_at").notNull(),
    amendedAt: integer("amended_at"),
    /** Null until its members have their delivery rows (an outbox). */
    fannedOutAt: integer("fanned_out_at"),
    disposition: text({ enum: ["correct", "wrong-state", "misread", "dismissed"] }),
    dispositionNote: text("disposition_note").notNull().default(""),
    dispositionBy: text("disposition_by"),
    dispositionByName: text("disposition_by_name"),
    dispositionAt: integer("disposition_at"),
  },
  (table) => [
    uniqueIndex("alerts_once").on(table.entryId, table.passKey),
    index("alerts_group").on(table.groupId, table.createdAt),
    index("alerts_history").on(table.groupId, table.capturedAt, table.id),
    index("alerts_quality").on(table.groupId, table.cameraId, table.disposition, table.createdAt),
    index("alerts_camera").on(table.cameraId, table.createdAt),
    index("alerts_pass").on(table.passKey),
    index("alerts_created").on(table.createdAt),
    index("alerts_agency").on(table.agencyId, table.createdAt),
    index("alerts_images")
      .on(table.agencyId, table.createdAt)
      .where(sql`vehicle_image_key is not null or plate_image_key is not null`),
    index("alerts_outbox").on(table.createdAt).where(sql`fanned_out_at is null`),
    index("alerts_pictures").on(table.createdAt).where(sql`vendor_images is not null`),
    index("alerts_judged")
      .on(table.agencyId, table.dispositionAt, table.disposition)
      .where(sql`disposition_at is not null`),
  ],
);

/**
 * Parts of the hits that left the database: old hits of one group, encrypted, in R2 (store/alerts/segment-archive.ts). The
 * object is overwritten when some of its hits expire; deleting the row destroys its key.
 */
export const alertSegments = sqliteTable(
  "alert_segments",
  {
    number: integer().primaryKey({ autoIncrement: true }),
    groupId: text("group_id").notNull(),
    agencyId: text("agency_id").notNull(),
    objectKey: text("object_key").notNull().unique(),
    /** The segment's own key, encrypted with the operator's. It exists nowhere else: without it the object is lost. */
    sealedKey: text("sealed_key").notNull(),
    /** The earliest and latest times of its hits. */
    minCapturedAt: integer("min_captured_at").notNull(),
    maxCapturedAt: integer("max_captured_at").notNull(),
    minCreatedAt: integer("min_created_at").notNull(),
    maxCreatedAt: integer("max_created_at").notNull(),
    /** Null if none has a disposition. */
    minDispositionAt: integer("min_disposition_at"),
    maxDispositionAt: integer("max_disposition_at"),
    /** How many hits it has, without those that returned to the database. */
    hits: integer().notNull(),
    /** The cameras of its hits: id, name, and the creation of the newest hit, which has that name. */
    cameras: text({ mode: "json" }).$type<[id: string, name: string, createdAt: number][]>().notNull(),
    /** The case numbers of its hits as legal holds compare them, each with the creation of its oldest hit. */
    cases: text({ mode: "json" }).$type<[caseNumber: string, createdAt: number][]>().notNull(),
    /** The size of the object. */
    bytes: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("alert_segments_captured").on(table.groupId, table.maxCapturedAt, table.number),
    index("alert_segments_created").on(table.agencyId, table.minCreatedAt),
  ],
);

/** Which segment has a hit: the first 48 bits of the SHA-256 of the hit's id. */
export const alertSegmentIds = sqliteTable(
  "alert_segment_ids",
  { hash: integer().notNull(), segment: integer().notNull() },
  (table) => [
    primaryKey({ columns: [table.hash, table.segment] }),
    index("alert_segment_ids_segment").on(table.segment),
  ],
);

/** Hits of a segment that returned to the database and left it again, for another segment. */
export const alertSegmentRemoved = sqliteTable(
  "alert_segment_removed",
  { segment: integer().notNull(), alertId: text("alert_id").notNull() },
  (table) => [primaryKey({ columns: [table.segment, table.alertId] })],
);

/** The state of a delivery to one member by one channel. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    alertId: text("alert_id").notNull(),
    userId: text("user_id").notNull(),
    channel: text({ enum: ["apns", "webpush", "live"] }).notNull(),
    state: text({ enum: ["pending", "delivered", "suppressed", "dead"] }).notNull(),
    /** Why the delivery was suppressed or failed. */
    reason: text().notNull().default(""),
    attempts: integer().notNull().default(0),
    /** Devices that have received it, so that a second attempt skips them. */
    devices: text({ mode: "json" }).$type<string[]>().notNull().default(sql`'[]'`),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    nextAt: integer("next_at"),
    /** When the owner retried it. Its expiry counts from then. */
    retriedAt: integer("driven_at"),
  },
  (table) => [
    primaryKey({ columns: [table.alertId, table.userId, table.channel] }),
    index("deliveries_user").on(table.userId, table.createdAt),
    index("deliveries_created").on(table.createdAt),
    index("deliveries_due").on(table.nextAt).where(sql`state = 'pending'`),
    index("deliveries_dead").on(table.updatedAt).where(sql`state = 'dead'`),
  ],
);

/** When a user last looked at the list of hits. */
export const alertsSeen = sqliteTable("alerts_seen", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  seenAt: integer("seen_at").notNull(),
});
