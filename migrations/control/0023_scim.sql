CREATE TABLE `scim_groups` (
	`id` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`display_name` text NOT NULL,
	`external_id` text,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scim_groups_name` ON `scim_groups` (`agency_id`,lower(display_name));--> statement-breakpoint
CREATE TABLE `scim_members` (
	`group_id` text NOT NULL,
	`user_id` text NOT NULL,
	PRIMARY KEY(`group_id`, `user_id`),
	FOREIGN KEY (`group_id`) REFERENCES `scim_groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `scim_members_user` ON `scim_members` (`user_id`);--> statement-breakpoint
CREATE TABLE `scim_tokens` (
	`agency_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`last_used_at` integer,
	`version` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scim_tokens_token_hash_unique` ON `scim_tokens` (`token_hash`);--> statement-breakpoint
CREATE TABLE `scim_users` (
	`user_id` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`user_name` text NOT NULL,
	`external_id` text,
	`profile` text NOT NULL,
	`changed_at` integer NOT NULL,
	`removed_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scim_users_name` ON `scim_users` (`agency_id`,lower(user_name));--> statement-breakpoint
CREATE INDEX `scim_users_external` ON `scim_users` (`agency_id`,`external_id`);