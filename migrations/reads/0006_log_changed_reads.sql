-- While a day is copied to another database, remembers its reads that changed since they were copied. A read that changes
-- again gets a new number, so that the copy removes only what it has copied.
CREATE TRIGGER `sealed_reads_changed` AFTER UPDATE ON `sealed_reads`
WHEN EXISTS (SELECT 1 FROM `day_fences` WHERE `day` = OLD.`captured_at` / 86400000 AND `state` = 'copying')
BEGIN
	DELETE FROM `changed_reads` WHERE `id` = OLD.`id`;
	INSERT INTO `changed_reads` (`id`, `day`) VALUES (OLD.`id`, OLD.`captured_at` / 86400000);
END;
--> statement-breakpoint
CREATE TRIGGER `sealed_reads_deleted` AFTER DELETE ON `sealed_reads`
WHEN EXISTS (SELECT 1 FROM `day_fences` WHERE `day` = OLD.`captured_at` / 86400000 AND `state` = 'copying')
BEGIN
	DELETE FROM `changed_reads` WHERE `id` = OLD.`id`;
	INSERT INTO `changed_reads` (`id`, `day`) VALUES (OLD.`id`, OLD.`captured_at` / 86400000);
END;
