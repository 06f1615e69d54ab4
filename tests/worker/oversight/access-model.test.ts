// Random sequences of changes of rights, memberships and sharing, with looks at every address and look-ups in between,
// through the whole Worker. No one gets a text that they may not see by the rules of a model, what was seen or refused is
// in the audit log, and what was refused changed nothing.

import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { checkChain, sealAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { DAY, HOUR } from "#app/lib/time/dates.ts";
import { testApp } from "../../factories.ts";
import { type Command, type Commands, sequence } from "../../support/models/access/commands.ts";
import * as finds from "../../support/models/access/finds.ts";
import { finish } from "../../support/models/access/finish.ts";
import * as groups from "../../support/models/access/groups.ts";
import * as lists from "../../support/models/access/lists.ts";
import { look } from "../../support/models/access/looks.ts";
import * as rights from "../../support/models/access/rights.ts";
import { newWorld, type World } from "../../support/models/access/world.ts";
import { type Acts, takeAll } from "../../support/models/sequences.ts";

/** Each sequence takes about four seconds. More are for hunting defects by hand, with FUZZ_SEED=random. */
const RUNS = 2;

const NOON = Math.floor(Date.now() / DAY) * DAY + 12 * HOUR;

const DO: Acts<World, Commands> = {
  create: groups.create,
  members: groups.nameMembers,
  decide: groups.decide,
  choose: groups.choose,
  archive: groups.archive,
  list: lists.list,
  unlist: lists.unlist,
  read: lists.read,
  judge: lists.judge,
  wait: rights.wait,
  right: rights.right,
  disable: rights.disable,
  share: rights.share,
  unshare: rights.unshare,
  keepOut: rights.keepOut,
  hold: rights.hold,
  decideHold: rights.decideHold,
  service: rights.service,
  settings: rights.settings,
  search: finds.search,
  save: finds.save,
  export: finds.exportReads,
  removeExport: finds.removeExport,
  lookUp: finds.lookUp,
  look,
};

const total = { asked: 0, opened: 0, refused: 0, changes: 0, rows: 0, marks: 0 };

async function run(commands: Command[]): Promise<void> {
  const world = await newWorld(NOON);
  await takeAll(world, DO, commands);
  await finish(world);
  await sealAuditLog(testApp());
  for (const { id } of world.agencies) {
    const { problem, total } = await checkChain(testApp(), id, 0);
    expect([problem, total > 0]).toEqual([null, true]);
  }
  for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += world.counts[key];
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

it("no one sees what they may not see, and the audit log has what they did, after any sequence of changes", async () => {
  await fc.assert(fc.asyncProperty(sequence, run), {
    numRuns: RUNS,
    // To shrink a sequence takes longer than a test may; a failure says which request was wrong.
    endOnFailure: true,
  });
  expect(Math.min(...Object.values(total))).toBeGreaterThan(0);
});
