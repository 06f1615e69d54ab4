-- Which plates of a key hold which run of three characters, all as tags under that key. A plate stands here once for a
-- key, however often it was read. Without rowids, so that a row is its key and rows of one run lie side by side.
CREATE TABLE `plate_runs` (
	`key_id` integer NOT NULL,
	`run` integer NOT NULL,
	`plate_tag` integer NOT NULL,
	PRIMARY KEY(`key_id`, `run`, `plate_tag`)
) WITHOUT ROWID;
--> statement-breakpoint
-- Passes seen within ten minutes of a midnight, under the key of the day that ends there: they say which day owns the read.
CREATE TABLE `sealed_midnights` (
	`key_id` integer NOT NULL,
	`pass_tag` integer NOT NULL,
	`captured_at` integer NOT NULL,
	PRIMARY KEY(`key_id`, `pass_tag`, `captured_at`)
) WITHOUT ROWID;
