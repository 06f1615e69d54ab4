/**
 * `npm run check-deployment`: checks whether wrangler.toml and the account that wrangler is signed in to are ready for
 * real reads: every database and bucket in the United States; ids, queues, crons and secrets present. Changes nothing.
 * Prints a line per problem and exits with 1 if there are any. `npm run deploy` starts with it.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import { accountProblems, configProblems, type DeploymentConfig } from "./deployment-check.ts";
import { ROOT, WRANGLER } from "./settings.ts";

/** The cron expressions that workers/scheduled.ts handles. */
function knownCrons(): string[] {
  const source = readFileSync(join(ROOT, "workers/scheduled.ts"), "utf8");
  return [...source.matchAll(/^ {2}"([\d*/, ]+)": \[/gm)].map(([, cron = ""]) => cron);
}

function ask(...words: string[]): Promise<string | null> {
  const child = spawn(process.execPath, [WRANGLER, ...words], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", FORCE_COLOR: "0" },
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  return new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", (code) => resolve(code === 0 ? printed : null));
  });
}

const config: DeploymentConfig = readConfig({ config: join(ROOT, "wrangler.toml") });
const problems = configProblems(config, knownCrons());
// Without any ids in wrangler.toml, a line for every missing store would be noise.
if (problems.length === 0) {
  console.log("wrangler.toml is complete. Asking the account…");
  if ((await ask("whoami")) === null) problems.push("wrangler is not signed in: npx wrangler login");
  else problems.push(...(await accountProblems(config, ask)));
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`\n${problems.length} to fix: see docs/operations.md, Deployment.`);
  process.exit(1);
}
console.log("Every store is in the United States; ids, queues, crons and secrets are present.");
