import { spawnSync } from "node:child_process";

/** Programs that open what Odin exports, so that it is not our own reading alone that says it is sound. */
const TOOLS = [
  { program: "pdftotext", ask: "-v", debian: "poppler-utils" },
  { program: "mutool", ask: "-v", debian: "mupdf-tools" },
  { program: "unzip", ask: "-v", debian: "unzip" },
  { program: "openssl", ask: "version", debian: "openssl" },
] as const;

const missing = () => TOOLS.filter(({ program, ask }) => spawnSync(program, [ask]).error !== undefined);

/**
 * Tries to install what is missing, as root on Debian; the tests that need the rest fail and say so. Tells what could
 * not be had, or undefined.
 */
export function ensureTools(): string | undefined {
  const packages = missing().map(({ debian }) => debian);
  if (packages.length === 0) return undefined;
  console.log(`  There is no ${packages.join(", ")}; trying to install…`);
  if (process.getuid?.() === 0) {
    const options = { stdio: "ignore", timeout: 5 * 60 * 1000 } as const;
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    spawnSync("apt-get", ["update"], { ...options, env });
    spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...packages], { ...options, env });
  }
  const left = missing().map(({ debian }) => debian);
  return left.length === 0
    ? undefined
    : `Exports are checked with programs that are not installed and could not be: ${left.join(", ")}. Debian: apt-get install ${left.join(" ")}; macOS: brew install ${left.map((name) => name.replace("-utils", "")).join(" ")}`;
}
