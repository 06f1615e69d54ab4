ALTER TABLE `exports` ADD `tried_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `hotlist_imports` ADD `tried_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `wildcard_versions` ADD `epoch` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `sign_in_attempts_at` ON `sign_in_attempts` (`at`);--> statement-breakpoint
CREATE INDEX `push_devices_dropped` ON `push_devices` (`dropped_at`) WHERE dropped_at is not null;--> statement-breakpoint
CREATE INDEX `rekor_cameras_manual` ON `rekor_cameras` (`id`) WHERE is_manual = 1;--> statement-breakpoint
CREATE INDEX `attachments_key` ON `attachments` (`key`);--> statement-breakpoint
-- For the retention of former entries, which goes by the time of their removal. drizzle-kit cannot write it.
CREATE INDEX `hotlist_entries_former` ON `hotlist_entries` (`group_id`, coalesce(removed_at, expires_at, created_at)) WHERE until_version is not null;
