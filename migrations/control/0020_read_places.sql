CREATE TABLE `read_databases` (
	`name` text PRIMARY KEY NOT NULL,
	`state` text DEFAULT 'open' NOT NULL,
	`state_at` integer NOT NULL,
	`bytes` integer,
	`reads` integer,
	`measured_at` integer,
	`reads_counted_at` integer,
	`moved_reads` integer DEFAULT 0 NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`leased_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `read_places` (
	`day` integer NOT NULL,
	`part` integer NOT NULL,
	`database` text NOT NULL,
	`placed_at` integer NOT NULL,
	`move_to` text,
	`progress` text,
	`left_in` text,
	`left_at` integer,
	PRIMARY KEY(`day`, `part`)
);
--> statement-breakpoint
CREATE INDEX `read_places_database` ON `read_places` (`database`,`placed_at`);--> statement-breakpoint
CREATE TABLE `read_sizes` (
	`database` text NOT NULL,
	`day` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`database`, `day`)
);
