import type { Page } from "@playwright/test";
import { DEMO_PASSWORD } from "../../workers/local/demo-plan.ts";
import { expect, expectAccessible, signIn, test } from "./fixtures.ts";

const MINUTE = 60_000;

/** Answers the next questions for the time that is left as the server will when the session has grown old. */
async function age(page: Page, left: { unused_left_ms: number; left_ms: number }): Promise<void> {
  await page.route("**/session-time", (route) => route.fulfill({ json: { username: "viewer", ...left } }));
}

/** The page looks again when its window is returned to. */
async function returnTo(page: Page): Promise<void> {
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
}

/** Signs in and waits until the page knows how long that lasts. */
async function signInWatched(page: Page, username: string): Promise<void> {
  const asked = page.waitForResponse("**/session-time");
  await signIn(page, username);
  await (await asked).finished();
}

test.describe("a session that nobody uses", () => {
  test.use({ expectedErrors: [/status of 401/] });

  test("is warned of two minutes before its end, and goes on when its user says so", async ({ page }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    await age(page, { unused_left_ms: 2.5 * MINUTE, left_ms: 200 * MINUTE });
    await returnTo(page);
    const warning = page.getByRole("alertdialog", { name: "Are you still there?" });
    await expect(warning.getByRole("timer")).toHaveText(/^2:(30|2\d)$/);
    await expect(warning.getByRole("button", { name: "Stay signed in" })).toBeFocused();
    await expectAccessible(page);
    await page.unroute("**/session-time");
    const used = page.waitForRequest("**/get-current-user");
    await page.keyboard.press("Enter");
    expect((await used).headers()["odin-background"]).toBeUndefined();
    await expect(warning).toBeHidden();
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
  });

  test("hides the page when it is over, and gives back what was typed to the same user", async ({
    page,
    context,
  }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    await context.clearCookies();
    await returnTo(page);
    const lock = page.getByRole("dialog", { name: "Your session has ended" });
    await expect(lock).toBeVisible();
    await expect(lock.getByText("restricted information system")).toBeVisible();
    // Nothing of the page shows beside it.
    const box = await lock.boundingBox();
    expect(box).toMatchObject({ x: 0, y: 0, ...page.viewportSize() });
    await page.keyboard.press("Escape");
    await expect(lock).toBeVisible();
    await expectAccessible(page);
    await expect(lock.getByLabel("Username")).toHaveValue("viewer");
    await expect(lock.getByLabel("Username")).not.toBeEditable();
    await expect(lock.getByRole("textbox", { name: "Password" })).toBeFocused();
    await page.keyboard.insertText("wrong");
    await page.keyboard.press("Enter");
    await expect(lock.getByText("Login failed")).toBeVisible();
    await lock.getByRole("textbox", { name: "Password" }).fill(DEMO_PASSWORD);
    await page.keyboard.press("Enter");
    await expect(lock).toBeHidden();
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
  });

  test("leaves nothing to somebody else who has signed in meanwhile", async ({ page, context }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    await context.clearCookies();
    await returnTo(page);
    await expect(page.getByRole("dialog", { name: "Your session has ended" })).toBeVisible();
    const other = await context.newPage();
    await signIn(other, "hotadmin");
    await returnTo(page);
    await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
    await expect(page.getByLabel("Justification")).toHaveValue("");
    await expect(page.getByText("Hanna Hotlist").first()).toBeVisible();
  });
});

test("signing in needs the keyboard alone, and says what a password manager has to know", async ({
  page,
}) => {
  await page.goto("/");
  await expect(page.getByLabel("Username")).toHaveAttribute("autocomplete", "username");
  const password = page.getByRole("textbox", { name: "Password" });
  await expect(password).toHaveAttribute("autocomplete", "current-password");
  // A password manager fills the fields without a key being pressed.
  for (let stop = 0; stop < 12; stop++) {
    await page.keyboard.press("Tab");
    if (await page.getByLabel("Username").evaluate((field) => field === document.activeElement)) break;
  }
  await page.keyboard.insertText("viewer");
  await page.keyboard.press("Tab");
  await page.keyboard.insertText(DEMO_PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
});
