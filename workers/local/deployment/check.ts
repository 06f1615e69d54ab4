// Checks before a deployment: every store in the United States, no placeholders left, secrets present. A
// jurisdiction can be chosen only when a store is created, so a wrong one must be found before the first read is
// stored.

import { REQUIRED_BUCKETS, REQUIRED_QUEUES, REQUIRED_SECRETS } from "#app/entities/operations/deployment.ts";
import { WranglerError } from "./ask.ts";

/** The parts of wrangler.toml that are checked. */
export type DeploymentConfig = {
  d1_databases: {
    binding: string;
    database_name?: string | undefined;
    database_id?: string | undefined;
    migrations_dir?: string | undefined;
  }[];
  r2_buckets: {
    binding: string;
    bucket_name?: string | symbol | undefined;
    jurisdiction?: string | undefined;
  }[];
  queues: {
    producers?: { binding?: string; queue: string }[] | undefined;
    consumers?:
      | { queue: string; dead_letter_queue?: string | undefined; max_retries?: number | undefined }[]
      | undefined;
  };
  triggers: { crons?: string[] | undefined };
  browser?: { binding: string } | undefined;
  route?: unknown;
  routes?: readonly unknown[] | undefined;
  workers_dev?: boolean | undefined;
  vars: Record<string, unknown>;
  compatibility_flags?: readonly string[] | undefined;
  observability?:
    | { enabled?: boolean | undefined; logs?: { enabled?: boolean; invocation_logs?: boolean } | undefined }
    | undefined;
};

/**
 * Runs wrangler with these arguments. Returns its output, or null if there is no such thing, or if no one is signed in.
 * Throws a WranglerError if it failed otherwise.
 */
export type AskWrangler = (...words: string[]) => Promise<string | null>;

export const JURISDICTION = "us";
const PLACEHOLDER = /^00000000-0000-0000-0000-/;
export const isPlaceholder = (id = "") => id === "" || PLACEHOLDER.test(id);

/** The maximum of Queues: a message that a dead-letter queue gives up on is lost. */
const DEAD_RETRIES = 100;

/** Returns the problems of the configuration as texts for the operator. */
export function configProblems(config: DeploymentConfig, crons: readonly string[]): string[] {
  const { vars } = config;
  const problems = config.d1_databases.flatMap(({ binding, database_id }) =>
    isPlaceholder(database_id)
      ? [`${binding}: database_id is a placeholder. Create the database and write its id into wrangler.toml.`]
      : [],
  );
  // With another folder, wrangler finds no migrations and succeeds: the Worker would place days in a database without tables.
  for (const { binding, migrations_dir } of config.d1_databases) {
    const folder = binding === "DB" ? "migrations/control" : "migrations/reads";
    if (migrations_dir !== folder)
      problems.push(`${binding}: migrations_dir = "${folder}" is missing in wrangler.toml.`);
  }
  for (const { binding, jurisdiction } of config.r2_buckets) {
    if (jurisdiction !== JURISDICTION)
      problems.push(`${binding}: jurisdiction = "${JURISDICTION}" is missing in wrangler.toml.`);
  }
  const set = config.triggers.crons ?? [];
  for (const cron of crons) if (!set.includes(cron)) problems.push(`The cron "${cron}" is missing.`);
  problems.push(...failedJobProblems(config));
  problems.push(...originProblems(String(vars.PUBLIC_ORIGIN ?? "")));
  if (String(vars.OWNER_USERNAME ?? "") === "") problems.push("OWNER_USERNAME is not set.");
  if (vars.ALLOW_LOOPBACK_VENDORS === "yes") problems.push('ALLOW_LOOPBACK_VENDORS must be "no".');
  for (const name of ["VENDOR_HOSTS", "PUSH_HOSTS", "WEBHOOK_HOSTS", "IDENTITY_HOSTS"])
    if (/(^|[\s,])\*([\s,]|$)/.test(String(vars[name] ?? ""))) problems.push(`${name} allows every host.`);
  return problems;
}

/** Without the second flag, a vendor's host may lead to the account's own network. */
const FLAGS = ["nodejs_compat", "global_fetch_strictly_public", "enable_request_signal"];

/** Returns what wrangler.toml lacks if the one of a new version was not merged into it, as texts for the operator. */
export function mergeProblems(config: DeploymentConfig): string[] {
  const { d1_databases, r2_buckets, queues, compatibility_flags = [], observability } = config;
  const { producers = [], consumers = [] } = queues;
  const has = new Set([...d1_databases, ...r2_buckets, ...producers].map(({ binding }) => binding));
  const dead = new Set(consumers.flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []));
  const problems = ["DB", ...REQUIRED_BUCKETS, ...REQUIRED_QUEUES]
    .filter((name) => !has.has(name))
    .map((name) => `The binding ${name} is missing in wrangler.toml.`);
  if (!d1_databases.some(({ binding }) => binding.startsWith("READS_")))
    problems.push("A binding READS_n is missing in wrangler.toml.");
  for (const { queue } of producers)
    if (!consumers.some((consumer) => consumer.queue === queue))
      problems.push(`${queue}: a consumer is missing in wrangler.toml.`);
  for (const { queue, dead_letter_queue } of consumers)
    if (dead_letter_queue === undefined && !dead.has(queue))
      problems.push(`${queue}: dead_letter_queue is missing in wrangler.toml.`);
  for (const flag of FLAGS)
    if (!compatibility_flags.includes(flag))
      problems.push(`The compatibility flag "${flag}" is missing in wrangler.toml.`);
  // These logs are on by default if logs are.
  if (
    (observability?.logs?.enabled ?? observability?.enabled) &&
    observability?.logs?.invocation_logs !== false
  )
    problems.push("invocation_logs must be false: the platform would log the secrets of webhooks.");
  return problems;
}

