import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Returns the path of a Chromium: CHROMIUM_PATH, an installed one, or Playwright's own. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env.CHROMIUM_PATH) return existsSync(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : undefined;
  const folders = ["/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/google/chrome"];
  const installed = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  return [...installed, mac, chromium.executablePath()].find((path) => existsSync(path));
}

/** Tries to install Chromium: Debian's as root, else Playwright's own. Returns its path, or undefined. */
export function installChromium(playwright: string): string | undefined {
  const run = (command: string, args: string[], env = {}) =>
    spawnSync(command, args, {
      stdio: "ignore",
      timeout: 5 * 60 * 1000,
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", ...env },
    }).status === 0;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    run("apt-get", ["update"]);
    run("apt-get", ["install", "-y", "--no-install-recommends", "chromium"]);
  }
  if (!findChromium()) run(process.execPath, [playwright, "install", "chromium"]);
  return findChromium();
}

/** Instructions if Chromium cannot be found or installed. */
export const NO_CHROMIUM =
  "No Chromium was found and none could be installed. Install one (Debian: apt-get install chromium; " +
  "elsewhere: npx playwright install --with-deps chromium) or name it: CHROMIUM_PATH=/path/to/chromium npm test";
