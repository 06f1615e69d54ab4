// The deployment, step by step. Callers pass in the functions that touch the account or ask a person.

import { REQUIRED_SECRETS } from "#app/entities/operations/deployment.ts";
import { NOT_SIGNED_IN, WHO, WranglerError } from "./ask.ts";
import {
  type AskWrangler,
  accountProblems,
  addressHint,
  configProblems,
  type DeploymentConfig,
  findDatabases,
  findSecrets,
  isPlaceholder,
  JURISDICTION,
  mergeProblems,
} from "./check.ts";
import { type Command, type CreatedResource, commandsOf, lineOf } from "./plan.ts";

type Deployment = {
  /** Reads wrangler.toml again: creating databases changes it. */
  readConfig: () => DeploymentConfig;
  /** Replaces the text of wrangler.toml. */
  editConfig: (edit: (text: string) => string) => void;
  crons: readonly string[];
  /** Whether wrangler can ask the operator. */
  hasTerminal: boolean;
  ask: AskWrangler;
  /** Runs a command that the operator sees. Returns its output, or null if it failed. */
  run: (command: Command) => Promise<string | null>;
  /** Asks the operator. */
  confirm: (question: string) => Promise<boolean>;
  say: (text: string) => void;
};

/** Deploys. Asks before it creates anything and before it changes the remote databases. Returns whether it deployed. */
export async function deploy(deployment: Deployment): Promise<boolean> {
  try {
    return await deployParts(deployment);
  } catch (error) {
    if (error instanceof WranglerError) return stop(deployment.say, [error.message]);
    throw error;
  }
}

async function deployParts(deployment: Deployment): Promise<boolean> {
  const { ask, say, confirm } = deployment;
  if ((await ask(...WHO)) === null) return stop(say, [NOT_SIGNED_IN]);
  if (!(await createMissing(deployment))) return false;
  if (!(await putSecrets(deployment))) return false;
  const config = deployment.readConfig();
  const problems = [
    ...mergeProblems(config),
    ...configProblems(config, deployment.crons),
    ...(await accountProblems(config, ask)),
  ];
  if (problems.length > 0) return stop(say, problems);
  const rest = commandsOf(config).filter(
    ({ step }) => step === "build" || step === "migrate" || step === "deploy",
  );
  say(listOf(rest));
  if (!(await confirm("Build, migrate the remote databases and deploy?"))) return false;
  if (!(await runAll(deployment, rest))) return false;
  const hint = addressHint(config);
  if (hint !== undefined) say(hint);
  return true;
}

function stop(say: (text: string) => void, problems: readonly string[]): false {
  for (const problem of problems) say(problem);
  say(`${problems.length} to fix: see docs/operations.md, Deployment.`);
  return false;
}

const listOf = (commands: readonly Command[]) => commands.map((command) => `  ${lineOf(command)}`).join("\n");

/**
 * Creates the databases, buckets and queues that the account lacks, and writes their ids and jurisdictions into
 * wrangler.toml.
 */
async function createMissing(deployment: Deployment): Promise<boolean> {
  const { ask, say, confirm } = deployment;
  const ids = await findDatabases(ask);
  const missing: Command[] = [];
  for (const command of commandsOf(deployment.readConfig())) {
    const { creates: makes } = command;
    if (!makes) continue;
    const isThere = makes.kind === "database" ? ids.has(makes.name) : await exists(ask, makes);
    if (isThere) writeExisting(deployment, makes, ids);
    else missing.push(command);
  }
  if (missing.length === 0) return true;
  say(`The account lacks:\n${listOf(missing)}`);
  if (!(await confirm(`Run these ${missing.length} commands?`))) return false;
  for (const command of missing) if (!(await create(deployment, command))) return false;
  return true;
}

