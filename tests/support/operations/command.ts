import { spawn } from "node:child_process";

/** Runs a command of the project with Node.js. Returns its exit code and all it printed. */
export async function runCommand(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [file, ...args], { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  // "exit" may come before the last output; "close" comes after the streams have ended.
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
}
