import type { Page, Worker } from "@playwright/test";
import type { PushDevice } from "#app/entities/alerts/push.ts";
import type { Priority } from "#app/entities/hotlists/entry.ts";
import { DEMO_PASSWORD } from "../../../workers/local/demo-plan.ts";
import {
  callAs,
  coveredControls,
  expect,
  expectAccessible,
  hold,
  logIn,
  search,
  sessionLock,
  signIn,
} from "../fixtures.ts";
import { GROUP, newPlate, test, watch } from "../hits.ts";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

/** Signs in as a hotlist admin who watches for a new plate. */
async function startWatching(page: Page, priority: Priority = "normal") {
  await signIn(page, "hotadmin");
  const plate = newPlate();
  await watch(page, plate, { priority });
  return { plate, bell: page.getByRole("button", { name: /^Hits, / }) };
}

for (const [words, hours] of [
  ["ahead", 3],
  ["behind", -3],
] as const)
  test(`the age of a hit is right on a computer whose clock is ${words} by hours`, async ({
    page,
    newCamera,
  }) => {
    const camera = await newCamera();
    await page.clock.install({ time: Date.now() + hours * 3_600_000 });
    const { plate, bell } = await startWatching(page, "high");
    await expect(bell).toBeVisible();
    await camera.pass(plate);
    const arrived = page.getByRole("region", { name: "New hits" });
    const age = new RegExp(`${plate}.* · ([1-9]|\\d\\d) s ago`);
    await expect(arrived).toContainText(age, { timeout: 60_000 });
    await arrived.getByRole("button", { name: `Open the hit ${plate}` }).click();
    const modal = page.getByRole("dialog", { name: "Hotlist hit: Missing persons" });
    await expect(modal.getByText(/ · ([1-9]|\d\d) s ago$/)).toBeVisible();
  });

