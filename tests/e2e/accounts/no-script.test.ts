import type { Page } from "@playwright/test";
import { DEMO_PASSWORD } from "../../../workers/local/demo-plan.ts";
import { totpCode } from "../../support/accounts/totp.ts";
import { expect, test } from "../fixtures.ts";

test.use({ javaScriptEnabled: false });

const OWN = "Kite-Harbor-94-lamp";
const TEMPORARY = "Meridian-Lantern-48!";

async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.context().clearCookies();
  await page.goto("/");
  await page.getByLabel("Username").fill(username);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Login" }).click();
}

/** Returns the path and query of the current URL. */
const place = (page: Page) => page.url().replace(/^https?:\/\/[^/]+/, "");

test.describe("without scripts", () => {
  // Rejected forms are answered with a 4xx status, which the browser logs.
  test.use({ expectedErrors: [/status of 4\d\d/] });

  test("a new user changes the password, sets up a second factor, and reaches the search screen", async ({
    page,
  }) => {
    const username = `nils${Date.now().toString(36)}`;
    const agency = `Scriptless Police ${username}`;

    await logIn(page, "owner", "Wrong-Password-1!");
    await expect(page.getByText("Login failed")).toBeVisible();
    await expect(page.getByLabel("Username")).toHaveValue("owner");
    await logIn(page, "owner", DEMO_PASSWORD);
    await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();

    await page.goto("/owner");
    await page.getByText("Agencies and their policies").click();
    await page.getByLabel("New agency").fill(agency);
    await page.getByRole("button", { name: "Add agency" }).click();
    await expect(page.getByText(`${agency} was added`)).toBeVisible();
    await page.getByText("Agencies and their policies").click();
    await page.getByRole("link", { name: `Edit ${agency}` }).click();
    await page.getByLabel("Second factor required for everyone").check();
    await page.getByLabel("Longest range of one search").fill("1000");
    await page.getByRole("button", { name: "Save Changes" }).click();
    await expect(page.getByText(/^Longest range of one search: a whole number/)).toBeVisible();
    await expect(page.getByLabel("Second factor required for everyone")).toBeChecked();
    await page.getByLabel("Longest range of one search").fill("30");
    await page.getByRole("button", { name: "Save Changes" }).click();
    await expect(page.getByText(`${agency} saved`)).toBeVisible();

    await page.getByLabel("Username").fill(username);
    await page.getByLabel("Full name").fill("Nils Newcomer");
    await page.getByLabel("Email").fill("not an address");
    await page.getByRole("textbox", { name: "Password" }).fill(TEMPORARY);
    await page.getByRole("combobox", { name: /^Agency/ }).selectOption({ label: agency });
    await page.getByRole("button", { name: "Add User" }).click();
    await expect(page.getByText("Email must look like name@example.org.")).toBeVisible();
    await expect(page.getByLabel("Full name")).toHaveValue("Nils Newcomer");
    await expect(page.getByRole("textbox", { name: "Password" })).toHaveValue("");
    await page.getByLabel("Email").fill("nils@scriptless.example");
    await page.getByRole("textbox", { name: "Password" }).fill(TEMPORARY);
    await page.getByRole("button", { name: "Add User" }).click();
    await expect(page.getByText("User added successfully")).toBeVisible();
    await expect(page.getByText(`Temporary password of ${username}`)).toBeVisible();
    await expect(page.getByText(TEMPORARY)).toBeVisible();
    expect(await page.content()).toContain(username);
    // The temporary password is shown only once.
    await page.goto("/owner");
    expect(await page.content()).not.toContain(TEMPORARY);

    await logIn(page, username, TEMPORARY);
    expect(place(page)).toBe("/change-password");
    await page.getByLabel("New password", { exact: true }).fill(OWN);
    await page.getByLabel("Confirm new password").fill(`${OWN}?`);
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByText("Passwords do not match.")).toBeVisible();
    await page.getByLabel("New password", { exact: true }).fill(OWN);
    await page.getByLabel("Confirm new password").fill(OWN);
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByText("Password updated successfully, please log in.")).toBeVisible();
    expect(place(page)).toBe("/");

    await logIn(page, username, OWN);
    expect(place(page)).toBe("/second-factor/set-up");
    await expect(page.getByRole("button", { name: "Passkey" })).toBeHidden();
    await page.getByRole("button", { name: "Authenticator app" }).click();
    await expect(page.getByRole("img", { name: "QR code for your authenticator app" })).toBeVisible();
    const secret = ((await page.locator("code").first().textContent()) ?? "").replace(/\s/g, "");
    await page.getByLabel("Code", { exact: true }).fill("000000");
    await page.getByRole("button", { name: "Add the app" }).click();
    await expect(page.getByText(/^This code is wrong/)).toBeVisible();
    await page.getByLabel("Code", { exact: true }).fill(totpCode(secret, Date.now()));
    await page.getByRole("button", { name: "Add the app" }).click();
    await expect(page.getByText("Store these codes")).toBeVisible();
    const [recovery = ""] = await page.getByRole("main").getByRole("listitem").allTextContents();
    await page.getByRole("link", { name: "I saved them, continue" }).click();
    await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();

    await logIn(page, username, OWN);
    expect(place(page)).toBe("/second-factor");
    await page.getByLabel("Code from your authenticator app").fill("000000");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByText(/^This code is wrong/)).toBeVisible();
    await page.getByLabel("Code from your authenticator app").fill(recovery);
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
    expect(place(page)).toBe("/search");
  });

  test("an administrator adds a single user and users from a CSV file", async ({ page }) => {
    const name = `file${Date.now().toString(36)}`;
    await logIn(page, "admin2", DEMO_PASSWORD);
    await page.goto("/admin");
    await page.getByLabel("Username").fill(`one${name}`);
    await page.getByLabel("Full name").fill("Ona One");
    await page.getByLabel("Email").fill("ona@one.example");
    await page.getByRole("textbox", { name: "Password" }).fill(TEMPORARY);
    await page.getByRole("button", { name: "Add User" }).click();
    await expect(page.getByText(`Temporary password of one${name}`)).toBeVisible();

    const upload = async (csv: string) => {
      const file = { name: "users.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
      await page.getByLabel("CSV file").setInputFiles(file);
      await page.getByRole("button", { name: "Upload users" }).click();
    };
    const head = "username,name,email,role\r\n";
    await page.getByRole("button", { name: "Upload users" }).click();
    await expect(page.getByText("Choose a CSV file.")).toBeVisible();
    await upload(`${head}${name},Una Upload,nowhere,user\r\n`);
    await expect(page.getByText("Nothing was written: 1 row is wrong.")).toBeVisible();
    await expect(page.getByText("Line 2")).toBeVisible();
    await upload(`${head}${name},Una Upload,una@x.example,user\r\n`);
    await expect(page.getByText("1 user added")).toBeVisible();
    await expect(
      page.getByRole("rowheader", { name: "Una Upload" }).or(page.getByText(name)).first(),
    ).toBeVisible();
  });
});
