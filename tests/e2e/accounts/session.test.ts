import type { Locator, Page } from "@playwright/test";
import { DEMO_PASSWORD } from "../../../workers/local/demo-plan.ts";
import { totpCode } from "../../support/accounts/totp.ts";
import {
  expect,
  expectAccessible,
  logIn,
  logOut,
  newPerson,
  search,
  sessionLock,
  signIn,
  test,
} from "../fixtures.ts";

const MINUTE = 60_000;

/** Makes /session-time answer as it does for an old session. */
async function setSessionTime(page: Page, left: { unused_left_ms: number; left_ms: number }): Promise<void> {
  await page.route("**/session-time", (route) =>
    route.fulfill({ json: { username: "viewer", state: "full", ...left } }),
  );
}

/** Ends the session when the page requests a URL, not earlier: the page also checks its session periodically. */
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

/** Makes the page check its session, as when its window becomes visible again. */
async function returnTo(page: Page): Promise<void> {
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
}

/** Signs in and waits until the page has loaded the session time. */
async function signInWatched(page: Page, username: string, path?: string): Promise<void> {
  // No other page before: the answer to its call would never be complete.
  const asked = page.waitForResponse("**/session-time");
  await signIn(page, username, path);
  await (await asked).finished();
}

/** Types the demo password into the lock and submits it. */
async function enterPassword(lock: Locator): Promise<void> {
  const password = lock.getByRole("textbox", { name: "Password" });
  await password.fill(DEMO_PASSWORD);
  await password.press("Enter");
}

