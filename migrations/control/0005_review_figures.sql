CREATE TABLE `audit_checkpoints` (
	`agency_id` text NOT NULL,
	`position` integer NOT NULL,
	`seq` integer NOT NULL,
	`hash` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`agency_id`, `position`)
);
--> statement-breakpoint
CREATE TABLE `figure_counts` (
	`agency_id` text NOT NULL,
	`period` text NOT NULL,
	`counts` text NOT NULL,
	`counted_at` integer NOT NULL,
	`claimed_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`agency_id`, `period`),
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `figure_pages` (
	`agency_id` text PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`introduction` text DEFAULT '' NOT NULL,
	`contact` text DEFAULT '' NOT NULL,
	`published_at` integer,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `figure_pages_slug_unique` ON `figure_pages` (`slug`);--> statement-breakpoint
CREATE TABLE `job_runs` (
	`job` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL,
	`last_ok_at` integer,
	`last_failure_at` integer,
	`late_since` integer
);
--> statement-breakpoint
ALTER TABLE `agencies` ADD `record_retention_days` integer DEFAULT 365 NOT NULL;--> statement-breakpoint
ALTER TABLE `agencies` ADD `audit_retention_days` integer DEFAULT 730 NOT NULL;--> statement-breakpoint
ALTER TABLE `axis_shares` ADD `declaration` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `axis_shares` ADD `valid_until` integer;--> statement-breakpoint
CREATE INDEX `addresses_at` ON `addresses` (`at`);--> statement-breakpoint
CREATE INDEX `alerts_agency` ON `alerts` (`agency_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `alerts_judged` ON `alerts` (`agency_id`,`disposition_at`,`disposition`) WHERE disposition_at is not null;--> statement-breakpoint
CREATE INDEX `deliveries_created` ON `deliveries` (`created_at`);--> statement-breakpoint
CREATE INDEX `hotlist_entries_history` ON `hotlist_entries` (`group_id`,`created_at`) WHERE until_version is not null;--> statement-breakpoint
CREATE INDEX `hotlist_entries_attachment` ON `hotlist_entries` (`attachment_id`) WHERE attachment_id is not null;