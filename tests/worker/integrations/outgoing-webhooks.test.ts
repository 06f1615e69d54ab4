import { beforeEach, describe, expect, it } from "vitest";
import { sendToWebhooks } from "#app/domain/integrations/outgoing-delivery.ts";
import {
  type DeliveryPage,
  MAX_OUTGOING_WEBHOOKS,
  type OutgoingTest,
  type OutgoingWebhookRow,
} from "#app/entities/integrations/outgoing-webhooks.ts";
import { at } from "#app/lib/at.ts";
import {
  anAlert,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  newWorld,
  vendors,
  type World,
} from "../../factories.ts";
import { newGroup } from "../../live.ts";
import { fanOutAlert, pushWorld } from "../../support/fan-out.ts";
import { addWebhook, put, receiver, verified } from "../../support/outgoing.ts";

let world: World;
let admin: Client;
let hotadmin: Client;
let strangeAdmin: Client;
let group: { id: string };

beforeEach(async () => {
  await vendors.setFaults();
  world = await newWorld();
  [admin, hotadmin, strangeAdmin] = await Promise.all([
    client(world.users.admin),
    client(world.users.hotadmin),
    client(world.users.strangeAdmin),
  ]);
  group = await newGroup(world.ours.id, []);
});

const listOf = (who: Client) => bodyOf<OutgoingWebhookRow[]>(who.fetch("/outgoing-webhooks"));
const fields = (over: object = {}) => ({
  name: "Dispatch",
  url: receiver.url("x"),
  events: ["hit"],
  ...over,
});

