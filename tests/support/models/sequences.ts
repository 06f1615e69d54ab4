// What the tests of models share: commands in random order, and clients whose sessions last while time goes by.

import fc from "fast-check";
import { vi } from "vitest";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { type Client, client, type TestUser } from "../../factories.ts";

/** A command with what it is given, by the name of each. */
export type CommandOf<Inputs> = {
  [Name in keyof Inputs]: { do: Name; with: Inputs[Name] };
}[keyof Inputs];

type Arbitraries<Inputs> = { [Name in keyof Inputs]: fc.Arbitrary<Inputs[Name]> };

/** Returns an arbitrary of all commands with their weights (1 if not named), and one of the command of a name. */
export function commandsOf<Inputs>(all: Arbitraries<Inputs>, weights: Partial<Record<keyof Inputs, number>>) {
  const named = <Name extends keyof Inputs>(name: Name) =>
    all[name].map((input) => ({ do: name, with: input }) as CommandOf<Inputs>);
  const names = Object.keys(all) as (keyof Inputs)[];
  const command = fc.oneof(...names.map((name) => ({ weight: weights[name] ?? 1, arbitrary: named(name) })));
  return { command, named };
}

export type Acts<World, Inputs> = {
  [Name in keyof Inputs]: (world: World, input: Inputs[Name]) => Promise<void>;
};

/** Carries out commands one after the other, a second apart. */
export async function takeAll<World extends { is: { now: number } }, Inputs>(
  world: World,
  acts: Acts<World, Inputs>,
  commands: CommandOf<Inputs>[],
): Promise<void> {
  const take = <Name extends keyof Inputs>(one: { do: Name; with: Inputs[Name] }) =>
    acts[one.do](world, one.with);
  for (const one of commands) {
    world.is.now += SECOND;
    vi.setSystemTime(world.is.now);
    await take(one);
  }
}

/** How long a client is used before its user signs in again: privileged calls need a recent sign-in. */
const FRESH_MS = 5 * MINUTE;

/** Returns a function that returns a user's client, which is signed in again after a while. */
export function signedInClients(is: { now: number }): (user: TestUser) => Promise<Client> {
  const clients = new Map<TestUser, { since: number; client: Client }>();
  return async (user) => {
    const known = clients.get(user);
    if (known && is.now - known.since < FRESH_MS) return known.client;
    const one = await client(user);
    clients.set(user, { since: is.now, client: one });
    return one;
  };
}

/** Returns an answer. Throws if it has another status than the wanted one. */
export async function status(answer: Promise<Response>, wanted: number, what: string): Promise<Response> {
  const got = await answer;
  if (got.status !== wanted)
    throw new Error(`${what}: ${got.status} instead of ${wanted}: ${await got.text()}`);
  return got;
}
