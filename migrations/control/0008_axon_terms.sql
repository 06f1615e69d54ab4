ALTER TABLE `axon_blacklist` ADD `kept_out_from` integer DEFAULT 0;--> statement-breakpoint
ALTER TABLE `axon_blacklist` ADD `declaration` text DEFAULT '' NOT NULL;