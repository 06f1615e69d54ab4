// Changes of one list by several people at once, while an import of it is open, being applied or canceled: no plate is
// listed twice, no change that was confirmed is lost, and reads hit exactly what the list shows.

import fc from "fast-check";
import { expect, it } from "vitest";
import { openImport } from "#app/domain/hotlists/imports.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { at } from "#app/lib/at.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import {
  actorOf,
  bindings,
  type Client,
  client,
  formInit,
  newAgency,
  newUser,
  testApp,
  unique,
} from "../../factories.ts";
import { axisEvent, newCamera, postAxis } from "../../live.ts";
import { createGroupAs, endImport } from "../../support/acts/hotlists.ts";

/** More are for hunting defects by hand, with FUZZ_SEED=random. */
const RUNS = 6;

const PLATES = ["AB1", "AB2", "AB3"];
const STATES = ["", "CT"];
const plate = fc.constantFrom(...PLATES);
const state = fc.constantFrom(...STATES);
const policy = fc.constantFrom("exact", "lookalike");
const row = fc.record({ plate, state, expires: fc.constantFrom(null, null, 9 * DAY) });
const file = {
  mode: fc.constantFrom("add" as const, "replace" as const),
  onConflict: fc.constantFrom("keep" as const, "replace" as const),
  rows: fc.array(row, { minLength: 1, maxLength: 4 }),
};
const Change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("list" as const), plate, state, policy }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("form" as const), plate, state }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("edit" as const),
      n: fc.nat(9),
      policy,
      state: fc.option(state),
      renew: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), n: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("renew" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("bulk" as const), ...file }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("apply" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("read" as const) }) },
);
type Change = typeof Change extends fc.Arbitrary<infer C> ? C : never;
const Round = fc.record({
  /** Opens an import first, unless one is open. */
  begins: fc.option(fc.record(file)),
  isRead: fc.boolean(),
  changes: fc.array(Change, { minLength: 2, maxLength: 4 }),
});
type Round = typeof Round extends fc.Arbitrary<infer R> ? R : never;

type Entry = {
  id: number;
  revision: number;
  plate_number: string;
  state: string;
  match_policy: string;
  expires_at: string | null;
};
type World = Awaited<ReturnType<typeof newWorld>>;

async function newWorld() {
  const agency = await newAgency();
  const [admin, other] = await Promise.all(
    [0, 1].map(async () => client(await newUser(agency.id, { role: "admin" }))),
  );
  const group = await createGroupAs(admin as Client);
  const camera = await newCamera(agency.id);
  return { admins: [admin, other] as Client[], group, camera, open: null as string | null };
}

const keyOf = ({ plate_number, state }: Entry) => `${plate_number}|${state}`;

async function listOf({ admins, group }: World): Promise<Entry[]> {
  const answer = await at(admins, 0).fetch(`/groups/${group}/edit-data`);
  const { plates, counts } = await answer.json<{ plates: Entry[]; counts: Record<string, number> }>();
  const alive = plates.filter(({ expires_at }) => expires_at === null || Date.parse(expires_at) > Date.now());
  expect(counts["in-force"], "counted").toBe(alive.length);
  const keys = plates.map(keyOf);
  expect(new Set(keys).size, `listed twice: ${keys}`).toBe(keys.length);
  return plates;
}

function bytesOf(rows: { plate: string; state: string; expires: number | null }[]) {
  const lines = rows.map(({ plate, state, expires }) =>
    [plate, state, "Stolen vehicle", expires === null ? "" : isoTime(Date.now() + expires)].join(","),
  );
  return new TextEncoder().encode(["plate,state,reason,expiry", ...lines].join("\n"));
}

async function begin(
  world: World,
  { mode, onConflict, rows }: NonNullable<Round["begins"]>,
  isRead: boolean,
) {
  const { admins, group } = world;
  const body = bytesOf(rows);
  const actor = (await actorOf(at(admins, 0))) as SessionActor;
  const options = { preset: "odin" as const, mode, on_conflict: onConflict, name: "plates.csv" };
  const { id } = await openImport(testApp(), actor, { groupId: group, options, body, size: body.length });
  world.open = id;
  if (isRead) await endImport(testApp(), id);
}

