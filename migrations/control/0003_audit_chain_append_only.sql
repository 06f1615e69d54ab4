-- The chain over the audit log only grows, as the log itself does (CJIS AU-9).
CREATE TRIGGER audit_chain_no_update BEFORE UPDATE ON audit_chain BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_chain_no_delete BEFORE DELETE ON audit_chain BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END;
