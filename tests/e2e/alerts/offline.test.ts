import type { Page } from "@playwright/test";
import { expect, expectAccessible, logOut, signIn } from "../fixtures.ts";
import { test as base, newPlate, watch } from "../hits.ts";
import { startProxy } from "../proxy.ts";

type Connection = { isLost: boolean };

/**
 * The connection to Odin is lost for real. With `setOffline`, the next page never loads if Chromium has stopped the service
 * worker meanwhile, which it does after 30 seconds without work, as on a slow machine.
 */
const test = base.extend<{ connection: Connection }>({
  connection: [{ isLost: false }, { option: true }],
  baseURL: async ({ connection }, use) => {
    await using proxy = await startProxy(process.env.ODIN_URL, () => (connection.isLost ? "none" : "whole"));
    await use(proxy.url);
  },
});

// While offline, the open page's own requests fail, and the browser logs each failure.
test.use({ expectedErrors: [/net::ERR_/] });

/** Simulates the installation of the app with the browser's `appinstalled` event; waits for the service worker. */
async function install(page: Page): Promise<void> {
  await expect(async () => {
    await page.evaluate(() => dispatchEvent(new Event("appinstalled")));
    const isActive = () => navigator.serviceWorker.getRegistration().then((found) => found?.active?.state);
    expect(await page.evaluate(isActive)).toBe("activated");
  }).toPass();
}

/** Records the app badge in session storage, where `badgeOf` reads it. */
async function recordBadge(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const keep = async (unread = 0) => sessionStorage.setItem("badge", String(unread));
    Object.assign(navigator, { setAppBadge: keep, clearAppBadge: keep });
  });
}

const badgeOf = (page: Page) => page.evaluate(() => Number(sessionStorage.getItem("badge")));

/** Opens a page while offline, runs the checks, and goes back online. */
async function offline(page: Page, connection: Connection, look: () => Promise<void>): Promise<void> {
  connection.isLost = true;
  try {
    await page.goto("/alerts");
    await expect(page.getByRole("heading", { name: "You are offline" })).toBeVisible();
    await look();
  } finally {
    connection.isLost = false;
  }
}

/** Stops the service worker, as browsers do if it has no work. The next event starts it again. */
async function stopWorker(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("ServiceWorker.enable");
  await devtools.send("ServiceWorker.stopAllWorkers");
  await devtools.detach();
}

/** Sends the service worker a message, as Odin's pages do. */
const tell = (page: Page, message: object) =>
  page.evaluate(async (sent) => (await navigator.serviceWorker.ready).active?.postMessage(sent), message);

test("the installed app opens offline with the last hits, until the user signs out", {
  tag: "@whole-chromium",
}, async ({ page, newCamera, connection }) => {
  const camera = await newCamera();
  await recordBadge(page);
  await signIn(page, "hotadmin");
  const plate = newPlate();
  await watch(page, plate);
  await install(page);
  await camera.pass(plate);
  await expect(page.getByRole("region", { name: "New hits" })).toContainText(plate, { timeout: 60_000 });
  await expect.poll(() => badgeOf(page)).toBeGreaterThan(0);
  const kept = page.getByRole("listitem").filter({ hasText: plate });

  await expect(async () => {
    await offline(page, connection, () => expect(kept).toBeVisible({ timeout: 1000 }));
  }).toPass();
  await offline(page, connection, async () => {
    await expect(kept).toContainText("Missing persons");
    await expect(kept).toContainText(camera.name);
    await expect(page.getByRole("img")).toHaveCount(0);
    await expectAccessible(page);
    await stopWorker(page);
  });
  // The stored hits are encrypted: another user of this browser cannot read them.
  const stored = await page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const opening = indexedDB.open("odin-offline");
        opening.onsuccess = () => {
          const asked = opening.result.transaction("kept").objectStore("kept").get("hits");
          asked.onsuccess = () => {
            opening.result.close();
            resolve(new TextDecoder("latin1").decode(asked.result.sealed));
          };
        };
      }),
  );
  expect(stored.length).toBeGreaterThan(100);
  expect(stored).not.toContain(plate);

  await page.getByRole("link", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "My Alert Groups" })).toBeVisible();
  expect(await badgeOf(page)).toBeGreaterThan(0);
  await logOut(page);
  await expect.poll(() => badgeOf(page)).toBe(0);
  await offline(page, connection, async () => {
    await expect(page.getByText("No hits are kept on this device.")).toBeVisible();
    await expect(kept).toHaveCount(0);
  });
});

test("a sign-out by the plain form, before the scripts have arrived, removes the number on the icon too", async ({
  page,
  expectedErrors,
}) => {
  // The page's own scripts, which a page before hydration does not have, may notice the end of the session first.
  expectedErrors.push(/status of 401/);
  await recordBadge(page);
  await signIn(page, "officer");
  await page.evaluate(() => navigator.setAppBadge(3));
  await page.evaluate(() => {
    const form = Object.assign(document.createElement("form"), { method: "post", action: "/logout" });
    document.body.appendChild(form);
    form.submit();
  });
  await page.waitForURL((url) => url.pathname === "/");
  await expect.poll(() => badgeOf(page)).toBe(0);
});

test("stored hits are deleted when the session ends and when another user signs in", {
  tag: "@whole-chromium",
}, async ({ page, connection }) => {
  // This user has no bell, which would also send hits to the service worker.
  await signIn(page, "officer");
  await install(page);
  const hit = {
    id: "a1",
    plate: "OFF4711",
    state: "CT",
    priority: "high",
    timestamp: null,
    camera: "<b>Gate</b>",
  };
  const hits = [{ ...hit, group: "Missing persons", reason: "Missing person", match: "Exact" }];
  const kept = page.getByText("OFF4711");
  const later = Date.now() + 3_600_000;
  const keep = async () => {
    await page.goto("/terms");
    await tell(page, { type: "forget" });
    await tell(page, { type: "session", username: "first", until: later });
    await tell(page, { type: "hits", username: "first", hits });
    await offline(page, connection, async () => {
      await expect(kept).toBeVisible();
      await expect(page.getByText("<b>Gate</b>")).toBeVisible();
    });
    await page.goto("/terms");
  };

  await keep();
  await tell(page, { type: "session", username: "first", until: Date.now() - 1 });
  await offline(page, connection, () => expect(kept).toHaveCount(0));
  await keep();
  await tell(page, { type: "session", username: "second", until: later });
  await offline(page, connection, () => expect(kept).toHaveCount(0));
  await keep();
  await tell(page, { type: "hits", username: "second", hits: [] });
  await offline(page, connection, () => expect(kept).toHaveCount(0));
  // A window of the user before, whose requests are answered in the session of the next one.
  await page.goto("/terms");
  await tell(page, { type: "session", username: "second", until: later });
  await tell(page, { type: "hits", username: "first", hits });
  await offline(page, connection, () => expect(kept).toHaveCount(0));
  await keep();
  // The sign-in screen shows that no one is signed in.
  await page.context().clearCookies();
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Login" })).toBeVisible();
  await offline(page, connection, () => expect(kept).toHaveCount(0));
});
