import { beforeAll, describe, expect, it } from "vitest";
import { registerDevice } from "#app/domain/alerts/push-devices.ts";
import { DEVICES_PER_USER, type PushDevice, type PushSettings } from "#app/entities/alerts/push.ts";
import { fromBase64 } from "#app/lib/crypto/encoding.ts";
import { unseal } from "#app/lib/crypto/primitives.ts";
import { deviceAddressOwner, findDevice } from "#app/store/alerts/push-devices.ts";
import {
  actorOf,
  auditOf,
  bindings,
  type Client,
  client,
  dumpDatabases,
  jsonInit,
  newAgency,
  newUser,
  type TestUser,
  testApp,
  vendors,
} from "../../factories.ts";
import { beforeWrite } from "../../support/batches.ts";
import { newToken, pushes } from "../../support/fan-out.ts";

let viewer: Client;
let other: Client;
let viewerUser: TestUser;
let otherUser: TestUser;

beforeAll(async () => {
  const agency = await newAgency();
  viewerUser = await newUser(agency.id, { hotlistViewer: true });
  otherUser = await newUser(agency.id, { hotlistViewer: true });
  [viewer, other] = await Promise.all([client(viewerUser), client(otherUser)]);
});

const phone = (token: string, name = "Patrol phone") => ({ channel: "apns", token, name });
async function register(who: Client, body: object): Promise<PushDevice> {
  const response = await who.post("/push/devices", body);
  expect(response.status).toBe(200);
  return response.json();
}
async function devicesOf(who: Client): Promise<PushDevice[]> {
  const response = await who.fetch("/push/devices");
  const { devices }: { devices: PushDevice[] } = await response.json();
  return devices;
}

