CREATE TABLE `backup_parts` (
	`run_id` text NOT NULL,
	`section` text NOT NULL,
	`name` text NOT NULL,
	`n` integer NOT NULL,
	`key` text NOT NULL,
	`rows` integer NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`after` text NOT NULL,
	`is_last` integer NOT NULL,
	PRIMARY KEY(`run_id`, `section`, `name`, `n`),
	FOREIGN KEY (`run_id`) REFERENCES `backup_runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `backup_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`phase` text NOT NULL,
	`started_at` integer NOT NULL,
	`started_by` text DEFAULT '' NOT NULL,
	`finished_at` integer,
	`rows` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`objects` integer DEFAULT 0 NOT NULL,
	`key_version` integer DEFAULT 0 NOT NULL,
	`message` text DEFAULT '' NOT NULL,
	`plan` text,
	`leased_until` integer DEFAULT 0 NOT NULL,
	`lease` text DEFAULT '' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`removed_at` integer
);
--> statement-breakpoint
CREATE INDEX `backup_runs_started` ON `backup_runs` (`started_at`);--> statement-breakpoint
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
CREATE TABLE `review_decisions` (
	`finding_id` text NOT NULL,
	`number` integer NOT NULL,
	`verdict` text NOT NULL,
	`note` text NOT NULL,
	`by` text NOT NULL,
	`by_name` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`finding_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `review_evidence` (
	`seq` integer NOT NULL,
	`kind` text NOT NULL,
	`finding_id` text NOT NULL,
	`at` integer NOT NULL,
	`reason` text NOT NULL,
	PRIMARY KEY(`seq`, `kind`)
);
--> statement-breakpoint
CREATE INDEX `review_evidence_finding` ON `review_evidence` (`finding_id`,`at`,`seq`);--> statement-breakpoint
CREATE TABLE `review_findings` (
	`id` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`kind` text NOT NULL,
	`user_id` text NOT NULL,
	`username` text NOT NULL,
	`plate` text DEFAULT '' NOT NULL,
	`day` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`searches` integer NOT NULL,
	`created_at` integer NOT NULL,
	`decisions` integer DEFAULT 0 NOT NULL,
	`verdict` text,
	`decided_at` integer
);
--> statement-breakpoint
CREATE INDEX `review_findings_open` ON `review_findings` (`agency_id`,`last_at`,`id`) WHERE decisions = 0;--> statement-breakpoint
CREATE INDEX `review_findings_open_kind` ON `review_findings` (`agency_id`,`kind`,`last_at`,`id`) WHERE decisions = 0;--> statement-breakpoint
CREATE INDEX `review_findings_open_user` ON `review_findings` (`agency_id`,`username`,`last_at`,`id`) WHERE decisions = 0;--> statement-breakpoint
CREATE INDEX `review_findings_age` ON `review_findings` (`agency_id`,`created_at`,`id`) WHERE decisions = 0;--> statement-breakpoint
CREATE INDEX `review_findings_decided` ON `review_findings` (`agency_id`,`decided_at`,`id`) WHERE decisions > 0;--> statement-breakpoint
CREATE INDEX `review_findings_violations` ON `review_findings` (`agency_id`,`decided_at`,`id`) WHERE verdict = 'violation';--> statement-breakpoint
CREATE INDEX `review_findings_growing` ON `review_findings` (`agency_id`,`user_id`,`kind`,`plate`,`last_at`) WHERE decisions = 0;--> statement-breakpoint
CREATE INDEX `review_findings_made` ON `review_findings` (`agency_id`,`created_at`,`decisions`,`verdict`);--> statement-breakpoint
CREATE TABLE `review_runs` (
	`agency_id` text PRIMARY KEY NOT NULL,
	`day` integer NOT NULL,
	`after_user` text DEFAULT '' NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
ALTER TABLE `agencies` ADD `record_retention_days` integer DEFAULT 365 NOT NULL;--> statement-breakpoint
ALTER TABLE `agencies` ADD `audit_retention_days` integer DEFAULT 730 NOT NULL;--> statement-breakpoint
ALTER TABLE `agencies` ADD `purpose_required` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `agencies` ADD `time_zone` text DEFAULT 'America/New_York' NOT NULL;--> statement-breakpoint
ALTER TABLE `axis_shares` ADD `declaration` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `axis_shares` ADD `valid_until` integer;--> statement-breakpoint
CREATE INDEX `addresses_at` ON `addresses` (`at`);--> statement-breakpoint
CREATE INDEX `alerts_agency` ON `alerts` (`agency_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `alerts_judged` ON `alerts` (`agency_id`,`disposition_at`,`disposition`) WHERE disposition_at is not null;--> statement-breakpoint
CREATE INDEX `audit_log_searches` ON `audit_log` (`agency_id`,`user_id`,`at`,`plate`,`case_number`) WHERE action = 'search' and outcome = 'ok';--> statement-breakpoint
CREATE INDEX `deliveries_created` ON `deliveries` (`created_at`);--> statement-breakpoint
CREATE INDEX `hotlist_entries_history` ON `hotlist_entries` (`group_id`,`created_at`) WHERE until_version is not null;--> statement-breakpoint
CREATE INDEX `hotlist_entries_attachment` ON `hotlist_entries` (`attachment_id`) WHERE attachment_id is not null;