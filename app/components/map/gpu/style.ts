import type { GeoJSONSourceSpecification, StyleSpecification } from "maplibre-gl";
import { css, type Palette } from "#app/components/map/paint/palette.ts";
import type { Basemap } from "#app/components/map/use-basemap.ts";
import { at } from "#app/lib/at.ts";

type Lines = Basemap["vectors"]["land"];
type Layers = StyleSpecification["layers"];

/** MapLibre zoom levels are for 512 px tiles, Odin's for 256 px tiles. */
export const GPU_ZOOM_OFFSET = -1;

const positions = ({ longitudes, latitudes }: Lines[number]) =>
  Array.from(longitudes, (longitude, i) => [longitude, at(latitudes, i)]);

/** Converts each ring to its own polygon: no hole in the embedded data can contain a marker. */
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

/** Returns the embedded base map as GeoJSON sources, created once per page. */
export function embeddedSources(basemap: Basemap): StyleSpecification["sources"] {
  const source = (data: GeoJSONSourceSpecification["data"]): GeoJSONSourceSpecification => ({
    type: "geojson",
    data,
    maxzoom: 14,
    tolerance: 0.2,
  });
  const { land, neighbours, states, counties } = basemap.vectors;
  return {
    land: source(polygons(land)),
    neighbours: source(polygons(neighbours)),
    states: source(lines(states)),
    counties: source(lines(counties)),
  };
}

/**
 * Returns the base map style in the colors of the theme. Place names are painted above it, as on the canvas. MapLibre draws
 * the road names of vector tiles with the page's fonts, since the style has no `glyphs`.
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
  const rasterLayers: Layers = kind === "raster" ? [{ id: "tiles", type: "raster", source: "tiles" }] : [];
  const lineLayers: Layers =
    kind === "raster"
      ? []
      : [
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
        ];
  return {
    version: 8,
    sources: { ...sources, ...configured },
    layers: [
      { id: "water", type: "background", paint: { "background-color": css(palette.water) } },
      area("neighbours", palette.neighbor),
      area("land", palette.land),
      ...rasterLayers,
      ...(kind === "vector" ? vectorLayers(palette) : []),
      ...lineLayers,
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

/** Returns layers for the Protomaps schema, which most PMTiles archives use. */
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
    {
      id: "rivers",
      type: "line",
      source: "tiles",
      "source-layer": "water",
      minzoom: 8,
      filter: ["==", ["geometry-type"], "LineString"],
      paint: {
        "line-color": css(palette.water),
        "line-width": ["interpolate", ["exponential", 1.4], ["zoom"], 8, 0.5, 18, 8],
      },
    },
    {
      id: "buildings",
      type: "fill",
      source: "tiles",
      "source-layer": "buildings",
      minzoom: 13,
      filter: ["in", ["get", "kind"], ["literal", ["building", "building_part"]]],
      paint: {
        "fill-color": css(palette.building),
        "fill-opacity": ["interpolate", ["linear"], ["zoom"], 13, 0.4, 15, 1],
      },
    },
    line("minor", ["minor_road", "other"], 0.8, 12),
    line("medium", ["medium_road"], 1, 10),
    line("major", ["major_road"], 1.4, 7),
    line("highway", ["highway"], 2, 4),
    names("water", palette, { color: palette.waterLabel, minzoom: 11, placement: "point" }),
    names("roads", palette, { color: palette.label, minzoom: 12, placement: "line" }),
    // Last, because MapLibre places the names of later layers first.
    placeNames(palette),
  ];
}

/** Places from the largest to the smallest, as far as there is room for them. */
function placeNames(palette: Palette): Layers[number] {
  return {
    id: "place-names",
    type: "symbol",
    source: "tiles",
    "source-layer": "places",
    filter: ["in", ["get", "kind"], ["literal", ["locality", "neighbourhood", "macrohood"]]],
    layout: {
      "text-field": ["coalesce", ["get", "name"], ""],
      "text-font": ["Inter Variable"],
      "text-size": ["case", ["==", ["get", "kind"], "locality"], 14, 12],
      "symbol-sort-key": ["-", 0, ["coalesce", ["get", "population_rank"], 0]],
    },
    paint: {
      "text-color": css(palette.label),
      "text-halo-color": css(palette.halo, 0.9),
      "text-halo-width": 1.5,
    },
  };
}

function names(
  layer: "water" | "roads",
  palette: Palette,
  { color, minzoom, placement }: { color: Palette["label"]; minzoom: number; placement: "point" | "line" },
): Layers[number] {
  return {
    id: `${layer}-names`,
    type: "symbol",
    source: "tiles",
    "source-layer": layer,
    minzoom,
    layout: {
      "symbol-placement": placement,
      "text-field": ["coalesce", ["get", "name"], ["get", "ref"], ""],
      "text-font": ["Inter Variable"],
      "text-size": 12,
    },
    paint: {
      "text-color": css(color),
      "text-halo-color": css(palette.halo, 0.9),
      "text-halo-width": 1.5,
    },
  };
}
