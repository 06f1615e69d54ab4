import { gzipSync } from "node:zlib";
import { PbfWriter } from "pbf";
import { zxyToTileId } from "pmtiles";
import { type Entry, writeDirectories, writeHead } from "../../workers/local/streets/directories.ts";

type Feature = { type: 1 | 2 | 3; geometry: number[]; tags: Record<string, string> };

const zigzag = (value: number) => (value < 0 ? -value * 2 - 1 : value * 2);
const moveTo = (x: number, y: number) => [9, zigzag(x), zigzag(y)];
const linesTo = (...steps: [number, number][]) => [
  (steps.length << 3) | 2,
  ...steps.flatMap(([x, y]) => [zigzag(x), zigzag(y)]),
];
const square = (x: number, y: number, side: number) => [
  ...moveTo(x, y),
  ...linesTo([side, 0], [0, side], [-side, 0]),
  15,
];

/** Encodes a tile (Mapbox Vector Tile 2.1) of 4096 units. */
function vectorTile(layers: Record<string, Feature[]>): Uint8Array {
  const tile = new PbfWriter();
  for (const [name, features] of Object.entries(layers)) tile.writeMessage(3, writeLayer, { name, features });
  return tile.finish();
}

function writeLayer({ name, features }: { name: string; features: Feature[] }, layer: PbfWriter): void {
  const keys = [...new Set(features.flatMap(({ tags }) => Object.keys(tags)))];
  const values = [...new Set(features.flatMap(({ tags }) => Object.values(tags)))];
  layer.writeVarintField(15, 2);
  layer.writeStringField(1, name);
  for (const { type, geometry, tags } of features) {
    const pairs = Object.entries(tags).flatMap(([key, value]) => [keys.indexOf(key), values.indexOf(value)]);
    layer.writeMessage(
      2,
      (_: unknown, feature: PbfWriter) => {
        feature.writePackedVarint(2, pairs);
        feature.writeVarintField(3, type);
        feature.writePackedVarint(4, geometry);
      },
      undefined,
    );
  }
  for (const key of keys) layer.writeStringField(3, key);
  for (const value of values)
    layer.writeMessage(4, (_: unknown, field: PbfWriter) => field.writeStringField(1, value), undefined);
  layer.writeVarintField(5, 4096);
}

/** A tile of the Protomaps layout: land, a lake, a river, four buildings, two named streets and a highway. */
export function streetTile(name: string): Uint8Array {
  const across = [...moveTo(0, 2048), ...linesTo([2048, 0], [2048, 0])];
  const down = [...moveTo(1024, 0), ...linesTo([0, 2048], [0, 2048])];
  const highway = [...moveTo(0, 3500), ...linesTo([2048, -400], [2048, 200])];
  const river = [...moveTo(3000, 0), ...linesTo([200, 2000], [-300, 2096])];
  return vectorTile({
    earth: [{ type: 3, geometry: square(-64, -64, 4224), tags: { kind: "earth" } }],
    water: [
      { type: 3, geometry: square(2600, 500, 900), tags: { kind: "lake" } },
      { type: 2, geometry: river, tags: { kind: "river" } },
      { type: 1, geometry: moveTo(3050, 950), tags: { kind: "lake", name: `${name} Pond` } },
    ],
    buildings: [
      [1200, 2200],
      [1700, 2200],
      [300, 1500],
      [300, 2300],
    ].map(([x = 0, y = 0]) => ({ type: 3, geometry: square(x, y, 350), tags: { kind: "building" } })),
    places: [{ type: 1, geometry: moveTo(2048, 1200), tags: { kind: "locality", name: `${name} Village` } }],
    roads: [
      { type: 2, geometry: across, tags: { kind: "major_road", name: `${name} Street` } },
      { type: 2, geometry: down, tags: { kind: "minor_road", name: `${name} Lane` } },
      { type: 2, geometry: highway, tags: { kind: "highway", name: "I 84" } },
    ],
  });
}

export type TileOf = { z: number; x: number; y: number; content: Uint8Array };

const PROTOMAPS_LAYERS = ["boundaries", "buildings", "earth", "places", "roads", "water"];

/** Returns a PMTiles archive of these tiles. Consecutive tiles with the same content become a run. */
export function pmtilesArchive(
  tiles: readonly TileOf[],
  over: { tileType?: number; layers?: string[]; compression?: number; metadata?: Uint8Array } = {},
): Uint8Array<ArrayBuffer> {
  const { tileType = 1, layers = PROTOMAPS_LAYERS, compression = 2 } = over;
  const sorted = tiles
    .map((tile) => ({ ...tile, id: zxyToTileId(tile.z, tile.x, tile.y) }))
    .sort((a, b) => a.id - b.id);
  const places = new Map<Uint8Array, { offset: number; length: number }>();
  const data: Uint8Array[] = [];
  const entries: Entry[] = [];
  let dataBytes = 0;
  for (const { id, content } of sorted) {
    let place = places.get(content);
    if (!place) {
      const bytes = compression === 2 ? gzipSync(content) : content;
      place = { offset: dataBytes, length: bytes.length };
      places.set(content, place);
      data.push(bytes);
      dataBytes += bytes.length;
    }
    const last = entries.at(-1);
    if (last && last.offset === place.offset && last.tileId + last.runLength === id) last.runLength++;
    else entries.push({ tileId: id, runLength: 1, ...place });
  }
  const zooms = tiles.map(({ z }) => z);
  const head = writeHead({
    ...writeDirectories(entries),
    metadata:
      over.metadata ??
      gzipSync(
        JSON.stringify({
          attribution: "© OpenStreetMap",
          vector_layers: layers.map((id) => ({ id, fields: { kind: "String" } })),
        }),
      ),
    dataBytes,
    tiles: { addressed: tiles.length, entries: entries.length, contents: data.length },
    tileCompression: compression,
    tileType,
    minZoom: Math.min(...zooms),
    maxZoom: Math.max(...zooms),
    bounds: { west: -180, south: -85, east: 180, north: 85 },
  });
  return new Uint8Array(Buffer.concat([head, ...data]));
}
