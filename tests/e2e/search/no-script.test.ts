import type { Browser, Page } from "@playwright/test";
import { DEMO_PASSWORD } from "../../../workers/local/demo-plan.ts";
import { callAs, expect } from "../fixtures.ts";
import { GROUP, newPlate, test, watch } from "../hits.ts";

// The main workflow without JavaScript: search, table, page 2, sighting, add plate; hit, disposition.

async function withoutScripts(browser: Browser, baseURL: string | undefined): Promise<Page> {
  const context = await browser.newContext({ baseURL: baseURL ?? "", javaScriptEnabled: false });
  return context.newPage();
}

async function signInPlainly(page: Page, username: string): Promise<void> {
  await page.goto("/");
  await page.getByLabel("Username").fill(username);
  await page.locator("input[name=password]").fill(DEMO_PASSWORD);
  await page.getByRole("button", { name: "Login" }).click();
  await expect(page).toHaveURL(/\/search$/);
}

test("search, table, second page, sighting and add plate work without scripts", async ({
  browser,
  baseURL,
}) => {
  const page = await withoutScripts(browser, baseURL);
  await signInPlainly(page, "hotadmin");
  // The plate of the opened read may already be in any other group.
  const group = `Journey ${newPlate()}`;
  const headers = { "sec-fetch-site": "same-origin" };
  const created = await page.request.post("/groups/create-mobile", {
    headers,
    multipart: { group_name: group },
  });
  expect(created.ok(), await created.text()).toBe(true);
  await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
  await page.getByRole("radio", { name: "7 Days" }).check();
  for (const program of ["Rekor", "Axon", "Axis"])
    await page.getByRole("checkbox", { name: `All ${program} agencies` }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(page).toHaveURL(/\/results\/[\w-]+\/table\?page=1$/);
  await expect(page.getByRole("columnheader")).toHaveText([
    "Program",
    "Plate",
    "State",
    "Make",
    "Color",
    "Body Type",
    "Agency",
    "Camera",
    "Timestamp",
    "Vehicle Image",
    "Plate Image",
  ]);
  await expect(page.locator("tbody tr")).toHaveCount(100);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const part of ["tr", "td:last-child", "td:nth-child(9)"]) {
    const box = await page.locator(`tbody ${part}`).first().boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0), `right edge of ${part} on a phone`).toBeLessThanOrEqual(390);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("link", { name: "Next" }).first().click();
  await expect(page).toHaveURL(/\/table\?page=2$/);
  await expect(page.getByText("Page 2 of").first()).toBeVisible();
  await page
    .getByRole("link", { name: /open the sighting/ })
    .first()
    .click();
  await expect(page.getByRole("heading", { name: "Sighting" })).toBeVisible();
  await expect(page.getByRole("link", { name: /Open in Google Maps/ })).toBeVisible();
  await expect(page.getByText("Nearest address")).toBeVisible();
  const plate = String(await page.locator('input[name="plate"]').getAttribute("value"));
  await page.getByRole("link", { name: "Track" }).click();
  await expect(page).toHaveURL(/#track$/);
  await expect(page.getByRole("heading", { name: /^Track: [1-9]\d* reads? of this plate/ })).toBeVisible();
  await page.getByRole("link", { name: "Add Plate to Hotlist" }).click();
  await expect(page).toHaveURL(/#add-plate$/);
  await page.getByRole("button", { name: "Add Plate to Hotlist" }).click();
  await expect(page.getByText("Please select a group and enter a reason.")).toBeVisible();
  await page.getByLabel("Group").selectOption({ label: group });
  await page.getByLabel("Reason").fill("Stolen vehicle");
  await page.getByRole("button", { name: "Add Plate to Hotlist" }).click();
  await expect(page.getByText(/Successfully added/)).toBeVisible();
  await expect(page).toHaveURL(/\/sightings\/\d+$/);
  await page.getByRole("button", { name: "Search this plate" }).click();
  await expect(page).toHaveURL(/\/search$/);
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue(plate);
  await page.goBack();
  await page.getByRole("link", { name: "Back to the results" }).click();
  await expect(page).toHaveURL(/\/table\?page=2$/);
  await page.context().close();
});

test("a refused search keeps what was typed, and Clear empties the form", async ({ browser, baseURL }) => {
  const page = await withoutScripts(browser, baseURL);
  await signInPlainly(page, "officer");
  await page.getByLabel("Plate", { exact: true }).fill("NX6185");
  await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(page.getByText("Justification and date range are required.")).toBeVisible();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("NX6185");
  await expect(page.getByLabel("Justification")).toBeFocused();
  await expect(page.getByRole("link", { name: "Enter a justification." })).toBeVisible();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("");
  await expect(page).toHaveURL(/\/search\??$/);
  await page.context().close();
});

test("a search after the session has ended says so at the sign-in", async ({ browser, baseURL }) => {
  const page = await withoutScripts(browser, baseURL);
  await signInPlainly(page, "officer");
  await page.getByLabel("Plate", { exact: true }).fill("7*K");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(page.getByText("Your session has ended. Nothing was searched or saved")).toBeVisible();
});

test("groups, history, hit and its disposition work without scripts", async ({
  browser,
  baseURL,
  newCamera,
  page: admin,
}) => {
  const page = await withoutScripts(browser, baseURL);
  await signInPlainly(page, "hotadmin");
  const camera = await newCamera();
  const plate = newPlate();
  await watch(page, plate);
  await camera.pass(plate);
  const hits = () =>
    callAs<{ alerts: { plate: string }[] }>(page, `GET /alerts/group/${GROUP}/data`).then(({ alerts }) =>
      alerts.some((alert) => alert.plate === plate),
    );
  await expect.poll(hits, { timeout: 30_000 }).toBe(true);
  await page.goto("/alerts");
  await page.locator(`a[href="/alerts/group/${GROUP}"]`).first().click();
  await page.getByLabel("From").fill("2026-01-02T08:15");
  await page.getByLabel("Plate", { exact: true }).fill(plate);
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.locator("tbody tr")).toHaveCount(1);
  // On a phone the columns have no heads, so the cell says what there is none of.
  await expect(page.locator("tbody td[data-label=Disposition]")).toHaveText("None yet");
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue(plate);
  await expect(page.getByLabel("From")).toHaveValue("2026-01-02T08:15");
  await page.getByRole("link", { name: "Clear" }).click();
  await expect(page.getByLabel("From")).toHaveValue("");
  await page
    .getByRole("row")
    .filter({ hasText: plate })
    .getByRole("link", { name: /Open the hit/ })
    .click();
  await expect(page).toHaveURL(/\/alert-history-detail\//);
  await expect(page.getByText("Missing person").first()).toBeVisible();
  await page.getByLabel("Note").fill("Seen on the picture");
  await page.getByRole("button", { name: "Correct", exact: true }).click();
  await expect(page.getByText('Marked "Correct".')).toBeVisible();
  await expect(page.getByText("Seen on the picture").first()).toBeVisible();
  await page.context().close();
  await admin.close();
});
