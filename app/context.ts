// The context that entry points pass to the domain: stores, providers, clock, configuration. The same function serves
// HTTP, queues and scheduled jobs. Everything is built from the bindings for each request; modules keep only caches and
// counters that an isolate may lose.

import type { BrowserWorker } from "@cloudflare/puppeteer";
import type { IdentityProviders } from "#app/entities/accounts/identity-provider.ts";
import type { PushServices } from "#app/entities/alerts/push.ts";
import type { OpenMapBrowser } from "#app/entities/exports/street-map.ts";
import type { ParseRekorEvent } from "#app/entities/ingest/rekor-event.ts";
import type { PostToReceiver } from "#app/entities/integrations/outgoing-webhooks.ts";
import { requireComplete } from "#app/entities/operations/deployment.ts";
import type { Misconfigured } from "#app/entities/operations/health.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { parseBasemapUrl } from "#app/entities/search/map/basemap.ts";
import type { ReadArchive } from "#app/entities/search/source.ts";
import { requirePepper } from "#app/lib/crypto/peppers.ts";
import { parseSealingKeys, type SealingKeys, unseal } from "#app/lib/crypto/primitives.ts";
import { parseSigningKeys, requireSigningKeys, type SigningKeys } from "#app/lib/crypto/signing.ts";
import type { RateLimit } from "#app/lib/rate-limit.ts";
import { type Basemap, createBasemap } from "#app/providers/basemap.ts";
import { createGeocoder, type Geocoder } from "#app/providers/geocoder.ts";
import { createProviders } from "#app/providers/index.ts";
import { createMapBrowsers } from "#app/providers/map-browser.ts";
import { createIdentityProviders } from "#app/providers/oidc/relying-party.ts";
import type { Providers } from "#app/providers/provider.ts";
import { createPushServices } from "#app/providers/push.ts";
import { parseRekorEvent } from "#app/providers/rekor-event.ts";
import { createScanner, type Scanner } from "#app/providers/scanner.ts";
import { createReceiverPost } from "#app/providers/webhook-receiver.ts";
import { createProviderTokens } from "#app/store/alerts/push-devices.ts";
import { type AlertArchive, createAlertArchive } from "#app/store/alerts/segment-archive.ts";
import type { ImageCopy } from "#app/store/archive/images.ts";
import { createReadKeys, type ReadKeys } from "#app/store/archive/keys.ts";
import {
  createPlaces,
  findReadsDatabases,
  type Places,
  type ReadsDatabase,
} from "#app/store/archive/placement.ts";
import { createReadArchive, createReadStore, type ReadStore } from "#app/store/archive/reads.ts";
import { type ControlDb, openControl } from "#app/store/database.ts";
import { createTokenStore, secretOwner } from "#app/store/integrations/sources.ts";
import { readCopy, withPool } from "#app/store/operations/backup-pool.ts";
import { hasUnfinishedRestore } from "#app/store/operations/backup-runs.ts";
import { type AuditArchive, createAuditArchive } from "#app/store/oversight/audit-archive.ts";
import { rangeReader } from "#app/store/search/basemap.ts";
import { findRetentionDays } from "#app/store/users/agencies.ts";

/** Bindings, variables and secrets of wrangler.toml, with any number of databases READS_n; numbers may be missing. */
export type Env = {
  DB: D1Database;
  RESULTS: R2Bucket;
  IMAGES: R2Bucket;
  ATTACHMENTS: R2Bucket;
  IMPORTS: R2Bucket;
  AUDITS: R2Bucket;
  /** Read keys, one per agency and day. A key deleted here is destroyed, whatever D1 still contains. */
  KEYS: R2Bucket;
  BACKUPS: R2Bucket;
  JOBS: Queue<Job>;
  /** Exports have their own queue, because one may take minutes. */
  EXPORTS: Queue<Job>;
  /** Alerts have their own queue, so that an import does not delay them. */
  ALERTS: Queue<Job>;
  /** Outgoing webhooks have their own queue, so that a receiver that is down delays nothing else. */
  WEBHOOKS: Queue<Job>;
  ASSETS?: Fetcher;
  OWNER_USERNAME: string;
  PUBLIC_ORIGIN: string;
  ALLOW_LOOPBACK_VENDORS: string;
  VENDOR_HOSTS: string;
  PUSH_HOSTS: string;
  WEBHOOK_HOSTS?: string;
  IDENTITY_HOSTS: string;
  SOURCE_SLOW_MS: string;
  SOURCE_DEADLINE_MS: string;
  SEARCH_MAX_READS: string;
  GEOCODER_URL: string;
  GEOCODER_USER_AGENT: string;
  GEOCODER_CONTACT?: string;
  SCANNER_URL: string;
  SCANNER_TOKEN?: string;
  BASEMAP_URL: string;
  BASEMAP_ATTRIBUTION: string;
  /** Browser Rendering, for the street maps of reports. */
  BROWSER?: BrowserWorker;
  /** One text, or `1:<old>,2:<new>` (lib/crypto/peppers.ts). */
  PASSWORD_PEPPER: string;
  SEALING_KEYS: string;
  EXPORT_SIGNING_KEYS: string;
  /** Apple's push service; off if one of these is empty. */
  APNS_URL: string;
  APNS_TOPIC: string;
  APNS_KEY?: string;
  APNS_KEY_ID?: string;
  APNS_TEAM_ID?: string;
  /** Web Push; off without keys. */
  VAPID_KEYS?: string;
  VAPID_SUBJECT: string;
  /** Days that a nightly backup is kept. */
  BACKUP_DAYS: string;
  /** Maximum bytes of a database of reads; by default the limit of D1. */
  STORAGE_LIMIT_BYTES?: string;
  /** Origins whose pages may use images, separated by spaces or commas. */
  ALLOWED_ORIGINS?: string;
  /** Set while a backup is being restored into this installation. Every other request is then refused. */
  RESTORE_TOKEN?: string;
} & { [binding: `READS_${number}`]: D1Database };

