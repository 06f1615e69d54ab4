ALTER TABLE `agencies` ADD `investigators` text DEFAULT 'admins' NOT NULL;--> statement-breakpoint
ALTER TABLE `agencies` ADD `investigations_per_day` integer DEFAULT 20 NOT NULL;