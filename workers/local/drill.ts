/**
 * `npm run drill`: proves on this machine that a backup can be restored. Backs up the local installation (end `npm
 * start` first), copies its backups to an empty installation with the same secrets, restores there, and compares every
 * row and object of both. Fails if anything differs.
 */
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Env } from "#app/context.ts";
import { BACKED_UP, type BackupList } from "#app/entities/operations/backup.ts";
import { WATCHED_JOBS } from "#app/entities/operations/health.ts";
import { listPages } from "#app/lib/files/list-pages.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { DEMO_PASSWORD } from "./demo-plan.ts";
import { optionsOf } from "./options.ts";
import { requireStopped } from "./processes.ts";
import { startApp } from "./servers.ts";
import { deleteInstallation, readSettings, type Settings, secretsFile } from "./settings.ts";
import { migrateStorage, openStorage } from "./storage.ts";

optionsOf("npm run drill\n\nTakes no options; ODIN_STATE and PORT choose the installation.", { options: {} });
const settings = readSettings();
const copy: Settings = { ...settings, state: `${settings.state}-restored` };
const begunAt = Date.now();
const base = `http://127.0.0.1:${settings.port}`;
process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";

/** The polling interval while images are restored. */
const IMAGES_PAUSE_MS = 1000;

type Report = Map<string, string>;

/** Runs `work` while the app of an installation is up. */
async function whileServing<T>(of: Settings, work: () => Promise<T>): Promise<T> {
  const server = await startApp(of);
  try {
    return await work();
  } finally {
    await server.dispose();
  }
}

/** Runs an operator's command to its end. Asynchronous, because the server runs in this process. */
async function command(file: string, args: string[], env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), base, ...args], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`${file} failed.`);
}

/** Does not use `fetch`: Node's sends headers like a browser's, and browsers get no token. */
function ownerToken(): Promise<string> {
  const body = JSON.stringify({ username: "owner", password: DEMO_PASSWORD, client: "api" });
  return new Promise((resolve, reject) => {
    const asked = request(
      `${base}/login`,
      { method: "POST", headers: { "content-type": "application/json" } },
      async (answer) => {
        let text = "";
        for await (const chunk of answer) text += chunk;
        const { token, message }: { token?: string; message?: string } = JSON.parse(text);
        if (token) resolve(token);
        else reject(new Error(`The demo's owner could not sign in: ${message}`));
      },
    );
    asked.once("error", reject);
    asked.end(body);
  });
}

/** Backs up and verifies. Returns the id of the backup. */
async function backUp(): Promise<string> {
  return whileServing(settings, async () => {
    const token = await ownerToken();
    await command("backup.ts", [], { ODIN_TOKEN: token });
    const { runs } = await listOf(token);
    const id = runs.find(({ state, removed }) => state === "finished" && !removed)?.id ?? "";
    await command("backup.ts", ["--verify", id], { ODIN_TOKEN: token });
    return id;
  });
}

/** Waits until the restored installation has its images back. Its crons are run by hand, as nothing else runs them here. */
async function copyImagesBack(): Promise<void> {
  const token = await ownerToken();
  for (;;) {
    for (const cron of WATCHED_JOBS["backup-sweep"].crons)
      await fetch(`${base}/__scheduled?cron=${encodeURIComponent(cron)}`);
    const { images } = await listOf(token);
    if (!images) return;
    process.stderr.write(`images: ${images.done} of ${images.total}\n`);
    await setTimeout(IMAGES_PAUSE_MS);
  }
}

async function listOf(token: string): Promise<BackupList> {
  const answer = await fetch(`${base}/backups/data`, { headers: { authorization: `Bearer ${token}` } });
  return answer.json();
}

/** Creates an empty installation with the same secrets and the first one's backups. */
async function emptyCopy(): Promise<void> {
  deleteInstallation(copy);
  mkdirSync(copy.state, { recursive: true });
  copyFileSync(secretsFile(settings), secretsFile(copy));
  const [from, to] = [await openStorage(settings), await openStorage(copy)];
  try {
    await migrateStorage(to.env);
    for await (const key of keysOf(from.env.BACKUPS)) {
      const object = await from.env.BACKUPS.get(key);
      const { httpMetadata, customMetadata } = object ?? {};
      const bytes = (await object?.arrayBuffer()) ?? new ArrayBuffer(0);
      await to.env.BACKUPS.put(key, bytes, {
        ...(httpMetadata && { httpMetadata }),
        ...(customMetadata && { customMetadata }),
      });
    }
  } finally {
    await from.dispose();
    await to.dispose();
  }
}

