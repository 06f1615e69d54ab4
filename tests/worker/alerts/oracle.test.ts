// From the posts of cameras and vendors to what members see, through the whole Worker: random lists, plates in random
// spellings, sharing and members, compared with an oracle that has its own rules.

import fc from "fast-check";
import { expect, it } from "vitest";
import { fanOutAlerts } from "#app/domain/alerts/fan-out.ts";
import { at } from "#app/lib/at.ts";
import { HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import {
  bindings,
  type Client,
  client,
  formInit,
  newAgency,
  newUser,
  type TestUser,
  testApp,
  unique,
} from "../../factories.ts";
import { axisEvent, groupDocument, newCamera, newWebhook, postAxis, postRekor } from "../../live.ts";

const AGENCIES = [0, 1, 2];
const GROUPS_EACH = 2;
/** Lists of the bell have no more. */
const BELL = 20;

/** Few signs, so that plates are often equal or look alike. */
const plateText = fc.string({ unit: fc.constantFrom("0", "O", "8", "B"), minLength: 3, maxLength: 4 });
const pattern = fc
  .tuple(plateText, fc.nat(4), fc.constantFrom("?", "*"))
  .map(([text, place, sign]) => text.slice(0, place) + sign + text.slice(place));
const state = fc.constantFrom("", "CT", "NY");
const agency = fc.constantFrom(...AGENCIES);

const Entry = fc.record({
  plate: fc.oneof({ weight: 3, arbitrary: plateText }, { weight: 1, arbitrary: pattern }),
  state,
  policy: fc.constantFrom("exact", "lookalike"),
  required: fc.boolean(),
  agency,
  group: fc.nat(GROUPS_EACH - 1),
  expires: fc.constantFrom(null, HOUR),
});
const Read = fc.record({
  plate: plateText,
  state,
  program: fc.constantFrom("axis", "rekor"),
  owner: agency,
  ago: fc.constantFrom(0, 0, 0, 30 * MINUTE, 2 * HOUR, 30 * HOUR),
  spelling: fc.nat(255),
});
const Share = fc.record({
  owner: agency,
  viewer: agency,
  program: fc.constantFrom("axis", "rekor"),
  until: fc.constantFrom(null, -HOUR, HOUR),
});
/** Members of every group: of its agency and, as guests, of the next one. An outsider is no member. */
const RIGHTS = ["viewer", "hotadmin", "admin", "none", "disabled", "outsider", "guest"] as const;
const World = fc.record({
  entries: fc.array(Entry, { minLength: 20, maxLength: 30 }),
  reads: fc.array(Read, { minLength: 20, maxLength: 30 }),
  shares: fc.array(Share, { maxLength: 6 }),
  withdrawn: fc.boolean(),
});
type World = typeof World extends fc.Arbitrary<infer W> ? W : never;

/** Returns a plate as someone may write it: in lower case, with separators, in full-width characters. */
function spelled(plate: string, how: number): string {
  const ways = [
    (sign: string) => sign,
    (sign: string) => sign.toLowerCase(),
    (sign: string) => `${sign} -`,
    (sign: string) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0),
  ];
  return [...plate].map((sign, i) => at(ways, (how >> (2 * i)) & 3)(sign)).join("");
}

const LOOK_ALIKE = ["0O", "8B"];
const isSame = (one: string, other: string) => one === other;
const isAlike = (one: string, other: string) =>
  one === other || LOOK_ALIKE.some((set) => set.includes(one) && set.includes(other));

function fits(listed: string, read: string, same: typeof isSame): boolean {
  const [sign, rest] = [listed.charAt(0), listed.slice(1)];
  if (listed === "") return read === "";
  if (sign === "*") return fits(rest, read, same) || (read !== "" && fits(listed, read.slice(1), same));
  if (read === "" || !(sign === "?" || same(sign, read.charAt(0)))) return false;
  return fits(rest, read.slice(1), same);
}

type Group = { id: string; agency: number; members: { user: TestUser; right: string; isTold: boolean }[] };

async function ok(answer: Promise<Response>): Promise<Response> {
  const { status } = await answer;
  if (status !== 200) throw new Error(`${status} ${await (await answer).text()}`);
  return answer;
}

/** Creates an agency's group with members of all kinds, as its hotlist administrator does. */
async function newGroupOf(
  own: number,
  { ids, admins, withdrawn }: { ids: string[]; admins: Client[]; withdrawn: boolean },
): Promise<Group> {
  const next = (own + 1) % AGENCIES.length;
  const [admin, host] = [at(admins, own), at(admins, next)];
  const members = await Promise.all(
    RIGHTS.map(async (right) => {
      const user = await newUser(at(ids, right === "guest" ? next : own), {
        role: right === "admin" ? "admin" : "user",
        hotlistAdmin: right === "hotadmin",
        hotlistViewer: !["admin", "hotadmin", "none"].includes(right),
      });
      const isGone = right === "guest" && withdrawn;
      return { user, right, isTold: !["none", "disabled", "outsider"].includes(right) && !isGone };
    }),
  );
  const named = members.filter(({ right }) => right !== "outsider");
  const form = { group_name: unique("group"), group_members: named.map(({ user }) => user.id).join(",") };
  const made = await ok(admin.fetch("/groups/create-mobile", formInit(form)));
  const { group_id: id } = await made.json<{ group_id: string }>();
  await ok(host.post(`/groups/${id}/invitation-answer`, { accept: true }));
  if (withdrawn) await ok(admin.fetch(`/groups/${id}/invitations/${at(ids, next)}`, { method: "DELETE" }));
  for (const { user } of members.filter(({ right }) => right === "disabled"))
    await bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?").bind(user.id).run();
  return { id, agency: own, members };
}

