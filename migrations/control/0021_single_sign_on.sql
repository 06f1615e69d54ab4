CREATE TABLE `sign_on_domains` (
	`domain` text NOT NULL,
	`agency_id` text NOT NULL,
	`requested_at` integer NOT NULL,
	`requested_by` text NOT NULL,
	`approved_at` integer,
	PRIMARY KEY(`domain`, `agency_id`),
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `sign_on_domains_agency` ON `sign_on_domains` (`agency_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sign_on_domains_approved` ON `sign_on_domains` (`domain`) WHERE approved_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `sign_on_identities` (
	`agency_id` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`agency_id`, `issuer`, `subject`),
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sign_on_identities_user` ON `sign_on_identities` (`user_id`,`agency_id`,`issuer`);--> statement-breakpoint
CREATE TABLE `sign_on_providers` (
	`agency_id` text PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`sealed_secret` text NOT NULL,
	`button_name` text NOT NULL,
	`enabled` integer NOT NULL,
	`show_button` integer NOT NULL,
	`create_users` integer NOT NULL,
	`trust_email` integer NOT NULL,
	`trust_second_factor` integer NOT NULL,
	`second_factor_approved_at` integer,
	`no_auth_time` integer NOT NULL,
	`acr_values` text NOT NULL,
	`groups_claim` text NOT NULL,
	`member_groups` text NOT NULL,
	`admin_groups` text NOT NULL,
	`hotlist_admin_groups` text NOT NULL,
	`hotlist_viewer_groups` text NOT NULL,
	`break_glass_user_id` text,
	`tested_at` integer,
	`last_failure_at` integer,
	`last_failure` text,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`break_glass_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `used_sign_ons` (
	`id` text PRIMARY KEY NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_sign_ons_until` ON `used_sign_ons` (`until`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `sign_on_issuer` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `sign_on_subject` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `sign_on_session` text;