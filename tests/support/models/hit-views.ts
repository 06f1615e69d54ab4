// What users see of hits: the bell, histories, single hits, also archived ones. Compared with the model.

import { expect, vi } from "vitest";
import { at } from "#app/lib/at.ts";
import { DAY, isoTime, SECOND } from "#app/lib/time/dates.ts";
import { client } from "../../factories.ts";
import { archiveHits } from "../operations/hit-archive.ts";
import { type Commands, USERS } from "./hit-commands.ts";
import { nameOfHit, nameOfRow, rowsOf, sorted, type World } from "./hit-world.ts";
import * as model from "./hits.ts";
import { status } from "./sequences.ts";

/** Polls the bell as an open page does: each hit that arrived since the last time is listed, and the others are counted. */
export async function poll(world: World, { user: n, sees }: Commands["poll"]): Promise<void> {
  const { is } = world;
  const user = at(is.users, n % USERS);
  if (user.disabled || user.right === "none") return;
  const person = await client(at(world.people, n % USERS));
  const known = world.polls.get(user);
  const answer = await status(
    person.fetch(`/live-alerts${known ? `?after=${known.cursor}` : ""}`),
    200,
    "bell",
  );
  const { alerts, cursor, unread } = await answer.json<{
    alerts: { id: string; arrived_at: string; seen: boolean }[];
    cursor: string;
    unread: number | null;
  }>();
  const all = model.bellOf(is, user);
  const idsOf = (hits: model.ModelHit[]) => hits.map((hit) => world.ids.get(nameOfHit(world, hit)) ?? "");
  const wanted = idsOf(all.filter((hit) => hit.at > (known?.at ?? 0)));
  const found = alerts.map(({ id }) => id);
  if (wanted.length <= 20) expect(sorted(found)).toEqual(sorted(wanted));
  const unseen = all.filter((hit) => hit.at > (known?.seen ?? 0));
  if (unread !== null) expect(unread).toBe(Math.min(unseen.length, 100));
  else expect(found).toEqual([]);
  const next = { cursor, at: world.is.now, seen: known?.seen ?? 0 };
  const [newest] = alerts;
  if (sees && newest) {
    await status(person.post("/live-alerts/seen", { until: newest.arrived_at }), 200, "seen");
    next.seen = world.is.now;
  }
  world.polls.set(user, next);
}

const globs = (pattern: string, plate: string) =>
  model.matches(
    { plate: /[*?]/.test(pattern) ? pattern : `*${pattern}*`, state: "", policy: "exact", required: false },
    plate,
    "",
  );

/** Pages through a group's history with a filter. */
export async function history(world: World, input: Commands["history"]): Promise<void> {
  const { is } = world;
  const { plate, program, judged, near, size } = input;
  const user = at(is.users, input.user % USERS);
  const group = is.groups[input.group % is.groups.length];
  if (user.disabled || !group) return;
  const person = await client(at(world.people, input.user % USERS));
  const own = is.hits.filter((hit) => hit.group === group);
  const time = own[input.hit % own.length]?.pass.firstAt ?? world.is.now;
  const edge = Math.floor(time / SECOND) * SECOND;
  const wanted = own
    .filter(
      (hit) =>
        (plate === "" ||
          globs(plate, hit.shownPlate) ||
          (!/[*?]/.test(hit.plate) && globs(plate, hit.plate))) &&
        (program === "" || hit.pass.program === program) &&
        (judged === "" || (hit.judged ?? "none") === judged) &&
        (near !== "from" || hit.pass.firstAt >= edge) &&
        (near !== "until" || hit.pass.firstAt < edge + SECOND),
    )
    .sort((a, b) => b.pass.firstAt - a.pass.firstAt);
  // A listed pattern is compared as a text: this needs no rule of its own here.
  if (plate !== "" && own.some((hit) => /[*?]/.test(hit.plate))) return;
  const query = new URLSearchParams({ limit: String(size), plate, program, disposition: judged });
  if (near !== "") query.set(near, isoTime(edge));
  const found: string[] = [];
  for (let older: string | null = ""; older !== null; ) {
    if (older) query.set("older", older);
    const page = await person.fetch(`/alerts/group/${group.id}/data?${query}`);
    expect(page.status).toBe(user.right === "none" ? 403 : model.seesGroup(user, group) ? 200 : 404);
    if (page.status !== 200) return;
    const answer = await page.json<{ alerts: { id: string }[]; older: string | null }>();
    found.push(...answer.alerts.map(({ id }) => id));
    older = answer.older;
  }
  const ids = wanted.map((hit) => world.ids.get(nameOfHit(world, hit)) ?? "");
  expect(sorted(found)).toEqual(sorted(ids));
  const timeOf = new Map(wanted.map((hit, i) => [at(ids, i), hit.pass.firstAt]));
  const times = found.map((id) => timeOf.get(id) ?? 0);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
}

