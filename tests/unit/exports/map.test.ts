import { describe, expect, it } from "vitest";
import { drawMap, type MapDrawing, mapSource, mapSvg } from "#app/entities/exports/map.ts";
import { at } from "#app/lib/at.ts";

const VIEW = { width: 146, height: 92, camera: { latitude: 41, longitude: -72, zoom: 9.5 }, markers: [] };

function lineOf(points: [longitude: number, latitude: number][]) {
  return {
    longitudes: Float64Array.from(points, ([longitude]) => longitude),
    latitudes: Float64Array.from(points, ([, latitude]) => latitude),
  };
}

/** The drawn parts of these lines, as single stretches. */
function drawn(lines: ReturnType<typeof lineOf>[]): string[] {
  const source = mapSource({ land: [], neighbours: [], states: [], counties: lines, places: [] });
  return drawMap(source, VIEW)
    .counties.flatMap((line) =>
      Array.from({ length: line.length / 2 - 1 }, (_, i) => line.slice(i * 2, i * 2 + 4).join(" ")),
    )
    .sort();
}

describe("the map of a record", () => {
  it("draws only the nearby parts of a long line", () => {
    for (const [turns, radius] of [
      [1, 0.02],
      [3, 0.14],
      [7, 0.2],
      [40, 0.3],
    ] as const) {
      // A line that winds around the place, in and out of the map and along each of its edges.
      const points = Array.from({ length: 900 }, (_, i): [number, number] => {
        const angle = (i / 900) * 2 * Math.PI * turns;
        const reach = radius * (0.2 + 0.8 * Math.abs(Math.sin(i / 61)));
        return [-72 + reach * Math.cos(angle), 41 + reach * Math.sin(angle)];
      });
      const pieces = points.slice(1).map((point, i) => lineOf([at(points, i), point]));
      const whole = drawn([lineOf(points)]);
      expect(whole, `${turns} turns of ${radius} degrees`).toEqual(drawn(pieces));
      expect(whole.length).toBeGreaterThan(5);
    }
  });
});

describe("the lines of a map as it keeps them", () => {
  const boxOf = (west: number, east: number, south: number, north: number) => ({ west, east, south, north });
  const source = (lines: ReturnType<typeof lineOf>[]) =>
    mapSource({ land: [], neighbours: [], states: lines, counties: [], places: [] }).states;

  it("have a box around the whole and one around each 32 points", () => {
    const rising = lineOf(Array.from({ length: 65 }, (_, i) => [i - 100, 60 - i]));
    const [line] = source([rising]);
    expect(line).toEqual({
      ...boxOf(-100, -36, -4, 60),
      line: rising,
      boxes: [boxOf(-100, -69, 29, 60), boxOf(-68, -37, -3, 28), boxOf(-36, -36, -4, -4)],
    });
    const [falling] = source([lineOf(Array.from({ length: 32 }, (_, i) => [100 - i, i - 60]))]);
    expect(falling).toMatchObject({ ...boxOf(69, 100, -60, -29), boxes: [boxOf(69, 100, -60, -29)] });
  });

  it("are land and neighboring land, states and counties", () => {
    const [a, b, c, d] = [lineOf([[1, 1]]), lineOf([[2, 2]]), lineOf([[3, 3]]), lineOf([[4, 4]])];
    const found = mapSource({ land: [a], neighbours: [b], states: [c], counties: [d], places: [] });
    expect(found.land.map(({ line }) => line)).toEqual([a, b]);
    expect(found.states.map(({ line }) => line)).toEqual([c]);
    expect(found.counties.map(({ line }) => line)).toEqual([d]);
  });
});

const SIZE = { width: 100, height: 60 };
/** Ten pixels per degree at the equator: a world of 3600. */
const CAMERA = { longitude: 0, latitude: 0, zoom: Math.log2(3600 / 256) };

/** Returns the place at a pixel of the map: the inverse of the Mercator projection. */
function placeAt(x: number, y: number): [longitude: number, latitude: number] {
  const north = ((SIZE.height / 2 - y) / 10) * (Math.PI / 180);
  return [(x - SIZE.width / 2) / 10, (Math.atan(Math.sinh(north)) * 180) / Math.PI];
}