/**
 * Returns what the operator must do so that people can open Odin, if wrangler.toml has no address for the Worker. It may
 * have one in the dashboard, which wrangler keeps, so this is no problem of the configuration.
 */
export function addressHint({ route, routes = [], workers_dev, vars }: DeploymentConfig): string | undefined {
  if (route !== undefined || routes.length > 0 || workers_dev === true) return undefined;
  const host = URL.parse(String(vars.PUBLIC_ORIGIN ?? ""))?.host ?? "odin.example.gov";
  return `No address leads to the Worker, unless the dashboard has one. Add this above [assets] in wrangler.toml: routes = [{ pattern = "${host}", custom_domain = true }]`;
}

/** Applies the rule of readOrigin in app/context.ts, and requires https. */
function originProblems(text: string): string[] {
  if (text === "") return ["PUBLIC_ORIGIN is not set: passkeys would belong to the host of each request."];
  const isOrigin = text.startsWith("https:") && URL.parse(text)?.origin === text;
  return isOrigin
    ? []
    : [
        `PUBLIC_ORIGIN must look like https://odin.example.gov, in lowercase and without a path or final slash.`,
      ];
}

function failedJobProblems({ queues: { consumers = [] } }: DeploymentConfig): string[] {
  const dead = new Set(consumers.flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []));
  return [...dead]
    .filter(
      (name) =>
        !consumers.some(({ queue, max_retries = 0 }) => queue === name && max_retries >= DEAD_RETRIES),
    )
    .map((name) => `${name}: a consumer with max_retries = ${DEAD_RETRIES} is missing in wrangler.toml.`);
}

/** Returns the problems of the account: stores that are missing or not in the United States, queues, secrets. */
export async function accountProblems(config: DeploymentConfig, ask: AskWrangler): Promise<string[]> {
  const problems: string[] = [];
  for (const database of config.d1_databases) problems.push(...(await databaseProblems(database, ask)));
  for (const { binding, bucket_name } of config.r2_buckets) {
    // Each jurisdiction has its own bucket names: a bucket in another one is not found.
    const answer = parse(
      await ask("r2", "bucket", "info", String(bucket_name), "--jurisdiction", JURISDICTION, "--json"),
    );
    if (answer?.name !== bucket_name)
      problems.push(`${binding}: there is no bucket ${String(bucket_name)} in the jurisdiction "us".`);
  }
  for (const queue of queuesOf(config)) {
    if ((await ask("queues", "info", queue)) === null) problems.push(`There is no queue ${queue}.`);
  }
  const names = await findSecrets(ask);
  for (const secret of REQUIRED_SECRETS)
    if (!names.has(secret)) problems.push(`The secret ${secret} is not set.`);
  return problems;
}

/**
 * Returns the names of the Worker's secrets; none if there is no Worker yet. Throws a WranglerError for any other answer:
 * a secret taken for missing would be replaced, and without the old SEALING_KEYS no read can be decrypted.
 */
export async function findSecrets(ask: AskWrangler): Promise<ReadonlySet<unknown>> {
  const listed = await list<{ name?: unknown }>(ask, "secret", "list");
  return new Set(listed.map(({ name }) => name));
}

/**
 * Returns the ids of the account's databases by name. `d1 info` cannot tell them: wrangler looks for the id that
 * wrangler.toml has for the name, even if it is a placeholder.
 */
export async function findDatabases(ask: AskWrangler): Promise<ReadonlyMap<string, string>> {
  const listed = await list<{ name: string; uuid: string }>(ask, "d1", "list", "--json");
  return new Map(listed.map(({ name, uuid }) => [name, uuid]));
}

/** Returns a list that wrangler prints. Throws a WranglerError if it printed anything else. */
async function list<T>(ask: AskWrangler, ...words: string[]): Promise<T[]> {
  const printed = await ask(...words);
  if (printed === null) return [];
  const listed: unknown = parse(printed);
  if (!Array.isArray(listed)) throw new WranglerError(words, "printed no list", printed);
  return listed;
}

async function databaseProblems(
  { binding, database_name = "", database_id }: DeploymentConfig["d1_databases"][number],
  ask: AskWrangler,
): Promise<string[]> {
  const answer = parse(await ask("d1", "info", database_name, "--json"));
  if (!answer) return [`${binding}: there is no database ${database_name} with the id ${database_id ?? ""}.`];
  if (answer.uuid !== database_id)
    return [
      `${binding}: ${database_name} has the id ${String(answer.uuid)}, but wrangler.toml has another one.`,
    ];
  return answer.jurisdiction === JURISDICTION
    ? []
    : [`${binding}: ${database_name} lies in the jurisdiction ${JSON.stringify(answer.jurisdiction)}.`];
}

/** Returns every queue by name, those for dead letters included. */
export function queuesOf({ queues }: Pick<DeploymentConfig, "queues">): string[] {
  const { producers = [], consumers = [] } = queues;
  const names = [
    ...producers.map(({ queue }) => queue),
    ...consumers.flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue ?? queue]),
  ];
  return [...new Set(names)].toSorted();
}

/** Returns the JSON in a command's output, after any other lines, or undefined if there is none. */
function parse(printed: string | null): Record<string, unknown> | undefined {
  if (printed === null) return undefined;
  const start = printed.search(/^[[{]/m);
  try {
    return start < 0 ? undefined : JSON.parse(printed.slice(start));
  } catch {
    return undefined;
  }
}
