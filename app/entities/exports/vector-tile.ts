import { VectorTile, type VectorTileFeature, type VectorTileLayer } from "@mapbox/vector-tile";
import { PbfReader } from "pbf";

/** Widths of roads in pixels, from small to large: the Protomaps schema, which most PMTiles archives use. */
const ROADS: readonly { kinds: readonly string[]; width: number; color: string }[] = [
  { kinds: ["path", "other"], width: 0.8, color: "#b9bec4" },
  { kinds: ["minor_road"], width: 1.6, color: "#a8adb3" },
  { kinds: ["medium_road"], width: 2.4, color: "#8f959c" },
  { kinds: ["major_road"], width: 3.2, color: "#7b8188" },
  { kinds: ["highway"], width: 4.4, color: "#5b6067" },
];
const TEXT_PIXELS = 11;
/** Pixels per letter, on average. */
const LETTER = 6.2;
/** Road names keep this distance, in pixels. */
const NAME_GAP = 30;

type Point = { x: number; y: number };

/** The names that a map already shows, with their middles in the pixels of the page. */
export type ShownNames = { name: string; at: Point }[];

/**
 * Returns a vector tile (Mapbox Vector Tile 2.1) as an SVG image: land, water, buildings, roads and their names. Adds the names
 * to `shown`. Throws if the tile is malformed.
 */
export function tileMarkup(
  bytes: Uint8Array,
  placed: { left: number; top: number; side: number; shown: ShownNames },
): string {
  const { layers } = new VectorTile(new PbfReader(bytes));
  const roads = layers.roads;
  const extent = roads?.extent ?? layers.earth?.extent ?? layers.water?.extent ?? 4096;
  const unit = extent / placed.side;
  const lines = roads ? featuresOf(roads).filter(({ type }) => type === 2) : [];
  const kindOf = ({ properties }: VectorTileFeature) => String(properties.kind ?? "");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${extent} ${extent}" fill="none" stroke-linecap="round" stroke-linejoin="round">`,
    area(layers.earth, "#ffffff"),
    area(layers.water, "#dfe3e8"),
    rivers(layers.water, unit),
    area(layers.buildings, "#eceef0"),
    ...ROADS.map(({ kinds, width, color }) => {
      const path = lines
        .filter((line) => kinds.includes(kindOf(line)))
        .map(pathOf)
        .join("");
      return path === ""
        ? ""
        : `<path d="${path}" stroke="${color}" stroke-width="${(width * unit).toFixed(1)}"/>`;
    }),
    ...lines.map((line) => nameOf(line, { ...placed, unit })),
    "</svg>",
  ].join("");
}

function featuresOf(layer: VectorTileLayer): VectorTileFeature[] {
  return Array.from({ length: layer.length }, (_, i) => layer.feature(i));
}

function area(layer: VectorTileLayer | undefined, color: string): string {
  if (!layer) return "";
  const path = featuresOf(layer)
    .filter(({ type }) => type === 3)
    .map((feature) => `${pathOf(feature)}Z`)
    .join("");
  return path === "Z" || path === "" ? "" : `<path d="${path}" fill="${color}" fill-rule="evenodd"/>`;
}

const RIVER_PIXELS = 1.6;

function rivers(layer: VectorTileLayer | undefined, unit: number): string {
  if (!layer) return "";
  const path = featuresOf(layer)
    .filter(({ type }) => type === 2)
    .map(pathOf)
    .join("");
  return path === ""
    ? ""
    : `<path d="${path}" stroke="#dfe3e8" stroke-width="${(RIVER_PIXELS * unit).toFixed(1)}"/>`;
}

function pathOf(feature: VectorTileFeature): string {
  return feature.loadGeometry().map(linePath).join("");
}

function linePath(line: readonly Point[]): string {
  return line.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${x} ${y}`).join("");
}

/** Returns the name of a road along its longest line; empty if there is no room for it. */
function nameOf(
  feature: VectorTileFeature,
  { left, top, unit, shown }: { left: number; top: number; unit: number; shown: ShownNames },
): string {
  const name = String(feature.properties.name ?? feature.properties.ref ?? "").trim();
  if (name === "" || name.length > 60) return "";
  for (const line of feature.loadGeometry()) {
    const [first, last] = [line[0], line.at(-1)];
    const middle = line[line.length >> 1];
    if (!first || !last || !middle || lengthOf(line) / unit < name.length * LETTER + 8) continue;
    const at = { x: left + middle.x / unit, y: top + middle.y / unit };
    const isFree = shown.every(
      (other) =>
        Math.hypot(other.at.x - at.x, other.at.y - at.y) > (other.name === name ? 4 * NAME_GAP : NAME_GAP),
    );
    if (!isFree) continue;
    const id = `n${shown.length}`;
    shown.push({ name, at });
    const path = linePath(first.x <= last.x ? line : [...line].reverse());
    return `<path id="${id}" d="${path}"/><text font-family="Inter,Arial,sans-serif" font-size="${TEXT_PIXELS * unit}" fill="#222" stroke="#fff" stroke-width="${3 * unit}" paint-order="stroke" dominant-baseline="central" text-anchor="middle"><textPath href="#${id}" startOffset="50%">${escaped(name)}</textPath></text>`;
  }
  return "";
}

function lengthOf(line: readonly Point[]): number {
  let length = 0;
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1], line[i]];
    if (a && b) length += Math.hypot(b.x - a.x, b.y - a.y);
  }
  return length;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
