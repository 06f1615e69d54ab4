// The resources that a deployment creates, and its commands, in order. Reads only the configuration: no network, no
// account.

import { addressHint, type DeploymentConfig, isPlaceholder, JURISDICTION, queuesOf } from "./check.ts";
import { SECRETS } from "./secrets.ts";

/** Something that is created only once. A lock belongs to a bucket. */
export type CreatedResource = {
  kind: "database" | "bucket" | "lock" | "queue";
  name: string;
  bucket?: string;
};

/** One command of wrangler, or the build. */
export type Command = {
  step: "create" | "build" | "migrate" | "secret" | "deploy";
  words: string[];
  /** A hint for the operator. */
  note?: string;
  /** The resource that the command creates. */
  creates?: CreatedResource;
};

/**
 * Bucket locks: heads, checkpoints and archived rows of the audit log, which no one may delete or replace. Rows are
 * archived when they are at least 7 days old, and locked until they are a year old. Older installations also have
 * the rules `segments`, of 245 days, or `archived-351-days`; the longest one counts.
 */
const LOCKS = [
  ["heads", "audit-heads/", "730"],
  ["checkpoints", "audit-checkpoints/", "365"],
  ["archived-358-days", "audit-segments/", "358"],
] as const;
const LOCKED_BINDING = "AUDITS";

/** Returns every command of a deployment that starts with an empty account, in the order of `deploy`. */
export function commandsOf(config: DeploymentConfig): Command[] {
  return [
    ...config.d1_databases.map(createDatabase),
    ...config.r2_buckets.flatMap(createBucket),
    ...queuesOf(config).map(createQueue),
    ...SECRETS.filter(({ isRequired }) => isRequired).map(
      ({ name, purpose }): Command => ({
        step: "secret",
        words: wrangler("secret", "put", name),
        note: purpose,
      }),
    ),
    { step: "build", words: ["npm", "run", "build"] },
    ...config.d1_databases.map(
      ({ binding }): Command => ({
        step: "migrate",
        words: wrangler("d1", "migrations", "apply", binding, "--remote"),
      }),
    ),
    { step: "deploy", words: wrangler("deploy") },
  ];
}

const wrangler = (...words: string[]) => ["npx", "wrangler", ...words];

function createDatabase({
  database_name = "",
  database_id,
}: DeploymentConfig["d1_databases"][number]): Command {
  return {
    step: "create",
    words: wrangler("d1", "create", database_name, "--jurisdiction", JURISDICTION),
    note: isPlaceholder(database_id)
      ? "its id goes into wrangler.toml"
      : `wrangler.toml has the id ${database_id} already`,
    creates: { kind: "database", name: database_name },
  };
}

function createBucket({ binding, bucket_name }: DeploymentConfig["r2_buckets"][number]): Command[] {
  const name = String(bucket_name);
  const place = ["--jurisdiction", JURISDICTION];
  const locks = binding === LOCKED_BINDING ? LOCKS : [];
  return [
    {
      step: "create",
      words: wrangler("r2", "bucket", "create", name, ...place),
      creates: { kind: "bucket", name },
    },
    ...locks.map(
      ([rule, prefix, days]): Command => ({
        step: "create",
        words: wrangler(
          ...[
            "r2",
            "bucket",
            "lock",
            "add",
            name,
            rule,
            prefix,
            "--retention-days",
            days,
            "--force",
            ...place,
          ],
        ),
        note: "protects the audit log from anyone who can write the database",
        creates: { kind: "lock", name: rule, bucket: name },
      }),
    ),
  ];
}

const createQueue = (name: string): Command => ({
  step: "create",
  words: wrangler("queues", "create", name),
  creates: { kind: "queue", name },
});

/** Returns the text of `npm run deploy -- --dry-run`. */
export function describePlan(config: DeploymentConfig, problems: readonly string[]): string {
  const { queues, triggers, browser } = config;
  const consumers = queues.consumers ?? [];
  const dead = new Set(consumers.flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []));
  const sections: [string, string[]][] = [
    ["Address", [addressHint(config) ?? "as wrangler.toml has it"]],
    [
      "D1 databases, in the United States",
      config.d1_databases.map(
        ({ binding, database_name, migrations_dir }) =>
          `${binding}: ${database_name ?? ""}, migrations from ${migrations_dir ?? "migrations"}`,
      ),
    ],
    [
      "R2 buckets, in the United States",
      config.r2_buckets.map(({ binding, bucket_name }) => `${binding}: ${String(bucket_name)}`),
    ],
    [
      "Queues",
      queuesOf(config).map((name) => {
        const letters = consumers.find(({ queue }) => queue === name)?.dead_letter_queue;
        return `${name}${dead.has(name) ? " (dead letters)" : letters ? `, dead letters to ${letters}` : ""}`;
      }),
    ],
    ["Cron triggers (UTC)", triggers.crons ?? []],
    ["Browser Rendering", [browser ? `${browser.binding}: draws the street maps of reports` : "none"]],
    [
      "Secrets",
      SECRETS.map(
        ({ name, isRequired, purpose, made }) =>
          `${name} (${isRequired ? "required" : "optional"}): ${purpose}. From: ${made}`,
      ),
    ],
    ["Commands, in this order", commandsOf(config).map(lineOf)],
    [
      problems.length === 0 ? "Nothing is missing in wrangler.toml" : "Missing in wrangler.toml",
      [...problems],
    ],
  ];
  return sections
    .map(([title, lines]) => [title, ...lines.map((line) => `  ${line}`)].join("\n"))
    .join("\n\n");
}

/** Returns a command as it is typed, with its note as a comment. */
export function lineOf({ words, note }: Command): string {
  return `${words.join(" ")}${note ? `    # ${note}` : ""}`;
}
