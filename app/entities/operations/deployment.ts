/**
 * The bindings that Odin cannot work without, in addition to at least one READS_n. BROWSER and ASSETS serve single
 * features.
 */
export const REQUIRED_BUCKETS = [
  "RESULTS",
  "IMAGES",
  "ATTACHMENTS",
  "IMPORTS",
  "AUDITS",
  "KEYS",
  "BACKUPS",
] as const;
export const REQUIRED_QUEUES = ["JOBS", "EXPORTS", "ALERTS", "WEBHOOKS"] as const;

/** The secrets that Odin cannot work without. The others enable single features. */
export const REQUIRED_SECRETS = ["PASSWORD_PEPPER", "SEALING_KEYS", "EXPORT_SIGNING_KEYS"] as const;

/** Throws an Error that names the missing required bindings or secrets, if any. */
export function requireComplete(env: object): void {
  const names = [...REQUIRED_SECRETS, "DB", ...REQUIRED_BUCKETS, ...REQUIRED_QUEUES];
  const missing = names.filter((name) => !Reflect.get(env, name));
  if (missing.length > 0) throw new Error(`${missing.join(", ")} must be set: see docs/operations.md`);
}
