import type { Page } from "@playwright/test";
import { expect, logOut, sessionLock, signIn, test } from "../fixtures.ts";

const kept = (page: Page) => page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));

async function type(page: Page): Promise<void> {
  await page.getByLabel("Plate", { exact: true }).fill("LEFT123");
  await page.getByLabel("Justification").fill("Missing person, last seen on Main Street");
  await page.getByLabel("Color").selectOption("Blue");
  await page.getByRole("radio", { name: "7 days" }).check();
  await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
}

async function expectTyped(page: Page): Promise<void> {
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("LEFT123");
  await expect(page.getByLabel("Justification")).toHaveValue("Missing person, last seen on Main Street");
  await expect(page.getByLabel("Color")).toHaveValue("Blue");
  await expect(page.getByRole("radio", { name: "7 days" })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: "All Axis agencies" })).toBeChecked();
}

const nav = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first();

test("what was typed into the search form is there after Back and a reload, and not in a new form", async ({
  page,
}) => {
  await signIn(page, "officer");
  await type(page);
  await nav(page, "Profile").click();
  await page.waitForURL("**/profile");
  await page.goBack();
  await expectTyped(page);
  await page.reload();
  await expectTyped(page);
  await page.getByLabel("Color").selectOption("Red");
  // A page of another load, too.
  await page.goto("/terms");
  await page.goBack();
  await expect(page.getByLabel("Color")).toHaveValue("Red");
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("LEFT123");
  expect(await kept(page)).not.toContain("LEFT123");
  await nav(page, "Profile").click();
  await page.waitForURL("**/profile");
  await nav(page, "Search").click();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("");
  await expect(page.getByRole("radio", { name: "24 hours" })).toBeChecked();
  await page.goto("/search");
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("");
});

test("what was typed into the search form is deleted at the sign-out", async ({ page }) => {
  await signIn(page, "officer");
  await type(page);
  await logOut(page);
  expect(await kept(page)).not.toContain("LEFT123");
  await signIn(page, "viewer");
  await page.goBack();
  await page.goBack();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("");
});

test.describe("in a session that ends", () => {
  test.use({ expectedErrors: [/status of 401/] });

  test("what was typed into a search form that was left is deleted when the page is locked", async ({
    page,
  }) => {
    await signIn(page, "officer");
    await type(page);
    await nav(page, "Profile").click();
    await page.waitForURL("**/profile");
    await expect.poll(() => kept(page)).toContain("LEFT123");
    await page.context().clearCookies();
    await page.evaluate(() => dispatchEvent(new Event("odin:session-ended", { cancelable: true })));
    await expect(sessionLock(page)).toBeVisible();
    expect(await kept(page)).not.toContain("LEFT123");
  });
});
