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
CREATE INDEX `alerts_judged` ON `alerts` (`agency_id`,`disposition_at`,`disposition`) WHERE disposition_at is not null;