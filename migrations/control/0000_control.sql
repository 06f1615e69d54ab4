CREATE TABLE `addresses` (
	`position` text PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`attribution` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `agencies` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`second_factor_required` integer DEFAULT false NOT NULL,
	`idle_minutes` integer DEFAULT 30 NOT NULL,
	`absolute_minutes` integer DEFAULT 720 NOT NULL,
	`password_max_age_days` integer DEFAULT 365 NOT NULL,
	`search_limit_days` integer DEFAULT 90 NOT NULL,
	`retention_days` integer DEFAULT 90 NOT NULL,
	`result_lifetime_minutes` integer DEFAULT 60 NOT NULL,
	`hotlist_expiry_days` integer DEFAULT 30 NOT NULL,
	`case_number_required` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agencies_name_unique` ON `agencies` (`name`);--> statement-breakpoint
CREATE TABLE `alert_group_invitations` (
	`group_id` text NOT NULL,
	`agency_id` text NOT NULL,
	`state` text NOT NULL,
	`invited_by` text NOT NULL,
	`invited_at` integer NOT NULL,
	`decided_by` text,
	`decided_at` integer,
	PRIMARY KEY(`group_id`, `agency_id`),
	FOREIGN KEY (`group_id`) REFERENCES `alert_groups`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `alert_group_invitations_agency` ON `alert_group_invitations` (`agency_id`,`state`);--> statement-breakpoint
CREATE TABLE `alert_group_members` (
	`group_id` text NOT NULL,
	`user_id` text NOT NULL,
	`added_at` integer NOT NULL,
	`added_by` text NOT NULL,
	PRIMARY KEY(`group_id`, `user_id`),
	FOREIGN KEY (`group_id`) REFERENCES `alert_groups`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alert_group_members_user` ON `alert_group_members` (`user_id`);--> statement-breakpoint
CREATE TABLE `alert_groups` (
	`id` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`image_id` text,
	`version` integer DEFAULT 1 NOT NULL,
	`list_version` integer DEFAULT 1 NOT NULL,
	`next_version` integer DEFAULT 2 NOT NULL,
	`plate_count` integer DEFAULT 0 NOT NULL,
	`last_alert_at` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`changed_at` integer NOT NULL,
	`changed_by` text NOT NULL,
	`archived_at` integer,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `alert_groups_agency` ON `alert_groups` (`agency_id`,`name`);--> statement-breakpoint
CREATE TABLE `attachments` (
	`id` text PRIMARY KEY NOT NULL,
	`group_id` text NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`size` integer NOT NULL,
	`sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE `exports` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`agency_id` text NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`name` text NOT NULL,
	`justification` text NOT NULL,
	`case_number` text NOT NULL,
	`time_zone` text NOT NULL,
	`records` integer NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	`missing` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`sha256` text DEFAULT '' NOT NULL,
	`message` text DEFAULT '' NOT NULL,
	`requester` text NOT NULL,
	`upload_id` text,
	`heartbeat_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `exports_user` ON `exports` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `exports_expiry` ON `exports` (`expires_at`);--> statement-breakpoint
CREATE INDEX `exports_state` ON `exports` (`state`,`heartbeat_at`);--> statement-breakpoint
CREATE TABLE `geocoder_turns` (
	`id` integer PRIMARY KEY NOT NULL,
	`next_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `hotlist_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
	`digest` integer NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`from_version` integer NOT NULL,
	`until_version` integer,
	`kept_by` integer DEFAULT 0 NOT NULL,
	`kept_expires_at` integer,
	`removed_at` integer,
	`removed_by` text
);
--> statement-breakpoint
CREATE INDEX `hotlist_entries_plate` ON `hotlist_entries` (`group_id`,`plate`,`state`);--> statement-breakpoint
CREATE TABLE `hotlist_import_issues` (
	`import_id` text NOT NULL,
	`kind` text NOT NULL,
	`line` integer NOT NULL,
	`plate` text NOT NULL,
	`reason` text NOT NULL,
	PRIMARY KEY(`import_id`, `kind`, `line`),
	FOREIGN KEY (`import_id`) REFERENCES `hotlist_imports`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `hotlist_imports` (
	`id` text PRIMARY KEY NOT NULL,
	`group_id` text NOT NULL,
	`agency_id` text NOT NULL,
	`user_id` text NOT NULL,
	`username` text NOT NULL,
	`user_name` text NOT NULL,
	`agency_name` text NOT NULL,
	`file_name` text NOT NULL,
	`size` integer NOT NULL,
	`preset` text NOT NULL,
	`mode` text NOT NULL,
	`on_conflict` text NOT NULL,
	`state` text NOT NULL,
	`message` text DEFAULT '' NOT NULL,
	`layout` text,
	`version` integer NOT NULL,
	`offset` integer DEFAULT 0 NOT NULL,
	`line` integer DEFAULT 1 NOT NULL,
	`skipping` integer DEFAULT false NOT NULL,
	`first_entry_id` integer NOT NULL,
	`walked_to` integer DEFAULT 0 NOT NULL,
	`step` integer DEFAULT 0 NOT NULL,
	`rows` integer DEFAULT 0 NOT NULL,
	`added` integer DEFAULT 0 NOT NULL,
	`unchanged` integer DEFAULT 0 NOT NULL,
	`conflicting` integer DEFAULT 0 NOT NULL,
	`removed` integer DEFAULT 0 NOT NULL,
	`rejected` integer DEFAULT 0 NOT NULL,
	`repeated` integer DEFAULT 0 NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`applied_at` integer
);
--> statement-breakpoint
CREATE INDEX `hotlist_imports_group` ON `hotlist_imports` (`group_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `hotlist_imports_state` ON `hotlist_imports` (`state`,`updated_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `hotlist_imports_open` ON `hotlist_imports` (`group_id`) WHERE state not in ('applied', 'cancelled', 'failed');--> statement-breakpoint
CREATE TABLE `integration_health` (
	`integration_id` text PRIMARY KEY NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`open_until` integer DEFAULT 0 NOT NULL,
	`last_ok_at` integer,
	`last_failure_at` integer,
	`last_failure` text
);
--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `passkeys_user` ON `passkeys` (`user_id`);--> statement-breakpoint
CREATE TABLE `password_history` (
	`user_id` text NOT NULL,
	`digest` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `digest`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `push_preferences` (
	`user_id` text PRIMARY KEY NOT NULL,
	`enabled` integer NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`user_id` text NOT NULL,
	`code_hash` text NOT NULL,
	PRIMARY KEY(`user_id`, `code_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
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
CREATE TABLE `reserved_usernames` (
	`username` text PRIMARY KEY NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE `saved_once` (
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`answer` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `saved_once_at` ON `saved_once` (`at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`state` text DEFAULT 'full' NOT NULL,
	`password_due` integer DEFAULT false NOT NULL,
	`proved_at` integer DEFAULT 0 NOT NULL,
	`challenge` text,
	`challenge_until` integer,
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
CREATE TABLE `sign_in_attempts` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`address` text NOT NULL,
	`at` integer NOT NULL,
	`failed` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sign_in_attempts_account` ON `sign_in_attempts` (`account`,`at`);--> statement-breakpoint
CREATE INDEX `sign_in_attempts_address` ON `sign_in_attempts` (`address`,`at`);--> statement-breakpoint
CREATE TABLE `totp_factors` (
	`user_id` text PRIMARY KEY NOT NULL,
	`sealed_secret` text NOT NULL,
	`confirmed_at` integer,
	`last_step` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
	`password_changed_at` integer,
	`temporary_until` integer,
	`password_list_version` text,
	`locked_at` integer,
	`disabled_at` integer,
	`disabled_by` text,
	`deleted_at` integer,
	`last_sign_in_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_unique` ON `users` (`username`);--> statement-breakpoint
CREATE INDEX `users_agency` ON `users` (`agency_id`,`name`);