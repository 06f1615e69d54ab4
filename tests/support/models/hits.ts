// A model of hotlists and their hits: which hits exist, who was told of them, and who can see what. It has its own rules
// and imports none of the product, so that a test can compare the two.

import type { OpenImport } from "./lists.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export type Program = "Axis" | "Rekor";
type Stage = "new" | "update" | "lost";
export type Right = "none" | "viewer" | "hotadmin" | "admin";

export type ModelUser = {
  id: string;
  agency: number;
  right: Right;
  disabled: boolean;
  /** Whether pushes are on, and the quiet hours in minutes of the day. */
  push: { on: boolean; quiet: { from: number; until: number; zone: string } | null };
};

export type ModelEntry = {
  uid: number;
  plate: string;
  state: string;
  policy: "exact" | "lookalike";
  required: boolean;
  expiresAt: number | null;
  /** Since when the plate has been watched without a break. */
  listedAt: number;
};

export type ModelGroup = {
  id: string;
  agency: number;
  archived: boolean;
  members: Set<ModelUser>;
  proposed: Set<ModelUser>;
  /** Other agencies that were invited. */
  invited: Map<number, "pending" | "accepted">;
  entries: Map<string, ModelEntry>;
  open?: OpenImport | undefined;
};

export type Pass = {
  program: Program;
  owner: number;
  /** The capture time that its hits show. */
  firstAt: number;
  plate: string;
  state: string;
  stage: Stage;
  stageAt: number;
  /** Of the shown event of Rekor. */
  rank: number;
};

export type ModelHit = {
  group: ModelGroup;
  pass: Pass;
  entryUid: number;
  plate: string;
  state: string;
  shownPlate: string;
  shownState: string;
  rank: number;
  at: number;
  told: Set<ModelUser>;
  judged?: string | undefined;
  /** It left the database for the archive of old hits. */
  archived?: boolean;
};

export type Model = {
  now: number;
  policyDays: number[];
  users: ModelUser[];
  groups: ModelGroup[];
  /** `program owner viewer` and the end of the sharing. */
  shares: Map<string, number | null>;
  hits: ModelHit[];
  uids: number;
};

export const keyOf = ({ plate, state }: { plate: string; state: string }) => `${plate}|${state}`;

export function newModel(now: number, users: ModelUser[], agencies: number): Model {
  return {
    now,
    policyDays: Array.from({ length: agencies }, () => 0),
    users,
    groups: [],
    shares: new Map(),
    hits: [],
    uids: 0,
  };
}

const mayView = ({ right, disabled }: ModelUser) => right !== "none" && !disabled;
const mayManage = ({ right }: ModelUser) => right === "hotadmin" || right === "admin";

/** Returns whether a user sees a group and its hits. */
export function seesGroup(user: ModelUser, group: ModelGroup, archivedToo = true): boolean {
  if (!mayView(user)) return false;
  const isOwn = user.agency === group.agency;
  if (group.archived) return archivedToo && isOwn && mayManage(user);
  if (isOwn) return true;
  return group.invited.get(user.agency) === "accepted" && (mayManage(user) || group.members.has(user));
}

export const isAlive = (model: Model, { expiresAt }: ModelEntry) =>
  expiresAt === null || expiresAt > model.now;

function mayBeAlerted(model: Model, program: Program, owner: number, viewer: number): boolean {
  if (owner === viewer) return true;
  const until = model.shares.get(`${program} ${owner} ${viewer}`);
  return until === null || (until !== undefined && until > model.now);
}

const SETS = ["0ODQ", "1I", "2Z", "5S", "8B", "6G"];
const isAlike = (one: string, other: string) =>
  one === other || SETS.some((set) => set.includes(one) && set.includes(other));

/** Returns whether a read of a plate fits a listed one, by trying all ways. */
function fits(listed: string, read: string, same: (one: string, other: string) => boolean): boolean {
  if (listed === "") return read === "";
  const [sign, rest] = [listed.charAt(0), listed.slice(1)];
  if (sign === "*") return fits(rest, read, same) || (read !== "" && fits(listed, read.slice(1), same));
  if (read === "" || !(sign === "?" || same(sign, read.charAt(0)))) return false;
  return fits(rest, read.slice(1), same);
}

/** Returns whether a read of a plate and state matches an entry. */
export function matches(
  entry: Pick<ModelEntry, "plate" | "state" | "policy" | "required">,
  plate: string,
  state: string,
): boolean {
  if (plate === "" || (entry.required && state !== entry.state)) return false;
  return fits(entry.plate, plate, entry.policy === "lookalike" ? isAlike : (a, b) => a === b);
}

/** What one event reports. `at` is its capture time, or that of its arrival if its clock is wrong. */
export type Event = { plate: string; state: string; stage: Stage; at: number; seenAt: number; rank: number };

const STAGES: Stage[] = ["new", "update", "lost"];

/** Merges an Axis event into its pass. Returns whether that changed anything that hits show. */
function merge(pass: Pass, event: Event): boolean {
  const before = JSON.stringify(pass);
  const [had, has] = [STAGES.indexOf(pass.stage), STAGES.indexOf(event.stage)];
  const wins = has > had || (has === had && event.at > pass.stageAt);
  const [first, second] = wins ? [event, pass] : [pass, event];
  const plate = first.plate || second.plate;
  const state = first.state || second.state;
  if (wins) Object.assign(pass, { stage: event.stage, stageAt: event.at });
  Object.assign(pass, { plate, state });
  return JSON.stringify(pass) !== before;
}

