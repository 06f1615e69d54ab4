import { beforeAll, describe, expect, it } from "vitest";
import { takeRekorEvent, WEBHOOK_RATE } from "#app/domain/ingest/rekor.ts";
import { readRekorDocument } from "#app/http/webhook-body.ts";
import { countEvents } from "#app/lib/rate-limit.ts";
import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { updateRekorCamera } from "#app/store/ingest/rekor-cameras.ts";
import {
  auditOf,
  bindings,
  client,
  jsonInit,
  newAgency,
  newUser,
  send,
  testApp,
  unique,
} from "../../factories.ts";
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

let agency: { id: string; name: string };
let webhook: { id: string; secret: string };
let camera: { id: string; secret: string };

beforeAll(async () => {
  agency = await newAgency();
  webhook = await newWebhook(agency.id);
  camera = await newCamera(agency.id);
});

const webhookRow = (id: string) =>
  bindings.DB.prepare("SELECT * FROM doors WHERE id = ?").bind(id).first<Record<string, unknown>>();

describe("a Rekor webhook", () => {
  it("creates one alert per pass, amends it with better events, and keeps its disposition", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number, { state: "CT" })]);
    const at = Date.now() - 5000;
    const event = (over: object) =>
      postRekor(webhook.secret, groupDocument({ epoch_start: at, best_plate_number: number, ...over }));
    expect((await event({ is_preview: true, best_confidence: 61, best_uuid: "early" })).status).toBe(200);
    const [first] = await alertsOf(group.id);
    expect(first).toMatchObject({ plate: number, match_kind: "exact", confidence: 61, amended_at: null });
    await bindings.DB.prepare("UPDATE alerts SET disposition = 'correct' WHERE id = ?").bind(first?.id).run();

    expect((await event({ is_preview: true, best_confidence: 55 })).status).toBe(200);
    expect((await alertsOf(group.id))[0]).toMatchObject({ confidence: 61, amended_at: null });
    await event({ best_confidence: 88, best_region: "us-ma" });
    await event({ best_confidence: 88, best_region: "us-ma" });
    // The same pass again, as one of the vendor's own alerts.
    const alert = { data_type: "alpr_alert", version: 1, camera_name: "Main St NB", plate_number: number };
    const inner = groupDocument({ epoch_start: at, best_plate_number: number, best_confidence: 88 });
    expect((await postRekor(webhook.secret, { ...alert, group: inner })).status).toBe(200);

    const rows = await alertsOf(group.id);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      id: first?.id,
      confidence: 88,
      plate_state: "MA",
      disposition: "correct",
    });
    expect(rows[0]?.amended_at).not.toBeNull();
    expect(JSON.parse(rows[0]?.differences ?? "")).toEqual(["State differs: MA, listed CT"]);
  });

  it("creates an alert for a vehicle that still stands there when its plate is listed", async () => {
    const now = Date.now();
    const start = now - 2 * HOUR;
    const alertOf = async (ends: unknown, read: object = {}) => {
      const number = newPlate();
      const group = await newGroup(agency.id, [plate(number)]);
      await bindings.DB.prepare("UPDATE hotlist_entries SET created_at = ? WHERE group_id = ?")
        .bind(now - 30 * MINUTE, group.id)
        .run();
      const passed = { epoch_start: start, epoch_end: ends, is_parked: true, ...read };
      const document = groupDocument({ ...passed, best_plate_number: number });
      expect((await postRekor(webhook.secret, document)).status).toBe(200);
      return await alertsOf(group.id);
    };
    for (const end of [now, String(now), now + MINUTE]) {
      const [row, ...others] = await alertOf(end);
      // The alert still shows when the pass began.
      expect(row).toMatchObject({ captured_at: start });
      // Not called late: the vehicle was still there.
      expect(JSON.parse(row?.differences ?? "")).toEqual([]);
      expect(others).toEqual([]);
    }
    // A vehicle that left before, and ends that no pass has.
    for (const end of [now - 100 * MINUTE, undefined, null, "soon", start - 1, now + HOUR])
      expect(await alertOf(end)).toEqual([]);
    // An end before the start does not make a new read old.
    expect(await alertOf(now - 3 * HOUR, { epoch_start: now })).toHaveLength(1);
  });

  it("stores nothing from a read without a hit", async () => {
    const number = newPlate();
    expect((await postRekor(webhook.secret, groupDocument({ best_plate_number: number }))).status).toBe(200);
    const tables = ["alerts", "rekor_cameras", "doors"];
    for (const table of tables) {
      const { results } = await bindings.DB.prepare(`SELECT * FROM ${table}`).all();
      expect(JSON.stringify(results)).not.toContain(number);
    }
  });

  it("notes on the alert that a later event reads another plate", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const at = Date.now();
    await postRekor(
      webhook.secret,
      groupDocument({ epoch_start: at, best_plate_number: number, is_preview: true }),
    );
    await postRekor(webhook.secret, groupDocument({ epoch_start: at, best_plate_number: "ZZ99ZZ" }));
    const [row] = await alertsOf(group.id);
    expect(JSON.parse(row?.differences ?? "")).toEqual([`Plate was last read as ZZ99ZZ, listed ${number}`]);
  });

  it("keeps two vehicles apart that were first seen in the same image", async () => {
    const [listed, other] = [newPlate(), newPlate()];
    const group = await newGroup(agency.id, [plate(listed), plate(other)]);
    const at = Date.now();
    const uuid = `AGENT1-1000-${at}`;
    const event = (number: string, index: number, over: object = {}) => {
      const images = { uuids: [uuid, `${uuid}0`], plate_indexes: [index, 0] };
      const document = groupDocument({ epoch_start: at, best_plate_number: number, ...images, ...over });
      return postRekor(webhook.secret, document);
    };
    await event(listed, 0, { is_preview: true, best_confidence: 61 });
    await event(other, 1, { is_preview: true, best_confidence: 62 });
    await event(listed, 0, { best_confidence: 80 });
    await event(other, 1, { best_confidence: 90 });
    const rows = await alertsOf(group.id);
    expect(new Map(rows.map((row) => [row.plate, row.confidence]))).toEqual(
      new Map([
        [listed, 80],
        [other, 90],
      ]),
    );
  });

  it("accepts format version 2, vehicles and single frames, and registers cameras from heartbeats", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const { vehicle: _, ...two } = groupDocument({ version: 2, best_plate_number: number });
    expect((await postRekor(webhook.secret, two)).status).toBe(200);
    expect(await alertsOf(group.id)).toHaveLength(1);
    const agent = unique("agent");
    const beat = {
      data_type: "heartbeat",
      agent_uid: agent,
      video_streams: [
        { camera_id: 7, camera_name: "Elm St", gps_latitude: "41.5", gps_longitude: -72.7 },
        null,
        5,
      ],
    };
    expect((await postRekor(webhook.secret, beat)).status).toBe(200);
    expect(
      (
        await postRekor(webhook.secret, {
          ...groupDocument({ agent_uid: agent, camera_id: 8 }),
          data_type: "vehicle",
        })
      ).status,
    ).toBe(200);
    expect((await postRekor(webhook.secret, { data_type: "alpr_results" })).status).toBe(200);
    const { results } = await bindings.DB.prepare("SELECT * FROM rekor_cameras WHERE id LIKE ? ORDER BY id")
      .bind(`${agent}/%`)
      .all();
    expect(results).toMatchObject([
      { id: `${agent}/7`, name: "Elm St", agency_id: agency.id, latitude_e6: 41_500_000, last_read_at: null },
      { id: `${agent}/8`, name: "Main St NB", last_heartbeat_at: null },
    ]);
    expect(results[1]?.last_read_at).not.toBeNull();
    expect((await webhookRow(webhook.id))?.last_heartbeat_at).not.toBeNull();
  });

  it("registers a camera whose stream is lost from a heartbeat, but does not count that as its own", async () => {
    const agent_uid = unique("agent");
    const video_streams = [
      { camera_id: 1, is_streaming: true },
      { camera_id: 2, camera_name: "Elm St", is_streaming: false },
      { camera_id: 3, is_streaming: "false" },
      { camera_id: 4, is_streaming: null },
    ];
    const beat = { data_type: "heartbeat", agent_uid, video_streams };
    expect((await postRekor(webhook.secret, beat)).status).toBe(200);
    const { results } = await bindings.DB.prepare(
      `SELECT substr(id, -1) AS id, name, last_heartbeat_at IS NOT NULL AS beats
      FROM rekor_cameras WHERE id LIKE ? ORDER BY id`,
    )
      .bind(`${agent_uid}/%`)
      .all();
    expect(results).toEqual([
      { id: "1", name: "", beats: 1 },
      { id: "2", name: "Elm St", beats: 0 },
      { id: "3", name: "", beats: 0 },
      { id: "4", name: "", beats: 1 },
    ]);
  });

  it("does not rename or move another agency's camera, and cannot replace its alert", async () => {
    const other = await newAgency();
    const strange = await newWebhook(other.id);
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const agent_uid = unique("agent");
    const document = groupDocument({ agent_uid, best_plate_number: number });
    await postRekor(strange.secret, { ...document, agent_uid, web_server_config: { camera_label: "First" } });
    expect(await alertsOf(group.id)).toEqual([]);
    await postRekor(webhook.secret, {
      ...document,
      web_server_config: { camera_label: "Second" },
      gps_latitude: 10,
    });
    expect(await alertsOf(group.id)).toMatchObject([{ camera_agency_id: agency.id }]);
    const row = await bindings.DB.prepare("SELECT * FROM rekor_cameras WHERE id = ?")
      .bind(`${agent_uid}/1000`)
      .first();
    expect(row).toMatchObject({ agency_id: other.id, name: "First", latitude_e6: 41_763_700 });
  });

  it("accepts its secret in custom data, but not that of another agency, a revoked one or an unknown one", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const document = groupDocument({ best_plate_number: number });
    const post = (body: unknown) => send("/ingest/rekor", jsonInit(body));
    expect((await post(document)).status).toBe(401);
    expect((await post({ ...document, custom_data: "wrong" })).status).toBe(401);
    expect((await post({ ...document, custom_data: { a: 5, API_KEY: webhook.secret } })).status).toBe(200);
    expect(await alertsOf(group.id)).toHaveLength(1);
    // What is wrong with a document is shown to its agency, wherever the secret is.
    const own = await newWebhook(agency.id);
    expect((await post({ data_type: "unknown", custom_data: own.secret })).status).toBe(400);
    expect((await webhookRow(own.id))?.last_refusal).toContain("data_type");

    const revoked = await newWebhook(agency.id);
    await bindings.DB.prepare("UPDATE doors SET revoked_at = 1 WHERE id = ?").bind(revoked.id).run();
    expect((await postRekor(revoked.secret, document)).status).toBe(401);
    expect((await postRekor("unknown", document)).status).toBe(401);
    // A camera's secret is not valid for a webhook, and vice versa.
    expect((await postRekor(camera.secret, document)).status).toBe(401);
    expect((await postAxis(webhook.secret, axisEvent())).status).toBe(401);
  });

  it("notes on the alert what it could not use: impossible times, invalid images", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const before = Date.now();
    const odd = { best_plate_number: number, vehicle_crop_jpeg: "%%%", best_plate: { plate_crop_jpeg: 7 } };
    await postRekor(webhook.secret, groupDocument({ ...odd, epoch_start: before + 40 * MINUTE }));
    const { epoch_start: _, ...timeless } = groupDocument(odd);
    await postRekor(webhook.secret, timeless);
    const rows = await alertsOf(group.id);
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(row.captured_at).toBeGreaterThanOrEqual(before);
      expect(row.captured_at).toBeLessThanOrEqual(Date.now());
      expect(row.differences).toContain("Time is that of arrival");
      expect(row.differences).toContain("picture");
    }
  });

  it("stores the images of a hit", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 1, 2, 0xff, 0xd9);
    const picture = btoa(String.fromCharCode(...jpeg));
    const best_plate = { plate: number, plate_crop_jpeg: picture };
    await postRekor(
      webhook.secret,
      groupDocument({ best_plate_number: number, vehicle_crop_jpeg: picture, best_plate }),
    );
    const [row] = await alertsOf(group.id);
    for (const key of [row?.vehicle_image_key, row?.plate_image_key]) {
      expect(key).toMatch(/^alerts\/\d{4}-\d\d-\d\d\/[\w-]+\.jpg$/);
      expect(
        new Uint8Array((await (await bindings.IMAGES.get(key ?? ""))?.arrayBuffer()) ?? new ArrayBuffer()),
      ).toEqual(jpeg);
    }
  });

  it("stores the overview of a hit if the picture of its vehicle is broken", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const [broken, whole] = [
      [1, 2],
      [1, 2, 0xff, 0xd9],
    ].map((rest) => btoa(String.fromCharCode(0xff, 0xd8, 0xff, 0xe0, ...rest)));
    const pictures = { vehicle_crop_jpeg: broken, overview_jpeg: whole };
    await postRekor(webhook.secret, groupDocument({ best_plate_number: number, ...pictures }));
    const [row] = await alertsOf(group.id);
    expect(row?.vehicle_image_key).toMatch(/^alerts\//);
    expect(row?.differences).toContain("picture that came with the read could not be read");
  });

  it("notes a truncated image and does not store it", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const cutOff = btoa(String.fromCharCode(0xff, 0xd8, 0xff, 0xe0, 1, 2));
    await postRekor(webhook.secret, groupDocument({ best_plate_number: number, vehicle_crop_jpeg: cutOff }));
    const [row] = await alertsOf(group.id);
    expect(row?.vehicle_image_key).toBeNull();
    expect(row?.differences).toContain("picture that came with the read could not be read");
    const axis = newPlate();
    const axisGroup = await newGroup(agency.id, [plate(axis)]);
    const ImageArray = [{ ImageType: "vehicle", BinaryImage: cutOff }];
    expect((await postAxis(camera.secret, axisEvent({ plateUTF8: axis, ImageArray }))).status).toBe(200);
    expect((await alertsOf(axisGroup.id))[0]?.differences).toContain("could not be read");
  });

  it("records heartbeats at intervals, separately for each set of cameras", async () => {
    let now = Date.now();
    const own = await newWebhook(agency.id);
    const agents = [unique("agent"), unique("agent")];
    const beat = (agent_uid: string | undefined) =>
      takeRekorEvent(
        testApp(() => now),
        {
          secrets: [own.secret],
          document: () =>
            readRekorDocument(
              new Request(
                "https://odin.test/",
                jsonInit({
                  data_type: "heartbeat",
                  agent_uid,
                  video_streams: [{ camera_id: 1 }, { camera_id: 2 }],
                }),
              ),
            ),
        },
      );
    const beats = async () =>
      (
        await bindings.DB.prepare(
          "SELECT last_heartbeat_at AS at FROM rekor_cameras WHERE id IN (?, ?) ORDER BY at",
        )
          .bind(`${agents[0]}/2`, `${agents[1]}/2`)
          .all<{ at: number }>()
      ).results.map(({ at }) => at);
    const start = now;
    await beat(agents[0]);
    now += 10_000;
    await beat(agents[0]);
    await beat(agents[1]);
    expect(await beats()).toEqual([start, start + 10_000]);
    expect((await webhookRow(own.id))?.last_heartbeat_at).toBe(start);
    now += 50_000;
    await beat(agents[0]);
    expect(await beats()).toEqual([start + 10_000, start + 60_000]);
    expect((await webhookRow(own.id))?.last_heartbeat_at).toBe(start + 60_000);
  });

  it("limits the rate of a source with Retry-After", async () => {
    const busy = await newWebhook(agency.id);
    let now = Date.now();
    const app = testApp(() => now);
    const post = (secret: string) =>
      takeRekorEvent(app, {
        secrets: [secret],
        document: () =>
          readRekorDocument(new Request("https://odin.test/", jsonInit({ data_type: "alpr_results" }))),
      });
    for (let n = 0; n < WEBHOOK_RATE.burst; n++)
      countEvents(app, { source: `webhook ${busy.id}`, rate: WEBHOOK_RATE });
    await expect(post(busy.secret)).rejects.toMatchObject({ code: "too_many", retryAfter: 1 });
    // Other sources are not limited, and the limit lasts only a short time.
    expect(await post(webhook.secret)).toEqual({ taken: true });
    now += 1000;
    expect(await post(busy.secret)).toEqual({ taken: true });
  });
});

