CREATE TABLE `former_entries` (
	`group_id` text NOT NULL,
	`ended_at` integer NOT NULL,
	`id` integer NOT NULL,
	`plate` text NOT NULL,
	`state` text NOT NULL,
	`reason` text NOT NULL,
	`notes` text NOT NULL,
	`case_number` text NOT NULL,
	`match_policy` text NOT NULL,
	`state_required` integer NOT NULL,
	`make` text NOT NULL,
	`color` text NOT NULL,
	`body_type` text NOT NULL,
	`priority` text NOT NULL,
	`expires_at` integer,
	`attachment_id` text,
	`created_at` integer NOT NULL,
	`added_by` text NOT NULL,
	`added_by_name` text NOT NULL,
	`added_by_agency` text NOT NULL,
	`revision` integer NOT NULL,
	`from_version` integer NOT NULL,
	`until_version` integer NOT NULL,
	`removed_by` text,
	PRIMARY KEY(`group_id`, `ended_at`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `former_entries_attachment` ON `former_entries` (`attachment_id`) WHERE attachment_id is not null;
