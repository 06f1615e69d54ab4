import { eq, sql } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { rotateSecrets } from "#app/domain/operations/secret-rotation.ts";
import { searchReads } from "#app/domain/search/run.ts";
import { Job } from "#app/entities/operations/job.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import { at } from "#app/lib/at.ts";
import { parseSealingKeys, seal, unseal } from "#app/lib/crypto/primitives.ts";
import { findUserByName } from "#app/store/accounts/sign-in.ts";
import { openControl } from "#app/store/database.ts";
import { users } from "#app/store/schema/accounts.ts";
import { SEALED_COLUMNS, sealedFor } from "#app/store/sealed.ts";
import {
  actorOf,
  auditOf,
  bindings,
  type Client,
  client,
  dumpDatabases,
  newWorld,
  search,
  searchBody,
  testApp,
  unique,
  vendors,
  type World,
} from "../../factories.ts";
import { expectLogged, rawLog } from "../../support/quiet-console.ts";

let world: World;
let admin: Client;
let owner: Client;

beforeAll(async () => {
  world = await newWorld();
  admin = await client(world.users.admin);
  owner = await client(world.users.owner);
});

beforeEach(() => vendors.setFaults());

/** Returns the context after the operator has added a second key. */
function rotatedApp(over: Parameters<typeof testApp>[1] = {}) {
  const app = testApp(Date.now, over);
  const second = `2:${btoa("another key that must not leak!!")}`;
  const sealingKeys = parseSealingKeys(`${bindings.SEALING_KEYS},${second}`);
  return { ...app, config: { ...app.config, sealingKeys } };
}

type Sealed = { id: string; sealed: string };

async function sealedRows(): Promise<{ column: (typeof SEALED_COLUMNS)[number]; rows: Sealed[] }[]> {
  return Promise.all(
    SEALED_COLUMNS.map(async (column) => {
      const { results } = await bindings.DB.prepare(
        `SELECT "${column.id}" AS id, "${column.column}" AS sealed FROM "${column.table}" WHERE "${column.column}" IS NOT NULL`,
      ).all<Sealed>();
      return { column, rows: results };
    }),
  );
}

/** Re-encrypts everything with the Worker's only key. */
async function sealAsBefore(): Promise<void> {
  const { sealingKeys } = rotatedApp().config;
  const only = parseSealingKeys(bindings.SEALING_KEYS);
  for (const { column, rows } of await sealedRows()) {
    for (const { id, sealed } of rows) {
      const owner = sealedFor(column, id);
      const again = await seal(only, owner, await unseal(sealingKeys, owner, sealed));
      await bindings.DB.prepare(
        `UPDATE "${column.table}" SET "${column.column}" = ? WHERE "${column.id}" = ?`,
      )
        .bind(again, id)
        .run();
    }
  }
}