test("a hit arrives in the open app and can be opened, reviewed and found in the history", async ({
  page,
  newCamera,
}) => {
  const camera = await newCamera();
  const { plate, bell } = await startWatching(page);
  await expect(bell).toBeVisible();

  await camera.pass(plate);
  const arrived = page.getByRole("region", { name: "New hits" });
  await expect(arrived).toContainText(
    new RegExp(
      `HIT\\s*${plate}\\s*NY\\s*Normal priority\\s*Exact plate, other state\\s*Missing person\\s*Missing persons · ${camera.name} · \\d+ s ago`,
    ),
    { timeout: 60_000 },
  );
  await expect(arrived.getByRole("img", { name: new RegExp(plate) })).toBeVisible();
  await expect(bell).toHaveAccessibleName(/^Hits, \d+\+? unread$/);
  await expectAccessible(page);

  await bell.press("Enter");
  const list = page.getByRole("dialog", { name: "Newest hits" });
  await expect(list.getByRole("checkbox", { name: "Sound" })).not.toBeChecked();
  await expect(bell).toHaveAccessibleName("Hits, none unread");
  await list.getByRole("button", { name: new RegExp(plate) }).press("Enter");

  const modal = page.getByRole("dialog", { name: "Hotlist hit: Missing persons" });
  await expect(modal.getByRole("heading", { name: "Verify plate and state before action" })).toBeVisible();
  await expect(modal.getByRole("list", { name: "Differences" })).toContainText(/NY.*CT/);
  await expect(modal.getByText("Camera read")).toBeVisible();
  await expect(modal.getByText("Looking it up…")).toBeHidden();
  await expect(modal.getByRole("link", { name: /Open in Google Maps/ })).toBeVisible();
  await modal.getByRole("radio", { name: "Hotlist entry" }).check();
  await expect(modal.getByText("Green canoe on the roof")).toBeVisible();
  await expectAccessible(page);
  await modal.getByLabel("Note").fill("The first letter is an F");
  await modal.getByRole("button", { name: "Misread" }).press("Enter");
  await expect(modal.getByText(/Misread\s+by Hanna Hotlist/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(modal).toBeHidden();

  await page.goto("/alerts");
  const card = page.getByRole("listitem").filter({ hasText: "Missing persons" });
  await expect(card).toContainText(/Last Alert: \d{4}-\d\d-\d\d \d\d:\d\d/);
  await card.getByRole("link", { name: "View Alerts" }).click();
  const history = page.getByRole("table", { name: /^Hits of this group/ });
  const row = history.getByRole("row").filter({ hasText: plate });
  await expect(row).toContainText("Misread");
  await expectAccessible(page);
  await page.getByLabel("Plate", { exact: true }).fill(plate.toLowerCase());
  await page.getByLabel("Disposition").selectOption("Correct");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page).toHaveURL(/disposition=correct/);
  expect(page.url().toLowerCase()).not.toContain(plate.toLowerCase());
  await expect(page.getByText("No hits match the filter.")).toBeVisible();
  await page.getByRole("link", { name: "Show all" }).click();
  const opener = row.getByRole("link", { name: `Open the hit ${plate}` });
  // The focus moves from the link, which is gone, to the first row. A click outside of the rows removes it.
  await expect(opener).toBeVisible();
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("j");
  await expect(history.locator(":focus")).toHaveCount(0);
  await opener.press("j");
  await expect(history.locator(":focus")).toHaveCount(1);
  await page.keyboard.press("k");
  await expect(opener).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(modal).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(opener).toBeFocused();

  const path = `/alert-history-detail/${await row.getAttribute("data-alert")}`;
  await withImagesPending(page, path);
  const lookedAgain = page.waitForResponse(`**/api/alerts/${await row.getAttribute("data-alert")}`);
  await page.goto(path);
  await expect(page.getByRole("heading", { name: "Hotlist hit: Missing persons" })).toBeVisible();
  await expect(page.locator("#content")).toContainText(
    new RegExp(
      `HIT\\s*Normal priority\\s*Exact plate, other state\\s*Missing person\\s*Missing persons · ${camera.name} · .* ago`,
    ),
  );
  await expect(page.getByText("The first letter is an F")).toBeVisible();
  await expectAccessible(page);
  expect((await lookedAgain).ok()).toBe(true);
});

test.describe("a plate filter that fails", () => {
  test.use({ expectedErrors: [/status of 500/] });

  test("keeps its plate and shows no other hits until it succeeds", async ({ page }) => {
    await signIn(page, "hotadmin", `/alerts/group/${GROUP}`);
    const find = `**/alerts/group/${GROUP}/find`;
    await page.route(find, (route) => route.fulfill({ status: 500, json: {} }));
    const plate = newPlate();
    await page.getByLabel("Plate", { exact: true }).fill(plate);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await expect(page.locator("p", { hasText: "The hits could not be filtered." })).toBeVisible();
    await expect(page.getByRole("table")).toHaveCount(0);
    await expect(page.getByRole("navigation", { name: "Pages" })).toHaveCount(0);
    await expect(page.getByLabel("Plate", { exact: true })).toHaveValue(plate);
    await expectAccessible(page);
    await page.unroute(find);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByText("No hits match the filter.")).toBeVisible();
    await expect(page.getByLabel("Plate", { exact: true })).toHaveValue(plate);
  });
});

/** Serves a hit's page as if its images were still pending. */
async function withImagesPending(page: Page, path: string): Promise<void> {
  await page.route(`**${path}`, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/(?<=enqueue\()"\[(?:[^"\\]|\\.)*"/, (literal) => {
      const values: unknown[] = JSON.parse(JSON.parse(literal));
      const key = `_${values.indexOf("images_pending")}`;
      const isAlert = (value: unknown): value is Record<string, number> =>
        value instanceof Object && key in value;
      const alert = values.find(isAlert);
      if (!alert) throw new Error("The page contains no hit.");
      alert[key] = values.push(true) - 1;
      return JSON.stringify(`${JSON.stringify(values)}\n`).replaceAll("<", "\\u003c");
    });
    await route.fulfill({ response, body });
  });
}

declare const played: number[];

/** Records the pitch of every tone that the page plays. */
async function listen(page: Page): Promise<() => Promise<number[]>> {
  await page.addInitScript(() => {
    const played: number[] = [];
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (when) {
      played.push(Math.round(this.frequency.value));
      start.call(this, when);
    };
    Object.assign(window, { played });
  });
  return () => page.evaluate(() => played.splice(0));
}

