import { beforeAll, describe, expect, it } from "vitest";
import { MINUTE } from "#app/lib/time/dates.ts";
import { bindings, type Client, client, jsonInit, newAgency, newUser, send } from "../../factories.ts";
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
let admin: Client;

beforeAll(async () => {
  agency = await newAgency();
  webhook = await newWebhook(agency.id);
  camera = await newCamera(agency.id);
  admin = await client(await newUser(agency.id, { role: "admin" }));
});

const webhookOf = async (id: string) =>
  (await bindings.DB.prepare("SELECT * FROM doors WHERE id = ?").bind(id).first<Record<string, unknown>>()) ??
  {};
const cameraOf = async (id: string) =>
  (await bindings.DB.prepare("SELECT * FROM axis_cameras WHERE id = ?")
    .bind(id)
    .first<Record<string, unknown>>()) ?? {};

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const gzipInit = async (body: unknown, headers: Record<string, string> = {}): Promise<RequestInit> => ({
  method: "POST",
  headers: { "content-type": "application/json", "content-encoding": "gzip", ...headers },
  body: await gzip(JSON.stringify(body)),
});

/** What clients name as the type of their JSON; undefined for none. */
const JSON_TYPES = [
  undefined,
  "text/plain",
  "text/plain; charset=utf-8",
  "application/octet-stream",
  "text/json",
  "application/x-json",
  "application/vnd.vendor+json",
];

/** A body of bytes, because a text would get the type text/plain. */
const typed = (body: unknown, type: string | undefined): RequestInit => ({
  method: "POST",
  headers: type === undefined ? {} : { "content-type": type },
  body: new TextEncoder().encode(JSON.stringify(body)),
});

describe("the type of a body", () => {
  it("of JSON may be missing or any that senders of JSON use", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    for (const [i, type] of JSON_TYPES.entries()) {
      const document = groupDocument({ best_plate_number: number, best_uuid: `typed-${i}` });
      const rekor = [
        await send(`/ingest/rekor/${webhook.secret}`, typed(document, type)),
        await send("/ingest/rekor", typed({ custom_data: webhook.secret, ...document }, type)),
      ];
      const event = axisEvent({ plateUTF8: number, carID: `typed-${i}` });
      const axis = await send(`/ingest/axis/${camera.secret}`, typed(event, type));
      expect([type, ...[...rekor, axis].map(({ status }) => status)]).toEqual([type, 200, 200, 200]);
    }
    expect((await alertsOf(group.id)).length).toBeGreaterThanOrEqual(JSON_TYPES.length);
    for (const type of [
      "text/html",
      "image/jpeg",
      "application/x-www-form-urlencoded",
      "application/jsonl",
    ]) {
      const rekor = await send(`/ingest/rekor/${webhook.secret}`, typed({}, type));
      const axis = await send(`/ingest/axis/${camera.secret}`, typed({}, type));
      expect([type, rekor.status, axis.status]).toEqual([type, 415, 415]);
    }
  });

  it("stays application/json for calls with a cookie, which other sites could send as text", async () => {
    for (const type of JSON_TYPES)
      expect([type, (await admin.fetch("/hotlist/past-reads", typed({}, type))).status]).toEqual([type, 415]);
  });
});

describe("a Rekor webhook", () => {
  it("accepts Rekor Scout's test, and shows when a test arrived", async () => {
    const before = Date.now();
    const answer = await postRekor(webhook.secret, { openalpr_webhook: "test" });
    expect(answer.status).toBe(200);
    expect((await webhookOf(webhook.id)).last_test_at).toBeGreaterThanOrEqual(before);
    expect((await postRekor("unknown", { openalpr_webhook: "test" })).status).toBe(401);
    expect((await postRekor(webhook.secret, { openalpr_webhook: "start" })).status).toBe(400);
    const page = await (await admin.fetch("/integrations/rekor")).text();
    expect(page).toContain("Last test");
  });

  it("names a camera by its id if it has no label", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const document = groupDocument({
      best_plate_number: number,
      web_server_config: { camera_label: "unnamed", agent_label: "unnamed" },
    });
    expect((await postRekor(webhook.secret, document)).status).toBe(200);
    expect((await alertsOf(group.id)).map((row) => row.camera_name)).toEqual(["Camera 1000"]);
  });

  it("accepts gzipped bodies, with a limit on the decompressed size", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const post = async (init: RequestInit) => send(`/ingest/rekor/${webhook.secret}`, init);
    expect((await post(await gzipInit(groupDocument({ best_plate_number: number })))).status).toBe(200);
    expect(await alertsOf(group.id)).toHaveLength(1);
    expect((await post(await gzipInit({ data_type: "x".repeat(6_000_000) }))).status).toBe(413);
    expect(
      (await post(jsonInit({ data_type: "heartbeat" }, { headers: { "content-encoding": "gzip" } }))).status,
    ).toBe(400);
  });
});

