import { beforeAll, describe, expect, it, vi } from "vitest";
import { takeAxisEvent } from "#app/domain/ingest/axis.ts";
import { readAxisPush } from "#app/http/webhook-body.ts";
import { DAY, HOUR, MINUTE, SECOND, utcDay } from "#app/lib/time/dates.ts";
import { bindings, jsonInit, newAgency, testApp, unique } from "../../factories.ts";
import {
  alertsOf,
  axisEvent,
  groupDocument,
  newCamera,
  newGroup,
  newPlate,
  newWebhook,
  plate,
  postAxis,
  postRekor,
} from "../../live.ts";

const jpeg = (last: number) => btoa(String.fromCharCode(0xff, 0xd8, 0xff, 0xe0, 1, last, 0xff, 0xd9));

let agency: { id: string };
let camera: { id: string; secret: string };

beforeAll(async () => {
  agency = await newAgency();
  camera = await newCamera(agency.id);
});

/** Noon (UTC) of yesterday, so that no pass is near midnight. */
const noon = utcDay(Date.now()) * DAY - 12 * HOUR;

const at = (offset: number) => ({ capture_timestamp: String(noon + offset) });
const bytesOf = async (key: string | null) => {
  const object = await bindings.IMAGES.get(key ?? "");
  return object && new Uint8Array(await object.arrayBuffer())[5];
};

describe("a vehicle that stands in front of an Axis camera", () => {
  const take = async (event: object, now: number) => {
    const request = new Request("https://odin.test/", jsonInit(event));
    const taken = await takeAxisEvent(
      testApp(() => now),
      { secrets: [camera.secret], push: () => readAxisPush(request) },
    );
    return (taken as { id: string }).id;
  };
  const idsOf = async (events: object[]) => {
    const answers: string[] = [];
    for (const event of events) answers.push(await take(event, noon + 2 * HOUR));
    return answers;
  };

  it("creates one read and one alert, however long it stands there", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)], { listedAgo: 3 * DAY });
    const car = { carID: unique("car"), plateUTF8: number };
    const ids = await idsOf([
      axisEvent({ ...car, ...at(0), carState: "new" }),
      axisEvent({ ...car, ...at(11 * MINUTE), carState: "update" }),
      axisEvent({ ...car, ...at(50 * MINUTE), carState: "lost" }),
      axisEvent({ ...car, ...at(50 * MINUTE), carState: "lost" }),
    ]);
    expect(new Set(ids).size).toBe(1);
    expect(await alertsOf(group.id)).toHaveLength(1);
  });

  it("creates an alert for an entry that is listed while it stands there", async () => {
    const number = newPlate();
    const car = { carID: unique("car"), plateUTF8: number };
    await take(axisEvent({ ...car, ...at(0), carState: "new" }), noon);
    const listedAgo = Date.now() - (noon + 70 * MINUTE);
    const group = await newGroup(agency.id, [plate(number)], { listedAgo });
    await take(axisEvent({ ...car, ...at(80 * MINUTE), carState: "lost" }), noon + 80 * MINUTE);
    expect(await alertsOf(group.id)).toMatchObject([{ captured_at: noon, differences: "[]" }]);
  });

  it("creates an alert that does not say that the read arrived late when the vehicle leaves", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)], { listedAgo: Date.now() - noon });
    const car = { carID: unique("car"), plateUTF8: number };
    await take(axisEvent({ ...car, ...at(0), carState: "new" }), noon);
    await take(axisEvent({ ...car, ...at(50 * MINUTE), carState: "lost" }), noon + 50 * MINUTE);
    expect(await alertsOf(group.id)).toMatchObject([{ rank: 2, differences: "[]" }]);
  });

  it("is not confused with an earlier vehicle that had the same number", async () => {
    const carID = unique("car");
    const [first, second] = [newPlate(), newPlate()];
    const ids = await idsOf([
      axisEvent({ carID, plateUTF8: first, ...at(0), carState: "new" }),
      axisEvent({ carID, plateUTF8: second, ...at(30 * MINUTE), carState: "update" }),
      axisEvent({ carID, plateUTF8: second, ...at(30 * MINUTE + SECOND), carState: "lost" }),
      axisEvent({ carID, plateUTF8: second, ...at(60 * MINUTE), carState: "lost" }),
    ]);
    expect(ids[1]).not.toBe(ids[0]);
    expect(ids[2]).toBe(ids[1]);
    expect(ids[3]).not.toBe(ids[1]);
    expect(new Set(ids).size).toBe(3);
  });

  it("does not give the time of an earlier vehicle whose plate was not read to a later one", async () => {
    const carID = unique("car");
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)], { listedAgo: 3 * DAY });
    const ids = await idsOf([
      axisEvent({ carID, plateUTF8: "", ...at(0), carState: "new" }),
      axisEvent({ carID, plateUTF8: number, ...at(90 * MINUTE), carState: "update" }),
    ]);
    expect(ids[1]).not.toBe(ids[0]);
    expect(await alertsOf(group.id)).toMatchObject([{ captured_at: noon + 90 * MINUTE }]);
  });
});

