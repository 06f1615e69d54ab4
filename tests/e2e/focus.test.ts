import type { Page } from "@playwright/test";
import { coveredControls, expect, logIn, search, signIn, test } from "./fixtures.ts";
import { startProxy } from "./proxy.ts";

const SHARED = "Glastonbury Police Department";

/** Returns the text of the focused element; "nothing" if the focus is lost. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() =>
    document.activeElement === document.body ? "nothing" : (document.activeElement?.textContent ?? ""),
  );
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).focus();
  await page.keyboard.press("Enter");
  const question = page.getByRole("alertdialog");
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
  await question.getByRole("button", { name: /^(Share|Stop sharing)$/ }).press("Enter");
  await expect(question).toBeHidden();
}

test("focus moves to the next row after a removal, and stays on the button after a form is saved", async ({
  page,
}) => {
  await signIn(page, "admin", "/integrations/axis");
  const share = page.getByRole("button", { name: `Share ${SHARED}` });
  const stop = page.getByRole("button", { name: `Stop sharing ${SHARED}` });
  await expect(share.or(stop)).toBeVisible();
  // A previous attempt may have left the share.
  if (await stop.isVisible()) {
    await press(page, `Stop sharing ${SHARED}`);
    await expect(share).toBeVisible();
  }
  await press(page, `Share ${SHARED}`);
  await expect(page.getByRole("button", { name: `Stop sharing ${SHARED}` })).toBeVisible();
  await expect(page.getByRole("button", { name: "Share Hamden Police Department" })).toBeFocused();
  await press(page, `Stop sharing ${SHARED}`);
  await expect(page.getByRole("button", { name: `Share ${SHARED}` })).toBeVisible();
  await expect.poll(() => focused(page)).not.toBe("nothing");

  await page.goto("/public-figures");
  await page.getByLabel("Introduction").fill(`Counted by the records office, ${Date.now()}.`);
  const save = page.getByRole("button", { name: /^Save/ });
  await save.press("Enter");
  await expect(page.getByText(/The (page was saved|public page was updated)/).first()).toBeVisible();
  await expect(save).toBeFocused();
});

test("focus starts at the content of a new screen, not at the control in the same position", async ({
  page,
}) => {
  await signIn(page, "viewer");
  await search(page, { programs: ["Axis"] });
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("content");
});

test("focus moves to the next row even if the row is removed before the dialog that removed it", async ({
  page,
}) => {
  await signIn(page, "viewer");
  await page.evaluate(() => {
    document.body.insertAdjacentHTML(
      "beforeend",
      `<section id="made">
        <dialog><button>Remove</button></dialog>
        <ul><li><button>One</button></li><li><button>Two</button></li><li><button>Three</button></li></ul>
      </section>`,
    );
    document.querySelectorAll<HTMLElement>("#made li button")[1]?.focus();
    document.querySelector<HTMLDialogElement>("#made dialog")?.showModal();
  });
  await expect(page.getByRole("button", { name: "Remove" })).toBeFocused();
  await page.evaluate(() => document.querySelectorAll("#made li")[1]?.remove());
  await page.evaluate(() => document.querySelector("#made dialog")?.remove());
  await expect(page.getByRole("button", { name: "Three" })).toBeFocused();
});

test("focus that moves to a heading above the window scrolls it into view (WCAG 2.4.7)", async ({ page }) => {
  await signIn(page, "viewer");
  await page.evaluate(() => {
    document.body.insertAdjacentHTML(
      "beforeend",
      `<section><h2>Made list</h2><p style="height: 2000px"></p><ul><li><button>Only one</button></li></ul></section>`,
    );
  });
  await page.getByRole("button", { name: "Only one" }).focus();
  await expect(page.getByRole("heading", { name: "Made list" })).not.toBeInViewport();
  await page.keyboard.press("Shift");
  await page.getByRole("button", { name: "Only one" }).evaluate((button) => button.closest("ul")?.remove());
  const heading = page.getByRole("heading", { name: "Made list" });
  await expect(heading).toBeFocused();
  await expect(heading).toBeInViewport({ ratio: 1 });
});

test("a click on an empty area removes the focus, and it stays removed", async ({ page }) => {
  await signIn(page, "viewer");
  await page.getByLabel("Justification").focus();
  await page.getByRole("heading", { name: "Search LPR Records" }).click();
  // A change of the page must not restore focus, for longer than Odin waits before it does. The wait is what is tested.
  await page.evaluate("document.body.append(document.createElement('p'))");
  await page.waitForTimeout(200);
  await expect(page.getByLabel("Justification")).not.toBeFocused();
});

test.describe("a server that does not answer", () => {
  test.use({ expectedErrors: [/net::ERR_FAILED/] });

  test("leaves the page and its input unchanged, with a message; navigation works when the server is back", async ({
    page,
  }) => {
    await signIn(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    const toAlerts = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Alerts" });
    await toAlerts.hover();
    await page.waitForLoadState("networkidle");
    await page.route("**/*.data*", (route) => route.abort());
    await toAlerts.click();
    const said = page.getByRole("region", { name: "Messages" }).getByText("Odin cannot be reached.");
    await expect(said).toBeVisible();
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
    await page.unroute("**/*.data*");
    await expect(page.getByRole("heading", { name: "Alert Groups" })).toBeVisible();
    await expect(said).toBeHidden();
  });

  test.describe("without a network", () => {
    test.use({
      hasTouch: true,
      expectedErrors: [/ERR_INTERNET_DISCONNECTED|dynamically imported module|Error loading route/],
    });

    test("leaves the page and its input unchanged also if the code of the next screen has not been loaded", async ({
      page,
    }) => {
      await signIn(page, "viewer");
      await page.getByLabel("Justification").fill("Half a sentence");
      await page.context().setOffline(true);
      const toProfile = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Profile" });
      // Longer than Odin waits before it prefetches a screen.
      const asked = page.waitForRequest(/\/assets\/profile-/);
      await toProfile.hover();
      await asked;
      await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
      await toProfile.tap();
      const said = page.getByRole("region", { name: "Messages" }).getByText("Odin cannot be reached.");
      await expect(said).toBeVisible();
      await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
      await page.context().setOffline(false);
      await expect(page.getByRole("heading", { name: "User Profile" })).toBeVisible();
      await expect(said).toBeHidden();
    });
  });

  test("leaves the page unchanged also if the connection is lost in the middle of an answer", async ({
    browser,
    baseURL,
  }) => {
    let isCut = false;
    await using proxy = await startProxy(baseURL, (path) =>
      isCut && path.includes(".data") ? "cut" : "whole",
    );
    const page = await (await browser.newContext({ baseURL: proxy.url })).newPage();
    await signIn(page, "viewer");
    await page.getByLabel("Justification").fill("Half a sentence");
    const toAlerts = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Alerts" });
    await toAlerts.hover();
    await page.waitForLoadState("networkidle");
    isCut = true;
    await toAlerts.click();
    const said = page.getByRole("region", { name: "Messages" }).getByText("Odin cannot be reached.");
    await expect(said).toBeVisible();
    await expect(page.getByLabel("Justification")).toHaveValue("Half a sentence");
    isCut = false;
    await expect(page.getByRole("heading", { name: "Alert Groups" })).toBeVisible();
    await page.context().close();
  });
});

