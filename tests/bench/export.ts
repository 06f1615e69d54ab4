// Reports and archives in workerd, compared with pdf-lib in the same workerd, Chromium printing the same report from
// HTML, and fflate's zipSync. Times are whole calls. CPU and peak memory of workerd come from /proc; systems without it
// skip these figures. Each peak is measured in a new workerd process, because memory of earlier work would be included.

import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import jpeg from "jpeg-js";
import { createTestHarness } from "wrangler";
import { findChromium } from "../support/chromium.ts";
import { type Figure, median } from "./figure.ts";
import { findWorkerd } from "./support/workerd.ts";

export const name = "export";

const ROOT = join(import.meta.dirname, "../..");

/** The worker reads fonts and basemap from static assets, as the product does. */
const ASSETS = "public";

/** Sizes and noise of typical camera images: vehicles of 64 to 290 KB, plate crops of 5 to 20 KB, smallest first. */
const VEHICLES = [
  [1280, 720, 14],
  [1440, 810, 15],
  [1600, 900, 16],
  [1920, 1080, 19],
] as const;
const PLATES = [
  [320, 120, 40],
  [400, 150, 40],
  [480, 160, 50],
  [600, 180, 50],
] as const;

type Picture = Uint8Array<ArrayBuffer>;

function picture([width, height, noise]: readonly [number, number, number]): Picture {
  const data = Buffer.alloc(width * height * 4, 255);
  let seed = 7;
  for (let i = 0; i < width * height; i++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    const base = Math.floor((i % width) / 40) * 6 + Math.floor(i / width / 40) * 4;
    for (let k = 0; k < 3; k++) data[i * 4 + k] = (base + k * 9 + ((seed >>> 16) % noise)) & 255;
  }
  return new Uint8Array(jpeg.encode({ data, width, height }, 50).data);
}

/** Pairs of pictures that are sent to the worker, used in turn. */
type Album = { pairs: [vehicle: Picture, plate: Picture][]; name: string };

/** Returns the JPEG bytes of `records` records. */
const jpegBytes = ({ pairs }: Album, records: number) =>
  Array.from({ length: records }, (_, n) => pairs[n % pairs.length] as [Picture, Picture]).reduce(
    (sum, [vehicle, plate]) => sum + vehicle.length + plate.length,
    0,
  );

type Measured = { ms: number; cpuMs: number; peakMb: number; bytes: number };

type Bench = {
  measure: (way: string, records: number, rounds: number, album?: Album) => Promise<Measured>;
  close: () => Promise<void>;
};

async function open(album: Album): Promise<Bench> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
  const others = new Set(findWorkerd().map(({ pid }) => pid));
  const harness = createTestHarness({
    root: ROOT,
    workers: [
      {
        config: {
          name: "bench-export",
          main: "tests/bench/workers/export.ts",
          compatibility_date: "2026-11-01",
          compatibility_flags: ["nodejs_compat"],
          assets: { directory: ASSETS, binding: "ASSETS" },
          vars: { SIGNING_KEYS: `1:${key}` },
        },
      },
    ],
  });
  await harness.listen();
  const worker = harness.getWorker();
  const processes = () => findWorkerd().filter(({ pid }) => !others.has(pid));

  async function call(way: string, records: number, { pairs }: Album): Promise<number> {
    const sizes = pairs.flat().map(({ length }) => length);
    const isBody = way === "body";
    const answer = await worker.fetch(
      `http://bench.local/${way}?records=${records}&sizes=${sizes.join(",")}`,
      {
        method: "POST",
        body: isBody ? documentedBody(records) : Buffer.concat(pairs.flat()),
        headers: { "content-type": isBody ? "application/json" : "application/octet-stream" },
      },
    );
    if (!answer.ok) throw new Error(`${way}: ${await answer.text()}`);
    return ((await answer.json()) as { bytes: number }).bytes;
  }

  return {
    close: () => harness.close(),
    async measure(way, records, rounds, with_ = album) {
      await call(way, Math.min(records, 20), with_);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const ours = processes();
      for (const one of ours) one.restart();
      const idle = ours.map((one) => one.peakMb());
      const before = ours.map((one) => one.cpuMs());
      const times: number[] = [];
      let bytes = 0;
      for (let round = 0; round < rounds; round++) {
        const start = performance.now();
        bytes = await call(way, records, with_);
        times.push(performance.now() - start);
      }
      const cpuMs = ours.reduce((sum, one, i) => sum + one.cpuMs() - (before[i] as number), 0) / rounds;
      const peakMb = Math.max(...ours.map((one, i) => one.peakMb() - (idle[i] as number)));
      const ms = median(times);
      console.log(
        `${way} ${records}${with_ === album ? "" : `, ${with_.name}`}: ${ms.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms CPU, ${(ms / records).toFixed(2)} ms per record, ${(bytes / 1e6).toFixed(2)} MB, idle ${Math.max(...idle).toFixed(0)} MB, peak +${peakMb.toFixed(0)} MB`,
      );
      return { ms, cpuMs, peakMb, bytes };
    },
  };
}

