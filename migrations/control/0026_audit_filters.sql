CREATE TABLE `audit_segment_filters` (
	`segment` integer NOT NULL,
	`bucket` integer NOT NULL,
	`prints` blob NOT NULL,
	PRIMARY KEY(`segment`, `bucket`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `review_searches` (
	`agency_id` text NOT NULL,
	`user_id` text NOT NULL,
	`at` integer NOT NULL,
	`seq` integer NOT NULL,
	`plate` text NOT NULL,
	`case_number` text NOT NULL,
	PRIMARY KEY(`agency_id`, `user_id`, `at`, `seq`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `review_searches_at` ON `review_searches` (`at`);
--> statement-breakpoint
CREATE TRIGGER audit_segment_filters_no_update BEFORE UPDATE ON audit_segment_filters BEGIN SELECT RAISE(ABORT, 'segments of the audit log are append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_segment_filters_no_delete BEFORE DELETE ON audit_segment_filters WHEN EXISTS (SELECT 1 FROM audit_segments s WHERE s.number = old.segment) BEGIN SELECT RAISE(ABORT, 'segments of the audit log are append-only'); END;
--> statement-breakpoint
-- Terms also go once their segment has filters. The archiving job writes them: it needs the segment's rows, and a
-- statement over all terms could exceed D1's limits.
DROP TRIGGER audit_segment_terms_no_delete;
--> statement-breakpoint
CREATE TRIGGER audit_segment_terms_no_delete BEFORE DELETE ON audit_segment_terms WHEN EXISTS (SELECT 1 FROM audit_segments s WHERE s.number = old.segment) AND NOT EXISTS (SELECT 1 FROM audit_segment_filters f WHERE f.segment = old.segment) BEGIN SELECT RAISE(ABORT, 'segments of the audit log are append-only'); END;
--> statement-breakpoint
-- 60 days are the history that the review compares (HOURS_HISTORY_MS).
CREATE TRIGGER review_searches_no_delete BEFORE DELETE ON review_searches WHEN old.at > (unixepoch() - 60 * 86400) * 1000 BEGIN SELECT RAISE(ABORT, 'the searches that the review compares are append-only'); END;
--> statement-breakpoint
CREATE TRIGGER review_searches_no_update BEFORE UPDATE ON review_searches BEGIN SELECT RAISE(ABORT, 'the searches that the review compares are append-only'); END;
--> statement-breakpoint
-- The online window is 14 days instead of 120 (AUDIT_ONLINE_DAYS).
DROP TRIGGER audit_log_no_delete;
--> statement-breakpoint
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log WHEN (old.at > (unixepoch() - 365 * 86400) * 1000 OR NOT EXISTS (SELECT 1 FROM audit_checkpoints c WHERE c.agency_id = old.agency_id AND c.seq >= old.seq)) AND (old.at > (unixepoch() - 14 * 86400) * 1000 OR NOT EXISTS (SELECT 1 FROM audit_segments s WHERE s.agency_id = old.agency_id AND s.last_seq >= old.seq AND s.first_seq <= old.seq)) BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
