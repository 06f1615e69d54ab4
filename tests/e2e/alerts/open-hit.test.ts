import type { Page } from "@playwright/test";
import { expect, signIn } from "../fixtures.ts";
import { GROUP, newPlate, test, watch } from "../hits.ts";

const soon = { timeout: 60_000 };
const newHits = (page: Page) => page.getByRole("region", { name: "New hits" });
const hitDialog = (page: Page) => page.getByRole("dialog", { name: "Hotlist hit: Missing persons" });

/** Signs in as a hotlist admin who watches for two new plates, and waits for the bell: its first hits are not announced. */
async function watchTwo(page: Page): Promise<[string, string]> {
  await signIn(page, "hotadmin");
  await expect(page.getByRole("button", { name: /^Hits/ })).toBeVisible();
  const [first, second] = [newPlate(), newPlate()];
  await watch(page, first);
  await watch(page, second);
  return [first, second];
}

async function openHit(page: Page, plate: string): Promise<void> {
  await page.getByRole("button", { name: `Open the hit ${plate} NY` }).click(soon);
  await expect(hitDialog(page).getByLabel("Note")).toBeVisible();
}

test("Escape in a hit above a running search closes only the hit, and an open hit stays when the search ends", async ({
  page,
  faults,
  newCamera,
}) => {
  const camera = await newCamera();
  const [first, second] = await watchTwo(page);
  await faults({ program: "axon", kind: "hold" });
  await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
  for (const program of ["Axis", "Axon"])
    await page.getByRole("checkbox", { name: `All ${program} agencies` }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  const overlay = page.getByRole("dialog", { name: "Search in progress" });
  await expect(overlay).toBeVisible();

  await camera.pass(first);
  await openHit(page, first);
  await hitDialog(page).getByRole("button", { name: "Show the vehicle image full screen" }).click();
  const image = page.getByRole("dialog", { name: /^Vehicle/ });
  await expect(image).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(image).toBeHidden();
  await expect(hitDialog(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(hitDialog(page)).toBeHidden();
  await expect(overlay).toBeVisible();

  await camera.pass(second);
  await openHit(page, second);
  await hitDialog(page).getByLabel("Note").fill("Half a sentence");
  await faults();
  await page.waitForURL("**/results?id=*");
  await expect(overlay).toBeHidden();
  await expect(hitDialog(page).getByLabel("Note")).toHaveValue("Half a sentence");
});

test("screen readers are told which hit of the list is shown, and the disposition that was recorded", async ({
  page,
  newCamera,
}) => {
  const camera = await newCamera();
  const [first, second] = await watchTwo(page);
  await camera.pass(first);
  await camera.pass(second);
  await page.goto(`/alerts/group/${GROUP}`);
  await page.getByRole("link", { name: `Open the hit ${second} NY` }).press("Enter");
  const said = (plate: string) =>
    hitDialog(page)
      .getByRole("status")
      .filter({ hasText: `${Array.from(plate).join(" ")} NY, Missing person, ${camera.name}, ` });
  await expect(said(second)).toHaveCount(1);
  await page.keyboard.press("ArrowRight");
  await expect(said(first)).toHaveCount(1);
  const review = hitDialog(page).getByRole("region", { name: "Disposition" });
  // A live region that is added together with its text is not announced by all screen readers.
  await expect(review.getByRole("status")).toBeEmpty();
  await review.getByRole("button", { name: "Misread" }).press("Enter");
  await expect(review.getByRole("status")).toContainText("Misread by Hanna Hotlist");
  await expect(review.getByRole("button", { name: "Change" })).toBeFocused();
});

test("hits disappear by themselves after an earlier one was opened", async ({ page, newCamera }) => {
  const camera = await newCamera();
  const [first, second] = await watchTwo(page);
  await camera.pass(first);
  await openHit(page, first);
  await page.mouse.move(640, 700);
  await page.keyboard.press("Escape");
  await expect(hitDialog(page)).toBeHidden();
  await camera.pass(second);
  await expect(newHits(page)).toContainText(second, soon);
  await expect(newHits(page)).toBeHidden(soon);
});

test.describe("a user who may not see hits for a while", () => {
  test.use({ expectedErrors: [/403/] });

  test("is shown none, and has the bell again soon after the right returns", async ({ page, newCamera }) => {
    const camera = await newCamera();
    const [plate] = await watchTwo(page);
    await camera.pass(plate);
    await expect(newHits(page)).toContainText(plate, soon);
    const refused = { status: 403, json: { msg: "Access denied." } };
    await page.route("**/live-alerts*", (route) => route.fulfill(refused));
    const bell = page.getByRole("button", { name: /^Hits/ });
    await expect(bell).toBeHidden(soon);
    await expect(page.getByText(plate)).toHaveCount(0);
    await page.unroute("**/live-alerts*");
    // As when the window becomes visible again: the page itself would poll within two minutes.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect(bell).toBeVisible(soon);
    await bell.click();
    await expect(page.getByRole("dialog", { name: "Newest hits" })).toContainText(plate);
  });

  test("does not keep an open history with its hits", async ({ page, newCamera }) => {
    const camera = await newCamera();
    const [plate] = await watchTwo(page);
    await camera.pass(plate);
    await page.goto(`/alerts/group/${GROUP}`);
    const table = page.getByRole("table", { name: /^Hits of this group/ });
    await expect(table).toContainText(plate);
    const refused = { status: 403, json: { msg: "Access denied." } };
    await page.route("**/alerts/group/*/new", (route) => route.fulfill(refused));
    await expect(page.getByText("You can no longer see the hits of this group.")).toBeVisible(soon);
    const why = "The group was archived, you left it, or an administrator changed your permissions.";
    await expect(page.getByText(why)).toBeVisible();
    await expect(table).toBeHidden();
    await page.unroute("**/alerts/group/*/new");
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect(table).toContainText(plate, soon);
  });
});

test("a row that is copied from the history has the plate and the time, without the words for screen readers", async ({
  page,
  context,
  newCamera,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const camera = await newCamera();
  const [plate] = await watchTwo(page);
  await camera.pass(plate);
  await page.goto(`/alerts/group/${GROUP}`);
  const row = page.locator("[data-alert]", { hasText: plate });
  await row.evaluate((row) => getSelection()?.selectAllChildren(row));
  await page.keyboard.press("ControlOrMeta+c");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d E[SD]T\t/);
  expect(copied).not.toMatch(/Copy|Open the hit/);
});
