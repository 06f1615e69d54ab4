import type { Page } from "@playwright/test";
import {
  expect,
  expectAccessible,
  expectAccessibleInThemes,
  hold,
  search,
  signIn,
  test,
} from "./fixtures.ts";

const list = (page: Page) => page.getByRole("dialog", { name: "Keyboard shortcuts" });
const shortcutSwitch = (page: Page) => page.getByRole("checkbox", { name: "Single-key shortcuts" });
/** Locates the entries of the command palette; the select fields behind it have options too. */
const found = (page: Page) => page.getByRole("listbox", { name: "Results" }).getByRole("option");
const plate = (page: Page) => page.getByLabel("Plate", { exact: true });
const read = (page: Page) => page.getByRole("dialog", { name: /^Sighting/ });

/** Presses a key while no element has the focus. */
async function pressOnPage(page: Page, key: string) {
  const left = () =>
    page.evaluate(async () => {
      (document.activeElement as HTMLElement | null)?.blur();
      await new Promise((resolve) => setTimeout(resolve, 50));
      return document.activeElement === document.body;
    });
  // A closing dialog restores the focus after a short delay.
  await expect.poll(left).toBe(true);
  await page.keyboard.press(key);
}

async function turnOff(page: Page) {
  await pressOnPage(page, "?");
  await expect(shortcutSwitch(page)).toBeChecked();
  await shortcutSwitch(page).focus();
  await page.keyboard.press("Space");
  await expect(shortcutSwitch(page)).not.toBeChecked();
}

test("the plate field, which has the focus at first, stays empty when its shortcut is pressed", async ({
  page,
}) => {
  await signIn(page, "officer");
  await expect(page.getByText("to jump here")).toBeVisible();
  await expect(plate(page)).toBeFocused();
  await page.keyboard.press("/");
  await page.keyboard.type("NX6/185");
  await expect(plate(page)).toHaveValue("NX6/185");
});

test("single-key shortcuts, once turned off, work on no page and can be turned on again", async ({
  page,
}) => {
  await signIn(page, "officer");
  await expect(page.getByText("to jump here")).toBeVisible();
  await turnOff(page);
  await expect(list(page).getByRole("definition").first()).toHaveText("Off");
  await page.keyboard.press("Escape");
  await expect(list(page)).toBeHidden();
  await expect(page.getByText("to jump here")).toBeHidden();
  await pressOnPage(page, "/");
  await expect(plate(page)).not.toBeFocused();
  await pressOnPage(page, "?");
  await expect(list(page)).toBeHidden();

  await search(page, { programs: ["Axis"] });
  const rows = page.locator("[role=grid] [data-row]");
  const filter = page.getByRole("searchbox", { name: /^Filter these results/ });
  await expect(rows.nth(2)).toBeVisible();
  await expect(filter).not.toHaveAttribute("aria-keyshortcuts");
  await pressOnPage(page, "/");
  await expect(filter).not.toBeFocused();
  await pressOnPage(page, "j");
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await expect(page.locator("[data-row]:focus")).toHaveCount(0);
  await rows.first().focus();
  // The new current row is rendered again and regains focus in the next frame.
  await expect(rows.first()).toBeFocused();
  for (const [key, row] of [
    ["j", 1],
    ["j", 2],
    ["k", 1],
  ] as const) {
    await page.keyboard.press(key);
    await expect(rows.nth(row)).toBeFocused();
  }
  await page.keyboard.press("Enter");
  await expect(read(page)).toContainText("2 of");
  await expect(read(page).getByRole("button", { name: "Next" })).toHaveAttribute(
    "aria-keyshortcuts",
    "ArrowRight",
  );
  await page.keyboard.press("j");
  await page.keyboard.press("ArrowRight");
  await expect(read(page)).toContainText("3 of");
  await page.keyboard.press("k");
  await page.keyboard.press("ArrowLeft");
  await expect(read(page)).toContainText("2 of");
  await page.keyboard.press("Escape");

  await page.goto("/search");
  const help = page.getByRole("button", { name: "Keyboard shortcuts" });
  await expect(help).not.toHaveAttribute("aria-keyshortcuts");
  await help.click();
  await expect(shortcutSwitch(page)).not.toBeChecked();
  await shortcutSwitch(page).check();
  await page.keyboard.press("Escape");
  await expect(help).toHaveAttribute("aria-keyshortcuts", "?");
  await pressOnPage(page, "/");
  await expect(plate(page)).toBeFocused();
});

