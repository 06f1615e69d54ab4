import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import type { Plugin } from "vite";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { fuzzSeed } from "./tests/support/fuzz-seed.ts";
import { TEST_SECRETS } from "./tests/support/secrets.ts";

const [control, reads] = await Promise.all([
  readD1Migrations("migrations/control"),
  readD1Migrations("migrations/reads"),
]);

/** Transformed modules of this run. Not kept, because they name prebuilt dependencies, which an installation replaces. */
const modules = mkdtempSync(join(tmpdir(), "odin-modules-"));
process.once("exit", () => rmSync(modules, { recursive: true, force: true }));

/** Source maps of dependencies are large, and every file of worker tests would get them. */
const WITHOUT_MAPS: Plugin = {
  name: "odin:without-maps",
  enforce: "post",
  transform: (code, id) => (id.includes("/node_modules/") ? { code, map: { mappings: "" } } : undefined),
};

/** Ends a test that hangs. Not a speed that is asked for: three suites run on two cores, also of slow machines. */
const HANGS_MS = 240_000;

/** What every project's tests are given. */
const provide = { fuzzSeed: fuzzSeed() };

/**
 * Files of worker tests that change where the reads of a day are, which a worker caches. Each has a workerd of its own;
 * the others share one, because a new one takes four seconds.
 */
const ALONE = [
  "tests/worker/archive/**/*.test.ts",
  ...["backup", "drain", "many-databases", "restore-images", "storage", "upgrade"].map(
    (name) => `tests/worker/operations/${name}.test.ts`,
  ),
];

type WorkerTests = {
  name: string;
  isolate: boolean;
  include?: string[];
  exclude?: string[];
  setup?: string[];
};

function workerTests({
  name,
  isolate,
  include = ["tests/worker/**/*.test.ts"],
  exclude = [],
  setup = [],
}: WorkerTests): TestProjectInlineConfiguration {
  return {
    plugins: [
      WITHOUT_MAPS,
      cloudflareTest({
        wrangler: { configPath: "wrangler.toml" },
        miniflare: {
          // Loaded by workerd itself: through Vite, three megabytes would be sent and evaluated as text for each file.
          modulesRules: [{ type: "ESModule", include: ["**/build/server/index.js"] }],
          // A second installation, empty, for what is brought back from a backup of the first.
          d1Databases: ["OTHER_DB", "OTHER_READS_0", "OTHER_READS_1", "OTHER_READS_2", "OTHER_READS_3"],
          r2Buckets: ["OTHER_IMAGES", "OTHER_ATTACHMENTS", "OTHER_AUDITS", "OTHER_RESULTS", "OTHER_KEYS"],
          bindings: {
            ...TEST_SECRETS,
            ALLOW_LOOPBACK_VENDORS: "yes",
            // Short enough that a vendor who never answers does not hold the tests up, long enough for one who does.
            SOURCE_SLOW_MS: "300",
            SOURCE_DEADLINE_MS: "8000",
            TEST_MIGRATIONS: { control, reads },
          },
        },
      }),
    ],
    test: {
      name,
      // A file of tests gets all modules that are in the cache at once, the others one by one.
      fsModuleCache: true,
      fsModuleCachePath: modules,
      include,
      exclude,
      isolate,
      globalSetup: [
        "tests/support/operations/memory-folder.ts",
        "tests/support/vendors.ts",
        "tests/support/api/document.ts",
      ],
      setupFiles: [
        "tests/support/quiet-console.ts",
        "tests/support/fuzz.ts",
        "tests/support/workerd/migrate.ts",
        ...setup,
        "tests/support/workerd/no-faults.ts",
      ],
      provide,
      // `npm test` names whatever needed more than one attempt, as it does for journeys.
      retry: 1,
      testTimeout: HANGS_MS,
      hookTimeout: HANGS_MS,
      // The simulated vendors' faults and counts of calls are one for all.
      fileParallelism: false,
      deps: {
        optimizer: {
          ssr: {
            enabled: true,
            // Each becomes one module instead of up to a hundred.
            include: [
              "@mapbox/vector-tile",
              "@noble/ciphers/aes.js",
              "@noble/hashes/sha2.js",
              "@remix-run/cloudflare",
              "@remix-run/react",
              "@simplewebauthn/server",
              "@streamparser/json",
              "@zxcvbn-ts/language-common",
              "ajv/dist/2020.js",
              "drizzle-orm",
              "drizzle-orm/d1",
              "drizzle-orm/sqlite-core",
              "drizzle-orm/sqlite-core/query-builders/raw",
              "fast-check",
              "fflate",
              "jose",
              "oauth4webapi",
              "otpauth",
              "p-limit",
              "p-map",
              "papaparse",
              "pbf",
              "pmtiles",
              "react-dom/server",
              "remix-auth",
              "remix-auth-form",
              "remix-auth/strategy",
              "standardwebhooks",
              "zod/mini",
            ],
          },
        },
      },
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          // Files share their imports: loading them again for each took a third of the time.
          isolate: false,
          include: ["tests/unit/**/*.test.ts"],
          setupFiles: ["tests/support/quiet-console.ts", "tests/support/fuzz.ts"],
          provide,
          testTimeout: HANGS_MS,
        },
      },
      {
        test: {
          name: "deno",
          include: ["tests/deno/**/*.test.ts"],
          setupFiles: ["tests/support/quiet-console.ts"],
          testTimeout: HANGS_MS,
        },
      },
      workerTests({
        name: "worker",
        exclude: ALONE,
        isolate: false,
        setup: ["tests/support/workerd/shared-worker.ts"],
      }),
      workerTests({ name: "worker-alone", include: ALONE, isolate: true }),
    ],
  },
});
