/**
 * `npm test [-- suite …]`: every suite in its order, all of them even where one fails. The last line sums them up.
 * Only processes that were started here are ended, and everything that is started ends with the run.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { REMIX, ROOT } from "../workers/local/settings.ts";
import { findChromium, installChromium, NO_CHROMIUM } from "./support/chromium.ts";
import { ensureTools } from "./support/tools.ts";

/**
 * `late`: names of tests that passed only at the second attempt, which count as passed and are reported. `failures`:
 * names of tests that failed or were skipped, for the end of the run, since its log may be cut in the middle.
 */
type Counts = { passed: number; failed: number; late?: string[]; failures?: string[] };
type Outcome = Counts & { note?: string };
type Suite = { name: string; what: string; run: () => Promise<Outcome> };

const bin = (path: string) => join(ROOT, "node_modules", path);
const BIOME = bin("@biomejs/biome/bin/biome");
const TSC = bin("typescript/bin/tsc");
const KNIP = bin("knip/bin/knip.js");
const VITEST = bin("vitest/vitest.mjs");
const PLAYWRIGHT = bin("@playwright/test/cli.js");

/** A suite that says nothing for this long hangs and is ended; so is one that takes longer than any should. */
const SILENCE_MS = 8 * 60 * 1000;
const LONGEST_MS = 60 * 60 * 1000;

const scratch = mkdtempSync(join(tmpdir(), "odin-test-"));
const running = new Set<ChildProcess>();

type Ended = { code: number; output: string };

/** Runs one of the project's tools with this very Node; shows its output as it comes. */
function tool(script: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const path = [join(process.execPath, ".."), process.env.PATH ?? ""].join(delimiter);
  const child = spawn(process.execPath, [script, ...args], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PATH: path, WRANGLER_SEND_METRICS: "false", FORCE_COLOR: "0", CI: "true", ...env },
  });
  running.add(child);
  let output = "";
  const giveUp = () => {
    output += "\nIt did not end in time.";
    end(child);
  };
  const longest = setTimeout(giveUp, LONGEST_MS);
  let silence = setTimeout(giveUp, SILENCE_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      clearTimeout(silence);
      silence = setTimeout(giveUp, SILENCE_MS);
      if (process.env.ODIN_VERBOSE) process.stdout.write(chunk);
    });
  }
  return new Promise((resolve) => {
    child.once("error", (error) => {
      output += String(error);
    });
    child.once("close", (code) => {
      clearTimeout(silence);
      clearTimeout(longest);
      running.delete(child);
      resolve({ code: code ?? 1, output });
    });
  });
}

function end(child: ChildProcess): void {
  try {
    process.kill(-(child.pid as number), "SIGTERM");
  } catch {
    // It ended by itself in between.
  }
}

/** A suite that is right or wrong as a whole. */
async function whole(script: string, args: string[]): Promise<Outcome> {
  const { code, output } = await tool(script, args);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, note: output };
}

/** What a tool that writes a JSON report counted; one that wrote none counts as one failure. */
async function counted(input: {
  script: string;
  args: string[];
  env: (report: string) => Record<string, string>;
  name: string;
  count: (report: string) => Counts;
}): Promise<Outcome> {
  const report = join(scratch, `${input.name}.json`);
  const { code, output } = await tool(
    input.script,
    input.args.map((arg) => arg.replace("{report}", report)),
    input.env(report),
  );
  const counts = existsSync(report) ? input.count(readFileSync(report, "utf8")) : { passed: 0, failed: 0 };
  // What breaks outside of a test (a setup, an unhandled rejection) must not pass for a success.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  if (code === 0 && counts.passed === 0)
    return { passed: 0, failed: 1, note: `${output}\nNo test was found.` };
  return { ...counts, note: code === 0 ? undefined : output };
}

function vitest(name: string, ...args: string[]): Promise<Outcome> {
  return counted({
    script: VITEST,
    args: ["run", ...args, "--reporter=default", "--reporter=json", "--outputFile.json={report}"],
    env: () => ({}),
    name,
    count: (text) => {
      const report = JSON.parse(text) as {
        numPassedTests: number;
        numFailedTests: number;
        numPendingTests: number;
        testResults: {
          name: string;
          status: string;
          assertionResults: { fullName: string; status: string }[];
        }[];
      };
      const { testResults, numPassedTests: passed, numFailedTests, numPendingTests } = report;
      // A file that could not be loaded has no tests to fail.
      const broken = testResults.filter(
        (file) => file.status === "failed" && file.assertionResults.length === 0,
      );
      const failures = testResults.flatMap(({ name, assertionResults }) =>
        assertionResults
          .filter(({ status }) => status !== "passed")
          .map(({ fullName, status }) => `${status}: ${relative(ROOT, name)} ${fullName}`),
      );
      failures.push(...broken.map(({ name }) => `did not load: ${relative(ROOT, name)}`));
      return { passed, failed: numFailedTests + numPendingTests + broken.length, failures };
    },
  });
}

function needsBuild(): Outcome | undefined {
  if (existsSync(join(ROOT, "build/server/index.js"))) return undefined;
  return { passed: 0, failed: 1, note: "There is no build: run the suite `build` first." };
}