describe("an Axis camera", () => {
  it("creates one alert from its three events in any order, amended by the last stage", async () => {
    for (const order of [
      ["new", "update", "lost"],
      ["lost", "update", "new"],
      ["update", "update", "lost", "new"],
    ]) {
      const number = newPlate();
      const group = await newGroup(agency.id, [plate(number)]);
      const pass = { carID: unique("car"), plateUTF8: number, capture_timestamp: String(Date.now() - 3000) };
      for (const carState of order)
        expect(
          (
            await postAxis(
              camera.secret,
              axisEvent({ ...pass, carState, plateConfidence: carState === "lost" ? "0.97" : "0.6" }),
            )
          ).status,
        ).toBe(200);
      const rows = await alertsOf(group.id);
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({ plate: number, confidence: 97, camera_agency_id: agency.id });
    }
  });

  it("creates an alert when an update event first has the plate, with the state from another event", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number, { state: "CT", state_required: true })]);
    const pass = { carID: unique("car"), capture_timestamp: String(Date.now()) };
    await postAxis(camera.secret, axisEvent({ ...pass, plateUTF8: "XX1", plateRegionCode: "CT" }));
    expect(await alertsOf(group.id)).toEqual([]);
    await postAxis(
      camera.secret,
      axisEvent({ ...pass, plateUTF8: number, plateRegionCode: "", carState: "update" }),
    );
    expect(await alertsOf(group.id)).toHaveLength(1);
  });

  it("creates an alert from a list of events whose pictures and optional fields cannot be read", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const odd = { ImageArray: [{ BinaryImage: null }], geotag: "", vehicle_info: "", plateRegion: false };
    const events = [axisEvent({ plateUTF8: number, ...odd }), axisEvent({ ImageArray: [{}] })];
    expect((await postAxis(camera.secret, events)).status).toBe(200);
    const [row, ...others] = await alertsOf(group.id);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ plate: number, vehicle_image_key: null, plate_image_key: null });
    expect(row?.differences).toContain("A picture that came with the read could not be read");
  });

  it("may send a list of events with the same reads and alerts as if it had sent one by one", async () => {
    const numbers = Array.from({ length: 30 }, newPlate);
    const group = await newGroup(
      agency.id,
      numbers.filter((_, n) => n % 5 === 0).map((number) => plate(number)),
    );
    const at = Date.now() - MINUTE;
    const events = numbers.flatMap((plateUTF8, n) => {
      const pass = axisEvent({ plateUTF8, carID: unique("car"), capture_timestamp: String(at - n * 1000) });
      return n % 4 === 0 ? [pass, { ...pass, carState: "lost", plateConfidence: "0.99" }] : [pass];
    });
    const first = (await (await postAxis(camera.secret, events)).json()) as { ids: string[] };
    expect(first).toMatchObject({ refused: [] });
    expect(new Set(first.ids).size).toBe(numbers.length);
    expect(await (await postAxis(camera.secret, events)).json()).toEqual(first);
    expect(await alertsOf(group.id)).toHaveLength(6);
    expect(await (await postAxis(camera.secret, events[3])).json()).toEqual({ id: first.ids[3] });
  });

  it("loses no event of a list in which others cannot be read", async () => {
    const sender = await newCamera(agency.id);
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const wrong = [{ carID: "1", capture_timestamp: "soon" }, "no event"];
    const heartbeat = { ALPV: { numberOfReads: 7 } };
    const answer = await postAxis(sender.secret, [
      wrong[0],
      heartbeat,
      axisEvent({ plateUTF8: number }),
      wrong[1],
    ]);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      ids: [null, null, expect.any(String), null],
      refused: [
        { position: 1, error: "capture_timestamp is not a time in milliseconds." },
        { position: 4, error: "event does not have the format of an Axis event." },
      ],
    });
    expect(await alertsOf(group.id)).toHaveLength(1);
    const noted = await bindings.DB.prepare(
      "SELECT last_refusal, last_heartbeat_at FROM axis_cameras WHERE id = ?",
    )
      .bind(sender.id)
      .first();
    expect(noted).toEqual({
      last_refusal: "Event 1 of 4: capture_timestamp is not a time in milliseconds.",
      last_heartbeat_at: expect.any(Number),
    });
  });

  it("is said to lose characters if its plates are not UTF-8, and so is the hit", async () => {
    const sender = await newCamera(agency.id);
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const only = { plateText: "", plateUnicode: "", plateASCII: "" };
    const event = axisEvent({ ...only, plateUTF8: `${number.slice(0, 2)}\ud800${number.slice(2)}` });
    expect((await postAxis(sender.secret, event)).status).toBe(200);
    const [row] = await alertsOf(group.id);
    expect(row?.differences).toContain("A character of the plate could not be read");
    const noted = await bindings.DB.prepare("SELECT last_refusal FROM axis_cameras WHERE id = ?")
      .bind(sender.id)
      .first("last_refusal");
    expect(noted).toBe(
      "A character of the plate could not be read. The camera must send its events in UTF-8.",
    );
  });

  it("is told what is wrong with a list of which nothing can be read", async () => {
    const answer = await postAxis(camera.secret, [{ carID: "1", capture_timestamp: "soon" }, {}]);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("Event 1 of 2: capture_timestamp is not a time in milliseconds.");
    expect((await postAxis(camera.secret, [])).status).toBe(400);
  });

  it("does not push alerts for old reads", async () => {
    const number = newPlate();
    const old = await newGroup(agency.id, [plate(number)], { listedAgo: 10 * DAY });
    const fresh = await newGroup(agency.id, [plate(number)]);
    const at = (ago: number) => String(Date.now() - ago);
    await postAxis(camera.secret, axisEvent({ plateUTF8: number, capture_timestamp: at(2 * DAY) }));
    expect(await alertsOf(old.id)).toEqual([]);
    await postAxis(camera.secret, axisEvent({ plateUTF8: number, capture_timestamp: at(3 * HOUR) }));
    const [late] = await alertsOf(old.id);
    expect(JSON.parse(late?.differences ?? "")).toEqual([
      "Read arrived 3 hours late",
      "Entry is 10 days old",
    ]);
    // The plate was not on the list when the car passed.
    expect(await alertsOf(fresh.id)).toEqual([]);
    await postAxis(camera.secret, axisEvent({ plateUTF8: number, capture_timestamp: at(MINUTE) }));
    expect(await alertsOf(fresh.id)).toHaveLength(1);
  });
});

