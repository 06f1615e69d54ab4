import { PbfWriter } from "pbf";

/** A feature with its lines as coordinates: `"0,0 9,0 9,9"`. */
export type Feature = { type: 1 | 2 | 3; lines: string[]; tags?: Record<string, string> };
export type Layer = { extent: number; features: Feature[] };

/** Encodes lines as commands with their parameters (section 4.3). */
function geometryOf(lines: string[]): number[] {
  const zigzag = (value: number) => (value < 0 ? -value * 2 - 1 : value * 2);
  let [x, y] = [0, 0];
  const step = (point: string) => {
    const [toX = 0, toY = 0] = point.split(",").map(Number);
    const by = [zigzag(toX - x), zigzag(toY - y)];
    [x, y] = [toX, toY];
    return by;
  };
  return lines.flatMap((line) => {
    const [first = "", ...rest] = line.split(" ");
    const start = [9, ...step(first)];
    return rest.length === 0 ? start : [...start, (rest.length << 3) | 2, ...rest.flatMap(step)];
  });
}

function writeFeature(
  { feature, keys, values }: { feature: Feature; keys: string[]; values: string[] },
  to: PbfWriter,
) {
  const tags = Object.entries(feature.tags ?? {});
  to.writePackedVarint(
    2,
    tags.flatMap(([key, value]) => [keys.indexOf(key), values.indexOf(value)]),
  );
  to.writeVarintField(3, feature.type);
  // An empty geometry is a field without bytes.
  if (feature.lines.length === 0) to.writeBytesField(4, new Uint8Array());
  else to.writePackedVarint(4, geometryOf(feature.lines));
}

function writeLayer({ name, layer }: { name: string; layer: Layer }, to: PbfWriter) {
  const keys = layer.features.flatMap(({ tags = {} }) => Object.keys(tags));
  const values = layer.features.flatMap(({ tags = {} }) => Object.values(tags));
  to.writeVarintField(15, 2);
  to.writeStringField(1, name);
  for (const feature of layer.features) to.writeMessage(2, writeFeature, { feature, keys, values });
  for (const key of keys) to.writeStringField(3, key);
  for (const value of values)
    to.writeMessage(4, (_: unknown, field: PbfWriter) => field.writeStringField(1, value), undefined);
  to.writeVarintField(5, layer.extent);
}

/** Encodes a vector tile (Mapbox Vector Tile 2.1). */
export function tileOf(layers: Record<string, Layer>): Uint8Array {
  const tile = new PbfWriter();
  for (const [name, layer] of Object.entries(layers)) tile.writeMessage(3, writeLayer, { name, layer });
  return tile.finish();
}
