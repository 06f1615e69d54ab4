import { describe, expect, it } from "vitest";
import { type ShownNames, tileMarkup } from "#app/entities/exports/vector-tile.ts";
import { type Feature, type Layer, tileOf } from "./tiles.ts";

const areaOf = (...lines: string[]): Feature => ({ type: 3, lines });
const lineOf = (line: string, tags: Record<string, string> = {}): Feature => ({
  type: 2,
  lines: [line],
  tags,
});

/** Draws a tile of 256 pixels at the corner of the page. */
function markupOf(
  layers: Record<string, Layer>,
  { shown = [], left = 0, top = 0 }: { shown?: ShownNames; left?: number; top?: number } = {},
) {
  return tileMarkup(tileOf(layers), { left, top, side: 256, shown });
}

/** Draws roads, with 16 units of the tile to a pixel. */
const roadsOf = (...features: Feature[]) => markupOf({ roads: { extent: 4096, features } });

/** The start of the markup of a tile. */
const head = (extent: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${extent} ${extent}" fill="none" stroke-linecap="round" stroke-linejoin="round">`;

const TRIANGLE = "0,0 9,0 9,9";

describe("the markup of a vector tile", () => {
  it("has land, water, rivers, buildings and roads in this order, and nothing else", () => {
    const layers = {
      roads: {
        extent: 512,
        features: [lineOf("1,2 3,4", { kind: "highway" })],
      },
      buildings: { extent: 512, features: [areaOf(TRIANGLE)] },
      water: {
        extent: 512,
        features: [lineOf("5,6 7,8"), areaOf(TRIANGLE)],
      },
      earth: {
        extent: 512,
        features: [areaOf(TRIANGLE, "1,1 2,1 2,2"), areaOf(TRIANGLE)],
      },
      places: { extent: 512, features: [{ type: 1 as const, lines: ["4,4"] }] },
    };
    expect(markupOf(layers)).toBe(
      [
        head(512),
        '<path d="M0 0L9 0L9 9M1 1L2 1L2 2ZM0 0L9 0L9 9Z" fill="#ffffff" fill-rule="evenodd"/>',
        '<path d="M0 0L9 0L9 9Z" fill="#dfe3e8" fill-rule="evenodd"/>',
        '<path d="M5 6L7 8" stroke="#dfe3e8" stroke-width="3.2"/>',
        '<path d="M0 0L9 0L9 9Z" fill="#eceef0" fill-rule="evenodd"/>',
        '<path d="M1 2L3 4" stroke="#5b6067" stroke-width="8.8"/>',
        "</svg>",
      ].join(""),
    );
  });

  it("is empty for a tile without drawn layers", () => {
    expect(markupOf({ places: { extent: 512, features: [{ type: 1, lines: ["4,4"] }] } })).toBe(
      `${head(4096)}</svg>`,
    );
  });

  it("has the extent of the roads, or else of the land, or else of the water", () => {
    const of = (extent: number) => ({
      extent,
      features: [{ type: 1 as const, lines: ["4,4"] }],
    });
    expect(markupOf({ roads: of(1024), earth: of(512), water: of(256) })).toBe(`${head(1024)}</svg>`);
    expect(markupOf({ earth: of(512), water: of(256) })).toBe(`${head(512)}</svg>`);
    expect(markupOf({ water: of(256) })).toBe(`${head(256)}</svg>`);
  });

  it("has no path for areas without points", () => {
    expect(markupOf({ earth: { extent: 4096, features: [areaOf()] } })).toBe(`${head(4096)}</svg>`);
  });

  it("draws several rivers as one path", () => {
    const features = [lineOf("0,0 1,1"), lineOf("2,2 3,3")];
    expect(markupOf({ water: { extent: 4096, features } })).toContain(
      '<path d="M0 0L1 1M2 2L3 3" stroke="#dfe3e8" stroke-width="25.6"/>',
    );
  });
});

describe("the roads of a vector tile", () => {
  it.each([
    ["path", "#b9bec4", "12.8"],
    ["other", "#b9bec4", "12.8"],
    ["minor_road", "#a8adb3", "25.6"],
    ["medium_road", "#8f959c", "38.4"],
    ["major_road", "#7b8188", "51.2"],
    ["highway", "#5b6067", "70.4"],
  ])("of kind %s are drawn in %s, %s units wide", (kind, color, width) => {
    expect(roadsOf(lineOf("0,0 1,1", { kind }), lineOf("2,2 3,3", { kind }))).toBe(
      `${head(4096)}<path d="M0 0L1 1M2 2L3 3" stroke="${color}" stroke-width="${width}"/></svg>`,
    );
  });

  it("are drawn from small to large", () => {
    const kinds = ["highway", "path", "major_road", "minor_road", "medium_road"];
    const markup = roadsOf(...kinds.map((kind) => lineOf("0,0 1,1", { kind })));
    expect([...markup.matchAll(/stroke="(#\w+)"/g)].map(([, color]) => color)).toEqual([
      "#b9bec4",
      "#a8adb3",
      "#8f959c",
      "#7b8188",
      "#5b6067",
    ]);
  });

  it("are not drawn if they have another kind or no kind, or are not lines", () => {
    expect(
      roadsOf(lineOf("0,0 1,1", { kind: "ferry" }), lineOf("0,0 1,1"), {
        type: 3,
        lines: [TRIANGLE],
        tags: { kind: "highway", name: "A" },
      }),
    ).toBe(`${head(4096)}</svg>`);
  });
});

/** A road of a length in pixels, from left to right in the middle of the tile's height. */
const road = (name: string, pixels: number, tags: Record<string, string> = {}) =>
  lineOf(`0,2048 ${pixels * 8},2048 ${pixels * 16},2048`, { name, ...tags });

/** Returns the names in the markup of a tile. */
const namesIn = (markup: string) => [...markup.matchAll(/<textPath[^>]*>([^<]*)</g)].map(([, name]) => name);

describe("the name of a road", () => {
  it("runs along it, centered, in letters of 11 pixels", () => {
    const shown: ShownNames = [{ name: "Far", at: { x: 1000, y: 1000 } }];
    const layers = { roads: { extent: 4096, features: [road("Main St", 200)] } };
    expect(markupOf(layers, { shown, left: 300, top: 400 })).toBe(
      [
        head(4096),
        '<path id="n1" d="M0 2048L1600 2048L3200 2048"/>',
        '<text font-family="Inter,Arial,sans-serif" font-size="176" fill="#222" stroke="#fff" stroke-width="48" paint-order="stroke" dominant-baseline="central" text-anchor="middle">',
        '<textPath href="#n1" startOffset="50%">Main St</textPath></text></svg>',
      ].join(""),
    );
    expect(shown.at(-1)).toEqual({ name: "Main St", at: { x: 400, y: 528 } });
  });

  it("is its number if it has no name", () => {
    expect(namesIn(roadsOf(lineOf("0,0 4096,0", { ref: "I 84" })))).toEqual(["I 84"]);
    expect(namesIn(roadsOf(road("Main St", 200, { ref: "I 84" })))).toEqual(["Main St"]);
    expect(namesIn(roadsOf(road("  Main St ", 200)))).toEqual(["Main St"]);
  });

  it.each([
    ["", 256],
    ["  ", 256],
  ])("%j is not shown", (name, pixels) => {
    expect(roadsOf(road(name, pixels))).toBe(`${head(4096)}</svg>`);
    expect(roadsOf(lineOf(`0,0 ${pixels * 16},0`))).toBe(`${head(4096)}</svg>`);
  });

  it.each([
    [60, 1],
    [61, 0],
  ])("of %i letters is shown %i times", (letters, times) => {
    expect(namesIn(roadsOf(road("n".repeat(letters), 1000)))).toHaveLength(times);
  });

  // A name of five letters needs 5 * 6.2 + 8 = 39 pixels.
  it.each([
    [38, 0],
    [39, 1],
    [40, 1],
  ])("of five letters along a road of %i pixels is shown %i times", (pixels, times) => {
    expect(namesIn(roadsOf(road("Maple", pixels)))).toHaveLength(times);
  });

  it("needs the length along the road, not the distance of its ends", () => {
    const bend: string = "0,0 0,400 400,400 400,0";
    expect(namesIn(roadsOf(lineOf(bend, { name: "Maple" })))).toEqual(["Maple"]);
    const far: string = "3000,3000 3100,3000 3100,3100";
    expect(namesIn(roadsOf(lineOf(far, { name: "Maple" })))).toEqual([]);
  });

  it("is along the first line of the road that has room for it", () => {
    const lines: string[] = ["7,7", "0,0 100,0", "0,1000 2000,1000", "0,3500 4000,3500"];
    const markup = roadsOf({ type: 2, lines, tags: { name: "Maple" } });
    expect([...markup.matchAll(/id="n0" d="([^"]*)"/g)].map(([, path]) => path)).toEqual([
      "M0 1000L2000 1000",
    ]);
    expect(namesIn(markup)).toEqual(["Maple"]);
  });

  it.each<[string, string]>([
    ["4000,0 2000,100 0,50", "M0 50L2000 100L4000 0"],
    ["0,50 2000,100 4000,0", "M0 50L2000 100L4000 0"],
    ["100,4000 100,0", "M100 4000L100 0"],
  ])("reads from left to right along %j", (line, path) => {
    expect(roadsOf(lineOf(line, { name: "Maple" }))).toContain(`<path id="n0" d="${path}"/>`);
  });

  // The middle of the road is at (100, 128).
  it.each([
    ["Oak", 130, 128, false],
    ["Oak", 131, 128, true],
    ["Oak", 69, 128, true],
    ["Oak", 70, 128, false],
    ["Oak", 100, 158, false],
    ["Oak", 100, 159, true],
    ["Oak", 100, 97, true],
    ["Oak", 118, 152, false],
    ["Main St", 220, 128, false],
    ["Main St", 221, 128, true],
  ])("keeps its distance from %s at (%i, %i): it is shown: %s", (name, x, y, isShown) => {
    const layers = { roads: { extent: 4096, features: [road("Main St", 200)] } };
    const shown = [
      { name, at: { x, y } },
      { name: "Far", at: { x: 900, y: 900 } },
    ];
    expect(namesIn(markupOf(layers, { shown }))).toEqual(isShown ? ["Main St"] : []);
    expect(shown).toHaveLength(isShown ? 3 : 2);
  });

  it("cannot contain markup", () => {
    expect(roadsOf(road("A & B & <i>C</i>", 256))).toContain(
      ">A &amp; B &amp; &lt;i&gt;C&lt;/i&gt;</textPath>",
    );
  });
});
