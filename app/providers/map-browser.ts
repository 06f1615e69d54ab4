// Browser Rendering: Chromium at Cloudflare, which turns a page into a picture. It receives a self-contained page and
// never gets an address of Odin or a credential.

import type { BrowserWorker } from "@cloudflare/puppeteer";
import type { OpenMapBrowser } from "#app/entities/exports/street-map.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { withDeadline } from "#app/lib/waiting.ts";

const START_MS = 15 * SECOND;
const PICTURE_MS = 8 * SECOND;
const JPEG_QUALITY = 75;

/** Returns the browsers of a binding, or null if the installation has none. */
export function createMapBrowsers(binding: BrowserWorker | undefined): OpenMapBrowser | null {
  if (!binding) return null;
  return async () => {
    // Loaded only here: it is large, and most requests draw no map.
    const { launch } = await import("@cloudflare/puppeteer");
    const starting = launch(binding);
    const browser = await within(START_MS, starting).catch((error: unknown) => {
      // A browser that starts late is closed, because an account has few of them.
      starting.then((late) => late.close()).catch(() => {});
      throw error;
    });
    return {
      async picture(html, { width, height }) {
        const page = await within(PICTURE_MS, browser.newPage());
        try {
          await within(PICTURE_MS, page.setJavaScriptEnabled(false));
          await within(PICTURE_MS, page.setViewport({ width, height, deviceScaleFactor: 2 }));
          await within(PICTURE_MS, page.setContent(html, { waitUntil: "load" }));
          return new Uint8Array(
            await within(PICTURE_MS, page.screenshot({ type: "jpeg", quality: JPEG_QUALITY })),
          );
        } finally {
          await within(PICTURE_MS, page.close()).catch(() => {});
        }
      },
      close: () => within(PICTURE_MS, browser.close()).catch(() => {}),
    };
  };
}

function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return withDeadline(milliseconds, work, "the browser does not answer");
}
