import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { openImage } from "#app/domain/search/images.ts";
import { selectSources } from "#app/domain/search/searchable.ts";
import type { RekorCamera } from "#app/entities/ingest/camera.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search/query.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { noteRekorCameras } from "#app/store/ingest/rekor-cameras.ts";
import worker from "../../../workers/app.ts";
import { axisCameraSecret } from "../../../workers/vendors/credentials.ts";
import { countingDatabase, noCounts } from "../../bench/support/counting-database.ts";
import {
  actorOf,
  apiClient,
  bindings,
  type Client,
  client,
  jsonInit,
  newAgency,
  newUser,
  newWorld,
  ORIGIN,
  pushRead,
  type Row,
  search,
  searchBody,
  send,
  setUpPart,
  testApp,
  unique,
  type World,
} from "../../factories.ts";
import { newPlate, newWebhook } from "../../live.ts";
import { expectLogged, requestLines } from "../../support/quiet-console.ts";

let world: World;
let officer: Client;
let owner: Client;
let rows: Row[];

beforeAll(async () => {
  world = await newWorld();
  officer = await client(world.users.officer);
  owner = await client(world.users.owner);
  ({ rows } = await search(officer, searchBody(world.agencies)));
});

const ALLOWED = "https://cad.odin.test";

/** Calls Odin with other settings. */
async function configured(
  settings: Record<string, string>,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const lifetime = createExecutionContext();
  const answer = await worker.fetch(
    new Request(new URL(path, ORIGIN), init) as never,
    { ...bindings, ...settings } as never,
    lifetime,
  );
  const body = await answer.arrayBuffer();
  await waitOnExecutionContext(lifetime);
  return new Response(answer.status === 204 ? null : body, answer);
}

const pictureOf = (row: Row) => `/proxy-rekor-image?image_uuid=${encodeURIComponent(row.image_uuid ?? "")}`;

/** Returns a Rekor read that also has an image of its plate. */
function pictured(): Row {
  const row = rows.find(
    ({ source_program, image_uuid }) => source_program === "Rekor" && image_uuid?.endsWith(".p"),
  );
  if (!row) throw new Error("no Rekor read has a picture of its plate");
  return row;
}

describe("a client that uses the documented field names", () => {
  it("gets images from /proxy-rekor-image and /rekor/cropped-plate by the same image_uuid", async () => {
    const row = pictured();
    const bytes = async (path: string) => {
      const answer = await officer.fetch(path);
      expect(answer.status).toBe(200);
      return new Uint8Array(await answer.arrayBuffer());
    };
    const vehicle = await bytes(`/proxy-rekor-image?image_uuid=${encodeURIComponent(row.image_path ?? "")}`);
    expect(await bytes(pictureOf(row))).toEqual(vehicle);
    const plate = await bytes(`/rekor/cropped-plate?image_uuid=${encodeURIComponent(row.image_uuid ?? "")}`);
    expect(plate).not.toEqual(vehicle);
  });

  it("corrects Rekor cameras whose ids contain slashes, encoded or not, with numbers as text", async () => {
    const id = `${unique("AGENT")}/7/b`;
    const camera = { id, agencyId: null, name: "", siteName: "", latitude: null, longitude: null };
    await Promise.all(noteRekorCameras(testApp().db, [{ ...camera, at: Date.now(), kind: "read" }]));
    const patch = async (path: string, latitude: unknown) => {
      const body = { corrected_latitude: latitude, corrected_longitude: "-72.5", agency_id: null };
      const answer = await owner.fetch(path, jsonInit({ ...body, is_manual: true }, { method: "PATCH" }));
      return [answer.status, ((await answer.json()) as RekorCamera).corrected_latitude];
    };
    expect(await patch(`/rekor-cameras/${encodeURIComponent(id)}`, 41.25)).toEqual([200, 41.25]);
    expect(await patch(`/rekor-cameras/${id}`, "41.5")).toEqual([200, 41.5]);
    expect((await patch(`/rekor-cameras/${id}`, "41.5N"))[0]).toBe(400);
    expect((await patch(`/rekor-cameras/${id}`, "1e1"))[0]).toBe(400);
    expect((await patch(`/rekor-cameras/${id}/none`, 41.5))[0]).toBe(404);
  });

  it("searches every program that has an agency with the given name", () => {
    const source = (over: Partial<SearchSource>): SearchSource => ({
      id: unique("source"),
      program: "Rekor",
      agency: "Hartford Police Department",
      integrationId: "",
      baseUrl: "",
      sealedSecret: "",
      clientId: "",
      partnerId: "",
      cameraIds: [],
      ...over,
    });
    const sources = [
      source({}),
      source({ program: "Axis", cameraIds: ["c1", "c2"] }),
      source({ program: "Axon", agency: "Other" }),
    ];
    expect(selectSources(sources, ["Hartford Police Department"])).toEqual(sources.slice(0, 2));
    expect(selectSources(sources, ["hartford police department"])).toBeUndefined();
  });
});

