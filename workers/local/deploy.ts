/**
 * `npm run deploy`: creates what the account lacks, checks the deployment, builds, migrates the remote databases and
 * deploys; asks before each part. `-- --yes` does not ask. `-- --dry-run` prints what it would create and the commands,
 * without the network.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { unstable_readConfig as readConfig } from "wrangler";
import { CRONS } from "#app/entities/operations/health.ts";
import { askWrangler } from "./deployment/ask.ts";
import { configProblems, type DeploymentConfig, mergeProblems } from "./deployment/check.ts";
import { deploy } from "./deployment/deploy.ts";
import { describePlan } from "./deployment/plan.ts";
import { runCommand } from "./deployment/run.ts";
import { ROOT } from "./settings.ts";

const CONFIG = join(ROOT, "wrangler.toml");
const crons = Object.values(CRONS).flat();
const read = (): DeploymentConfig => readConfig({ config: CONFIG });
const words = process.argv.slice(2);

async function confirm(question: string): Promise<boolean> {
  if (words.includes("--yes")) return true;
  if (!process.stdin.isTTY) {
    console.error(`${question} There is no terminal to ask in: add --yes.`);
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

const unknown = words.find((word) => word !== "--dry-run" && word !== "--yes");
if (unknown !== undefined) {
  console.error(`npm run deploy does not know ${unknown}: only --dry-run and --yes.`);
  process.exit(1);
}
if (words.includes("--dry-run")) {
  const config = read();
  console.log(describePlan(config, [...mergeProblems(config), ...configProblems(config, crons)]));
} else {
  const hasDeployed = await deploy({
    readConfig: read,
    editConfig: (edit) => writeFileSync(CONFIG, edit(readFileSync(CONFIG, "utf8"))),
    crons,
    hasTerminal: process.stdin.isTTY,
    ask: askWrangler,
    run: (command) => runCommand(command),
    confirm,
    say: console.log,
  });
  if (!hasDeployed) process.exit(1);
}
