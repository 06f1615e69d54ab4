/**
 * `npm run deploy`: checks the deployment, builds, migrates the remote databases and deploys. Stops at the first
 * failure.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REMIX, ROOT, WRANGLER } from "./settings.ts";

const config = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
const databases = [...config.matchAll(/^binding = "(DB|READS_\d+)"$/gm)].map(([, binding = ""]) => binding);

function step(script: string, ...args: string[]): void {
  const { status } = spawnSync(process.execPath, [script, ...args], { stdio: "inherit", cwd: ROOT });
  if (status !== 0) process.exit(status ?? 1);
}

step(join(ROOT, "workers/local/check-deployment.ts"));
step(REMIX, "vite:build");
for (const database of databases) step(WRANGLER, "d1", "migrations", "apply", database, "--remote");
step(WRANGLER, "deploy");
