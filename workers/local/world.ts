import { CRONS, nextRun } from "#app/entities/operations/health.ts";
import { DEMO_PEOPLE, IDENTITY_PASSWORD } from "../vendors/identity/people.ts";
import { DEMO_PASSWORD, DEMO_USERS } from "./demo-plan.ts";
import { endAll, isFree } from "./processes.ts";
import { pushedSince, pushPasses, reportLive } from "./servers.ts";
import { notePushedUntil, type Settings } from "./settings.ts";
import { migrateStorage, openStorage, seedStorage } from "./storage.ts";

/** How often the simulated cameras push their reads. */
const CAMERA_PAUSE_MS = 20_000;

/** How often the cameras report the latest passes, and how far back the first report goes. */
const LIVE_PAUSE_MS = 4000;
const LIVE_BEFORE_MS = 3 * 60 * 1000;

const CRON_PAUSE_MS = 60_000;

/** Maximum age of reads that the cameras push before Odin is ready. The older ones follow while Odin is in use. */
const RECENT_MS = 7 * 24 * 60 * 60 * 1000;

/** Servers to stop when this process ends. */
export const servers: { dispose(): Promise<void> }[] = [];

/** Throws with a plain message if a required port is in use. */
export async function requirePorts(
  { port, vendorsPort, identityPort }: Settings,
  command: string,
): Promise<void> {
  for (const [name, wanted] of [
    ["PORT", port],
    ["VENDORS_PORT", vendorsPort],
    ["IDENTITY_PORT", identityPort],
  ] as const) {
    if (await isFree(wanted)) continue;
    const other = `${name}=${wanted + 10} ${command}`;
    throw new Error(`Port ${wanted} is taken by another program. Choose another, for example: ${other}`);
  }
}

/** Migrates the local databases and creates the demo world if needed. */
export async function prepare(settings: Settings): Promise<void> {
  const { env, dispose } = await openStorage(settings);
  try {
    await migrateStorage(env);
    await seedStorage(settings, env);
  } finally {
    await dispose();
  }
}

/** Migrates the local databases and leaves them empty, for a restore. */
export async function prepareEmpty(settings: Settings): Promise<void> {
  const { env, dispose } = await openStorage(settings);
  try {
    await migrateStorage(env);
  } finally {
    await dispose();
  }
}

/** Lets the cameras catch up, prints when Odin is ready, and keeps the cameras sending. */
export async function runWorld(settings: Settings): Promise<void> {
  const since = pushedSince(settings);
  const now = Date.now();
  const recent = Math.max(since, now - RECENT_MS);
  await send(settings, { from: recent, to: now });
  announce(settings);
  if (!settings.isStill) keepLive(settings, Date.now() - LIVE_BEFORE_MS);
  keepTime(settings);
  if (since < recent) await send(settings, { from: since, to: recent });
  notePushedUntil(settings, now);
  if (!settings.isStill) keepPushing(settings);
}

/** Lets the cameras catch up, and prints progress if that takes long. */
async function send(settings: Settings, window: { from: number; to: number }): Promise<void> {
  let shown = -1;
  await pushPasses(settings, window, ({ sent, total }) => {
    const percent = total === 0 ? 100 : Math.floor((sent / total) * 10) * 10;
    if (percent === shown || total < 500) return;
    shown = percent;
    console.log(`The Axis cameras are sending older reads: ${percent} % of ${total.toLocaleString("en-US")}`);
  });
}

function announce({ port, identityPort }: Settings): void {
  console.log(`\nOdin is ready at http://localhost:${port}\n`);
  console.log(`Demo sign-ins, all with the password ${DEMO_PASSWORD}`);
  for (const user of DEMO_USERS) {
    const rights = [
      user.username === "owner" ? "owner" : "",
      user.role === "admin" ? "administrator" : "",
      user.hotlistAdmin ? "hotlist admin" : "",
      user.hotlistViewer ? "hotlist viewer" : "",
    ].filter(Boolean);
    const agency = user.agencyId === "hartford-pd" ? "Hartford" : "New Haven";
    const may = rights.length > 0 ? `, ${rights.join(", ")}` : "";
    console.log(`  ${user.username.padEnd(10)} ${agency} Police Department${may}`);
  }
  console.log(
    `\n“Sign in with Hartford SSO” leads to a real identity provider; everyone's password there is ${IDENTITY_PASSWORD}`,
  );
  for (const { name, email, groups } of DEMO_PEOPLE)
    console.log(`  ${name.padEnd(14)} ${email}${groups.length > 0 ? `, ${groups.join(", ")}` : ""}`);
  console.log(`It pushes users and groups to Odin (SCIM): http://127.0.0.1:${identityPort}/provisioning`);
  console.log("\nCtrl-C stops Odin. `npm run reset` deletes its data.");
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function keepPushing(settings: Settings): void {
  const again = () => {
    setTimeout(async () => {
      const to = Date.now();
      try {
        await pushPasses(settings, { from: pushedSince(settings), to }, () => {});
        notePushedUntil(settings, to);
      } catch (error) {
        if (!ending) console.error(messageOf(error));
      }
      again();
    }, CAMERA_PAUSE_MS);
  };
  again();
}

function keepLive(settings: Settings, since: number): void {
  let from = since;
  const again = async () => {
    const to = Date.now();
    try {
      await reportLive(settings, { from, to });
      from = to;
    } catch (error) {
      if (!ending) console.error(messageOf(error));
      // Drops reports that failed for minutes; a real camera's buffer is no larger.
      from = Math.max(from, to - LIVE_BEFORE_MS);
    }
    if (!ending) setTimeout(again, LIVE_PAUSE_MS);
  };
  again();
}

/** Runs the crons of wrangler.toml; on this machine nothing else triggers them. */
function keepTime(settings: Settings): void {
  let since = Date.now();
  const again = async () => {
    const now = Date.now();
    const due = Object.values(CRONS)
      .flat()
      .filter((cron) => nextRun([cron], since) <= now);
    since = now;
    try {
      for (const cron of due)
        await fetch(`http://127.0.0.1:${settings.port}/__scheduled?cron=${encodeURIComponent(cron)}`);
    } catch (error) {
      if (!ending) console.error(messageOf(error));
    }
    if (!ending) setTimeout(again, CRON_PAUSE_MS);
  };
  setTimeout(again, CRON_PAUSE_MS);
}

let ending = false;

async function end(): Promise<void> {
  await endAll();
  await Promise.all(servers.map((server) => server.dispose()));
}

/** Runs a command that serves until it is ended, and then ends everything that it started. */
export function serve(main: () => Promise<void>): void {
  // The local runtime would fetch an example of a request's `cf` object from the network. It is not used here.
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, async () => {
      if (ending) return;
      ending = true;
      console.log("\nEnding…");
      await end();
      process.exit(0);
    });
  }
  main().catch(async (error: Error) => {
    if (ending) return;
    ending = true;
    // The message of a failed fetch is in its cause.
    const cause = error.cause === undefined ? "" : `: ${messageOf(error.cause)}`;
    console.error(`\n${error.message}${cause}`);
    await end();
    process.exit(1);
  });
}