test.describe("a session that ends while a hit is shown", () => {
  test.use({ expectedErrors: [/status of 401/] });

  test("is covered by a sign-in dialog without the hit, which is shown again after the same user signs in", async ({
    page,
    newCamera,
  }) => {
    const camera = await newCamera();
    const { plate, bell } = await startWatching(page, "high");
    await expect(bell).toBeVisible();
    await camera.pass(plate);
    const arrived = page.getByRole("region", { name: "New hits" });
    await expect(arrived).toContainText(plate, { timeout: 60_000 });
    await page.context().clearCookies();
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    const lock = sessionLock(page);
    await expect(lock).toBeVisible();
    await expect(lock.getByRole("region", { name: "New hits" })).toHaveCount(0);
    await expect(lock).not.toContainText(plate);
    const password = lock.getByRole("textbox", { name: "Password" });
    await password.fill(DEMO_PASSWORD);
    await password.press("Enter");
    await expect(lock).toBeHidden();
    await arrived.getByRole("button", { name: `Open the hit ${plate}` }).click();
    await expect(page.getByRole("dialog", { name: "Hotlist hit: Missing persons" })).toBeVisible();
  });
});

test("twenty simultaneous hits cover no control, are announced by priority, and offer a sound per priority", async ({
  page,
  newCamera,
}) => {
  const tones = await listen(page);
  const camera = await newCamera();
  const { plate: high, bell } = await startWatching(page, "high");
  const low = Array.from({ length: 19 }, newPlate);
  await Promise.all(low.map((plate) => watch(page, plate, { priority: "low" })));
  await search(page, { programs: ["Axis"] });
  await expect(bell).toBeVisible();
  const selectAll = page.getByRole("checkbox", { name: /^Select all/ }).first();
  await expect(selectAll).toBeVisible();

  const pass = async () => {
    await Promise.all(low.map((plate) => camera.pass(plate, { hasPicture: false })));
    await camera.pass(high, { state: "CT" });
  };
  const arrived = page.getByRole("region", { name: "New hits" });
  const spoken = page.locator("[data-hit-dock]");
  const soon = { timeout: 60_000 };
  // Announcements disappear after a few seconds, so waiting starts before the hits are sent. Plates are spelled.
  await Promise.all([
    expect(spoken.getByRole("status")).toContainText(/low priority/, soon),
    expect(spoken.getByRole("alert")).toContainText(Array.from(high).join(" "), soon),
    pass(),
  ]);
  await expect(arrived.getByText("High priority").first()).toBeVisible();
  await arrived.hover();
  await expect(arrived.getByText("No image").first()).toBeVisible();
  expect(await coveredControls(page, "[data-hit-dock]")).toEqual([]);
  expect(await tones()).toEqual([]);
  await arrived.getByRole("button", { name: "Turn on sound" }).click();
  await expect.poll(tones).toEqual([660, 880, 1175]);
  await expect(arrived.getByText("Play a sound?")).toBeHidden();

  // 390 px, as on a phone, and 720 px, as a laptop at 200 % zoom; then with a dialog open.
  for (const width of [390, 720]) {
    await page.setViewportSize({ width, height: 844 });
    await expect(arrived.getByText(high, { exact: true })).toBeVisible();
    expect(await coveredControls(page, "[data-hit-dock]")).toEqual([]);
  }
  await arrived.getByRole("button", { name: `Open the hit ${high} CT` }).click();
  const dialog = page.getByRole("dialog", { name: "Hotlist hit: Missing persons" });
  await expect(dialog.getByText("Read matches the hotlist entry.")).toBeVisible();
  const next = newPlate();
  await watch(page, next, { priority: "low" });
  await camera.pass(next);
  await expect(dialog.getByRole("region", { name: "New hits" }).getByText(next, { exact: true })).toBeVisible(
    {
      timeout: 60_000,
    },
  );
  expect(await coveredControls(page, "[data-hit-dock]")).toEqual([]);
  await expect.poll(tones).toContain(660);
  await expectAccessible(page);
});

