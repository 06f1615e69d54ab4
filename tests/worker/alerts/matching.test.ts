import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { sweepVendorImages } from "#app/domain/alerts/images.ts";
import { matchReads } from "#app/domain/alerts/matching.ts";
import { continueImport } from "#app/domain/hotlists/import-work.ts";
import { applyImport, startImport } from "#app/domain/hotlists/imports.ts";
import { editPlate, renewPlates } from "#app/domain/hotlists/plate-changes.ts";
import { pagePlates } from "#app/domain/hotlists/plates.ts";
import { pollAxon } from "#app/domain/ingest/axon.ts";
import { listSources } from "#app/domain/search/searchable.ts";
import type { AlertPage } from "#app/entities/alerts/hit.ts";
import type { LiveRead, ReadOrigin } from "#app/entities/alerts/match.ts";
import { EntryDetails, ImportOptions } from "#app/entities/hotlists/calls.ts";
import { foldLookalikes } from "#app/entities/hotlists/entry.ts";
import { at } from "#app/lib/at.ts";
import { DAY, HOUR, isoTime, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { listMaySearch } from "#app/store/search/permission.ts";
import {
  bindings,
  client,
  newAgency,
  newUser,
  newWorld,
  sessionActorOf,
  setUpPart,
  testApp,
  unique,
  vendors,
} from "../../factories.ts";
import { alertsOf, BUSY_INSTANT, newGroup, newPlate, plate, withoutQueue } from "../../live.ts";
import { beforeCall } from "../../support/operations/buckets.ts";

let app: AppContext & { told: string[] };

beforeAll(() => {
  app = withoutQueue(testApp());
});

const axis = (agencyId: string): ReadOrigin => ({ program: "Axis", agencyId, integrationId: "" });

function read(
  number: string,
  over: { origin: ReadOrigin } & Partial<LiveRead> & Partial<LiveRead["facts"]>,
): LiveRead {
  const { origin, passKey = unique("pass"), rank = 1, plateState = "CT", sentImages = [], ...facts } = over;
  const { capturedAt = Date.now() } = facts;
  return {
    origin,
    passKey,
    plate: number,
    plateState,
    seenAt: capturedAt,
    rank,
    caveats: [],
    vendorImages: null,
    sentImages,
    facts: {
      plate: number,
      plateState,
      make: "Honda",
      color: "Blue",
      bodyType: "SUV",
      confidence: 91,
      capturedAt,
      cameraId: "cam",
      cameraName: "Main St",
      latitude: 41.7,
      longitude: -72.7,
      vehicleImageKey: null,
      plateImageKey: null,
      ...facts,
    },
  };
}

const sqlFold = async (plates: string[]) => {
  // The expression of the index itself, read from the database.
  const index = await bindings.DB.prepare(
    "SELECT sql FROM sqlite_master WHERE name = 'hotlist_entries_folded'",
  ).first<string>("sql");
  const expression = /\((replace.*)\)$/.exec((index ?? "").replaceAll("\n", " ").trim())?.[1];
  const { results } = await bindings.DB.prepare(
    `SELECT ${expression} AS folded FROM (SELECT value AS plate FROM json_each(?))`,
  )
    .bind(JSON.stringify(plates))
    .all<{ folded: string }>();
  return results.map(({ folded }) => folded);
};

/** Ends the entries of a group and adds equal ones, as an import does. */
async function replaceEntries(groupId: string): Promise<void> {
  await bindings.DB.batch(
    [
      `INSERT INTO hotlist_entries (group_id, plate, state, reason, created_at, added_by, added_by_name, added_by_agency, digest, from_version)
        SELECT group_id, plate, state, reason, created_at, added_by, added_by_name, added_by_agency, digest, 2
        FROM hotlist_entries
        WHERE group_id = ?`,
      "UPDATE hotlist_entries SET until_version = 2 WHERE group_id = ? AND from_version < 2",
      "UPDATE alert_groups SET list_version = 2 WHERE id = ?",
    ].map((sql) => bindings.DB.prepare(sql).bind(groupId)),
  );
}

describe("matching a read", () => {
  it("folds look-alikes in SQL exactly as in TypeScript", async () => {
    const plates = fc.sample(
      fc.string({ unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*?ÖÆ"), maxLength: 15 }),
      3000,
    );
    expect(await sqlFold(plates)).toEqual(plates.map(foldLookalikes));
  });

  it("follows each entry's rule: exact, look-alike, state required, wildcard", async () => {
    const agency = await newAgency();
    const stem = newPlate().slice(0, 5);
    const group = await newGroup(agency.id, [
      plate(`${stem}O1`),
      plate(`${stem}O1`, { state: "CT", match_policy: "lookalike" }),
      plate(`${stem}O1`, { state: "MA", state_required: true, match_policy: "lookalike" }),
      plate(`${stem}*`),
      plate(`?${stem.slice(1)}??`, { state: "NY", match_policy: "lookalike" }),
    ]);
    const kinds = async (number: string, state: string) => {
      const passKey = unique("pass");
      await matchReads(app, [read(number, { origin: axis(agency.id), passKey, plateState: state })]);
      return (await alertsOf(group.id))
        .filter((row) => row.pass_key === passKey)
        .map((row) => `${group.entries.indexOf(row.entry_id)} ${row.match_kind}`)
        .sort();
    };
    expect(await kinds(`${stem}O1`, "CT")).toEqual(["0 exact", "1 exact", "3 wildcard", "4 wildcard"]);
    expect(await kinds(`${stem}0I`, "CT")).toEqual(["1 lookalike", "3 wildcard", "4 wildcard"]);
    expect(await kinds(`${stem}D1`, "MA")).toEqual([
      "1 lookalike",
      "2 lookalike",
      "3 wildcard",
      "4 wildcard",
    ]);
    expect(await kinds(`${stem}O7`, "CT")).toEqual(["3 wildcard", "4 wildcard"]);
    expect(await kinds(`${stem}O17`, "CT")).toEqual(["3 wildcard"]);
    expect(await kinds(`7${stem}O1`, "CT")).toEqual([]);
  });

  it("copies the entry to the alert and lists the differences, starting with the plate", async () => {
    const agency = await newAgency();
    const number = `${newPlate().slice(0, 6)}0`;
    const details = {
      state: "CT",
      color: "White",
      match_policy: "lookalike",
      priority: "high",
      case_number: "26-1",
    };
    const group = await newGroup(agency.id, [plate(number, details)], { listedAgo: 27 * DAY });
    await matchReads(app, [read(number.replace(/0$/, "O"), { origin: axis(agency.id), plateState: "MA" })]);
    const [row] = await alertsOf(group.id);
    expect(row).toMatchObject({
      listed_plate: number,
      priority: "high",
      case_number: "26-1",
      camera_agency: agency.name,
    });
    expect(JSON.parse(row?.differences ?? "")).toEqual([
      `Plate differs in one look-alike: ${number.replace(/0$/, "O")}, listed ${number}`,
      "State differs: MA, listed CT",
      "Color differs: Blue, listed White",
      "Entry is 27 days old",
    ]);
    const at = await bindings.DB.prepare("SELECT last_alert_at FROM alert_groups WHERE id = ?")
      .bind(group.id)
      .first("last_alert_at");
    expect(at).toBeGreaterThan(Date.now() - MINUTE);
  });

  it("creates one alert per group that lists the plate, and announces each after its commit", async () => {
    const agency = await newAgency();
    const number = newPlate();
    const groups = [await newGroup(agency.id, [plate(number)]), await newGroup(agency.id, [plate(number)])];
    const seen = read(number, { origin: axis(agency.id) });
    app.told.length = 0;
    await matchReads(app, [seen]);
    const rows = (await Promise.all(groups.map(({ id }) => alertsOf(id)))).flat();
    expect(rows).toHaveLength(2);
    expect(app.told.sort()).toEqual(rows.map(({ id }) => id).sort());
    await matchReads(app, [seen, seen]);
    expect((await Promise.all(groups.map(({ id }) => alertsOf(id)))).flat()).toHaveLength(2);
  });

  it("does not write a repeated event once its members are notified, and announces it until then", async () => {
    const agency = await newAgency();
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const seen = read(number, { origin: axis(agency.id) });
    expect(await matchReads(app, [seen])).toBe(1);
    // Its message was lost, or its deliveries could not be written.
    app.told.length = 0;
    expect(await matchReads(app, [seen])).toBe(1);
    expect(app.told).toHaveLength(1);
    await bindings.DB.prepare("UPDATE alerts SET fanned_out_at = 1 WHERE group_id = ?").bind(group.id).run();
    expect(await matchReads(app, [seen])).toBe(0);
    expect(await matchReads(app, [{ ...seen, rank: seen.rank + 1 }])).toBe(1);
    expect(await alertsOf(group.id)).toHaveLength(1);
  });

  it("creates one alert for two concurrent events of a pass while their entry is replaced by an equal one", async () => {
    const agency = await newAgency();
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const passKey = unique("pass");
    const pass = { origin: axis(agency.id), passKey };
    const sentImages = [{ kind: "vehicle" as const, bytes: new Uint8Array(9), type: "image/jpeg" as const }];
    // While the picture of the first event is stored, an import replaces the entry, and the second event is matched.
    const images = new Proxy(bindings.IMAGES, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return async (...values: unknown[]) => {
          if (name === "put") {
            await replaceEntries(group.id);
            await matchReads(app, [read(number, { ...pass, rank: 2, make: "Acura" })]);
          }
          return value.apply(target, values);
        };
      },
    });
    const best = { ...read(number, { ...pass, rank: 3, make: "Volvo" }), sentImages };
    await matchReads({ ...app, images }, [best]);
    expect(await alertsOf(group.id)).toEqual([
      expect.objectContaining({ make: "Volvo", vehicle_image_key: expect.any(String) }),
    ]);
  });

  it("creates no alert for a plate that is removed while the pictures are stored, but one if it is changed", async () => {
    const agency = await newAgency();
    const number = newPlate();
    const changes = ["until_version = from_version", "state = 'MA'", "state = state"];
    const groups = await Promise.all(changes.map(() => newGroup(agency.id, [plate(number)])));
    const IMAGES = beforeCall(bindings.IMAGES, "put", async () => {
      for (const [i, { id }] of groups.entries())
        await bindings.DB.prepare(`UPDATE hotlist_entries SET ${changes[i]} WHERE group_id = ?`)
          .bind(id)
          .run();
      await bindings.DB.prepare("UPDATE alert_groups SET archived_at = 1 WHERE id = ?")
        .bind(groups[2]?.id)
        .run();
    });
    const image = { kind: "vehicle", bytes: new Uint8Array([1]), type: "image/jpeg" } as const;
    const slow = withoutQueue(testApp(Date.now, { IMAGES }));
    await matchReads(slow, [read(number, { origin: axis(agency.id), sentImages: [image] })]);
    const hits = await Promise.all(groups.map(({ id }) => alertsOf(id)));
    expect(hits.map(({ length }) => length)).toEqual([0, 1, 0]);
    expect(slow.told).toHaveLength(1);
  });

  it("creates alerts that appear in an open history even if they are committed after a newer alert", async () => {
    const agency = await newAgency();
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number)]);
    const slow = withoutQueue(testApp(() => Date.now() - 5 * SECOND));
    const who = await client(await newUser(agency.id, { role: "admin" }));
    async function ask<T>(path: string): Promise<T> {
      const response = await who.fetch(`/alerts/group/${group.id}/${path}`);
      return response.json();
    }
    await matchReads(app, [read(number, { origin: axis(agency.id) })]);
    const { latest } = await ask<AlertPage>("data");
    await matchReads(slow, [read(number, { origin: axis(agency.id) })]);
    expect(await ask(`new?latest=${latest}`)).toEqual({ count: 1 });
    const now = await ask<AlertPage>("data");
    expect(await ask(`new?latest=${now.latest}`)).toEqual({ count: 0 });
    const lastAlert = await bindings.DB.prepare("SELECT last_alert_at FROM alert_groups WHERE id = ?")
      .bind(group.id)
      .first("last_alert_at");
    expect(lastAlert).toBe(Number(now.latest));
  });

  it("creates every alert of a large batch, even with very long notes", async () => {
    const agency = await newAgency();
    const number = newPlate();
    const notes = "Seen near the school. ".repeat(90).trim();
    const groups = [
      await newGroup(agency.id, [plate(number, { notes })]),
      await newGroup(agency.id, [plate(number, { notes })]),
    ];
    const rush = Array.from({ length: 700 }, () => read(number, { origin: axis(agency.id) }));
    await matchReads(app, rush);
    for (const group of groups) expect(await alertsOf(group.id)).toHaveLength(rush.length);
  });

  it("creates no alert for a read from before an expired entry was renewed", async () => {
    const agency = await newAgency();
    const user = await newUser(agency.id, { hotlistAdmin: true });
    const actor = sessionActorOf(user, agency.name);
    const number = newPlate();
    const importFile = async (groupId: string) => {
      const body = new TextEncoder().encode(`plate,reason\n${number},Stolen vehicle\n`);
      const options = ImportOptions.parse({});
      const { id } = await startImport(app, actor, { groupId, options, body, size: body.length });
      await continueImport(app, id);
      await applyImport(app, actor, { groupId, id });
      return id;
    };
    const renewals: Record<string, (groupId: string, part: "near" | "expired") => Promise<unknown>> = {
      "all of a part": (groupId, part) => renewPlates(app, actor, { groupId, part }),
      "one by hand": async (groupId) => {
        const { plates } = await pagePlates(app, actor, { groupId });
        const { id, revision } = at(plates, 0);
        const details = { ...EntryDetails.parse({ reason: "Stolen vehicle" }), revision, renew: true };
        return editPlate(app, actor, { groupId, plateId: String(id), details });
      },
      "by a file": async (groupId) => continueImport(app, await importFile(groupId)),
      "by a file whose expiries are not written yet": importFile,
    };
    // An entry that had not expired was in force all the time.
    const parts = [
      { part: "expired", expiresIn: -10 * DAY, wasInForce: false },
      { part: "near", expiresIn: HOUR, wasInForce: true },
    ] as const;
    for (const [name, renew] of Object.entries(renewals))
      for (const { part, expiresIn, wasInForce } of parts) {
        const { id } = await newGroup(agency.id, [plate(number)]);
        const isHitBy = async (ago: number) => {
          const before = (await alertsOf(id)).length;
          await matchReads(app, [read(number, { origin: axis(agency.id), capturedAt: Date.now() - ago })]);
          return (await alertsOf(id)).length > before;
        };
        await bindings.DB.prepare(
          "UPDATE hotlist_entries SET created_at = ?, expires_at = ? WHERE group_id = ?",
        )
          .bind(Date.now() - 30 * DAY, Date.now() + expiresIn, id)
          .run();
        await renew(id, part);
        expect(await isHitBy(3 * HOUR), name).toBe(wasInForce);
        expect(await isHitBy(0), name).toBe(true);
      }
  });

  it("applies every list change to the next read: removal, expiry, archiving, wildcards", async () => {
    const agency = await newAgency();
    const number = newPlate();
    const group = await newGroup(agency.id, [plate(number), plate(`${number.slice(0, 6)}?*`)]);
    const hits = async () => {
      const before = (await alertsOf(group.id)).length;
      await matchReads(app, [read(number, { origin: axis(agency.id) })]);
      return (await alertsOf(group.id)).length - before;
    };
    const run = (sql: string, ...values: unknown[]) =>
      bindings.DB.prepare(sql)
        .bind(...values)
        .run();
    expect(await hits()).toBe(2);
    await run("UPDATE hotlist_entries SET expires_at = 5 WHERE id = ?", group.entries[1]);
    expect(await hits()).toBe(1);
    await run("UPDATE hotlist_entries SET expires_at = NULL WHERE id = ?", group.entries[1]);
    await run("UPDATE hotlist_entries SET until_version = 1 WHERE id = ?", group.entries[0]);
    expect(await hits()).toBe(1);
    await run("UPDATE hotlist_entries SET until_version = 1 WHERE id = ?", group.entries[1]);
    expect(await hits()).toBe(0);
    // Staged rows of an import take effect together, when the list switches to the new version.
    await run("UPDATE hotlist_entries SET until_version = 2 WHERE group_id = ?", group.id);
    expect(await hits()).toBe(2);
    await run("UPDATE alert_groups SET list_version = 2 WHERE id = ?", group.id);
    expect(await hits()).toBe(0);
    await run(
      "UPDATE hotlist_entries SET from_version = 2, until_version = NULL WHERE group_id = ?",
      group.id,
    );
    expect(await hits()).toBe(2);
    await run("UPDATE alert_groups SET archived_at = 1 WHERE id = ?", group.id);
    expect(await hits()).toBe(0);
  });
});