test.describe("an unused session", () => {
  test.use({ expectedErrors: [/status of 401/] });

  test("warns at least two minutes before its end, and continues if the user confirms", async ({ page }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    await setSessionTime(page, { unused_left_ms: 2.5 * MINUTE, left_ms: 200 * MINUTE });
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

  test("stays open if a call that was sent just before a step-up is refused, and polls again", async ({
    page,
  }) => {
    await signInWatched(page, "viewer");
    await page.route(
      "**/live-alerts*",
      (route) => route.fulfill({ status: 401, json: { msg: "Your session has ended." } }),
      { times: 1 },
    );
    await page.waitForResponse((answer) => answer.url().includes("/live-alerts") && answer.status() === 401);
    await page.waitForResponse((answer) => answer.url().includes("/live-alerts") && answer.ok());
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  });

  test("asks again before it hides the page: the answer to a sign-in in another tab may be on its way", async ({
    page,
  }) => {
    await signInWatched(page, "viewer");
    const refuse = { status: 401, json: { msg: "Your session has ended." } };
    await page.route("**/session-time", (route) => route.fulfill(refuse), { times: 1 });
    await page.route("**/live-alerts*", (route) => route.fulfill(refuse), { times: 1 });
    const lock = page.getByRole("dialog");
    const asked = page.waitForResponse((answer) => /session-time/.test(answer.url()) && answer.ok());
    await page.waitForResponse((answer) => /session-time/.test(answer.url()) && !answer.ok());
    await expect(lock).toBeHidden();
    await asked;
    await page.waitForResponse((answer) => answer.url().includes("/live-alerts") && answer.ok());
    await expect(lock).toBeHidden();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  });

  test("hides the page once the poll for hits finds that it was ended elsewhere, and polls again", async ({
    page,
    context,
  }) => {
    await signInWatched(page, "viewer");
    await context.clearCookies();
    const lock = sessionLock(page);
    await expect(lock).toBeVisible();
    await enterPassword(lock);
    await expect(lock).toBeHidden();
    await page.waitForResponse((answer) => answer.url().includes("/live-alerts") && answer.ok());
  });

  test("hides an open alert history as soon as its own poll finds that it was ended elsewhere", async ({
    page,
    context,
  }) => {
    // As of a user without a group: polled seldom.
    await page.route("**/live-alerts*", async (route) => {
      const response = await route.fetch();
      const answer = response.ok() ? { ...(await response.json()), member: false } : {};
      await route.fulfill({ response, json: answer });
    });
    await signInWatched(page, "admin", "/alerts/group/demo-watch-hfd");
    await context.clearCookies();
    const lock = sessionLock(page);
    await expect(lock).toBeVisible();
    const polled = page.waitForResponse((answer) => /\/new$/.test(answer.url()) && answer.ok());
    await enterPassword(lock);
    await expect(lock).toBeHidden();
    await polled;
  });

  test("hides the page when it has ended, and keeps the input for the same user", async ({
    page,
    context,
  }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    await context.clearCookies();
    await returnTo(page);
    const lock = sessionLock(page);
    await expect(lock).toBeVisible();
    await expect(lock.getByText("restricted information system")).toBeVisible();
    // The lock covers the whole page.
    await expect.poll(() => lock.boundingBox()).toMatchObject({ x: 0, y: 0, ...page.viewportSize() });
    // Browsers close a dialog at the second Escape whatever its cancel event says.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(lock).toBeVisible();
    await lock.evaluate((dialog: HTMLDialogElement) => dialog.close());
    await expect(lock).toBeVisible();
    await expectAccessible(page);
    await expect(lock.getByLabel("Username")).toHaveValue("viewer");
    await expect(lock.getByLabel("Username")).not.toBeEditable();
    await expect(lock.getByRole("textbox", { name: "Password" })).toBeFocused();
    await page.keyboard.insertText("wrong");
    await page.keyboard.press("Enter");
    await expect(lock.getByText("Login failed")).toBeVisible();
    await enterPassword(lock);
    await expect(lock).toBeHidden();
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
  });

  test("locks the page if it ends during a search, and the form is unchanged after sign-in", async ({
    page,
  }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Plate", { exact: true }).fill("7*K");
    await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
    await page.getByRole("radio", { name: "24 Hours", exact: true }).check();
    await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
    await endSessionAt(page, /\/search-data$/);
    await page.getByRole("button", { name: "Search", exact: true }).click();
    const lock = sessionLock(page);
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

  test("shows the form, and not a search that never opens, if it ends while results open", async ({
    page,
  }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Plate", { exact: true }).fill("7*K");
    await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
    await page.getByRole("checkbox", { name: "All Axis agencies" }).check();
    await endSessionAt(page, /\/results\.data/);
    const button = page.getByRole("button", { name: "Search", exact: true });
    await button.click();
    const lock = sessionLock(page);
    await enterPassword(lock);
    await expect(lock).toBeHidden();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("7*K");
    await button.click();
    await page.waitForURL("**/results?id=*");
  });

  test("keeps the input of the export dialog if it ends during an export", async ({ page }) => {
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
    const lock = sessionLock(page);
    await enterPassword(lock);
    await expect(lock).toBeHidden();
    await expect(dialog.getByLabel("Justification")).toHaveValue("Ordered by the court");
    const saved = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Create the archive" }).click();
    await saved;
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("button", { name: "Export Selected to ZIP" })).toBeFocused();
  });

  test("shows what a running call opens only after sign-in, not above the lock", async ({
    page,
    context,
  }) => {
    await signInWatched(page, "admin2", "/admin");
    const held = Promise.withResolvers<void>();
    await page.route("**/admin/reset-user-password", async (route) => {
      await held.promise;
      const json = { temporary_password: "Only-For-You-1", valid_until: Date.now() + MINUTE };
      await route.fulfill({ json: { msg: "Reset", username: "viewer", ...json } });
    });
    await page
      .getByRole("button", { name: /^Reset Password of / })
      .first()
      .click();
    const question = page.getByRole("alertdialog");
    await question.getByRole("button", { name: "Reset Password" }).click();
    await context.clearCookies();
    await returnTo(page);
    const lock = sessionLock(page);
    await expect(lock).toBeVisible();
    const answered = page.waitForResponse("**/admin/reset-user-password");
    held.resolve();
    await (await answered).finished();
    const shown = page.getByText("Only-For-You-1");
    // The answer also closes the question.
    await expect(page.locator("dialog[role=alertdialog]")).toHaveCount(0);
    await expect(shown).toBeHidden();
    await expect(lock.getByRole("textbox", { name: "Password" })).toBeFocused();
    await enterPassword(lock);
    await expect(lock).toBeHidden();
    await expect(shown).toBeVisible();
    await page.getByRole("button", { name: "Done" }).click();
    await expect(shown).toBeHidden();
  });

  test("asks for the second factor on the lock, and an incomplete sign-in does not unlock the page", async ({
    page,
    context,
    expectedErrors,
  }) => {
    // A wrong code is a 400.
    expectedErrors.push(/status of 400/);
    await signIn(page, await newPerson("admin2"), "/profile");
    await page.getByRole("button", { name: "Add an authenticator app" }).click();
    await expect(page.locator("code").first()).not.toBeEmpty();
    const secret = ((await page.locator("code").first().textContent()) ?? "").replace(/\s/g, "");
    await page.getByLabel("Code", { exact: true }).fill(totpCode(secret, Date.now()));
    await page.getByRole("button", { name: "Add the app" }).click();
    await page.getByRole("button", { name: "I saved them" }).click();

    const watched = page.waitForResponse("**/session-time");
    await page.goto("/search");
    await (await watched).finished();
    await page.getByLabel("Justification").fill("Half a sentence");
    await context.clearCookies();
    await returnTo(page);
    const lock = sessionLock(page);
    await enterPassword(lock);
    const code = lock.getByLabel("Code from your authenticator app");
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
    // Each TOTP time step is accepted once: this is the step after the one used for setup.
    await code.fill(totpCode(secret, Date.now() + 30_000));
    await code.press("Enter");
    await expect(lock).toBeHidden();
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");

    await page.goto("/profile");
    await page.getByRole("button", { name: /^New recovery codes/ }).click();
    const question = page.getByRole("alertdialog", { name: "Create new recovery codes?" });
    await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
    await expect(question).toContainText("will stop working");
    await question.getByRole("button", { name: "Create new codes" }).click();
    await expect(page.getByText("Store these codes")).toBeVisible();
    await expect(question).toBeHidden();
    await page.getByRole("button", { name: "I saved them" }).click();
    await page.getByRole("button", { name: "Remove Authenticator app" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(page.getByText("Second factor removed").first()).toBeVisible();
  });

  test("lets the user change an expired password on the lock, and keeps the input", async ({
    page,
    browser,
    baseURL,
  }) => {
    const [first, second] = ["Meridian-Lantern-48!", "Harbour-Thistle-59!"];
    const username = `lock${Date.now().toString(36)}`;
    const office = await (await browser.newContext({ baseURL: baseURL ?? "" })).newPage();
    await signIn(office, "admin");
    const ask = async (path: string, data: object): Promise<Record<string, string>> => {
      const answer = await office.request.post(path, { data, headers: { "sec-fetch-site": "same-origin" } });
      expect(answer.ok(), path).toBe(true);
      return answer.json();
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
    const { users }: { users: { id: string; username: string }[] } = await (
      await office.request.get("/admin-data")
    ).json();
    const id = users.find((user) => user.username === username)?.id ?? "";
    const { temporary_password = "" } = await ask("/admin/reset-user-password", { user_id: id });
    await returnTo(page);
    const lock = sessionLock(page);
    await logIn(lock, temporary_password);
    await expect(lock.getByText("Your password must be changed.")).toBeVisible();
    await expectAccessible(page);
    await choose(lock, "Granite-Compass-60!");
    await expect(lock.getByText("Your password was changed.")).toBeVisible();
    await logIn(lock, "Granite-Compass-60!");
    await expect(lock).toBeHidden();
    await expect(page).toHaveURL(/\/search$/);
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
    await office.context().close();
  });

  test("locks the page during a navigation, which completes after sign-in", async ({ page }) => {
    await signInWatched(page, "viewer");
    await endSessionAt(page, /\/alerts(\.data)?(\?.*)?$/);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Alerts" }).click();
    const lock = sessionLock(page);
    await expect(lock.getByLabel("Username")).toHaveValue("viewer");
    await enterPassword(lock);
    await expect(lock).toBeHidden();
    await expect(page).toHaveURL(/\/alerts$/);
    await expect(page.getByRole("heading", { name: "My Alert Groups" })).toBeVisible();
    await expect(page.getByText("Victor Viewer").first()).toBeVisible();
  });

  test("locks the page before a link discards input, and stays on the page after sign-in", async ({
    page,
    context,
  }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    await context.clearCookies();
    const toAlerts = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Alerts" });
    await toAlerts.click();
    const lock = sessionLock(page);
    await enterPassword(lock);
    await expect(lock).toBeHidden();
    await expect(page).toHaveURL(/\/search$/);
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
    // The link works normally afterwards.
    await toAlerts.click();
    await expect(page.getByRole("heading", { name: "Alert Groups" })).toBeVisible();
  });

  test("keeps the input if the browser's Back button finds that it has ended", async ({ page, context }) => {
    await signInWatched(page, "viewer");
    const toScreen = (name: string) =>
      page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
    await toScreen("Alerts");
    await expect(page.getByRole("heading", { name: "Alert Groups" })).toBeVisible();
    await toScreen("Search");
    await page.getByLabel("Justification").fill("Half a sentence");
    await context.clearCookies();
    await page.evaluate(() => history.back());
    const lock = sessionLock(page);
    await enterPassword(lock);
    await expect(lock).toBeHidden();
    await expect(page).toHaveURL(/\/search$/);
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Alert Groups" })).toBeVisible();
  });

  test("keeps the input if the screen only reloads its own data", async ({ page, context }) => {
    await signInWatched(page, "admin", "/public-figures");
    await page.getByLabel("Introduction").fill("Half a sentence");
    await context.clearCookies();
    await page.getByRole("button", { name: /^(Publish|Withdraw)$/ }).click();
    const question = page.getByRole("alertdialog");
    await question.getByRole("button", { name: /^(Publish|Withdraw)$/ }).click();
    const lock = sessionLock(page);
    await enterPassword(lock);
    await expect(lock).toBeHidden();
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByLabel("Introduction")).toHaveValue("Half a sentence");
  });

  test("hides the page in a window that stays visible while the user signs out in another one", async ({
    page,
    context,
  }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    const other = await context.newPage();
    await other.goto("/profile");
    await logOut(other);
    const lock = sessionLock(page);
    await expect(lock).toBeVisible();
    await signIn(other, "viewer");
    await expect(lock).toBeHidden();
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
  });

  test("opens the screen that was refused once the same user has signed in in another window", async ({
    page,
    context,
  }) => {
    await signInWatched(page, "viewer");
    await context.clearCookies();
    await page.getByRole("link", { name: "Alerts", exact: true }).click();
    const lock = sessionLock(page);
    await expect(lock).toBeVisible();
    await signIn(await context.newPage(), "viewer");
    await expect(lock).toBeHidden();
    await expect(page.getByRole("heading", { name: "Alert Groups" })).toBeVisible();
  });

  test("discards a page that stays visible while another user signs in", async ({ page, context }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    const other = await context.newPage();
    await other.goto("/profile");
    await logOut(other);
    await signIn(other, "hotadmin");
    await expect(page.getByText("Hanna Hotlist").first()).toBeVisible();
    await expect(page.getByLabel("Justification")).toHaveValue("");
  });

  test("discards the page if another user has signed in", async ({ page, context }) => {
    await signInWatched(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    await context.clearCookies();
    await returnTo(page);
    await expect(sessionLock(page)).toBeVisible();
    // No other window tells this one about the sign-in.
    await logIn(page, "hotadmin");
    await returnTo(page);
    await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
    await expect(page.getByLabel("Justification")).toHaveValue("");
    await expect(page.getByText("Hanna Hotlist").first()).toBeVisible();
  });
});

test("sign-in works with the keyboard only, and its fields are marked for password managers", async ({
  page,
}) => {
  await page.goto("/");
  await expect(page.getByLabel("Username")).toHaveAttribute("autocomplete", "username");
  const password = page.getByRole("textbox", { name: "Password" });
  await expect(password).toHaveAttribute("autocomplete", "current-password");
  // Password managers fill in the fields without key presses, as insertText does.
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

test("a link that is opened without a session is shown after the sign-in", async ({ page }) => {
  await page.goto("/profile?from=link");
  await page.getByLabel("Username").fill("viewer");
  await page.getByRole("textbox", { name: "Password" }).fill(DEMO_PASSWORD);
  await page.getByRole("button", { name: "Login" }).click();
  await page.waitForURL("**/profile?from=link");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("User Profile");
});

test.describe("a browser that does not keep the cookie", () => {
  test.use({ expectedErrors: [/status of 401/] });

  test("is told so, instead of being led back to an empty form", async ({ page }) => {
    // The answer without its cookie, as a browser uses it that refuses the cookie.
    await page.route("**/login", async (route) => {
      const sent = route.request();
      const init = { method: sent.method(), headers: await sent.allHeaders(), body: sent.postData() };
      const answer = await fetch(sent.url(), init);
      await route.fulfill({ status: answer.status, json: await answer.json() });
    });
    await page.goto("/");
    await page.getByLabel("Username").fill("viewer");
    await page.getByLabel("Password", { exact: true }).fill(DEMO_PASSWORD);
    await page.getByRole("button", { name: "Login" }).click();
    const alert = page.getByRole("alert");
    await expect(alert).toContainText("needs https");
    await page.evaluate(() => Object.defineProperty(navigator, "cookieEnabled", { get: () => false }));
    await page.getByLabel("Password", { exact: true }).fill(DEMO_PASSWORD);
    await page.getByRole("button", { name: "Login" }).click();
    await expect(alert).toContainText("Allow cookies for this site");
    await expectAccessible(page);
  });
});
