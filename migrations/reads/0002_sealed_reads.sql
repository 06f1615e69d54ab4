CREATE TABLE `read_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`day` integer
);
--> statement-breakpoint
CREATE INDEX `read_keys_agency` ON `read_keys` (`agency_id`,`day`);--> statement-breakpoint
CREATE TABLE `sealed_reads` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key_id` integer NOT NULL,
	`captured_at` integer NOT NULL,
	`sealed` text NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`pass_tag` integer NOT NULL,
	`plate_tag` integer NOT NULL,
	`camera_tag` integer NOT NULL,
	`make_tag` integer NOT NULL,
	`color_tag` integer NOT NULL,
	`body_tag` integer NOT NULL,
	`state_tag` integer NOT NULL,
	`low` integer NOT NULL,
	`high` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sealed_reads_pass` ON `sealed_reads` (`key_id`,`pass_tag`,`captured_at`);--> statement-breakpoint
CREATE INDEX `sealed_reads_plate` ON `sealed_reads` (`key_id`,`plate_tag`,`captured_at`);--> statement-breakpoint
CREATE INDEX `sealed_reads_time` ON `sealed_reads` (`key_id`,`captured_at`,`id`,`low`,`high`,`make_tag`,`color_tag`,`body_tag`,`state_tag`,`camera_tag`);