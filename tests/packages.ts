// Licenses of the installed packages, read from node_modules, and their known vulnerabilities, read from the registry.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

type Installed = { name: string; version: string; license: string; isDev: boolean };

/** Licenses allowed for deployed packages: permissive ones, and those of the fonts. */
const DEPLOYED = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "OFL-1.1",
  "Unlicense",
  "Zlib",
];

/** Licenses that are also allowed for tools, because no part of a tool is distributed. */
const TOOLS = [...DEPLOYED, "CC-BY-3.0", "CC-BY-4.0", "LGPL-3.0-or-later", "MPL-2.0", "Python-2.0"];

/** Packages that name their license elsewhere than in package.json, and where. */
const NAMED_ELSEWHERE: Record<string, string> = {
  // "Licensed under the MIT license" in its Readme.md.
  "require-like@0.1.2": "MIT",
};

/** Returns a line for each package whose license is not allowed. */
export function licenseProblems(packages: readonly Installed[]): string[] {
  return packages.flatMap(({ name, version, license, isDev }) => {
    const known = NAMED_ELSEWHERE[`${name}@${version}`] ?? license;
    if (isAllowed(known, isDev ? TOOLS : DEPLOYED)) return [];
    return [
      `${name}@${version} has the license ${known || "(none)"}, which is not allowed${isDev ? "" : " for what is deployed"}`,
    ];
  });
}

/** Evaluates an SPDX expression of names, AND, OR and one level of parentheses. */
function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const bare = expression.replace(/^\((.*)\)$/, "$1");
  if (/[()]/.test(bare)) return false;
  return bare
    .split(/\s+OR\s+/)
    .some((choice) => choice.split(/\s+AND\s+/).every((name) => allowed.includes(name.trim())));
}

/** Returns the packages of package-lock.json that are installed, without optional ones of other platforms. */
export function installedPackages(root: string): Installed[] {
  const lock: { packages: Record<string, { dev?: boolean; optional?: boolean }> } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  );
  return Object.entries(lock.packages).flatMap(([path, { dev = false, optional = false }]) => {
    const file = join(root, path, "package.json");
    if (path === "") return [];
    if (!existsSync(file)) {
      if (optional) return [];
      throw new Error(`${path} is not installed: npm ci`);
    }
    const { name, version, license, licenses }: Manifest = JSON.parse(readFileSync(file, "utf8"));
    return [{ name, version, isDev: dev, license: licenseOf(license ?? licenses) }];
  });
}

type Manifest = { name: string; version: string; license?: unknown; licenses?: unknown };

/** Old packages have an object or a list of objects. */
function licenseOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(licenseOf).join(" OR ");
  const type: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "type") : undefined;
  return typeof type === "string" ? type : "";
}

/** `problems`: high and critical vulnerabilities of deployed packages. `silent`: why the registry did not answer. */
type Audit = { problems: string[] } | { silent: string };

/** Reads what `npm audit --json` prints. */
export function readAudit(printed: string): Audit {
  let report: AuditReport;
  try {
    report = JSON.parse(printed);
  } catch {
    return { silent: "npm printed no report" };
  }
  if (!report.vulnerabilities) return { silent: report.message || report.error?.summary || "no report" };
  const serious = Object.values(report.vulnerabilities).filter(
    ({ severity }) => severity === "high" || severity === "critical",
  );
  return { problems: serious.map(({ name, severity, range }) => `${name} ${range}: ${severity}`) };
}

type AuditReport = {
  message?: string;
  error?: { summary?: string };
  vulnerabilities?: Record<string, { name: string; severity: string; range: string }>;
};

/** Asks the registry about the deployed packages. Never throws: without an answer, the check cannot fail. */
export function auditPackages(root: string, timeout: number): Promise<Audit> {
  const words = ["audit", "--omit=dev", "--json", "--fetch-retries=0", `--fetch-timeout=${timeout}`];
  const child = spawn("npm", words, { cwd: root, stdio: ["ignore", "pipe", "ignore"], timeout });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ silent: error.message }));
    child.once("close", (_, signal) =>
      resolve(signal ? { silent: `no answer within ${timeout / 1000} s` } : readAudit(printed)),
    );
  });
}