/** Says what a hit was, and returns an archived one to the database. */
export async function judge(world: World, input: Commands["judge"]): Promise<void> {
  const { is } = world;
  const user = at(is.users, input.user % USERS);
  const hit = is.hits[input.hit % is.hits.length];
  if (user.disabled || !hit) return;
  const person = await client(at(world.people, input.user % USERS));
  const path = `/api/alerts/${world.ids.get(nameOfHit(world, hit))}`;
  const opened = await person.fetch(path);
  const sees = model.seesGroup(user, hit.group);
  expect(opened.status).toBe(user.right === "none" ? 403 : sees ? 200 : 404);
  if (opened.status !== 200) return;
  const shown = await opened.json<{
    disposition: string | null;
    disposition_at: string | null;
    plate: string;
  }>();
  expect([shown.disposition, shown.plate]).toEqual([hit.judged ?? null, hit.shownPlate]);
  const mayRemove = user.right === "hotadmin" || user.right === "admin";
  const wanted = hit.group.archived ? 409 : input.as === null && !mayRemove ? 403 : 200;
  const body = { disposition: input.as, note: "", known: shown.disposition_at };
  await status(person.post(`${path}/disposition`, body), wanted, "judge");
  if (wanted !== 200) return;
  hit.judged = input.as ?? undefined;
  hit.archived = false;
}

/** Lets months go by, and archives the hits that are old then. */
export async function age(world: World, { really, days }: Commands["age"]): Promise<void> {
  if (really > 0) return;
  world.is.now += days * DAY;
  vi.setSystemTime(world.is.now);
  for (const { id } of world.agencies) await archiveHits({ agencyId: id }, 2, 30);
  const online = new Set((await rowsOf(world)).map(nameOfRow));
  for (const hit of world.is.hits) {
    const isGone = !online.has(nameOfHit(world, hit));
    if (isGone && !hit.archived) expect(world.is.now + 30 * DAY - hit.at).toBeGreaterThan(91 * DAY);
    hit.archived = isGone;
  }
}

/** Compares what each user sees: the bell, the groups and their histories, and single hits. */
export async function compareViews(world: World): Promise<void> {
  const { is } = world;
  const idOf = (hit: model.ModelHit) => world.ids.get(nameOfHit(world, hit)) ?? "";
  for (const [n, user] of is.users.entries()) {
    // A third of the users in each run, so that a run stays short.
    if (user.disabled || (n + is.uids) % 3 > 0) continue;
    const person = await client(at(world.people, n));
    const bell = await person.fetch("/live-alerts");
    expect(bell.status).toBe(user.right === "none" ? 403 : 200);
    if (user.right !== "none") {
      const { alerts } = await bell.json<{ alerts: { id: string }[] }>();
      const wanted = model.bellOf(is, user).map(idOf);
      const found = alerts.map(({ id }) => id);
      if (wanted.length <= 20) expect(sorted(found)).toEqual(sorted(wanted));
      else expect(found.filter((id) => !wanted.includes(id))).toEqual([]);
      const cards = await (await person.fetch("/alerts-data")).json<{ id: string }[]>();
      expect(sorted(cards.map(({ id }) => id))).toEqual(
        sorted(is.groups.filter((group) => model.seesGroup(user, group, false)).map(({ id }) => id)),
      );
    }
    for (const group of is.groups) {
      const sees = model.seesGroup(user, group);
      const wanted = is.hits.filter((hit) => hit.group === group).map(idOf);
      const page = await person.fetch(`/alerts/group/${group.id}/data`);
      expect(page.status).toBe(user.right === "none" ? 403 : sees ? 200 : 404);
      if (sees) {
        const { alerts } = await page.json<{ alerts: { id: string }[] }>();
        expect(sorted(alerts.map(({ id }) => id))).toEqual(sorted(wanted));
      }
      const [first] = wanted;
      if (first) expect((await person.fetch(`/api/alerts/${first}`)).status).toBe(page.status);
    }
  }
}
