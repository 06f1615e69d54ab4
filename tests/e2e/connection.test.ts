import type { Page, Route } from "@playwright/test";
import { expect, signIn, test } from "./fixtures.ts";

// A bad connection: answers that are not Odin's.

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