test("a hit that arrives while the list is open is marked as read when the list closes", async ({
  page,
  newCamera,
}) => {
  const camera = await newCamera();
  const { plate, bell } = await startWatching(page);
  await bell.click();
  const list = page.getByRole("dialog", { name: "Newest hits" });
  await expect(list).toBeVisible();
  await camera.pass(plate);
  await expect(list.getByRole("button", { name: new RegExp(plate) })).toBeVisible({ timeout: 60_000 });
  const noted = page.waitForResponse("**/live-alerts/seen");
  await page.keyboard.press("Escape");
  await expect(list).toBeHidden();
  expect((await noted).ok()).toBe(true);
  await page.reload();
  await expect(bell).toHaveAccessibleName("Hits, none unread");
});

test("the group list shows the last alert of each group, including one that arrives while the list is open", async ({
  page,
  newCamera,
}) => {
  const camera = await newCamera();
  await signIn(page, "hotadmin", "/create-group");
  const name = `Watched ${newPlate()}`;
  await page.getByLabel("Name").fill(name);
  await page.getByRole("checkbox", { name: "Hanna Hotlist" }).check();
  await page.getByRole("button", { name: "Create Group" }).click();
  await page.waitForURL("**/alerts");
  const card = page.getByRole("listitem").filter({ hasText: name });
  const details = await card.getByRole("link", { name, exact: true }).getAttribute("href");
  const plate = newPlate();
  await watch(page, plate, { group: details?.split("/").at(-1) });
  await expect(card).toContainText("Last Alert: No alerts yet");
  await camera.pass(plate);
  await expect(card).toContainText(/Last Alert: \d{4}-\d\d-\d\d \d\d:\d\d/, { timeout: 60_000 });
});

