// Reads of cameras and vendors: sends them, and compares their hits, and whom they were pushed to, with the model.

import { expect } from "vitest";
import { fanOutAlerts } from "#app/domain/alerts/fan-out.ts";
import { takeAxisEvent } from "#app/domain/ingest/axis.ts";
import { at } from "#app/lib/at.ts";
import { DAY, SECOND } from "#app/lib/time/dates.ts";
import { bindings, testApp, unique } from "../../factories.ts";
import { axisEvent, groupDocument, postAxis, postRekor } from "../../live.ts";
import { faultyBindings } from "../faulty-bindings.ts";
import type { Commands } from "./hit-commands.ts";
import {
  type Made,
  nameOfHit,
  nameOfRow,
  type Row,
  rowsOf,
  type Sent,
  sorted,
  type World,
} from "./hit-world.ts";
import * as model from "./hits.ts";
import { status } from "./sequences.ts";

/** Older events are refused. */
const LONGEST = 80 * DAY;

/** Posts an event of a pass, and lets the model take it. */
async function send(
  world: World,
  made: Made,
  { plate, state, stage, at: time }: Omit<model.Event, "rank" | "seenAt">,
) {
  const pass = made.model;
  if (pass.program === "Axis") {
    const event = { plate, state, stage, at: time, seenAt: time, rank: 1 };
    const body = axisEvent({
      ...{ plateUTF8: plate, plateRegionCode: state, carState: stage, carID: made.carId },
      capture_timestamp: String(time),
    });
    world.sent.push({ made, event, post: () => postAxis(at(world.cameras, made.camera).secret, body) });
  } else {
    if (plate === "") return;
    const isPreview = stage !== "lost";
    const confidence = stage === "new" ? 80 : 90;
    const event = {
      plate,
      state,
      stage,
      at: time,
      seenAt: pass.firstAt,
      rank: 1 + (isPreview ? 0 : 1000) + confidence,
    };
    const region = state && `us-${state.toLowerCase()}`;
    const body = groupDocument({
      ...{ best_plate_number: plate, best_plate: { plate, region, confidence }, best_confidence: confidence },
      ...{ best_region: region, epoch_start: pass.firstAt, epoch_end: pass.firstAt, is_preview: isPreview },
      ...{ agent_uid: made.carId, best_uuid: unique("image") },
    });
    world.sent.push({ made, event, post: () => postRekor(at(world.webhooks, made.camera).secret, body) });
  }
  await deliver(world, at(world.sent, world.sent.length - 1));
}