/** Style and likely mistakes (Biome), and what no one uses (Knip). */
async function lint(): Promise<Outcome> {
  const style = await whole(BIOME, ["check", "--error-on-warnings", "."]);
  return style.failed > 0 ? style : whole(KNIP, []);
}

async function unit(): Promise<Outcome> {
  const lacking = ensureTools();
  if (lacking) console.log(`  ${lacking}`);
  return vitest("unit", "--project", "unit");
}

/** What Playwright's JSON report says, as far as it is read here. */
type JourneyReport = {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  suites: JourneySuite[];
};
type JourneySuite = {
  specs: { title: string; file: string; line: number; tests: { status: string }[] }[];
  suites?: JourneySuite[];
};

/** The journeys of a suite and the suites in it that ended in one of these ways. */
function endedAs(statuses: string[], { specs, suites = [] }: JourneySuite): string[] {
  const found = specs.filter(({ tests }) => tests.some(({ status }) => statuses.includes(status)));
  const own = found.map(({ title, file, line }) => `${file}:${line} ${title}`);
  return [...own, ...suites.flatMap((suite) => endedAs(statuses, suite))];
}

async function browser(): Promise<Outcome> {
  const missing = needsBuild();
  if (missing) return missing;
  let chromium = findChromium();
  if (!chromium && !process.env.CHROMIUM_PATH) {
    console.log("  There is no Chromium; trying to install one…");
    chromium = installChromium(PLAYWRIGHT);
  }
  if (!chromium) return { passed: 0, failed: 1, note: NO_CHROMIUM };
  return counted({
    script: PLAYWRIGHT,
    args: ["test", "--reporter=list,json"],
    env: (report) => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: report, CHROMIUM_PATH: chromium }),
    name: "browser",
    count: (text) => {
      const { stats, suites } = JSON.parse(text) as JourneyReport;
      return {
        passed: stats.expected + stats.flaky,
        failed: stats.unexpected + stats.skipped,
        late: suites.flatMap((suite) => endedAs(["flaky"], suite)),
        failures: suites.flatMap((suite) => endedAs(["unexpected", "skipped"], suite)),
      };
    },
  });
}

const SUITES: readonly Suite[] = [
  { name: "lint", what: "Biome and Knip", run: lint },
  { name: "types", what: "TypeScript", run: () => whole(TSC, ["--noEmit"]) },
  { name: "unit", what: "rules and adapters, in Node", run: unit },
  { name: "build", what: "the bundle that is deployed", run: () => whole(REMIX, ["vite:build"]) },
  {
    name: "worker",
    what: "the built product in workerd",
    run: async () => needsBuild() ?? vitest("worker", "--project", "worker"),
  },
  {
    name: "deno",
    what: "the built product under Deno",
    run: async () => needsBuild() ?? vitest("deno", "--project", "deno"),
  },
  { name: "browser", what: "journeys in Chromium", run: browser },
];

async function main(): Promise<number> {
  const wanted: string[] = process.argv.slice(2);
  const unknown = wanted.filter((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    console.error(
      `No such suite: ${unknown.join(", ")}. There are ${SUITES.map((suite) => suite.name).join(", ")}.`,
    );
    return 1;
  }
  const total: Counts = { passed: 0, failed: 0 };
  const lines: string[] = [];
  const late: string[] = [];
  const failures: string[] = [];
  for (const suite of SUITES) {
    if (wanted.length > 0 && !wanted.includes(suite.name)) continue;
    console.log(`${suite.name}: ${suite.what}…`);
    const started = Date.now();
    const outcome = await suite
      .run()
      .catch((error: unknown): Outcome => ({ passed: 0, failed: 1, note: String(error) }));
    if (outcome.failed > 0 && outcome.note) console.log(outcome.note.slice(-30_000));
    total.passed += outcome.passed;
    total.failed += outcome.failed;
    late.push(...(outcome.late ?? []));
    failures.push(...(outcome.failures ?? []).map((name) => `${suite.name}: ${name}`));
    const seconds = `${((Date.now() - started) / 1000).toFixed(1)} s`;
    const state = outcome.failed > 0 ? "FAILED" : "ok";
    lines.push(
      `${suite.name.padEnd(8)} ${state.padEnd(6)} ${String(outcome.passed).padStart(5)} passed ${String(outcome.failed).padStart(4)} failed ${seconds.padStart(9)}`,
    );
    console.log(`  ${lines.at(-1)}`);
  }
  console.log(`\n${lines.join("\n")}\n`);
  if (failures.length > 0)
    console.log(`FAILED OR SKIPPED:\n${failures.map((name) => `  ! ${name}`).join("\n")}\n`);
  if (late.length > 0) {
    console.log(
      `PASSED AT THE SECOND ATTEMPT (${late.length}), which is a fault of the test or of the product:`,
    );
    console.log(`${late.map((name) => `  ! ${name}`).join("\n")}\n`);
  }
  const afterwards = late.length > 0 ? `, ${late.length} of them passed at the second attempt` : "";
  console.log(`${total.passed} passed${afterwards}, ${total.failed} failed`);
  return total.failed > 0 ? 1 : 0;
}

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => {
    for (const child of running) end(child);
    rmSync(scratch, { recursive: true, force: true });
    process.exit(130);
  });
}

const code = await main();
rmSync(scratch, { recursive: true, force: true });
process.exit(code);
