CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`group_id` text NOT NULL,
	`agency_id` text NOT NULL,
	`entry_id` integer NOT NULL,
	`pass_key` text NOT NULL,
	`program` text NOT NULL,
	`match_kind` text NOT NULL,
	`plate` text NOT NULL,
	`plate_state` text DEFAULT '' NOT NULL,
	`make` text DEFAULT '' NOT NULL,
	`color` text DEFAULT '' NOT NULL,
	`body_type` text DEFAULT '' NOT NULL,
	`confidence` integer,
	`captured_at` integer NOT NULL,
	`camera_id` text NOT NULL,
	`camera_name` text NOT NULL,
	`camera_agency_id` text NOT NULL,
	`camera_agency` text NOT NULL,
	`latitude_e6` integer,
	`longitude_e6` integer,
	`vehicle_image_key` text,
	`plate_image_key` text,
	`vendor_images` text,
	`listed_plate` text NOT NULL,
	`listed_state` text DEFAULT '' NOT NULL,
	`reason` text DEFAULT '' NOT NULL,
	`notes` text DEFAULT '' NOT NULL,
	`case_number` text DEFAULT '' NOT NULL,
	`priority` text DEFAULT 'normal' NOT NULL,
	`listed_at` integer NOT NULL,
	`listed_by` text NOT NULL,
	`listed_by_agency` text NOT NULL,
	`rank` integer DEFAULT 0 NOT NULL,
	`differences` text DEFAULT '[]' NOT NULL,
	`created_at` integer NOT NULL,
	`amended_at` integer,
	`fanned_out_at` integer,
	`disposition` text,
	`disposition_note` text DEFAULT '' NOT NULL,
	`disposition_by` text,
	`disposition_by_name` text,
	`disposition_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_once` ON `alerts` (`entry_id`,`pass_key`);--> statement-breakpoint
