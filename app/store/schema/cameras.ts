// Cameras as they have made themselves known. Positions are whole millionths of a degree.

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
    /** SHA-256 of the secret in the address that the camera posts to. */
    secretHash: text("secret_hash").notNull().unique(),
    revokedAt: integer("revoked_at"),
    createdAt: integer("created_at").notNull(),
    lastReadAt: integer("last_read_at"),
    lastHeartbeatAt: integer("last_heartbeat_at"),
    lastRefusedAt: integer("last_refused_at"),
    lastRefusal: text("last_refusal"),
    /** Longest usual pause between reads, a slow-moving figure. */
    usualGapMs: integer("usual_gap_ms"),
  },
  (table) => [index("axis_cameras_agency").on(table.agencyId, table.name)],
);

/** Rekor cameras as the vendor's list, reads and heartbeats make them known, and what the owner corrected. */
export const rekorCameras = sqliteTable(
  "rekor_cameras",
  {
    /** The vendor's own id, with the agent before it where one is known: `agent/camera`. */
    id: text().primaryKey(),
    agencyId: text("agency_id").references(() => agencies.id),
    name: text().notNull().default(""),
    siteName: text("site_name").notNull().default(""),
    latitude: integer("latitude_e6"),
    longitude: integer("longitude_e6"),
    correctedLatitude: integer("corrected_latitude_e6"),
    correctedLongitude: integer("corrected_longitude_e6"),
    isManual: integer("is_manual", { mode: "boolean" }).notNull().default(false),
    /** When the owner last corrected it or took a correction back: results found before are shown anew. */
    correctedAt: integer("corrected_at"),
    firstSeenAt: integer("first_seen_at").notNull(),
    lastReadAt: integer("last_read_at"),
    lastHeartbeatAt: integer("last_heartbeat_at"),
    /** Longest usual pause between reads, a slow-moving figure: silent for longer than that is worth a look. */
    usualGapMs: integer("usual_gap_ms"),
  },
  (table) => [
    index("rekor_cameras_agency").on(table.agencyId, table.name),
    index("rekor_cameras_corrected").on(table.correctedAt),
  ],
);

/** Axon's cameras by what their reads call them: it has no list of them, and none sends a heartbeat. */
export const axonCameras = sqliteTable(
  "axon_cameras",
  {
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    name: text().notNull(),
    lastReadAt: integer("last_read_at").notNull(),
    /** As for Rekor's; 0 where there was one read and no pause yet. */
    usualGapMs: integer("usual_gap_ms"),
  },
  (table) => [primaryKey({ columns: [table.agencyId, table.name] })],
);