describe("devices", () => {
  it("are registered, listed without their address, and removed, each audited", async () => {
    const token = newToken();
    const device = await register(viewer, phone(token));
    expect(device).toMatchObject({
      channel: "apns",
      name: "Patrol phone",
      dropped_at: null,
      last_used_at: null,
    });
    expect(await devicesOf(viewer)).toEqual([device]);
    const listed = await (await viewer.fetch("/push/devices")).text();
    expect(listed).not.toContain(token);
    expect(await dumpDatabases()).not.toContain(token);
    expect((await viewer.fetch(`/push/devices/${device.id}`, { method: "DELETE" })).status).toBe(200);
    expect(await devicesOf(viewer)).toEqual([]);
    const rows = await auditOf(viewerUser, 2);
    expect(rows.map(({ action, object }) => [action, object])).toEqual([
      ["push-device.add", device.id],
      ["push-device.remove", device.id],
    ]);
  });

  it("that register again at every start stay the same device, without audit rows", async () => {
    const token = newToken();
    const first = await register(viewer, phone(token));
    const before = await auditOf(viewerUser);
    expect((await register(viewer, phone(token.toUpperCase()))).id).toBe(first.id);
    expect(await auditOf(viewerUser)).toEqual(before);
    expect((await register(viewer, phone(token, "New name"))).name).toBe("New name");
    expect((await devicesOf(viewer)).filter(({ id }) => id === first.id).length).toBe(1);
    await viewer.fetch(`/push/devices/${first.id}`, { method: "DELETE" });
  });

  it("of other users are not found", async () => {
    const device = await register(viewer, phone(newToken()));
    expect((await other.fetch(`/push/devices/${device.id}`, { method: "DELETE" })).status).toBe(404);
    expect(await devicesOf(other)).toEqual([]);
    expect((await devicesOf(viewer)).map(({ id }) => id)).toContain(device.id);
    await viewer.fetch(`/push/devices/${device.id}`, { method: "DELETE" });
  });

  it("get pushes only for the user who signed in last", async () => {
    const token = newToken();
    const lost = await register(viewer, phone(token));
    const taken = await register(other, phone(token));
    expect(await devicesOf(viewer)).toEqual([]);
    const [row] = await auditOf(viewerUser);
    expect(row).toMatchObject({
      action: "push-device.remove",
      object: lost.id,
      outcome: "ok",
      session_id: "",
    });
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({ name: "Patrol phone", by: "another user" });
    expect((await devicesOf(other)).map(({ id }) => id)).toEqual([taken.id]);
    await other.fetch(`/push/devices/${taken.id}`, { method: "DELETE" });
  });

  it("are limited to ten per user", async () => {
    const made: PushDevice[] = [];
    for (let i = 0; i < 10; i++) made.push(await register(other, phone(newToken(), `Phone ${i}`)));
    expect((await other.post("/push/devices", phone(newToken()))).status).toBe(409);
    for (const { id } of made) await other.fetch(`/push/devices/${id}`, { method: "DELETE" });
  });

  it("are limited when two are registered at the same time, and each of ten can register again", async () => {
    const actor = await actorOf(other);
    const add = (app = testApp(), token = newToken()) =>
      registerDevice(app, actor, { channel: "apns", token, name: "Patrol phone" });
    for (let i = 1; i < DEVICES_PER_USER; i++) await add();
    const last = newToken();
    const app = beforeWrite(testApp(), () => add(testApp(), last));
    await expect(add(app)).rejects.toMatchObject({
      code: "conflict",
      message: `You have ${DEVICES_PER_USER} devices. Remove one first.`,
    });
    const devices = await devicesOf(other);
    expect(devices).toHaveLength(DEVICES_PER_USER);
    expect(await add(testApp(), last)).toMatchObject({ id: devices.at(-1)?.id });
    for (const { id } of devices) await other.fetch(`/push/devices/${id}`, { method: "DELETE" });
  });

  it("can be browsers with a push subscription", async () => {
    const subscription = await pushes.subscription();
    const device = await register(viewer, { channel: "webpush", subscription, name: "Firefox on Linux" });
    expect(device.channel).toBe("webpush");
    expect(await dumpDatabases()).not.toContain(subscription.endpoint);
    await viewer.fetch(`/push/devices/${device.id}`, { method: "DELETE" });
  });

  it("that register the same endpoint with new keys get pushes that the new keys can open", async () => {
    const [{ endpoint, keys }, fresh] = [await pushes.subscription(), await pushes.subscription()];
    const browser = (own: typeof keys) => ({
      channel: "webpush",
      subscription: { endpoint, keys: own },
      name: "Firefox on Linux",
    });
    const { id } = await register(viewer, browser(keys));
    expect((await register(viewer, browser(fresh.keys))).id).toBe(id);
    const app = testApp();
    const device = await findDevice(app.db, { id, userId: viewerUser.id });
    const address = await unseal(app.config.sealingKeys, deviceAddressOwner(id), device?.sealedAddress ?? "");
    expect(JSON.parse(address)).toEqual({ endpoint, keys: fresh.keys });
    await viewer.fetch(`/push/devices/${id}`, { method: "DELETE" });
  });

  it.each([
    "http://push.example.com/x",
    "https://10.0.0.1/x",
    "https://[::1]:9999@push.example.com/x",
    "https://metadata.internal/x?y",
    "file:///etc/passwd",
    "https://push.example.com:8443/x",
    "https://push.example.com/x",
    "https://odin.test/ingest/rekor/secret",
    "https://127.0.0.1.nip.io/x",
    "https://fcm.googleapis.com.evil.example/x",
  ])("are rejected if they are browsers with the endpoint %s", async (endpoint) => {
    const { keys } = await pushes.subscription();
    const body = { channel: "webpush", subscription: { endpoint, keys }, name: "Browser" };
    expect((await viewer.post("/push/devices", body)).status).toBe(400);
  });

  it("are accepted with endpoints of the known browser push services", async () => {
    const { keys } = await pushes.subscription();
    for (const endpoint of [
      "https://fcm.googleapis.com/fcm/send/abc:def",
      "https://updates.push.services.mozilla.com/wpush/v2/gAAAA",
      "https://web.push.apple.com/QGx",
      "https://wns2-by3p.notify.windows.com/w/?token=BQYAAAC%2f",
    ]) {
      const device = await register(viewer, {
        channel: "webpush",
        subscription: { endpoint, keys },
        name: "Browser",
      });
      await viewer.fetch(`/push/devices/${device.id}`, { method: "DELETE" });
    }
  });

  it("are rejected with invalid keys or names", async () => {
    const { endpoint, keys } = await pushes.subscription();
    const browser = (over: object, name: unknown = "Browser") => ({
      channel: "webpush",
      subscription: { endpoint, keys: { ...keys, ...over } },
      name,
    });
    for (const body of [
      browser({ p256dh: "B".repeat(87) }),
      browser({ auth: "short" }),
      browser({}, "  "),
      browser({}, 7),
      { channel: "pigeon", name: "Bird" },
      phone("xyz"),
      [],
      null,
    ])
      expect((await viewer.post("/push/devices", body as object)).status).toBe(400);
    expect(vendors.url).toContain("127.0.0.1");
  });
});

