// Random sequences of changes of groups, lists, members, rights and sharing, with reads in between, through the whole
// Worker. After each read exactly the hits of a model exist, and users see exactly what they see in the model.

import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Command, type Commands, sequence, start } from "../../support/models/hit-commands.ts";
import * as lists from "../../support/models/hit-lists.ts";
import * as people from "../../support/models/hit-people.ts";
import * as reads from "../../support/models/hit-reads.ts";
import * as views from "../../support/models/hit-views.ts";
import { newWorld, type World } from "../../support/models/hit-world.ts";
import { type Acts, takeAll } from "../../support/models/sequences.ts";
import { expectLogged } from "../../support/quiet-console.ts";

/** Each sequence takes about three seconds. More are for hunting defects by hand, with FUZZ_SEED=random. */
const RUNS = 3;

const DO: Acts<World, Commands> = {
  create: people.create,
  name: people.name,
  decide: people.decide,
  choose: people.choose,
  archive: people.archive,
  right: people.right,
  push: people.push,
  disable: people.disable,
  share: people.share,
  unshare: people.unshare,
  policy: people.policy,
  wait: people.wait,
  list: lists.list,
  edit: lists.edit,
  remove: lists.remove,
  renew: lists.renew,
  import: lists.upload,
  begin: lists.begin,
  end: lists.end,
  read: reads.read,
  burst: reads.burst,
  event: reads.event,
  repeat: reads.repeat,
  poll: views.poll,
  history: views.history,
  judge: views.judge,
  age: views.age,
};

async function run([start, commands]: [number, Command[]]): Promise<void> {
  const world = await newWorld(start);
  await takeAll(world, DO, commands);
  await views.compareViews(world);
  made += world.is.hits.length;
}

let made = 0;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

it("hits and what users see of them are those of a model, after any sequence of changes", async () => {
  // What the injected faults make the product log.
  expectLogged(/./s);
  await fc.assert(fc.asyncProperty(fc.tuple(start, sequence), run), { numRuns: RUNS });
  expect(made).toBeGreaterThan(0);
});
