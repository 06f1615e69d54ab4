// Reads, sharing, retention, legal holds and time, made in the product and in the model.

import { vi } from "vitest";
import { purgeExpired } from "#app/domain/operations/retention.ts";
import { at } from "#app/lib/at.ts";
import { DAY, HOUR, isoTime, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { bindings, bodyOf, testApp, unique } from "../../factories.ts";
import { axisEvent, postAxis } from "../../live.ts";
import * as model from "./search.ts";
import type { Commands } from "./search-commands.ts";
import { ok, SUBJECT, timeOf, type World } from "./search-world.ts";

/** The camera's words for body types. */
const WIRE: Record<string, string> = { SUV: "suv", "van-full": "van" };

/** Older events are refused. */
const LONGEST = 80 * DAY;

async function post(world: World, read: model.Read, event: model.Facts & { stage: model.Stage; at: number }) {
  const car = world.cars.get(read);
  const json = axisEvent({
    ...{ plateUTF8: event.plate, plateRegionCode: event.state, carState: event.stage, carID: car?.carId },
    capture_timestamp: String(event.at),
    vehicle_info: { color: event.color.toLowerCase(), brand: event.make, type: WIRE[event.body] ?? "" },
  });
  const send = () => postAxis(car?.secret ?? "", json);
  // A wrong clock is known for a day.
  if (!read.isArrival) world.sent.push({ at: event.at, send });
  await ok(send(), "event");
}

/** The first event of a read. A clock that is far ahead is replaced by the time of arrival. */
export async function read(world: World, input: Commands["read"]): Promise<void> {
  const { owner, camera: n, stage, when, ahead, ...facts } = input;
  const { now } = world.is;
  const { id: camera, latitude, longitude, secret } = at(at(world.cameras, owner), n);
  const said = ahead > 0 ? now + ahead : Math.min(timeOf(world, when), now);
  const isArrival = said > now + 5 * MINUTE;
  const time = isArrival ? now : said;
  if (time < now - LONGEST) return;
  const made: model.Read = {
    ...{ ...facts, owner, camera, at: time, stage, stageAt: time, latitude, longitude },
    ...{ gone: false, kept: false, isArrival },
  };
  world.cars.set(made, { carId: unique("car"), secret });
  world.is.reads.push(made);
  await post(world, made, { ...facts, stage, at: said });
}

/** A further event of a read that is not about to be purged. */
export async function event(world: World, { read: n, offset, ...input }: Commands["event"]): Promise<void> {
  const { now, keptDays, reads } = world.is;
  const fresh = reads.filter((read) => !read.gone && !read.isArrival && read.at > now - 2 * DAY);
  const read = fresh[n % fresh.length];
  if (!read || read.at < now - (keptDays[read.owner] ?? 0) * DAY + HOUR) return;
  const time = Math.min(read.at + offset * SECOND, Math.max(now, read.at));
  model.amend(read, { ...input, at: time });
  await post(world, read, { ...input, at: time });
}

/** An event again, as cameras do that got no answer. It must not return a read that was purged. */
export async function repeat(world: World, { n }: Commands["repeat"]): Promise<void> {
  const again = world.sent[n % world.sent.length];
  if (again && again.at > world.is.now - DAY) await ok(again.send(), "repeat");
}

export async function share(world: World, { owner, viewer, until }: Commands["share"]): Promise<void> {
  if (owner === viewer) return;
  const end = until === null ? null : world.is.now + until;
  world.is.shares.set(`${owner} ${viewer}`, end);
  const admin = await world.as(at(at(world.admins, owner), 0));
  const agency_id = at(world.agencies, viewer).id;
  const valid_until = end === null ? null : isoTime(end);
  await ok(admin.post("/add-axis-share", { agency_id, declaration: "For cases", valid_until }), "share");
}

export async function unshare(world: World, { owner, viewer }: Commands["unshare"]): Promise<void> {
  if (owner === viewer) return;
  world.is.shares.delete(`${owner} ${viewer}`);
  const admin = await world.as(at(at(world.admins, owner), 0));
  await ok(admin.post("/remove-axis-share", { agency_id: at(world.agencies, viewer).id }), "unshare");
}

export async function wait(world: World, milliseconds: number): Promise<void> {
  world.is.now += milliseconds;
  vi.setSystemTime(world.is.now);
}

export async function keep(world: World, { owner, days }: Commands["keep"]): Promise<void> {
  world.is.keptDays[owner] = days;
  await bindings.DB.prepare("UPDATE agencies SET retention_days = ? WHERE id = ?")
    .bind(days, at(world.agencies, owner).id)
    .run();
}

export async function purge(world: World): Promise<void> {
  await purgeExpired(testApp(), { queries: 100_000, steps: 10_000 });
  model.purge(world.is);
}

/** A legal hold of a plate, around one of its reads. */
export async function hold(world: World, input: Commands["hold"]): Promise<void> {
  const { owner, read: n, plate: other, before, after } = input;
  const [asking, approving] = at(world.admins, owner);
  if (!asking || !approving) return;
  const own = world.is.reads.filter((read) => read.owner === owner && !read.gone);
  const read = own[n % own.length];
  const [plate, middle] = [read?.plate || other, read?.at ?? world.is.now];
  const [from, until] = [middle - before, middle + after].map((time) => Math.floor(time / SECOND) * SECOND);
  if (from === undefined || until === undefined || from >= until) return;
  const form = { ...SUBJECT, reason: "The case is still open", plates: plate };
  const range = { start: isoTime(from), end: isoTime(until) };
  const asked = (await world.as(asking)).post("/legal-holds/request", { ...form, ...range });
  const { id } = await bodyOf<{ id: string }>(await ok(asked, "hold"));
  await ok((await world.as(approving)).post(`/legal-holds/${id}/approve`, {}), "approve");
  // The end of a range includes its second.
  const made = { owner, plate, from, until: until + SECOND - 1, active: true };
  world.is.holds.push(made);
  world.holds.push({ id, hold: made });
}

export async function release(world: World, { n }: Commands["release"]): Promise<void> {
  const active = world.holds.filter(({ hold }) => hold.active);
  const found = active[n % active.length];
  if (!found) return;
  found.hold.active = false;
  const admin = await world.as(at(at(world.admins, found.hold.owner), 0));
  await ok(admin.post(`/legal-holds/${found.id}/release`, {}), "release");
}
