CREATE TABLE `agencies` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`search_limit_days` integer DEFAULT 90 NOT NULL,
	`result_lifetime_minutes` integer DEFAULT 60 NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agencies_name_unique` ON `agencies` (`name`);--> statement-breakpoint
CREATE TABLE `audit_log` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`agency_id` text NOT NULL,
	`user_id` text NOT NULL,
	`username` text NOT NULL,
	`session_id` text NOT NULL,
	`ip` text NOT NULL,
	`user_agent` text NOT NULL,
	`action` text NOT NULL,
	`outcome` text NOT NULL,
	`object` text DEFAULT '' NOT NULL,
	`plate` text DEFAULT '' NOT NULL,
	`case_number` text DEFAULT '' NOT NULL,
	`programs_queried` text DEFAULT '' NOT NULL,
	`detail` text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_log_agency` ON `audit_log` (`agency_id`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_log_plate` ON `audit_log` (`agency_id`,`plate`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_log_user` ON `audit_log` (`user_id`,`seq`);--> statement-breakpoint
CREATE TABLE `axis_cameras` (
	`id` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`name` text NOT NULL,
	`latitude_e6` integer,
	`longitude_e6` integer,
	`secret_hash` text NOT NULL,
	`revoked_at` integer,
	`created_at` integer NOT NULL,
	`last_read_at` integer,
	`last_heartbeat_at` integer,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `axis_cameras_secret_hash_unique` ON `axis_cameras` (`secret_hash`);--> statement-breakpoint
CREATE INDEX `axis_cameras_agency` ON `axis_cameras` (`agency_id`,`name`);--> statement-breakpoint
CREATE TABLE `axis_shares` (
	`owner_agency_id` text NOT NULL,
	`viewer_agency_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`owner_agency_id`, `viewer_agency_id`),
	FOREIGN KEY (`owner_agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`viewer_agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `axon_blacklist` (
	`integration_id` text NOT NULL,
	`agency_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`integration_id`, `agency_id`),
	FOREIGN KEY (`integration_id`) REFERENCES `axon_integrations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `axon_integrations` (
	`id` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`base_url` text NOT NULL,
	`client_id` text NOT NULL,
	`partner_id` text NOT NULL,
	`sealed_secret` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `axon_integrations_agency_id_unique` ON `axon_integrations` (`agency_id`);--> statement-breakpoint
CREATE TABLE `axon_tokens` (
	`integration_id` text PRIMARY KEY NOT NULL,
	`sealed_token` text,
	`expires_at` integer DEFAULT 0 NOT NULL,
	`leased_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `dead_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`queue` text NOT NULL,
	`body` text NOT NULL,
	`attempts` integer NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dead_jobs_at` ON `dead_jobs` (`at`,`id`);--> statement-breakpoint
CREATE TABLE `integration_health` (
	`integration_id` text PRIMARY KEY NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`open_until` integer DEFAULT 0 NOT NULL,
	`last_ok_at` integer,
	`last_failure_at` integer,
	`last_failure` text
);
--> statement-breakpoint
CREATE TABLE `rekor_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`agency` text NOT NULL,
	`base_url` text NOT NULL,
	`sealed_key` text NOT NULL,
	`key_last4` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`tenant_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rekor_keys_tenant` ON `rekor_keys` (`tenant_id`,`agency`);--> statement-breakpoint
CREATE TABLE `result_sets` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`agency_id` text NOT NULL,
	`state` text NOT NULL,
	`request` text NOT NULL,
	`statuses` text NOT NULL,
	`count` integer DEFAULT 0 NOT NULL,
	`truncated` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `result_sets_expiry` ON `result_sets` (`expires_at`);--> statement-breakpoint
CREATE INDEX `result_sets_user` ON `result_sets` (`user_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`revoked_at` integer,
	`ip` text NOT NULL,
	`user_agent` text NOT NULL,
	`notice_version` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_token_hash_unique` ON `sessions` (`token_hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_seen` ON `sessions` (`last_seen_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`username` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`hotlist_admin` integer DEFAULT false NOT NULL,
	`hotlist_viewer` integer DEFAULT false NOT NULL,
	`password_hash` text NOT NULL,
	`disabled_at` integer,
	`last_sign_in_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_unique` ON `users` (`username`);--> statement-breakpoint
CREATE INDEX `users_agency` ON `users` (`agency_id`,`name`);