export function beginPass(program: Program, owner: number, event: Event): Pass {
  const { plate, state, stage, at } = event;
  return { program, owner, firstAt: at, plate, state, stage, stageAt: at, rank: event.rank };
}

const dayOf = (time: number) => Math.floor(time / DAY);
const folded = (plate: string) =>
  [...plate].map((sign) => SETS.find((set) => set.includes(sign))?.charAt(0) ?? sign).join("");

/** Returns the pass of a car that an Axis event belongs to: a near one, or one of a vehicle that still stands there. */
export function passOf(passes: Pass[], event: Event): Pass | undefined {
  const gap = (pass: Pass) => event.at - pass.firstAt;
  const nearest = (some: Pass[]) =>
    some.toSorted((a, b) => Math.abs(gap(a)) - Math.abs(gap(b)) || a.firstAt - b.firstAt).at(0);
  const near = passes.filter((pass) => Math.abs(gap(pass)) <= 10 * MINUTE);
  if (event.stage === "new") return nearest(near);
  const long = passes.filter((pass) => gap(pass) > 10 * MINUTE && gap(pass) <= 6 * HOUR);
  const found = nearest([...near, ...long.filter((pass) => dayOf(pass.firstAt) === dayOf(event.at))]);
  if (!found || near.includes(found)) return found;
  const isUnread = found.plate === "" || event.plate === "";
  const isOver = (isUnread || found.stage === "lost") && event.at - found.stageAt > 10 * MINUTE;
  const stands = !isOver && (isUnread || folded(found.plate) === folded(event.plate));
  return stands ? found : nearest(near);
}

/** Takes an event of a pass: makes its hits, and lets those of the pass show what is known now. */
export function takeEvent(model: Model, pass: Pass, event: Event): void {
  const isAxis = pass.program === "Axis";
  if (isAxis && merge(pass, event)) pass.rank++;
  const facts = isAxis ? pass : event;
  const rank = isAxis ? pass.rank : event.rank;
  const own = model.hits.filter((hit) => hit.pass === pass);
  const mayTell = ({ agency }: ModelGroup) => mayBeAlerted(model, pass.program, pass.owner, agency);
  for (const hit of own)
    if (rank > hit.rank && mayTell(hit.group))
      Object.assign(hit, { rank, shownPlate: facts.plate, shownState: facts.state });
  for (const group of model.groups) {
    if (group.archived || !mayTell(group)) continue;
    for (const entry of group.entries.values()) {
      if (!isAlive(model, entry)) continue;
      if (model.now - event.seenAt > DAY || event.seenAt < entry.listedAt - HOUR) continue;
      const said = [
        { plate: event.plate, state: event.state || facts.state },
        { plate: facts.plate, state: facts.state },
      ];
      if (!said.some(({ plate, state }) => matches(entry, plate, state))) continue;
      const isKnown = model.hits.some(
        (hit) =>
          hit.pass === pass &&
          hit.group === group &&
          (hit.entryUid === entry.uid || keyOf(hit) === keyOf(entry)),
      );
      if (isKnown) continue;
      const { plate, state, uid: entryUid } = entry;
      const shown = { shownPlate: facts.plate, shownState: facts.state, rank };
      model.hits.push({
        ...{ group, pass, entryUid, plate, state, at: model.now, ...shown },
        told: new Set(recipients(group)),
      });
    }
  }
}

/** Returns the instant of a Sunday at 00:00 UTC: the n-th of a month, or the last one. */
function sunday(year: number, month: number, n: number | "last"): number {
  const first = new Date(Date.UTC(year, month, 1)).getUTCDay();
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const at = 1 + ((7 - first) % 7);
  const day = n === "last" ? at + 7 * Math.floor((days - at) / 7) : at + 7 * (n - 1);
  return Date.UTC(year, month, day);
}

/** Returns the minutes of the day in a zone, by the rules of daylight saving time. */
function minuteIn(zone: string, at: number): number {
  const year = new Date(at).getUTCFullYear();
  let offset = 0;
  if (zone === "America/New_York") {
    const isSummer = at >= sunday(year, 2, 2) + 7 * HOUR && at < sunday(year, 10, 1) + 6 * HOUR;
    offset = isSummer ? -4 * 60 : -5 * 60;
  }
  if (zone === "Europe/London")
    offset = at >= sunday(year, 2, "last") + HOUR && at < sunday(year, 9, "last") + HOUR ? 60 : 0;
  if (zone === "Asia/Kolkata") offset = 330;
  return (Math.floor(at / MINUTE) + offset + 1440) % 1440;
}

/** Returns why a user gets no push now; undefined if they get it. */
export function silence({ push }: ModelUser, now: number): string | undefined {
  if (!push.on) return "Push alerts are off";
  if (!push.quiet) return undefined;
  const { from, until, zone } = push.quiet;
  const minute = minuteIn(zone, now);
  const isQuiet = from < until ? minute >= from && minute < until : minute >= from || minute < until;
  return isQuiet ? "Quiet hours" : undefined;
}

function recipients({ agency, invited, members }: ModelGroup): ModelUser[] {
  return [...members].filter(
    (user) => mayView(user) && (user.agency === agency || invited.get(user.agency) === "accepted"),
  );
}

/** Returns the hits that the bell of a user lists. */
export function bellOf(model: Model, user: ModelUser): ModelHit[] {
  return model.hits.filter(
    ({ group, told, at }) =>
      told.has(user) && at > model.now - 7 * DAY && group.members.has(user) && seesGroup(user, group, false),
  );
}
