// Results in a browser: binary columns, our table and our canvas map, compared with JSON and one object per row (the
// naive loader), AG Grid Community (table) and Leaflet.markercluster (time slider). Each case runs in a new page of
// headless Chromium.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import { chromium } from "playwright";
import { build } from "vite";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { appendSightings, createColumns } from "#app/entities/search/result-builder.ts";
import { encodeColumns } from "#app/entities/search/result-codec.ts";
import { newestFirst } from "#app/entities/search/result-columns.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import { findChromium } from "../support/chromium.ts";
import type { Figure } from "./figure.ts";
import type { Run } from "./pages/results.tsx";

export const name = "results";

const SIZES = [1000, 10_000, 100_000, 250_000];
const REPEATS = 3;
const MAKES = ["Toyota", "Honda", "Ford", "Chevrolet", "Nissan", "Subaru", "Jeep", "Kia"];
const COLORS = ["White", "Black", "Silver/Gray", "Blue", "Red"];
const BODIES = ["SUV", "sedan-standard", "truck-standard", "van-full"];

/** Returns a pseudorandom generator that produces the same numbers in every run. */
function sequence(seed: number) {
  let state = seed >>> 0;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Synthetic reads of 90 days: a third from fixed cameras, the rest from cameras in vehicles at any location. */
function* someSightings(count: number): Generator<Sighting> {
  const pick = sequence(7);
  const word = (list: readonly string[]) => list[pick(list.length)] as string;
  const random = () =>
    pick(2 ** 32)
      .toString(16)
      .padStart(8, "0");
  const newest = Date.UTC(2026, 10, 20);
  for (let i = 0; i < count; i++) {
    const isFixed = pick(3) === 0;
    const camera = pick(120);
    yield {
      id: random() + random() + random() + random(),
      program: SOURCE_PROGRAMS[pick(3)] ?? "Rekor",
      sourceId: `source-${camera % 14}`,
      agency: `Agency ${camera % 14} Police Department`,
      plate: `${String.fromCharCode(65 + pick(26))}${String.fromCharCode(65 + pick(26))}${10_000 + pick(90_000)}`,
      plateState: word(["CT", "NY", "MA", "RI"]),
      make: word(MAKES),
      color: word(COLORS),
      bodyType: word(BODIES),
      capturedAt: newest - pick(90 * 86_400) * 1000,
      cameraName: `Camera ${camera}, Main St at Route ${camera % 9}`,
      latitude: isFixed ? 41.2 + camera / 180 : 41 + pick(1_000_000) / 1e6,
      longitude: isFixed ? -72.9 + (camera % 11) / 15 : -73.2 + pick(1_200_000) / 1e6,
      confidence: 80 + pick(20),
      vehicleImage: "v",
      plateImage: "p",
      plateCorners: null,
    };
  }
}

/** Returns a row in the format of specification section 3. */
function jsonRow(sighting: Sighting) {
  const reference = `${sighting.id.slice(0, 22)}.${sighting.sourceId.length}.v`;
  return {
    id: sighting.id,
    plate: sighting.plate,
    plate_state: sighting.plateState,
    make: sighting.make,
    color: sighting.color,
    body_type: sighting.bodyType,
    timestamp: new Date(sighting.capturedAt ?? 0).toISOString(),
    camera_name: sighting.cameraName,
    agency: sighting.agency,
    latitude: sighting.latitude,
    longitude: sighting.longitude,
    source_program: sighting.program,
    image_uuid: reference,
    image_path: reference,
    plate_image_url: reference,
  };
}

type Sets = Map<number, { columns: Uint8Array; json: string }>;

function makeSets(): Sets {
  return new Map(
    SIZES.map((count) => {
      const builder = createColumns();
      const rows: ReturnType<typeof jsonRow>[] = [];
      for (const sighting of someSightings(count)) {
        appendSightings(builder, [sighting]);
        rows.push(jsonRow(sighting));
      }
      return [count, { columns: encodeColumns(builder, newestFirst(builder)), json: JSON.stringify(rows) }];
    }),
  );
}

async function buildPage(folder: string): Promise<void> {
  await build({
    configFile: false,
    root: join(import.meta.dirname, "../.."),
    logLevel: "error",
    plugins: [tailwindcss()],
    esbuild: { jsx: "automatic" },
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2022",
      rollupOptions: {
        input: join(import.meta.dirname, "pages/results.tsx"),
        output: { entryFileNames: "page.js", assetFileNames: "page[extname]" },
      },
    },
  });
}

function serve(folder: string, sets: Sets) {
  const page = `<!doctype html><link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script><body>`;
  const types: Record<string, string> = { js: "text/javascript", css: "text/css" };
  const server = createServer((request, response) => {
    // A page can measure its whole memory only if it is cross-origin isolated.
    response.setHeader("cross-origin-opener-policy", "same-origin");
    response.setHeader("cross-origin-embedder-policy", "require-corp");
    const path = (request.url ?? "/").slice(1);
    const [first = "", second = ""] = path.split("/");
    const set = sets.get(Number(second));
    if (first === "") response.setHeader("content-type", "text/html").end(page);
    else if (first === "columns" && set) response.end(set.columns);
    else if (first === "json" && set) response.setHeader("content-type", "application/json").end(set.json);
    else if (/^(page\d*\.(js|css|woff2)|fonts\/[\w-]+\.ttf)$/.test(path)) {
      response
        .setHeader("content-type", types[path.slice(path.indexOf(".") + 1)] ?? "application/octet-stream")
        .end(readFileSync(join(folder, path)));
    } else response.writeHead(404).end();
  });
  return new Promise<{ port: number; close: () => void }>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" && address ? address.port : 0,
        close: () => server.close(),
      });
    });
  });
}

