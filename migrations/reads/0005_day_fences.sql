CREATE TABLE `changed_reads` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` integer NOT NULL,
	`day` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `changed_reads_id_unique` ON `changed_reads` (`id`);--> statement-breakpoint
CREATE TABLE `day_fences` (
	`day` integer PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`continued` integer DEFAULT 0 NOT NULL,
	`closings` integer DEFAULT 0 NOT NULL,
	`stop` integer DEFAULT 0 NOT NULL
);