CREATE INDEX `alerts_group` ON `alerts` (`group_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `alerts_history` ON `alerts` (`group_id`,`captured_at`,`id`);--> statement-breakpoint
CREATE INDEX `alerts_quality` ON `alerts` (`group_id`,`camera_id`,`disposition`,`created_at`);--> statement-breakpoint
CREATE INDEX `alerts_camera` ON `alerts` (`camera_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `alerts_pass` ON `alerts` (`pass_key`);--> statement-breakpoint
CREATE INDEX `alerts_created` ON `alerts` (`created_at`);--> statement-breakpoint
CREATE INDEX `alerts_images` ON `alerts` (`agency_id`,`created_at`) WHERE vehicle_image_key is not null or plate_image_key is not null;--> statement-breakpoint
CREATE INDEX `alerts_outbox` ON `alerts` (`created_at`) WHERE fanned_out_at is null;--> statement-breakpoint
CREATE INDEX `alerts_pictures` ON `alerts` (`created_at`) WHERE vendor_images is not null;--> statement-breakpoint
CREATE TABLE `alerts_seen` (
	`user_id` text PRIMARY KEY NOT NULL,
	`seen_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `audit_chain` (
	`seq` integer PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`position` integer NOT NULL,
	`hash` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_chain_position` ON `audit_chain` (`agency_id`,`position`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`alert_id` text NOT NULL,
	`user_id` text NOT NULL,
	`channel` text NOT NULL,
	`state` text NOT NULL,
	`reason` text DEFAULT '' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`devices` text DEFAULT '[]' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`next_at` integer,
	`driven_at` integer,
	PRIMARY KEY(`alert_id`, `user_id`, `channel`)
);
--> statement-breakpoint
CREATE INDEX `deliveries_user` ON `deliveries` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`next_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_dead` ON `deliveries` (`updated_at`) WHERE state = 'dead';--> statement-breakpoint
CREATE TABLE `doors` (
	`id` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`program` text NOT NULL,
	`name` text NOT NULL,
	`secret_hash` text NOT NULL,
	`secret_last4` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`revoked_at` integer,
	`last_read_at` integer,
	`last_heartbeat_at` integer,
	`last_refused_at` integer,
	`last_refusal` text,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `doors_secret_hash_unique` ON `doors` (`secret_hash`);--> statement-breakpoint
CREATE INDEX `doors_agency` ON `doors` (`agency_id`,`name`);--> statement-breakpoint
CREATE TABLE `legal_holds` (
	`id` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`case_number` text NOT NULL,
	`reason` text NOT NULL,
	`plates` text NOT NULL,
	`from_at` integer NOT NULL,
	`until_at` integer NOT NULL,
	`state` text NOT NULL,
	`requested_by` text NOT NULL,
	`requested_by_name` text NOT NULL,
	`requested_at` integer NOT NULL,
	`decided_by` text,
	`decided_by_name` text,
	`decided_at` integer,
	`released_by` text,
	`released_by_name` text,
	`released_at` integer,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `legal_holds_agency` ON `legal_holds` (`agency_id`,`requested_at`);--> statement-breakpoint
CREATE TABLE `poll_cursors` (
	`integration_id` text PRIMARY KEY NOT NULL,
	`cursor` text NOT NULL,
	`leased_until` integer DEFAULT 0 NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `provider_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed_token` text NOT NULL,
	`issued_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `push_devices` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`channel` text NOT NULL,
	`name` text NOT NULL,
	`address_hash` text NOT NULL,
	`sealed_address` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`dropped_at` integer,
	`dropped` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `push_devices_address_hash_unique` ON `push_devices` (`address_hash`);--> statement-breakpoint
CREATE INDEX `push_devices_user` ON `push_devices` (`user_id`);--> statement-breakpoint
CREATE TABLE `rekor_cameras` (
	`id` text PRIMARY KEY NOT NULL,
	`agency_id` text,
	`name` text DEFAULT '' NOT NULL,
	`site_name` text DEFAULT '' NOT NULL,
	`latitude_e6` integer,
	`longitude_e6` integer,
	`corrected_latitude_e6` integer,
	`corrected_longitude_e6` integer,
	`is_manual` integer DEFAULT false NOT NULL,
	`corrected_at` integer,
	`first_seen_at` integer NOT NULL,
	`last_read_at` integer,
	`last_heartbeat_at` integer,
	`usual_gap_ms` integer,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rekor_cameras_agency` ON `rekor_cameras` (`agency_id`,`name`);--> statement-breakpoint
CREATE INDEX `rekor_cameras_corrected` ON `rekor_cameras` (`corrected_at`);--> statement-breakpoint
CREATE TABLE `wildcard_versions` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
DROP INDEX `audit_log_agency`;--> statement-breakpoint
DROP INDEX `audit_log_plate`;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `kind` text GENERATED ALWAYS AS (case
        when action like 'audit.%' then 'audit'
        when action like '%.view' then 'view'
        when action like 'search%' then 'search'
        when action like 'export%' then 'export'
        when action like 'sign-%' or action like 'session.%' or action = 'step-up' then 'sign-in'
        when action like 'group.%' or action like 'plate.%' or action like 'hotlist%' or action like 'attachment.%'
          or action like 'alert.%' or action like 'push-%' then 'hotlist'
        else 'other' end) VIRTUAL;--> statement-breakpoint
CREATE INDEX `audit_log_at` ON `audit_log` (`agency_id`,`at`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_log_kind` ON `audit_log` (`agency_id`,`kind`,`at`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_log_plate_at` ON `audit_log` (`agency_id`,`plate`,`at`,`seq`) WHERE plate <> '';--> statement-breakpoint
CREATE INDEX `audit_log_case` ON `audit_log` (`agency_id`,`case_number`,`at`,`seq`) WHERE case_number <> '';--> statement-breakpoint
CREATE INDEX `audit_log_name` ON `audit_log` (`agency_id`,`username`,`at`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_log_refused` ON `audit_log` (`agency_id`,`at`,`seq`) WHERE outcome = 'refused';--> statement-breakpoint
ALTER TABLE `axis_cameras` ADD `usual_gap_ms` integer;--> statement-breakpoint
ALTER TABLE `dead_jobs` ADD `state` text DEFAULT 'dead' NOT NULL;--> statement-breakpoint
ALTER TABLE `dead_jobs` ADD `state_at` integer;--> statement-breakpoint
CREATE INDEX `dead_jobs_state` ON `dead_jobs` (`state`,`state_at`);--> statement-breakpoint
ALTER TABLE `push_preferences` ADD `quiet_from` integer;--> statement-breakpoint
ALTER TABLE `push_preferences` ADD `quiet_until` integer;--> statement-breakpoint
ALTER TABLE `push_preferences` ADD `time_zone` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `hotlist_entries_expiry` ON `hotlist_entries` (`group_id`,`until_version`,`expires_at`,`from_version`);--> statement-breakpoint
CREATE INDEX `hotlist_entries_wildcards` ON `hotlist_entries` (`id`) WHERE instr(plate, '*') > 0 or instr(plate, '?') > 0;