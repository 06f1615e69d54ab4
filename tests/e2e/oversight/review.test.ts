import type { Page } from "@playwright/test";
import { at } from "#app/lib/at.ts";
import { utcDay } from "#app/lib/time/dates.ts";
import {
  expect,
  expectAccessible,
  expectAccessibleInThemes,
  logOut,
  newPlate,
  signIn,
  test,
} from "../fixtures.ts";

const findings = (page: Page) => page.getByRole("table", { name: "Findings, newest first" });

async function changeTo(page: Page, username: string) {
  await logOut(page);
  await signIn(page, username);
}

/** Searches Axis for a plate with the given justification. */
async function searchFor(
  page: Page,
  wish: { plate: string; why: string; purpose?: string; supervisor?: string },
) {
  await page.goto("/search");
  await page.getByLabel("Plate", { exact: true }).fill(wish.plate);
  await page.getByLabel("Justification").fill(wish.why);
  if (wish.purpose) await page.getByLabel("Purpose").selectOption({ label: wish.purpose });
  await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  if (wish.supervisor) {
    await expect(page.getByLabel("Confirmation")).toBeFocused();
    await page.getByLabel("Confirmation").fill("I confirm that this search is lawful");
    await page.getByLabel("Supervisor who approved it").fill(wish.supervisor);
    await expectAccessible(page);
    await page.keyboard.press("Enter");
  }
  await page.waitForURL("**/results?id=*");
}

/** Runs an action and waits for the list that it requests: the previous list has rows of other findings. */
async function listed(page: Page, act: () => Promise<unknown>) {
  const shown = page.getByRole("status").filter({ hasText: /^Page \d+, \d+ finding/ });
  await expect(shown).toBeVisible();
  const asked = page.waitForResponse("**/review/rows");
  await act();
  await (await asked).finished();
  await expect(shown).toBeVisible();
}

/** Makes searches and has them reviewed; repeats both if a UTC day began in between. */
async function searchAndScan(page: Page, makeSearches: () => Promise<void>) {
  for (let day = -1; day !== utcDay(Date.now()); ) {
    day = utcDay(Date.now());
    await makeSearches();
    await openReview(page);
  }
}