/** Just below the limit of 64 MiB. */
const BODY_BYTES = 63 * 1024 * 1024;

/** Returns the body of a documented client for `count` records: all fields, and three images each as data URIs. */
function documentedBody(count: number): Buffer<ArrayBuffer> {
  const image = (share: number) => {
    const bytes = Math.floor((BODY_BYTES / count - 700) * share);
    return `data:image/jpeg;base64,${Buffer.alloc(Math.ceil(bytes / 4) * 3, 7).toString("base64")}`;
  };
  const images = {
    vehicle_image_data_uri: image(0.7),
    plate_crop_data_uri: image(0.1),
    map_data_uri: image(0.2),
  };
  const records = Array.from({ length: count }, (_, n) => ({
    plate: `AB${10_000 + n}`,
    plate_state: "CT",
    make: "Toyota",
    color: "Silver/Gray",
    body_type: "sedan-standard",
    timestamp: new Date(Date.UTC(2026, 10, 20) + n * 1000).toISOString(),
    camera_name: `I-84 East at Exit ${n % 20}`,
    agency: "Hartford Police Department",
    coordinates: "41.762300, -72.674100",
    latitude: 41.7623,
    longitude: -72.6741,
    justification: "Stolen vehicle, seen near the scene",
    address: "430 Main St, Hartford, Connecticut",
    source_program: "Rekor",
    ...images,
  }));
  return Buffer.from(JSON.stringify({ records, justification: "Stolen vehicle" }));
}

/** Returns the peak memory of one call in a new workerd process, in MB. */
async function freshPeak(way: string, records: number, album: Album): Promise<number> {
  const bench = await open(album);
  try {
    return (await bench.measure(way, records, 1)).peakMb;
  } finally {
    await bench.close();
  }
}