test("a load that is canceled in the middle of its answer is not an error", async ({ browser, baseURL }) => {
  const held: string[] = [];
  await using proxy = await startProxy(baseURL, (path) => {
    if (!path.startsWith("/alerts.data")) return "whole";
    held.push(path);
    return "held";
  });
  const page = await (await browser.newContext({ baseURL: proxy.url })).newPage();
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  await signIn(page, "viewer");
  const links = page.getByRole("navigation", { name: "Main" });
  await links.getByRole("link", { name: "Alerts" }).click();
  await expect.poll(() => held.length).toBeGreaterThan(0);
  await links.getByRole("link", { name: "Profile" }).click();
  await expect(page.getByRole("heading", { name: "User Profile" })).toBeVisible();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("messages push the page down and cover no control: on a wide screen, on a phone, with a bottom bar", async ({
  page,
}) => {
  await logIn(page, "hotadmin");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto("/groups/demo-missing-hfd/edit");
    const title = page.getByRole("heading", { level: 1 });
    const before = (await title.boundingBox())?.y ?? 0;
    await page.getByLabel("Description").fill(`Seen last on ${Date.now()}`);
    await page.getByRole("button", { name: "Save Changes" }).click();
    const message = page.locator("[data-notice]");
    await expect(message).toContainText("Group updated successfully!");
    // The message stays while the pointer is over it.
    await message.hover();
    expect(await coveredControls(page, "[data-notice]")).toEqual([]);
    expect((await title.boundingBox())?.y).toBeGreaterThan(before + 20);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect(message).toBeInViewport();
    await page.getByRole("button", { name: "Save Changes" }).click({ trial: true });
    await message.getByRole("button", { name: "Dismiss" }).click();
    await expect(message).toBeHidden();
  }
});
