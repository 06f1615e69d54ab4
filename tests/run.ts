/**
 * `npm test [-- suite … room …]`: runs all or the named suites over all or the named rooms. `npm test -- alerts` runs
 * the tests of alerts in tests/unit, tests/worker and tests/e2e. All suites run even if one fails. The last line has
 * the totals. Ends only processes that it started, and leaves none running.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { type Dirent, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import pMap from "p-map";
import { REMIX, ROOT } from "../workers/local/settings.ts";
import { auditPackages, installedPackages, licenseProblems } from "./packages.ts";
import { findChromium, installChromium, NO_CHROMIUM } from "./support/chromium.ts";
import { ensureTools } from "./support/tools.ts";

/**
 * `late`: names of tests that passed only at a later attempt, which count as passed and are reported. `failures`:
 * names of tests that failed or were skipped, printed at the end, because the log of a suite may be truncated.
 */
type Counts = { passed: number; failed: number; late?: string[]; failures?: string[] };
/** `remark`: what was not checked and why; printed even if nothing failed. */
type Outcome = Counts & { note?: string; remark?: string };
type Suite = {
  name: string;
  what: string;
  /** The folder that has the suite's rooms. Without one, the suite always runs as a whole. */
  folder?: string;
  /** Runs only if no room is named. */
  isAcrossRooms?: boolean;
  /** `only`: the folders to run; all if empty. */
  run: (only: string[]) => Promise<Outcome>;
};

const bin = (path: string) => join(ROOT, "node_modules", path);
const BIOME = bin("@biomejs/biome/bin/biome");
const TSC = bin("typescript/bin/tsc");
const KNIP = bin("knip/bin/knip.js");
const VITEST = bin("vitest/vitest.mjs");
const PLAYWRIGHT = bin("@playwright/test/cli.js");

/** A suite that prints nothing for this long is assumed to hang and is ended; see also LONGEST_MS. */
const SILENCE_MS = 8 * 60 * 1000;
/** The longest suite takes minutes, so machines that are many times slower still finish. */
const LONGEST_MS = 3 * 60 * 60 * 1000;

const scratch = mkdtempSync(join(tmpdir(), "odin-test-"));
/** Tests start wrangler and the project's commands dozens of times: compiled once, they take a quarter less CPU. */
const compiled = join(scratch, "compiled");
const running = new Set<ChildProcess>();

type Ended = { code: number; output: string };

/** Runs one of the project's tools with the same Node. ODIN_VERBOSE shows its output while it runs. */
function tool(script: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const path = [join(process.execPath, ".."), process.env.PATH ?? ""].join(delimiter);
  const child = spawn(process.execPath, [script, ...args], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      PATH: path,
      WRANGLER_SEND_METRICS: "false",
      FORCE_COLOR: "0",
      CI: "true",
      NODE_COMPILE_CACHE: compiled,
      ...env,
    },
  });
  running.add(child);
  let output = "";
  const giveUp = () => {
    output += "\nTimed out.";
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
    // It has already ended.
  }
}

/** Runs a suite that only passes or fails as a whole. */
async function whole(script: string, args: string[]): Promise<Outcome> {
  const { code, output } = await tool(script, args);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, note: output };
}

/** Runs a tool that writes a JSON report. Returns its counts; a missing report counts as one failure. */
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
  // An error outside of a test (in setup code, or an unhandled rejection) is also a failure.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  if (code === 0 && counts.passed === 0)
    return { passed: 0, failed: 1, note: `${output}\nNo test was found.` };
  return { ...counts, note: code === 0 ? undefined : output };
}

type VitestTest = { fullName: string; status: string; failureMessages?: string[] };

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
          assertionResults: VitestTest[];
        }[];
      };
      const { testResults, numPassedTests: passed, numFailedTests, numPendingTests } = report;
      // A file that could not be loaded has no failed tests, so it is counted here.
      const broken = testResults.filter(
        (file) => file.status === "failed" && file.assertionResults.length === 0,
      );
      const named = (which: (test: VitestTest) => boolean) =>
        testResults.flatMap(({ name, assertionResults }) =>
          assertionResults
            .filter(which)
            .map((test) => `${relative(ROOT, name)} ${test.fullName}${inShort(test.failureMessages ?? [])}`),
        );
      const failures = named(({ status }) => status !== "passed");
      // A test that passed keeps the errors of its first attempt.
      const late = named(
        ({ status, failureMessages = [] }) => status === "passed" && failureMessages.length > 0,
      );
      failures.push(...broken.map(({ name }) => `did not load: ${relative(ROOT, name)}`));
      return { passed, failed: numFailedTests + numPendingTests + broken.length, late, failures };
    },
  });
}

function needsBuild(): Outcome | undefined {
  if (existsSync(join(ROOT, "build/server/index.js"))) return undefined;
  return { passed: 0, failed: 1, note: "There is no build: run the suite `build` first." };
}

/** Checks style and likely mistakes (Biome), then unused files, exports and dependencies (Knip). */
async function lint(): Promise<Outcome> {
  const style = await whole(BIOME, ["check", "--error-on-warnings", "."]);
  return style.failed > 0 ? style : whole(KNIP, []);
}

