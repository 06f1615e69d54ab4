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
CREATE INDEX `backup_runs_started` ON `backup_runs` (`started_at`);