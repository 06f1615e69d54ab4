import { beforeEach, describe, expect, it } from "vitest";
import { sendToWebhooks } from "#app/domain/integrations/outgoing-delivery.ts";
import type { OutgoingTest, OutgoingWebhookRow } from "#app/entities/integrations/outgoing-webhooks.ts";
import {
  anAlert,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  newWorld,
  unique,
  vendors,
  type World,
} from "../../factories.ts";
import { newGroup } from "../../live.ts";
import { fanOutAlert, pushWorld } from "../../support/fan-out.ts";
import { addWebhook, outgoingOf, put, receiver } from "../../support/outgoing.ts";
import { expectLogged } from "../../support/quiet-console.ts";

const SECRET = "s3cr3t%2Bvalue";
const QUERY = `?api-version=2016-10-01&sp=%2Ftriggers%2Fmanual&sig=${SECRET}==`;
const SHOWN = "?api-version=***&sp=***&sig=***";

let world: World;
let admin: Client;

beforeEach(async () => {
  await vendors.setFaults();
  world = await newWorld();
  admin = await client(world.users.admin);
});

const added = async () => {
  const name = unique("flow");
  const url = `${receiver.url(name)}${QUERY}`;
  return { ...(await addWebhook(admin, { url })), name, url };
};
const listed = async (who: Client) =>
  (await bodyOf<OutgoingWebhookRow[]>(who.fetch("/outgoing-webhooks")))[0];
const test = (id: string) => bodyOf<OutgoingTest>(admin.post(`/outgoing-webhooks/${id}/test`, {}));
const fieldsOf = (row: OutgoingWebhookRow | undefined, over: object) =>
  put({ name: row?.name, url: row?.url, events: row?.events, ...over });

describe("the query of a webhook's address", () => {
  it("reaches the receiver unchanged, and nothing else shows its values", async () => {
    const hook = await added();
    const row = await listed(admin);
    expect(row?.url).toBe(`${receiver.url(hook.name)}${SHOWN}`);
    expect(await test(hook.id)).toMatchObject({ ok: true, status: 200 });
    expect(await receiver.received(hook.name)).toMatchObject([{ query: QUERY }]);
    const stored = await bindings.DB.prepare("SELECT * FROM outgoing_webhooks WHERE id = ?")
      .bind(hook.id)
      .first();
    const pages = ["/integrations/outgoing", `/integrations/outgoing/${hook.id}`, "/status"].map(
      async (path) => (await admin.fetch(path)).text(),
    );
    const texts = [
      JSON.stringify([row, stored, await auditOf(world.users.admin, 9)]),
      ...(await Promise.all(pages)),
    ];
    for (const text of texts) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain("triggers");
    }
    expect(texts[2]).toContain(SHOWN.replaceAll("&", "&amp;"));
  });

  it("is kept while the address is saved as shown, and replaced by another one", async () => {
    const hook = await added();
    const path = `/outgoing-webhooks/${hook.id}`;
    const row = await listed(admin);
    expect((await admin.fetch(path, fieldsOf(row, { name: "Renamed" }))).status).toBe(200);
    expect((await listed(admin))?.name).toBe("Renamed");
    await test(hook.id);
    const url = receiver.url(hook.name);
    expect((await admin.fetch(path, fieldsOf(row, { url: `${url}?code=$&$1` }))).status).toBe(200);
    await test(hook.id);
    expect((await admin.fetch(path, fieldsOf(row, { url }))).status).toBe(200);
    await test(hook.id);
    expect(await receiver.received(hook.name)).toMatchObject([
      { query: QUERY },
      { query: "?code=$&$1" },
      { query: "" },
    ]);
    expect((await listed(admin))?.url).toBe(url);
  });

  it("cannot be sent to another address by someone who saw it only without its values", async () => {
    const hook = await added();
    const row = await listed(admin);
    const other = `${receiver.url("other")}${SHOWN}`;
    for (const answer of [
      await admin.fetch(`/outgoing-webhooks/${hook.id}`, fieldsOf(row, { url: other })),
      await admin.fetch(`/outgoing-webhooks/${hook.id}`, fieldsOf(row, { url: `${hook.url}&a=***` })),
      await admin.post("/outgoing-webhooks", { name: "New", url: other, events: ["hit"] }),
    ]) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        message: "Enter the values of the query. Odin shows *** in their place.",
      });
    }
    await test(hook.id);
    expect(await receiver.received(hook.name)).toMatchObject([{ query: QUERY }]);
  });

  it("is not in the answer that the test shows, which may repeat it", async () => {
    const hook = await added();
    await vendors.setFaults({ program: "receiver", kind: "status", code: 401 });
    expect(await test(hook.id)).toMatchObject({ ok: false, msg: "Status 401", answer: "" });
  });

  it("is checked like the rest of the address", async () => {
    for (const [end, problem] of [
      ["?code=1#part", "The address must not contain a fragment."],
      ["?code=a b", "The address must be plain text without spaces."],
    ]) {
      const answer = await admin.post("/outgoing-webhooks", {
        name: "Flow",
        url: `${receiver.url("x")}${end}`,
        events: ["hit"],
      });
      expect(await answer.json()).toMatchObject({ message: problem });
    }
  });

  it("ends deliveries with a reason if it cannot be opened, instead of posting without it", async () => {
    const odin = pushWorld();
    const group = { id: (await newGroup(world.ours.id, [])).id, agencyId: world.ours.id };
    const hook = await added();
    await bindings.DB.prepare("UPDATE outgoing_webhooks SET sealed_query = 'v1.broken' WHERE id = ?")
      .bind(hook.id)
      .run();
    await fanOutAlert(odin.app(), (await anAlert(group, { createdAt: odin.time.now })).id);
    await sendToWebhooks(odin.app(), [hook.id]);
    expectLogged(/the query of the outgoing webhook \S+ cannot be opened/);
    expect(await outgoingOf(hook.id)).toMatchObject([
      { reason: "The query of the address cannot be opened. Enter the address again." },
    ]);
    expect(await receiver.received(hook.name)).toEqual([]);
  });
});
