CREATE TABLE `known_devices` (
	`user_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`last_used_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `token_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `known_devices_token` ON `known_devices` (`token_hash`);--> statement-breakpoint
CREATE INDEX `known_devices_used` ON `known_devices` (`last_used_at`);--> statement-breakpoint
ALTER TABLE `sign_in_attempts` ADD `unknown_device` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `locked_for` text;--> statement-breakpoint
ALTER TABLE `users` ADD `lock_addresses` text;