/** Time limit for the request to the registry. */
const AUDIT_MS = 30_000;

/** Checks licenses and, if the registry answers, known vulnerabilities of deployed packages. */
async function packages(): Promise<Outcome> {
  const audit = await auditPackages(ROOT, AUDIT_MS);
  const problems = licenseProblems(installedPackages(ROOT));
  if ("problems" in audit) problems.push(...audit.problems);
  const remark =
    "silent" in audit
      ? `Known vulnerabilities were not checked, because the registry did not answer: ${audit.silent}`
      : undefined;
  const checks = remark === undefined ? 2 : 1;
  return problems.length > 0
    ? { passed: 0, failed: 1, note: problems.join("\n"), remark }
    : { passed: checks, failed: 0, remark };
}

async function unit(only: string[]): Promise<Outcome> {
  const missing = ensureTools();
  if (missing) console.log(`  ${missing}`);
  return vitest("unit", "--project", "unit", ...only);
}

/** The fields of Playwright's JSON report that are used here. */
type JourneyReport = {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  suites: JourneySuite[];
};
type JourneySuite = {
  specs: { title: string; file: string; line: number; tests: JourneyTest[] }[];
  suites?: JourneySuite[];
};

type JourneyTest = { status: string; results: { errors?: { message?: string }[] }[] };

/**
 * Returns the beginnings of the first error and of the last, for the summary: a log may be cut to its end, and the
 * attempts after the first may fail for another reason.
 */
