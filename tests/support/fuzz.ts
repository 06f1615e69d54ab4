/** Sets the run's seed for every property test, so that all runs have the same inputs unless FUZZ_SEED changes them. */
import fc from "fast-check";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    fuzzSeed: number;
  }
}

fc.configureGlobal({ seed: inject("fuzzSeed") });