type Config = {
  ownerUsername: string;
  /** The product's public origin; empty to allow any (local use). */
  publicOrigin: string;
  sourceSlowMs: number;
  sourceDeadlineMs: number;
  searchMaxReads: number;
  pepper: string;
  sealingKeys: SealingKeys;
  /** Hosts of vendors that may be called, checked when an address is saved and when it is used. */
  vendorHosts: readonly string[];
  /** Hosts of browser push services, checked when a device is registered and at every push. */
  pushHosts: readonly string[];
  /** Hosts of receivers of outgoing webhooks, checked when an address is saved and at every message. */
  webhookHosts: readonly string[];
  signingKeys: SigningKeys;
  allowLoopback: boolean;
  backupDays: number;
  /** Maximum bytes of a database of reads. */
  storageLimitBytes: number;
  /** Empty if no restore is running. */
  restoreToken: string;
  /** Origins whose pages may use images of reads. */
  allowedOrigins: readonly string[];
};

export type AppContext = {
  db: ControlDb;
  reads: ReadStore;
  /** The READS_n databases, and where the reads of each day are. */
  places: Places;
  /** The READS_n databases by number, for work on all of them. */
  readsDatabases: D1Database[];
  /** The read keys, for the purge. */
  readKeys: ReadKeys;
  archive: ReadArchive;
  results: R2Bucket;
  images: R2Bucket;
  /** The copies of images in the backups. */
  imageCopy: ImageCopy;
  /** Hotlist attachments. */
  attachments: R2Bucket;
  /** Hotlist files during their import. */
  imports: R2Bucket;
  /** Heads and checkpoints of the audit log's chains, and its archived rows. */
  audits: R2Bucket;
  /** The rows of the audit log that left the database. */
  auditArchive: AuditArchive;
  /** The hits that left the database. */
  alertArchive: AlertArchive;
  /** The read keys, outside D1. */
  keys: R2Bucket;
  backups: R2Bucket;
  jobs: Queue<Job>;
  exportJobs: Queue<Job>;
  alertJobs: Queue<Job>;
  webhookJobs: Queue<Job>;
  providers: Providers;
  /** OpenID Connect providers of agencies. */
  identity: IdentityProviders;
  /** Parses the body of a Rekor webhook. */
  parseRekorEvent: ParseRekorEvent;
  /** Null if none is configured: then the nearest built-in place name is used. */
  geocoder: Geocoder | null;
  /** Null if none is configured: then only the structure of files is checked. */
  scanner: Scanner | null;
  basemap: Basemap;
  /** Null without Browser Rendering: then reports show the embedded map. */
  openMapBrowser: OpenMapBrowser | null;
  push: PushServices;
  /** Posts to receivers of outgoing webhooks. */
  postToReceiver: PostToReceiver;
  /** Returns a file of public/ by its path. Throws if it does not exist. */
  asset: (path: string) => Promise<Uint8Array<ArrayBuffer>>;
  clock: () => number;
  /** The rate limits that this request or batch was counted against, by policy. */
  rateLimits: Map<string, RateLimit>;
  config: Config;
  /** Invalid settings that were ignored; their features are off. */
  misconfigured: readonly Misconfigured[];
  /** Lets work continue after the answer. */
  waitUntil: (work: Promise<unknown>) => void;
};

