import { defineConfig } from "@playwright/test";
import { findChromium } from "./tests/support/chromium.ts";

const isRoot = process.getuid?.() === 0;

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
    launchOptions: { executablePath: findChromium(), args: isRoot ? ["--no-sandbox"] : [] },
  },
});
