-- Index for matching a read with the entries of all lists: the plate with each look-alike replaced by the first of its
-- set, as `foldConfused` does. The expression is that of app/store/alerts/matching.ts; drizzle-kit cannot write it.
CREATE INDEX hotlist_entries_folded ON hotlist_entries (replace(replace(replace(replace(replace(replace(replace(replace(plate, 'O', '0'), 'D', '0'), 'Q', '0'), 'I', '1'), 'Z', '2'), 'S', '5'), 'B', '8'), 'G', '6'));
--> statement-breakpoint
-- What is kept of entries with wildcards between reads is as good as this number: whatever concerns them moves it.
INSERT INTO wildcard_versions (id, version) VALUES (1, 1);
--> statement-breakpoint
CREATE TRIGGER wildcard_added AFTER INSERT ON hotlist_entries WHEN instr(new.plate, '*') > 0 OR instr(new.plate, '?') > 0 BEGIN UPDATE wildcard_versions SET version = version + 1; END;
--> statement-breakpoint
CREATE TRIGGER wildcard_changed AFTER UPDATE ON hotlist_entries WHEN instr(new.plate, '*') > 0 OR instr(new.plate, '?') > 0 BEGIN UPDATE wildcard_versions SET version = version + 1; END;
--> statement-breakpoint
CREATE TRIGGER wildcard_group_changed AFTER UPDATE OF list_version, archived_at ON alert_groups BEGIN UPDATE wildcard_versions SET version = version + 1; END;
