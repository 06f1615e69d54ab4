// A model of the members of groups: those of its own agency, and those of others once their agency accepts.

import type { ModelGroup, ModelUser } from "./hits.ts";

/** Names members in a save of the owner: the agency's own and current ones stay or join, others are proposed. */
export function nameMembers(group: ModelGroup, wanted: ModelUser[]): void {
  const had = [...group.members].filter(({ disabled }) => !disabled);
  const isKnown = (user: ModelUser) => user.agency === group.agency || group.members.has(user);
  const others = wanted.filter((user) => !isKnown(user));
  for (const user of wanted) if (isKnown(user)) group.members.add(user);
  for (const user of had) if (!wanted.includes(user)) group.members.delete(user);
  for (const user of others) {
    if (group.proposed.has(user)) continue;
    group.proposed.add(user);
    if (group.invited.get(user.agency) !== "accepted") group.invited.set(user.agency, "pending");
  }
}

const ofAgency = (users: Set<ModelUser>, agency: number) =>
  [...users].filter((user) => user.agency === agency);

/** An agency accepts or leaves, or the owner withdraws the invitation. Returns the status of the call. */
export function decide(group: ModelGroup, agency: number, how: "accept" | "decline" | "withdraw"): number {
  const state = group.invited.get(agency);
  if (group.archived) return 404;
  if (state === undefined) return how === "withdraw" ? 409 : 404;
  if (how === "accept" && state === "accepted") return 409;
  const proposed = ofAgency(group.proposed, agency);
  if (how === "accept") {
    group.invited.set(agency, "accepted");
    for (const user of proposed) {
      if (user.disabled) continue;
      group.members.add(user);
      group.proposed.delete(user);
    }
    return 200;
  }
  group.invited.delete(agency);
  for (const user of ofAgency(group.members, agency)) group.members.delete(user);
  for (const user of proposed) group.proposed.delete(user);
  return 200;
}

/** An agency that accepted chooses its own members of a group. Returns the status of the call. */
export function choose(group: ModelGroup, agency: number, wanted: ModelUser[]): number {
  if (group.archived || group.invited.get(agency) !== "accepted") return 404;
  for (const user of ofAgency(group.members, agency))
    if (!user.disabled && !wanted.includes(user)) group.members.delete(user);
  for (const user of wanted) group.members.add(user);
  for (const user of ofAgency(group.proposed, agency)) group.proposed.delete(user);
  return 200;
}
