/**
 * `npm run basemap -- connecticut --from <archive>`: extracts a region from a PMTiles archive in the Protomaps layout and
 * writes it to the bucket for images, of the local installation or, with --remote, of the account that wrangler is signed
 * in to. The region is a state, a box `west,south,east,north`, or a .pmtiles file, which is written as a whole.
 */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { optionsOf } from "../options.ts";
import { requireStopped } from "../processes.ts";
import { noteBasemap, readSettings } from "../settings.ts";
import { type Archive, type Extract, headOf, openArchive, planExtract, tileData } from "./extract.ts";
import { parseRegion } from "./regions.ts";
import { type ByteSource, openSource } from "./source.ts";
import { MAX_BYTES, openLocal, openRemote, type Target, writeObject } from "./target.ts";

const USAGE = `npm run basemap -- <state | west,south,east,north | file.pmtiles> [options]

  --from <address or file>   the archive to extract from; https, or a file
  --max-zoom <0 to 15>       fewer details: each zoom less is about a quarter of the tiles
  --name <name>              the name of the object, basemap/<name>.pmtiles
  --remote                   write to the account that wrangler is signed in to
  --yes                      do not ask, however large it is

Archives in the Protomaps layout are published at https://maps.protomaps.com/builds/`;

/** Larger results need --yes. */
const ASK_FROM = 2 * 1024 ** 3;
const COPY_BYTES = 4 * 1024 * 1024;
const MAX_ZOOM = 15;

type Work = { name: string; bytes: number; what: string; chunks: () => AsyncGenerator<Uint8Array> };

const { values, positionals } = optionsOf(USAGE, {
  allowPositionals: true,
  options: {
    from: { type: "string" },
    "max-zoom": { type: "string", default: String(MAX_ZOOM) },
    name: { type: "string" },
    remote: { type: "boolean", default: false },
    yes: { type: "boolean", default: false },
  },
});

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const [region, ...more] = positionals;
  if (region === undefined || more.length > 0) throw new Error(USAGE);
  const settings = readSettings();
  if (!values.remote) await requireStopped(settings);
  if (/^https?:/.test(region)) throw new Error(`Name a region, and the address with --from.\n\n${USAGE}`);
  const isFile = region.endsWith(".pmtiles");
  const from = isFile ? region : values.from;
  if (!from) throw new Error(`Name an archive with --from.\n\n${USAGE}`);
  const source = await openSource(from);
  try {
    const archive = await openArchive(source);
    const work = isFile ? wholeFile(region, source) : await extraction(archive, region);
    const name = values.name ?? work.name;
    if (!/^[\w-]{1,80}$/.test(name)) throw new Error("The name may have letters, digits, - and _.");
    console.log(`${name}: ${work.what}, ${sizeText(work.bytes)}.`);
    checkSize(work.bytes);
    const target = values.remote ? await openRemote() : await openLocal(settings);
    try {
      await write(target, `basemap/${name}.pmtiles`, work);
    } finally {
      await target.dispose();
    }
    const setting = `r2:${name}.pmtiles`;
    if (values.remote) {
      console.log(`Done. Set BASEMAP_URL = "${setting}" in wrangler.toml and deploy.`);
    } else {
      noteBasemap(settings, setting);
      console.log(`Done. npm start shows it from now on; BASEMAP_URL= npm start shows the embedded map.`);
    }
  } finally {
    await source.close();
  }
}

async function extraction(archive: Archive, text: string): Promise<Work> {
  const maxZoom = Number(values["max-zoom"]);
  if (!Number.isInteger(maxZoom) || maxZoom < 0 || maxZoom > MAX_ZOOM)
    throw new Error(`--max-zoom is a whole number from 0 to ${MAX_ZOOM}.`);
  const region = parseRegion(text);
  console.log("Reading the directories of the archive…");
  const extract = await planExtract(archive, { region, maxZoom });
  const head = headOf(archive, extract);
  return {
    name: region.name,
    bytes: head.length + extract.dataBytes,
    what: `${extract.tiles.toLocaleString("en-US")} tiles, zoom ${extract.minZoom} to ${extract.maxZoom}`,
    chunks: () => headAndTiles(head, archive, extract),
  };
}

async function* headAndTiles(
  head: Uint8Array,
  archive: Archive,
  extract: Extract,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* tileData(archive, extract);
}

function wholeFile(path: string, source: ByteSource): Work {
  const bytes = statSync(path).size;
  async function* chunks() {
    for (let at = 0; at < bytes; at += COPY_BYTES) yield source.read(at, Math.min(COPY_BYTES, bytes - at));
  }
  const name = basename(path, ".pmtiles").replace(/[^\w-]+/g, "-");
  return { name, bytes, what: "the whole archive", chunks };
}

function checkSize(bytes: number): void {
  if (bytes > MAX_BYTES)
    throw new Error(
      `R2 takes at most ${sizeText(MAX_BYTES)} in one object. Choose a smaller region or --max-zoom.`,
    );
  if (bytes > ASK_FROM && !values.yes)
    throw new Error(
      `That is more than ${sizeText(ASK_FROM)}. Repeat with --yes to write it, or with a smaller --max-zoom or region.`,
    );
}

async function write(target: Target, key: string, work: Work): Promise<void> {
  const began = Date.now();
  await writeObject(target.bucket, key, {
    chunks: work.chunks(),
    onProgress: (written) => {
      const percent = Math.floor((written / work.bytes) * 100);
      console.log(`${sizeText(written)} of ${sizeText(work.bytes)} (${percent} %)`);
    },
  });
  const stored = await target.bucket.head(key);
  if (stored?.size !== work.bytes)
    throw new Error("The object does not have the expected size. Start again.");
  console.log(`Wrote ${key} in ${Math.round((Date.now() - began) / 1000)} s.`);
}

function sizeText(bytes: number): string {
  if (bytes < 1024 ** 2) return `${Math.ceil(bytes / 1024)} KB`;
  return bytes < 1024 ** 3 ? `${(bytes / 1024 ** 2).toFixed(1)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}
