import { defineConfig } from "vitest/config";

/** The unit tests as `npm run mutate` runs them: of rules and tools, which are what is mutated, and no others. */
export default defineConfig({
  test: {
    include: ["tests/unit/**/*.test.ts"],
    // They read the project's own files, or programs beside them, and say nothing about a rule.
    exclude: ["tests/unit/layout.test.ts", "tests/unit/operations/**", "tests/unit/providers/**"],
    setupFiles: ["tests/support/quiet-console.ts", "tests/support/fuzz.ts"],
    provide: { fuzzSeed: 1 },
    testTimeout: 120_000,
  },
});
