import { readFile } from "node:fs/promises";
import type { Browser, Page } from "@playwright/test";
import { monthName, monthOf } from "#app/lib/time/months.ts";
import { callAs, expect, expectAccessible, logOut, newPlate, search, signIn, test } from "../fixtures.ts";

const INTRODUCTION = "Readers find stolen vehicles and missing people.";

/** Opens a page as the public sees it: not signed in, without scripts. */
async function readerOf(browser: Browser, baseURL: string | undefined, colorScheme: "light" | "dark") {
  const context = await browser.newContext({ baseURL, javaScriptEnabled: false, colorScheme });
  return context.newPage();
}

/** Locates the text about the page's first month, which may end during a test run. */
function firstMonth(page: Page) {
  const said = page.getByText("The first month is shown after it ends");
  const began = monthOf(Number(process.env.ODIN_STARTED));
  return (began === monthOf(Date.now()) ? said : said.or(page.getByText(monthName(began)))).first();
}

async function publish(page: Page) {
  await page.getByRole("button", { name: "Publish" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Publish" }).click();
  await expect(page.getByText("Published", { exact: true })).toBeVisible();
}

test("an administrator publishes the page, the public reads it without scripts, and it is withdrawn", async ({
  page,
  browser,
  baseURL,
}) => {
  const plate = newPlate("zf");
  await signIn(page, "officer");
  await search(page, { plate, programs: ["Axis"] });
  await logOut(page);
  await signIn(page, "admin");
  // A retry may find the page that the previous attempt published.
  const { published_at } = await callAs(page, "GET /public-figures-data");
  if (published_at !== null) await callAs(page, "POST /public-figures/withdraw");
  await page.getByRole("link", { name: "Audit Log" }).click();
  await page.getByRole("link", { name: "Transparency page" }).click();
  await expect(page.getByRole("heading", { name: "Transparency Page" })).toBeVisible();
  await expect(page.getByText("Not published", { exact: true })).toBeVisible();
  await page.getByLabel("Address").selectOption("hartford-police");
  await page.getByLabel("Introduction").fill(INTRODUCTION);
  await page.getByLabel("Contact for questions").fill("records@hartford.example");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The page was saved").first()).toBeVisible();
  await expect(page.getByRole("heading", { name: "License plate reader statistics" })).toBeVisible();
  await expectAccessible(page);

  for (const theme of ["light", "dark"] as const) {
    const reader = await readerOf(browser, baseURL, theme);
    const path = "/figures/hartford-police";
    if (theme === "light") {
      expect((await reader.goto(path))?.status()).toBe(404);
      await publish(page);
    }
    expect((await reader.goto(path))?.status()).toBe(200);
    await expect(
      reader.getByRole("heading", { level: 1, name: "License plate reader statistics" }),
    ).toBeVisible();
    await expect(reader.getByText(INTRODUCTION)).toBeVisible();
    await expect(firstMonth(reader)).toBeVisible();
    await expect(reader.getByText("New Haven Police Department")).toBeVisible();
    await expect(reader.getByText(plate)).toHaveCount(0);
    await reader.setViewportSize({ width: 400, height: 800 });
    await expect
      .poll(() => reader.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBeLessThanOrEqual(0);
    await reader.context().close();
  }

  // Scripts are enabled for axe only; the page itself has none.
  const axed = await browser.newContext({ baseURL, bypassCSP: true });
  const look = await axed.newPage();
  await look.goto("/figures/hartford-police");
  expect(await look.evaluate(() => document.scripts.length)).toBe(0);
  await expectAccessible(look);
  await look.emulateMedia({ colorScheme: "dark" });
  await look.setViewportSize({ width: 400, height: 800 });
  await expectAccessible(look);
  const saving = look.waitForEvent("download");
  await look.getByRole("link", { name: "CSV" }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toBe("hartford-police-figures.csv");
  const csv = await readFile(await file.path(), "utf8");
  expect(csv).toContain("Period,Figure,Value,Least,Most");
  expect(csv.toLowerCase()).not.toContain(plate);
  await axed.close();

  await page.getByRole("button", { name: "Withdraw" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Withdraw" }).click();
  await expect(page.getByText("Not published", { exact: true })).toBeVisible();
  expect((await page.request.get("/figures/hartford-police.json")).status()).toBe(404);
});

test("users who are not administrators cannot publish", async ({ page }) => {
  await signIn(page, "officer");
  expect((await page.request.get("/public-figures")).status()).toBe(403);
  expect((await page.request.post("/public-figures/publish")).status()).toBe(403);
});
