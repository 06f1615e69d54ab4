CREATE TABLE `alert_segment_ids` (
	`hash` integer NOT NULL,
	`segment` integer NOT NULL,
	PRIMARY KEY(`hash`, `segment`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `alert_segment_ids_segment` ON `alert_segment_ids` (`segment`);
--> statement-breakpoint
CREATE TABLE `alert_segment_removed` (
	`segment` integer NOT NULL,
	`alert_id` text NOT NULL,
	PRIMARY KEY(`segment`, `alert_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `alert_segments` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`group_id` text NOT NULL,
	`agency_id` text NOT NULL,
	`object_key` text NOT NULL,
	`sealed_key` text NOT NULL,
	`min_captured_at` integer NOT NULL,
	`max_captured_at` integer NOT NULL,
	`min_created_at` integer NOT NULL,
	`max_created_at` integer NOT NULL,
	`min_disposition_at` integer,
	`max_disposition_at` integer,
	`hits` integer NOT NULL,
	`cameras` text NOT NULL,
	`cases` text NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alert_segments_object_key_unique` ON `alert_segments` (`object_key`);
--> statement-breakpoint
CREATE INDEX `alert_segments_captured` ON `alert_segments` (`group_id`,`max_captured_at`,`number`);
--> statement-breakpoint
CREATE INDEX `alert_segments_created` ON `alert_segments` (`agency_id`,`min_created_at`);