describe("the rotation of keys", () => {
  afterEach(sealAsBefore);

  it("covers every encrypted column", async () => {
    const { results } = await bindings.DB.prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table'",
    ).all<{ name: string; sql: string }>();
    const sealed = results.flatMap(({ name, sql }) =>
      [...sql.matchAll(/[`"](sealed_\w+)[`"]/g)].map(([, column]) => `${name}.${column}`),
    );
    const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
    expect(sealed.sort()).toEqual(known.sort());
  });

  it("encrypts all secrets with the newest key, in parts, while both keys are readable", async () => {
    const app = rotatedApp();
    const actor = await actorOf(owner);
    const opened = async () =>
      Promise.all(
        (await sealedRows()).flatMap(({ column, rows }) =>
          rows.map(({ id, sealed }) => unseal(app.config.sealingKeys, sealedFor(column, id), sealed)),
        ),
      );
    const before = (await opened()).sort();
    expect(before.length).toBeGreaterThanOrEqual(5);

    const first = await rotateSecrets(app, actor, 2);
    expect(first).toMatchObject({ version: 2, resealed: 2, unreadable: 0 });
    expect(first.remaining).toBe(before.length - 2);
    // Midway, both key versions are in use, and everything can be decrypted.
    expect((await opened()).sort()).toEqual(before);

    const rest = await rotateSecrets(app, actor);
    expect(rest).toMatchObject({ resealed: before.length - 2, remaining: 0, unreadable: 0 });
    expect((await opened()).sort()).toEqual(before);
    for (const { rows } of await sealedRows()) for (const { sealed } of rows) expect(sealed).toMatch(/^v2\./);
    expect(await rotateSecrets(app, actor)).toMatchObject({ resealed: 0, remaining: 0 });
    expect((await auditOf(world.users.owner)).map(({ action }) => action)).toEqual(["secrets.rotate"]);
  });

  it("skips and reports secrets that no key can decrypt, and leaves them unchanged", async () => {
    const app = rotatedApp();
    const id = unique("unreadable");
    const another = { table: "rekor_keys", id: "another record", field: "key" };
    const sealed = await seal(parseSealingKeys(bindings.SEALING_KEYS), another, "a key of another record");
    await bindings.DB.prepare(
      "INSERT INTO rekor_keys (id, tenant_id, agency, base_url, sealed_key, key_last4, created_at) VALUES (?, ?, 'A', 'https://cloud.openalpr.com', ?, 'xxxx', 0)",
    )
      .bind(id, world.ours.id, sealed)
      .run();
    expect(await rotateSecrets(app, await actorOf(owner))).toMatchObject({ unreadable: 1, remaining: 0 });
    const row = await bindings.DB.prepare("SELECT sealed_key FROM rekor_keys WHERE id = ?").bind(id).first();
    expect(row).toEqual({ sealed_key: sealed });
    await bindings.DB.prepare("DELETE FROM rekor_keys WHERE id = ?").bind(id).run();
  });

  it("takes far fewer queries than it moves secrets", async () => {
    const only = parseSealingKeys(bindings.SEALING_KEYS);
    const ids = Array.from({ length: 200 }, () => unique("many"));
    const rows = ids.map(async (id) => [
      id,
      await seal(only, { table: "audit_term_keys", id, field: "key" }, "a key"),
    ]);
    await bindings.DB.prepare(
      "INSERT INTO audit_term_keys (id, sealed_key) SELECT value ->> 0, value ->> 1 FROM json_each(?)",
    )
      .bind(JSON.stringify(await Promise.all(rows)))
      .run();
    let queries = 0;
    const DB = new Proxy(bindings.DB, {
      get(database, name) {
        if (name === "prepare") queries++;
        const value: unknown = Reflect.get(database, name, database);
        return typeof value === "function" ? value.bind(database) : value;
      },
    });
    const done = await rotateSecrets(rotatedApp({ DB }), await actorOf(owner));
    expect(done.resealed).toBeGreaterThanOrEqual(ids.length);
    expect(done).toMatchObject({ remaining: 0, unreadable: 0 });
    expect(queries).toBeLessThan(100);
    await bindings.DB.prepare("DELETE FROM audit_term_keys WHERE id IN (SELECT value FROM json_each(?))")
      .bind(JSON.stringify(ids))
      .run();
  });

  it("can be called only by the owner, and is repeated until no old secrets remain", async () => {
    expect((await admin.fetch("/rotate-keys", { method: "POST" })).status).toBe(403);
    expect(await (await owner.fetch("/rotate-keys", { method: "POST" })).json()).toMatchObject({
      version: 1,
      remaining: 0,
    });
  });
});

describe("secrets", () => {
  it("appear in no dump, log, queue message, screen data or error page", async () => {
    const key = `rekor-key-${crypto.randomUUID()}`;
    const axonSecret = `axon-secret-${crypto.randomUUID()}`;
    const added = await admin.post("/add-api-key", {
      agency: unique("Canary"),
      api_key: key,
      base_url: vendors.url,
    });
    const { id }: { id: string } = await added.json();
    await admin.post("/add-axon-integration", {
      client_id: "client",
      secret_id: axonSecret,
      partner_id: "partner",
      base_url: `${vendors.url}/axon/hamden-pd`,
    });
    const camera = await admin.post("/axis-cameras", {
      name: unique("Cam"),
      latitude: null,
      longitude: null,
    });
    const webhook = await admin.post("/rekor-webhooks", { name: unique("Webhook") });
    const addresses: { address: string }[] = await Promise.all(
      [camera, webhook].map((answer): Promise<{ address: string }> => answer.json()),
    );
    const pushed = addresses.map(({ address }) => address.replace(/^.*\//, ""));
    const ofVendors = (
      await Promise.all(
        ["hartford-pd", "manchester-pd", "east-hartford-pd"].map((name) => vendors.secretsOf(name)),
      )
    ).flatMap((secrets) => [at(secrets, 0), at(secrets, 2)]);
    const own = [
      bindings.PASSWORD_PEPPER,
      bindings.SEALING_KEYS.slice(2),
      bindings.EXPORT_SIGNING_KEYS.slice(2),
    ];
    const secrets = [key, axonSecret, ...pushed, ...ofVendors, ...own];

    // Everything fails here, so that there are errors and log lines to check.
    expectLogged(/./);
    await vendors.setFaults({ program: "rekor", agencyId: "hartford-pd", kind: "status", code: 500 });
    const texts: Record<string, string> = {};
    for (const path of [
      `/test-api-key/${id}`,
      `/test-api-key/${world.hartford.id}`,
      "/test-axon-integration",
    ])
      texts[path] = await (await admin.fetch(path, { method: "POST" })).text();
    await search(admin, searchBody([...world.agencies, id]));
    texts.wrongKey = await (
      await admin.post("/add-api-key", { agency: "A", api_key: key, base_url: "https://10.0.0.1" })
    ).text();
    texts.wrongType = await (await admin.post("/add-api-key", { agency: 7, api_key: key })).text();
    const file = new FormData();
    file.set("file", new File([`agency,api_key,source_program\n,${key},Rekor\nA,${key},Axon\n`], "keys.csv"));
    texts.upload = await (await admin.fetch("/bulk-upload-api-keys", { method: "POST", body: file })).text();
    for (const path of [
      "/api-keys",
      "/integrations/rekor",
      "/integrations/axon",
      "/integrations/axis",
      "/rekor-camera-management",
      "/admin",
      "/search",
      "/owner",
    ]) {
      texts[path] = await (await owner.fetch(path)).text();
      texts[`${path}.data`] = await (await owner.fetch(`${path}.data`)).text();
      texts[`${path} of an admin`] = await (await admin.fetch(path)).text();
    }
    for (const path of [
      "/api-keys-data",
      "/axon-existing-integration",
      "/get-authorized-and-blacklisted-agencies",
      "/axon-authorized-integrations",
      "/axis-authorized-agencies",
      "/rekor-cameras",
      "/nowhere",
      `/ingest/rekor/${pushed[1]}`,
    ])
      texts[path] = await (await owner.fetch(path)).text();
    texts.logs = rawLog();
    texts.dump = await dumpDatabases();
    const jobs = await bindings.DB.prepare("SELECT body FROM dead_jobs").all();
    texts.jobs = JSON.stringify(jobs.results);
    const stored = await bindings.RESULTS.list();
    for (const object of stored.objects)
      texts[object.key] = new TextDecoder("latin1").decode(
        await (await bindings.RESULTS.get(object.key))?.arrayBuffer(),
      );

    expect(texts.dump).toContain(key.slice(-4));
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(15);
      for (const [where, text] of Object.entries(texts))
        expect(text.includes(secret) ? `${where} tells ${secret.slice(0, 4)}…` : "").toBe("");
    }
  });

  it("and plates appear in no error of a failed statement, because errors are logged", async () => {
    const fails = () => Promise.reject(new Error("D1_ERROR: the database is overloaded"));
    const statement = { bind: () => statement, all: fails, raw: fails, run: fails, first: fails };
    const db = openControl({ prepare: () => statement } as unknown as D1Database);
    const value = "SECRET-PLATE";
    const failed = [
      findUserByName(db, value),
      db.query.users.findFirst({ where: eq(users.id, value) }),
      db.insert(users).values({ id: value } as never),
      db.run(sql`select ${value}`),
      db.all(sql`select ${value}`),
    ].map((query) => Promise.resolve(query).catch((error: unknown) => error));
    for (const error of await Promise.all(failed)) {
      if (!(error instanceof Error)) throw new Error(`not an error: ${error}`);
      expect(error.message).toContain("overloaded");
      const told = [error, error.cause].map((one) => `${one} ${JSON.stringify(one)}`);
      expect(told.join().toLowerCase()).not.toContain(value.toLowerCase());
    }
  });

  it("appear in no queue message and in no progress line of a search", async () => {
    const told: unknown[] = [];
    const queue = {
      send: async (body: unknown) => void told.push(body),
      sendBatch: async (bodies: Iterable<unknown>) => void told.push(...bodies),
    } as unknown as AppContext["jobs"];
    const app = { ...testApp(), jobs: queue, exportJobs: queue, alertJobs: queue };
    const request = SearchRequest.parse(searchBody(world.agencies));
    const { signal } = new AbortController();
    await searchReads(app, await actorOf(admin), { request, signal, onProgress: (step) => told.push(step) });
    expect(told).toContainEqual(expect.objectContaining({ type: "purge-result-set" }));
    expect(told).toContainEqual(expect.objectContaining({ type: "done" }));
    const text = JSON.stringify(told);
    const [hartford, east] = await Promise.all(
      ["hartford-pd", "east-hartford-pd"].map((name) => vendors.secretsOf(name)),
    );
    for (const secret of [hartford?.[0], east?.[1], east?.[2], bindings.SEALING_KEYS.slice(2)])
      expect(text).not.toContain(secret);
    expect(Job.safeParse({ v: 1, type: "purge-result-set", id: "x", api_key: "y" }).success).toBe(false);
  });
});
