// What a door hands to the domain: stores, providers, clock, configuration. The same function serves HTTP, queue
// and cron; everything is made anew from the bindings, since modules keep no state.

import type { Job } from "#app/entities/job.ts";
import type { ReadArchive } from "#app/entities/source.ts";
import { parseSealingKeys, type SealingKeys, unseal } from "#app/lib/crypto.ts";
import { createProviders } from "#app/providers/index.ts";
import type { Providers } from "#app/providers/provider.ts";
import { type ControlDb, openControl } from "#app/store/database.ts";
import { createTokenStore, secretOwner } from "#app/store/integrations.ts";
import { createReadArchive, createReadStore, type ReadStore } from "#app/store/reads.ts";

/** Bindings, variables and secrets of wrangler.toml; READS_0 to READS_n as many as are configured. */
export type Env = {
  DB: D1Database;
  RESULTS: R2Bucket;
  IMAGES: R2Bucket;
  JOBS: Queue<Job>;
  ASSETS?: Fetcher;
  OWNER_USERNAME: string;
  PUBLIC_HOSTS: string;
  ALLOW_LOOPBACK_VENDORS: string;
  SOURCE_SLOW_MS: string;
  SOURCE_DEADLINE_MS: string;
  SEARCH_MAX_READS: string;
  PASSWORD_PEPPER: string;
  SEALING_KEYS: string;
} & { [binding: `READS_${number}`]: D1Database };

export type Config = {
  ownerUsername: string;
  /** Host names under which the product is public; empty means any. */
  publicHosts: string[];
  sourceSlowMs: number;
  sourceDeadlineMs: number;
  searchMaxReads: number;
  pepper: string;
  sealingKeys: SealingKeys;
};

export type AppContext = {
  db: ControlDb;
  reads: ReadStore;
  archive: ReadArchive;
  results: R2Bucket;
  images: R2Bucket;
  jobs: Queue<Job>;
  providers: Providers;
  clock: () => number;
  config: Config;
  /** Lets work outlive the answer. */
  waitUntil: (work: Promise<unknown>) => void;
};

type Lifetime = { waitUntil(work: Promise<unknown>): void };

/** Builds the context of one request, batch or cron run. Throws where a secret is missing: better down than open. */
export function createAppContext(env: Env, lifetime: Lifetime, clock: () => number = Date.now): AppContext {
  const config = readConfig(env);
  const db = openControl(env.DB);
  const reads = createReadStore(readsDatabases(env));
  const archive = createReadArchive({ reads, images: env.IMAGES });
  const providers = createProviders({
    archive,
    openSecret: (source) => unseal(config.sealingKeys, secretOwner(source), source.sealedSecret),
    tokens: createTokenStore(db, config.sealingKeys, clock),
    clock,
    allowLoopback: env.ALLOW_LOOPBACK_VENDORS === "yes",
  });
  return {
    db,
    reads,
    archive,
    results: env.RESULTS,
    images: env.IMAGES,
    jobs: env.JOBS,
    providers,
    clock,
    config,
    waitUntil: (work) => lifetime.waitUntil(work),
  };
}

function readConfig(env: Env): Config {
  if (!env.PASSWORD_PEPPER || !env.SEALING_KEYS)
    throw new Error("PASSWORD_PEPPER and SEALING_KEYS must be set");
  return {
    ownerUsername: env.OWNER_USERNAME.toLowerCase(),
    publicHosts: env.PUBLIC_HOSTS.split(",").flatMap((host) => host.trim().toLowerCase() || []),
    sourceSlowMs: Number(env.SOURCE_SLOW_MS),
    sourceDeadlineMs: Number(env.SOURCE_DEADLINE_MS),
    searchMaxReads: Number(env.SEARCH_MAX_READS),
    pepper: env.PASSWORD_PEPPER,
    sealingKeys: parseSealingKeys(env.SEALING_KEYS),
  };
}

/** The READS_n bindings in their order, without a gap. */
function readsDatabases(env: Env): D1Database[] {
  const databases: D1Database[] = [];
  for (let n = 0; env[`READS_${n}`]; n++) databases.push(env[`READS_${n}`] as D1Database);
  return databases;
}