describe("posts of late events that arrive at once", () => {
  it("are all stored, each once, and their hits made", async () => {
    const plates = Array.from({ length: 30 }, () => newPlate());
    const listed = plates.map((number) => plate(number, { match_policy: "exact" }));
    const group = await newGroup(agency.id, listed, { listedAgo: 3 * DAY });
    const hourAgo = { capture_timestamp: String(Date.now() - HOUR) };
    const posts = plates.map((number) =>
      postAxis(camera.secret, axisEvent({ carID: unique("car"), plateUTF8: number, ...hourAgo })),
    );
    const answers = await Promise.all(posts.map(async (post) => (await post).json<{ id: string }>()));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(30);
    const alerts = await alertsOf(group.id);
    expect(alerts.map((alert) => alert.plate).sort()).toEqual([...plates].sort());
  });
});

describe("large lists of late events without pictures", () => {
  it("wait for one another before an isolate runs out of memory, and are stored when they are sent again", async () => {
    const opened = Promise.withResolvers<void>();
    const app = testApp();
    const late = String(Date.now() - HOUR);
    let begun = 0;
    const reads = {
      ...app.reads,
      takeEvents: async (events: Parameters<typeof app.reads.takeEvents>[0]) => {
        begun++;
        await opened.promise;
        return app.reads.takeEvents(events);
      },
    };
    const post = () => {
      const list = [axisEvent({ capture_timestamp: late, unknown: "x".repeat(4_900_000) })];
      const request = new Request("https://odin.test/", jsonInit(list));
      const input = { secrets: [camera.secret], push: () => readAxisPush(request) };
      return takeAxisEvent({ ...app, reads }, input);
    };
    const posted: Promise<unknown>[] = [];
    while (posted.length < 6) {
      posted.push(post());
      await vi.waitUntil(() => begun === posted.length);
    }
    const seventh = post().catch((error: unknown) => error);
    setTimeout(opened.resolve, SECOND);
    expect(await seventh).toMatchObject({ code: "unavailable" });
    await Promise.all(posted);
    await post();
  });
});

describe("events of one pass in one list", () => {
  it("amend one alert, which keeps its own copy of the image", async () => {
    const number = newPlate();
    const other = `${number.slice(0, -1)}8`;
    const group = await newGroup(agency.id, [plate(number, { match_policy: "exact" })]);
    const car = { carID: unique("car"), capture_timestamp: String(Date.now()) };
    const picture = (last: number) => [{ ImageType: "vehicle", BinaryImage: jpeg(last) }];
    const answer = await postAxis(camera.secret, [
      axisEvent({ ...car, plateUTF8: number, carState: "new", ImageArray: picture(1) }),
      axisEvent({ ...car, plateUTF8: other, carState: "lost", ImageArray: picture(2) }),
    ]);
    expect(answer.status).toBe(200);
    const [row, ...more] = await alertsOf(group.id);
    expect(more).toEqual([]);
    expect(row?.plate).toBe(other);
    expect(row?.differences).toContain(`Plate was last read as ${other}`);
    expect(row?.vehicle_image_key).toMatch(/^alerts\//);
    expect(await bytesOf(row?.vehicle_image_key ?? null)).toBe(2);
  });

  it("keep the alert's first image if a later event has none and the read has another", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const car = { carID: unique("car"), plateUTF8: number, capture_timestamp: String(Date.now()) };
    await postAxis(
      camera.secret,
      axisEvent({
        ...car,
        plateUTF8: "",
        carState: "new",
        ImageArray: [{ ImageType: "vehicle", BinaryImage: jpeg(7) }],
      }),
    );
    expect(await alertsOf(group.id)).toEqual([]);
    await postAxis(camera.secret, axisEvent({ ...car, carState: "update" }));
    const key = (await alertsOf(group.id))[0]?.vehicle_image_key ?? null;
    expect(await bytesOf(key)).toBe(7);
    await bindings.DB.prepare("UPDATE alerts SET disposition = 'correct' WHERE group_id = ?")
      .bind(group.id)
      .run();
    await postAxis(camera.secret, axisEvent({ ...car, carState: "lost" }));
    expect((await alertsOf(group.id))[0]?.vehicle_image_key).toBe(key);
    expect(await bytesOf(key)).toBe(7);
  });
});