async function exists(ask: AskWrangler, { kind, name, bucket = "" }: CreatedResource): Promise<boolean> {
  if (kind === "lock") {
    const printed = await ask("r2", "bucket", "lock", "list", bucket, "--jurisdiction", JURISDICTION);
    return new RegExp(`\\b${name}\\b`).test(printed ?? "");
  }
  const words =
    kind === "queue"
      ? ["queues", "info", name]
      : ["r2", "bucket", "info", name, "--jurisdiction", JURISDICTION, "--json"];
  return (await ask(...words)) !== null;
}

/**
 * Writes the id or jurisdiction of a store that exists into wrangler.toml, unless one is there: an earlier run may have
 * stopped between the two, and a new checkout has placeholders.
 */
function writeExisting(
  { readConfig, editConfig, say }: Deployment,
  { kind, name }: CreatedResource,
  ids: ReadonlyMap<string, string>,
): void {
  const { d1_databases, r2_buckets } = readConfig();
  const id = ids.get(name);
  const database = d1_databases.find(({ database_name }) => database_name === name);
  if (kind === "database" && id !== undefined && isPlaceholder(database?.database_id)) {
    editConfig((text) => withDatabaseId(text, name, id));
    say(`${name} exists: its id ${id} is now in wrangler.toml.`);
  }
  const bucket = r2_buckets.find(({ bucket_name }) => bucket_name === name);
  if (kind === "bucket" && bucket?.jurisdiction === undefined) {
    editConfig((text) => withJurisdiction(text, name));
    say(`${name} exists: its jurisdiction is now in wrangler.toml.`);
  }
}

async function create({ run, editConfig, say }: Deployment, command: Command): Promise<boolean> {
  const printed = await run(command);
  const { creates: makes } = command;
  if (printed === null) {
    say(`Stopped: ${lineOf(command)} failed.`);
    return false;
  }
  if (makes?.kind === "database") {
    const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(printed)?.[0];
    if (id === undefined) {
      say(
        `Stopped: write the id of ${makes.name} into wrangler.toml; it was not found in wrangler's output.`,
      );
      return false;
    }
    editConfig((text) => withDatabaseId(text, makes.name, id));
  }
  if (makes?.kind === "bucket") editConfig((text) => withJurisdiction(text, makes.name));
  return true;
}

/** Returns wrangler.toml with the id of a database. */
function withDatabaseId(text: string, name: string, id: string): string {
  return text.replace(
    new RegExp(`(^database_name = "${name}"\\n)database_id = "[^"]*"`, "m"),
    `$1database_id = "${id}"`,
  );
}

/** Returns wrangler.toml with the jurisdiction of a bucket. */
function withJurisdiction(text: string, name: string): string {
  return text.replace(
    new RegExp(`^(bucket_name = "${name}")\\n(?!jurisdiction)`, "m"),
    `$1\njurisdiction = "${JURISDICTION}"\n`,
  );
}

/** Sets the required secrets that are missing: wrangler asks for each value, so that none is in a command or a file. */
async function putSecrets(deployment: Deployment): Promise<boolean> {
  const { ask, say, confirm } = deployment;
  const listed = await findSecrets(ask);
  const missing = commandsOf(deployment.readConfig()).filter(
    ({ step, words }) =>
      step === "secret" && REQUIRED_SECRETS.some((name) => words.includes(name) && !listed.has(name)),
  );
  if (missing.length === 0) return true;
  // Without a terminal, wrangler takes standard input as the value, even if it is empty.
  if (!deployment.hasTerminal)
    return stop(
      say,
      missing.map((command) => `There is no terminal to enter a missing secret in. Run ${lineOf(command)}`),
    );
  say(`The Worker lacks secrets:\n${listOf(missing)}`);
  if (!(await confirm("Enter them now?"))) return false;
  return runAll(deployment, missing);
}

async function runAll({ run, say }: Deployment, commands: readonly Command[]): Promise<boolean> {
  for (const command of commands) {
    if ((await run(command)) !== null) continue;
    say(
      `Stopped: ${lineOf(command)} failed. Run npm run deploy again when it is fixed; what is done stays done.`,
    );
    return false;
  }
  return true;
}