function inShort(messages: (string | undefined)[]): string {
  const shown = new Set([messages[0] ?? "", messages.at(-1) ?? ""]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors of a terminal
  const texts = [...shown].map((text) => text.replace(/\u001b\[\d*m/g, "").replace(/\s+/g, " "));
  return texts.map((text) => text && `\n      ${text.slice(0, 400)}`).join("");
}

/** Returns the journeys of a suite, including nested suites, that ended with one of these statuses. */
function endedAs(statuses: string[], { specs, suites = [] }: JourneySuite): string[] {
  const found = specs.filter(({ tests }) => tests.some(({ status }) => statuses.includes(status)));
  const own = found.map(({ title, file, line, tests }) => {
    const errors = tests.flatMap(({ results }) => results.flatMap((result) => result.errors ?? []));
    return `${file}:${line} ${title}${inShort(errors.map(({ message }) => message))}`;
  });
  return [...own, ...suites.flatMap((suite) => endedAs(statuses, suite))];
}

async function browser(name: string, files: string[]): Promise<Outcome> {
  const missing = needsBuild();
  if (missing) return missing;
  let chromium = findChromium();
  if (!chromium && !process.env.CHROMIUM_PATH) {
    console.log("  Chromium was not found; trying to install it…");
    chromium = installChromium(PLAYWRIGHT);
  }
  if (!chromium) return { passed: 0, failed: 1, note: NO_CHROMIUM };
  return counted({
    script: PLAYWRIGHT,
    args: ["test", "--reporter=list,json", `--output=test-results/${name}`, ...files],
    env: (report) => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: report, CHROMIUM_PATH: chromium }),
    name,
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

const PACKAGES: Suite = { name: "packages", what: "licenses and known vulnerabilities", run: packages };
const LINT: Suite = { name: "lint", what: "Biome and Knip", run: lint };
const TYPES: Suite = { name: "types", what: "TypeScript", run: () => whole(TSC, ["--noEmit"]) };
const BUILD: Suite = {
  name: "build",
  what: "the bundle that is deployed",
  run: () => whole(REMIX, ["vite:build"]),
};
const UNIT: Suite = { name: "unit", what: "rules and adapters, in Node", folder: "tests/unit", run: unit };
const WORKER: Suite = {
  name: "worker",
  what: "the built product in workerd",
  folder: "tests/worker",
  run: async (only) =>
    needsBuild() ?? vitest("worker", "--project", "worker", "--project", "worker-alone", ...only),
};
const DENO: Suite = {
  name: "deno",
  what: "the built product under Deno",
  run: async () => needsBuild() ?? vitest("deno", "--project", "deno"),
};
const JOURNEYS: Suite = {
  name: "browser",
  what: "journeys in Chromium",
  folder: "tests/e2e",
  run: (only) => browser("journeys", only.length > 0 ? only : inJourneys((entry) => entry.isDirectory())),
};
/** Starts its own Odin. */
const SCREENS: Suite = {
  name: "browser",
  what: "journeys over all screens, in Chromium",
  isAcrossRooms: true,
  run: () =>
    browser(
      "screens",
      inJourneys(({ name }) => name.endsWith(".test.ts")),
    ),
};

/** Returns entries of the journeys' folder, as Playwright takes them: folders end with a slash. */
function inJourneys(isWanted: (entry: Dirent) => boolean): string[] {
  return readdirSync(join(ROOT, "tests/e2e"), { withFileTypes: true })
    .filter(isWanted)
    .map((entry) => `tests/e2e/${entry.name}${entry.isDirectory() ? "/" : ""}`);
}

/** Those that do not use the build. The others wait for it. */
const WITHOUT_BUILD: readonly Suite[] = [BUILD, TYPES, PACKAGES, LINT];
/** In the order of their start: the longest first. */
const SUITES: readonly Suite[] = [...WITHOUT_BUILD, JOURNEYS, WORKER, SCREENS, UNIT, DENO];
/** One suite alone, or two while one waits, leaves a core idle. */
const AT_A_TIME = 3;

/** Returns the suites and rooms of the command line. `rooms` is empty for all. Throws an Error for an unknown word. */
function choose(words: string[]): { suites: readonly Suite[]; rooms: string[] } {
  const folders = SUITES.flatMap(({ folder }) => folder ?? []);
  const known = new Set(
    folders.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name),
    ),
  );
  const named = SUITES.filter(({ name }) => words.includes(name));
  const rooms = words.filter((word) => known.has(word));
  const unknown = words.filter((word) => !known.has(word) && !named.some(({ name }) => name === word));
  if (unknown.length > 0)
    throw new Error(
      `No such suite or room: ${unknown.join(", ")}. Suites: ${[...new Set(SUITES.map(({ name }) => name))].join(", ")}. Rooms: ${[...known].sort().join(", ")}.`,
    );
  if (named.length > 0) return { suites: named, rooms };
  // Testing a room includes the build, so that its tests run on the current code.
  return {
    suites: rooms.length > 0 ? SUITES.filter((suite) => suite.folder || suite === BUILD) : SUITES,
    rooms,
  };
}

const foldersOf = ({ folder }: Suite, rooms: string[]) =>
  rooms.map((room) => `${folder}/${room}/`).filter((path) => existsSync(join(ROOT, path)));

type Ran = { suite: Suite; outcome: Outcome; line: string };

async function run(suite: Suite, only: string[]): Promise<Ran> {
  console.log(`${suite.name}: ${suite.what}…`);
  const started = Date.now();
  const outcome = await suite
    .run(only)
    .catch((error: unknown): Outcome => ({ passed: 0, failed: 1, note: String(error) }));
  if (outcome.failed > 0 && outcome.note) console.log(outcome.note.slice(-30_000));
  if (outcome.remark) console.log(`  ${outcome.remark}`);
  const seconds = `${((Date.now() - started) / 1000).toFixed(1)} s`;
  const state = outcome.failed > 0 ? "FAILED" : "ok";
  const line = `${suite.name.padEnd(8)} ${state.padEnd(6)} ${String(outcome.passed).padStart(5)} passed ${String(outcome.failed).padStart(4)} failed ${seconds.padStart(9)}`;
  console.log(`  ${line}`);
  return { suite, outcome, line };
}

/** Returns the tests to run of a suite, all if empty; undefined if it has none in the named rooms. */
function wantedOf(suite: Suite, rooms: string[]): string[] | undefined {
  if (rooms.length === 0) return [];
  const only = foldersOf(suite, rooms);
  return suite.isAcrossRooms || (suite.folder && only.length === 0) ? undefined : only;
}

async function main(): Promise<number> {
  const { suites, rooms } = choose(process.argv.slice(2));
  const wanted = SUITES.filter((suite) => suites.includes(suite)).flatMap((suite) => {
    const only = wantedOf(suite, rooms);
    return only ? [{ suite, only }] : [];
  });
  let built: Promise<unknown> = Promise.resolve();
  const ran = await pMap(
    wanted,
    async ({ suite, only }) => {
      if (!WITHOUT_BUILD.includes(suite)) await built;
      const running = run(suite, only);
      if (suite === BUILD) built = running;
      return running;
    },
    { concurrency: AT_A_TIME },
  );
  console.log(`\n${ran.map(({ line }) => line).join("\n")}\n`);
  const named = (of: "late" | "failures") =>
    ran.flatMap(({ suite, outcome }) => (outcome[of] ?? []).map((name) => `  ! ${suite.name}: ${name}`));
  const [late, failures] = [named("late"), named("failures")];
  if (failures.length > 0) console.log(`FAILED OR SKIPPED:\n${failures.join("\n")}\n`);
  const remarks = ran.flatMap(({ outcome }) => outcome.remark ?? []);
  if (remarks.length > 0) console.log(`${remarks.join("\n")}\n`);
  if (late.length > 0)
    console.log(
      `PASSED AT A LATER ATTEMPT (${late.length}), a defect of the test or of the product:\n${late.join("\n")}\n`,
    );
  const sum = (of: "passed" | "failed") => ran.reduce((total, { outcome }) => total + outcome[of], 0);
  // The last line has this form for programs that read it, so late tests are only named above it.
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  return sum("failed") > 0 ? 1 : 0;
}

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => {
    for (const child of running) end(child);
    rmSync(scratch, { recursive: true, force: true });
    process.exit(130);
  });
}

const code = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
rmSync(scratch, { recursive: true, force: true });
process.exit(code);