async function openReview(page: Page) {
  await page.getByRole("link", { name: "Audit Log" }).click();
  await page.getByRole("link", { name: "Review", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Review" })).toBeVisible();
  await listed(page, () => page.getByRole("button", { name: "Scan today's searches" }).click());
  await expect(page.getByText("Today's searches were scanned").first()).toBeVisible();
}

test("the searcher is warned, an administrator decides on the finding, and another can change the decision", async ({
  page,
}) => {
  const plate = newPlate("RV");
  await signIn(page, "officer");
  await page.getByLabel("Justification").fill("Stolen ice cream truck");
  await expect(page.getByText("Recorded in the audit log.")).toBeVisible();
  await page.getByLabel("Justification").fill("assist ICE with pickup");
  await expect(page.getByText(/“assist ICE” reads like immigration enforcement/)).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel("Justification").fill("check");
  await expect(page.getByText(/“check” is too vague/)).toBeVisible();
  const purpose = "Warrant or court order";
  await searchFor(page, { plate, why: "assist ICE with pickup", purpose, supervisor: "Lt. Dana Reyes" });

  await changeTo(page, "admin");
  await page.getByRole("link", { name: "Audit Log" }).click();
  await page.getByRole("link", { name: "Review", exact: true }).click();
  const kinds = page.getByRole("list", { name: "Open findings by kind" });
  await listed(page, () => kinds.getByRole("button", { name: "Prohibited purpose" }).click());
  // A click anywhere in the row opens the finding.
  await findings(page)
    .getByRole("row", { name: /Prohibited purpose, officer/ })
    .first()
    .click();
  const dialog = page.getByRole("dialog", { name: "Prohibited purpose" });
  await expect(dialog.getByText(plate, { exact: true })).toBeVisible();
  await expect(dialog.getByText("Warrant or court order").first()).toBeVisible();
  await expect(dialog.getByText(/named as supervisor: Lt\. Dana Reyes/).first()).toBeVisible();
  await dialog.getByRole("button", { name: "Decide", exact: true }).click();
  await expect(dialog.getByText("Choose a verdict.")).toBeVisible();
  await dialog.getByRole("radio", { name: "Violation" }).check();
  await dialog.getByRole("button", { name: "Decide", exact: true }).click();
  await expect(dialog.getByText("Describe in a sentence what you found.")).toBeVisible();
  await dialog.getByLabel("Note").fill("Told the lieutenant, access suspended");
  await dialog.getByRole("button", { name: "Decide", exact: true }).click();
  await expect(dialog.getByText("Told the lieutenant, access suspended")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Decide again" })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.getByRole("radio", { name: "Violations" }).check();
  await expect(findings(page).getByRole("row").nth(1)).toContainText("Violation");

  await changeTo(page, "owner");
  await page.goto("/review");
  await listed(page, () => page.getByRole("radio", { name: "Decided" }).check());
  await findings(page)
    .getByRole("button", { name: /Review Prohibited purpose, officer/ })
    .first()
    .click();
  await dialog.getByRole("radio", { name: "Explained" }).check();
  await dialog.getByLabel("Note").fill("A court order was on file");
  await dialog.getByRole("button", { name: "Decide again" }).click();
  await expect(dialog.getByText("A court order was on file")).toBeVisible();
  await expect(dialog.getByText("(replaced)")).toBeVisible();
  await expect(dialog.getByText("Told the lieutenant, access suspended")).toBeVisible();
});

test("the warning applies to the latest text, even if the rules load while it is typed", async ({ page }) => {
  const released = Promise.withResolvers<void>();
  await page.route("**/assets/prohibited-purpose-*", async (route) => {
    await released.promise;
    await route.continue();
  });
  await signIn(page, "officer");
  await page.getByLabel("Justification").fill("Stolen ice cream truck");
  await expect(page.getByText("Recorded in the audit log.")).toBeVisible();
  await page.getByLabel("Justification").fill("assist ICE with pickup");
  released.resolve();
  await expect(page.getByText(/“assist ICE” reads like immigration enforcement/)).toBeVisible();
});

test("no one can decide on their own searches, and only administrators see the review", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/403/);
  await signIn(page, "admin");
  await searchAndScan(page, () => searchFor(page, { plate: "RVOWN1", why: "asdf" }));
  await page.getByPlaceholder("Username").fill("admin");
  await listed(page, () => page.getByRole("button", { name: "Filter" }).click());
  await findings(page)
    .getByRole("button", { name: /Review Vague justification, admin/ })
    .first()
    .click();
  const dialog = page.getByRole("dialog", { name: "Vague justification" });
  await expect(dialog.getByText(/your own searches.*Olivia Owner/)).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Decide" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await changeTo(page, "officer");
  expect((await page.goto("/review"))?.status()).toBe(403);
});

test("the review works with the keyboard and is accessible in every theme", async ({ page }) => {
  await signIn(page, "admin");
  await searchAndScan(page, async () => {
    await changeTo(page, "officer");
    await searchFor(page, { plate: "RVTHEME", why: "test" });
    await searchFor(page, {
      plate: "RVTHEME",
      why: "Vehicles at the protest",
      supervisor: "Lt. Dana Reyes",
    });
    await changeTo(page, "admin");
  });
  await expect(findings(page).getByRole("row").nth(2)).toBeVisible();
  await expectAccessibleInThemes(page);
  const headers = await findings(page).getByRole("rowheader").allTextContents();
  const [first, second] = [at(headers, 0), at(headers, 1)];
  await page.locator("body").press("j");
  await expect(page.getByRole("dialog", { name: first })).toBeVisible();
  await expect(page.getByRole("region", { name: /search/ })).toBeVisible();
  await expectAccessibleInThemes(page);
  await page.keyboard.press("j");
  await expect(page.getByRole("dialog", { name: second })).toBeVisible();
  await page.keyboard.press("k");
  await expect(page.getByRole("dialog", { name: first })).toBeVisible();
  await page.setViewportSize({ width: 400, height: 800 });
  await expectAccessibleInThemes(page);
  await page.keyboard.press("Escape");
  await expectAccessibleInThemes(page);
});
