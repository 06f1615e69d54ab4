import type { Page, Route } from "@playwright/test";
import { expect, sessionLock, signIn, test } from "./fixtures.ts";

// A bad connection: answers that are not Odin's, and answers that are lost after Odin acted.

type Fulfilled = NonNullable<Parameters<Route["fulfill"]>[0]>;

/** Answers of what is between a patrol car and Odin. */
const FOREIGN: Record<string, Fulfilled> = {
  "a gateway without Odin": { status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" },
  "a network that asks to sign in": { contentType: "text/html", body: "<h1>Accept the terms</h1>" },
  "an empty answer": { body: "" },
};

const reached = (page: Page) =>
  page.getByRole("region", { name: "Messages" }).getByText("Odin cannot be reached.");

for (const [name, answer] of Object.entries(FOREIGN))
  test.describe(name, () => {
    test.use({ expectedErrors: [/status of 502/] });

    for (const [what, path] of [
      ["data", /\/profile\.data/],
      ["code", /\/assets\/profile-/],
    ] as const)
      test(`instead of the ${what} of a screen leaves the page and its input unchanged, until Odin answers`, async ({
        page,
      }) => {
        await signIn(page, "viewer");
        await page.getByLabel("Justification").fill("Half a sentence");
        await page.route(path, (route) => route.fulfill(answer));
        await page.getByRole("link", { name: "Profile" }).click();
        await expect(reached(page)).toBeVisible();
        await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
        await page.unroute(path);
        await expect(page.getByRole("heading", { name: "User Profile" })).toBeVisible();
        await expect(reached(page)).toBeHidden();
      });
  });

/** Loses the next answer to a call that changes something: Odin acts, and the connection breaks. */
async function loseAnswer(page: Page, path: RegExp): Promise<void> {
  let isLost = false;
  await page.route(path, async (route) => {
    if (isLost || route.request().method() === "GET") return route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort("connectionreset");
  });
}

const CHECK = "Odin's answer did not arrive. Check whether this was done before you try again.";

test.describe("an answer that is lost", () => {
  // Sent again, the name is refused.
  test.use({ expectedErrors: [/ERR_CONNECTION_RESET|status of 409/] });

  test("leaves a form filled, says that it may have been done, and names that when it is sent again", async ({
    page,
  }) => {
    await signIn(page, "admin", "/integrations/service-accounts");
    const name = `Dispatch ${Date.now().toString(36)}`;
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    await page.getByRole("checkbox").first().check();
    await loseAnswer(page, /service-accounts\.data/);
    const add = page.getByRole("button", { name: "Add service account" });
    await add.click();
    const form = page.locator("form").filter({ has: add });
    await expect(form.getByRole("alert")).toContainText(CHECK);
    await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue(name);
    // The list shows what was done.
    await expect(page.getByRole("link", { name })).toHaveCount(1);
    await add.click();
    await expect(form.getByRole("alert").first()).toContainText("An earlier attempt may have been done.");
    await expect(page.getByRole("link", { name })).toHaveCount(1);
  });

  test("to a change of a list is reported, and the list shows what was done", async ({ page }) => {
    await signIn(page, "admin", "/integrations/rekor");
    const name = `Gate ${Date.now().toString(36)}`;
    const adding = page.locator("form").filter({ has: page.getByRole("button", { name: "Add webhook" }) });
    await adding.getByRole("textbox").fill(name);
    await adding.getByRole("button").click();
    await page.getByRole("button", { name: "Done" }).click();
    await loseAnswer(page, /\/rekor-webhooks\//);
    await page.getByRole("button", { name: `Revoke ${name}` }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await expect(dialog.getByText(CHECK).first()).toBeVisible();
    await expect(page.getByRole("row", { name: new RegExp(name), includeHidden: true })).toContainText(
      "Revoked",
    );
  });

  test("to what has a secret says that it was done when it is sent again, and to a key saves it once", async ({
    page,
  }) => {
    await signIn(page, "admin", "/integrations/rekor");
    const name = `Lost ${Date.now().toString(36)}`;
    const adding = page.locator("form").filter({ has: page.getByRole("button", { name: "Add webhook" }) });
    await adding.getByRole("textbox").fill(name);
    await loseAnswer(page, /integrations\/rekor\.data/);
    await adding.getByRole("button").click();
    await expect(adding.getByRole("alert")).toContainText(CHECK);
    await adding.getByRole("button").click();
    await expect(adding.getByRole("alert")).toContainText(
      `${name} was added already. Its address cannot be shown again. Revoke it and add another.`,
    );
    const row = page.getByRole("row", { name: new RegExp(name) });
    await expect(row).toHaveCount(1);
    // Changed, it is another one.
    await adding.getByRole("textbox").fill(`${name} east`);
    await adding.getByRole("button").click();
    await page.getByRole("button", { name: "Done" }).click();
    await expect(row).toHaveCount(2);

    await page.unroute(/integrations\/rekor\.data/);
    await loseAnswer(page, /integrations\/rekor\.data/);
    const add = page.getByRole("button", { name: "Add API key" });
    const form = page.locator("form").filter({ has: add });
    await form.getByLabel("Agency").fill(name);
    await form.getByLabel("API key").fill(`key-${name.replace(" ", "-")}`);
    await add.click();
    await expect(page.getByText("Sent again unchanged, it is saved only once.")).toBeVisible();
    await add.click();
    await expect(
      page.getByRole("region", { name: "Messages" }).getByText("API key added successfully"),
    ).toBeVisible();
    const keys = page.getByRole("table", { name: "API keys" });
    await expect(keys.getByRole("row", { name: new RegExp(name) })).toHaveCount(1);
  });

  test("to settings and to a group is no conflict when they are sent again, and the next change works", async ({
    page,
  }) => {
    await signIn(page, "admin", "/public-figures");
    const text = page.getByLabel("Introduction");
    await loseAnswer(page, /public-figures\.data/);
    await text.fill(`First ${Date.now()}`);
    const save = page.getByRole("button", { name: "Save", exact: true });
    await save.click();
    await expect(page.getByText("Sent again unchanged, it is saved only once.")).toBeVisible();
    await save.click();
    const saved = page.getByRole("region", { name: "Messages" }).getByText("The page was saved");
    await expect(saved).toBeVisible();
    await page.getByRole("button", { name: "Dismiss" }).first().click();
    await expect(saved).toBeHidden();
    await text.fill(`Second ${Date.now()}`);
    await save.click();
    await expect(saved).toBeVisible();

    await page.goto("/alerts");
    await page.getByRole("link", { name: "View Alerts" }).first().click();
    await page.waitForURL("**/alerts/group/**");
    const group = new URL(page.url()).pathname.split("/").at(-1);
    await page.goto(`/groups/${group}/edit`);
    const description = page.getByLabel("Description");
    await loseAnswer(page, /\/edit\.data/);
    const changes = page.getByRole("button", { name: "Save Changes" });
    const answered = () =>
      page.waitForResponse((answer) => answer.request().method() === "POST" && answer.status() === 200);
    await description.fill(`First ${Date.now()}`);
    await changes.click();
    await expect(page.getByText("Sent again unchanged, it is saved only once.")).toBeVisible();
    for (const words of ["", "Second"]) {
      if (words) await description.fill(`${words} ${Date.now()}`);
      const answer = answered();
      await changes.click();
      await answer;
      await expect(page.getByText("Group updated successfully!").first()).toBeVisible();
    }
    await page.reload();
    await expect(description).toHaveValue(/^Second/);
  });

  test("to a new group says that it may be sent again, and makes one group", async ({ page }) => {
    await signIn(page, "hotadmin", "/create-group");
    const name = `Lost ${Date.now().toString(36)}`;
    await page.locator("input[name=group_name]").fill(name);
    await loseAnswer(page, /create-group\.data/);
    await page.getByRole("button", { name: "Create Group" }).click();
    await expect(page.getByText("Sent again unchanged, it is saved only once.")).toBeVisible();
    await page.getByRole("button", { name: "Create Group" }).click();
    await expect(page.getByText("Group created successfully!")).toBeVisible();
    await page.goto("/alerts");
    await expect(page.getByRole("link", { name, exact: true })).toHaveCount(1);
  });
});

test.describe("without a network", () => {
  test.use({ expectedErrors: [/ERR_INTERNET_DISCONNECTED/] });

  test("a form says that nothing was sent", async ({ page }) => {
    await signIn(page, "admin", "/admin");
    await page.getByLabel("Username").fill("offline.user");
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Add User" }).click();
    await expect(page.getByText("You are offline. Nothing was sent.")).toBeVisible();
    await expect(page.getByLabel("Username")).toHaveValue("offline.user");
    await page.context().setOffline(false);
    await expect(reached(page)).toBeHidden();
  });
});

test.describe("a page of a user after another one has signed in in this browser", () => {
  test.use({ expectedErrors: [/ERR_FAILED/] });

  test("is covered as soon as another window says so, even if Odin cannot be asked", async ({ page }) => {
    const known = page.waitForResponse("**/session-time");
    await signIn(page, "officer");
    await (await known).finished();
    await page.getByLabel("Justification").fill("Of the former user");
    await page.route("**/session-time", (route) => route.abort());
    await page.evaluate(() => {
      const channel = new BroadcastChannel("odin-session");
      channel.postMessage("another");
      channel.close();
    });
    await expect(sessionLock(page)).toBeVisible();
    await page.unroute("**/session-time");
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect(page.getByLabel("Justification")).toHaveValue("Of the former user");
  });
});