describe("an Axis camera", () => {
  it("may send an event without a capture time; the hit shows that its time is the time of arrival", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const before = Date.now();
    const { capture_timestamp: _, ...event } = axisEvent({ plateUTF8: number });
    expect((await postAxis(camera.secret, event)).status).toBe(200);
    const [alert] = await alertsOf(group.id);
    expect(alert?.captured_at).toBeGreaterThanOrEqual(before);
    expect(alert?.differences).toContain("Time is that of arrival: the read has none");
  });

  it("sends heartbeats with or without the ALPV section", async () => {
    const own = await newCamera(agency.id);
    expect((await postAxis(own.secret, { system: {}, identify: { serial: "ACCC8E000000" } })).status).toBe(
      200,
    );
    expect((await cameraOf(own.id)).last_heartbeat_at).not.toBeNull();
  });

  it("may send gzipped events", async () => {
    const answer = await send(`/ingest/axis/${camera.secret}`, await gzipInit(axisEvent()));
    expect(answer.status).toBe(200);
  });

  it("shows its last refusal with the reason, recorded at most once a minute", async () => {
    const own = await newCamera(agency.id);
    expect((await postAxis(own.secret, axisEvent({ carID: "", packetCounter: "" }))).status).toBe(400);
    const refused = await cameraOf(own.id);
    expect(refused.last_refusal).toContain("carID");
    expect((await postAxis(own.secret, axisEvent({ capture_timestamp: "soon" }))).status).toBe(400);
    expect(await cameraOf(own.id)).toEqual(refused);
    await bindings.DB.prepare("UPDATE axis_cameras SET last_refused_at = last_refused_at - ? WHERE id = ?")
      .bind(MINUTE + 1, own.id)
      .run();
    await postAxis(own.secret, axisEvent({ capture_timestamp: "soon" }));
    expect((await cameraOf(own.id)).last_refusal).toContain("capture_timestamp");
    const page = await (await admin.fetch("/integrations/axis")).text();
    expect(page).toContain("Last problem");
    expect(page).toContain("capture_timestamp is not a time in milliseconds");
  });
});

describe("a webhook's secret in a header", () => {
  const basic = (user: string, password: string) => ({
    authorization: `Basic ${btoa(`${user}:${password}`)}`,
  });

  it.each<[string, (secret: string) => Record<string, string>]>([
    ["a bearer token", (secret) => ({ authorization: `Bearer ${secret}` })],
    ["X-Webhook-Secret", (secret) => ({ "x-webhook-secret": secret })],
    ["the password of basic authentication", (secret) => basic("odin", secret)],
    ["a password without a user", (secret) => basic("", secret)],
  ])("is accepted at the URL without a secret: %s", async (_, headersOf) => {
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const event = jsonInit(axisEvent({ plateUTF8: number }), { headers: headersOf(camera.secret) });
    expect((await send("/ingest/axis", event)).status).toBe(200);
    const document = groupDocument({ best_plate_number: number });
    const posted = jsonInit(document, { headers: headersOf(webhook.secret) });
    expect((await send("/ingest/rekor", posted)).status).toBe(200);
    expect(await alertsOf(group.id)).toHaveLength(2);
  });

  it("is requested if it is missing, and a wrong one is refused", async () => {
    for (const path of ["/ingest/axis", "/ingest/rekor"]) {
      for (const headers of [
        {},
        { authorization: "Bearer wrong" },
        { authorization: "Basic %%%" },
        { "x-webhook-secret": "x".repeat(5000) },
      ]) {
        const answer = await send(
          path,
          jsonInit(axisEvent(), { headers: headers as Record<string, string> }),
        );
        expect([path, answer.status]).toEqual([path, 401]);
        expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /);
      }
    }
    // A secret is valid for one program only.
    const headers = { authorization: `Bearer ${webhook.secret}` };
    expect((await send("/ingest/axis", jsonInit(axisEvent(), { headers }))).status).toBe(401);
  });

  it("can be combined with one in custom data: either one must be valid", async () => {
    const document = groupDocument({ custom_data: { key: webhook.secret } });
    const headers = { authorization: "Basic Z2F0ZXdheTpvdGhlcg==" };
    expect((await send("/ingest/rekor", jsonInit(document, { headers }))).status).toBe(200);
  });
});
