CREATE TABLE `rekor_shares` (
	`owner_agency_id` text NOT NULL,
	`viewer_agency_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`declaration` text DEFAULT '' NOT NULL,
	`valid_until` integer,
	PRIMARY KEY(`owner_agency_id`, `viewer_agency_id`),
	FOREIGN KEY (`owner_agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`viewer_agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
