import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { lastPort, lastProcess, type Settings } from "./settings.ts";

/** A process started here, and its last output. */
export type Started = { child: ChildProcess; output: () => string };

const started: Started[] = [];

/** Runs one of the project's commands to its end. Throws with its output if it fails. */
export async function run(script: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  const { child, output } = launch(script, args, env);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`${script} ${args[0] ?? ""} failed:\n${output()}`);
}

/** Starts a command in its own process group, so that it ends together with everything that it starts. */
export function launch(script: string, args: string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [script, ...args], {
    detached: true,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "true", FORCE_COLOR: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-20_000);
    if (process.env.ODIN_VERBOSE) process.stderr.write(chunk);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const one = { child, output: () => text };
  started.push(one);
  child.once("exit", () => started.splice(started.indexOf(one), 1));
  return one;
}

/** Ends everything that was started here and waits for it. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...started].map(async ({ child }) => {
      const { pid } = child;
      if (child.exitCode !== null || pid === undefined) return;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      signal(pid, "SIGTERM");
      const patience = setTimeout(() => signal(pid, "SIGKILL"), 5000);
      await gone;
      clearTimeout(patience);
    }),
  );
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // It has already ended.
  }
}

/** Returns whether a port of this machine is free. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Throws with a plain message if the local installation may be in use, on its port or on the one of its last start. */
export async function requireStopped(settings: Settings): Promise<void> {
  for (const port of new Set([settings.port, lastPort(settings)]))
    if (!(await isFree(port))) throw new Error(`Something answers on port ${port}. End Odin first (Ctrl-C).`);
}

/**
 * Throws with a plain message if another Odin uses the folder: two of them would damage each other's databases. The port
 * of the last start may belong to another program by now, so the process must exist too.
 */
export async function requireUnused(settings: Settings): Promise<void> {
  const port = lastPort(settings);
  if (!isRunning(lastProcess(settings)) || (await isFree(port))) return;
  throw new Error(
    `Another Odin uses ${settings.state}, on port ${port}. End it first (Ctrl-C), or choose another folder with ODIN_STATE.`,
  );
}

function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
