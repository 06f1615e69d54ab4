import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import { REQUIRED_SECRETS } from "#app/entities/operations/deployment.ts";
import {
  type AskWrangler,
  accountProblems,
  addressHint,
  configProblems,
  type DeploymentConfig,
  mergeProblems,
} from "../../../workers/local/deployment/check.ts";

const CRONS = ["* * * * *", "*/5 * * * *"];
const ID = "11111111-2222-4333-8444-555555555555";

/** Returns a valid deployment with the given changes. */
function configOf(over: Partial<DeploymentConfig> = {}): DeploymentConfig {
  return {
    d1_databases: [
      {
        binding: "DB",
        database_name: "odin-control",
        database_id: ID,
        migrations_dir: "migrations/control",
      },
    ],
    r2_buckets: [{ binding: "IMAGES", bucket_name: "odin-images", jurisdiction: "us" }],
    queues: {
      producers: [{ queue: "odin-jobs" }],
      consumers: [
        { queue: "odin-jobs", dead_letter_queue: "odin-jobs-dead" },
        { queue: "odin-jobs-dead", max_retries: 100 },
      ],
    },
    triggers: { crons: CRONS },
    vars: {
      PUBLIC_ORIGIN: "https://odin.example.gov",
      OWNER_USERNAME: "owner",
      ALLOW_LOOPBACK_VENDORS: "no",
      VENDOR_HOSTS: "cloud.openalpr.com *.evidence.com",
    },
    ...over,
  };
}

/** Output of wrangler 4.156 in the format of its source; the values are fictitious. */
const PRINTED: Record<string, string> = {
  "d1 info odin-control --json": JSON.stringify({
    uuid: ID,
    name: "odin-control",
    created_at: "2026-11-01T10:00:00.000Z",
    num_tables: 40,
    running_in_region: "ENAM",
    jurisdiction: "us",
    read_replication: { mode: "disabled" },
    database_size: 12_345,
    read_queries_24h: 0,
  }),
  "r2 bucket info odin-images --jurisdiction us --json": JSON.stringify({
    name: "odin-images",
    created: "2026-11-01T10:00:00.000Z",
    location: "ENAM",
    default_storage_class: "Standard",
    object_count: "0",
    bucket_size: "0 B",
  }),
  "queues info odin-jobs": "Queue Name: odin-jobs",
  "queues info odin-jobs-dead": "Queue Name: odin-jobs-dead",
  "secret list": JSON.stringify(
    REQUIRED_SECRETS.map((name) => ({ name, type: "secret_text" })),
    null,
    "  ",
  ),
};

const asking =
  (over: Record<string, string | null> = {}): AskWrangler =>
  async (...words) =>
    ({ ...PRINTED, ...over })[words.join(" ")] ?? null;

