import { defineConfig } from "@playwright/test";
import { findChromium, findHeadlessShell } from "./tests/support/chromium.ts";

const isRoot = process.getuid?.() === 0;

/**
 * Features of Chromium that are turned off. The first three load pages for the address bar, although no one sees it: most
 * of the processor time of a new window. The others are those of Playwright 1.65, because only the last list counts.
 */
const DISABLED_FEATURES = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
].join(",");

const launchOptions = (executablePath: string | undefined) => ({
  executablePath,
  args: [`--disable-features=${DISABLED_FEATURES}`, ...(isRoot ? ["--no-sandbox"] : [])],
});

/**
 * The headless shell is Chromium without its windows, and takes a quarter less processor time. It shows no
 * notifications and its pages crash without a network: journeys that need these run in the whole Chromium.
 */
const shell = findHeadlessShell();
const WHOLE = /@whole-chromium/;

export default defineConfig({
  testDir: "tests/e2e",
  testMatch: "**/*.test.ts",
  outputDir: "test-results",
  globalSetup: "./tests/e2e/start.ts",
  // One Odin, one machine: journeys that run beside each other would only slow each other down.
  workers: 1,
  forbidOnly: true,
  // `npm test` names whatever needed more than one attempt.
  retries: 2,
  // None of these is a speed that is asked for: they only end what hangs, also on a machine that is many times slower.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [["list"]],
  use: {
    // Set by the global setup, before a worker reads this.
    baseURL: process.env.ODIN_URL,
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
    timezoneId: "America/New_York",
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    trace: "on-first-retry",
    // Endless animations keep the processor busy. The journeys of the main job, the map and hits turn motion on.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: launchOptions(findChromium()),
  },
  projects: shell
    ? [
        { name: "shell", grepInvert: WHOLE, use: { launchOptions: launchOptions(shell) } },
        { name: "chromium", grep: WHOLE },
      ]
    : [{ name: "chromium" }],
});