test("hits that the user has loaded are not announced again by an answer that was on its way", async ({
  page,
  newCamera,
}) => {
  const camera = await newCamera();
  await logIn(page, "hotadmin");
  const [first, plate] = [newPlate(), newPlate()];
  for (const one of [first, plate]) await watch(page, one);
  await camera.pass(first);
  await page.goto(`/alerts/group/${GROUP}`);
  const history = page.getByRole("table", { name: /^Hits of this group/ });
  await expect(history).toBeVisible();
  const fresh = page.getByRole("button", { name: /^\d+ new hits?$/ });
  await camera.pass(plate);
  await expect(fresh).toBeVisible({ timeout: 60_000 });

  const count = `**/alerts/group/${GROUP}/new`;
  const [asked, loaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let polls = 0;
  await page.route(count, async (route) => {
    polls += 1;
    // Later polls get no answer: it would hide what the held one did.
    if (polls > 1) return;
    asked.resolve();
    await loaded.promise;
    await route.continue();
  });
  await asked.promise;
  await fresh.click();
  await expect(history.getByRole("row").filter({ hasText: plate })).toBeVisible();
  await expect(fresh).toBeHidden();
  loaded.resolve();
  // The page asks again once it has dealt with the answer.
  await expect.poll(() => polls, { timeout: 60_000 }).toBe(2);
  await expect(fresh).toBeHidden({ timeout: 1 });
});

test("new hits are announced above an open alert history and do not move its rows", async ({
  page,
  newCamera,
}) => {
  const camera = await newCamera();
  await logIn(page, "hotadmin");
  const [first, second] = [newPlate(), newPlate()];
  await watch(page, first);
  await watch(page, second);
  await camera.pass(first);
  await page.goto(`/alerts/group/${GROUP}`);
  const rows = page.getByRole("table", { name: /^Hits of this group/ }).getByRole("row");
  await expect(rows.nth(1)).toContainText(first);
  await camera.pass(second);
  const newHits = page.getByRole("button", { name: /^\d+ new hits?$/ });
  await expect(newHits).toBeVisible({ timeout: 60_000 });
  await expect(rows.nth(1)).toContainText(first);
  await newHits.click();
  await expect(rows.nth(1)).toContainText(second);
  await expect(newHits).toBeHidden();
});

test("a review does not cut off the next hit of a list that shows only hits without one", async ({
  page,
  newCamera,
}) => {
  const camera = await newCamera();
  await logIn(page, "hotadmin");
  const [first, second] = [newPlate(), newPlate()];
  for (const plate of [first, second]) {
    await watch(page, plate);
    await camera.pass(plate);
  }
  await page.goto(`/alerts/group/${GROUP}?disposition=none`);
  const rows = page.getByRole("table", { name: /^Hits of this group/ }).getByRole("row");
  await rows
    .nth(1)
    .getByRole("link", { name: `Open the hit ${second}` })
    .click();
  const modal = page.getByRole("dialog", { name: "Hotlist hit: Missing persons" });
  const loaded = page.waitForResponse(/\/alerts\/group\/[^/]+\.data\?/);
  await modal.getByRole("button", { name: "Misread" }).click();
  await expect(modal.getByText(/Misread\s+by Hanna Hotlist/)).toBeVisible();
  await (await loaded).finished();
  await modal.getByRole("button", { name: "Older" }).click();
  await expect(modal.getByRole("button", { name: `Copy ${first}` }).first()).toBeVisible();
  await page.keyboard.press("k");
  await expect(modal.getByRole("button", { name: `Copy ${second}` }).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(rows.nth(1)).toContainText(first);
});

test("a user who reviews a hit second sees the disposition of the first user", async ({
  page,
  browser,
  baseURL,
  expectedErrors,
  newCamera,
}) => {
  expectedErrors.push(/409/);
  const camera = await newCamera();
  const { plate } = await startWatching(page);
  await camera.pass(plate);
  await page.goto(`/alerts/group/${GROUP}`);
  const row = page.getByRole("row").filter({ hasText: plate });
  const path = `/alert-history-detail/${await row.getAttribute("data-alert")}`;
  await page.goto(path);
  await expect(page.getByRole("button", { name: "Correct" })).toBeVisible();
  const other = await (await browser.newContext({ baseURL })).newPage();
  await signIn(other, "viewer", path);
  await other.getByRole("button", { name: "Wrong state" }).click();
  await expect(other.getByText(/Wrong state\s+by Victor Viewer/)).toBeVisible();
  await page.getByRole("button", { name: "Correct" }).click();
  await expect(page.getByText('Victor Viewer marked this hit "Wrong state" in the meantime.')).toBeVisible();
  await expect(page.getByText(/Wrong state\s+by Victor Viewer/)).toBeVisible();
  await page.getByRole("button", { name: "Correct" }).click();
  await expect(page.getByText(/Correct\s+by Hanna Hotlist/)).toBeVisible();
  await expect(other.getByRole("button", { name: "Clear disposition" })).toBeHidden();
  await page.getByRole("button", { name: "Clear disposition" }).click();
  await expect(page.getByText(/Correct\s+by/)).toBeHidden();

  // The hit is loaded again for its images, with a decision that the first user has not seen.
  await withImagesPending(page, path);
  const hit = path.replace("/alert-history-detail/", "/api/alerts/");
  const release = await hold(page, `**${hit}`);
  const lookedAgain = page.waitForRequest(`**${hit}`);
  await page.goto(path);
  const note = page.getByLabel("Note");
  await note.fill("Half a sentence");
  await lookedAgain;
  await callAs(other, `POST ${hit}/disposition`, { disposition: "wrong-state", note: "Their note" });
  release();
  await expect(page.getByText("Their note")).toBeVisible();
  await expect(note).toHaveValue("Half a sentence");
  await page.getByRole("button", { name: "Correct" }).click();
  await expect(page.getByText('Victor Viewer marked this hit "Wrong state" in the meantime.')).toBeVisible();
  // Now the decision is next to the message.
  await expect(page.locator("input[name=known]")).not.toHaveValue("");
  await page.getByRole("button", { name: "Correct" }).click();
  await expect(page.getByText(/Correct\s+by Hanna Hotlist.*Half a sentence/)).toBeVisible();
  await other.context().close();
});

test("a user without hotlist permissions has no bell and sends no polling requests", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await signIn(page, "officer");
  await page.waitForLoadState("networkidle");
  await expect(page.getByRole("button", { name: /^Hits/ })).toBeHidden();
  expect(asked).not.toContain("/live-alerts");
});

test("past reads of a newly listed plate can be looked up", async ({ page, newCamera }) => {
  const camera = await newCamera();
  const plate = newPlate();
  await camera.pass(plate);
  // Administrators are hotlist admins, whatever is stored.
  await signIn(page, "admin");
  await search(page, { plate, programs: ["Axis"] });
  await page.getByRole("row").filter({ hasText: plate }).click();
  await page.getByRole("button", { name: "Add Plate to Hotlist" }).click();
  const dialog = page.getByRole("dialog", { name: /Add Plate to Hotlist/ });
  await dialog.getByLabel("Group").selectOption({ label: "Missing persons" });
  await dialog.getByLabel("Reason").fill("Seen at a burglary");
  await dialog.getByRole("button", { name: "Save" }).click();
  // The offer outlives the read that it came from.
  await expect(dialog).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByRole("button", { name: "Look for past reads" }).click();
  const past = page.getByRole("dialog", { name: /^Past reads/ });
  await expect(past.getByText(/^(More than )?\d+ reads? in the last \d+ days/)).toBeVisible();
  await expect(
    past
      .getByRole("table", { name: /^Past reads/ })
      .getByRole("row")
      .nth(1),
  ).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(past).toBeHidden();
});

/** Removes what a previous attempt may have left: registered devices and enabled push alerts. */
async function resetPushes(page: Page): Promise<void> {
  await callAs(page, "POST /toggle-push-alerts", { push_alerts: false });
  const { devices } = await callAs<{ devices: PushDevice[] }>(page, "GET /push/devices");
  for (const { id } of devices) await callAs(page, `DELETE /push/devices/${id}`);
}

// Globals of the service worker, where the functions given to worker.evaluate run.
declare const registration: ServiceWorkerRegistration;
declare const timesShownAgain: number;
declare const clients: { openWindow: (url: string) => Promise<null> };
declare const NotificationEvent: new (type: string, init: { notification: Notification }) => Event;

type Subscription = { endpoint: string; keys: Record<string, string> };
type Push = { device: string; payload: { alert_id: string } };

/** Makes the page subscribe to the simulated push service: Chromium's own is not reachable in every environment. */
async function subscribeAt(page: Page, subscription: Subscription): Promise<void> {
  await page.addInitScript((made) => {
    let current: object | null = null;
    const unsubscribe = async () => {
      current = null;
      return true;
    };
    Object.assign(PushManager.prototype, {
      subscribe: async () => {
        current = { endpoint: made.endpoint, toJSON: () => made, unsubscribe };
        return current;
      },
      getSubscription: async () => current,
    });
  }, subscription);
}

test("a hit sends a push without details to the browser, and a click on the notification opens the hit", {
  tag: "@whole-chromium",
}, async ({ page, context, request, baseURL, newCamera }) => {
  const origin = String(baseURL);
  const push = `${process.env.ODIN_VENDORS_URL}/_simulator/push`;
  const subscription: Subscription = await (await request.post(`${push}/subscriptions`)).json();
  await subscribeAt(page, subscription);
  await context.grantPermissions(["notifications"], { origin });
  const camera = await newCamera();
  await logIn(page, "hotadmin");
  await resetPushes(page);
  await page.goto("/profile");
  await expect(page.getByRole("checkbox", { name: /^Push alerts to my devices/ })).not.toBeChecked();
  await page.getByRole("button", { name: "Turn on in this browser" }).click();
  const device = page.getByRole("list", { name: "Devices" }).getByRole("listitem");
  await expect(device.filter({ hasText: "This browser" })).toContainText("not notified yet");
  await expect(page.getByRole("checkbox", { name: /^Push alerts to my devices/ })).toBeChecked();

  const plate = newPlate();
  await watch(page, plate);
  await camera.pass(plate);
  const id = subscription.endpoint.split("/").at(-1);
  let received: Push | undefined;
  await expect
    .poll(
      async () => {
        const pushes: Push[] = await (await request.get(push)).json();
        received = pushes.find(({ device }) => device === id);
        return received;
      },
      { timeout: 90_000 },
    )
    .toBeDefined();
  const data = JSON.stringify(received?.payload);
  expect(data).not.toContain(plate);

  const devtools = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
      if (own) resolve(own.registrationId);
    }),
  );
  await devtools.send("ServiceWorker.enable");
  const registrationId = await registered;
  const deliver = () => devtools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
  await deliver();
  const isOurs = (worker: Worker) => worker.url().endsWith("/push-worker.js");
  const worker =
    context.serviceWorkers().find(isOurs) ?? (await context.waitForEvent("serviceworker", isOurs));
  const shown = () =>
    worker.evaluate(async () =>
      (await registration.getNotifications()).map(({ title, body }) => ({ title, body })),
    );
  const message = { title: "Odin", body: "Hotlist hit. Open Odin." };
  // The browser drops a push while its worker starts; a push service sends it again.
  const isShown = () => expect.poll(shown, { timeout: 5000 }).toEqual([message]);
  await isShown().catch(deliver);
  await isShown();
  // Push services may deliver a push twice: only one notification is shown.
  await worker.evaluate(() => {
    const show = registration.showNotification.bind(registration);
    const counter = Object.assign(globalThis, { timesShownAgain: 0 });
    registration.showNotification = async (...given) => {
      await show(...given);
      counter.timesShownAgain += 1;
    };
  });
  await deliver();
  await expect.poll(() => worker.evaluate(() => timesShownAgain)).toBe(1);
  expect(await shown()).toEqual([message]);

  // Scripted clicks may not open windows, so record the URL instead.
  const opened = await worker.evaluate(async () => {
    const [notification] = await registration.getNotifications();
    if (!notification) return "no message";
    return new Promise<string>((resolve) => {
      clients.openWindow = async (url) => {
        resolve(url);
        return null;
      };
      dispatchEvent(new NotificationEvent("notificationclick", { notification }));
    });
  });
  expect(opened).toBe(`${origin}/alert-history-detail/${received?.payload.alert_id}`);
  await expect.poll(shown).toEqual([]);
  await page.goto(String(opened));
  await expect(page.getByRole("heading", { name: "Hotlist hit: Missing persons" })).toBeVisible();
  await expect(page.locator("#content")).toContainText(plate);

  // The time of the push is stored after the push service has answered.
  await expect(async () => {
    await page.goto("/profile");
    await expect(device.filter({ hasText: "Last notified" }).first()).toBeVisible({ timeout: 1000 });
  }).toPass();
  await resetPushes(page);
});

