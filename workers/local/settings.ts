import { generateKeyPairSync, randomBytes } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");
export const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
export const REMIX = join(ROOT, "node_modules/@remix-run/dev/dist/cli.js");

/** Where a local installation stores its state: databases, objects, secrets. */
export type Settings = {
  port: number;
  vendorsPort: number;
  /** The demo's identity provider. */
  identityPort: number;
  state: string;
  /** Reads per day that the demo world makes across its three programs. */
  readsPerDay: number;
  /** Days of Axis reads that the cameras push at the first start. */
  historyDays: number;
  /** Whether the cameras stop once Odin is ready, so that no new reads arrive. */
  isStill?: boolean;
  /** Milliseconds by which each call to a database, bucket or queue is delayed; undefined for none. */
  latency?: { d1: number; r2: number; queue: number };
};

/** Returns the settings from the environment. Throws with a plain message for an invalid one. */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const number = (name: string, fallback: number, [least, most]: [number, number]) => {
    const value = env[name] === undefined || env[name] === "" ? fallback : Number(env[name]);
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new Error(`${name} must be a whole number from ${least} to ${most}, not "${env[name]}".`);
    }
    return value;
  };
  const port = number("PORT", 8787, [1, 65_533]);
  const vendorsPort = number("VENDORS_PORT", port + 1, [1, 65_534]);
  const identityPort = number("IDENTITY_PORT", vendorsPort + 1, [1, 65_535]);
  if (new Set([port, vendorsPort, identityPort]).size < 3)
    throw new Error(
      `PORT, VENDORS_PORT and IDENTITY_PORT must be different, not ${port}, ${vendorsPort} and ${identityPort}.`,
    );
  return {
    port,
    vendorsPort,
    identityPort,
    state: resolve(ROOT, env.ODIN_STATE || ".wrangler/demo"),
    readsPerDay: number("DEMO_READS_PER_DAY", 250, [1, 100_000]),
    historyDays: number("DEMO_DAYS", 90, [0, 90]),
    isStill: number("DEMO_LIVE", 1, [0, 1]) === 0,
    latency: latencyOf(env.SIMULATED_LATENCY ?? ""),
  };
}

/** Approximate latencies of D1, R2 and Queues on Cloudflare. */
const LATENCY = { d1: 10, r2: 30, queue: 10 };

/** Returns the latencies of "1" or of, for example, "d1=20,r2=50". Throws for anything else. */
function latencyOf(text: string): Settings["latency"] {
  if (text === "" || text === "0") return undefined;
  if (text === "1") return LATENCY;
  const parts = text.split(",").map((part) => /^(d1|r2|queue)=(\d{1,5})$/.exec(part.trim()));
  if (!parts.every((part) => part !== null))
    throw new Error(`SIMULATED_LATENCY must be 1 or, for example, d1=10,r2=30,queue=10, not "${text}".`);
  return { ...LATENCY, ...Object.fromEntries(parts.map(([, name, value]) => [name, Number(value)])) };
}

export type Secrets = {
  PASSWORD_PEPPER: string;
  SEALING_KEYS: string;
  EXPORT_SIGNING_KEYS: string;
  VENDOR_SECRET: string;
  VAPID_KEYS: string;
  APNS_KEY: string;
  APNS_KEY_ID: string;
  APNS_TEAM_ID: string;
};

/** The file that wrangler reads secrets from. */
export function secretsFile(settings: Settings): string {
  return join(settings.state, "secrets.vars");
}

