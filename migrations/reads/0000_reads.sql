CREATE TABLE `midnight_passes` (
	`camera_id` text NOT NULL,
	`car_id` text NOT NULL,
	`captured_at` integer NOT NULL,
	`day` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `midnight_passes_pass` ON `midnight_passes` (`camera_id`,`car_id`,`captured_at`);--> statement-breakpoint
CREATE INDEX `midnight_passes_day` ON `midnight_passes` (`day`);--> statement-breakpoint
CREATE TABLE `plates` (
	`id` integer PRIMARY KEY NOT NULL,
	`plate` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `plates_plate_unique` ON `plates` (`plate`);--> statement-breakpoint
CREATE TABLE `reads` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`plate_id` integer NOT NULL,
	`captured_at` integer NOT NULL,
	`day` integer NOT NULL,
	`agency_id` text NOT NULL,
	`camera_id` text NOT NULL,
	`camera_name` text NOT NULL,
	`car_id` text NOT NULL,
	`plate_state` text NOT NULL,
	`make` text NOT NULL,
	`color` text NOT NULL,
	`body_type` text NOT NULL,
	`confidence` integer,
	`direction` text NOT NULL,
	`latitude_e6` integer,
	`longitude_e6` integer,
	`car_state` text NOT NULL,
	`event_at` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`vehicle_image_key` text,
	`plate_image_key` text
);
--> statement-breakpoint
CREATE INDEX `reads_plate_time` ON `reads` (`plate_id`,`captured_at`);--> statement-breakpoint
CREATE INDEX `reads_agency_time` ON `reads` (`agency_id`,`captured_at`,`id`,`camera_id`,`make`,`color`,`body_type`,`plate_state`,`plate_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `reads_pass` ON `reads` (`camera_id`,`car_id`,`captured_at`);--> statement-breakpoint
CREATE INDEX `reads_day` ON `reads` (`day`);