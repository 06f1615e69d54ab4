-- Rows of the audit log go as a whole beginning of their agency's chain, up to a checkpoint, and never before a year is
-- over (CJIS AU-11); whatever else would remove one is refused as before. Checkpoints stay.
DROP TRIGGER audit_log_no_delete;
--> statement-breakpoint
DROP TRIGGER audit_chain_no_delete;
--> statement-breakpoint
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log WHEN old.at > (unixepoch() - 365 * 86400) * 1000 OR NOT EXISTS (SELECT 1 FROM audit_checkpoints c WHERE c.agency_id = old.agency_id AND c.seq >= old.seq) BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_chain_no_delete BEFORE DELETE ON audit_chain WHEN EXISTS (SELECT 1 FROM audit_log l WHERE l.seq = old.seq) OR NOT EXISTS (SELECT 1 FROM audit_checkpoints c WHERE c.agency_id = old.agency_id AND c.seq >= old.seq) BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_checkpoints_no_update BEFORE UPDATE ON audit_checkpoints BEGIN SELECT RAISE(ABORT, 'checkpoints of the audit log stay'); END;
--> statement-breakpoint
CREATE TRIGGER audit_checkpoints_no_delete BEFORE DELETE ON audit_checkpoints BEGIN SELECT RAISE(ABORT, 'checkpoints of the audit log stay'); END;
