import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAppContext, type Env } from "#app/context.ts";
import { sweepVendorImages } from "#app/domain/alerts/images.ts";
import { takeAxisEvent } from "#app/domain/ingest/axis.ts";
import { pollAxon } from "#app/domain/ingest/axon.ts";
import { takeRekorEvent } from "#app/domain/ingest/rekor.ts";
import { listSources } from "#app/domain/search/searchable.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { createLoadContext } from "#app/http/load-context.ts";
import { readAxisPush, readRekorDocument } from "#app/http/webhook-body.ts";
import { isAppError } from "#app/lib/errors.ts";
import { DAY, HOUR, isoTime, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { action } from "#app/routes/endpoints/reads.ts";
import {
  bindings,
  jsonInit,
  newAgency,
  newWorld,
  send,
  setUpPart,
  testApp,
  unique,
  vendors,
} from "../../factories.ts";
import {
  alertsOf,
  axisEvent,
  BUSY_INSTANT,
  groupDocument,
  newGroup,
  newPlate,
  newWebhook,
  plate,
} from "../../live.ts";
import { faultyBindings } from "../../support/faulty-bindings.ts";
import { expectLogged } from "../../support/quiet-console.ts";

async function newPosts() {
  const agency = await newAgency();
  const webhook = await newWebhook(agency.id);
  const camera = { id: unique("camera"), secret: unique("secret") };
  await setUpPart({
    axisCameras: [{ ...camera, agencyId: agency.id, name: "Faulty", latitude: 41.7, longitude: -72.7 }],
  });
  return { agency, webhook, camera };
}

/** A small repeatable random number generator. */
function chanceFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
}

describe("live reads while a tenth of all calls to the bindings fail", () => {
  it("create exactly one alert per matching read, for senders that retry", async () => {
    expectLogged(/the sweep/);
    const { agency, webhook, camera } = await newPosts();
    const count = Number(process.env.FAULT_READS ?? 150);
    const plates = Array.from({ length: count }, newPlate);
    const watched = plates.filter((_, i) => i % 3 === 0);
    const group = await newGroup(
      agency.id,
      watched.map((number) => plate(number)),
    );
    const chance = chanceFrom(20260620);
    const faulty = faultyBindings(bindings, { chance, rate: 0.1 });
    const app = createAppContext(faulty.env as Env, { waitUntil: () => {} });

    const at = Date.now() - 60_000;
    type Event = { take: () => Promise<unknown> };
    const request = (body: unknown) => new Request("https://odin.test/", jsonInit(body));
    const events: Event[] = plates.flatMap((number, i): Event[] => {
      if (i % 2 === 0) {
        const group = groupDocument({ epoch_start: at + i, best_plate_number: number });
        return [true, false].map((is_preview) => ({
          take: () =>
            takeRekorEvent(app, {
              secrets: [webhook.secret],
              document: () => readRekorDocument(request({ ...group, is_preview })),
            }),
        }));
      }
      return ["new", "lost"].map((carState) => {
        const event = axisEvent({
          carID: `car-${i}`,
          plateUTF8: number,
          carState,
          capture_timestamp: String(at + i),
        });
        return {
          take: () =>
            takeAxisEvent(app, { secrets: [camera.secret], push: () => readAxisPush(request(event)) }),
        };
      });
    });
    // Sends each post one to three times, in any order, six concurrently, and retries refused posts.
    const queue = events.flatMap((event) =>
      Array.from({ length: 1 + Math.floor(chance() * 3) }, () => event),
    );
    queue.sort(() => chance() - 0.5);
    const work = async () => {
      for (let event = queue.pop(); event; event = queue.pop()) {
        for (let attempt = 0; attempt < 60; attempt++) {
          const taken = await event.take().then(
            () => true,
            (error: unknown) => {
              // Only the injected errors and Odin's own errors because of them are expected.
              if (
                !isAppError(error) &&
                !/injected|amended concurrently/.test(
                  String((error as Error).message) + String((error as Error).cause),
                )
              )
                throw error;
              return false;
            },
          );
          if (taken) break;
          expect(attempt).toBeLessThan(59);
        }
      }
    };
    await Promise.all(Array.from({ length: 6 }, work));

    expect(faulty.injected()).toBeGreaterThan(count / 4);
    const rows = await alertsOf(group.id);
    const found = rows.map((row) => row.plate).sort();
    expect(found).toEqual(watched.toSorted());
  });
});