test("the owner sees failed pushes with their reason and retries them", async ({
  page,
  browser,
  baseURL,
  faults,
  newCamera,
}) => {
  await logIn(page, "hotadmin");
  await resetPushes(page);
  const plate = newPlate();
  await watch(page, plate);
  await callAs(page, "POST /push/devices", { channel: "apns", token: "ab".repeat(32), name: "Phone" });
  await callAs(page, "POST /toggle-push-alerts", { push_alerts: true });
  const camera = await newCamera();
  const owner = await (await browser.newContext({ baseURL })).newPage();
  await signIn(owner, "owner");
  await callAs(owner, "POST /dead-jobs/discard", { kind: "all" });
  await faults({ program: "apns", kind: "status", code: 413 });
  await camera.pass(plate);
  await owner.getByRole("link", { name: "Owner", exact: true }).click();
  await owner.getByRole("link", { name: "Failed Jobs" }).click();
  await expect(owner.getByRole("heading", { name: "Failed Jobs" })).toBeVisible();
  const row = owner.getByRole("row").filter({ hasText: "iPhone" });
  await expect(async () => {
    await owner.reload();
    await expect(row).toContainText("Status 413", { timeout: 1000 });
  }).toPass({ timeout: 90_000 });
  await expectAccessible(owner);
  await faults();
  await row.getByRole("button", { name: /^Retry/ }).click();
  await expect(owner.getByText("No failed jobs")).toBeVisible();
  await resetPushes(page);
  await owner.context().close();
});