/** Parses `0,0 9,9` as the line through these pixels. */
const pixels = (text: string) =>
  lineOf(text.split(" ").map((point) => placeAt(Number(point.split(",")[0]), Number(point.split(",")[1]))));

/** Draws one line of each kind. The land gets the same line as a ring. */
function drawnOf(text: string): MapDrawing {
  const line = [pixels(text)];
  const source = mapSource({ land: line, neighbours: [], states: line, counties: line, places: [] });
  return drawMap(source, { ...SIZE, camera: CAMERA, markers: [] });
}

const numbers = (text: string) => text.split(/[ ,]/).map(Number);

describe("a line of a map", () => {
  it.each([
    ["10,10 20,20 30,10", ["10,10 20,20 30,10"]],
    ["10.04,10.06 20,20", ["10,10.1 20,20"]],
    // Out and in again at each edge.
    ["10,10 110,10 110,20 10,20", ["10,10 110,10", "110,20 10,20"]],
    ["10,10 -10,10 -10,20 10,20", ["10,10 -10,10", "-10,20 10,20"]],
    ["10,10 10,-10 20,-10 20,10", ["10,10 10,-10", "20,-10 20,10"]],
    ["10,50 10,70 20,70 20,50", ["10,50 10,70", "20,70 20,50"]],
    // Through the map, between points outside.
    ["-20,-20 -10,30 110,30 120,80", ["-10,30 110,30"]],
    ["50,-30 50,-10 50,70 50,90", ["50,-10 50,70"]],
    // The points beyond one edge are dropped, except those next to others.
    ["10,10 110,10 115,12 118,15 110,20 10,20", ["10,10 110,10", "110,20 10,20"]],
    ["-20,10 -20,20", []],
    ["120,10 120,20", []],
    ["10,-20 20,-20", []],
    ["10,80 20,80", []],
    ["50,30", []],
  ])("%s is drawn as %j", (line, parts) => {
    const drawing = drawnOf(line);
    expect(drawing.counties).toEqual(parts.map(numbers));
    expect(drawing.states).toEqual(parts.map(numbers));
  });

  it("ends where the map ends", () => {
    expect(drawnOf("-20,0.1 120,0.1").states).toHaveLength(1);
    expect(drawnOf("-20,59.9 120,59.9").states).toHaveLength(1);
    expect(drawnOf("0.1,-20 0.1,80").states).toHaveLength(1);
    expect(drawnOf("99.9,-20 99.9,80").states).toHaveLength(1);
    for (const line of ["-20,-0.1 120,-0.1", "-20,60.1 120,60.1", "-0.1,-20 -0.1,80", "100.1,-20 100.1,80"])
      expect(drawnOf(line).states).toEqual([]);
  });

  it("is drawn exactly on the edges", () => {
    // At zoom 4, the world is 4096 wide. Without a height, the equator is both the upper and the lower edge.
    const camera = { longitude: 0, latitude: 0, zoom: 4 };
    const edge = (50 * 360) / 4096;
    const statesOf = (height: number, line: [number, number][]) => {
      const source = mapSource({
        land: [],
        neighbours: [],
        states: [lineOf(line)],
        counties: [],
        places: [],
      });
      return drawMap(source, { width: 100, height, camera, markers: [] }).states;
    };
    for (const [longitude, x] of [
      [-edge, 0],
      [edge, 100],
    ] as const)
      expect(
        statesOf(60, [
          [longitude, 1],
          [longitude, 0],
          [longitude, -1],
        ]),
      ).toEqual([[x, 18.6, x, 30, x, 41.4]]);
    expect(
      statesOf(0, [
        [-1, 0],
        [0, 0],
        [1, 0],
      ]),
    ).toEqual([[38.6, 0, 50, 0, 61.4, 0]]);
  });

  it.each([
    ["west", -10, -40],
    ["east", 110, 140],
  ])("that goes around the corner in the %s does not cross it", (_, beside, far) => {
    const down = Array.from({ length: 31 }, (_, i) => `${beside},${30 + i * 2}`);
    const along = Array.from({ length: 32 }, (_, i) => `${far + ((50 - far) * i) / 31},100`);
    const line = ["50,30", ...down, ...along, "50,100", "50,90", "50,30"].join(" ");
    expect(drawnOf(line).states).toEqual([
      [50, 30, beside, 30],
      [50, 90, 50, 30],
    ]);
  });

  it("is drawn from the first point after 32 points beyond an edge", () => {
    const beyond = Array.from({ length: 32 }, (_, i) => `120,${i}`).join(" ");
    expect(drawnOf(`${beyond} 10,10 20,20 30,10`).states).toEqual([[120, 31, 10, 10, 20, 20, 30, 10]]);
  });

  /** Draws a line and returns how often the drawing looked at one of its points. */
  function readsOf(text: string): number {
    let reads = 0;
    const line = pixels(text);
    const longitudes = new Proxy(line.longitudes, {
      get: (target, key) => {
        if (key !== "length") reads++;
        return Reflect.get(target, key, target);
      },
    });
    const states = [{ ...line, longitudes }];
    const source = mapSource({ land: [], neighbours: [], states, counties: [], places: [] });
    reads = 0;
    drawMap(source, { ...SIZE, camera: CAMERA, markers: [] });
    return reads;
  }

  it.each(["i,-30", "i,90", "-30,i", "130,i"])(
    "is not examined point by point where it is far away, at %s",
    (step) => {
      const far = Array.from({ length: 640 }, (_, i) => step.replace("i", String(10 + i / 16))).join(" ");
      expect(readsOf(`50,30 ${far} 50,31`)).toBeLessThan(120);
      expect(readsOf(far)).toBe(0);
    },
  );

  it("returns from beyond each edge after many points", () => {
    const far = (from: number, step: string) =>
      Array.from({ length: 70 }, (_, i) => step.replace("i", String(from + i / 7))).join(" ");
    for (const [step, from] of [
      ["i,-30", 40],
      ["i,90", 40],
      ["-30,i", 20],
      ["130,i", 20],
    ] as const)
      expect(drawnOf(`50,30 ${far(from, step)} 50,31`).states, step).toHaveLength(2);
  });
});

