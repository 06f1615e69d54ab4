CREATE TABLE `former_entries` (
	`group_id` text NOT NULL,
	`plate` text NOT NULL,
	`state` text DEFAULT '' NOT NULL,
	`reason` text DEFAULT '' NOT NULL,
	`notes` text DEFAULT '' NOT NULL,
	`case_number` text DEFAULT '' NOT NULL,
	`match_policy` text DEFAULT 'exact' NOT NULL,
	`state_required` integer DEFAULT false NOT NULL,
	`make` text DEFAULT '' NOT NULL,
	`color` text DEFAULT '' NOT NULL,
	`body_type` text DEFAULT '' NOT NULL,
	`priority` text DEFAULT 'normal' NOT NULL,
	`expires_at` integer,
	`attachment_id` text,
	`created_at` integer NOT NULL,
	`added_by` text NOT NULL,
	`added_by_name` text NOT NULL,
	`added_by_agency` text NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`from_version` integer NOT NULL,
	`removed_by` text,
	`id` integer NOT NULL,
	`ended_at` integer NOT NULL,
	`until_version` integer NOT NULL,
	PRIMARY KEY(`group_id`, `ended_at`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `former_entries_attachment` ON `former_entries` (`attachment_id`) WHERE attachment_id is not null;
