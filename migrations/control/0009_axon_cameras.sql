CREATE TABLE `axon_cameras` (
	`agency_id` text NOT NULL,
	`name` text NOT NULL,
	`last_read_at` integer NOT NULL,
	`usual_gap_ms` integer,
	PRIMARY KEY(`agency_id`, `name`),
	FOREIGN KEY (`agency_id`) REFERENCES `agencies`(`id`) ON UPDATE no action ON DELETE no action
);