/** The share of a source's deadline that one database of reads may use, so that the others' reads still arrive. */
const ANSWER_SHARE = 0.6;
/** The numeric settings and their defaults, as in wrangler.toml. The last one is the size limit of a D1 database. */
const NUMBERS = {
  SOURCE_SLOW_MS: 4000,
  SOURCE_DEADLINE_MS: 12_000,
  SEARCH_MAX_READS: 200_000,
  BACKUP_DAYS: 30,
  STORAGE_LIMIT_BYTES: 10_000_000_000,
};

type Lifetime = { waitUntil(work: Promise<unknown>): void };

/**
 * Builds the context of a request, batch or scheduled run. Throws if a binding or a secret is missing, because running
 * without it would lose data or be insecure.
 */
export function createAppContext(env: Env, lifetime: Lifetime, clock: () => number = Date.now): AppContext {
  const misconfigured: Misconfigured[] = [];
  const config = readConfig(env, misconfigured);
  const db = openControl(env.DB);
  const readKeys = createReadKeys({ keys: env.KEYS, backups: env.BACKUPS }, config.sealingKeys);
  const places = createPlaces({
    db,
    databases: readsDatabases(env),
    limitBytes: config.storageLimitBytes,
    clock,
  });
  const archiveParts = {
    places,
    keys: readKeys,
    retentionDays: (agencyIds: string[]) => findRetentionDays(db, agencyIds),
    clock,
    answerMs: config.sourceDeadlineMs * ANSWER_SHARE,
  };
  const reads = createReadStore(archiveParts);
  const imageCopy: ImageCopy = (key) =>
    readCopy({ backups: env.BACKUPS, keys: config.sealingKeys }, { name: "IMAGES", key });
  const archive = createReadArchive({ ...archiveParts, reads, images: env.IMAGES, imageCopy });
  const { allowLoopback } = config;
  const attachments = withPool(env.ATTACHMENTS, { backups: env.BACKUPS, name: "ATTACHMENTS" });
  const audits = withPool(env.AUDITS, { backups: env.BACKUPS, name: "AUDITS" });
  const providers = createProviders({
    archive,
    openSecret: (source) => unseal(config.sealingKeys, secretOwner(source), source.sealedSecret),
    tokens: createTokenStore(db, config.sealingKeys, clock),
    clock,
    allowLoopback,
    vendorHosts: config.vendorHosts,
  });
  return {
    db,
    reads,
    places,
    readsDatabases: places.databases.map(({ database }) => database),
    readKeys,
    archive,
    results: withPool(env.RESULTS, { backups: env.BACKUPS, name: "RESULTS" }),
    images: withPool(env.IMAGES, { backups: env.BACKUPS, name: "IMAGES" }),
    imageCopy,
    attachments,
    imports: env.IMPORTS,
    audits,
    auditArchive: createAuditArchive({ db, audits, sealingKeys: config.sealingKeys }),
    alertArchive: createAlertArchive({ attachments, backups: env.BACKUPS, sealingKeys: config.sealingKeys }),
    keys: env.KEYS,
    backups: env.BACKUPS,
    jobs: env.JOBS,
    exportJobs: env.EXPORTS,
    alertJobs: env.ALERTS,
    webhookJobs: env.WEBHOOKS,
    providers,
    identity: createIdentityProviders({ allowLoopback, hosts: hostList(env.IDENTITY_HOSTS), clock }),
    parseRekorEvent,
    geocoder: createGeocoder({
      baseUrl: env.GEOCODER_URL ?? "",
      userAgent: geocoderAgent(env),
      allowLoopback,
    }),
    scanner: createScanner({ url: env.SCANNER_URL ?? "", token: env.SCANNER_TOKEN ?? "", allowLoopback }),
    basemap: createBasemap({
      source: readOrIgnore(misconfigured, "BASEMAP_URL", () => parseBasemapUrl(env.BASEMAP_URL ?? "")),
      attribution: env.BASEMAP_ATTRIBUTION ?? "",
      allowLoopback,
      readRange: (keys) => rangeReader(env.IMAGES, keys),
    }),
    openMapBrowser: createMapBrowsers(env.BROWSER),
    push: createPushServices({
      apns: {
        url: env.APNS_URL ?? "",
        topic: env.APNS_TOPIC ?? "",
        key: env.APNS_KEY ?? "",
        keyId: env.APNS_KEY_ID ?? "",
        teamId: env.APNS_TEAM_ID ?? "",
      },
      vapid: { key: env.VAPID_KEYS ?? "", subject: env.VAPID_SUBJECT ?? "" },
      tokens: createProviderTokens(db, config.sealingKeys),
      clock,
      allowLoopback,
      hosts: config.pushHosts,
    }),
    postToReceiver: createReceiverPost({ allowLoopback, hosts: config.webhookHosts, clock }),
    asset: (path) => readAsset(env, path),
    clock,
    rateLimits: new Map(),
    config,
    misconfigured,
    waitUntil: (work) => lifetime.waitUntil(work),
  };
}

