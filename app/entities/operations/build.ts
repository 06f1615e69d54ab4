/** A migration by the name of its file, and when it was written, in ms since 1970. */
export type KnownMigration = { name: string; when: number };

/** The build that is running. */
export type BuildInfo = {
  version: string;
  /** An abbreviated commit, with `-dirty` if the working tree had changes; empty if it is not known. */
  commit: string;
  migrations: { control: KnownMigration[]; reads: KnownMigration[] };
};

/** Vite replaces this name in the bundle (vite.config.ts). */
declare const ODIN_BUILD: BuildInfo;

const NO_BUILD: BuildInfo = { version: "", commit: "", migrations: { control: [], reads: [] } };

/** The running build. Empty where the code runs without a build, as in `npm run dev`'s scripts and some tests. */
export const BUILD: BuildInfo = typeof ODIN_BUILD === "undefined" ? NO_BUILD : ODIN_BUILD;

/** The migrations that a database reports: by name (wrangler), or by the time of the newest (npm start). */
export type AppliedMigrations = { names: string[] } | { upTo: number };

export type MigrationState = { applied: number; pending: string[]; newer: string[] };

/**
 * Compares a database with the migrations of a build. `pending`: the build needs them. `newer`: the database has them
 * and the build does not know them, as after a rollback.
 */
export function compareMigrations(
  known: readonly KnownMigration[],
  applied: AppliedMigrations,
): MigrationState {
  if ("upTo" in applied) {
    const pending = known.filter(({ when }) => when > applied.upTo).map(({ name }) => name);
    return { applied: known.length - pending.length, pending, newer: [] };
  }
  const there = new Set(applied.names.map((file) => file.replace(/\.sql$/, "")));
  const names = new Set(known.map(({ name }) => name));
  return {
    applied: there.size,
    pending: [...names].filter((name) => !there.has(name)),
    newer: [...there].filter((name) => !names.has(name)),
  };
}
