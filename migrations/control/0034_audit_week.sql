-- Rows of the audit log can leave for a segment once they are 7 days old, instead of 14.
DROP TRIGGER audit_log_no_delete;
--> statement-breakpoint
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log WHEN (old.at > (unixepoch() - 365 * 86400) * 1000 OR NOT EXISTS (SELECT 1 FROM audit_checkpoints c WHERE c.agency_id = old.agency_id AND c.seq >= old.seq)) AND (old.at > (unixepoch() - 7 * 86400) * 1000 OR NOT EXISTS (SELECT 1 FROM audit_segments s WHERE s.agency_id = old.agency_id AND s.last_seq >= old.seq AND s.first_seq <= old.seq)) BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
