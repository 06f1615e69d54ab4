/** Gives every property test the run's seed: the same inputs at every run, until somebody hunts with others. */
import fc from "fast-check";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    fuzzSeed: number;
  }
}

fc.configureGlobal({ seed: inject("fuzzSeed") });
