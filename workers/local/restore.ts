/**
 * `RESTORE_TOKEN=… npm run -s restore -- https://odin.example <id>`: restores a backup into an empty installation that
 * has the same secret RESTORE_TOKEN. Without an id it lists the backups in the bucket; `--clear` undoes an unfinished
 * restore. It can be stopped and run again at any time. Delete the secret afterwards: until then Odin answers no one
 * else.
 */
import type { RestorableBackup, RestoreReport } from "../../app/entities/operations/backup.ts";
import { callOdin, sizeOf } from "./odin-call.ts";
import { optionsOf } from "./options.ts";

const usage = "RESTORE_TOKEN=… npm run -s restore -- https://odin.example [<id> | --clear]";
const { values, positionals } = optionsOf(usage, {
  allowPositionals: true,
  options: { clear: { type: "boolean" } },
});
const [base, id] = positionals;
const call = callOdin({
  base,
  token: process.env.RESTORE_TOKEN,
  usage,
});

/** As in app/context.ts: Odin does not start with a shorter one, and would answer only that something went wrong. */
const TOKEN_CHARACTERS = 43;
if ((process.env.RESTORE_TOKEN ?? "").length < TOKEN_CHARACTERS) {
  console.error(
    `RESTORE_TOKEN must have at least ${TOKEN_CHARACTERS} characters, here and as the secret: openssl rand -hex 32`,
  );
  process.exit(2);
}

const AFTERWARDS = `Now delete the secret RESTORE_TOKEN: until then no one can sign in. Images are copied back after that, and are shown
from the backup meanwhile; /backups shows how many are left.
What was revoked, disabled or changed after the backup is valid again. Review at once: users, tokens of service accounts
and SCIM, keys, webhooks, sharing, devices, recovery codes.`;

async function list(): Promise<number> {
  const backups = await call<RestorableBackup[]>("GET", "/restore");
  for (const { id, startedAt, rows, bytes, objects, keyVersion } of backups)
    console.log(
      `${id}  ${new Date(startedAt).toISOString()}  key ${keyVersion}  ${rows} rows (${sizeOf(bytes)}), ${objects} objects`,
    );
  if (backups.length === 0) console.error("This bucket has no backup that these sealing keys open.");
  return backups.length === 0 ? 1 : 0;
}

async function toTheEnd(method: string, path: string): Promise<number> {
  const started = Date.now();
  for (;;) {
    const report = await call<RestoreReport>(method, path);
    const { state, phase, done, total, rows, objects, missing, skipped, message } = report;
    if (state === "running") {
      process.stderr.write(`${phase}: ${done} of ${total}; ${rows} rows, ${objects} objects\n`);
      continue;
    }
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log(`${state} after ${seconds} s: ${rows} rows, ${objects} objects. ${message}`.trimEnd());
    if (missing > 0) console.log(`${missing} objects were purged since the backup was made.`);
    for (const [table, count] of Object.entries(skipped))
      console.log(
        `${count} rows of ${table} were skipped: rows that they refer to were deleted while the backup was made.`,
      );
    if (state === "finished") console.log(AFTERWARDS);
    if (state === "failed") console.log("To restore another backup, run this command with --clear first.");
    return state === "failed" ? 1 : 0;
  }
}

if (values.clear) process.exit(await toTheEnd("DELETE", "/restore"));
process.exit(id ? await toTheEnd("POST", `/restore/${encodeURIComponent(id)}`) : await list());