describe("a pass that has created an alert", () => {
  it("does not create another alert for the hotlist entry that replaces the matched one", async () => {
    const number = newPlate();
    const webhook = await newWebhook(agency.id);
    const group = await newGroup(agency.id, [plate(number, { state: "CT" })]);
    const start = Date.now() - 2000;
    const tell = (over: object) =>
      postRekor(webhook.secret, groupDocument({ best_plate_number: number, epoch_start: start, ...over }));
    await tell({ is_preview: true });
    expect(await alertsOf(group.id)).toHaveLength(1);
    // As an import of the same plate with other notes does.
    const columns = (
      await bindings.DB.prepare(
        "SELECT name FROM pragma_table_info('hotlist_entries') WHERE name <> 'id'",
      ).all<{
        name: string;
      }>()
    ).results.map(({ name }) => name);
    await bindings.DB.batch([
      bindings.DB.prepare(
        `INSERT INTO hotlist_entries (${columns}) SELECT ${columns.map((name) => (name === "notes" ? "'Other words'" : name))}
          FROM hotlist_entries WHERE group_id = ?`,
      ).bind(group.id),
      bindings.DB.prepare("DELETE FROM hotlist_entries WHERE id = ?").bind(group.entries[0]),
    ]);
    await tell({ best_uuid: "final" });
    expect(await alertsOf(group.id)).toHaveLength(1);
    await tell({ epoch_start: start + 1000 });
    expect(await alertsOf(group.id)).toHaveLength(2);
  });

  it("does not fetch a vendor image that a better event has replaced", async () => {
    const number = newPlate();
    const webhook = await newWebhook(agency.id);
    const group = await newGroup(agency.id, [plate(number)]);
    const start = Date.now() - 2000;
    const left = () =>
      bindings.DB.prepare("SELECT vendor_images FROM alerts WHERE group_id = ?")
        .bind(group.id)
        .first<string | null>("vendor_images");
    await bindings.DB.prepare("DELETE FROM alerts WHERE group_id = ?").bind(group.id).run();
    const document = (over: object) =>
      groupDocument({ best_plate_number: number, epoch_start: start, agent_uid: unique("agent"), ...over });
    const agent_uid = unique("agent");
    await postRekor(webhook.secret, document({ agent_uid, is_preview: true }));
    await bindings.DB.prepare("UPDATE alerts SET vendor_images = ? WHERE group_id = ?")
      .bind(JSON.stringify({ program: "Rekor", source: "x", vehicle: "v", plate: "p" }), group.id)
      .run();
    await postRekor(
      webhook.secret,
      document({ agent_uid, is_preview: true, best_confidence: 99, vehicle_crop_jpeg: jpeg(3) }),
    );
    expect(JSON.parse((await left()) ?? "{}")).toMatchObject({ vehicle: null });
    const best_plate = { plate: number, confidence: 93, plate_crop_jpeg: jpeg(4) };
    await postRekor(webhook.secret, document({ agent_uid, best_plate, vehicle_crop_jpeg: jpeg(5) }));
    expect(await left()).toBeNull();
    expect(await bytesOf((await alertsOf(group.id))[0]?.vehicle_image_key ?? null)).toBe(5);
  });
});

describe("a database of reads that was set back to an earlier time", () => {
  it("gives a read the id of an earlier one, but neither changes the earlier hit nor goes without its own", async () => {
    const [first, second] = [newPlate(), newPlate()];
    const group = await newGroup(agency.id, [plate(first)]);
    const post = async (plateUTF8: string, states: string[]) => {
      const car = { carID: unique("car"), plateUTF8, capture_timestamp: String(Date.now()) };
      const events = states.map((carState) => axisEvent({ ...car, carState }));
      return (await (await postAxis(camera.secret, events)).json<{ ids: string[] }>()).ids[0] ?? "";
    };
    const setBack = async (id: string) => {
      const [number, row] = id.split(".");
      const database = bindings[`READS_${Number(number)}`];
      await database?.batch([
        database.prepare("DELETE FROM sealed_reads WHERE id = ?").bind(Number(row)),
        database
          .prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'sealed_reads'")
          .bind(Number(row) - 1),
      ]);
    };
    const id = await post(first, ["new"]);
    await setBack(id);
    expect(await post(second, ["new", "update", "lost"])).toBe(id);
    expect(await alertsOf(group.id)).toMatchObject([{ plate: first }]);
    await setBack(id);
    expect(await post(first, ["new"])).toBe(id);
    expect(await alertsOf(group.id)).toMatchObject([{ plate: first }, { plate: first }]);
  });
});
