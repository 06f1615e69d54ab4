CREATE TABLE `alert_group_proposals` (
	`group_id` text NOT NULL,
	`user_id` text NOT NULL,
	`proposed_at` integer NOT NULL,
	`proposed_by` text NOT NULL,
	PRIMARY KEY(`group_id`, `user_id`),
	FOREIGN KEY (`group_id`) REFERENCES `alert_groups`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alert_group_proposals_user` ON `alert_group_proposals` (`user_id`);--> statement-breakpoint
CREATE TABLE `expiry_notice_runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`noticed_until` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `expiry_notices` (
	`user_id` text NOT NULL,
	`group_id` text NOT NULL,
	`stage` text NOT NULL,
	`expires_after` integer NOT NULL,
	`expires_until` integer NOT NULL,
	`created_at` integer NOT NULL,
	`seen_at` integer,
	PRIMARY KEY(`user_id`, `group_id`, `stage`, `expires_until`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `alert_groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `expiry_notices_user` ON `expiry_notices` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `expiry_notices_created` ON `expiry_notices` (`created_at`);--> statement-breakpoint
ALTER TABLE `agencies` ADD `hotlist_default_days` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- 30 was the default that no agency had to choose: entries expire by default only where another number was set.
UPDATE `agencies` SET `hotlist_default_days` = `hotlist_expiry_days` WHERE `hotlist_expiry_days` <> 30;--> statement-breakpoint
ALTER TABLE `agencies` DROP COLUMN `hotlist_expiry_days`;--> statement-breakpoint
ALTER TABLE `alert_group_invitations` ADD `accepted_at` integer;--> statement-breakpoint
UPDATE `alert_group_invitations` SET `accepted_at` = `decided_at` WHERE `state` = 'accepted';
