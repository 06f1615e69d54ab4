CREATE TABLE `purge_steps` (
	`run` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`step` integer NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `purge_steps_agency` ON `purge_steps` (`agency_id`);