describe("a webhook", () => {
  it("shows its secret once, and the secret is stored encrypted", async () => {
    const hook = await addWebhook(admin, { plate_data: true });
    expect(hook.secret).toMatch(/^whsec_[\w+/]{43}=$/);
    const [listed] = await listOf(admin);
    expect(listed).toMatchObject({
      id: hook.id,
      state: "on",
      plate_data: true,
      group: null,
      pending: 0,
      failed: 0,
    });
    const stored = await bindings.DB.prepare("select * from outgoing_webhooks where id = ?")
      .bind(hook.id)
      .first();
    for (const text of [
      JSON.stringify(listed),
      JSON.stringify(stored),
      JSON.stringify(await auditOf(world.users.admin, 3)),
    ])
      expect(text).not.toContain(hook.secret.slice(6));
  });

  it("can be changed, turned off and on, and deleted, each with an audit row", async () => {
    const { id } = await addWebhook(admin);
    const path = `/outgoing-webhooks/${id}`;
    expect((await admin.fetch(path, put(fields({ name: "Renamed" })))).status).toBe(200);
    expect(await listOf(admin)).toMatchObject([{ name: "Renamed", events: ["hit"] }]);
    expect((await admin.post(`${path}/on`, { on: false })).status).toBe(200);
    expect(await listOf(admin)).toMatchObject([{ state: "off" }]);
    expect((await admin.post(`${path}/on`, { on: true })).status).toBe(200);
    expect(await listOf(admin)).toMatchObject([{ state: "on", off_reason: "" }]);
    expect((await admin.fetch(path, { method: "DELETE" })).status).toBe(200);
    expect(await listOf(admin)).toEqual([]);
    expect((await auditOf(world.users.admin, 5)).map(({ action }) => action)).toEqual([
      "outgoing-webhook.add",
      "outgoing-webhook.change",
      "outgoing-webhook.off",
      "outgoing-webhook.on",
      "outgoing-webhook.delete",
    ]);
  });

  it.each([
    [{ url: "https://10.0.0.1/hook" }, /public host/],
    [{ url: "https://cad.example.org/hook" }, /WEBHOOK_HOSTS/],
    [{ url: "http://cad.example.org/hook" }, /https/],
    [{ url: "https://cad.example.org/hook#key" }, /fragment/],
    [{ events: [] }, /at least one event/],
    [{ events: ["arrest"] }, /no such event/],
    [{ name: " " }, /name/],
  ])("is refused with %j", async (over, problem) => {
    const { id } = await addWebhook(admin);
    for (const answer of [
      await admin.post("/outgoing-webhooks", fields(over)),
      await admin.fetch(`/outgoing-webhooks/${id}`, put(fields(over))),
    ]) {
      expect(answer.status).toBe(400);
      expect((await bodyOf<{ message: string }>(answer)).message).toMatch(problem);
    }
  });

  it("is not found by another agency", async () => {
    const { id } = await addWebhook(admin);
    expect(await listOf(strangeAdmin)).toEqual([]);
    const path = `/outgoing-webhooks/${id}`;
    const answers = await Promise.all([
      strangeAdmin.fetch(path, put(fields())),
      strangeAdmin.fetch(path, { method: "DELETE" }),
      strangeAdmin.fetch(`${path}/deliveries`),
      strangeAdmin.fetch(`/integrations/outgoing/${id}`),
      ...["secret", "on", "test", "retry"].map((act) => strangeAdmin.post(`${path}/${act}`, { on: true })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(404));
    expect((await strangeAdmin.post("/outgoing-webhooks", fields({ group_id: group.id }))).status).toBe(404);
    expect(await listOf(admin)).toMatchObject([{ id, state: "on" }]);
  });
});

describe("a hotlist administrator", () => {
  it("manages the webhooks of groups, but not those of the agency", async () => {
    const { id } = await addWebhook(admin);
    const own = await addWebhook(hotadmin, { group_id: group.id });
    expect((await listOf(hotadmin)).map((one) => one.id)).toEqual([own.id]);
    expect((await hotadmin.post("/outgoing-webhooks", fields())).status).toBe(403);
    expect((await hotadmin.fetch(`/outgoing-webhooks/${id}`, { method: "DELETE" })).status).toBe(404);
    expect((await listOf(admin)).map((one) => one.id).sort()).toEqual([id, own.id].sort());
  });

  it("cannot make messages include plates, or change the URL of webhooks that do", async () => {
    const own = await addWebhook(hotadmin, { group_id: group.id });
    const path = `/outgoing-webhooks/${own.id}`;
    expect(
      (await hotadmin.post("/outgoing-webhooks", fields({ group_id: group.id, plate_data: true }))).status,
    ).toBe(403);
    expect((await hotadmin.fetch(path, put(fields({ plate_data: true })))).status).toBe(403);
    expect((await admin.fetch(path, put(fields({ plate_data: true })))).status).toBe(200);
    expect((await hotadmin.fetch(path, put(fields({ url: receiver.url("mine") })))).status).toBe(403);
    const [row] = await auditOf(world.users.hotadmin);
    expect(row).toMatchObject({ outcome: "refused" });
    expect((await hotadmin.post(`${path}/secret`, {})).status).toBe(403);
    expect((await hotadmin.fetch(path, { method: "DELETE" })).status).toBe(403);
    // Users who may not decide that plates leave the agency can turn the webhook off, but not on again.
    expect((await hotadmin.post(`${path}/on`, { on: false })).status).toBe(200);
    expect((await hotadmin.post(`${path}/on`, { on: true })).status).toBe(403);
    expect((await listOf(admin)).find(({ id }) => id === own.id)).toMatchObject({ state: "off" });
    expect((await admin.post(`${path}/on`, { on: true })).status).toBe(200);
    expect((await admin.fetch(path, put(fields({ plate_data: false })))).status).toBe(200);
    expect((await hotadmin.post(`${path}/secret`, {})).status).toBe(200);
    expect((await hotadmin.fetch(path, { method: "DELETE" })).status).toBe(200);
  });
});

describe("the address of a webhook whose messages contain plates", () => {
  it("is shown to hotlist administrators without its path, which may contain a secret of the receiver", async () => {
    const own = await addWebhook(hotadmin, { group_id: group.id });
    const { origin, pathname } = new URL(receiver.url(own.name));
    const whole = `${origin}${pathname}`;
    const screen = async (who: Client) => (await who.fetch(`/integrations/outgoing/${own.id}`)).text();
    const list = async (who: Client) => (await who.fetch("/integrations/outgoing")).text();
    const urls = async (who: Client) => (await listOf(who)).map(({ url }) => url);
    expect([await urls(hotadmin), await urls(admin)]).toEqual([[whole], [whole]]);
    const path = `/outgoing-webhooks/${own.id}`;
    expect((await admin.fetch(path, put(fields({ url: whole, plate_data: true })))).status).toBe(200);
    expect([await urls(hotadmin), await urls(admin)]).toEqual([[origin], [whole]]);
    for (const page of [await screen(hotadmin), await list(hotadmin)]) {
      expect(page).toContain(new URL(whole).host);
      expect(page).not.toContain(pathname);
    }
    expect(await screen(admin)).toContain(pathname);
  });
});

describe("the test button", () => {
  it("shows no answer to hotlist administrators if messages contain plates, since it may repeat the path", async () => {
    const { id } = await addWebhook(hotadmin, { group_id: group.id });
    const answerTo = async (who: Client) =>
      (await bodyOf<OutgoingTest>(who.post(`/outgoing-webhooks/${id}/test`, {}))).answer;
    expect(await answerTo(hotadmin)).toBe('{"accepted":true}');
    await bindings.DB.prepare("UPDATE outgoing_webhooks SET plate_data = 1 WHERE id = ?").bind(id).run();
    expect([await answerTo(hotadmin), await answerTo(admin)]).toEqual(["", '{"accepted":true}']);
  });

  it("sends a signed message and shows the answer", async () => {
    const hook = await addWebhook(admin);
    const tested = await bodyOf<OutgoingTest>(admin.post(`/outgoing-webhooks/${hook.id}/test`, {}));
    expect(tested).toMatchObject({ ok: true, status: 200, answer: '{"accepted":true}' });
    const [message] = await receiver.received(hook.name);
    expect(message && verified(message, hook.secret)).toMatchObject({
      type: "test",
      data: { webhook_id: hook.id },
    });
    expect(await auditOf(world.users.admin)).toMatchObject([
      { action: "outgoing-webhook.test", outcome: "ok" },
    ]);
  });

  it("shows the error, without markup and with at most 1,000 characters", async () => {
    const hook = await addWebhook(admin);
    const test = () => bodyOf<OutgoingTest>(admin.post(`/outgoing-webhooks/${hook.id}/test`, {}));
    await vendors.setFaults({ program: "receiver", kind: "status", code: 401 });
    expect(await test()).toMatchObject({
      ok: false,
      status: 401,
      msg: "Status 401",
      answer: "The server says no",
    });
    await vendors.setFaults({ program: "receiver", kind: "huge" });
    const huge = await test();
    expect(huge.answer.length).toBeLessThanOrEqual(1000);
    expect(await auditOf(world.users.admin, 2)).toMatchObject([{ outcome: "failed" }, { outcome: "ok" }]);
  });
});

describe("the list of deliveries", () => {
  it("has pages and a filter by state, and all failed deliveries can be retried at once", async () => {
    const odin = pushWorld();
    const hook = await addWebhook(admin, { events: ["hit"] });
    await vendors.setFaults({ program: "receiver", agencyId: hook.name, kind: "status", code: 404 });
    const agencyGroup = { id: group.id, agencyId: world.ours.id };
    for (let i = 0; i < 3; i++) await fanOutAlert(odin.app(), (await anAlert(agencyGroup)).id);
    await bindings.DB.prepare("update outgoing_deliveries set attempts = 9 where webhook_id = ?")
      .bind(hook.id)
      .run();
    await sendToWebhooks(odin.app(), [hook.id]);
    const page = (query: string) =>
      bodyOf<DeliveryPage>(admin.fetch(`/outgoing-webhooks/${hook.id}/deliveries${query}`));
    const { deliveries, next } = await page("");
    expect(deliveries.map(({ state, status, group: name }) => [state, status, name])).toEqual(
      Array(3).fill(["failed", 404, group.id]),
    );
    expect(next).toBeNull();
    const middle = at(deliveries, 1);
    const older = await page(`?before=${middle.created_at}.${middle.id}`);
    expect(older.deliveries.map(({ id }) => id)).toEqual([at(deliveries, 2).id]);
    expect((await page("?state=delivered")).deliveries).toEqual([]);
    expect((await admin.fetch(`/outgoing-webhooks/${hook.id}/deliveries?state=lost`)).status).toBe(400);
    expect(await listOf(admin)).toMatchObject([{ failed: 3 }]);
    await vendors.setFaults();
    expect(await bodyOf(admin.post(`/outgoing-webhooks/${hook.id}/retry`, {}))).toMatchObject({
      deliveries: 3,
    });
    // The test server's own queue sends them.
    await expect.poll(async () => (await receiver.received(hook.name)).length, { timeout: 60_000 }).toBe(3);
    expect(await auditOf(world.users.admin)).toMatchObject([{ action: "outgoing-webhook.retry" }]);
  });
});

describe("the limit of webhooks", () => {
  it("holds for calls at the same time", async () => {
    await bindings.DB.prepare(
      `INSERT INTO outgoing_webhooks
        (id, agency_id, name, url, sealed_secret, on_hit, on_disposition, on_expiring, created_at, created_by)
      SELECT ?1 || value, ?1, value, '', '', 1, 0, 0, 1, '' FROM json_each(?2)`,
    )
      .bind(world.ours.id, JSON.stringify(Array.from({ length: MAX_OUTGOING_WEBHOOKS - 1 }, (_, n) => n)))
      .run();
    const url = receiver.url("limit");
    const add = () => admin.post("/outgoing-webhooks", { name: "Limit", url, events: ["hit"] });
    const answers = await Promise.all([add(), add(), add(), add()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(((await (await admin.fetch("/outgoing-webhooks")).json()) as object[]).length).toBe(50);
  });
});
