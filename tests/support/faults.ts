/** Makes calls to bindings fail at random, in the same places for the same seed. */

import { databaseThrough } from "../../workers/wrapped-bindings.ts";

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}

export type FaultOptions = { random: () => number; rate: number; deaths?: number; late?: number };

/** Messages of calls that fail before and after taking effect. */
export type FaultWords = { before: string; after: string };

/** Calls of one isolate to bindings, a share of which fails: half of them before, half after taking effect. */
export type FaultyCalls = {
  call: <T>(work: () => Promise<T>, words?: FaultWords) => Promise<T>;
  /** Calls that failed without and with effect. */
  failed: { before: number; after: number };
  isDead: () => boolean;
  /** Makes every call fail, as if the isolate had died, until `revive`. */
  kill(): void;
  revive(): void;
};

export type FaultyD1 = Omit<FaultyCalls, "call"> & { database: D1Database };

const D1_WORDS = { before: "D1_ERROR: overloaded", after: "D1_ERROR: Network connection lost" };
export const R2_WORDS = { before: "R2: internal error (10001)", after: "R2: Network connection lost" };

export function faultyCalls({ random, rate, deaths = 0, late = 0 }: FaultOptions): FaultyCalls {
  const failed = { before: 0, after: 0 };
  let isDead = false;

  async function call<T>(work: () => Promise<T>, words = D1_WORDS): Promise<T> {
    if (isDead) throw new Error("this isolate is dead");
    if (random() < deaths) {
      isDead = true;
      if (random() < 0.5) await work();
      throw new Error("this isolate has died");
    }
    const number = random();
    if (number >= 1 - late) await new Promise((resolve) => setTimeout(resolve, 3));
    if (number < rate / 2) {
      failed.before += 1;
      throw new Error(words.before);
    }
    const result = await work();
    if (number < rate) {
      failed.after += 1;
      throw new Error(words.after);
    }
    return result;
  }

  return {
    call,
    failed,
    isDead: () => isDead,
    kill: () => {
      isDead = true;
    },
    revive: () => {
      isDead = false;
    },
  };
}

/** Returns a database with a share of failing calls. */
export function faultyD1(real: D1Database, options: FaultOptions): FaultyD1 {
  const { call, ...rest } = faultyCalls(options);
  return { ...rest, database: databaseThrough(real, call) };
}
