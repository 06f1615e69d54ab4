import type { Page } from "@playwright/test";
import { DEMO_PASSWORD } from "../../../workers/local/demo-plan.ts";
import { totpCode } from "../../support/accounts/totp.ts";
import {
  expect,
  expectAccessible,
  forgetSession,
  logOut,
  newPerson,
  search,
  signIn,
  test,
} from "../fixtures.ts";

const OWN = "Kite-Harbor-94-lamp";

async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.goto("/");
  await page.getByLabel("Username").fill(username);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Login" }).click();
  await page.waitForURL((url) => url.pathname !== "/");
}

async function addVirtualAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test.describe("account", () => {
  // A rejected password is a 400, which the browser logs.
  test.use({ expectedErrors: [/status of 400/] });

  test("a new user changes the password, sets up a second factor, and reaches the search screen", async ({
    page,
  }) => {
    const username = `nora${Date.now().toString(36)}`;
    await signIn(page, "owner", "/owner");
    await page.getByText("Agencies and their policies").click();
    const agency = `Enrolment Police ${username}`;
    await page.getByLabel("New agency").fill(agency);
    await page.getByRole("button", { name: "Add agency" }).click();
    await page.getByRole("link", { name: `Edit ${agency}` }).click();
    await page.getByLabel("Second factor required for everyone").check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save Changes" }).click();
    await page.waitForURL("**/owner");

    await page.getByLabel("Username").fill(username);
    await page.getByLabel("Full name").fill("Nora Newcomer");
    await page.getByLabel("Email").fill("nora@enrolment.example");
    await page.getByRole("combobox", { name: /^Agency/ }).selectOption({ label: agency });
    await page.getByRole("button", { name: "Generate" }).click();
    const generated = page.getByRole("textbox", { name: "Password" });
    await expect(generated).not.toHaveValue("");
    const temporary = await generated.inputValue();
    await page.getByRole("button", { name: "Add User" }).click();
    await expect(page.getByText("User added successfully").first()).toBeVisible();
    await expectAccessible(page);

    await forgetSession(page);
    await logIn(page, username, temporary);
    await expect(page).toHaveURL(/\/change-password$/);
    await page.goto("/search");
    await expect(page).toHaveURL(/\/change-password$/);
    await expectAccessible(page);
    await page.getByLabel("New password", { exact: true }).fill("Newcomer1!");
    await page.getByLabel("Confirm new password").fill("Newcomer2!");
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByText("Passwords do not match.")).toBeVisible();
    await page.getByLabel("Confirm new password").fill("Newcomer1!");
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByText(/on the list of common/)).toBeVisible();
    await page.getByLabel("New password", { exact: true }).fill(OWN);
    await page.getByLabel("Confirm new password").fill(OWN);
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByText("Password updated successfully, please log in.")).toBeVisible();

    await logIn(page, username, OWN);
    await expect(page).toHaveURL(/\/second-factor\/set-up$/);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Authenticator app" }).click();
    const key = page.locator("code").first();
    await expect(key).not.toBeEmpty();
    const secret = ((await key.textContent()) ?? "").replace(/\s/g, "");
    await page.getByLabel("Code", { exact: true }).fill(totpCode(secret, Date.now()));
    await page.getByRole("button", { name: "Add the app" }).click();
    await expect(page.getByText("Store these codes")).toBeVisible();
    await page.getByRole("link", { name: "I saved them, continue" }).click();
    await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
  });

  test("a user signs in with a passkey and signs out everywhere", async ({ page }) => {
    const username = await newPerson("admin2");
    await addVirtualAuthenticator(page);
    await signIn(page, username, "/profile");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("button", { name: "Add the passkey" }).click();
    await expect(page.getByText("Store these codes")).toBeVisible();
    await page.getByRole("button", { name: "I saved them" }).click();
    await forgetSession(page);
    await logIn(page, username, DEMO_PASSWORD);
    await expect(page).toHaveURL(/\/second-factor$/);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Use your passkey" }).click();
    await page.waitForURL("**/search");
    await page.goto("/profile");
    await page.getByRole("button", { name: /^Remove This device/ }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(page.getByText("Second factor removed").first()).toBeVisible();
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Sign out everywhere" }).click();
    await page.waitForURL((url) => url.pathname === "/");
  });
});