describe("the land of a map", () => {
  it.each([
    ["10,10 20,10 20,20", "10,10 20,10 20,20"],
    ["-20,10 20,10 20,30 -20,30", "0,10 20,10 20,30 0,30"],
    ["80,10 120,10 120,30 80,30", "80,30 80,10 100,10 100,30"],
    ["10,-20 30,-20 30,20 10,20", "10,0 30,0 30,20 10,20"],
    ["10,40 30,40 30,80 10,80", "10,60 10,40 30,40 30,60"],
    ["-20,0 20,40 -20,40", "0,20 20,40 0,40"],
    ["-50,-50 150,-50 150,150 -50,150", "0,60 0,0 100,0 100,60"],
  ])("%s is cut to %s", (ring, cut) => {
    const [land = [], ...others] = drawnOf(ring).land;
    expect(others).toEqual([]);
    const pointsOf = (values: number[]) =>
      values.flatMap((x, i) => (i % 2 === 0 ? [`${x},${values[i + 1]}`] : []));
    // A ring may begin at any of its points.
    const points = pointsOf(land);
    const first = points.indexOf(cut.split(" ")[0] ?? "");
    expect([...points.slice(first), ...points.slice(0, first)].join(" ")).toBe(cut);
  });

  it("is closed from its last point, which is beyond an edge", () => {
    const camera = { longitude: -72, latitude: 0, zoom: 4 };
    const ring = lineOf([
      [-72, 0],
      [-60, 3],
      [-60, -3],
    ]);
    const source = mapSource({ land: [ring], neighbours: [], states: [], counties: [], places: [] });
    // It leaves the map at a third of the way: 50 of 136.5 pixels to the east.
    expect(drawMap(source, { ...SIZE, camera, markers: [] }).land).toEqual([[100, 42.5, 50, 30, 100, 17.5]]);
  });

  it.each([["-20,10 -10,10 -10,20"], ["10,10 20,20"], ["-30,20 -30,-40 40,-40"], ["110,10 120,10 120,20"]])(
    "%s is left out",
    (ring) => {
      expect(drawnOf(ring).land).toEqual([]);
    },
  );
});

