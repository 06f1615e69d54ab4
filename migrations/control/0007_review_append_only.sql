-- Decisions of a review only grow: a later one replaces an earlier one, and none is changed or removed.
CREATE TRIGGER review_decisions_no_update BEFORE UPDATE ON review_decisions BEGIN SELECT RAISE(ABORT, 'decisions of a review are append-only'); END;
--> statement-breakpoint
CREATE TRIGGER review_decisions_no_delete BEFORE DELETE ON review_decisions BEGIN SELECT RAISE(ABORT, 'decisions of a review are append-only'); END;
