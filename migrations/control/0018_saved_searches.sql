CREATE TABLE `saved_searches` (
	`user_id` text NOT NULL,
	`agency_id` text NOT NULL,
	`search_id` text NOT NULL,
	`searched_at` integer NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`pinned_at` integer,
	PRIMARY KEY(`user_id`, `search_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `saved_searches_age` ON `saved_searches` (`agency_id`,`searched_at`);--> statement-breakpoint
CREATE INDEX `audit_log_own_searches` ON `audit_log` (`agency_id`,`user_id`,`at`,`seq`) WHERE action in ('search', 'search-places', 'search-convoy') and outcome = 'ok';--> statement-breakpoint
CREATE INDEX `audit_log_search` ON `audit_log` (`object`) WHERE kind = 'search';