const TWO_FRAMES_MS = 2000 / 60;

/** Measures the size of each set, then each case in a new page, best of several repeats. */
export async function run(): Promise<Figure[]> {
  const sets = makeSets();
  const folder = mkdtempSync(join(tmpdir(), "odin-bench-"));
  await buildPage(folder);
  const { port, close } = await serve(folder, sets);
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-gpu",
      "--enable-blink-features=ForceEagerMeasureMemory",
    ],
  });
  async function once<T>(what: Run, count: number): Promise<T> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    try {
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.waitForFunction(() => "runs" in window);
      return (await page.evaluate(
        ([name, size]) =>
          (window as never as { runs: Record<string, (n: number) => unknown> }).runs[name]?.(size),
        [what, count] as const,
      )) as T;
    } finally {
      await page.close();
    }
  }
  async function best<T extends Record<string, number>>(
    what: Run,
    count: number,
    repeats = REPEATS,
  ): Promise<T> {
    const found: T[] = [];
    for (let i = 0; i < repeats; i++) found.push(await once<T>(what, count));
    const keys = Object.keys(found[0] as T);
    return Object.fromEntries(
      keys.map((key) => [key, Math.min(...found.map((one) => one[key] as number))]),
    ) as T;
  }
  const figures: Figure[] = [];
  const add = (what: string, values: [own: number, peer: number], rest: { unit: string; goal: number }) =>
    figures.push({ name: `results: ${what}`, own: values[0], peer: values[1], ...rest });
  try {
    for (const [count, { columns, json }] of sets) {
      const label = count.toLocaleString("en");
      const isLarge = count >= 100_000;
      const kib = { unit: "KiB" };
      add(`${label} raw, columns vs. JSON`, [columns.length / 1024, json.length / 1024], {
        ...kib,
        goal: isLarge ? 5 : 3,
      });
      add(
        `${label} gzip, columns vs. JSON`,
        [gzipSync(columns).length / 1024, gzipSync(json).length / 1024],
        {
          ...kib,
          goal: isLarge ? 1.67 : 1,
        },
      );
      type Load = { decode: number; rows: number; blocked: number };
      const own = await best<Load>("ownLoad", count);
      const naive = await best<Load>("jsonLoad", count);
      const ms = { unit: "ms" };
      add(`${label} decode, columns vs. JSON`, [Math.max(own.decode, 0.1), naive.decode], {
        ...ms,
        goal: isLarge ? 20 : 1,
      });
      add(`${label} longest task, ours vs. JSON and AG Grid`, [own.blocked, naive.blocked], {
        ...ms,
        goal: 1,
      });
      add(`${label} first rows, ours vs. JSON and AG Grid`, [own.rows, naive.rows], { ...ms, goal: 1 });
    }
    for (const count of [10_000, 100_000]) {
      const own = await best<{ step: number }>("ownSlider", count);
      const peer = await best<{ step: number }>("clusterSlider", count, 1);
      add(`${count.toLocaleString("en")} slider step, canvas vs. markercluster`, [own.step, peer.step], {
        unit: "ms",
        goal: count === 100_000 ? 20 : 5,
      });
    }
    type Table = { mount: number; scroll: number; sort: number };
    const own = await best<Table>("ownTable", 250_000);
    const peer = await best<Table>("gridTable", 250_000, 2);
    const ms = { unit: "ms" };
    add("250,000 table mount, ours vs. AG Grid", [own.mount, peer.mount], { ...ms, goal: 3 });
    const empty = await best<{ scroll: number }>("emptyScroll", 250_000);
    add("250,000 jump scroll p95, ours vs. AG Grid", [own.scroll, peer.scroll], { ...ms, goal: 0.95 });
    // A jump waits for two frames, so the time of an empty box is the minimum.
    add("250,000 jump scroll p95, ours vs. an empty box", [own.scroll, empty.scroll], { ...ms, goal: 0.9 });
    // A jump throws if nothing is drawn after two frames at 60 frames per second; the limit adds time for its own work.
    add("250,000 jump scroll p95, vs. two frames", [own.scroll, TWO_FRAMES_MS], { ...ms, goal: 1 });
    add("250,000 slowest sort, ours vs. AG Grid", [own.sort, peer.sort], { ...ms, goal: 1 });
    const mib = 1024 * 1024;
    const ownHeap = await once<{ bytes: number }>("ownHeap", 250_000);
    const peerHeap = await once<{ bytes: number }>("gridHeap", 250_000);
    add("250,000 heap, ours vs. AG Grid", [ownHeap.bytes / mib, peerHeap.bytes / mib], {
      unit: "MiB",
      goal: 1.67,
    });
    return figures;
  } finally {
    await browser.close();
    close();
    rmSync(folder, { recursive: true, force: true });
  }
}