describe("the Axon poller while a tenth of all calls to the bindings fail, and some calls to Axon", () => {
  it("creates exactly one alert per matching read, and stores its images", async () => {
    expectLogged(/the sweep|Axon poll failed|injected/);
    const world = await newWorld();
    const start = BUSY_INSTANT;
    const from = start - 20 * HOUR;
    const quiet = testApp(() => start);
    const sources = await listSources(quiet, { agencyId: world.ours.id });
    const source = sources.find(({ id }) => id === world.axon.id) as SearchSource;
    const query = { plateState: "", color: "", make: "", bodyType: "", marks: [], from, to: start } as const;
    const seen = [];
    for await (const page of quiet.providers.Axon.search({
      source,
      together: [source],
      query: { ...query, marks: [], plate: { kind: "any" } },
      maxReads: 500,
      signal: AbortSignal.timeout(60_000),
    }))
      seen.push(...page.sightings);
    // One plate is not listed, so that not every read is a hit.
    const watched = new Set(seen.slice(1).map(({ plate }) => plate));
    const expected = seen.flatMap(({ plate, id }) => (watched.has(plate) ? [`Axon ${id}`] : [])).sort();
    expect(expected.length).toBeGreaterThan(2);
    const group = await newGroup(
      world.ours.id,
      [...watched].map((number) => plate(number)),
      { listedAgo: Date.now() - start + 2 * DAY },
    );
    // The poller takes a slice of the integrations; those of other tests would fill it.
    await bindings.DB.prepare("DELETE FROM axon_integrations WHERE id <> ?").bind(source.id).run();
    await bindings.DB.prepare(
      "INSERT INTO poll_cursors (integration_id, cursor, leased_until, at) VALUES (?, ?, 0, 0)",
    )
      .bind(source.id, isoTime(from))
      .run();

    // Time advances between runs, because a lease that could not be released must expire.
    let now = start;
    const faulty = faultyBindings(bindings, { chance: chanceFrom(7), rate: 0.1 });
    const app = createAppContext(faulty.env as Env, { waitUntil: () => {} }, () => now);
    const cursor = () =>
      bindings.DB.prepare("SELECT cursor FROM poll_cursors WHERE integration_id = ?")
        .bind(source.id)
        .first<string>("cursor");
    await vendors.setFaults({ program: "axon", kind: "status", code: 503, times: 6 });
    try {
      for (let run = 0; run < 60 && Date.parse((await cursor()) ?? "") < start + MINUTE; run++) {
        now += 130 * SECOND;
        await pollAxon(app).catch(() => {});
      }
    } finally {
      await vendors.setFaults();
    }
    expect(Date.parse((await cursor()) ?? "")).toBeGreaterThan(start + MINUTE);
    const told = (await alertsOf(group.id)).map((row) => row.pass_key).sort();
    expect(told.filter((key) => expected.includes(key))).toEqual(expected);
    expect(new Set(told).size).toBe(told.length);

    const unpictured = async () =>
      (await alertsOf(group.id)).filter((row) => !row.vehicle_image_key || !row.plate_image_key);
    for (let sweep = 0; sweep < 20 && (await unpictured()).length > 0; sweep++) {
      now += MINUTE;
      await sweepVendorImages(app).catch(() => {});
    }
    expect(await unpictured()).toEqual([]);
    for (const row of await alertsOf(group.id))
      expect(await bindings.IMAGES.head(row.vehicle_image_key ?? "")).not.toBeNull();
    expect(faulty.injected()).toBeGreaterThan(5);
  });
});

describe("a webhook whose storage fails", () => {
  const jpeg = btoa(
    String.fromCharCode(0xff, 0xd8, 0xff, 0xe0, ...new Array<number>(60).fill(7), 0xff, 0xd9),
  );

  async function post(path: string, body: unknown, over: object): Promise<Response> {
    const request = new Request(`https://odin.test${path}`, jsonInit(body));
    const env = { ...bindings, ...over } as Env;
    const context = createLoadContext({ request, env, lifetime: { waitUntil: () => {} } });
    return action({ request, context, params: {} });
  }

  /** Returns bindings in which all calls to one store fail, before or after they take effect. */
  const failing = (name: "DB" | "READS" | "IMAGES", draw: number) => {
    const { env } = faultyBindings(bindings, { chance: () => draw, rate: 1 });
    return Object.fromEntries(Object.entries(env).filter(([binding]) => binding.startsWith(name)));
  };

  it("answers 503 with Retry-After, and creates one alert once storage works again", async () => {
    expectLogged(/injected: (before|after)/);
    const { agency, webhook, camera } = await newPosts();
    const [seen, told] = [newPlate(), newPlate()];
    const group = await newGroup(agency.id, [plate(seen), plate(told)]);
    const event = axisEvent({
      plateUTF8: seen,
      ImageArray: [{ ImageType: "vehicle", BinaryImage: jpeg }],
    });
    const document = groupDocument({ best_plate_number: told, epoch_start: Date.now() - 1000 });
    const rekor = `/ingest/rekor/${webhook.secret}`;
    const axis = `/ingest/axis/${camera.secret}`;
    for (const draw of [0, 0.5]) {
      for (const [path, body, name] of [
        [axis, event, "DB"],
        [axis, event, "READS"],
        [axis, event, "IMAGES"],
        [rekor, document, "DB"],
      ] as const) {
        const answer = await post(path, body, failing(name, draw));
        expect([path, name, answer.status]).toEqual([path, name, 503]);
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
        expect(await answer.text()).not.toContain("injected");
      }
    }
    expect(await alertsOf(group.id)).toEqual([]);
    expect((await post(axis, event, {})).status).toBe(200);
    expect((await post(rekor, document, {})).status).toBe(200);
    expect((await alertsOf(group.id)).map((row) => row.plate)).toEqual([seen, told]);
  });

  it("still reports invalid bodies as invalid", async () => {
    const { webhook } = await newPosts();
    expect((await post(`/ingest/rekor/${webhook.secret}`, [], {})).status).toBe(400);
    expect((await post("/ingest/rekor/nobody", {}, {})).status).toBe(401);
  });
});

