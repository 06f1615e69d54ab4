import type { Page } from "@playwright/test";
import { expect, expectAccessible, signIn, test } from "./fixtures.ts";

// Odin answers with an error of its own when it loads the data of a screen.

/** Returns Odin's answer as Remix encodes it, with a failure in place of the data of a route. */
function withFailure(answer: string, route: string): string {
  const [first = "", ...rest] = answer.split("\n");
  const values: unknown[] = JSON.parse(first);
  const results = values[0] as Record<string, number>;
  const add = (...more: unknown[]) => values.push(...more) - more.length;
  const words = add("error", "message", "Something went wrong.", "request_id", "abc123", 500, "");
  const body = add({ [`_${words + 1}`]: words + 2, [`_${words + 3}`]: words + 4 });
  const failure = add(["ErrorResponse", body, words + 5, words + 6]);
  results[`_${values.indexOf(route)}`] = add({ [`_${words}`]: failure });
  return [JSON.stringify(values), ...rest].join("\n");
}

/** Lets a screen's data fail until the returned function is called. */
async function failLoads(page: Page, path: string, route: string): Promise<() => Promise<void>> {
  const pattern = `**${path}.data*`;
  await page.route(pattern, async (asked) => {
    if (asked.request().method() !== "GET") return asked.fallback();
    const response = await asked.fetch();
    await asked.fulfill({ response, status: 500, body: withFailure(await response.text(), route) });
  });
  return () => page.unroute(pattern);
}

const SERVICES = ["/integrations/service-accounts", "routes/screens/integrations/service-accounts"] as const;
const OUTDATED = "This screen could not be updated.";
const notices = (page: Page) => page.getByRole("region", { name: "Messages" });

test.use({ expectedErrors: [/status of 500|status of 404/] });

test("a screen keeps what was typed if its data cannot be loaded again after a form was sent", async ({
  page,
}) => {
  await signIn(page, "admin", SERVICES[0]);
  const works = await failLoads(page, ...SERVICES);
  const name = `Kept ${Date.now().toString(36)}`;
  const adding = page
    .locator("form")
    .filter({ has: page.getByRole("button", { name: "Add service account" }) });
  await adding.getByRole("textbox", { name: "Name" }).fill(name);
  await adding.getByRole("checkbox").first().check();
  await adding.getByRole("button", { name: "Add service account" }).click();
  // The answer to the form arrived.
  await page.getByRole("button", { name: "Done" }).click();
  await expect(notices(page).getByText(OUTDATED)).toBeVisible();
  await expect(notices(page)).toContainText("Reference: abc123");
  await expect(page.getByRole("heading", { name: "Service Accounts", level: 1 })).toBeVisible();
  await expect(page.getByRole("link", { name })).toHaveCount(0);
  await expectAccessible(page);
  await adding.getByRole("textbox", { name: "Name" }).fill("Half a name");

  // It still fails, and then it does not.
  await notices(page).getByRole("button", { name: "Try again" }).click();
  await expect(notices(page).getByText(OUTDATED)).toHaveCount(1);
  await works();
  await notices(page).getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("link", { name })).toBeVisible();
  await expect(notices(page).getByText(OUTDATED)).toBeHidden();
  await expect(adding.getByRole("textbox", { name: "Name" })).toHaveValue("Half a name");
});

test("a screen that is opened and fails offers to try again and to go back to what was typed", async ({
  page,
}) => {
  await signIn(page, "admin", "/search");
  await page.getByLabel("Justification").fill("Half a sentence");
  const works = await failLoads(page, "/profile", "routes/screens/accounts/profile");
  await page.getByRole("link", { name: "Profile" }).click();
  await expect(page.getByRole("heading", { name: "Unexpected Application Error!" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Go back" }).click();
  await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");

  await page.getByRole("link", { name: "Profile" }).click();
  await expect(page.getByRole("heading", { name: "Unexpected Application Error!" })).toBeVisible();
  await works();
  await page.getByRole("link", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "User Profile" })).toBeVisible();
  // Loaded as a page, there is nothing in this page to go back to, and no error.
  await expect(page.getByRole("button", { name: "Go back" })).toHaveCount(0);
});

test("a screen that fails has no way back if it is the first one", async ({ page }) => {
  await signIn(page, "officer", "/no-such-page");
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Back to Odin" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Go back" })).toHaveCount(0);
});
