// Street maps for a report, rendered from the operator's tiles by Browser Rendering, one after the other in one
// browser, and cached by place. A map that cannot be rendered does not fail the report, which then shows the embedded
// map and says so.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { describeBasemap } from "#app/domain/search/basemap.ts";
import {
  type MapBrowser,
  type PlacedTile,
  pageSize,
  type StreetView,
  streetPage,
  tilesOf,
  viewKey,
} from "#app/entities/exports/street-map.ts";
import { type ShownNames, tileMarkup } from "#app/entities/exports/vector-tile.ts";
import { type BasemapInfo, EMBEDDED_BASEMAP } from "#app/entities/search/map/basemap.ts";
import { base64 } from "#app/lib/crypto/encoding.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { logWarning } from "#app/lib/log.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { findMap, saveMap } from "#app/store/exports/map-cache.ts";
import type { Streets } from "./map-print.ts";

/** Maximum number of maps that one report renders, and the time for them. Cached maps do not count. */
const MAX_RENDERED = 40;
const RENDERING_MS = 20 * SECOND;
const LIMIT = `the others show towns, because a report renders at most ${MAX_RENDERED} new maps in at most ${RENDERING_MS / SECOND} seconds`;
const TILES_AT_ONCE = 6;

export type StreetMaps = {
  /** Returns the streets of a view, or undefined if the embedded map has to be used. Never throws. */
  of(view: StreetView): Promise<Streets | undefined>;
  /** Returns the sources of the maps for the cover, with the reason if streets are missing. */
  attribution(): string;
  /** The longest text that `attribution` may return, which reserves the room for it. */
  longestAttribution: string;
  close(): Promise<void>;
};

/** What street maps need of the context. */
type MapContext = Pick<AppContext, "basemap" | "openMapBrowser" | "clock">;

/** Opens the street maps of one report. */
export async function openStreetMaps(app: MapContext): Promise<StreetMaps> {
  const info = await describeBasemap(app);
  const embedded = EMBEDDED_BASEMAP.attribution;
  if (info.kind === "embedded")
    return {
      of: async () => undefined,
      attribution: () => embedded,
      longestAttribution: embedded,
      close: async () => {},
    };
  let browser: MapBrowser | undefined;
  let problem = app.openMapBrowser ? "" : "this installation has no Browser Rendering";
  let [rendered, spent, shown] = [0, 0, 0];

  async function render(view: StreetView): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (problem !== "" || !app.openMapBrowser) return undefined;
    if (rendered >= MAX_RENDERED || spent >= RENDERING_MS) {
      problem = LIMIT;
      return undefined;
    }
    const start = app.clock();
    let failing = "the street map did not answer";
    try {
      const html = await pageOf(app, view, info);
      if (html === undefined) return undefined;
      failing = "Browser Rendering did not answer";
      browser ??= await app.openMapBrowser();
      rendered += 1;
      return await browser.picture(html, pageSize(view));
    } catch (error) {
      logWarning("street maps are not available", error);
      problem = failing;
      return undefined;
    } finally {
      spent += app.clock() - start;
    }
  }

  return {
    async of(view) {
      const key = await sha256(new TextEncoder().encode(`2 ${app.basemap.name} ${viewKey(view)}`));
      const cached = await findMap(key).catch(() => undefined);
      const bytes = cached ?? (await render(view));
      if (!bytes) return undefined;
      shown += 1;
      if (!cached) await saveMap(key, bytes).catch(() => {});
      return { view, bytes };
    },
    attribution() {
      if (problem === "") return shown === 0 ? embedded : `${info.attribution}; ${embedded}`;
      if (shown > 0) return `${info.attribution}; ${embedded}. ${shown} maps show streets; ${problem}.`;
      return `${embedded}. Without streets: ${problem}.`;
    },
    longestAttribution: `${info.attribution}; ${embedded}. ${MAX_RENDERED} maps show streets; ${LIMIT}.`,
    close: async () => browser?.close(),
  };
}

/** Returns the page of a view, or undefined if the basemap has no tile of it. */
async function pageOf(app: MapContext, view: StreetView, info: BasemapInfo): Promise<string | undefined> {
  const names: ShownNames = [];
  const tiles = await pMap(
    tilesOf(view, info),
    async (placed) => ({ ...placed, content: await contentOf(app, placed, { info, names }) }),
    { concurrency: TILES_AT_ONCE },
  );
  return tiles.some(({ content }) => content !== "") ? streetPage(view, tiles) : undefined;
}

async function contentOf(
  app: MapContext,
  placed: PlacedTile,
  { info, names }: { info: BasemapInfo; names: ShownNames },
): Promise<string> {
  const tile = await app.basemap.tile(placed.address);
  if (!tile) return "";
  if (info.kind === "vector") return vectorContent(tile.bytes, { ...placed, shown: names });
  return `<img alt="" src="data:${tile.type};base64,${base64(tile.bytes)}">`;
}

/** Returns the markup of a vector tile; an empty text for a malformed one, so that the others are still drawn. */
function vectorContent(bytes: Uint8Array, placed: Parameters<typeof tileMarkup>[1]): string {
  try {
    return tileMarkup(bytes, placed);
  } catch {
    return "";
  }
}
