// Cameras as they have reported themselves. Positions are integers, millionths of a degree.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { agencies } from "./accounts.ts";

export const axisCameras = sqliteTable(
  "axis_cameras",
  {
    id: text().primaryKey(),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    name: text().notNull(),
    latitude: integer("latitude_e6"),
    longitude: integer("longitude_e6"),
    /** SHA-256 of the secret in the camera's webhook address. */
    secretHash: text("secret_hash").notNull().unique(),
    revokedAt: integer("revoked_at"),
    createdAt: integer("created_at").notNull(),
    lastReadAt: integer("last_read_at"),
    lastHeartbeatAt: integer("last_heartbeat_at"),
    lastRefusedAt: integer("last_refused_at"),
    lastRefusal: text("last_refusal"),
    /** The longest usual gap between reads in ms, a slowly changing value. */
    usualGapMs: integer("usual_gap_ms"),
  },
  (table) => [index("axis_cameras_agency").on(table.agencyId, table.name)],
);

/** Rekor cameras from the vendor's list, reads and heartbeats, and the owner's corrections. */
export const rekorCameras = sqliteTable(
  "rekor_cameras",
  {
    /** The vendor's own id, preceded by the agent if known: `agent/camera`. */
    id: text().primaryKey(),
    agencyId: text("agency_id").references(() => agencies.id),
    name: text().notNull().default(""),
    siteName: text("site_name").notNull().default(""),
    latitude: integer("latitude_e6"),
    longitude: integer("longitude_e6"),
    correctedLatitude: integer("corrected_latitude_e6"),
    correctedLongitude: integer("corrected_longitude_e6"),
    isManual: integer("is_manual", { mode: "boolean" }).notNull().default(false),
    /** When the owner last corrected it or reverted a correction. Older results are shown again. */
    correctedAt: integer("corrected_at"),
    firstSeenAt: integer("first_seen_at").notNull(),
    lastReadAt: integer("last_read_at"),
    lastHeartbeatAt: integer("last_heartbeat_at"),
    /** The longest usual gap between reads in ms, a slowly changing value. A longer silence is suspicious. */
    usualGapMs: integer("usual_gap_ms"),
  },
  (table) => [
    index("rekor_cameras_agency").on(table.agencyId, table.name),
    index("rekor_cameras_corrected").on(table.correctedAt),
    /** Each search with Rekor applies all corrections in force. */
    index("rekor_cameras_manual").on(table.id).where(sql`is_manual = 1`),
  ],
);

/** Axon cameras by their name in reads: Axon has no list of cameras, and they send no heartbeat. */
export const axonCameras = sqliteTable(
  "axon_cameras",
  {
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    name: text().notNull(),
    lastReadAt: integer("last_read_at").notNull(),
    /** As for Rekor; 0 after a single read. */
    usualGapMs: integer("usual_gap_ms"),
  },
  (table) => [primaryKey({ columns: [table.agencyId, table.name] })],
);
