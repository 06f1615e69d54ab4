import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PMTiles } from "pmtiles";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notedBasemap, ROOT, readSettings } from "../../../workers/local/settings.ts";
import { openStorage } from "../../../workers/local/storage.ts";
import { runCommand } from "../../support/operations/command.ts";
import { pmtilesArchive, streetTile, type TileOf } from "../../support/street-archive.ts";
import { freePort } from "../../support/vendors.ts";

const folder = mkdtempSync(join(tmpdir(), "odin-basemap-"));
const state = join(folder, "state");
const archive = join(folder, "world.pmtiles");
let env: NodeJS.ProcessEnv;

/** Every tile of zooms 0 to 6. */
const TILES = Array.from({ length: 7 }, (_, z) =>
  Array.from({ length: 4 ** z }, (_, i): TileOf => {
    const [x, y] = [i % 2 ** z, Math.floor(i / 2 ** z)];
    return { z, x, y, content: streetTile(`${z}/${x}/${y}`) };
  }),
).flat();

beforeAll(async () => {
  writeFileSync(archive, pmtilesArchive(TILES));
  env = { ...process.env, ODIN_STATE: state, PORT: String(await freePort()) };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const basemap = (...args: string[]) => runCommand(join(ROOT, "workers/local/streets/command.ts"), args, env);

describe("npm run basemap", () => {
  it("writes the map of a state to the local installation, which then shows it", async () => {
    const { code, output } = await basemap("connecticut", "--from", archive);
    expect(output).toMatch(/connecticut: \d+ tiles, zoom 0 to 6, \d+ KB\./);
    expect(output).toMatch(/\(100 %\)/);
    expect(code).toBe(0);
    const settings = readSettings(env);
    expect(notedBasemap(settings)).toBe("r2:connecticut.pmtiles");
    const { env: bindings, dispose } = await openStorage(settings);
    try {
      const stored = await bindings.IMAGES.get("basemap/connecticut.pmtiles");
      const bytes = await stored?.arrayBuffer();
      if (!bytes) throw new Error("nothing was written");
      const source = {
        getKey: () => "stored",
        getBytes: async (offset: number, length: number) => ({ data: bytes.slice(offset, offset + length) }),
      };
      const written = new PMTiles(source);
      // Hartford, and San Francisco.
      const [found, outside] = [await written.getZxy(6, 19, 23), await written.getZxy(6, 10, 24)];
      expect(Buffer.from(found?.data ?? "").toString()).toContain("6/19/23 Street");
      expect(outside).toBeUndefined();
    } finally {
      await dispose();
    }
  });

  it("prints the size of the result, and does not start a large one without confirmation", async () => {
    const large = join(folder, "large.pmtiles");
    const copy = pmtilesArchive(TILES);
    writeFileSync(large, copy);
    truncateSync(large, 3 * 1024 ** 3);
    const asked = await basemap(large);
    expect(asked).toMatchObject({ code: 1, output: expect.stringMatching(/whole archive, 3\.0 GB/) });
    expect(asked.output).toContain("--yes");
    truncateSync(large, 200 * 1024 ** 3);
    const refused = await basemap(large, "--yes");
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringMatching(/200\.0 GB.\s+R2 takes at most/),
    });
  });

  it.each([
    [["atlantis", "--from", archive], /no state "atlantis"/],
    [["connecticut"], /Name an archive with --from/],
    [["connecticut", "--from", join(ROOT, "package.json")], /not a PMTiles archive/],
    [["connecticut", "--from", join(folder, "none.pmtiles")], /There is no file/],
    [["connecticut", "--from", archive, "--max-zoom", "16"], /from 0 to 15/],
    [["connecticut", "--from", archive, "--name", "../x"], /letters, digits/],
    [[], /npm run basemap -- <state/],
  ])("refuses %j", async (args, problem) => {
    const { code, output } = await basemap(...args);
    expect(code).toBe(1);
    expect(output).toMatch(problem);
    expect(output).not.toMatch(/\n\s+at /);
  });
});
