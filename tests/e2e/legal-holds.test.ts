import type { Page } from "@playwright/test";
import { expect, expectAccessible, forgetSession, signIn, test } from "./fixtures.ts";

const caseNumber = `26-${Date.now().toString(36)}`;
const hold = (page: Page) => page.getByRole("listitem").filter({ hasText: `Case ${caseNumber}` });

async function opensAs(page: Page, username: string): Promise<void> {
  await forgetSession(page);
  await signIn(page, username);
  await page.goto("/legal-holds");
  await expect(page.getByRole("heading", { name: "Legal Holds" })).toBeVisible();
}

async function confirm(page: Page, title: string, label: string): Promise<void> {
  const question = page.getByRole("alertdialog", { name: title });
  await expect(question).toContainText(caseNumber);
  await question.getByRole("button", { name: label, exact: true }).click();
  await expect(question).toBeHidden();
}

test("a hold is asked for by one administrator, approved by another, seen by both and released", async ({
  page,
}) => {
  await opensAs(page, "admin");
  const form = page.locator("form");
  if (!(await form.isVisible())) await page.getByText("Ask for a hold").first().click();
  await page.getByRole("button", { name: "Ask for a hold" }).click();
  await expect(form.getByText("A case number is required.")).toBeVisible();
  await expectAccessible(page);
  await form.getByLabel("Case number").fill(caseNumber);
  await form.getByLabel("Reads from").fill("2026-11-01T00:00");
  await form.getByLabel("Until").fill("2026-11-20T12:00");
  await form.getByLabel("Plates").fill("ab 12345, CD-67890");
  await form.getByLabel("Reason").fill("Evidence for the trial in June");
  await page.getByRole("button", { name: "Ask for a hold" }).click();
  await expect(page.getByRole("region", { name: "Messages" })).toContainText(
    "waits for another administrator",
  );
  await expect(hold(page)).toContainText("Waits for approval");
  await expect(hold(page)).toContainText("AB12345");
  await expect(hold(page)).toContainText("CD67890");
  // Whoever asks does not approve.
  await expect(hold(page).getByRole("button", { name: /Approve/ })).toHaveCount(0);
  await expect(hold(page).getByRole("button", { name: /Withdraw/ })).toBeVisible();

  await opensAs(page, "owner");
  await hold(page)
    .getByRole("button", { name: `Approve the hold of case ${caseNumber}` })
    .click();
  await expectAccessible(page);
  await confirm(page, "Approve this hold?", "Approve");
  await expect(hold(page)).toContainText("Active");
  await expect(hold(page)).toContainText(/approved by/);

  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  await page.setViewportSize({ width: 400, height: 800 });
  await expect(hold(page).getByRole("button", { name: /Release/ })).toBeInViewport();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);

  await opensAs(page, "admin");
  await expect(hold(page)).toContainText("Active");
  await hold(page)
    .getByRole("button", { name: `Release the hold of case ${caseNumber}` })
    .click();
  await confirm(page, "Release this hold?", "Release");
  await expect(hold(page)).toContainText("Released");
  await expect(hold(page).getByRole("button")).toHaveCount(0);
});

test("another agency's administrator sees nothing of a hold, and an officer no holds at all", async ({
  page,
}) => {
  await opensAs(page, "admin2");
  await expect(hold(page)).toHaveCount(0);
  await forgetSession(page);
  await signIn(page, "officer");
  expect((await page.request.get("/legal-holds")).status()).toBe(403);
});