describe("push settings", () => {
  const put = (who: Client, body: object) => who.fetch("/push/settings", jsonInit(body, { method: "PUT" }));

  it("are off by default, and are returned as stored", async () => {
    const fresh: PushSettings = await (await other.fetch("/push/settings")).json();
    expect(fresh).toEqual({ enabled: false, quiet_from: null, quiet_until: null, time_zone: "" });
    const wanted = {
      enabled: true,
      quiet_from: "22:00",
      quiet_until: "06:30",
      time_zone: "America/New_York",
    };
    expect(await (await put(other, wanted)).json()).toEqual(wanted);
    expect(await (await other.fetch("/push/settings")).json()).toEqual(wanted);
    const [row] = await auditOf(otherUser);
    expect(row?.action).toBe("push-alerts");
    expect(JSON.parse(row?.detail ?? "{}")).toEqual({ before: fresh, after: wanted });
  });

  it("keep their quiet hours when the app turns push alerts on or off, which returns the stored value", async () => {
    const wanted = { enabled: true, quiet_from: "21:00", quiet_until: "05:00", time_zone: "UTC" };
    await put(other, wanted);
    const off = await (await other.post("/toggle-push-alerts", {})).json();
    expect(off).toEqual({ push_alerts: false });
    expect(await (await other.fetch("/push/settings")).json()).toEqual({ ...wanted, enabled: false });
    expect(await (await other.post("/toggle-push-alerts", {})).json()).toEqual({ push_alerts: true });
  });

  it("are toggled by each of many calls at once, in an order that the audit log shows", async () => {
    const user = await newUser((await newAgency()).id, { hotlistViewer: true });
    const app = await client(user);
    const toggle = async () => (await app.post("/toggle-push-alerts", {})).json<{ push_alerts: boolean }>();
    const answers = await Promise.all(Array.from({ length: 6 }, toggle));
    expect(answers.filter(({ push_alerts }) => push_alerts)).toHaveLength(3);
    expect((await auditOf(user, 6)).map(({ action, detail }) => [action, JSON.parse(detail)])).toEqual(
      [true, false, true, false, true, false].map((after) => ["push-alerts", { before: !after, after }]),
    );
    expect(await (await app.fetch("/push/settings")).json()).toMatchObject({ enabled: false });
  });

  it("are rejected if they are inconsistent", async () => {
    const base = { enabled: true, quiet_from: "22:00", quiet_until: "06:00", time_zone: "UTC" };
    for (const over of [
      { quiet_until: null },
      { quiet_from: "25:00" },
      { time_zone: "Nowhere" },
      { enabled: 1 },
    ])
      expect((await put(viewer, { ...base, ...over })).status).toBe(400);
  });

  it("include the VAPID public key that browsers subscribe with: a point of 65 bytes", async () => {
    const { key }: { key: string } = await (await viewer.fetch("/push/key")).json();
    expect(fromBase64(key).length).toBe(65);
  });
});

describe("a phone", () => {
  it("can add Odin to its home screen, which iPhones require for web push", async () => {
    const page = await viewer.fetch("/profile");
    expect(await page.text()).toContain('<link rel="manifest" href="/manifest.webmanifest"/>');
    expect(page.headers.get("content-security-policy")).toContain("manifest-src 'self'");
    const asset = (path: string) => bindings.ASSETS?.fetch(`https://odin.test${path}`) as Promise<Response>;
    const manifest = await asset("/manifest.webmanifest");
    expect(manifest.headers.get("content-type")).toMatch(/^application\/manifest\+json/);
    // Chromium shows no SVG in notifications.
    const worker = await (await asset("/push-worker.js")).text();
    const icon = await asset(/icon: "([^"]+)"/.exec(worker)?.[1] ?? "");
    expect(icon.headers.get("content-type")).toBe("image/png");
    await icon.body?.cancel();
    type Manifest = { icons: { src: string }[]; start_url: string; shortcuts: { url: string }[] };
    const { icons, start_url, shortcuts, ...rest }: Manifest = await manifest.json();
    expect(rest).toMatchObject({ display: "standalone" });
    // The start URL works for every user; some shortcuts lead to screens that need a permission.
    const officer = await client(await newUser((await newAgency()).id));
    expect((await officer.fetch(start_url)).status).toBe(200);
    expect(shortcuts.map(({ url }) => url)).toEqual(["/alerts", "/search"]);
    for (const { url } of shortcuts) expect((await viewer.fetch(url)).status).toBe(200);
    for (const { src } of icons) {
      const icon = await asset(src);
      expect([src, icon.status, icon.headers.get("content-type")]).toEqual([src, 200, "image/png"]);
    }
  });
});
