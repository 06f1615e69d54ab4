import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { PMTiles, zxyToTileId } from "pmtiles";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mercatorX, mercatorY } from "#app/entities/search/map/camera.ts";
import { readDirectory, unpacked, writeDirectories } from "../../../workers/local/streets/directories.ts";
import { headOf, openArchive, planExtract, tileData } from "../../../workers/local/streets/extract.ts";
import { type Box, parseRegion, type Region } from "../../../workers/local/streets/regions.ts";
import { type ByteSource, openSource } from "../../../workers/local/streets/source.ts";
import { writeObject } from "../../../workers/local/streets/target.ts";
import { tileRanges } from "../../../workers/local/streets/tile-ranges.ts";
import { pmtilesArchive, streetTile, type TileOf } from "../../support/street-archive.ts";

const memory = (bytes: Uint8Array): ByteSource & { reads: [offset: number, length: number][] } => {
  const reads: [number, number][] = [];
  return {
    reads,
    async read(offset, length) {
      reads.push([offset, length]);
      if (offset + length > bytes.length) throw new Error("The file ends before its directories say.");
      return bytes.subarray(offset, offset + length);
    },
    close: async () => {},
  };
};

/** Reads an archive with the package that Odin serves it with. */
function reader(bytes: Uint8Array<ArrayBuffer>): PMTiles {
  return new PMTiles({
    getKey: () => crypto.randomUUID(),
    getBytes: async (offset, length) => ({ data: bytes.buffer.slice(offset, offset + length) }),
  });
}

const regionOf = (...boxes: Box[]): Region => ({ name: "box", boxes });

async function extracted(bytes: Uint8Array, region: Region, maxZoom = 15) {
  const source = memory(bytes);
  const archive = await openArchive(source);
  const extract = await planExtract(archive, { region, maxZoom });
  const parts: Uint8Array[] = [headOf(archive, extract)];
  for await (const part of tileData(archive, extract)) parts.push(part);
  return { bytes: new Uint8Array(Buffer.concat(parts)), extract, source };
}

/** Returns whether a tile touches a box, computed without tile ids. */
function touches({ z, x, y }: { z: number; x: number; y: number }, box: Box): boolean {
  const side = 2 ** z;
  const column = (longitude: number) => Math.min(side - 1, Math.floor(mercatorX(longitude) * side));
  const row = (latitude: number) => Math.min(side - 1, Math.max(0, Math.floor(mercatorY(latitude) * side)));
  return x >= column(box.west) && x <= column(box.east) && y >= row(box.north) && y <= row(box.south);
}

/** Returns every tile of zooms 0 to `most`. Every fourth has the same content, as tiles of the sea do. */
function pyramid(most: number): TileOf[] {
  const sea = streetTile("Sea");
  return Array.from({ length: most + 1 }, (_, z) =>
    Array.from({ length: 4 ** z }, (_, i) => {
      const [x, y] = [i % 2 ** z, Math.floor(i / 2 ** z)];
      return { z, x, y, content: x % 2 === 0 && y % 2 === 0 ? sea : streetTile(`${z}/${x}/${y}`) };
    }),
  ).flat();
}

const box = fc
  .tuple(
    fc.double({ min: -179, max: 178, noNaN: true }),
    fc.double({ min: -80, max: 79, noNaN: true }),
    fc.double({ min: 0.01, max: 120, noNaN: true }),
    fc.double({ min: 0.01, max: 60, noNaN: true }),
  )
  .map(
    ([west, south, width, height]): Box => ({
      west,
      south,
      east: Math.min(180, west + width),
      north: Math.min(85, south + height),
    }),
  );