describe("any post to a webhook", () => {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      [],
      {},
      "",
      "0",
      -1,
      Number.MAX_VALUE,
      2 ** 60,
      "%%%",
      "\u0000",
      "2099-01-01",
      4e15,
    ),
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ maxLength: 40 }),
  );

  it("is accepted or refused with a 4xx status, without a server error or an alert for another agency", async () => {
    const { agency, webhook, camera } = await newPosts();
    const group = await newGroup(agency.id, [plate(newPlate())]);
    const fields = [...Object.keys(groupDocument()), "vehicle_crop_jpeg", "uuids", "data_type"];
    const axisFields = [...Object.keys(axisEvent()), "geotag", "vehicle_info", "ImageArray", "plateText"];
    const broken = (names: string[]) =>
      fc.dictionary(fc.constantFrom(...names), odd, { minKeys: 1, maxKeys: 4 });
    const statuses = new Set<number>();
    const post = async (path: string, body: unknown) => {
      const { status } = await send(path, jsonInit(body));
      statuses.add(status);
      expect(status, JSON.stringify(body).slice(0, 400)).toBeLessThan(500);
    };
    await fc.assert(
      fc.asyncProperty(broken(fields), broken(axisFields), odd, async (group, axis, whole) => {
        await post(`/ingest/rekor/${webhook.secret}`, { ...groupDocument(), ...group });
        await post(`/ingest/rekor/${webhook.secret}`, { data_type: "alpr_alert", group });
        await post(`/ingest/rekor/${webhook.secret}`, {
          data_type: "heartbeat",
          video_streams: [group, whole],
        });
        await post(`/ingest/rekor/${webhook.secret}`, whole ?? null);
        await post(`/ingest/axis/${camera.secret}`, { ...axisEvent(), ...axis });
        await post("/ingest/rekor", { custom_data: whole, ...group });
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 60), seed: 7 },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401]));
    expect(await alertsOf(group.id)).toEqual([]);
  });

  it("is refused if it is not JSON, is too deeply nested or too large, or declares too large a size", async () => {
    const { webhook, camera } = await newPosts();
    const deep = `${'{"group":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    const wide = `[${"{},".repeat(300_000)}{}]`;
    const gigabyte = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1_000_000).fill(32)),
    });
    const post = async (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
      (
        await send(path, {
          method: "POST",
          body,
          headers: { "content-type": "application/json", ...headers },
        })
      ).status;
    for (const path of [`/ingest/rekor/${webhook.secret}`, `/ingest/axis/${camera.secret}`]) {
      expect(await post(path, "{")).toBe(400);
      expect(await post(path, "[]")).toBe(400);
      expect(await post(path, deep)).toBe(400);
      expect(await post(path, `{"group":${wide}}`)).toBe(400);
      expect(await post(path, "[".repeat(5_000_000))).toBe(400);
      expect(await post(path, " ".repeat(5_300_000))).toBe(413);
      expect(await post(path, "{}", { "content-type": "text/html" })).toBe(415);
    }
    expect(await post(`/ingest/rekor/${webhook.secret}`, gigabyte)).toBe(413);
    const keys = Array.from({ length: 300_000 }, (_, i) => `"k${i}":0`).join();
    expect(await post(`/ingest/rekor/${webhook.secret}`, `{${keys}}`)).toBe(400);
    // The same limits apply if the secret is in the body.
    expect(await post("/ingest/rekor", `{"custom_data":"${webhook.secret}","group":${wide}}`)).toBe(400);
  });
});
