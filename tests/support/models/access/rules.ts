// A model of who may know what. Each secret has a text that nothing else has, and a rule of its own that says who may see
// it now; none of the product's rules is imported.

import { type ModelGroup, type ModelUser, type Right, seesGroup } from "../hits.ts";

export type Person = ModelUser & {
  /** The text in the user's name and address. */
  mark: string;
  isOwner: boolean;
  isService: boolean;
};

/** What a secret is: plates are looked up, names and notes are not. */
export type SecretKind = "plate" | "other";

export type Secret = { what: string; kind: SecretKind; mayKnow: (viewer: Person) => boolean };

export type Program = "Axis" | "Rekor" | "Axon";

/** A plate that was read or listed. */
export type Plate = { mark: string; groups: Set<ModelGroup>; reads: { owner: number; program: string }[] };

/** The result set of a search, which is its searcher's alone. */
export type Result = {
  id: string;
  by: Person;
  until: number;
  /** What was searched for. The searcher's own list keeps it. */
  plate: string;
  /** The name of the service account that searched for the person, or "". */
  service: string;
  /** Agencies whose reads it has. */
  owners: Set<number>;
  marks: Set<string>;
  reads: string[];
  agency: number;
};

export type Export = { id: string; by: Person; marks: Set<string> };

export type Model = {
  now: number;
  people: Person[];
  groups: ModelGroup[];
  /** People whose names a group shows: they made or changed it, its plates or its hits. */
  acted: Map<ModelGroup, Set<Person>>;
  /** `program owner viewer` and the end of the sharing. Axon: agencies that are kept out. */
  shares: Map<string, number | null>;
  keptOut: Set<number>;
  results: Result[];
  exports: Export[];
  secrets: Map<string, Secret>;
  /** Texts that each agency's people have sent or seen, so that its audit log may have them. */
  known: Set<string>[];
};

/** The only agency with an Axon integration, which all others may search that it does not keep out. */
export const AXON_OWNER = 2;

export const isAdmin = ({ right, disabled }: Person) => right === "admin" && !disabled;
export const manages = (one: Person) => isAdmin(one) || (one.right === "hotadmin" && !one.disabled);

/** Returns whether an agency may search, or be alerted by, the reads of another. */
export function maySearch(is: Model, program: Program, owner: number, viewer: number): boolean {
  if (owner === viewer) return true;
  if (program === "Axon") return owner === AXON_OWNER && !is.keptOut.has(viewer);
  const until = is.shares.get(`${program} ${owner} ${viewer}`);
  return until === null || (until !== undefined && until > is.now);
}

export function isLive(is: Model, { until, owners, agency }: Result): boolean {
  return until > is.now && [...owners].every((owner) => maySearch(is, "Axis", owner, agency));
}

/** Returns whether a person manages the groups of a group's agency. They also see what an archived one had. */
export const mayManage = (one: Person, group: ModelGroup) => manages(one) && one.agency === group.agency;

export const mayEdit = (one: Person, group: ModelGroup) => mayManage(one, group) && !group.archived;

const isInvited = (one: Person, group: ModelGroup) =>
  manages(one) && !group.archived && group.invited.get(one.agency) === "pending";

/** Returns whether a person may see the name of a group: those who see it, and those who answer an invitation to it. */
export const seesName = (one: Person, group: ModelGroup) => seesGroup(one, group) || isInvited(one, group);

/** Returns whether the users of an agency can be proposed as members by another one. */
function areOffered(is: Model, of: number, to: number): boolean {
  const joins = (group: ModelGroup, a: number, b: number) =>
    !group.archived && group.agency === a && group.invited.get(b) === "accepted";
  return (
    (["Axis", "Rekor", "Axon"] as const).some((program) => maySearch(is, program, of, to)) ||
    is.groups.some((group) => joins(group, of, to) || joins(group, to, of))
  );
}

/** Returns whether one person may see the name and the address of another. */
export function mayKnowPerson(is: Model, viewer: Person, one: Person): boolean {
  if (viewer.disabled) return false;
  if (viewer === one || viewer.isOwner) return true;
  const isNamedIn = (group: ModelGroup) => is.acted.get(group)?.has(one) ?? false;
  if (
    is.groups.some(
      (group) =>
        (seesGroup(viewer, group) && (isNamedIn(group) || group.members.has(one))) ||
        (isInvited(viewer, group) && isNamedIn(group)) ||
        (mayEdit(viewer, group) && group.proposed.has(one)),
    )
  )
    return true;
  if (!manages(viewer)) return false;
  return viewer.agency === one.agency || (!one.disabled && areOffered(is, one.agency, viewer.agency));
}

/** Returns whether a person has this text in searches, results or exports of their own. */
export function hasFound(is: Model, viewer: Person, mark: string): boolean {
  if (viewer.disabled) return false;
  return (
    is.results.some(
      (one) => one.by === viewer && (one.plate === mark || (one.marks.has(mark) && isLive(is, one))),
    ) || is.exports.some((one) => one.by === viewer && one.marks.has(mark))
  );
}

export const seesAny = (viewer: Person, groups: Iterable<ModelGroup>) =>
  [...groups].some((group) => seesGroup(viewer, group));

/** The audit log and what is taken from it show an agency's administrators what its own people have sent and seen. */
export function mayKnowFromLog(is: Model, viewer: Person, mark: string): boolean {
  return isAdmin(viewer) && (viewer.isOwner || (is.known[viewer.agency]?.has(mark) ?? false));
}

export function newPerson(
  id: string,
  { agency, right, mark }: { agency: number; right: Right; mark: string },
): Person {
  const push = { on: false, quiet: null };
  return { id, agency, right, mark, disabled: false, push, isOwner: false, isService: false };
}
