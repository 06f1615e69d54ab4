/**
 * `ODIN_TOKEN=… npm run -s backup -- https://odin.example`: makes a backup and waits until it is finished. `… --list`
 * lists backups. `… --verify <id>` reads one back and checks every hash, count and encrypted part. The token is that of
 * a bearer session of the owner (POST /login with `"client": "api"`), at most ten minutes old. A verification that takes longer
 * continues with another token and `--after <part>`.
 */
import type { BackupCheck, BackupList, BackupSummary } from "../../app/entities/operations/backup.ts";
import { callOdin, sizeOf } from "./odin-call.ts";
import { optionsOf } from "./options.ts";

const usage =
  "ODIN_TOKEN=… npm run -s backup -- https://odin.example [--list | --verify <id> [--after <part>]]";
const { values, positionals } = optionsOf(usage, {
  allowPositionals: true,
  options: { list: { type: "boolean" }, verify: { type: "string" }, after: { type: "string" } },
});
const [base] = positionals;
const call = callOdin({
  base,
  token: process.env.ODIN_TOKEN,
  usage,
});

const inWords = ({ rows, bytes, objects }: Pick<BackupSummary, "rows" | "bytes" | "objects">) =>
  `${rows.toLocaleString("en-US")} rows (${sizeOf(bytes)}), ${objects.toLocaleString("en-US")} objects`;

async function list(): Promise<number> {
  const { runs, late } = await call<BackupList>("GET", "/backups/data");
  for (const run of runs) {
    const state = run.removed ? "removed" : run.state;
    console.log(
      `${run.id}  ${state.padEnd(9)}  key ${run.key_version}  ${inWords(run)}  ${run.message}`.trimEnd(),
    );
  }
  if (late) console.error("The newest backup is older than 26 hours, or there is none.");
  return late ? 1 : 0;
}

async function verify(id: string, from: number): Promise<number> {
  const sum = { rows: 0, objects: 0, missing: 0 };
  for (let after: number | null = from; after !== null; ) {
    const part: BackupCheck = await call<BackupCheck>("POST", `/backups/${id}/verify`, { after });
    if (part.problem) {
      console.error(part.problem);
      return 1;
    }
    for (const name of ["rows", "objects", "missing"] as const) sum[name] += part[name];
    const rest = part.next === null ? "" : ` (if it stops, continue with --after ${part.next})`;
    process.stderr.write(`${part.checked} of ${part.total} parts${rest}\n`);
    after = part.next;
  }
  console.log(
    `Verified${from === 0 ? "" : ` from part ${from} on`}: ${sum.rows} rows, ${sum.objects - sum.missing} objects; ${sum.missing} were purged since.`,
  );
  return 0;
}

async function backUp(): Promise<number> {
  const started = Date.now();
  const { id } = await call<{ id: string }>("POST", "/backups/start");
  console.log(`Backup ${id} has started.`);
  for (let shown = ""; ; ) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const run = await call<BackupSummary>("GET", `/backups/${id}`);
    const now = `${run.phase}: ${inWords(run)}`;
    if (now !== shown) process.stderr.write(`${now}\n`);
    shown = now;
    if (run.state === "running") continue;
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log(`Backup ${id} is ${run.state} after ${seconds} s: ${inWords(run)}. ${run.message}`.trimEnd());
    return run.state === "finished" ? 0 : 1;
  }
}

if (values.list) process.exit(await list());
const after = Number(values.after ?? 0);
if (!Number.isInteger(after) || after < 0) {
  console.error(usage);
  process.exit(2);
}
process.exit(values.verify ? await verify(values.verify, after) : await backUp());