export async function run(): Promise<Figure[]> {
  const pairs = VEHICLES.map((size, i): [Picture, Picture] => [
    picture(size),
    picture(PLATES[i] as (typeof PLATES)[number]),
  ]);
  const album: Album = { pairs, name: "pictures of all sizes" };
  const small: Album = { pairs: pairs.slice(0, 1), name: "the smallest pictures" };
  for (const [vehicle, plate] of pairs)
    console.log(`one record in four: ${vehicle.length} + ${plate.length} bytes of JPEG`);
  const own: Record<string, Measured> = {};
  const peer: Record<string, Measured> = {};
  const bench = await open(album);
  try {
    own.fetching = await bench.measure("fetching", 100, 15);
    for (const [records, rounds] of [
      [1, 15],
      [10, 15],
      [100, 11],
      [500, 3],
    ] as const) {
      own[`pdf ${records}`] = await bench.measure("own-pdf", records, rounds);
      peer[`pdf ${records}`] = await bench.measure("peer-pdf", records, Math.min(rounds, 5));
    }
    own["pdf small"] = await bench.measure("own-pdf", 100, 5, small);
    for (const [records, rounds] of [
      [100, 9],
      [1000, 5],
      [5000, 1],
    ] as const) {
      own[`zip ${records}`] = await bench.measure("own-zip", records, rounds);
      if (records < 1000) peer[`zip ${records}`] = await bench.measure("peer-zip", records, 3);
    }
    // zipSync holds the whole archive in memory, so a thousand larger pictures would exceed the limit of an isolate.
    own["zip small"] = await bench.measure("own-zip", 1000, 3, small);
    peer["zip small"] = await bench.measure("peer-zip", 1000, 3, small);
  } finally {
    await bench.close();
  }

  const mine = (what: string) => own[what] as Measured;
  const theirs = (what: string) => peer[what] as Measured;
  const figures: Figure[] = [
    ...[1, 10, 100, 500].map((records) => ({
      name: `export: PDF of ${records}, vs. pdf-lib`,
      own: mine(`pdf ${records}`).ms / records,
      peer: theirs(`pdf ${records}`).ms / records,
      unit: "ms per record",
      goal: GOALS[`pdf ${records}`] as number,
    })),
    {
      name: "export: PDF of 100, bytes vs. 1.02 of its JPEGs",
      own: mine("pdf 100").bytes / jpegBytes(album, 100),
      peer: 1.02,
      unit: "times",
      goal: 1,
    },
    {
      name: "export: the same with the smallest pictures",
      own: mine("pdf small").bytes / jpegBytes(small, 100),
      peer: 1.02,
      unit: "times",
      goal: 1,
    },
    {
      name: "export: ZIP of 100, vs. zipSync",
      own: mine("zip 100").ms / 100,
      peer: theirs("zip 100").ms / 100,
      unit: "ms per record",
      goal: GOALS["zip 100"] as number,
    },
    {
      name: "export: ZIP of 1000, smallest pictures, vs. zipSync",
      own: mine("zip small").ms / 1000,
      peer: theirs("zip small").ms / 1000,
      unit: "ms per record",
      goal: GOALS["zip 1000"] as number,
    },
    {
      name: "export: ZIP of 1,000, vs. 200 MB/s",
      own: mine("zip 1000").ms,
      peer: mine("zip 1000").bytes / 200_000,
      unit: "ms",
      goal: 1,
    },
    {
      name: "export: ZIP of 5,000, per record, vs. ZIP of 1,000",
      own: mine("zip 5000").ms / 5000,
      peer: mine("zip 1000").ms / 1000,
      unit: "ms",
      goal: 0.7,
    },
  ];
  if (existsSync("/proc/self/stat")) {
    figures.push({
      name: "export: PDF of 100, CPU beyond fetching, vs. 60 ms",
      own: mine("pdf 100").cpuMs - mine("fetching").cpuMs,
      peer: 60,
      unit: "ms",
      goal: 1,
    });
    const peaks: Record<string, number> = {};
    for (const [way, records] of PEAKS) peaks[`${way} ${records}`] = await freshPeak(way, records, album);
    const peak = (what: string) => peaks[what] as number;
    const compared = (name: string, [what, other]: [number, number], goal: number): Figure => ({
      name: `export: ${name}`,
      own: what,
      peer: other,
      unit: "MB",
      goal,
    });
    /** Growth of the peak for each further record; an image alone has 100 KB or more. */
    const added = (kind: string, few: [mb: number, records: number], many: [number, number]): Figure => ({
      name: `export: ${kind}, peak of ${many[1]} over ${few[1]}, each further record vs. 6 KB`,
      own: ((many[0] - few[0]) * 1024) / (many[1] - few[1]),
      peer: 6,
      unit: "KB",
      goal: 1,
    });
    figures.push(
      compared("PDF of 500, peak vs. pdf-lib's", [peak("own-pdf 500"), peak("peer-pdf 500")], 2),
      compared("PDF of 500, peak vs. an isolate's 128 MB", [peak("own-pdf 500"), 128], 1),
      compared("body of 63 MiB with the images of 100 records, peak vs. 32 MB", [peak("body 100"), 32], 1),
      compared("body of 63 MiB with the images of 5,000, peak vs. 32 MB", [peak("body 5000"), 32], 1),
      compared("ZIP of 1,000, peak vs. 32 MB", [peak("own-zip 1000"), 32], 1),
      compared("ZIP of 5,000, peak vs. an isolate's 128 MB", [peak("own-zip 5000"), 128], 1),
      compared("PDF of 5,000, peak vs. an isolate's 128 MB", [peak("own-pdf 5000"), 128], 1),
      // The input of a record takes a few hundred bytes, and so do its lines in the directory and the manifest.
      added("PDF", [peak("own-pdf 500"), 500], [peak("own-pdf 5000"), 5000]),
      added("ZIP", [peak("own-zip 1000"), 1000], [peak("own-zip 5000"), 5000]),
      compared("PDF of 500, peak vs. that of 100", [peak("own-pdf 500"), peak("own-pdf 100")], 0.4),
      compared("ZIP of 5,000, peak vs. that of 1,000", [peak("own-zip 5000"), peak("own-zip 1000")], 0.4),
    );
  } else console.log("no /proc on this system: CPU and peak memory are not measured");
  const printed = await printByChromium(100, album);
  if (printed) {
    figures.push({
      name: "export: PDF of 100, vs. Chromium",
      own: mine("pdf 100").ms,
      peer: printed.ms,
      unit: "ms",
      goal: 10,
    });
  }
  return figures;
}