describe("a hit of a corrected Rekor camera", () => {
  const PLACE = { latitude: 41.111111, longitude: -72.222222 };
  const AS_SENT = { latitude: 41_763_700, longitude: -72_685_100 };
  const AS_CORRECTED = { latitude: 41_111_111, longitude: -72_222_222 };

  /** The owner corrects a camera and says whose it is. */
  const correct = (id: string, agencyId: string | null) => {
    const { db } = testApp();
    return inOneStep(db, [
      updateRekorCamera(db, { id, place: PLACE, agencyId, known: undefined, now: Date.now() }),
    ]);
  };
  const placed = async (group: { id: string }) =>
    (
      await bindings.DB.prepare(
        "SELECT plate, latitude_e6 AS latitude, longitude_e6 AS longitude, camera_agency AS agency FROM alerts WHERE group_id = ? ORDER BY rowid",
      )
        .bind(group.id)
        .all()
    ).results;

  it("shows the corrected location from the first event on, unlike other cameras", async () => {
    const [number, elsewhere] = [newPlate(), newPlate()];
    const group = await newGroup(agency.id, [plate(number), plate(elsewhere)]);
    const agent = unique("agent");
    const at = Date.now() - MINUTE;
    const told = (over: object) =>
      postRekor(webhook.secret, groupDocument({ agent_uid: agent, epoch_start: at, ...over }));
    await told({ best_plate_number: newPlate() });
    await told({ best_plate_number: newPlate(), camera_id: 2000 });
    await correct(`${agent}/1000`, agency.id);
    const corrected = { plate: number, ...AS_CORRECTED, agency: agency.name };
    await told({ best_plate_number: number, is_preview: true });
    expect(await placed(group)).toEqual([corrected]);
    await told({ best_plate_number: number });
    await told({ best_plate_number: elsewhere, camera_id: 2000 });
    expect((await alertsOf(group.id))[0]?.amended_at).not.toBeNull();
    expect(await placed(group)).toEqual([corrected, { plate: elsewhere, ...AS_SENT, agency: agency.name }]);
  });

  it("shows it too if the camera belongs to no agency", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const agent = unique("agent");
    await postRekor(webhook.secret, groupDocument({ agent_uid: agent, best_plate_number: newPlate() }));
    await correct(`${agent}/1000`, null);
    await postRekor(webhook.secret, groupDocument({ agent_uid: agent, best_plate_number: number }));
    expect(await placed(group)).toEqual([{ plate: number, ...AS_CORRECTED, agency: agency.name }]);
  });

  it("names the agency that sent it and its location if the camera is another agency's, given or not", async () => {
    const other = await newAgency();
    const theirs = await newWebhook(other.id);
    const [made, given] = [newPlate(), newPlate()];
    const group = await newGroup(agency.id, [plate(made), plate(given)]);
    const [foreign, own] = [unique("agent"), unique("agent")];
    await postRekor(theirs.secret, groupDocument({ agent_uid: foreign, best_plate_number: newPlate() }));
    await postRekor(webhook.secret, groupDocument({ agent_uid: own, best_plate_number: newPlate() }));
    await correct(`${foreign}/1000`, other.id);
    await correct(`${own}/1000`, other.id);
    await postRekor(webhook.secret, groupDocument({ agent_uid: foreign, best_plate_number: made }));
    await postRekor(webhook.secret, groupDocument({ agent_uid: own, best_plate_number: given }));
    expect(await placed(group)).toEqual([
      { plate: made, ...AS_SENT, agency: agency.name },
      { plate: given, ...AS_SENT, agency: agency.name },
    ]);
  });
});