test("the profile has the same setting, every tab applies it, and no page first renders the opposite", async ({
  page,
  context,
}) => {
  await signIn(page, "officer");
  const other = await context.newPage();
  await other.goto("/profile");
  await shortcutSwitch(other).uncheck();
  await expect(page.getByText("to jump here")).toBeHidden();
  await pressOnPage(page, "/");
  await expect(plate(page)).not.toBeFocused();
  await other.close();

  const letGo = await hold(page, "**/assets/*.js");
  // Not `goto`, which would wait for the scripts that are held back.
  await page.evaluate(() => location.assign("/profile"));
  await expect(page.getByRole("heading", { name: "Keyboard", exact: true })).toBeVisible();
  await expect(shortcutSwitch(page)).toBeHidden();
  letGo();
  await expect(shortcutSwitch(page)).toBeVisible();
  await expect(shortcutSwitch(page)).not.toBeChecked();
});

test("the command palette opens screens, groups, users and plate searches, even with shortcuts off", async ({
  page,
}) => {
  const field = page.getByRole("combobox", { name: "Screen, group, camera, user or plate" });
  const active = found(page).and(page.locator("[aria-selected=true]"));
  await signIn(page, "admin");
  await turnOff(page);
  await expect(list(page)).toContainText("Ctrl K");
  await page.keyboard.press("Control+k");
  await expect(field).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(list(page)).toBeHidden();
  await page.keyboard.press("Control+k");
  await expect(field).toBeFocused();
  await expect(active).toHaveText("Search");
  await page.keyboard.press("ArrowUp");
  await expect(active).toHaveText("Verify an Export");
  await expectAccessible(page);
  await page.keyboard.type("missing");
  await expect(active).toContainText("Missing persons");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Alert History: Missing persons" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Alerts", exact: true })).toHaveAttribute(
    "aria-current",
    "true",
  );

  await page.keyboard.press("Control+k");
  await page.keyboard.type("victor");
  await expect(active).toContainText("Victor Viewer");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Find a user")).toHaveValue("viewer");
  await expect(page.getByText(/^1 of \d+ users$/)).toBeVisible();

  await page.keyboard.press("Control+k");
  await page.keyboard.type("search plate abc123");
  await expect(active).toContainText("Search plate ABC123");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
  await expect(plate(page)).toHaveValue("ABC123");
  await expect(page.getByLabel("Justification")).toHaveValue("");
  await page.getByRole("button", { name: "Go to…" }).click();
  await page.keyboard.type("plate XYZ789");
  await page.keyboard.press("Enter");
  await expect(plate(page)).toHaveValue("XYZ789");
  await expect(plate(page)).toBeFocused();

  await page.getByRole("button", { name: "Oversight" }).click();
  await page.getByRole("link", { name: "Legal Holds" }).click();
  await expect(page.getByRole("heading", { name: "Legal Holds", exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Oversight" })).toHaveAttribute("aria-current", "true");
});

test("the command palette offers only what the user may open, also on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await signIn(page, "officer");
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.getByRole("button", { name: "Go to…" }).click();
  const offered = [
    ...["Search", "Profile", "Terms", "Privacy", "Search History", "API Documentation"],
    "Verify an Export",
  ];
  await expect(found(page)).toHaveText(offered);
  await page.keyboard.type("admin");
  await expect(page.getByText("Nothing found.")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Menu", exact: true })).toBeFocused();
});

test("the setting for single-key shortcuts is accessible in every theme, also on a phone", async ({
  page,
}) => {
  await signIn(page, "officer");
  await turnOff(page);
  await expectAccessibleInThemes(page);
  await shortcutSwitch(page).check();
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto("/profile");
  await expect(shortcutSwitch(page)).toBeChecked();
  await expectAccessibleInThemes(page);
  await pressOnPage(page, "?");
  await expect(list(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(list(page)).toBeHidden();
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await expect(list(page)).toBeVisible();
  await expectAccessibleInThemes(page);
  await page.keyboard.press("Escape");
  await expect(list(page)).toBeHidden();
  await expect(page.getByRole("button", { name: "Menu", exact: true })).toBeFocused();
});