test("passwords that differ are reported before anything is asked", async ({ page, expectedErrors }) => {
  expectedErrors.push(/status of 400/);
  await signIn(page, await newPerson("admin2"), "/profile");
  const [first, second] = [
    page.getByLabel("New password", { exact: true }),
    page.getByLabel("Confirm new password"),
  ];
  const send = page.getByRole("button", { name: "Reset Password" });
  const question = page.getByRole("alertdialog", { name: "Reset your password?" });
  await send.click();
  await expect(page.getByText("Please enter and confirm your new password.")).toBeVisible();
  await expect(question).toBeHidden();
  await first.fill(OWN);
  await second.fill(`${OWN}!`);
  await send.click();
  await expect(page.getByText("Passwords do not match.")).toBeVisible();
  await expect(question).toBeHidden();
  await expect(second).toBeFocused();
  await second.fill(OWN);
  await send.click();
  await question.getByRole("button", { name: "Reset Password" }).click();
  await expect(page.getByText("Password updated successfully").first()).toBeVisible();
});

test("an administrator uploads, resets and deletes a user, and confirms identity after an old sign-in", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 40[34]/);
  await signIn(page, "admin2", "/admin");
  const name = `up${Date.now().toString(36)}`;
  const csv = `username,name,email,role\r\n${name},Una Upload,una@x.example,user\r\n`;
  await page
    .getByLabel("CSV file")
    .setInputFiles({ name: "users.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await page.getByRole("button", { name: "Upload users" }).click();
  await expect(page.getByText("1 user added")).toBeVisible();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: `Reset Password of ${name}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Reset Password" }).click();
  await expect(page.getByText("It is shown only now")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Done" }).click();
  const other = await page.context().newPage();
  await other.goto("/admin");

  // The server rejects the first call because the sign-in is too old; the app retries it after the password prompt.
  await page.route(
    "**/admin/delete-user/**",
    (route) => route.fulfill({ status: 403, json: { msg: "Please confirm.", code: "step_up_required" } }),
    { times: 1 },
  );
  await page.getByRole("button", { name: `Delete User ${name}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete User" }).click();
  const proof = page.getByRole("dialog", { name: "Confirm your identity" });
  await proof.getByRole("textbox", { name: "Your password" }).fill(DEMO_PASSWORD);
  await proof.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByText(`${name} was deleted`).first()).toBeVisible();

  // A window that was opened before still lists the user, until it is refused.
  await other.getByRole("button", { name: `Reset Password of ${name}` }).click();
  await other.getByRole("alertdialog").getByRole("button", { name: "Reset Password" }).click();
  await expect(other.getByText("This user does not exist.").first()).toBeVisible();
  await expect(other.getByRole("row").filter({ hasText: name })).toHaveCount(0);
  await other.close();
});

test("the legal pages are public, linked, and contain the required statements", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Terms of Service" }).click();
  const text = page.getByRole("article");
  await expect(text).toContainText("Effective 01/15/2025");
  await expect(text).toContainText("authorized law enforcement only");
  await expect(text).toContainText("State of Connecticut");
  await expectAccessible(page);
  await page
    .getByRole("navigation", { name: "Legal pages" })
    .getByRole("link", { name: "Privacy Policy" })
    .click();
  await expect(text).toContainText("purged");
  await expect(text).toContainText("CJIS compliance is required");
  await expectAccessible(page);
});

test("search results of one user are not available to the next user of the browser", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 404/);
  await signIn(page, "officer");
  await search(page, { programs: ["Axis"] });
  const path = `/results/${new URL(page.url()).searchParams.get("id")}/columns`;
  const statusNow = () => page.evaluate(async (url) => (await fetch(url)).status, path);
  // Leaves the results first: their pending image requests would fail after the logout.
  await page.goto("/search");
  expect(await statusNow()).toBe(200);
  await page.waitForLoadState("networkidle");
  await logOut(page);
  await signIn(page, "viewer");
  expect(await statusNow()).toBe(404);
});