describe("the deployment check", () => {
  it("accepts a valid deployment", async () => {
    expect(configProblems(configOf(), CRONS)).toEqual([]);
    expect(await accountProblems(configOf(), asking())).toEqual([]);
  });

  it("says how people reach a Worker that has no address, which wrangler deploys without a word", () => {
    const hint = addressHint(configOf({ workers_dev: false }));
    expect(hint).toContain('routes = [{ pattern = "odin.example.gov", custom_domain = true }]');
    for (const over of [
      { routes: [{ pattern: "odin.example.gov", custom_domain: true }] },
      { route: "odin.example.gov/*" },
      { workers_dev: true },
    ])
      expect(addressHint(configOf(over))).toBeUndefined();
  });

  const d1 = (over: object) => ({
    "d1 info odin-control --json": JSON.stringify({
      ...JSON.parse(PRINTED["d1 info odin-control --json"] ?? ""),
      ...over,
    }),
  });

  it.each<[string, Record<string, string | null>, RegExp]>([
    ["a database elsewhere", d1({ jurisdiction: "eu" }), /^DB: odin-control lies in the jurisdiction "eu"/],
    ["a database anywhere", d1({ jurisdiction: null }), /^DB: .* null/],
    ["a database whose jurisdiction is missing", d1({ jurisdiction: undefined }), /^DB: .* undefined/],
    ["a database of another id", d1({ uuid: "other" }), /^DB: odin-control has the id other/],
    ["no database", { "d1 info odin-control --json": null }, /^DB: there is no database/],
    ["an answer that is none", { "d1 info odin-control --json": "Oops" }, /^DB: there is no database/],
    [
      "a bucket that is not in ours",
      { "r2 bucket info odin-images --jurisdiction us --json": null },
      /^IMAGES: there is no bucket odin-images/,
    ],
    ["no dead-letter queue", { "queues info odin-jobs-dead": null }, /^There is no queue odin-jobs-dead/],
    ["a secret that is missing", { "secret list": "[]" }, /^The secret PASSWORD_PEPPER is not set/],
    ["secrets that cannot be listed", { "secret list": null }, /^The secret PASSWORD_PEPPER is not set/],
  ])("fails where the account has %s", async (_, over, words) => {
    expect((await accountProblems(configOf(), asking(over)))[0]).toMatch(words);
  });

  it("reads JSON after another line of wrangler's output", async () => {
    const banner = { "secret list": `A new version is available\n${PRINTED["secret list"]}` };
    expect(await accountProblems(configOf(), asking(banner))).toEqual([]);
  });

  it.each<[string, Partial<DeploymentConfig>, RegExp]>([
    [
      "a bucket without its jurisdiction",
      { r2_buckets: [{ binding: "IMAGES", bucket_name: "odin-images" }] },
      /^IMAGES: jurisdiction/,
    ],
    ["a cron less", { triggers: { crons: ["* * * * *"] } }, /cron "\*\/5 \* \* \* \*" is missing/],
    ["no crons", { triggers: {} }, /cron/],
    [
      "a dead-letter queue without a consumer",
      { queues: { consumers: [{ queue: "odin-jobs", dead_letter_queue: "odin-jobs-dead" }] } },
      /^odin-jobs-dead: a consumer/,
    ],
    [
      "a dead-letter queue that gives up after some attempts",
      {
        queues: {
          consumers: [
            { queue: "odin-jobs", dead_letter_queue: "odin-jobs-dead" },
            { queue: "odin-jobs-dead", max_retries: 3 },
          ],
        },
      },
      /^odin-jobs-dead: .* max_retries = 100/,
    ],
    [
      "a database of reads without its folder of migrations",
      {
        d1_databases: [
          ...configOf().d1_databases,
          { binding: "READS_7", database_name: "odin-reads-7", database_id: ID },
        ],
      },
      /^READS_7: migrations_dir = "migrations\/reads" is missing/,
    ],
    ["no origin", { vars: { ...configOf().vars, PUBLIC_ORIGIN: "" } }, /PUBLIC_ORIGIN/],
    ...[
      "https://odin.example.gov/",
      "https://Odin.example.gov",
      "https://odin.example.gov:443",
      "https://",
    ].map((origin): [string, Partial<DeploymentConfig>, RegExp] => [
      `the origin ${origin}, with which the Worker does not start`,
      { vars: { ...configOf().vars, PUBLIC_ORIGIN: origin } },
      /^PUBLIC_ORIGIN must look like https:\/\/odin\.example\.gov/,
    ]),
    [
      "an origin without encryption",
      { vars: { ...configOf().vars, PUBLIC_ORIGIN: "http://odin.example.gov" } },
      /^PUBLIC_ORIGIN must look like https:/,
    ],
    ["no owner", { vars: { ...configOf().vars, OWNER_USERNAME: "" } }, /OWNER_USERNAME/],
    ["loopback vendors", { vars: { ...configOf().vars, ALLOW_LOOPBACK_VENDORS: "yes" } }, /LOOPBACK/],
    ["every host", { vars: { ...configOf().vars, VENDOR_HOSTS: "a.example, *" } }, /every host/],
    ["every push host", { vars: { ...configOf().vars, PUSH_HOSTS: "*" } }, /PUSH_HOSTS allows every host/],
  ])("fails where wrangler.toml has %s", (_, over, words) => {
    expect(configProblems(configOf(over), CRONS)[0]).toMatch(words);
  });

  it("finds every store of the shipped wrangler.toml, which is not deployable yet", () => {
    const config = readConfig({ config: "wrangler.toml" }) as unknown as DeploymentConfig;
    const told = configProblems(config, []).join("\n");
    expect(told).not.toContain("max_retries");
    const bindings = [
      ...readFileSync("wrangler.toml", "utf8").matchAll(/^\[\[(d1_databases|r2_buckets)\]\]/gm),
    ];
    expect(told.match(/: (database_id|jurisdiction)/g)).toHaveLength(bindings.length);
    for (const { binding } of [...config.d1_databases, ...config.r2_buckets])
      expect(told).toContain(`${binding}: `);
  });
});

describe("a wrangler.toml into which a new version was not merged", () => {
  const complete: DeploymentConfig = readConfig({ config: "wrangler.toml" });

  it("is not there, as Odin comes", () => {
    expect(mergeProblems(complete)).toEqual([]);
  });

  it("lacks bindings", () => {
    const { d1_databases, r2_buckets, queues } = complete;
    expect(mergeProblems({ ...complete, d1_databases: [] })).toEqual([
      "The binding DB is missing in wrangler.toml.",
      "A binding READS_n is missing in wrangler.toml.",
    ]);
    const without = (name: string) => ({
      ...complete,
      d1_databases: d1_databases.filter(({ binding }) => binding !== name),
      r2_buckets: r2_buckets.filter(({ binding }) => binding !== name),
      queues: { ...queues, producers: queues.producers?.filter(({ binding }) => binding !== name) },
    });
    expect(mergeProblems(without("READS_0"))).toEqual([]);
    for (const name of ["DB", "KEYS", "WEBHOOKS"])
      expect(mergeProblems(without(name))).toEqual([`The binding ${name} is missing in wrangler.toml.`]);
  });

  it("lacks a consumer, which would leave every message where it is, or its dead-letter queue", () => {
    const { queues } = complete;
    const consumers = queues.consumers?.filter(({ queue }) => queue !== "odin-webhooks");
    expect(mergeProblems({ ...complete, queues: { ...queues, consumers } })).toEqual([
      "odin-webhooks: a consumer is missing in wrangler.toml.",
    ]);
    const lost = queues.consumers?.map(({ dead_letter_queue: _, ...consumer }) => consumer);
    expect(mergeProblems({ ...complete, queues: { ...queues, consumers: lost } })).toContain(
      "odin-alerts: dead_letter_queue is missing in wrangler.toml.",
    );
  });

  it("lacks a compatibility flag, or has logs that contain the secrets of webhooks", () => {
    expect(mergeProblems({ ...complete, compatibility_flags: ["nodejs_compat"] })).toEqual([
      'The compatibility flag "global_fetch_strictly_public" is missing in wrangler.toml.',
      'The compatibility flag "enable_request_signal" is missing in wrangler.toml.',
    ]);
    for (const observability of [{ enabled: true }, { logs: { enabled: true, invocation_logs: true } }])
      expect(mergeProblems({ ...complete, observability })).toEqual([
        "invocation_logs must be false: the platform would log the secrets of webhooks.",
      ]);
    expect(mergeProblems({ ...complete, observability: { enabled: false } })).toEqual([]);
  });
});
