import { defineConfig } from "vitest/config";

/** The unit tests that `npm run mutate` runs: only those of the rules and tools that it mutates. */
export default defineConfig({
  test: {
    include: ["tests/unit/**/*.test.ts"],
    // They check the project's own files or other programs, and no rule. Stryker turns type checks off.
    exclude: [
      "tests/unit/layout.test.ts",
      "tests/unit/operations/{demo,deployment,reset,streets}*.test.ts",
      "tests/unit/operations/{endpoint-handlers,migrations,packages,route-patterns}.test.ts",
      "tests/unit/providers/{axon,http,rekor,simulator,webhook-receiver,words}.test.ts",
      "tests/unit/integrations/open-api-types.test.ts",
    ],
    setupFiles: ["tests/support/quiet-console.ts", "tests/support/fuzz.ts"],
    provide: { fuzzSeed: 1 },
    testTimeout: 120_000,
  },
});
