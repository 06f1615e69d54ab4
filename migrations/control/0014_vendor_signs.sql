ALTER TABLE `axis_cameras` ADD `last_refused_at` integer;--> statement-breakpoint
ALTER TABLE `axis_cameras` ADD `last_refusal` text;--> statement-breakpoint
ALTER TABLE `doors` ADD `last_test_at` integer;