describe("the groups that a read may alert", () => {
  it.each(["Axis", "Rekor", "Axon"] as const)(
    "leave out an agency with which the sharing of %s ends while the pictures are stored, also for a better event",
    async (program) => {
      const [owner, viewer] = [await newAgency(), await newAgency()];
      const number = newPlate();
      const [own, other] = [
        await newGroup(owner.id, [plate(number)]),
        await newGroup(viewer.id, [plate(number)]),
      ];
      const integration = {
        id: unique("axon"),
        agencyId: owner.id,
        baseUrl: `${vendors.url}/axon/unused`,
        clientId: "c",
        clientSecret: "s",
        partnerId: "p",
      };
      await setUpPart({ axonIntegrations: [integration] });
      const share = (verb: string) =>
        bindings.DB.batch(
          ["axis_shares", "rekor_shares"].map((table) =>
            bindings.DB.prepare(
              verb === "end"
                ? `DELETE FROM ${table} WHERE owner_agency_id = ?1 AND viewer_agency_id = ?2`
                : `INSERT INTO ${table} (owner_agency_id, viewer_agency_id, created_at) VALUES (?1, ?2, 0)`,
            ).bind(owner.id, viewer.id),
          ),
        );
      await share("begin");
      const IMAGES = beforeCall(bindings.IMAGES, "put", async () => {
        await share("end");
        await setUpPart({ axonBlacklist: [{ integrationId: integration.id, agencyId: viewer.id }] });
      });
      const origin = { program, agencyId: owner.id, integrationId: program === "Axon" ? integration.id : "" };
      const image = { kind: "vehicle", bytes: new Uint8Array([1]), type: "image/jpeg" } as const;
      const passKey = unique("pass");
      // The viewer has a hit of an earlier pass, and none of one whose pictures are stored when the sharing ends.
      await matchReads(app, [read(number, { origin, passKey, make: "Honda" })]);
      await bindings.DB.prepare("UPDATE alerts SET fanned_out_at = 1 WHERE pass_key = ?").bind(passKey).run();
      const slow = withoutQueue(testApp(Date.now, { IMAGES }));
      await matchReads(slow, [
        read(number, { origin, sentImages: [image] }),
        read(number, { origin, passKey, rank: 2, make: "Toyota" }),
      ]);
      expect((await alertsOf(own.id)).map(({ make }) => make).sort()).toEqual(["Honda", "Toyota"]);
      expect((await alertsOf(other.id)).map(({ make }) => make)).toEqual(["Honda"]);
      expect(slow.told).toHaveLength(1);
    },
  );

  it("are those whose agency may search the read, by the sharing rules of a search", async () => {
    const [a, b, c] = [await newAgency(), await newAgency(), await newAgency()];
    const number = newPlate();
    const groups = await Promise.all([a, b, c].map(({ id }) => newGroup(id, [plate(number)])));
    const integration = {
      id: unique("axon"),
      agencyId: a.id,
      baseUrl: `${vendors.url}/axon/unused`,
      clientId: "c",
      clientSecret: "s",
      partnerId: "p",
    };
    const camera = {
      id: unique("camera"),
      agencyId: a.id,
      name: "A's",
      latitude: 41,
      longitude: -72,
      secret: unique("s"),
    };
    await setUpPart({
      axisCameras: [camera],
      axisShares: [{ ownerAgencyId: a.id, viewerAgencyId: b.id }],
      axonIntegrations: [integration],
      axonBlacklist: [{ integrationId: integration.id, agencyId: b.id }],
      rekorKeys: [
        {
          id: unique("key"),
          tenantId: c.id,
          agency: a.name.toUpperCase(),
          baseUrl: "https://r.example",
          key: "12345678",
        },
      ],
    });
    const origins: ReadOrigin[] = [
      axis(a.id),
      { program: "Axon", agencyId: a.id, integrationId: integration.id },
      { program: "Rekor", agencyId: a.id, integrationId: "" },
    ];
    await bindings.DB.prepare(
      "INSERT INTO rekor_shares (owner_agency_id, viewer_agency_id, created_at) VALUES (?, ?, 0)",
    )
      .bind(a.id, b.id)
      .run();
    const told = async (origin: ReadOrigin) => {
      const passKey = unique("pass");
      await matchReads(app, [read(number, { origin, passKey })]);
      const rows = await Promise.all(groups.map(({ id }) => alertsOf(id)));
      return rows.map((list) => list.some((row) => row.pass_key === passKey));
    };
    expect(await told(at(origins, 0))).toEqual([true, true, false]);
    expect(await told(at(origins, 1))).toEqual([true, false, true]);
    // The name that an agency gives its key is used to query the vendor; it does not decide which webhooks alert it.
    expect(await told(at(origins, 2))).toEqual([true, true, false]);

    // A search gives each agency the same sources.
    const tenants = [a.id, b.id, c.id];
    const pairs = await listMaySearch(app.db, { origins: origins.slice(0, 2), tenants, now: Date.now() });
    for (const tenant of tenants) {
      const sources = await listSources(app, { agencyId: tenant });
      const found = (program: string, id: string) =>
        sources.some((source) => source.program === program && source.id === id);
      const may = (origin: number) => pairs.some(([at, who]) => at === origin && who === tenant);
      expect([found("Axis", a.id), found("Axon", integration.id)]).toEqual([may(0), may(1)]);
    }
  });
});

