// Searches of the product, compared with the model: what they find, in which order, and that each has one audit row.

import { expect } from "vitest";
import { at } from "#app/lib/at.ts";
import { DAY, HOUR, isoTime, SECOND } from "#app/lib/time/dates.ts";
import { bindings, type TestUser } from "../../factories.ts";
import { matches } from "./hits.ts";
import * as model from "./search.ts";
import { AGENCIES, type Commands } from "./search-commands.ts";
import { ok, SUBJECT, timeOf, type World } from "./search-world.ts";

type Row = {
  plate: string;
  timestamp: string;
  camera_name: string;
  plate_state: string;
  match_score?: number;
};
function plateOf({ is }: World, wanted: Commands["search"]["plate"]): string {
  if ("text" in wanted) return wanted.text;
  const { read, from, to, put } = wanted;
  const signs = [...(is.reads[read % is.reads.length]?.plate ?? "")];
  for (const [place, sign] of put) if (place < signs.length) signs[place] = sign;
  return signs.join("").slice(from, to);
}

/** Returns the strings that name agencies or cameras in a request, and the cameras that they mean. */
function namesOf(world: World, wanted: { owner: number; how: string }[]) {
  const cameras = new Set<string>();
  const agencies = wanted.map(({ owner, how }) => {
    const own = at(world.cameras, owner);
    const { id, name } = at(world.agencies, owner);
    if (how === "id" || how === "name") {
      for (const camera of own) cameras.add(camera.id);
      return how === "id" ? id : name;
    }
    const camera = at(own, how === "camera0" ? 0 : 1);
    cameras.add(camera.id);
    return camera.id;
  });
  return { agencies, cameras };
}

const second = (time: number) => Math.floor(time / SECOND);
const sorted = (texts: string[]) => texts.toSorted();
const wordsOf = (row: Omit<Row, "plate_state">) =>
  `${row.plate} ${second(Date.parse(row.timestamp))} ${row.camera_name}`;
const wordsOfRead = (read: model.Read) => `${read.plate} ${second(read.at)} Camera ${read.camera}`;

/** A search finds the reads of the model, has one audit row, and is refused for cameras that are not shared. */
export async function search(world: World, input: Commands["search"]): Promise<void> {
  const { is } = world;
  const { viewer, lookAlikes, names, rude } = input;
  const plate = plateOf(world, input.plate);
  const allowed = names.filter(({ owner }) => rude === 0 || model.maySearch(is, owner, viewer));
  const wanted = allowed.length > 0 ? allowed : [{ owner: viewer, how: "id" }];
  const { agencies, cameras } = namesOf(world, wanted);
  const to = input.to ? Math.max(timeOf(world, input.to), world.is.now - 40 * DAY) : world.is.now;
  const from = Math.min(input.from ? timeOf(world, input.from) : to - 30 * DAY, to - 1);
  const [start_time, end_time] = [
    new Date(Math.max(from, to - 80 * DAY)).toISOString(),
    new Date(to).toISOString(),
  ];
  if (Date.parse(start_time) > world.is.now) return;
  const isRefused = wanted.some(({ owner }) => !model.maySearch(is, owner, viewer));
  const user = at(world.users, viewer);
  const who = await world.as(user);
  const answer = await ok(
    who.post("/search-data", {
      ...SUBJECT,
      ...{ plate, plate_state: input.state, vehicle_color: input.color, vehicle_make: input.make },
      ...{ vehicle_body_type: input.body, agencies, start_time, end_time },
      ...(lookAlikes && { look_alikes: true }),
    }),
    `search ${JSON.stringify(agencies)}`,
    isRefused ? 403 : 200,
  );
  const counts = at(world.searches, viewer);
  counts[isRefused ? "refused" : "ok"]++;
  for (const outcome of ["ok", "refused"] as const)
    expect(await countAudits(user, "search", outcome), outcome).toBe(counts[outcome]);
  if (isRefused) return;
  expect(answer.headers.get("odin-sources")).not.toContain("failed");
  const rows = await answer.json<Row[]>();
  const wantedReads = model.find(is, {
    ...{ viewer, plate, lookAlikes, cameras, state: input.state, color: input.color, make: input.make },
    ...{ body: input.body, from: Date.parse(start_time), to: Date.parse(end_time) },
  });
  world.found += wantedReads.length;
  const owners = new Set(wantedReads.map(({ read }) => read.owner));
  world.results.push({
    id: answer.headers.get("odin-result-id") ?? "",
    viewer,
    owners,
    until: world.is.now + HOUR,
  });
  expect(sorted(rows.map((row) => `${row.plate_state} ${wordsOf(row)}`))).toEqual(
    sorted(wantedReads.map(({ read }) => `${read.state} ${wordsOfRead(read)}`)),
  );
  requireOrder(rows, lookAlikes && plate !== "");
}

/** The likeliest first if look-alikes are searched, then the newest. */
function requireOrder(rows: Row[], isByScore: boolean): void {
  for (const [i, row] of rows.entries()) {
    const next = rows[i + 1];
    if (!next) return;
    const [score, after] = isByScore ? [row.match_score ?? 0, next.match_score ?? 0] : [1, 1];
    const isNewer = Date.parse(row.timestamp) >= Date.parse(next.timestamp);
    expect(score > after || (score === after && isNewer)).toBe(true);
  }
}

