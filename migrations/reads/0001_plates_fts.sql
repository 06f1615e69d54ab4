-- The trigram index over the dictionary of plates. It holds no text of its own (external content) and no positions
-- (detail none), a third of the size of an index over all reads. Plates are upper case already, hence case_sensitive,
-- under which GLOB is the operator that the index serves. Triggers keep it in step within the same transaction.
CREATE VIRTUAL TABLE `plates_fts` USING fts5(
	`plate`,
	content = 'plates',
	content_rowid = 'id',
	tokenize = 'trigram case_sensitive 1',
	detail = 'none',
	columnsize = 0
);
--> statement-breakpoint
CREATE TRIGGER `plates_fts_insert` AFTER INSERT ON `plates` BEGIN
	INSERT INTO `plates_fts` (`rowid`, `plate`) VALUES (new.`id`, new.`plate`);
END;
--> statement-breakpoint
CREATE TRIGGER `plates_fts_delete` AFTER DELETE ON `plates` BEGIN
	INSERT INTO `plates_fts` (`plates_fts`, `rowid`, `plate`) VALUES ('delete', old.`id`, old.`plate`);
END;
