/** The data that the demo provider pushes: the people of its directory who are in a group, and the groups. */
import { DEMO_GROUPS, type Person } from "../people.ts";
import type { ScimClient } from "./client.ts";

/** The organization whose directory is pushed. Other agencies of the demo have no connection here. */
export const DOMAIN = "hartford-pd.example";

const GROUPS = Object.values(DEMO_GROUPS);

/** Returns the people whom the provider pushes if they are in a group. */
export function peopleOf(people: Iterable<Person>): Person[] {
  return [...people].filter(({ email }) => email.endsWith(`@${DOMAIN}`));
}

const isWanted = ({ groups, inactive }: Person) => groups.length > 0 && !inactive;

/** Pushes everyone and every group. A refusal does not keep the rest from being pushed; returns all refusals. */
export async function pushAll(scim: ScimClient, people: Iterable<Person>): Promise<string[]> {
  const refusals: string[] = [];
  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      refusals.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const pushed = peopleOf(people);
  const ids = new Map<Person, string>();
  for (const person of pushed)
    await attempt(person.name, () => pushPerson(scim, person, (id) => ids.set(person, id)));
  // A member whose id is unknown after a failure would lose the group.
  const mayRemove = pushed.every((person) => !isWanted(person) || ids.has(person));
  for (const name of GROUPS) {
    const members = [...ids].filter(([person]) => isWanted(person) && person.groups.includes(name));
    await attempt(name, () => pushGroup(scim, { name, wanted: members.map(([, id]) => id), mayRemove }));
  }
  return refusals;
}

/** Creates, connects, enables or disables a person. Skips people who are not to be pushed and never were. */
async function pushPerson(scim: ScimClient, person: Person, known: (id: string) => void): Promise<void> {
  const { email: userName, sub: externalId, name } = person;
  const active = isWanted(person);
  const found = await scim.findUser(userName);
  if (!found && !active) return;
  const user = found ?? (await scim.newUser({ userName, externalId, name }));
  known(user.id);
  if (active && user.externalId !== externalId) await scim.setExternalId(user.id, externalId);
  if (user.active !== active) await scim.setActive(user.id, active);
}

type Pushed = { name: string; wanted: string[]; mayRemove: boolean };

async function pushGroup(scim: ScimClient, { name, wanted, mayRemove }: Pushed): Promise<void> {
  const group = (await scim.findGroup(name)) ?? (await scim.newGroup(name));
  const present = (group.members ?? []).map(({ value }) => value);
  const joining = wanted.filter((id) => !present.includes(id));
  if (joining.length > 0) await scim.addMembers(group.id, joining);
  for (const id of mayRemove ? present : []) if (!wanted.includes(id)) await scim.removeMember(group.id, id);
}