/** Opens an earlier result, as its user or another. */
export async function reopen(world: World, { n, other }: Commands["reopen"]): Promise<void> {
  const result = world.results[n % world.results.length];
  if (!result) return;
  const { id, viewer, owners, until } = result;
  const isOwn = other > 0;
  const who = await world.as(at(world.users, isOwn ? viewer : (viewer + 1) % AGENCIES));
  const isOpen =
    world.is.now < until && [...owners].every((owner) => model.maySearch(world.is, owner, viewer));
  for (const path of [`/results/${id}/columns`, `/results/${id}/summary`, `/results/${id}/table`]) {
    const { status } = await who.fetch(path);
    expect(status, path).toBe(isOwn ? (isOpen ? 200 : 410) : 404);
  }
}

async function countAudits(user: TestUser, action: string, outcome = "ok"): Promise<number> {
  const { results } = await bindings.DB.prepare(
    "SELECT count(*) AS n FROM audit_log WHERE username = ? AND action = ? AND outcome = ?",
  )
    .bind(user.username, action, outcome)
    .all<{ n: number }>();
  return results[0]?.n ?? 0;
}

/** The past reads of a plate are those that an entry would have hit, and have one audit row. */
export async function past(
  world: World,
  { viewer, plate, state, lookAlikes, required }: Commands["past"],
): Promise<void> {
  const { is } = world;
  const user = at(at(world.admins, viewer), 0);
  const who = await world.as(user);
  const before = await countAudits(user, "plate.past-reads");
  const answer = await ok(
    who.post("/hotlist/past-reads", {
      ...{
        plate_number: plate,
        state,
        match_policy: lookAlikes ? "lookalike" : "exact",
        state_required: required,
      },
      case_number: "26-1",
    }),
    "past reads",
  );
  expect(await countAudits(user, "plate.past-reads")).toBe(before + 1);
  const { reads } = await answer.json<{
    reads: { plate: string; timestamp: string; camera_name: string }[];
  }>();
  const cameras = new Set(world.cameras.flat().map(({ id }) => id));
  const all = model.find(is, {
    ...{ viewer, plate: "", lookAlikes: false, cameras, state: "", color: "", make: "", body: "" },
    ...{ from: world.is.now - 90 * DAY, to: world.is.now },
  });
  const entry = {
    plate,
    state,
    policy: lookAlikes ? ("lookalike" as const) : ("exact" as const),
    required: required && state !== "",
  };
  const wanted = all.filter(({ read }) => matches(entry, read.plate, read.state));
  world.found += wanted.length;
  expect(sorted(reads.map(wordsOf))).toEqual(sorted(wanted.map(({ read }) => wordsOfRead(read))));
}

/** A search of places finds the plates of the model, and has one audit row. */
export async function places(
  world: World,
  { viewer, places: wishes, ...vehicle }: Commands["places"],
): Promise<void> {
  const { is } = world;
  const user = at(at(world.admins, viewer), 1);
  const who = await world.as(user);
  // Windows one after the other, so that the places do not overlap.
  const cuts = wishes.slice(1).map(({ cut }) => Math.floor(timeOf(world, cut) / SECOND) * SECOND);
  const starts = [world.is.now - 40 * DAY, ...cuts.sort((a, b) => a - b)].map((time, i) => time + i * SECOND);
  const places = wishes.map(({ kind, size, owner, camera: n }, i): model.Place => {
    const { id, latitude, longitude } = at(at(world.cameras, owner), n);
    const half = size / 34;
    const area: model.Area =
      kind === "circle"
        ? { kind, latitude, longitude, radius_miles: 2 * size }
        : kind === "box"
          ? {
              kind,
              north: latitude + half,
              south: latitude - half,
              east: longitude + half,
              west: longitude - half,
            }
          : { kind, cameras: [`axis:${id}`] };
    return { area, from: at(starts, i), to: (starts[i + 1] ?? world.is.now) - SECOND };
  });
  const owners = [0, 1, 2].filter((owner) => model.maySearch(is, owner, viewer));
  const isAsked = places.every(
    ({ area, from, to }) =>
      from < to &&
      from < world.is.now &&
      to - from <= 80 * DAY &&
      (area.kind !== "cameras" ||
        owners.some((owner) =>
          at(world.cameras, owner).some(({ id }) => area.cameras.includes(`axis:${id}`)),
        )),
  );
  if (!isAsked) return;
  const before = await countAudits(user, "search-places");
  const answer = await ok(
    who.post("/search-places", {
      ...{
        ...SUBJECT,
        purpose: "",
        at_least: 2,
        agencies: owners.map((owner) => at(world.agencies, owner).id),
      },
      ...{ plate_state: vehicle.state, vehicle_color: vehicle.color, vehicle_make: vehicle.make },
      vehicle_body_type: vehicle.body,
      places: places.map(({ area, from, to }) => ({
        name: "",
        area,
        start_time: isoTime(from),
        end_time: isoTime(to),
      })),
    }),
    "places",
  );
  expect(await countAudits(user, "search-places")).toBe(before + 1);
  const { plates } = await answer.json<{ plates: { plate: string; places: { place: number }[] }[] }>();
  const cameras = new Set(world.cameras.flat().map(({ id }) => id));
  const wanted = model.findInPlaces(is, { ...vehicle, viewer, cameras, places, atLeast: 2 });
  world.found += wanted.size;
  expect(
    Object.fromEntries(plates.map((one) => [one.plate, one.places.map(({ place }) => place).sort()])),
  ).toEqual(Object.fromEntries(wanted));
}
