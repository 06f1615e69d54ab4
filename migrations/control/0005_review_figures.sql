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
CREATE INDEX `alerts_judged` ON `alerts` (`agency_id`,`disposition_at`,`disposition`) WHERE disposition_at is not null;