ALTER TABLE `review_runs` ADD `tried_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `figure_pages` ADD `tried_at` integer DEFAULT 0 NOT NULL;