// The commands of the model of searches: reads, sharing, retention, legal holds, time, and searches, in any order.

import fc from "fast-check";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";
import { type CommandOf, commandsOf } from "./sequences.ts";

export const AGENCIES = 3;
export const CAMERAS = 2;

const small = fc.nat(1000);
const agency = fc.nat(AGENCIES - 1);
const sign = fc.constantFrom(..."0OD8B1ILA4C");
const plate = fc.oneof(
  fc.constantFrom("AB80OD1", "AB80001", "A880D1", "B8O", "1IL4", "AC4C4A", "OD8B1A"),
  fc.string({ unit: sign, minLength: 2, maxLength: 7 }),
);
/** A plate field: of a stored read, with characters replaced and parts cut off, or any text. */
const asked = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ text: "" }) },
  {
    weight: 6,
    arbitrary: fc.record({
      read: small,
      from: fc.nat(3),
      to: fc.integer({ min: 2, max: 8 }),
      put: fc.array(fc.tuple(fc.nat(7), fc.oneof(sign, fc.constantFrom("?", "*", ""))), { maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: fc.oneof(sign, fc.constantFrom("?", "*")), minLength: 1, maxLength: 8 })
      .map((text) => ({ text })),
  },
);
const STATES = ["", "CT", "NY"];
const COLORS = ["", "Blue", "Red"];
const MAKES = ["", "Honda", "BMW"];
const BODIES = ["", "SUV", "van-full"];
const state = fc.constantFrom(...STATES);
const color = fc.constantFrom(...COLORS);
const make = fc.constantFrom(...MAKES);
const body = fc.constantFrom(...BODIES);
const rarely = (arbitrary: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant("") }, { weight: 1, arbitrary });
const stage = fc.constantFrom("new" as const, "update" as const, "lost" as const);
const facts = { plate, state, color, make, body };
/** An instant: beside a stored read, beside a midnight, or some hours ago. */
const instant = fc.record({
  near: fc.constantFrom("read", "midnight", "now"),
  n: small,
  by: fc.oneof(
    fc.constantFrom(0, 1, -1, 999, 1000, -999, -1000),
    fc.integer({ min: -20 * DAY, max: HOUR }),
    fc.integer({ min: -2 * HOUR, max: 2 * HOUR }),
  ),
});

const COMMANDS = {
  read: fc.record({
    ...{ owner: agency, camera: fc.nat(CAMERAS - 1), ...facts, stage, when: instant },
    /** How far the camera's clock is ahead. */
    ahead: fc.constantFrom(0, 0, 0, 0, 0, 0, 4 * MINUTE, 10 * MINUTE),
  }),
  event: fc.record({
    ...{ read: small, ...facts, plate: fc.oneof(plate, fc.constant("")), stage },
    offset: fc.integer({ min: -590, max: 590 }),
  }),
  repeat: fc.record({ n: small }),
  share: fc.record({ owner: agency, viewer: agency, until: fc.constantFrom(null, HOUR, 3 * DAY) }),
  unshare: fc.record({ owner: agency, viewer: agency }),
  wait: fc.constantFrom(MINUTE, HOUR, 7 * HOUR, DAY, 4 * DAY),
  keep: fc.record({ owner: agency, days: fc.constantFrom(2, 5, 21, 90) }),
  purge: fc.constant(0),
  hold: fc.record({
    owner: agency,
    read: small,
    plate,
    before: fc.integer({ min: 0, max: 3 * DAY }),
    after: fc.integer({ min: 1, max: 3 * DAY }),
  }),
  release: fc.record({ n: small }),
  reopen: fc.record({ n: small, other: fc.nat(3) }),
  past: fc.record({
    viewer: agency,
    plate: fc.oneof(plate, fc.constantFrom("AB8*", "*0D8B1?", "A880?1")),
    state,
    lookAlikes: fc.boolean(),
    required: fc.boolean(),
  }),
  places: fc.record({
    ...{ viewer: agency, state: rarely(state), color: rarely(color), make: rarely(make), body: rarely(body) },
    places: fc.array(
      fc.record({
        ...{
          kind: fc.constantFrom("circle" as const, "box" as const, "cameras" as const),
          size: fc.constantFrom(1, 6, 12, 12),
        },
        ...{ owner: agency, camera: fc.nat(CAMERAS - 1), cut: instant },
      }),
      { minLength: 2, maxLength: 4 },
    ),
  }),
  search: fc.record({
    ...{ viewer: agency, plate: asked, lookAlikes: fc.boolean(), state: rarely(state) },
    ...{ color: rarely(color), make: rarely(make), body: rarely(body) },
    from: fc.option(instant, { nil: undefined, freq: 2 }),
    to: fc.option(instant, { nil: undefined, freq: 2 }),
    names: fc.oneof(
      fc.constant([0, 1, 2].map((owner) => ({ owner, how: "id" }))),
      fc.array(fc.record({ owner: agency, how: fc.constantFrom("id", "name", "camera0", "camera1") }), {
        maxLength: 4,
      }),
    ),
    rude: fc.nat(9),
  }),
};
export type Commands = {
  [Name in keyof typeof COMMANDS]: (typeof COMMANDS)[Name] extends fc.Arbitrary<infer C> ? C : never;
};
export type Command = CommandOf<Commands>;
const WEIGHTS: Partial<Record<keyof Commands, number>> = {
  ...{ read: 14, search: 10, event: 5, share: 2, repeat: 2, purge: 2, reopen: 4, past: 3, places: 4 },
};
const { command, named } = commandsOf<Commands>(COMMANDS, WEIGHTS);
/** Sharing and reads first, so that most searches find some. */
export const sequence = fc
  .tuple(
    fc.array(named("share"), { minLength: 3, maxLength: 5 }),
    fc.array(named("read"), { minLength: 15, maxLength: 20 }),
    fc.array(command, { minLength: 40, maxLength: 70 }),
  )
  .map((parts) => parts.flat());
