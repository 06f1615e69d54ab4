/** Any fixed number: a run that fails on one machine fails on every other. */
const USUAL = 20_261_044;

/**
 * Returns the seed of the property tests: FUZZ_SEED, or a fixed one if that is not set. `random` chooses a new one for
 * every run. fast-check prints the seed with a failure. Throws if FUZZ_SEED is neither a whole number nor `random`.
 */
export function fuzzSeed(wanted: string | undefined = process.env.FUZZ_SEED): number {
  if (!wanted) return USUAL;
  const seed = wanted === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
  if (!Number.isInteger(seed))
    throw new Error(`FUZZ_SEED must be a whole number or "random", not "${wanted}".`);
  return seed;
}