/** Makes a change. Returns the plates and states that it is about, and what the list must show of each, if it was confirmed. */
async function make(world: World, change: Change, { before, who }: { before: Entry[]; who: Client }) {
  const { group, open } = world;
  const chosen = "n" in change ? before[change.n % before.length] : undefined;
  const none = {
    touched: [] as string[],
    shows: new Map<string, (entry: Entry | undefined) => boolean>(),
    status: 0,
  };
  if (change.do === "list" || change.do === "form") {
    const { plate, state } = change;
    const key = `${plate}|${state}`;
    const added = change.do === "list" ? change.policy : "exact";
    const form = {
      ...{ group_name: unique("group"), "plates[0][number]": plate, "plates[0][state]": state },
      "plates[0][reason]": "Stolen vehicle",
    };
    const { status } =
      change.do === "list"
        ? await who.post("/hotlist/add-plate-direct", {
            ...{ plate_number: plate, state, group_id: group, reason: "Stolen vehicle", match_policy: added },
          })
        : await who.fetch(`/groups/${group}/edit-mobile`, formInit(form));
    expect([200, 409], change.do).toContain(status);
    const shows = new Map([[key, (entry?: Entry) => entry?.match_policy === added]]);
    return { touched: [key], status, shows: status === 200 ? shows : none.shows };
  }
  if (change.do === "edit" && chosen) {
    const state = change.state ?? chosen.state;
    const body = { revision: chosen.revision, match_policy: change.policy, state, renew: change.renew };
    const { status } = await who.post(`/groups/${group}/plates/${chosen.id}`, body, { method: "PATCH" });
    expect([200, 404, 409], "edit").toContain(status);
    const key = `${chosen.plate_number}|${state}`;
    const shows = new Map([[key, (entry?: Entry) => entry?.match_policy === change.policy]]);
    return { touched: [keyOf(chosen), key], status, shows: status === 200 ? shows : none.shows };
  }
  if (change.do === "remove" && chosen) {
    const { status } = await who.fetch(
      `/groups/${group}/remove-plate`,
      formInit({ plate_id: String(chosen.id) }),
    );
    expect([200, 404, 409], "remove").toContain(status);
    const shows = new Map([[keyOf(chosen), (entry?: Entry) => entry === undefined]]);
    return { touched: [keyOf(chosen)], status, shows: status === 200 ? shows : none.shows };
  }
  if (change.do === "renew") {
    const { status } = await who.post(`/groups/${group}/renew-plates`, { part: "near" });
    expect([200, 409], "renew").toContain(status);
  }
  if (change.do === "bulk") {
    const form = formInit({ mode: change.mode, csv_file: new File([bytesOf(change.rows)], "plates.csv") });
    const { status } = await who.fetch(`/groups/${group}/bulk-upload-plates`, form);
    expect([200, 409], "bulk").toContain(status);
    // It may come before or after the others.
    if (status === 200)
      return { ...none, touched: PLATES.flatMap((plate) => STATES.map((state) => `${plate}|${state}`)) };
  }
  if ((change.do === "apply" || change.do === "cancel") && open) {
    const { status } = await who.fetch(`/groups/${group}/import/${open}/${change.do}`, { method: "POST" });
    expect([200, 409], change.do).toContain(status);
    await endImport(testApp(), open);
    if (status === 200) world.open = null;
  }
  if (change.do === "read") await postAxis(world.camera.secret, axisEvent({ plateUTF8: "AB9" }));
  return none;
}

async function compareHits(world: World, entries: Entry[]): Promise<void> {
  const { camera, group } = world;
  for (const plate of PLATES) {
    const time = String(Date.now());
    const answer = await postAxis(
      camera.secret,
      axisEvent({ plateUTF8: plate, plateRegionCode: "CT", capture_timestamp: time }),
    );
    const { id } = await answer.json<{ id: string }>();
    const { results } = await bindings.DB.prepare(
      "SELECT listed_plate, listed_state FROM alerts WHERE group_id = ? AND pass_key LIKE ?",
    )
      .bind(group, `Axis ${id} %`)
      .all<{ listed_plate: string; listed_state: string }>();
    const wanted = entries.filter(({ plate_number }) => plate_number === plate).map(keyOf);
    expect(results.map((hit) => `${hit.listed_plate}|${hit.listed_state}`).sort()).toEqual(wanted.sort());
  }
}

let confirmed = 0;

async function run(all: Round[]): Promise<void> {
  const world = await newWorld();
  for (const { begins, isRead, changes } of all) {
    if (begins && world.open === null) await begin(world, begins, isRead);
    const before = await listOf(world);
    const made = await Promise.all(
      changes.map((change, i) => make(world, change, { before, who: at(world.admins, i % 2) })),
    );
    const after = await listOf(world);
    for (const [i, one] of made.entries())
      for (const [key, isShown] of one.shows) {
        if (made.some(({ touched }, j) => i !== j && touched.includes(key))) continue;
        confirmed++;
        const entry = after.find((other) => keyOf(other) === key);
        expect(
          isShown(entry),
          `${JSON.stringify(changes[i])} of ${key} was lost: ${JSON.stringify(entry)}`,
        ).toBe(true);
      }
    await compareHits(world, after);
  }
}

it("changes at once keep what was confirmed, list no plate twice, and make the hits of the list", async () => {
  await fc.assert(fc.asyncProperty(fc.array(Round, { minLength: 4, maxLength: 8 }), run), { numRuns: RUNS });
  expect(confirmed).toBeGreaterThan(0);
});