describe("an agency's cameras and past reads", () => {
  it("lists past reads of a plate by the entry's match rule, sends no push, and audits the lookup", async () => {
    const [own, other] = [await newAgency(), await newAgency()];
    const hotadmin = await newUser(own.id, { hotlistAdmin: true });
    const [ours, theirs] = [await newCamera(own.id), await newCamera(other.id)];
    const number = `${newPlate().slice(0, 6)}0`;
    for (const [post, plateUTF8] of [
      [ours, number],
      [ours, number.replace(/0$/, "O")],
      [theirs, number],
    ] as const)
      await postAxis(post.secret, axisEvent({ plateUTF8, capture_timestamp: String(Date.now() - HOUR) }));
    const who = await client(hotadmin);
    const ask = async (body: object) =>
      (await (await who.post("/hotlist/past-reads", { plate_number: number, ...body })).json()) as {
        reads: { plate: string; agency: string }[];
      };
    expect((await ask({})).reads).toMatchObject([{ plate: number, agency: own.name }]);
    expect((await ask({ match_policy: "lookalike", case_number: "26-9" })).reads).toHaveLength(2);
    expect((await auditOf(hotadmin))[0]).toMatchObject({
      action: "plate.past-reads",
      plate: number,
      case_number: "26-9",
      programs_queried: "Axis",
    });
    expect((await who.post("/hotlist/past-reads", { plate_number: "!" })).status).toBe(400);
    const { results } = await bindings.DB.prepare("SELECT id FROM alerts WHERE plate = ?").bind(number).all();
    expect(results).toEqual([]);
  });

  it("lists its own cameras, silent ones first", async () => {
    const own = await newAgency();
    const quiet = await newCamera(own.id);
    const busy = await newCamera(own.id);
    const webhook = await newWebhook(own.id);
    await postAxis(busy.secret, axisEvent());
    await postRekor(webhook.secret, groupDocument({ agent_uid: unique("agent") }));
    await bindings.DB.prepare("UPDATE axis_cameras SET last_read_at = ?, usual_gap_ms = ? WHERE id = ?")
      .bind(Date.now() - DAY, 10 * MINUTE, quiet.id)
      .run();
    const who = await client(await newUser(own.id, { role: "admin" }));
    const rows = (await (await who.fetch("/camera-health")).json()) as Record<string, unknown>[];
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({ camera_id: quiet.id, silent: true });
    expect(rows.slice(1).map(({ silent }) => silent)).toEqual([false, false]);
    expect(rows.map(({ source_program }) => source_program).sort()).toEqual(["Axis", "Axis", "Rekor"]);
  });
});
