import { spawn } from "node:child_process";
import { REMIX, ROOT, WRANGLER } from "../settings.ts";
import type { Command } from "./plan.ts";

/**
 * Runs a command of the plan in the terminal, with the project's own wrangler. Returns what it printed, which is read only
 * for what it creates: wrangler asks for a secret's value only if it can see the terminal. Null if it failed.
 */
export function runCommand({ step, words: command }: Command, wrangler = WRANGLER): Promise<string | null> {
  const args = step === "build" ? [REMIX, "vite:build"] : [wrangler, ...command.slice(2)];
  console.log(`\n> ${command.join(" ")}`);
  const output = step === "create" ? "pipe" : "inherit";
  // The operator has agreed to the migrations. wrangler would ask again for each database, and succeed without migrating
  // if the answer is no: the new build would then run on the old schema. With CI set, it does not ask.
  const env = step === "migrate" ? { ...process.env, CI: "true" } : process.env;
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["inherit", output, "inherit"] });
  let printed = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
    process.stdout.write(chunk);
  });
  return new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", (code) => resolve(code === 0 ? printed : null));
  });
}
