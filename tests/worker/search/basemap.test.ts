import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import worker from "../../../workers/app.ts";
import { headOf, openArchive, planExtract, tileData } from "../../../workers/local/streets/extract.ts";
import { tileArchive } from "../../../workers/vendors/tiles.ts";
import { bindings, type Client, client, newWorld, ORIGIN, vendors } from "../../factories.ts";
import { expectLogged } from "../../support/quiet-console.ts";
import { pmtilesArchive, streetTile } from "../../support/street-archive.ts";

let officer: Client;

beforeAll(async () => {
  officer = await client((await newWorld()).users.officer);
});

beforeEach(() => vendors.setFaults());
afterEach(() => vendors.setFaults());

const PNG_HEAD = [0x89, 0x50, 0x4e, 0x47];

/** Calls Odin configured with this basemap. */
async function ask(basemap: string, path: string, who: Client = officer): Promise<Response> {
  const lifetime = createExecutionContext();
  const request = new Request(new URL(path, ORIGIN), { headers: who.headers });
  const answer = await worker.fetch(
    request as never,
    { ...bindings, BASEMAP_URL: basemap, BASEMAP_ATTRIBUTION: "© Somebody" } as never,
    lifetime,
  );
  const body = await answer.arrayBuffer();
  await waitOnExecutionContext(lifetime);
  return new Response(answer.status === 204 ? null : body, answer);
}

const template = (kind = "png") => `${vendors.url}/tiles/{z}/{x}/{y}.${kind}`;
const tile = (address: string, basemap = template()) => ask(basemap, `/map/tiles/${address}`);
const head = async (answer: Response) => [...new Uint8Array(await answer.arrayBuffer()).slice(0, 4)];

describe("the operator's basemap, proxied through Odin's own origin", () => {
  it("serves images of a tile server, typed by their content and cached only by this browser", async () => {
    const answer = await tile("7/38/47");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("image/png");
    expect(answer.headers.get("cache-control")).toBe("private, max-age=604800");
    expect(await head(answer)).toEqual(PNG_HEAD);
    expect(await (await ask(template(), "/map/basemap")).json()).toEqual({
      kind: "raster",
      attribution: "© Somebody",
      minZoom: 0,
      maxZoom: 19,
    });
  });

  it("serves vector tiles", async () => {
    const answer = await tile("7/38/47", template("pbf"));
    expect(answer.headers.get("content-type")).toBe("application/vnd.mapbox-vector-tile");
    expect(await head(answer)).toEqual([0x1a, 32, 0x78, 2]);
    expect(await (await ask(template("pbf"), "/map/basemap")).json()).toMatchObject({ kind: "vector" });
  });

  it("serves zoom levels up to 19, and refuses other addresses without a vendor request", async () => {
    expect((await tile("19/155000/196000")).status).toBe(200);
    await vendors.clearCalls();
    for (const address of ["20/1/1", "3/8/0", "3/-1/0", "1.5/0/0", "a/b/c"])
      expect((await tile(address)).status, address).toBe(400);
    expect((await vendors.calls()).tiles).toBeUndefined();
  });

  it("answers 204 for a missing tile", async () => {
    const answer = await tile("9/3/0");
    expect(answer.status).toBe(204);
    expect(answer.headers.get("cache-control")).toContain("private");
  });

  it.each([
    { fault: { kind: "html" } as const, because: "a page is no tile" },
    { fault: { kind: "huge" } as const, because: "a tile has at most 4 MB" },
    { fault: { kind: "redirect", url: "/tiles/1/0/0.png" } as const, because: "redirects lead anywhere" },
    { fault: { kind: "status", code: 500 } as const, because: "the server has failed" },
  ])("refuses $fault.kind, since $because", async ({ fault }) => {
    await vendors.setFaults({ program: "tiles", ...fault });
    for (const basemap of [template(), template("pbf")]) {
      const answer = await tile("7/38/47", basemap);
      expect(answer.status).toBe(503);
      expect(answer.headers.get("content-type")).toContain("application/json");
    }
  });

  it("reads an archive at a URL with range requests", async () => {
    const archive = `${vendors.url}/tiles/world.pmtiles`;
    expect(await (await ask(archive, "/map/basemap")).json()).toMatchObject({
      kind: "raster",
      minZoom: 0,
      maxZoom: 1,
    });
    const answer = await tile("1/0/1", archive);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(await head(answer)).toEqual(PNG_HEAD);
    expect((await tile("1/1/0", archive)).status).toBe(204);
    expect((await tile("9/3/3", archive)).status).toBe(204);
    await vendors.setFaults({ program: "tiles", kind: "redirect", url: "/tiles/world.pmtiles" });
    expect((await tile("1/0/1", archive)).status).toBe(503);
  });

  it("reads an archive in the bucket, and falls back to the embedded map if there is none", async () => {
    await bindings.IMAGES.put("basemap/world.pmtiles", await tileArchive());
    const answer = await tile("0/0/0", "r2:world.pmtiles");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect((await tile("1/1/0", "r2:world.pmtiles")).status).toBe(204);
    expect((await tile("0/0/0", "r2:gone.pmtiles")).status).toBe(503);
    expect(await (await ask("r2:gone.pmtiles", "/map/basemap")).json()).toMatchObject({ kind: "embedded" });
    expectLogged(/the configured basemap is not available/);
  });

  it("serves the tiles of an extracted region, decompressed", async () => {
    const hartford = { z: 12, x: 1221, y: 1524 };
    const [inside, outside] = [streetTile("Main"), streetTile("Elsewhere")];
    const planet = pmtilesArchive([
      { z: 0, x: 0, y: 0, content: inside },
      { ...hartford, content: inside },
      { ...hartford, x: 200, content: outside },
    ]);
    const source = {
      read: async (at: number, length: number) => planet.slice(at, at + length),
      close: async () => {},
    };
    const archive = await openArchive(source);
    const box = { west: -72.75, south: 41.7, east: -72.6, north: 41.8 };
    const extract = await planExtract(archive, { region: { name: "box", boxes: [box] }, maxZoom: 15 });
    const parts: Uint8Array<ArrayBufferLike>[] = [headOf(archive, extract)];
    for await (const part of tileData(archive, extract)) parts.push(part);
    await bindings.IMAGES.put("basemap/hartford.pmtiles", await new Blob(parts as BlobPart[]).arrayBuffer());
    expect(await (await ask("r2:hartford.pmtiles", "/map/basemap")).json()).toEqual({
      kind: "vector",
      attribution: "© Somebody",
      minZoom: 0,
      maxZoom: 12,
    });
    const answer = await tile("12/1221/1524", "r2:hartford.pmtiles");
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(inside));
    expect((await tile("12/200/1524", "r2:hartford.pmtiles")).status).toBe(204);
  });

  it("requires a session", async () => {
    const anonymous = { ...officer, headers: { "sec-fetch-site": "same-origin" } };
    expect((await ask(template(), "/map/tiles/1/0/0", anonymous)).status).toBe(401);
  });
});
