// Random reads of several agencies and days, sharing, retention, purges and legal holds, with searches in between, through
// the whole Worker: each search finds exactly the reads of a model, in order, and has one audit row.

import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DAY, HOUR } from "#app/lib/time/dates.ts";
import * as changes from "../../support/models/search-changes.ts";
import { type Command, type Commands, sequence } from "../../support/models/search-commands.ts";
import * as finds from "../../support/models/search-finds.ts";
import { newWorld, type World } from "../../support/models/search-world.ts";
import { type Acts, takeAll } from "../../support/models/sequences.ts";

/** Each sequence takes about two seconds. More are for hunting defects by hand, with FUZZ_SEED=random. */
const RUNS = 3;

const NOON = Math.floor(Date.now() / DAY) * DAY + 12 * HOUR;

const DO: Acts<World, Commands> = {
  read: changes.read,
  event: changes.event,
  repeat: changes.repeat,
  share: changes.share,
  unshare: changes.unshare,
  wait: changes.wait,
  keep: changes.keep,
  purge: changes.purge,
  hold: changes.hold,
  release: changes.release,
  search: finds.search,
  reopen: finds.reopen,
  past: finds.past,
  places: finds.places,
};

async function run(commands: Command[]): Promise<void> {
  const world = await newWorld(NOON);
  await takeAll(world, DO, commands);
  found += world.found;
}

let found = 0;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

it("searches find the reads of a model, after any sequence of changes", async () => {
  await fc.assert(fc.asyncProperty(sequence, run), { numRuns: RUNS });
  expect(found).toBeGreaterThan(0);
});