describe("the tiles of a region", () => {
  it("are exactly those that touch it, as sorted and disjoint ranges", () => {
    fc.assert(
      fc.property(
        fc.array(box, { minLength: 1, maxLength: 2 }),
        fc.integer({ min: 0, max: 6 }),
        (boxes, zoom) => {
          const ranges = tileRanges(boxes, zoom, zoom);
          ranges.forEach(({ from, to }, i) => {
            expect(to).toBeGreaterThan(from);
            if (i > 0) expect(from).toBeGreaterThan(ranges[i - 1]?.to ?? 0);
          });
          for (let i = 0; i < 4 ** zoom; i++) {
            const tile = { z: zoom, x: i % 2 ** zoom, y: Math.floor(i / 2 ** zoom) };
            const id = zxyToTileId(tile.z, tile.x, tile.y);
            const isIn = ranges.some(({ from, to }) => id >= from && id < to);
            expect(isIn).toBe(boxes.some((one) => touches(tile, one)));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("form few ranges for a whole state at the highest zoom", () => {
    const { boxes } = parseRegion("texas");
    const ranges = tileRanges(boxes, 0, 15);
    expect(ranges.length).toBeLessThan(20_000);
    expect(ranges.reduce((sum, { from, to }) => sum + to - from, 0)).toBeGreaterThan(1_000_000);
  });
});

describe("a region", () => {
  it("is a state, given by its name", () => {
    const { name, boxes } = parseRegion("Connecticut");
    expect(name).toBe("connecticut");
    expect(boxes).toHaveLength(1);
    const [one] = boxes;
    expect([one?.west, one?.south, one?.east, one?.north].map((value) => value?.toFixed(1))).toEqual([
      "-73.7",
      "41.0",
      "-71.8",
      "42.1",
    ]);
    expect(parseRegion("district of columbia").boxes).toHaveLength(1);
    expect(parseRegion("new-york").name).toBe("new-york");
    // The islands of Alaska are on both sides of the antimeridian.
    expect(parseRegion("alaska").boxes.map(({ west, east }) => west < east)).toEqual([true, true]);
  });

  it("is a box in degrees, also across the antimeridian", () => {
    expect(parseRegion("-73.8,40.9,-71.7,42.1").boxes).toEqual([
      { west: -73.8, south: 40.9, east: -71.7, north: 42.1 },
    ]);
    expect(parseRegion("170,-20,-170,-10").boxes).toEqual([
      { west: 170, south: -20, east: 180, north: -10 },
      { west: -180, south: -20, east: -170, north: -10 },
    ]);
  });

  it.each(["atlantis", "1,2,3", "1,2,3,x", "-200,0,10,10", "0,10,10,0", "0,0,0,10", ""])(
    "is not %j",
    (text) => {
      expect(() => parseRegion(text)).toThrow(/There is no state|is not a box/);
    },
  );
});

describe("an extract", () => {
  const source = pmtilesArchive(pyramid(5));

  it("has exactly the tiles of the region, readable by the package that serves them", async () => {
    const region = regionOf({ west: -80, south: 30, east: -60, north: 50 });
    const { bytes, extract } = await extracted(source, region);
    const [result, original] = [reader(bytes), reader(source)];
    const header = await result.getHeader();
    expect(header).toMatchObject({ tileType: 1, minZoom: 0, maxZoom: 5, minLon: -80, maxLat: 50 });
    expect(header.tileDataOffset + (header.tileDataLength ?? 0)).toBe(bytes.length);
    expect(await result.getMetadata()).toEqual(await original.getMetadata());
    let tiles = 0;
    for (const { z, x, y } of pyramid(5)) {
      const [found, expected] = [await result.getZxy(z, x, y), await original.getZxy(z, x, y)];
      const isIn = region.boxes.some((one) => touches({ z, x, y }, one));
      if (isIn)
        expect(Buffer.compare(Buffer.from(found?.data ?? ""), Buffer.from(expected?.data ?? "x"))).toBe(0);
      else expect(found).toBeUndefined();
      if (isIn) tiles++;
    }
    expect(extract.tiles).toBe(tiles);
    expect(header.numAddressedTiles).toBe(tiles);
  });

  it("stores repeated content once, and stops at the requested zoom", async () => {
    const world = regionOf({ west: -180, south: -85, east: 180, north: 85 });
    const { bytes, extract } = await extracted(source, world, 4);
    expect(extract.contents.length).toBeLessThan(extract.tiles);
    expect(new Set(extract.contents.map(({ offset }) => offset)).size).toBe(extract.contents.length);
    expect((await reader(bytes).getHeader()).maxZoom).toBe(4);
    expect(await reader(bytes).getZxy(5, 0, 0)).toBeUndefined();
  });

  it("reads only the directories and tiles that it needs, many at a time", async () => {
    const tiles = Array.from({ length: 4 ** 8 }, (_, i) => ({
      z: 8,
      x: i % 256,
      y: Math.floor(i / 256),
      content: new TextEncoder().encode(`tile ${i}`),
    }));
    const large = pmtilesArchive(tiles);
    const hartford = regionOf({ west: -74, south: 41, east: -71, north: 43 });
    const { bytes, extract, source: read } = await extracted(large, hartford);
    expect((await reader(large).getHeader()).leafDirectoryLength).toBeGreaterThan(0);
    expect(extract.tiles).toBeLessThan(20);
    const total = read.reads.reduce((sum, [, length]) => sum + length, 0);
    expect(total).toBeLessThan(large.length / 5);
    expect(read.reads.length).toBeLessThan(12);
    const one = tiles.find((tile) => touches(tile, { west: -72.7, south: 41.7, east: -72.7, north: 41.7 }));
    const found = await reader(bytes).getZxy(8, one?.x ?? 0, one?.y ?? 0);
    expect(Buffer.from(found?.data ?? "").toString()).toBe(new TextDecoder().decode(one?.content));
  });

  it("refuses a region with too many tiles, or none", async () => {
    const archive = await openArchive(memory(source));
    const world = regionOf({ west: -180, south: -85, east: 180, north: 85 });
    await expect(planExtract(archive, { region: world, maxZoom: 5 }, 100)).rejects.toThrow(
      /more than 100 tiles.*--max-zoom 4/,
    );
    const small = await openArchive(memory(pmtilesArchive([{ z: 8, x: 0, y: 0, content: streetTile("x") }])));
    await expect(planExtract(small, { region: parseRegion("connecticut"), maxZoom: 15 })).rejects.toThrow(
      /no tiles/,
    );
  });
});

describe("an archive", () => {
  const tile = { z: 0, x: 0, y: 0, content: streetTile("Main") };

  it.each([
    ["an image", new Uint8Array(500).fill(7), /not a PMTiles archive/],
    ["an empty file", new Uint8Array(0), /not a PMTiles archive/],
    ["another version", withByte(pmtilesArchive([tile]), 7, 2), /version 2/],
    ["raster tiles", pmtilesArchive([tile], { tileType: 2 }), /vector tiles in the Protomaps layout/],
    [
      "another layout",
      pmtilesArchive([tile], { layers: ["transportation", "water"] }),
      /no layer earth, roads/,
    ],
    ["no metadata", pmtilesArchive([tile], { metadata: gzipSync("no json") }), /not JSON/],
    ["Brotli", withByte(pmtilesArchive([tile]), 98, 3), /compressed with a method/],
    [
      "a bomb as metadata",
      pmtilesArchive([tile], { metadata: gzipSync(Buffer.alloc(80 * 1024 * 1024)) }),
      /larger than/,
    ],
  ])("of %s is refused", async (_, bytes, problem) => {
    await expect(openArchive(memory(bytes))).rejects.toThrow(problem);
  });

  it("that is damaged is refused or read, and reading always ends", async () => {
    const whole = pmtilesArchive(pyramid(3));
    const world = regionOf({ west: -180, south: -85, east: 180, north: 85 });
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (at, value) => {
        await extracted(withByte(whole, at, value), world).catch((error: unknown) =>
          expect(error).toBeInstanceOf(Error),
        );
      }),
      { numRuns: 200 },
    );
  });

  it("has directories that are read as they were written, with leaf directories if there are many entries", () => {
    const entries = Array.from({ length: 60_000 }, (_, i) => ({
      tileId: i * 3 + (i % 2),
      runLength: 1 + (i % 2),
      offset: i * 1000 + (i % 7),
      length: 900 + (i % 50),
    }));
    const { root, leaves } = writeDirectories(entries);
    expect(root.length).toBeLessThanOrEqual(16_257);
    const read = readDirectory(unpacked(root, 2)).flatMap(({ offset, length }) =>
      readDirectory(unpacked(leaves.subarray(offset, offset + length), 2)),
    );
    expect(read).toEqual(entries);
  });
});

function withByte(bytes: Uint8Array, at: number, value: number): Uint8Array<ArrayBuffer> {
  const changed = new Uint8Array(bytes);
  changed[at] = value;
  return changed;
}

describe("a source", () => {
  const bytes = pmtilesArchive(pyramid(2));
  let mode: "ranges" | "whole" | "fails once" | "replaced" = "ranges";
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
    if (mode === "whole") return void response.end(bytes);
    if (mode === "fails once" && asked === 1) return void response.writeHead(503).end();
    response.writeHead(206, { etag: mode === "replaced" ? `"${asked}"` : '"one"' });
    response.end(bytes.subarray(Number(from), Number(to) + 1));
  });
  let url = "";
  const folder = mkdtempSync(join(tmpdir(), "odin-streets-"));

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/planet.pmtiles`;
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  async function readFrom(of: typeof mode) {
    mode = of;
    asked = 0;
    const source = await openSource(url);
    return [await source.read(0, 100), await source.read(100, 50)];
  }

  it("at a URL is read in ranges, also after a failed request", async () => {
    for (const of of ["ranges", "fails once"] as const) {
      const [start, more] = await readFrom(of);
      expect(start).toEqual(bytes.subarray(0, 100));
      expect(more).toEqual(bytes.subarray(100, 150));
    }
  });

  it("at a URL is refused without range requests, if the file changes while it is read, and over http", async () => {
    await expect(readFrom("whole")).rejects.toThrow(/does not support range requests/);
    await expect(readFrom("replaced")).rejects.toThrow(/was replaced/);
    await expect(openSource("http://example.com/planet.pmtiles")).rejects.toThrow(/https/);
  });

  it("that is a file is read up to its end, beyond which reading fails", async () => {
    const path = join(folder, "planet.pmtiles");
    writeFileSync(path, bytes);
    const source = await openSource(path);
    expect(new Uint8Array(await source.read(7, 9))).toEqual(bytes.slice(7, 16));
    await expect(source.read(bytes.length - 1, 2)).rejects.toThrow(/ends before/);
    await source.close();
    await expect(openSource(join(folder, "none.pmtiles"))).rejects.toThrow(/no file/);
  });
});

describe("the upload of an object", () => {
  function bucket(failAt = Number.POSITIVE_INFINITY) {
    const parts: Uint8Array[] = [];
    const done: { completed?: number; aborted?: boolean } = {};
    const upload = {
      uploadPart: async (partNumber: number, part: ArrayBuffer) => {
        if (partNumber === failAt) throw new Error("R2 is down");
        parts.push(new Uint8Array(part));
        return { partNumber, etag: "e" };
      },
      complete: async (all: unknown[]) => void Object.assign(done, { completed: all.length }),
      abort: async () => void Object.assign(done, { aborted: true }),
    };
    return { parts, done, bucket: { createMultipartUpload: async () => upload } as unknown as R2Bucket };
  }
  async function* chunks() {
    for (const size of [3, 10, 1, 12, 4]) yield new Uint8Array(size).fill(size);
  }

  it("is written in parts of equal size, whatever the size of the chunks", async () => {
    const { parts, done, bucket: to } = bucket();
    const progress: number[] = [];
    await writeObject(
      to,
      "basemap/x.pmtiles",
      { chunks: chunks(), onProgress: (bytes) => progress.push(bytes) },
      8,
    );
    expect(parts.map(({ length }) => length)).toEqual([8, 8, 8, 6]);
    expect(progress).toEqual([8, 16, 24, 30]);
    const whole: number[] = [];
    for await (const chunk of chunks()) whole.push(...chunk);
    expect(parts.flatMap((part) => [...part])).toEqual(whole);
    expect(done).toEqual({ completed: 4 });
  });

  it("is aborted if a part fails", async () => {
    const { done, bucket: to } = bucket(2);
    const writing = writeObject(to, "basemap/x.pmtiles", { chunks: chunks(), onProgress: () => {} }, 8);
    await expect(writing).rejects.toThrow("R2 is down");
    expect(done).toEqual({ aborted: true });
  });
});
