import jpeg from "jpeg-js";
import { pageSize, placeView, streetPage, tilesOf } from "#app/entities/exports/street-map.ts";
import { createMapBrowsers } from "#app/providers/map-browser.ts";
import { startBrowsers } from "../../../workers/local/browser.ts";
import { findChromium } from "../../support/chromium.ts";
import { expect, test } from "../fixtures.ts";

/** A Browser Rendering binding that uses this process's WebSocket instead of the Workers runtime's. */
function bindingOf(port: number) {
  return {
    async fetch(address: string | URL | Request, init?: RequestInit) {
      const path = new URL(String(address)).pathname;
      if (init?.method === "POST") return fetch(`http://127.0.0.1:${port}${path}`, { method: "POST" });
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
      await new Promise((resolve, reject) => {
        socket.addEventListener("open", resolve);
        socket.addEventListener("error", reject);
      });
      return Object.assign(new Response(), { webSocket: Object.assign(socket, { accept() {} }) });
    },
  };
}

test("the browser renders a street map as an image of the requested size, without network requests", async () => {
  const chromium = findChromium();
  if (!chromium) throw new Error("This test needs Chromium.");
  const browsers = await startBrowsers(chromium);
  try {
    const open = createMapBrowsers(bindingOf(browsers.port));
    if (!open) throw new Error("The binding was not used.");
    const view = placeView({ longitude: -72.67, latitude: 41.76 }, { width: 146, height: 92 });
    const green = '<svg viewBox="0 0 1 1"><path d="M0 0h1v1h-1Z" fill="#00c000"/></svg>';
    const hostile = `<img alt="" src="http://127.0.0.1:${browsers.port}/loaded">`;
    const tiles = tilesOf(view, { minZoom: 0, maxZoom: 15 });
    const html = streetPage(
      view,
      tiles.map((tile) => ({ ...tile, content: green + hostile })),
    );
    const browser = await open();
    const bytes = await browser.picture(html, pageSize(view)).finally(() => browser.close());
    const picture = jpeg.decode(bytes);
    expect([picture.width, picture.height]).toEqual([584, 368]);
    const middle = (184 * 584 + 292) * 4;
    const [red = 0, color = 0, blue = 0] = picture.data.subarray(middle, middle + 3);
    expect(color).toBeGreaterThan(150);
    expect(Math.max(red, blue)).toBeLessThan(60);
  } finally {
    await browsers.close();
  }
});
