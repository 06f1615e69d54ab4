// What is added again because the answer of the first attempt was lost.

import { beforeAll, describe, expect, it } from "vitest";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import {
  auditOf,
  bindings,
  type Client,
  client,
  newWorld,
  unique,
  vendors,
  type World,
} from "../../factories.ts";
import { receiver } from "../../support/outgoing.ts";

let world: World;
let admin: Client;

beforeAll(async () => {
  world = await newWorld();
  admin = await client(world.users.admin);
});

const countIn = async (table: string) =>
  (await bindings.DB.prepare(`SELECT count(*) AS many FROM ${table}`).first<{ many: number }>())?.many ?? 0;

type Adding = { path: string; table: string; body: () => Record<string, unknown>; once?: RegExp };

const START = "2026-01-01T00:00:00Z";
const END = "2026-02-01T00:00:00Z";

const ADDED: Record<string, Adding> = {
  "a Rekor key": {
    path: "/add-api-key",
    table: "rekor_keys",
    body: () => ({ agency: "West", api_key: unique("key"), source_program: "Rekor", base_url: vendors.url }),
  },
  "a webhook for Rekor": {
    path: "/rekor-webhooks",
    table: "doors",
    body: () => ({ name: "Gate" }),
    once: /^Gate was added already\. Its address cannot be shown again\. Revoke it and add another\.$/,
  },
  "an outgoing webhook": {
    path: "/outgoing-webhooks",
    table: "outgoing_webhooks",
    body: () => ({ name: "Desk", url: receiver.url("desk"), events: ["hit"] }),
    once: /^Desk was added already\. Its secret cannot be shown again\. Create a new secret on its page\.$/,
  },
  "a service account": {
    path: "/service-accounts",
    table: "service_accounts",
    body: () => ({ name: unique("Dispatch"), scopes: ["search"], valid_days: 30 }),
    once: /^Dispatch\S* was added already\. Its token cannot be shown again\. Create a new token on its page\.$/,
  },
  "an Axis camera": {
    path: "/axis-cameras",
    table: "axis_cameras",
    body: () => ({ name: "Ramp", latitude: 41.7, longitude: -72.6 }),
    once: /^Ramp was added already\. Its address cannot be shown again\. Create a new address for it\.$/,
  },
  "a legal hold": {
    path: "/legal-holds/request",
    table: "legal_holds",
    body: () => ({
      ...{ case_number: "26-1", plates: "AB12", start: START, end: END },
      reason: "Needed for an investigation.",
    }),
  },
};

describe.each(Object.entries(ADDED))("%s", (_, { path, table, body, once }) => {
  it("is added once with an idempotency key, however often it is sent", async () => {
    const before = await countIn(table);
    const sent = { ...body(), idempotency_key: crypto.randomUUID() };
    const [first, ...later] = [await admin.post(path, sent), await admin.post(path, sent)];
    expect(first?.status).toBe(200);
    const made = await first?.json();
    for (const answer of later) {
      if (!once) {
        expect(answer.status).toBe(200);
        expect(await answer.json()).toEqual(made);
        continue;
      }
      expect(answer.status).toBe(409);
      expect(((await answer.json()) as { message: string }).message).toMatch(once);
    }
    expect(await countIn(table)).toBe(before + 1);
  });

  it("is added once if it is sent twice at the same time", async () => {
    const before = await countIn(table);
    const sent = { ...body(), idempotency_key: crypto.randomUUID() };
    const answers = await Promise.all([admin.post(path, sent), admin.post(path, sent)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, once ? 409 : 200]);
    expect(await countIn(table)).toBe(before + 1);
  });

  it("is added again with other content under the same key", async () => {
    const before = await countIn(table);
    const idempotency_key = crypto.randomUUID();
    expect((await admin.post(path, { ...body(), idempotency_key })).status).toBe(200);
    const name = unique("Other");
    const other = { ...body(), name, agency: name, case_number: "26-2", idempotency_key };
    expect((await admin.post(path, other)).status).toBe(200);
    expect(await countIn(table)).toBe(before + 2);
  });
});

describe("without an idempotency key", () => {
  it("a client may add the same twice, as documented", async () => {
    for (const name of ["a Rekor key", "a webhook for Rekor", "an outgoing webhook", "an Axis camera"]) {
      const { path, body } = ADDED[name] as Adding;
      const sent = body();
      for (const _ of [1, 2]) expect((await admin.post(path, sent)).status).toBe(200);
    }
  });
});

const post = (path: string, fields: Record<string, string> | FormData) =>
  admin.fetch(path, {
    method: "POST",
    body: fields instanceof FormData ? fields : new URLSearchParams(fields),
  });

describe("a form", () => {
  it("has an idempotency key without scripts, with which it adds once", async () => {
    const page = await (await admin.fetch("/integrations/rekor")).text();
    const key = new RegExp(`name="${FORM_FIELDS.key}" value="([^"]+)"`).exec(page)?.[1] ?? "";
    expect(key).not.toBe("");
    const before = await countIn("doors");
    const fields = { name: "North", [FORM_FIELDS.intent]: "add-webhook", [FORM_FIELDS.key]: key };
    expect((await post("/integrations/rekor", fields)).status).toBe(200);
    const again = await post("/integrations/rekor", fields);
    expect(again.status).toBe(409);
    expect(await again.text()).toContain("North was added already. Its address cannot be shown again.");
    expect(await countIn("doors")).toBe(before + 1);
  });

  it("with a file of keys adds them once", async () => {
    const before = await countIn("rekor_keys");
    const file = new File([`agency,api_key,base_url\nWest,${unique("key")},${vendors.url}`], "keys.csv");
    for (const _ of [1, 2]) {
      const form = new FormData();
      form.set(FORM_FIELDS.intent, "upload-keys");
      form.set(FORM_FIELDS.key, "one-key");
      form.set("file", file);
      expect((await post("/integrations/rekor", form)).status).toBe(200);
    }
    expect(await countIn("rekor_keys")).toBe(before + 1);
    const acts = await auditOf(world.users.admin, 2);
    expect(acts.filter(({ action }) => action === "integration.upload")).toHaveLength(1);
  });
});

describe("the stored key of a save", () => {
  it("contains neither the key that was sent nor a hash of the content alone", async () => {
    const sent = { ...ADDED["a Rekor key"]?.body(), idempotency_key: "a-key-of-the-form" };
    expect((await admin.post("/add-api-key", sent)).status).toBe(200);
    const { results } = await bindings.DB.prepare("SELECT key FROM saved_once").all<{ key: string }>();
    expect(results.length).toBeGreaterThan(0);
    for (const { key } of results) expect(key).toMatch(/^[0-9a-f]{64}$/);
  });
});
