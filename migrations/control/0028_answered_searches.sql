ALTER TABLE `service_accounts` ADD `former_by` text;--> statement-breakpoint
ALTER TABLE `review_evidence` ADD `answered_by` text DEFAULT '' NOT NULL;