describe("the source of an image", () => {
  it("is the only one that is looked up, however many cameras are shared", async () => {
    const sharer = await newAgency();
    const cameras = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const id = unique("many");
        return { id, agencyId: sharer.id, name: id, secret: await axisCameraSecret("test", id) };
      }),
    );
    await setUpPart({
      axisCameras: cameras.map((camera) => ({ ...camera, latitude: 41.76, longitude: -72.67 })),
      axisShares: [{ ownerAgencyId: sharer.id, viewerAgencyId: world.ours.id }],
    });
    const plate = newPlate();
    await pushRead(world.camera, { plate, at: Date.now() });
    const found = await search(officer, searchBody(world.agencies, { plate }));
    const [axis] = found.rows;
    const counts = noCounts();
    const app = testApp(Date.now, { DB: countingDatabase(bindings.DB, () => counts) });
    const actor = await actorOf(officer);
    const open = (program: SourceProgram, reference: string | null | undefined) =>
      openImage(app, actor, { program, reference: reference ?? "", signal: AbortSignal.timeout(5000) });
    for (const [program, reference] of [
      ["Axis", axis?.image_path],
      ["Rekor", pictured().image_uuid],
      ["Axon", rows.find(({ source_program }) => source_program === "Axon")?.image_path],
    ] as const) {
      counts.rowsRead = 0;
      expect((await open(program, reference)).content, program).toBeTruthy();
      expect(counts.rowsRead, program).toBeLessThan(10);
      const others = SOURCE_PROGRAMS.filter((other) => other !== program);
      for (const other of others)
        await expect(open(other, reference)).rejects.toMatchObject({ code: "not_found" });
    }
  });
});

describe("images on pages of other origins", () => {
  const ask = (origin: string, headers: Record<string, string>, path = pictureOf(pictured())) =>
    configured({ ALLOWED_ORIGINS: `https://other.test, ${ALLOWED} https://bad.test/path` }, path, {
      headers: { ...headers, origin },
    });

  it("can be loaded with credentials by allowed origins", async () => {
    const answer = await ask(ALLOWED, { cookie: officer.headers.cookie ?? "" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(ALLOWED);
    expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
    expect(answer.headers.get("cross-origin-resource-policy")).toBe("same-site");
    expect(answer.headers.get("vary")).toContain("origin");
    const api = await apiClient(world.users.officer);
    const { rows: own } = await search(api, searchBody(world.agencies));
    const row = own.find(({ source_program }) => source_program === "Rekor") as Row;
    const bearer = await ask(ALLOWED, { authorization: api.headers.authorization ?? "" }, pictureOf(row));
    expect([bearer.status, bearer.headers.get("access-control-allow-origin")]).toEqual([200, ALLOWED]);
  });

  it("cannot be read by other origins; allowed origins can read only images", async () => {
    const cookie = officer.headers.cookie ?? "";
    for (const origin of ["https://evil.test", "https://bad.test", "null"])
      expect((await ask(origin, { cookie })).headers.get("access-control-allow-origin")).toBeNull();
    const other = await ask(ALLOWED, { cookie }, "/get-current-user");
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
    expect(other.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });

  it("have a CORS preflight that needs no bearer token", async () => {
    const question = { method: "OPTIONS", headers: { origin: ALLOWED } };
    const path = "/proxy-axis-image?path=x";
    const answer = await configured({ ALLOWED_ORIGINS: ALLOWED }, path, question);
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-headers")).toBe("authorization");
    expect(answer.headers.get("access-control-allow-origin")).toBe(ALLOWED);
    expect((await configured({ ALLOWED_ORIGINS: "" }, path, question)).status).toBe(405);
    expect((await configured({ ALLOWED_ORIGINS: ALLOWED }, "/search-data", question)).status).toBe(405);
  });

  it("are limited to Odin's own pages if no origin is allowed", async () => {
    const answer = await send(pictureOf(pictured()), {
      headers: { cookie: officer.headers.cookie ?? "", origin: ALLOWED },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    expect(answer.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });
});

describe("invalid settings", () => {
  it.each(["/path/x.pmtiles", "https://host/file.pmtile", "r2:../x.pmtiles"])(
    "BASEMAP_URL = %s turns off only the street map, and health reports it",
    async (url) => {
      const settings = { BASEMAP_URL: url };
      const headers = { cookie: officer.headers.cookie ?? "" };
      expect((await configured(settings, "/")).status).toBe(200);
      const map = await configured(settings, "/map/basemap", { headers });
      expect(await map.json()).toMatchObject({ kind: "embedded" });
      expect(await (await configured(settings, "/health")).text()).toContain("misconfigured: BASEMAP_URL");
      const admin = await client(world.users.admin);
      const data = await configured(settings, "/health-data", { headers: admin.headers });
      expect(await data.json()).toMatchObject({ misconfigured: [{ setting: "BASEMAP_URL" }] });
    },
  );
});

describe("the Axon screen", () => {
  it("reports that the agencies could not be loaded, and still shows the integration", async () => {
    expectLogged(/agencies of an Axon integration/);
    const owner = await bindings.DB.prepare("SELECT agency_id FROM axon_integrations LIMIT 1").first<string>(
      "agency_id",
    );
    const admin = await client(await newUser(owner ?? "", { role: "admin" }));
    const broken = new Proxy(bindings.DB, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (name !== "prepare") return value.bind(target);
        return (sql: string) =>
          target.prepare(/axon_blacklist/.test(sql) ? "SELECT * FROM no_such_table" : sql);
      },
    });
    const answer = await configured({ DB: broken as never }, "/integrations/axon", {
      headers: admin.headers,
    });
    expect(answer.status).toBe(200);
    const page = await answer.text();
    expect(page).toContain("Error loading agencies.");
    expect(page).toContain("Existing integration");
  });
});

describe("the log of requests", () => {
  it("has one line per request, without the secret of a webhook", async () => {
    const webhook = await newWebhook((await newAgency()).id);
    await send(`/ingest/rekor/${webhook.secret}`, jsonInit({ data_type: "heartbeat" }));
    expect(requestLines().map((line) => JSON.parse(line))).toMatchObject([
      { message: "request", pattern: "/ingest/rekor/:secret", method: "POST", status: 200 },
    ]);
    expect(requestLines().join()).not.toContain(webhook.secret);
  });
});
