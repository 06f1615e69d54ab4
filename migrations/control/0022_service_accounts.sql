CREATE TABLE `service_accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`agency_id` text NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`addresses` text NOT NULL,
	`per_minute` integer NOT NULL,
	`token_hash` text NOT NULL,
	`token_last4` text NOT NULL,
	`token_by` text NOT NULL,
	`former_hash` text,
	`former_until` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`rotated_at` integer,
	`expires_at` integer NOT NULL,
	`disabled_at` integer,
	`last_used_at` integer,
	`last_used_ip` text DEFAULT '' NOT NULL,
	`last_refused_at` integer,
	`last_refused_ip` text DEFAULT '' NOT NULL,
	`last_refusal` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `service_accounts_token_hash_unique` ON `service_accounts` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `service_accounts_former_hash_unique` ON `service_accounts` (`former_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `service_accounts_name` ON `service_accounts` (`agency_id`,lower("name"));--> statement-breakpoint
CREATE INDEX `service_accounts_agency` ON `service_accounts` (`agency_id`,`created_at`);