// The commands of the model of access: what people change, and what they then look at and look up, in any order.

import fc from "fast-check";
import { HOUR, MINUTE } from "#app/lib/time/dates.ts";
import type { Right } from "../hits.ts";
import { type CommandOf, commandsOf } from "../sequences.ts";

const small = fc.nat(1000);
const agency = fc.nat(2);
/** Who tries it: half of the time the administrator of the agency that it is about, otherwise anyone. */
const by = fc.option(small, { nil: undefined });
const some = fc.uniqueArray(small, { maxLength: 5 });

const COMMANDS = {
  create: fc.record({ by, agency, users: some }),
  members: fc.record({ by, group: small, users: some }),
  decide: fc.record({
    by,
    group: small,
    agency,
    how: fc.constantFrom("accept" as const, "accept" as const, "decline" as const, "withdraw" as const),
  }),
  choose: fc.record({ by, group: small, agency, users: some }),
  archive: fc.record({ by, group: small, really: fc.nat(3) }),
  list: fc.record({ by, group: small, withFile: fc.boolean() }),
  unlist: fc.record({ by, entry: small }),
  read: fc.record({
    owner: agency,
    program: fc.constantFrom("Axis" as const, "Axis" as const, "Rekor" as const),
    entry: fc.option(small, { nil: undefined }),
  }),
  judge: fc.record({ by, hit: small }),
  right: fc.record({ by, user: small, right: fc.constantFrom<Right>("none", "viewer", "hotadmin", "admin") }),
  disable: fc.record({ by, user: small, disabled: fc.boolean() }),
  share: fc.record({
    by,
    program: fc.constantFrom("Axis" as const, "Axis" as const, "Rekor" as const),
    owner: agency,
    viewer: agency,
    until: fc.constantFrom(null, 20 * MINUTE, 2 * HOUR),
  }),
  unshare: fc.record({
    by,
    program: fc.constantFrom("Axis" as const, "Rekor" as const),
    owner: agency,
    viewer: agency,
  }),
  keepOut: fc.record({ by, viewer: fc.nat(1), out: fc.boolean() }),
  hold: fc.record({ by, agency, plate: small }),
  decideHold: fc.record({
    by,
    hold: small,
    how: fc.constantFrom("approve" as const, "refuse" as const, "release" as const),
  }),
  service: fc.record({ by, agency, on: fc.boolean() }),
  settings: fc.record({ by, thing: small, n: small }),
  search: fc.record({
    by: small,
    agencies: fc.uniqueArray(agency, { minLength: 1, maxLength: 3 }),
    plate: fc.option(small, { nil: undefined }),
    stale: fc.boolean(),
    forPerson: fc.option(small, { nil: undefined }),
  }),
  save: fc.record({ by: small, result: small }),
  export: fc.record({ by: small, result: small, other: fc.option(small, { nil: undefined }) }),
  removeExport: fc.record({ by: small, export: small }),
  lookUp: fc.array(
    fc.record({ by: small, how: fc.nat(9), group: small, plate: small, agency, stale: fc.nat(4) }),
    { minLength: 2, maxLength: 4 },
  ),
  look: fc.array(
    fc.record({
      viewer: small,
      stale: fc.nat(4).map((n) => n === 0),
      route: small,
      thing: small,
      data: fc.boolean(),
      n: fc.nat(30),
    }),
    { minLength: 4, maxLength: 10 },
  ),
  wait: fc.constantFrom(MINUTE, 20 * MINUTE, HOUR, 2 * HOUR),
};
export type Commands = {
  [Name in keyof typeof COMMANDS]: (typeof COMMANDS)[Name] extends fc.Arbitrary<infer C> ? C : never;
};
export type Command = CommandOf<Commands>;

const WEIGHTS: Partial<Record<keyof Commands, number>> = {
  look: 12,
  lookUp: 5,
  search: 4,
  read: 3,
  list: 3,
  export: 2,
  decide: 2,
};
const { command, named } = commandsOf<Commands>(COMMANDS, WEIGHTS);

/** Something of everything first, so that there is something to see. */
export const sequence = fc
  .tuple(
    fc.array(named("create"), { minLength: 3, maxLength: 5 }),
    fc.array(named("share"), { minLength: 1, maxLength: 4 }),
    fc.array(named("list"), { minLength: 3, maxLength: 5 }),
    fc.array(named("read"), { minLength: 3, maxLength: 6 }),
    fc.array(named("hold"), { minLength: 1, maxLength: 2 }),
    fc.array(named("search"), { minLength: 2, maxLength: 4 }),
    fc.array(command, { minLength: 20, maxLength: 45 }),
  )
  .map((parts) => parts.flat());
