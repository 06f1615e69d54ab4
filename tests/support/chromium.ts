import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";
import { installedChromium } from "../../workers/local/browser.ts";

const DEBIAN_CHROMIUM = "/usr/bin/chromium";
const DEBIAN_SHELL = "/usr/bin/chromium-headless-shell";

/** Returns the path of a Chromium: CHROMIUM_PATH, an installed one, or Playwright's own. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const found = installedChromium(env);
  if (found || env.CHROMIUM_PATH) return found;
  return existsSync(chromium.executablePath()) ? chromium.executablePath() : undefined;
}

/** Returns the path of the headless shell that Debian installs, unless another Chromium is named. */
export function findHeadlessShell(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const isOther = env.CHROMIUM_PATH && env.CHROMIUM_PATH !== DEBIAN_CHROMIUM;
  return !isOther && existsSync(DEBIAN_SHELL) ? DEBIAN_SHELL : undefined;
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
    // One by one: other systems have no headless shell.
    for (const name of ["chromium", "chromium-headless-shell"])
      run("apt-get", ["install", "-y", "--no-install-recommends", name]);
  }
  if (!findChromium()) run(process.execPath, [playwright, "install", "chromium"]);
  return findChromium();
}

/** Instructions if Chromium cannot be found or installed. */
export const NO_CHROMIUM =
  "No Chromium was found and none could be installed. Install one (Debian: apt-get install chromium; " +
  "elsewhere: npx playwright install --with-deps chromium) or name it: CHROMIUM_PATH=/path/to/chromium npm test";
