CREATE TABLE `closed_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`closed_at` integer NOT NULL
);