function readConfig(env: Env, misconfigured: Misconfigured[]): Config {
  requireComplete(env);
  requirePepper(env.PASSWORD_PEPPER);
  const signingKeys = parseSigningKeys(env.EXPORT_SIGNING_KEYS);
  readOrIgnore(misconfigured, "EXPORT_SIGNING_KEYS", () => requireSigningKeys(signingKeys));
  const number = (setting: keyof typeof NUMBERS) =>
    readOrIgnore(misconfigured, setting, () => readNumber(setting, env[setting])) ?? NUMBERS[setting];
  return {
    ownerUsername: env.OWNER_USERNAME.toLowerCase(),
    publicOrigin: readOrigin(env.PUBLIC_ORIGIN ?? ""),
    sourceSlowMs: number("SOURCE_SLOW_MS"),
    sourceDeadlineMs: number("SOURCE_DEADLINE_MS"),
    searchMaxReads: number("SEARCH_MAX_READS"),
    pepper: env.PASSWORD_PEPPER,
    sealingKeys: parseSealingKeys(env.SEALING_KEYS),
    vendorHosts: hostList(env.VENDOR_HOSTS),
    pushHosts: hostList(env.PUSH_HOSTS),
    webhookHosts: hostList(env.WEBHOOK_HOSTS),
    signingKeys,
    allowLoopback: env.ALLOW_LOOPBACK_VENDORS === "yes",
    backupDays: Math.max(1, number("BACKUP_DAYS")),
    storageLimitBytes: number("STORAGE_LIMIT_BYTES"),
    restoreToken: readRestoreToken(env.RESTORE_TOKEN ?? ""),
    allowedOrigins: readAllowedOrigins(env.ALLOWED_ORIGINS ?? ""),
  };
}

/** Returns the value of a numeric setting, or its default if it is empty. Throws Error unless the value is above 0. */
function readNumber(setting: keyof typeof NUMBERS, text = ""): number {
  const value = text.trim() === "" ? NUMBERS[setting] : Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`${setting} must be a number above 0, not "${text}". Odin uses ${NUMBERS[setting]}.`);
}

/** Returns the hosts of a list separated by spaces or commas; an empty list allows no host. */
function hostList(text: string | undefined): string[] {
  return (text ?? "").split(/[\s,]+/).filter((host) => host !== "");
}

/**
 * Returns the value of a setting. If it is invalid, records that and returns undefined: one bad setting must not stop
 * everything.
 */
function readOrIgnore<T>(ignored: Misconfigured[], setting: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    ignored.push({ setting, problem: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

/** Geocoders require a contact address in the User-Agent. */
function geocoderAgent(env: Env): string {
  const contact = (env.GEOCODER_CONTACT ?? "").trim();
  return `${env.GEOCODER_USER_AGENT || "Odin"}${contact === "" ? "" : ` (${contact})`}`;
}

/** Keeps only exact origins: `*`, a path or a host without a scheme would match nothing. */
function readAllowedOrigins(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .filter((origin) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin);
}

/**
 * Returns whether a backup is being restored into this installation, which closes it to everything else: RESTORE_TOKEN
 * is set, or was deleted before the restore had finished. Throws if the database does not answer.
 */
export async function isBeingRestored(env: Env): Promise<boolean> {
  if (env.RESTORE_TOKEN) return true;
  // Without a database binding, the context reports what is missing.
  return Boolean(env.DB) && hasUnfinishedRestore(openControl(env.DB));
}

/** This token can replace all data, so a short one is refused: 43 characters hold 32 random bytes. */
function readRestoreToken(token: string): string {
  if (token !== "" && token.length < 43) throw new Error("RESTORE_TOKEN must hold at least 32 random bytes");
  return token;
}

/** Refuses an invalid origin at the start, because with it no passkey would work. */
function readOrigin(text: string): string {
  const isOrigin = text === "" || (/^https?:/.test(text) && URL.parse(text)?.origin === text);
  if (!isOrigin) throw new Error("PUBLIC_ORIGIN must look like https://odin.example.gov, or be empty");
  return text;
}

async function readAsset(env: Env, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await env.ASSETS?.fetch(new URL(path, "https://assets.local"));
  if (!answer?.ok) throw new Error(`no asset ${path}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Returns the databases of reads of an installation, by number. */
export function readsDatabases(env: Env): ReadsDatabase[] {
  return findReadsDatabases(env);
}
