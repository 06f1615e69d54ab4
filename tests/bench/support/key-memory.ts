// Measures the memory of the keys of a search of 1,000 agencies over 90 days. Measured in Node, whose pointers are twice
// as long as those of workerd.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createReadCipher, type ReadCipher } from "#app/store/archive/cipher.ts";
import { tagKeys } from "#app/store/archive/tags.ts";

const AGENCIES = 1000;
const DAYS = 90;

/** Returns the memory of all keys after a search has used them, in MB. */
export async function keyMemory(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const usedMb = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1e6;
  };
  const before = usedMb();
  const keys: { cipher: ReadCipher }[] = [];
  for (let i = 0; i < AGENCIES * DAYS; i++) {
    const raw = crypto.getRandomValues(new Uint8Array(32));
    const of = { agencyId: `agency-${i % AGENCIES}`, day: i % DAYS };
    keys.push({ cipher: await createReadCipher(raw, of) });
  }
  let tagged = 0;
  await tagKeys(keys, { runs: [1], features: [], texts: [] }, () => tagged++);
  const after = usedMb();
  if (tagged !== keys.length) throw new Error("not every key was used");
  return after - before;
}
