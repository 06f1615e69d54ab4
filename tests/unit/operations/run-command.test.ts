import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Command } from "../../../workers/local/deployment/plan.ts";
import { runCommand } from "../../../workers/local/deployment/run.ts";

const folder = mkdtempSync(join(tmpdir(), "odin-run-"));
const wrangler = join(folder, "wrangler.mjs");
const note = join(folder, "ci.txt");

beforeAll(() => {
  // Writes down whether wrangler would ask: with CI set, it answers its questions itself.
  writeFileSync(
    wrangler,
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(note)}, process.env.CI ?? "");`,
  );
  vi.stubEnv("CI", undefined);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe("a command of npm run deploy", () => {
  it.each<[Command["step"], string]>([
    ["migrate", "true"],
    ["secret", ""],
  ])("of the step %s is run with CI=%j: only migrations were confirmed before", async (step, ci) => {
    expect(await runCommand({ step, words: ["npx", "wrangler", "any"] }, wrangler)).toBe("");
    expect(readFileSync(note, "utf8")).toBe(ci);
  });
});
