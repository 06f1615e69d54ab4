import type { Locator, Page } from "@playwright/test";
import { totpCode } from "#app/lib/crypto/totp.ts";
import { DEMO_PASSWORD } from "../../../workers/local/demo-plan.ts";
import { expect, expectAccessible, newPerson, search, signIn, test } from "../fixtures.ts";

const MINUTE = 60_000;

/** Answers the next questions for the time that is left as the server will when the session has grown old. */
async function age(page: Page, left: { unused_left_ms: number; left_ms: number }): Promise<void> {
  await page.route("**/session-time", (route) =>
    route.fulfill({ json: { username: "viewer", state: "full", ...left } }),
  );
}

/**
 * Ends the session at the very moment when the page asks for an address, and not before: the page itself looks now and
 * then whether it lasts.
 */
async function endSessionAt(page: Page, address: RegExp): Promise<void> {
  await page.route(
    address,
    async (route) => {
      await page.context().clearCookies();
      await route.continue();
    },
    { times: 1 },
  );
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

/** Gives the password of the demo, and presses Enter where it was given. */
async function giveWord(lock: Locator): Promise<void> {
  const word = lock.getByRole("textbox", { name: "Password" });
  await word.fill(DEMO_PASSWORD);
  await word.press("Enter");
}

test.describe("a session that nobody uses", () => {
  test.use({ expectedErrors: [/status of 401/] });

  test("is warned of two minutes before its end, and goes on when its user says so", async ({ page }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    await age(page, { unused_left_ms: 2.5 * MINUTE, left_ms: 200 * MINUTE });
    await returnTo(page);
    const warning = page.getByRole("alertdialog", { name: "Are you still there?" });
    await expect(warning.getByRole("timer")).toHaveText(/^2:(30|[012]\d)$/);
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
    await expect.poll(() => lock.boundingBox()).toMatchObject({ x: 0, y: 0, ...page.viewportSize() });
    await page.keyboard.press("Escape");
    await expect(lock).toBeVisible();
    await expectAccessible(page);
    await expect(lock.getByLabel("Username")).toHaveValue("viewer");
    await expect(lock.getByLabel("Username")).not.toBeEditable();
    await expect(lock.getByRole("textbox", { name: "Password" })).toBeFocused();
    await page.keyboard.insertText("wrong");
    await page.keyboard.press("Enter");
    await expect(lock.getByText("Login failed")).toBeVisible();
    await giveWord(lock);
    await expect(lock).toBeHidden();
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
  });

  test("covers the page when a search finds it over, and the search goes on from the same form", async ({
    page,
  }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Plate", { exact: true }).fill("7*K");
    await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
    await page.getByRole("radio", { name: "24 Hours", exact: true }).check();
    await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
    await endSessionAt(page, /\/search-data$/);
    await page.getByRole("button", { name: "Search", exact: true }).click();
    const lock = page.getByRole("dialog", { name: "Your session has ended" });
    await expect(lock.getByRole("textbox", { name: "Password" })).toBeFocused();
    await page.keyboard.insertText(DEMO_PASSWORD);
    await page.keyboard.press("Enter");
    await expect(lock).toBeHidden();
    await expect(page).toHaveURL(/\/search$/);
    await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("7*K");
    await expect(page.getByLabel("Justification")).toHaveValue("Stolen vehicle, case 26-1044");
    await expect(page.getByRole("radio", { name: "24 Hours", exact: true })).toBeChecked();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL("**/results?id=*");
  });

  test("keeps the reasons of an export that finds it over", async ({ page }) => {
    await signInWatched(page, "viewer");
    await search(page, { programs: ["Axis"] });
    await page
      .getByRole("checkbox", { name: /^Select / })
      .nth(1)
      .check();
    await page.getByRole("button", { name: "Export Selected to ZIP" }).click();
    const dialog = page.getByRole("dialog", { name: "Export to ZIP" });
    await dialog.getByLabel("Justification").fill("Ordered by the court");
    await endSessionAt(page, /\/export-zip$/);
    await dialog.getByRole("button", { name: "Create the archive" }).click();
    const lock = page.getByRole("dialog", { name: "Your session has ended" });
    await giveWord(lock);
    await expect(lock).toBeHidden();
    await expect(dialog.getByLabel("Justification")).toHaveValue("Ordered by the court");
    const saved = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Create the archive" }).click();
    await saved;
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("button", { name: "Export Selected to ZIP" })).toBeFocused();
  });

  test("asks for the second factor in its place, and half a sign-in uncovers nothing", async ({
    page,
    context,
    expectedErrors,
  }) => {
    // A wrong code is a 400.
    expectedErrors.push(/status of 400/);
    await signIn(page, await newPerson("admin2"));
    await page.goto("/profile");
    await page.getByRole("button", { name: "Add an authenticator app" }).click();
    await expect(page.locator("code").first()).not.toBeEmpty();
    const secret = ((await page.locator("code").first().textContent()) ?? "").replace(/\s/g, "");
    await page.getByLabel("Code", { exact: true }).fill(totpCode(secret, Date.now()));
    await page.getByRole("button", { name: "Add the app" }).click();
    await page.getByRole("button", { name: "I have kept them" }).click();

    const watched = page.waitForResponse("**/session-time");
    await page.goto("/search");
    await (await watched).finished();
    await page.getByLabel("Justification").fill("Half a sentence");
    await context.clearCookies();
    await returnTo(page);
    const lock = page.getByRole("dialog", { name: "Your session has ended" });
    await giveWord(lock);
    const code = lock.getByLabel("Code of your authenticator app");
    await expect(code).toBeFocused();
    await expect(lock.getByLabel("Username")).toBeHidden();
    await expectAccessible(page);
    const asked = page.waitForResponse("**/session-time");
    await returnTo(page);
    await (await asked).finished();
    await expect(code).toBeVisible();
    const refused = page.waitForResponse("**/second-factor/verify");
    await code.fill("000000");
    await code.press("Enter");
    expect((await refused).status()).toBe(400);
    await expect(code).toHaveAttribute("aria-invalid", "true");
    // Each step of the clock counts once: this is the one after that of the enrolment.
    await code.fill(totpCode(secret, Date.now() + 30_000));
    await code.press("Enter");
    await expect(lock).toBeHidden();
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");

    await page.goto("/profile");
    await page.getByRole("button", { name: /^New recovery codes/ }).click();
    const question = page.getByRole("alertdialog", { name: "Make new recovery codes?" });
    await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
    await expect(question).toContainText("will no longer let you in");
    await question.getByRole("button", { name: "Make new codes" }).click();
    await expect(page.getByText("Keep these codes")).toBeVisible();
    await expect(question).toBeHidden();
    await page.getByRole("button", { name: "I have kept them" }).click();
    await page.getByRole("button", { name: "Remove Authenticator app" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(page.getByText("Second factor removed").first()).toBeVisible();
  });

  test("has an expired password changed in its place, and what was typed is still there", async ({
    page,
    browser,
    baseURL,
  }) => {
    const [first, second] = ["Meridian-Lantern-48!", "Harbour-Thistle-59!"];
    const username = `lock${Date.now().toString(36)}`;
    const office = await (await browser.newContext({ baseURL: baseURL ?? "" })).newPage();
    await signIn(office, "admin");
    const ask = async (path: string, data: object) => {
      const answer = await office.request.post(path, { data, headers: { "sec-fetch-site": "same-origin" } });
      expect(answer.ok(), path).toBe(true);
      return (await answer.json()) as Record<string, string>;
    };
    await ask("/admin/add-user", {
      username,
      name: "Lena Locked",
      email: "lena@lock.example",
      password: first,
      role: "user",
    });
    const choose = async (scope: Locator, password: string) => {
      await scope.getByLabel("New password", { exact: true }).fill(password);
      await scope.getByLabel("Confirm new password").fill(password);
      await scope.getByRole("button", { name: "Change password" }).click();
    };
    const logIn = async (scope: Locator, password: string) => {
      await scope.getByRole("textbox", { name: "Password" }).fill(password);
      await scope.getByRole("button", { name: "Login" }).click();
    };
    const whole = page.locator("body");
    await page.goto("/");
    await page.getByLabel("Username").fill(username);
    await logIn(whole, first);
    await page.waitForURL("**/change-password");
    await page.waitForLoadState("networkidle");
    await choose(whole, second);
    await page.getByRole("link", { name: "Log in" }).click();
    await page.getByLabel("Username").fill(username);
    const watched = page.waitForResponse("**/session-time");
    await logIn(whole, second);
    await page.waitForURL("**/search");
    await (await watched).finished();

    await page.getByLabel("Justification").fill("Half a sentence");
    const users = (await (await office.request.get("/admin-data")).json()) as {
      users: { id: string; username: string }[];
    };
    const id = users.users.find((user) => user.username === username)?.id ?? "";
    const { temporary_password = "" } = await ask("/admin/reset-user-password", { user_id: id });
    await returnTo(page);
    const lock = page.getByRole("dialog", { name: "Your session has ended" });
    await logIn(lock, temporary_password);
    await expect(lock.getByText("Your password has to be changed.")).toBeVisible();
    await expectAccessible(page);
    await choose(lock, "Granite-Compass-60!");
    await expect(lock.getByText("Your password was changed.")).toBeVisible();
    await logIn(lock, "Granite-Compass-60!");
    await expect(lock).toBeHidden();
    await expect(page).toHaveURL(/\/search$/);
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
    await office.context().close();
  });

  test("asks on the way to another screen, and the way ends there", async ({ page }) => {
    await signInWatched(page, "viewer");
    await endSessionAt(page, /\/alerts(\.data)?(\?.*)?$/);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Alerts" }).click();
    const lock = page.getByRole("dialog", { name: "Your session has ended" });
    await expect(lock.getByLabel("Username")).toHaveValue("viewer");
    await giveWord(lock);
    await expect(lock).toBeHidden();
    await expect(page).toHaveURL(/\/alerts$/);
    await expect(page.getByRole("heading", { name: "Alert Groups" })).toBeVisible();
    await expect(page.getByText("Victor Viewer").first()).toBeVisible();
  });

  test("asks before a link leaves what was typed, and the page stays with it", async ({ page, context }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    await context.clearCookies();
    const toAlerts = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Alerts" });
    await toAlerts.click();
    const lock = page.getByRole("dialog", { name: "Your session has ended" });
    await giveWord(lock);
    await expect(lock).toBeHidden();
    await expect(page).toHaveURL(/\/search$/);
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
    // Followed again it leads where it always did.
    await toAlerts.click();
    await expect(page.getByRole("heading", { name: "Alert Groups" })).toBeVisible();
  });

  test("keeps what was typed where the browser's Back comes upon the end", async ({ page, context }) => {
    await signInWatched(page, "viewer");
    const toScreen = (name: string) =>
      page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
    await toScreen("Alerts");
    await expect(page.getByRole("heading", { name: "Alert Groups" })).toBeVisible();
    await toScreen("Search");
    await page.getByLabel("Justification").fill("Half a sentence");
    await context.clearCookies();
    await page.evaluate(() => history.back());
    const lock = page.getByRole("dialog", { name: "Your session has ended" });
    await giveWord(lock);
    await expect(lock).toBeHidden();
    await expect(page).toHaveURL(/\/search$/);
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Alert Groups" })).toBeVisible();
  });

  test("keeps what was typed where the screen only asks for its own data anew", async ({ page, context }) => {
    await signIn(page, "admin");
    const watched = page.waitForResponse("**/session-time");
    await page.goto("/public-figures");
    await (await watched).finished();
    await page.getByLabel("Introduction").fill("Half a sentence");
    await context.clearCookies();
    await page.getByRole("button", { name: /^(Publish|Withdraw)$/ }).click();
    const question = page.getByRole("alertdialog");
    await question.getByRole("button", { name: /^(Publish|Withdraw)$/ }).click();
    const lock = page.getByRole("dialog", { name: "Your session has ended" });
    await giveWord(lock);
    await expect(lock).toBeHidden();
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByLabel("Introduction")).toHaveValue("Half a sentence");
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
  await expect(page.getByLabel("Username")).toBeFocused();
  await page.keyboard.insertText("viewer");
  await page.keyboard.press("Tab");
  await expect(password).toBeFocused();
  await page.keyboard.insertText(DEMO_PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
});
