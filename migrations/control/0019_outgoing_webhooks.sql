CREATE TABLE `outgoing_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` text NOT NULL,
	`event` text NOT NULL,
	`event_key` text NOT NULL,
	`group_id` text NOT NULL,
	`alert_id` text DEFAULT '' NOT NULL,
	`detail` text DEFAULT '{}' NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`status` integer,
	`reason` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`next_at` integer,
	`retried_at` integer,
	FOREIGN KEY (`webhook_id`) REFERENCES `outgoing_webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outgoing_deliveries_once` ON `outgoing_deliveries` (`webhook_id`,`event`,`event_key`);--> statement-breakpoint
CREATE INDEX `outgoing_deliveries_newest` ON `outgoing_deliveries` (`webhook_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `outgoing_deliveries_created` ON `outgoing_deliveries` (`created_at`);--> statement-breakpoint
CREATE INDEX `outgoing_deliveries_pending` ON `outgoing_deliveries` (`created_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `outgoing_deliveries_due` ON `outgoing_deliveries` (`webhook_id`,`next_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `outgoing_deliveries_failed` ON `outgoing_deliveries` (`webhook_id`,`updated_at`) WHERE state = 'failed';--> statement-breakpoint
CREATE TABLE `outgoing_webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`group_id` text,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`sealed_secret` text NOT NULL,
	`sealed_former` text,
	`former_until` integer,
	`on_hit` integer NOT NULL,
	`on_disposition` integer NOT NULL,
	`on_expiring` integer NOT NULL,
	`plate_data` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`off_at` integer,
	`off_reason` text DEFAULT '' NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`paused_until` integer DEFAULT 0 NOT NULL,
	`last_ok_at` integer,
	`last_failure_at` integer,
	`last_failure` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `alert_groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `outgoing_webhooks_agency` ON `outgoing_webhooks` (`agency_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `outgoing_webhooks_group` ON `outgoing_webhooks` (`group_id`);