/** Facts about the bundle: its version and commit, and the migrations for which it was written. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { BuildInfo } from "#app/entities/operations/build.ts";

/** Returns the description of the working tree. The commit is empty outside of a Git checkout. */
export function buildInfo(root: string): BuildInfo {
  const { version }: { version: string } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  return {
    version,
    commit: commitOf(root),
    migrations: {
      control: migrationsIn(`${root}/migrations/control`),
      reads: migrationsIn(`${root}/migrations/reads`),
    },
  };
}

function commitOf(root: string): string {
  try {
    const words = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
    return execFileSync("git", words, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}

/** Reads the journal that drizzle-kit writes. */
function migrationsIn(folder: string): BuildInfo["migrations"]["control"] {
  const journal: { entries: { tag: string; when: number }[] } = JSON.parse(
    readFileSync(`${folder}/meta/_journal.json`, "utf8"),
  );
  return journal.entries.map(({ tag, when }) => ({ name: tag, when }));
}
