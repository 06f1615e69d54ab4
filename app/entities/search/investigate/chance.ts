// The model of chance that both investigation tools rank by. docs/decisions.md states it with its assumptions.

/**
 * Returns the chance that a vehicle passes by coincidence somewhere that `others` of the other `population` vehicles
 * passed. One imagined vehicle, spread evenly over all `trials`, is added to those that passed and two to all, so that
 * little traffic never means certainty. `activity` is how often the vehicle is read elsewhere, compared with the average.
 */
export function chanceOfPassing(input: {
  others: number;
  population: number;
  trials: number;
  activity: number;
}): number {
  const share = (input.others + 1 / input.trials) / (input.population + 2);
  return -Math.expm1(input.activity * Math.log1p(-share));
}

/** Returns how active a vehicle is compared with the average, from its reads that are not evidence. 1 is average. */
export function activityOf(reads: number, average: number): number {
  return (1 + reads) / (1 + average);
}

/**
 * Returns the natural logarithm of the chance of `least` or more events if `expected` are expected (Poisson). A
 * logarithm, because the chance of a long convoy is too small for a number.
 */
export function logChanceOfAtLeast(least: number, expected: number): number {
  if (least <= 0) return 0;
  if (expected <= 0) return Number.NEGATIVE_INFINITY;
  const logTerm = (count: number) => {
    let log = -expected;
    for (let i = 1; i <= count; i++) log += Math.log(expected / i);
    return log;
  };
  if (expected < least) {
    // Each term is smaller than the one before.
    let [sum, term] = [1, 1];
    for (let count = least + 1; term > sum * Number.EPSILON; count++) {
      term *= expected / count;
      sum += term;
    }
    return logTerm(least) + Math.log(sum);
  }
  let below = 0;
  for (let count = 0; count < least; count++) below += Math.exp(logTerm(count));
  return Math.log(Math.max(1 - below, Number.MIN_VALUE));
}