const PEAKS = [
  ["body", 100],
  ["body", 5000],
  ["own-pdf", 100],
  ["own-pdf", 500],
  ["own-pdf", 5000],
  ["peer-pdf", 500],
  ["own-zip", 1000],
  ["own-zip", 5000],
] as const;

/** How many times faster than the peer ours must be: about half of the ratio measured on two busy cores. */
const GOALS: Record<string, number> = {
  "pdf 1": 0.1,
  "pdf 10": 0.5,
  "pdf 100": 1,
  "pdf 500": 1,
  "zip 100": 0.8,
  "zip 1000": 1,
};

/** Prints the same report from HTML. Without Chromium on this machine, logs that and returns undefined. */
async function printByChromium(
  count: number,
  { pairs }: Album,
): Promise<{ ms: number; bytes: number } | undefined> {
  const { chromium } = await import("playwright");
  const path = findChromium();
  if (!path) {
    console.log("no Chromium on this machine: printing from HTML is not compared");
    return undefined;
  }
  const uri = (bytes: Uint8Array) => `data:image/jpeg;base64,${Buffer.from(bytes).toString("base64")}`;
  const fields = [
    "Plate",
    "State",
    "Make",
    "Color",
    "Timestamp",
    "Camera",
    "Agency",
    "Coordinates",
    "Address",
  ];
  const html = () =>
    `<!doctype html><html lang="en"><title>Report</title><style>section{height:4.8in;break-inside:avoid;font:8.5pt sans-serif}img{width:300pt}</style>${Array.from(
      { length: count },
      (_, n) => {
        const [vehicle, plate] = pairs[n % pairs.length] as [Picture, Picture];
        return `<section><h2>Record ${n + 1}</h2><img alt="Vehicle" src="${uri(vehicle)}#${n}"><img alt="Plate" src="${uri(plate)}#${n}" style="width:146pt"><dl>${fields.map((field) => `<dt>${field}<dd>value ${n}`).join("")}</dl></section>`;
      },
    ).join("")}`;
  const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    const times: number[] = [];
    let bytes = 0;
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      await page.setContent(html());
      bytes = (await page.pdf({ format: "Letter", tagged: true })).length;
      times.push(performance.now() - start);
    }
    const printed = { ms: median(times), bytes };
    console.log(`Chromium ${count}: ${printed.ms.toFixed(0)} ms, ${(bytes / 1e6).toFixed(2)} MB`);
    return printed;
  } finally {
    await browser.close();
  }
}