describe("the drawing of a map", () => {
  const source = mapSource({ land: [], neighbours: [], states: [], counties: [], places: [] });

  it("has its size, its view, its markers, and a scale of at most a third of its width", () => {
    const [longitude, latitude] = placeAt(20, 40);
    const map = drawMap(source, { ...SIZE, camera: CAMERA, markers: [{ longitude, latitude }] });
    expect(map).toMatchObject({ ...SIZE, camera: CAMERA, land: [], counties: [], states: [], labels: [] });
    expect(map.markers[0]?.x).toBeCloseTo(20, 6);
    expect(map.markers[0]?.y).toBeCloseTo(40, 6);
    // A degree is 69.17 miles at the equator: 200 miles are 28.9 of at most 33.3 pixels.
    expect(map.scale.label).toBe("200 mi");
    expect(map.scale.pixels).toBeCloseTo(28.91, 2);
  });

  it("is an SVG image", () => {
    const svg = mapSvg(
      {
        ...SIZE,
        camera: CAMERA,
        land: [
          [0, 0, 10, 0, 10, 10],
          [20, 0, 30, 0, 30, 10],
        ],
        counties: [[1, 2, 3, 4]],
        states: [[5, 6, 7, 8]],
        labels: [
          { x: 50, y: 27.46, text: "A & <B>", dot: { x: 50, y: 30 } },
          { x: 9.25, y: 5, text: "C", dot: { x: 3.33, y: 8 } },
        ],
        markers: [
          { x: 20, y: 40 },
          { x: 21, y: 41 },
        ],
        scale: { pixels: 28.94, label: "200 mi" },
      },
      "© A & B",
    );
    const marker = (x: number, y: number) =>
      `<circle cx="${x}" cy="${y}" r="6" fill="none" stroke="#fff" stroke-width="4"/>` +
      `<circle cx="${x}" cy="${y}" r="6" fill="none" stroke="#000" stroke-width="2"/>` +
      `<circle cx="${x}" cy="${y}" r="1.8"/>`;
    expect(svg).toBe(
      [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 60" width="100" height="60" role="img">',
        '<title>Map of the place of the read</title><rect width="100" height="60" fill="#d9dde2"/>',
        '<path d="M0 0L10 0L10 10ZM20 0L30 0L30 10Z" fill="#fff"/>',
        '<path d="M1 2L3 4" fill="none" stroke="#aaa" stroke-width="0.6" stroke-dasharray="2 2"/>',
        '<path d="M5 6L7 8" fill="none" stroke="#555" stroke-width="1"/>',
        '<g font-family="sans-serif" font-size="6.5" fill="#333" text-anchor="middle">',
        '<circle cx="50.0" cy="30.0" r="1"/><text x="50.0" y="27.5">A &amp; &lt;B&gt;</text>',
        '<circle cx="3.3" cy="8.0" r="1"/><text x="9.3" y="5.0">C</text></g>',
        marker(20, 40),
        marker(21, 41),
        '<path d="M6 49v3h28.9v-3" fill="none" stroke="#000"/>',
        '<text x="38.9" y="53" font-family="sans-serif" font-size="6.5">200 mi</text>',
        '<text x="96" y="57" font-family="sans-serif" font-size="4.5" fill="#555" text-anchor="end">© A &amp; B</text>',
        "</svg>",
      ].join(""),
    );
  });

  it("is an SVG image without paths if it has no lines", () => {
    const svg = mapSvg(drawMap(source, { ...SIZE, camera: CAMERA, markers: [] }), "");
    expect(svg.match(/<path/g)).toHaveLength(1);
    expect(svg).toContain(
      'fill="#d9dde2"/><g font-family="sans-serif" font-size="6.5" fill="#333" text-anchor="middle"></g><path d="M6 49',
    );
  });
});