/**
 * Creates a folder and its parents. Not with Node's `recursive`, which never ends where the system refuses a folder as
 * if its parent were missing, as below /proc.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}

/** Returns the secrets of this installation, generated at its first start and readable only by its owner. */
export function readSecrets(settings: Settings): Secrets {
  const file = secretsFile(settings);
  if (!existsSync(file)) {
    makeFolder(settings.state);
    const lines = {
      PASSWORD_PEPPER: randomBytes(32).toString("hex"),
      SEALING_KEYS: `1:${randomBytes(32).toString("base64")}`,
      VENDOR_SECRET: randomBytes(32).toString("hex"),
      ALLOW_LOOPBACK_VENDORS: "yes",
    };
    const text = Object.entries(lines).map(([name, value]) => `${name}="${value}"\n`);
    writeFileSync(file, text.join(""), { mode: 0o600 });
  }
  // An older installation has no keys for exports or pushes yet.
  const added = {
    EXPORT_SIGNING_KEYS: newSigningKeys(),
    VAPID_KEYS: newSigningKeys(),
    APNS_KEY: newSigningKeys().slice(2),
    APNS_KEY_ID: "ODINDEMO01",
    APNS_TEAM_ID: "ODINTEAM01",
  };
  for (const [name, value] of Object.entries(added)) {
    if (new RegExp(`^${name}=`, "m").test(readFileSync(file, "utf8"))) continue;
    appendFileSync(file, `${name}="${value}"\n`);
  }
  const values = [...readFileSync(file, "utf8").matchAll(/^(\w+)="(.*)"$/gm)].map(([, name, value]) => [
    name,
    value,
  ]);
  const secrets: Secrets = Object.fromEntries(values);
  return secrets;
}

/** Returns a new P-256 key as `1:<base64 of PKCS #8>`. */
function newSigningKeys(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return `1:${privateKey.export({ type: "pkcs8", format: "der" }).toString("base64")}`;
}

const basemapNote = (settings: Settings) => join(settings.state, "basemap.json");

/** Returns the BASEMAP_URL that `npm run basemap` noted for this installation; empty for the embedded map. */
export function notedBasemap(settings: Settings): string {
  if (!existsSync(basemapNote(settings))) return "";
  const noted: { url: string } = JSON.parse(readFileSync(basemapNote(settings), "utf8"));
  return noted.url;
}

export function noteBasemap(settings: Settings, url: string): void {
  makeFolder(settings.state);
  writeFileSync(basemapNote(settings), JSON.stringify({ url }));
}

const notes = (settings: Settings) => join(settings.state, "cameras.json");

/** Returns the time until which the simulated cameras have pushed their passes, or undefined. */
export function pushedUntil(settings: Settings): number | undefined {
  if (!existsSync(notes(settings))) return undefined;
  const noted: { pushedUntil: number } = JSON.parse(readFileSync(notes(settings), "utf8"));
  return noted.pushedUntil;
}

export function notePushedUntil(settings: Settings, at: number): void {
  writeFileSync(notes(settings), JSON.stringify({ pushedUntil: at }));
}

const PORT_FILE = "port";
const PROCESS_FILE = "process";

/**
 * Stores the port and the process of the Odin that uses the local installation, for `npm run reset` and for a second
 * `npm start`. Throws with a plain message if the folder cannot be written.
 */
export function notePort({ state, port }: Settings): void {
  try {
    makeFolder(state);
    writeFileSync(join(state, PORT_FILE), String(port));
    writeFileSync(join(state, PROCESS_FILE), String(process.pid));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${state} cannot be written. Check ODIN_STATE: ${why}`);
  }
}

/** Returns the id of the process that started the local installation last, or undefined. */
export function lastProcess({ state }: Settings): number | undefined {
  const file = join(state, PROCESS_FILE);
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
}

/** Returns the port on which the local installation was started last; the setting if it was never started. */
export function lastPort({ state, port }: Settings): number {
  const file = join(state, PORT_FILE);
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : port;
}

/** Returns why the folder of an installation must not be deleted; undefined if it may be. */
export function deletionProblem(settings: Settings): string | undefined {
  const { state } = settings;
  const [first] = relative(realpathSync(state), realpathSync(ROOT)).split(sep);
  if (first !== "..") return `${state} contains Odin itself. ODIN_STATE must name a folder of its own.`;
  const isInstallation = existsSync(secretsFile(settings)) || existsSync(join(state, PORT_FILE));
  if (isInstallation || readdirSync(state).length === 0) return undefined;
  return `${state} has no installation of Odin. Check ODIN_STATE.`;
}

/** Deletes a local installation. Throws with a plain message, and deletes nothing, if its folder is something else. */
export function deleteInstallation(settings: Settings): void {
  if (!existsSync(settings.state)) return;
  const problem = deletionProblem(settings);
  if (problem !== undefined) throw new Error(`Not deleted: ${problem}`);
  rmSync(settings.state, { recursive: true, force: true });
}
