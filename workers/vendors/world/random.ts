/** Deterministic random numbers: the demo world is a pure function of its seed, so nothing here may read the clock. */

/** Returns a 32-bit hash of the numbers (murmur3 finalizer over each). */
export function hashOf(...numbers: number[]): number {
  let hash = 0x9e3779b9;
  for (const number of numbers) {
    // Times exceed 32 bits, so both halves are hashed.
    hash = mix(hash ^ (number >>> 0));
    hash = mix(hash ^ (Math.floor(number / 4294967296) >>> 0));
  }
  return hash >>> 0;
}

function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) + 0x6d2b79f5;
}

export type Random = () => number;

/** Returns a generator of numbers in [0, 1) (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError("pick needs at least one item");
  return item;
}

/** Picks an item by the items' weights, which need not add up to one. */
export function pickWeighted<T>(random: Random, items: readonly (readonly [T, number])[]): T {
  let total = 0;
  for (const [, weight] of items) total += weight;
  let left = random() * total;
  for (const [item, weight] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  const last = items[items.length - 1];
  if (!last) throw new RangeError("pickWeighted needs at least one item");
  return last[0];
}
