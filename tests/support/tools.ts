import { spawnSync } from "node:child_process";

/** Independent programs that check Odin's exports. */
const TOOLS = [
  { program: "pdftotext", ask: "-v", debian: "poppler-utils" },
  { program: "mutool", ask: "-v", debian: "mupdf-tools" },
  { program: "unzip", ask: "-v", debian: "unzip" },
  { program: "openssl", ask: "version", debian: "openssl" },
] as const;

const missing = () => TOOLS.filter(({ program, ask }) => spawnSync(program, [ask]).error !== undefined);

/**
 * Tries to install missing programs, as root on Debian. Tests that need the others fail. Returns a message about those
 * that could not be installed, or undefined.
 */
export function ensureTools(): string | undefined {
  const packages = missing().map(({ debian }) => debian);
  if (packages.length === 0) return undefined;
  console.log(`  Missing: ${packages.join(", ")}; trying to install…`);
  if (process.getuid?.() === 0) {
    const options = { stdio: "ignore", timeout: 5 * 60 * 1000 } as const;
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    spawnSync("apt-get", ["update"], { ...options, env });
    spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...packages], { ...options, env });
  }
  const left = missing().map(({ debian }) => debian);
  return left.length === 0
    ? undefined
    : `Programs that check exports could not be installed: ${left.join(", ")}. Debian: apt-get install ${left.join(" ")}; macOS: brew install ${left.map((name) => name.replace("-utils", "")).join(" ")}`;
}
