CREATE TABLE `audit_segment_terms` (
	`term` integer NOT NULL,
	`segment` integer NOT NULL,
	PRIMARY KEY(`term`, `segment`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `audit_segments` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`agency_id` text NOT NULL,
	`first_position` integer NOT NULL,
	`last_position` integer NOT NULL,
	`first_seq` integer NOT NULL,
	`last_seq` integer NOT NULL,
	`min_at` integer NOT NULL,
	`max_at` integer NOT NULL,
	`bytes` integer NOT NULL,
	`previous_hash` text NOT NULL,
	`last_hash` text NOT NULL,
	`object_key` text NOT NULL,
	`sealed_key` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_segments_object_key_unique` ON `audit_segments` (`object_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `audit_segments_position` ON `audit_segments` (`agency_id`,`first_position`);--> statement-breakpoint
CREATE INDEX `audit_segments_seq` ON `audit_segments` (`agency_id`,`last_seq`);--> statement-breakpoint
CREATE INDEX `audit_segments_at` ON `audit_segments` (`agency_id`,`max_at`,`number`);--> statement-breakpoint
CREATE TABLE `audit_term_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed_key` text NOT NULL
);
--> statement-breakpoint
-- Rows can also be deleted once a segment of their agency has them and they are older than the online window, 120 days
-- until 0026 shortens it; other deletions are refused as before.
DROP TRIGGER audit_log_no_delete;
--> statement-breakpoint
DROP TRIGGER audit_chain_no_delete;
--> statement-breakpoint
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log WHEN (old.at > (unixepoch() - 365 * 86400) * 1000 OR NOT EXISTS (SELECT 1 FROM audit_checkpoints c WHERE c.agency_id = old.agency_id AND c.seq >= old.seq)) AND (old.at > (unixepoch() - 120 * 86400) * 1000 OR NOT EXISTS (SELECT 1 FROM audit_segments s WHERE s.agency_id = old.agency_id AND s.last_seq >= old.seq AND s.first_seq <= old.seq)) BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_chain_no_delete BEFORE DELETE ON audit_chain WHEN EXISTS (SELECT 1 FROM audit_log l WHERE l.seq = old.seq) OR NOT (EXISTS (SELECT 1 FROM audit_checkpoints c WHERE c.agency_id = old.agency_id AND c.seq >= old.seq) OR EXISTS (SELECT 1 FROM audit_segments s WHERE s.agency_id = old.agency_id AND s.last_seq >= old.seq AND s.first_seq <= old.seq)) BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END;
--> statement-breakpoint
-- A row with the number of one that left would be shown in its place.
CREATE TRIGGER audit_log_no_reuse AFTER INSERT ON audit_log WHEN new.seq <= (SELECT max(s.last_seq) FROM audit_segments s WHERE s.agency_id = new.agency_id) BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_segments_no_overlap BEFORE INSERT ON audit_segments WHEN EXISTS (SELECT 1 FROM audit_segments s WHERE s.agency_id = new.agency_id AND s.last_position >= new.first_position AND s.first_position <= new.last_position) OR EXISTS (SELECT 1 FROM audit_checkpoints c WHERE c.agency_id = new.agency_id AND c.position >= new.first_position) BEGIN SELECT RAISE(ABORT, 'segments of the audit log do not overlap'); END;
--> statement-breakpoint
CREATE TRIGGER audit_checkpoints_no_split BEFORE INSERT ON audit_checkpoints WHEN EXISTS (SELECT 1 FROM audit_segments s WHERE s.agency_id = new.agency_id AND s.first_position <= new.position AND s.last_position > new.position) BEGIN SELECT RAISE(ABORT, 'segments of the audit log are purged whole'); END;
--> statement-breakpoint
CREATE TRIGGER audit_segments_no_update BEFORE UPDATE OF number, agency_id, first_position, last_position, first_seq, last_seq, min_at, max_at, bytes, previous_hash, last_hash, object_key, created_at ON audit_segments BEGIN SELECT RAISE(ABORT, 'segments of the audit log are append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_segments_no_delete BEFORE DELETE ON audit_segments WHEN old.max_at > (unixepoch() - 365 * 86400) * 1000 OR NOT EXISTS (SELECT 1 FROM audit_checkpoints c WHERE c.agency_id = old.agency_id AND c.position >= old.last_position) BEGIN SELECT RAISE(ABORT, 'segments of the audit log are append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_segment_terms_no_update BEFORE UPDATE ON audit_segment_terms BEGIN SELECT RAISE(ABORT, 'segments of the audit log are append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_segment_terms_no_delete BEFORE DELETE ON audit_segment_terms WHEN EXISTS (SELECT 1 FROM audit_segments s WHERE s.number = old.segment) BEGIN SELECT RAISE(ABORT, 'segments of the audit log are append-only'); END;