function count(keys: string[]): Record<string, number> {
  const sorted = [...Map.groupBy(keys, (key) => key)].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, all]) => [key, all.length]));
}

/** Returns the number of hits. */
async function compare({ entries, reads, shares, withdrawn }: World): Promise<number> {
  const now = Date.now();
  const ids = (await Promise.all(AGENCIES.map(() => newAgency()))).map(({ id }) => id);
  const admins = await Promise.all(ids.map(async (id) => client(await newUser(id, { hotlistAdmin: true }))));
  const cameras = await Promise.all(ids.map(newCamera));
  const webhooks = await Promise.all(ids.map(newWebhook));
  const groups: Group[] = [];
  for (const own of AGENCIES)
    for (let i = 0; i < GROUPS_EACH; i++) groups.push(await newGroupOf(own, { ids, admins, withdrawn }));

  const shared = new Map<string, boolean>();
  for (const { owner, viewer, program, until } of shares) {
    const name = `${program} ${owner} ${viewer}`;
    if (owner === viewer || shared.has(name)) continue;
    shared.set(name, until === null || until > 0);
    await bindings.DB.prepare(
      `INSERT INTO ${program}_shares (owner_agency_id, viewer_agency_id, created_at, valid_until) VALUES (?, ?, 0, ?)`,
    )
      .bind(at(ids, owner), at(ids, viewer), until === null ? null : now + until)
      .run();
  }

  const listed = new Map<string, { group: Group; entry: World["entries"][number] }>();
  for (const [i, entry] of entries.entries()) {
    const group = at(groups, entry.agency * GROUPS_EACH + entry.group);
    const key = `${group.id} ${entry.plate} ${entry.state}`;
    const added = await at(admins, entry.agency).post("/hotlist/add-plate-direct", {
      plate_number: /[*?]/.test(entry.plate) ? entry.plate : spelled(entry.plate, i * 37),
      reason: "Stolen vehicle",
      state: entry.state,
      group_id: group.id,
      match_policy: entry.policy,
      state_required: entry.required && entry.state !== "",
      ...(entry.expires !== null && { expires: isoTime(now + entry.expires) }),
    });
    expect(added.status, key).toBe(listed.has(key) ? 409 : 200);
    if (!listed.has(key)) listed.set(key, { group, entry });
  }

  const expected: string[] = [];
  for (const { plate, state, program, owner, ago, spelling } of reads) {
    const [text, time] = [spelled(plate, spelling), now - ago];
    const region = state && `us-${state.toLowerCase()}`;
    const axis = { plateUTF8: text, plateRegionCode: state, capture_timestamp: String(time) };
    const rekor = { best_plate_number: text, best_plate: { plate: text, region }, best_region: region };
    const ids = {
      epoch_start: time,
      epoch_end: time,
      agent_uid: unique("agent"),
      best_uuid: unique("image"),
    };
    await ok(
      program === "axis"
        ? postAxis(at(cameras, owner).secret, axisEvent(axis))
        : postRekor(at(webhooks, owner).secret, groupDocument({ ...rekor, ...ids })),
    );
    for (const [key, { entry }] of listed) {
      const isVisible = entry.agency === owner || shared.get(`${program} ${owner} ${entry.agency}`) === true;
      const isState = !entry.required || entry.state === "" || entry.state === state;
      const isPlate = fits(entry.plate, plate, entry.policy === "lookalike" ? isAlike : isSame);
      if (isVisible && isState && isPlate && ago <= HOUR) expected.push(`${key}: ${plate} ${state}`);
    }
  }

  const { results: alerts } = await bindings.DB.prepare(
    "SELECT * FROM alerts WHERE group_id IN (SELECT value FROM json_each(?))",
  )
    .bind(JSON.stringify(groups.map(({ id }) => id)))
    .all<Record<"id" | "group_id" | "listed_plate" | "listed_state" | "plate" | "plate_state", string>>();
  const found = alerts.map(
    (hit) => `${hit.group_id} ${hit.listed_plate} ${hit.listed_state}: ${hit.plate} ${hit.plate_state}`,
  );
  expect(count(found)).toEqual(count(expected));

  for (let from = 0; from < alerts.length; from += 20)
    await fanOutAlerts(
      testApp(),
      alerts.slice(from, from + 20).map(({ id }) => id),
    );
  for (const { id, members } of groups) {
    const hits = expected.filter((key) => key.startsWith(`${id} `)).length;
    for (const { user, right, isTold } of members) {
      const rows = await bindings.DB.prepare(
        "SELECT count(*) AS n FROM deliveries WHERE user_id = ? AND channel = 'live'",
      )
        .bind(user.id)
        .first<number>("n");
      expect(rows, right).toBe(isTold ? hits : 0);
      if (right === "disabled") continue;
      const bell = await (await client(user)).fetch("/live-alerts");
      expect(bell.status, right).toBe(right === "none" ? 403 : 200);
      const { alerts: shown = [] } = await bell.json<{ alerts?: unknown[] }>();
      expect(shown.length, right).toBe(isTold ? Math.min(hits, BELL) : 0);
    }
  }
  return expected.length;
}

it("members get the hits that an oracle expects, and no others", async () => {
  let hits = 0;
  for (const world of fc.sample(World, 3)) hits += await compare(world);
  expect(hits).toBeGreaterThan(0);
});
