import type { Page } from "@playwright/test";
import { expect, search, signIn, test } from "./fixtures.ts";

// What a screen reader says by itself: the changes of live regions, and the names of dialogs.

/** Records what the live regions of this document say from now on. Returns a function that returns it. */
async function listen(page: Page): Promise<() => Promise<{ text: string; isUrgent: boolean }[]>> {
  const said = await page.evaluateHandle(() => {
    const said: { text: string; isUrgent: boolean }[] = [];
    new MutationObserver((changes) => {
      const regions = new Set<Element>();
      for (const { target, addedNodes, type } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        const region = element?.closest("[role=status], [role=alert], [aria-live]");
        if (region && (type === "characterData" || addedNodes.length > 0)) regions.add(region);
      }
      for (const region of regions) {
        const text = region.textContent?.trim() ?? "";
        const isUrgent = region.matches("[role=alert], [aria-live=assertive]");
        if (text !== "") said.push({ text, isUrgent });
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    return said;
  });
  return () => said.jsonValue();
}

/** Expects that a live region says a text. */
async function expectSaid(said: Awaited<ReturnType<typeof listen>>, text: string, times = 1): Promise<void> {
  await expect
    .poll(async () => (await said()).map((spoken) => spoken.text).filter((spoken) => spoken === text))
    .toHaveLength(times);
}

test("the title of the next screen is said, also if the focus stays on the link", async ({ page }) => {
  await signIn(page, "hotadmin");
  const said = await listen(page);
  const links = page.getByRole("navigation", { name: "Main" });
  await links.getByRole("link", { name: "Alerts" }).press("Enter");
  await expectSaid(said, "My Alert Groups · Odin");
  await expect(links.getByRole("link", { name: "Alerts" })).toBeFocused();
  await links.getByRole("link", { name: "Profile" }).press("Enter");
  await expectSaid(said, "User Profile · Odin");
  await page.goBack();
  await expectSaid(said, "My Alert Groups · Odin", 2);
});

test("results say the order, the number when the filter is cleared, and which read is open", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page);
  const total =
    (await page
      .getByText(/^[\d,]+ reads$/)
      .first()
      .textContent()) ?? "";
  const said = await listen(page);
  const plate = page.getByRole("columnheader", { name: "Plate", exact: true }).getByRole("button");
  await plate.press("Enter");
  await expectSaid(said, "Sorted: Plate, A to Z");
  await plate.press("Enter");
  await expectSaid(said, "Sorted: Plate, Z to A");

  const filter = page.getByRole("searchbox", { name: /^Filter these results/ });
  await filter.fill("no such read");
  await expectSaid(said, `0 of ${total}`);
  await filter.fill("");
  await expectSaid(said, total);

  const spelledPlate = async (row: number) => {
    const copy = page.locator(`[role=grid] [data-row]:nth-child(${row + 1}) button[data-copy]`);
    const name = (await copy.getAttribute("aria-label")) ?? "";
    return Array.from(name.replace("Copy ", "")).join(" ");
  };
  const [one, two] = [await spelledPlate(0), await spelledPlate(1)];
  const first = page.locator("[role=grid] [data-row]").first();
  await first.focus();
  // The new current row is rendered again and regains focus in the next frame.
  await expect(first).toBeFocused();
  await page.keyboard.press("Enter");
  const read = page.getByRole("dialog", { name: /^Sighting/ });
  await expect(read).toHaveAccessibleName(new RegExp(`^Sighting 1 of [\\d,]+ ${one}, \\w\\w$`));
  await page.keyboard.press("ArrowRight");
  await expect(read).toHaveAccessibleName(new RegExp(`^Sighting 2 of [\\d,]+ ${two}, \\w\\w$`));
  if (one !== two)
    await expect.poll(async () => (await said()).some(({ text }) => text.startsWith(`${two}, `))).toBe(true);
});

test.describe("a server that does not answer", () => {
  test.use({ expectedErrors: [/net::ERR_FAILED/] });
  test("the same refusal is said again when the form is sent again", async ({ page }) => {
    await signIn(page, "admin", "/public-figures");
    await page.route("**/*.data*", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
    const said = await listen(page);
    const save = page.getByRole("button", { name: "Save", exact: true });
    await save.press("Enter");
    const message = page.locator("form").getByRole("alert").filter({ hasText: /./ });
    await expect(message).toBeVisible();
    const text = (await message.textContent()) ?? "";
    await expectSaid(said, text);
    await save.press("Enter");
    await expectSaid(said, text, 2);
  });
});

test("a question is described by its consequence", async ({ page }) => {
  await signIn(page, "hotadmin", "/groups/demo-stolen-hfd/edit");
  await page
    .getByRole("button", { name: /^Remove / })
    .first()
    .press("Enter");
  const question = page.getByRole("alertdialog");
  await expect(question).toHaveAccessibleDescription(/^The plate is no longer matched/);
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: /^Remove / }).first()).toBeFocused();
});

test("unsaved changes are not said urgently, which would interrupt the typed letters", async ({ page }) => {
  await signIn(page, "hotadmin", "/groups/demo-stolen-hfd/edit");
  const said = await listen(page);
  await page.getByLabel("Description").press("x");
  await expectSaid(said, "Not saved yet");
  expect((await said()).filter(({ isUrgent }) => isUrgent)).toEqual([]);
});

test("a polite live region is rendered while it is empty: one that appears with its text stays silent", async ({
  page,
}) => {
  await signIn(page, "hotadmin", "/groups/demo-stolen-hfd/edit");
  for (const path of ["/groups/demo-stolen-hfd/edit", "/create-group", "/edit-alerts-permissions"]) {
    // Hotlist admins have the permissions screen too.
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    const hidden = await page.evaluate(() =>
      [...document.querySelectorAll("[role=status], [aria-live=polite]")]
        .filter((region) => getComputedStyle(region).display === "none")
        .map((region) => region.outerHTML.slice(0, 100)),
    );
    expect(hidden, path).toEqual([]);
  }
});