/** Returns a function that returns the next number from 0 to 1 of a sequence. */
function chanceFrom(seed: number): () => number {
  let state = (seed % 2147483646) + 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

/** Sends first events of several passes at once, each several times; the worker may fail, and then gets them again. */
export async function burst(world: World, { reads, faults, seed }: Commands["burst"]): Promise<void> {
  const { env } = faultyBindings(bindings, { chance: chanceFrom(seed), rate: faults === 2 ? 0.15 : 0 });
  const app = testApp(Date.now, env);
  const taken = reads.map(({ owner, plate, state, stage, times }) => {
    const time = world.is.now - world.passes.length;
    const event = { plate, state, stage, at: time, seenAt: time, rank: 0 };
    const pass = { ...model.beginPass("Axis", owner, event), rank: 1 };
    const made = { model: pass, carId: unique("car"), camera: owner };
    world.passes.push(made);
    const json = axisEvent({
      ...{ plateUTF8: plate, plateRegionCode: state, carState: stage, carID: made.carId },
      capture_timestamp: String(time),
    });
    const { secret } = at(world.cameras, owner);
    world.sent.push({ made, event, post: () => postAxis(secret, json) });
    const push = async () => ({ json, images: [], caveats: [], bytes: 500 });
    const post = async () => {
      for (let attempt = 0; ; attempt++) {
        try {
          if (faults < 2) await status(postAxis(secret, json), 200, "burst");
          else await takeAxisEvent(app, { secrets: [secret], push });
          return;
        } catch (error) {
          if (faults < 2 || attempt > 30) throw error;
        }
      }
    };
    return { pass, event, posts: Array.from({ length: times }, () => post) };
  });
  await Promise.all(taken.flatMap(({ posts }) => posts.map((post) => post())));
  for (const { pass, event } of taken) model.takeEvent(world.is, pass, event);
  const ids = (await rowsOf(world)).filter((row) => row.fanned_out_at === null).map(({ id }) => id);
  if (faults === 2) await fanOutAlerts(app, ids).catch(() => undefined);
  await compareHits(world);
}

/** Returns the pass of an event, which may be a new one of its car. */
function passFor(world: World, { model: first, carId, camera }: Made, event: model.Event): model.Pass {
  if (first.program === "Rekor") return first;
  const own = world.passes
    .filter((one) => one.carId === carId && one.camera === camera)
    .map((one) => one.model);
  const found = model.passOf(own, event);
  if (found) return found;
  const pass = { ...model.beginPass("Axis", camera, event), rank: 1 };
  world.passes.push({ model: pass, carId, camera });
  return pass;
}

async function deliver(world: World, { made, event, post }: Sent): Promise<void> {
  await status(post(), 200, "event");
  model.takeEvent(world.is, passFor(world, made, event), event);
  await compareHits(world);
}

async function compareHits(world: World): Promise<void> {
  const rows = await rowsOf(world);
  for (const row of rows) world.ids.set(nameOfRow(row), row.id);
  const online = world.is.hits.filter(({ archived }) => !archived);
  expect(sorted(rows.map((row) => `${nameOfRow(row)}: ${row.plate} ${row.plate_state}`))).toEqual(
    sorted(online.map((hit) => `${nameOfHit(world, hit)}: ${hit.shownPlate} ${hit.shownState}`)),
  );
  const failed = await fanOutAlerts(
    testApp(),
    rows.filter((row) => row.fanned_out_at === null).map(({ id }) => id),
  );
  expect([...failed.values()]).toEqual([]);
  await comparePushes(world, rows);
}

/** Compares whom a new hit is pushed to, and why others get no push. */
async function comparePushes(world: World, rows: Row[]): Promise<void> {
  const fresh = rows.filter(({ id }) => !world.pushed.has(id));
  if (fresh.length === 0) return;
  const { results } = await bindings.DB.prepare(
    "SELECT alert_id, user_id, reason FROM deliveries WHERE channel = 'apns' AND alert_id IN (SELECT value FROM json_each(?))",
  )
    .bind(JSON.stringify(fresh.map(({ id }) => id)))
    .all<{ alert_id: string; user_id: string; reason: string }>();
  const known = ["Push alerts are off", "Quiet hours"];
  const found = results.map(
    (row) => `${row.alert_id} ${row.user_id} ${known.includes(row.reason) ? row.reason : ""}`,
  );
  const hits = new Map(world.is.hits.map((hit) => [nameOfHit(world, hit), hit]));
  const wanted = fresh.flatMap((row) =>
    [...(hits.get(nameOfRow(row))?.told ?? [])].flatMap((user) =>
      world.devices.has(user) ? [`${row.id} ${user.id} ${model.silence(user, world.is.now) ?? ""}`] : [],
    ),
  );
  expect(sorted(found)).toEqual(sorted(wanted));
  for (const { id } of fresh) world.pushed.add(id);
}

/** A first event of a pass. */
export async function read(world: World, input: Commands["read"]): Promise<void> {
  const { program, owner, plate, state, stage, ago } = input;
  if (program === "Rekor" && plate === "") return;
  // Each pass of a camera has a time of its own, by which its hits are known.
  const time = world.is.now - ago - world.passes.length;
  const event = { plate, state, stage, at: time, seenAt: time, rank: 0 };
  const pass = { ...model.beginPass(program, owner, event), rank: 1 };
  const made = { model: pass, carId: unique("car"), camera: owner };
  world.passes.push(made);
  await send(world, made, event);
}

/** A further event of a car. */
export async function event(world: World, { pass: n, offset, ...input }: Commands["event"]): Promise<void> {
  const made = world.passes[n % world.passes.length];
  if (!made) return;
  const time = Math.min(made.model.firstAt + offset * SECOND, world.is.now);
  if (time > world.is.now - LONGEST) await send(world, made, { ...input, at: time });
}

/** An event again, as senders do that got no answer. */
export async function repeat(world: World, { event: n }: Commands["repeat"]): Promise<void> {
  const sent = world.sent[n % world.sent.length];
  if (sent && sent.event.at > world.is.now - LONGEST) await deliver(world, sent);
}
