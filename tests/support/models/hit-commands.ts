// The commands of the model of hits: what people, cameras and time may do, in any order.

import fc from "fast-check";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";
import type { Right } from "./hits.ts";
import { type CommandOf, commandsOf } from "./sequences.ts";

export const AGENCIES = 3;
export const RIGHTS: Right[] = ["viewer", "hotadmin", "admin", "none"];
export const USERS = AGENCIES * RIGHTS.length;

const small = fc.nat(1000);
const agency = fc.nat(AGENCIES - 1);
/** Few plates, which are often equal or look alike. */
const plateText = fc.constantFrom("0O8", "0O8", "OO8", "0OB", "8B0O");
const pattern = fc.constantFrom("0O8*", "*OO8", "0O8?", "?B0O", "8B?O", "*B00");
const listed = fc.oneof({ weight: 3, arbitrary: plateText }, { weight: 1, arbitrary: pattern });
const state = fc.constantFrom("", "CT", "NY");
const expires = fc.constantFrom(null, null, null, 30 * MINUTE, 2 * HOUR, 3 * DAY, 20 * DAY);
const policy = fc.constantFrom("exact" as const, "lookalike" as const);
const some = fc.uniqueArray(fc.nat(USERS - 1), { maxLength: 8 });
const program = fc.constantFrom("Axis" as const, "Rekor" as const);
const stage = fc.constantFrom("new" as const, "update" as const, "lost" as const);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const COMMANDS = {
  create: fc.record({ agency, users: some }),
  name: fc.record({ group: small, users: some, entry: optional(fc.record({ plate: listed, state })) }),
  decide: fc.record({
    group: small,
    agency,
    how: fc.constantFrom("accept" as const, "accept" as const, "decline" as const, "withdraw" as const),
  }),
  choose: fc.record({ group: small, agency, users: some }),
  right: fc.record({ user: small, right: fc.constantFrom(...RIGHTS) }),
  disable: fc.record({ user: small, disabled: fc.boolean() }),
  archive: fc.record({ group: small, really: fc.nat(3) }),
  list: fc.record({ group: small, plate: listed, state, policy, required: fc.boolean(), expires }),
  edit: fc.record({
    ...{ group: small, entry: small, state: optional(state), policy: optional(policy) },
    ...{ required: optional(fc.boolean()), expires: optional(expires), renew: fc.boolean() },
  }),
  remove: fc.record({ group: small, entry: small }),
  renew: fc.record({ group: small, part: fc.constantFrom("near" as const, "expired" as const) }),
  import: fc.record({
    group: small,
    mode: fc.constantFrom("add" as const, "replace" as const),
    rows: fc.array(fc.record({ plate: plateText, state, expires }), { minLength: 1, maxLength: 5 }),
  }),
  begin: fc.record({
    group: small,
    mode: fc.constantFrom("add" as const, "replace" as const),
    onConflict: fc.constantFrom("keep" as const, "replace" as const),
    rows: fc.array(fc.record({ plate: plateText, state, expires }), { minLength: 1, maxLength: 5 }),
    reads: fc.boolean(),
  }),
  end: fc.record({ group: small, how: fc.constantFrom("apply", "apply", "cancel") }),
  share: fc.record({ program, owner: agency, viewer: agency, until: fc.constantFrom(null, HOUR, 2 * DAY) }),
  unshare: fc.record({ program, owner: agency, viewer: agency }),
  wait: fc.constantFrom(MINUTE, 20 * MINUTE, 40 * MINUTE, HOUR, 5 * HOUR, DAY, 8 * DAY),
  policy: fc.record({ agency, days: fc.constantFrom(0, 1, 30) }),
  read: fc.record({
    ...{ program, owner: agency, plate: fc.oneof(plateText, fc.constant("")), state },
    stage,
    ago: fc.constantFrom(0, 0, 0, 0, 0, 30 * MINUTE, 2 * HOUR, 23 * HOUR, 25 * HOUR),
  }),
  burst: fc.record({
    reads: fc.array(
      fc.record({ owner: agency, plate: plateText, state, stage, times: fc.integer({ min: 1, max: 3 }) }),
      {
        minLength: 2,
        maxLength: 5,
      },
    ),
    faults: fc.nat(2),
    seed: fc.nat(),
  }),
  push: fc.record({
    ...{ user: small, on: fc.nat(4), from: fc.nat(23), until: fc.nat(23), isQuiet: fc.boolean() },
    zone: fc.constantFrom("America/New_York", "Europe/London", "Asia/Kolkata"),
  }),
  event: fc.record({
    ...{ pass: small, plate: fc.oneof(plateText, fc.constant("")), state },
    stage,
    offset: fc.oneof(fc.integer({ min: -700, max: 700 }), fc.integer({ min: 0, max: 7 * 3600 })),
  }),
  repeat: fc.record({ event: small }),
  poll: fc.record({ user: small, sees: fc.boolean() }),
  history: fc.record({
    ...{ user: small, group: small, size: fc.integer({ min: 1, max: 4 }) },
    plate: fc.constantFrom("", "", "", "0*", "O8", "8B0O", "*B", "?O8"),
    program: fc.constantFrom("", "", "Axis", "Rekor"),
    judged: fc.constantFrom("", "", "none", "correct", "misread"),
    near: fc.constantFrom("", "", "from", "until"),
    hit: small,
  }),
  judge: fc.record({ user: small, hit: small, as: fc.constantFrom("correct", "misread", "dismissed", null) }),
  age: fc.record({ really: fc.nat(2), days: fc.constantFrom(30, 100) }),
};
export type Commands = {
  [Name in keyof typeof COMMANDS]: (typeof COMMANDS)[Name] extends fc.Arbitrary<infer C> ? C : never;
};
export type Command = CommandOf<Commands>;

const WEIGHTS: Partial<Record<keyof Commands, number>> = {
  ...{
    read: 16,
    burst: 4,
    event: 8,
    repeat: 2,
    list: 4,
    share: 2,
    create: 2,
    edit: 3,
    begin: 2,
    end: 2,
    poll: 4,
    history: 4,
    judge: 2,
  },
};
const { command, named } = commandsOf<Commands>(COMMANDS, WEIGHTS);
/** Groups, sharing and plates first, so that most reads make hits. */
export const sequence = fc
  .tuple(
    fc.array(named("create"), { minLength: 2, maxLength: 4 }),
    fc.array(named("share"), { minLength: 3, maxLength: 6 }),
    fc.array(named("list"), { minLength: 4, maxLength: 6 }),
    fc.array(command, { minLength: 30, maxLength: 60 }),
  )
  .map((parts) => parts.flat());
const today = Math.floor(Date.now() / DAY) * DAY;
/** Now, before a midnight, and before the changes of daylight saving time in New York and London. */
export const start = fc.constantFrom(
  today + 12 * HOUR,
  today + 23 * HOUR + 55 * MINUTE,
  ...[Date.UTC(2027, 2, 14, 5), Date.UTC(2027, 10, 7, 4), Date.UTC(2027, 2, 28), Date.UTC(2027, 9, 31)],
);
