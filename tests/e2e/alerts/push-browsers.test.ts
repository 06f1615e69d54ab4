import type { Page, Worker } from "@playwright/test";
import type { PushDevice } from "#app/entities/alerts/push.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { callAs, expect, logIn, test } from "../fixtures.ts";

type Subscription = { endpoint: string; keys: Record<string, string> };

// Of the service worker, where the functions given to worker.evaluate run.
declare const ExtendableEvent: new (type: string) => Event;

const devicesOf = async (page: Page) =>
  (await callAs<{ devices: PushDevice[] }>(page, "GET /push/devices")).devices;
const hashesOf = async (page: Page) => (await devicesOf(page)).map(({ address_hash }) => address_hash);

async function removeDevices(page: Page): Promise<void> {
  for (const { id } of await devicesOf(page)) await callAs(page, `DELETE /push/devices/${id}`);
}

/** Creates a subscription at the simulated push service: Chromium's own is not reachable in every environment. */
async function newSubscription(page: Page): Promise<Subscription> {
  const answer = await page.request.post(`${process.env.ODIN_VENDORS_URL}/_simulator/push/subscriptions`);
  return answer.json();
}

/** The browser has a subscription from now on, on each page that it loads. */
async function setSubscription(page: Page, made: Subscription): Promise<void> {
  await page.addInitScript((made) => {
    const current = { endpoint: made.endpoint, toJSON: () => made, unsubscribe: async () => true };
    const get = async () => current;
    Object.assign(PushManager.prototype, { subscribe: get, getSubscription: get });
  }, made);
}

/** Tells the service worker that the browser has renewed its subscription. */
async function renewIn(worker: Worker, made: Subscription): Promise<void> {
  await worker.evaluate((made) => {
    const newSubscription = { toJSON: () => made };
    // A scripted event has no lifetime to extend.
    const event = Object.assign(new ExtendableEvent("pushsubscriptionchange"), { newSubscription });
    Object.defineProperty(event, "waitUntil", { value: (work: Promise<void>) => void work });
    dispatchEvent(event);
  }, made);
}

test("a browser's renewed subscription stays with the user who turned push on, also if it is renewed while others are signed in", {
  tag: "@whole-chromium",
}, async ({ page, context, baseURL }) => {
  const origin = String(baseURL);
  await context.grantPermissions(["notifications"], { origin });
  const made = [
    await newSubscription(page),
    await newSubscription(page),
    await newSubscription(page),
  ] as const;
  const [first, second, third] = await Promise.all(made.map(({ endpoint }) => sha256(endpoint)));
  await logIn(page, "viewer");
  await removeDevices(page);
  await logIn(page, "hotadmin");
  await removeDevices(page);
  await setSubscription(page, made[0]);
  await page.goto("/profile");
  await page.getByRole("button", { name: "Turn on in this browser" }).click();
  await expect(page.getByText("This browser", { exact: true })).toBeVisible();
  expect(await hashesOf(page)).toEqual([first]);

  const isOurs = (worker: Worker) => worker.url().endsWith("/push-worker.js");
  const worker =
    context.serviceWorkers().find(isOurs) ?? (await context.waitForEvent("serviceworker", isOurs));
  await logIn(page, "viewer");
  const asked = context.waitForEvent("request", (request) => request.url().endsWith("/session-time"));
  await renewIn(worker, made[1]);
  await asked;
  await page.goto("/alerts");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(await hashesOf(page)).toEqual([]);

  // The same user again: the worker registers the next address by itself.
  await logIn(page, "hotadmin");
  await renewIn(worker, made[1]);
  await expect.poll(() => hashesOf(page)).toContain(second);

  // Renewed while no one was signed in: the next page of the user registers it, and removes the former one.
  await setSubscription(page, made[2]);
  await page.goto("/alerts");
  await expect.poll(() => hashesOf(page)).toContain(third);
  await expect.poll(() => hashesOf(page)).not.toContain(first);

  // Removed elsewhere, by the user: it stays removed.
  await removeDevices(page);
  const listed = page.waitForResponse("**/push/devices");
  await page.reload();
  await (await listed).finished();
  await page.waitForLoadState("networkidle");
  expect(await hashesOf(page)).toEqual([]);
});

test("quiet hours can be moved to the time zone of this computer", async ({ page }) => {
  await logIn(page, "viewer");
  const night = { enabled: true, quiet_from: "22:00", quiet_until: "06:00" };
  await callAs(page, "PUT /push/settings", { ...night, time_zone: "Pacific/Honolulu" });
  await page.goto("/profile");
  const zone = page.getByLabel("Time zone");
  await expect(zone).toHaveValue("Pacific/Honolulu");
  await zone.selectOption("America/New York");
  await page.getByRole("button", { name: "Save quiet hours" }).click();
  await expect(page.getByRole("region", { name: "Messages" })).toContainText("Quiet hours saved");
  const saved = await callAs(page, "GET /push/settings");
  expect(saved).toMatchObject({ ...night, time_zone: "America/New_York" });
  await callAs(page, "PUT /push/settings", {
    enabled: false,
    quiet_from: null,
    quiet_until: null,
    time_zone: "",
  });
});
