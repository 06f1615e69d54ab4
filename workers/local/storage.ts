import { join } from "node:path";
import { drizzle } from "drizzle-orm/d1";
import { migrate } from "drizzle-orm/d1/migrator";
import { getPlatformProxy } from "wrangler";
import { createAppContext, type Env, readsDatabases } from "#app/context.ts";
import { setUp } from "#app/domain/operations/setup.ts";
import { demoPlan } from "./demo-plan.ts";
import { ROOT, readSecrets, type Settings } from "./settings.ts";

/** Opens the storage of a local installation from outside the Worker: the same databases and objects. */
export async function openStorage(settings: Settings) {
  const secrets = readSecrets(settings);
  const proxy = await getPlatformProxy<Env>({
    configPath: join(ROOT, "wrangler.toml"),
    persist: { path: join(settings.state, "v3") },
    envFiles: [],
  });
  const env: Env = { ...proxy.env, ...secrets, ALLOW_LOOPBACK_VENDORS: "yes" };
  return { env, dispose: proxy.dispose };
}

/** Migrates every database. Idempotent. */
export async function migrateStorage(env: Env): Promise<void> {
  await migrate(drizzle(env.DB), { migrationsFolder: join(ROOT, "migrations/control") });
  for (const { database } of readsDatabases(env))
    await migrate(drizzle(database), { migrationsFolder: join(ROOT, "migrations/reads") });
}

/** Creates the demo world, or corrects the vendors' addresses if they have changed. */
export async function seedStorage(settings: Settings, env: Env): Promise<void> {
  const app = createAppContext(env, { waitUntil: () => {} });
  const vendors = `http://127.0.0.1:${settings.vendorsPort}`;
  const issuer = `http://127.0.0.1:${settings.identityPort}`;
  await setUp(app, await demoPlan({ vendors, issuer, secret: readSecrets(settings).VENDOR_SECRET }));
}