async function* keysOf(bucket: R2Bucket, prefix = ""): AsyncGenerator<string> {
  for await (const { objects } of listPages(bucket, { prefix })) for (const { key } of objects) yield key;
}

/** Tables that a restore or this drill's sign-in changes, or that backups leave out. */
const DIFFERENT =
  /^(sqlite_|_cf|__drizzle|d1_|backup_|plates_fts)|^(sessions|audit_log|audit_chain|sign_in_attempts|users|read_databases|read_sizes|wildcard_versions)$/;

/** Returns a hash and a count of each table and bucket of an installation. */
async function hashesOf(of: Settings): Promise<Report> {
  const { env, dispose } = await openStorage(of);
  const report: Report = new Map();
  try {
    const databases = Object.entries(env).filter(([name]) => /^(DB|READS_\d+)$/.test(name));
    for (const [name, database] of databases as [string, D1Database][]) {
      const { results } = await database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        .all<{ name: string }>();
      for (const table of results.filter((one) => !DIFFERENT.test(one.name))) {
        const rows = await database.prepare(`SELECT * FROM "${table.name}"`).raw();
        report.set(`${name}.${table.name}`, hashed(rows.map((row) => JSON.stringify(row))));
      }
    }
    for (const [name, prefixes] of Object.entries(BACKED_UP)) {
      const bucket = env[name as keyof Env] as R2Bucket;
      const lines: string[] = [];
      for (const prefix of prefixes)
        for await (const key of keysOf(bucket, prefix)) {
          // The restored installation stores heads of its own while its images are copied.
          if (name === "AUDITS" && isHeadsFrom(key, begunAt)) continue;
          const bytes = new Uint8Array((await (await bucket.get(key))?.arrayBuffer()) ?? new ArrayBuffer(0));
          lines.push(`${key} ${createHash("sha256").update(bytes).digest("hex")}`);
        }
      report.set(name, hashed(lines));
    }
  } finally {
    await dispose();
  }
  return report;
}

/** Returns whether a key is that of heads of the audit log of an instant's hour, or a later one. */
const isHeadsFrom = (key: string, at: number) =>
  key.startsWith("audit-heads/") && key >= `audit-heads/${isoTime(at).slice(0, 13)}`;

function hashed(lines: string[]): string {
  const digest = createHash("sha256").update(lines.sort().join("\n")).digest("hex");
  return `${lines.length} ${digest}`;
}

/** Returns whether both are equal, and prints the differences. */
function compare(before: Report, after: Report): boolean {
  let total = 0;
  let same = true;
  for (const [name, value] of before) {
    total += Number(value.split(" ")[0]);
    if (after.get(name) === value) continue;
    same = false;
    console.error(`${name} differs: ${value} before, ${after.get(name) ?? "nothing"} after.`);
  }
  if (same)
    console.log(
      `The same: ${total.toLocaleString("en-US")} rows and objects in ${before.size} tables and buckets.`,
    );
  return same;
}

async function main(): Promise<number> {
  if (!existsSync(secretsFile(settings)))
    throw new Error("There is no local installation yet: npm start makes one.");
  await requireStopped(settings);
  const id = await backUp();
  const before = await hashesOf(settings);
  await emptyCopy();
  const token = randomBytes(32).toString("hex");
  process.env.RESTORE_TOKEN = token;
  await whileServing(copy, () => command("restore.ts", [id], {}));
  delete process.env.RESTORE_TOKEN;
  // Before the restored installation is in use, because it then writes rows.
  const after = await hashesOf(copy);
  await whileServing(copy, copyImagesBack);
  for (const [name, hash] of await hashesOf(copy)) if (name in BACKED_UP) after.set(name, hash);
  return compare(before, after) ? 0 : 1;
}

process.exit(
  await main().catch((error: Error) => {
    console.error(error.message);
    return 1;
  }),
);
