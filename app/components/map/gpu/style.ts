import type { StyleSpecification } from "maplibre-gl";
import { css, type Palette } from "#app/components/map/paint/palette.ts";
import type { Basemap } from "#app/components/map/use-basemap.ts";

type Lines = Basemap["vectors"]["land"];
type Layers = StyleSpecification["layers"];

/** MapLibre counts zoom for tiles of 512 px, the map's own is for 256. */
export const GPU_ZOOM_OFFSET = -1;

const positions = ({ longitudes, latitudes }: Lines[number]) =>
  Array.from(longitudes, (longitude, i) => [longitude, latitudes[i] as number]);

/** Rings one by one: the shipped data has no holes that a marker could stand in. */
function polygons(rings: Lines) {
  return {
    type: "FeatureCollection" as const,
    features: rings.map((ring) => ({
      type: "Feature" as const,
      properties: {},
      geometry: { type: "Polygon" as const, coordinates: [positions(ring)] },
    })),
  };
}

function lines(list: Lines) {
  return {
    type: "Feature" as const,
    properties: {},
    geometry: { type: "MultiLineString" as const, coordinates: list.map(positions) },
  };
}

/** GeoJSON of the shipped vectors, made once for a page. */
export function embeddedSources(basemap: Basemap): StyleSpecification["sources"] {
  const source = (data: unknown) =>
    ({ type: "geojson", data, maxzoom: 14, tolerance: 0.2 }) as StyleSpecification["sources"][string];
  const { land, neighbours, states, counties } = basemap.vectors;
  return {
    land: source(polygons(land)),
    neighbours: source(polygons(neighbours)),
    states: source(lines(states)),
    counties: source(lines(counties)),
  };
}

/**
 * The ground in the theme's colours. Places are named above it, as on the canvas; names of roads in vector tiles are
 * lettered by MapLibre, which takes the page's own fonts where a style has no `glyphs`.
 */
export function mapStyle(
  basemap: Basemap,
  palette: Palette,
  sources: StyleSpecification["sources"],
): StyleSpecification {
  const { kind, minZoom, maxZoom } = basemap.info;
  const tiles = [`${location.origin}/map/tiles/{z}/{x}/{y}`];
  const configured: StyleSpecification["sources"] =
    kind === "raster"
      ? { tiles: { type: "raster", tiles, tileSize: 256, minzoom: minZoom, maxzoom: maxZoom } }
      : kind === "vector"
        ? { tiles: { type: "vector", tiles, minzoom: minZoom, maxzoom: maxZoom } }
        : {};
  return {
    version: 8,
    sources: { ...sources, ...configured },
    layers: [
      { id: "water", type: "background", paint: { "background-color": css(palette.water) } },
      area("neighbours", palette.neighbour),
      area("land", palette.land),
      ...(kind === "raster" ? ([{ id: "tiles", type: "raster", source: "tiles" }] as Layers) : []),
      ...(kind === "vector" ? vectorLayers(palette) : []),
      ...(kind === "raster"
        ? []
        : ([
            {
              id: "counties",
              type: "line",
              source: "counties",
              minzoom: 5,
              paint: { "line-color": css(palette.countyLine), "line-width": 1 },
            },
            {
              id: "states",
              type: "line",
              source: "states",
              paint: { "line-color": css(palette.stateLine), "line-width": 1.5 },
            },
          ] as Layers)),
    ],
  };
}

function area(source: string, color: Palette["land"]): Layers[number] {
  return {
    id: source,
    type: "fill",
    source,
    paint: { "fill-color": css(color), "fill-antialias": true },
  };
}

/** Layers of the Protomaps schema, in which most PMTiles archives come. */
function vectorLayers(palette: Palette): Layers {
  const line = (id: string, kinds: string[], width: number, minzoom: number): Layers[number] => ({
    id: `roads-${id}`,
    type: "line",
    source: "tiles",
    "source-layer": "roads",
    minzoom,
    filter: ["in", ["get", "kind"], ["literal", kinds]],
    layout: { "line-cap": "round", "line-join": "round" },
    paint: {
      "line-color": css(palette.road),
      "line-width": ["interpolate", ["exponential", 1.6], ["zoom"], 6, width * 0.25, 18, width * 9],
    },
  });
  return [
    {
      id: "earth",
      type: "fill",
      source: "tiles",
      "source-layer": "earth",
      paint: { "fill-color": css(palette.land) },
    },
    {
      id: "waters",
      type: "fill",
      source: "tiles",
      "source-layer": "water",
      filter: ["==", ["geometry-type"], "Polygon"],
      paint: { "fill-color": css(palette.water) },
    },
    line("minor", ["minor_road", "other"], 0.8, 12),
    line("medium", ["medium_road"], 1, 10),
    line("major", ["major_road"], 1.4, 7),
    line("highway", ["highway"], 2, 4),
    {
      id: "road-names",
      type: "symbol",
      source: "tiles",
      "source-layer": "roads",
      minzoom: 12,
      layout: {
        "symbol-placement": "line",
        "text-field": ["coalesce", ["get", "name"], ["get", "ref"], ""],
        "text-font": ["Inter Variable"],
        "text-size": 12,
      },
      paint: {
        "text-color": css(palette.label),
        "text-halo-color": css(palette.halo, 0.9),
        "text-halo-width": 1.5,
      },
    },
  ];
}
