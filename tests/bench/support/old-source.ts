import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../workers/local/settings.ts";

/** Writes the files of a commit to a new folder, with this folder's node_modules, and returns the folder's path. */
export function writeOldSource(commit: string, temporary: string): string {
  const folder = join(temporary, "source");
  mkdirSync(folder);
  const archive = execFileSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}
