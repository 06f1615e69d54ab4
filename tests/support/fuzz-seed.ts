/** Any number would do. What counts is that it stays: a run that fails on one machine fails on every other. */
const USUAL = 20_261_044;

/**
 * The seed of the property tests: FUZZ_SEED, where `random` draws a new one at every run. It is drawn once for all
 * suites, and fast-check prints it with what failed. Throws where FUZZ_SEED is neither.
 */
export function fuzzSeed(wanted: string | undefined = process.env.FUZZ_SEED): number {
  if (!wanted) return USUAL;
  const seed = wanted === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
  if (!Number.isInteger(seed))
    throw new Error(`FUZZ_SEED must be a whole number or "random", not "${wanted}".`);
  return seed;
}
