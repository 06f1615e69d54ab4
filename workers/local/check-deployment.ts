/**
 * `npm run check-deployment`: checks whether wrangler.toml and the account that wrangler is signed in to are ready for
 * real reads: every database and bucket in the United States; ids, queues, crons and secrets present. Changes nothing.
 * Prints a line per problem and exits with 1 if there are any. `npm run deploy` starts with it.
 */
import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import { CRONS } from "#app/entities/operations/health.ts";
import { askWrangler, NOT_SIGNED_IN, WHO, WranglerError } from "./deployment/ask.ts";
import { accountProblems, configProblems, type DeploymentConfig, mergeProblems } from "./deployment/check.ts";
import { ROOT } from "./settings.ts";

const config: DeploymentConfig = readConfig({ config: join(ROOT, "wrangler.toml") });
const problems = [...mergeProblems(config), ...configProblems(config, Object.values(CRONS).flat())];
// Without any ids in wrangler.toml, a line for every missing store would be noise.
if (problems.length === 0) {
  console.log("wrangler.toml is complete. Asking the account…");
  problems.push(...(await askAccount()));
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`\n${problems.length} to fix: see docs/operations.md, Deployment.`);
  process.exit(1);
}
console.log("Every store is in the United States; ids, queues, crons and secrets are present.");

/** Returns the problems of the account. If wrangler fails, its text is the problem. */
async function askAccount(): Promise<string[]> {
  try {
    if ((await askWrangler(...WHO)) === null) return [NOT_SIGNED_IN];
    return await accountProblems(config, askWrangler);
  } catch (error) {
    if (error instanceof WranglerError) return [error.message];
    throw error;
  }
}