describe("the Axon poller", () => {
  it("creates one alert per read, however often it polls, and catches up after an outage", async () => {
    const app = withoutQueue(testApp(() => BUSY_INSTANT));
    const world = await newWorld();
    const from = BUSY_INSTANT - 20 * HOUR;
    const sources = (await listSources(app, { agencyId: world.ours.id })).filter(
      ({ id }) => id === world.axon.id,
    );
    const source = sources[0] as (typeof sources)[number];
    const seen = [];
    const query = {
      plate: { kind: "any" as const },
      plateState: "" as const,
      color: "" as const,
      make: "" as const,
      bodyType: "" as const,
      marks: [],
    };
    for await (const page of app.providers.Axon.search({
      source,
      together: [source],
      query: { ...query, from, to: BUSY_INSTANT },
      maxReads: 500,
      signal: AbortSignal.timeout(60_000),
    }))
      seen.push(...page.sightings);
    const sighting = seen.at(-1);
    expect(sighting).toBeDefined();
    const number = sighting?.plate ?? "";
    const expected = seen.filter((one) => one.plate === number).length;
    const group = await newGroup(world.ours.id, [plate(number)], {
      listedAgo: Date.now() - BUSY_INSTANT + 2 * DAY,
    });
    // The poller takes a slice of the integrations; those of other tests would fill it.
    await bindings.DB.prepare("DELETE FROM axon_integrations WHERE id <> ?").bind(source.id).run();
    await bindings.DB.prepare(
      "INSERT INTO poll_cursors (integration_id, cursor, leased_until, at) VALUES (?, ?, 0, 0)",
    )
      .bind(source.id, isoTime(from))
      .run();
    await vendors.setFaults({ program: "axon", kind: "status", code: 503 });
    try {
      await pollAxon(app);
    } finally {
      await vendors.setFaults();
    }
    expect(await alertsOf(group.id)).toEqual([]);
    await Promise.all([pollAxon(app), pollAxon(app)]);
    await pollAxon(app);
    const rows = await alertsOf(group.id);
    expect(rows).toHaveLength(expected);
    // Its images are fetched from the vendor, immediately or by the sweep.
    await sweepVendorImages({ ...app, clock: () => BUSY_INSTANT + MINUTE });
    const pictured = async () =>
      (await alertsOf(group.id)).every((row) => row.vehicle_image_key && row.plate_image_key);
    await expect.poll(pictured, { timeout: 60_000 }).toBe(true);
    const [first] = await alertsOf(group.id);
    expect(first?.vehicle_image_key).toMatch(/^alerts\//);
    expect(await bindings.IMAGES.head(first?.vehicle_image_key ?? "")).not.toBeNull();
    expect(rows[0]).toMatchObject({ program: "Axon", plate: number, camera_agency_id: world.axon.agencyId });
    const cursor = await bindings.DB.prepare("SELECT cursor FROM poll_cursors WHERE integration_id = ?")
      .bind(source.id)
      .first<string>("cursor");
    expect(Date.parse(cursor ?? "")).toBeGreaterThanOrEqual(BUSY_INSTANT);
  });
});
