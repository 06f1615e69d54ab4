import type { Page } from "@playwright/test";
import { callAs, expect, expectAccessible, forgetSession, logIn, signIn, test } from "../fixtures.ts";

const newCase = () => `26-${Date.now().toString(36)}`;
const holdOf = (page: Page, caseNumber: string) =>
  page.getByRole("listitem").filter({ hasText: `Case ${caseNumber}` });

async function openAs(page: Page, username: string): Promise<void> {
  await forgetSession(page);
  await signIn(page, username, "/legal-holds");
  await expect(page.getByRole("heading", { name: "Legal Holds" })).toBeVisible();
}

type Question = { title: string; label: string; caseNumber: string };

async function confirm(page: Page, { title, label, caseNumber }: Question): Promise<void> {
  const question = page.getByRole("alertdialog", { name: title });
  await expect(question).toContainText(caseNumber);
  await question.getByRole("button", { name: label, exact: true }).click();
  await expect(question).toBeHidden();
}

test("a hold is requested by one administrator, approved by another, visible to both and released", async ({
  page,
}) => {
  const caseNumber = newCase();
  const hold = holdOf(page, caseNumber);
  await openAs(page, "admin");
  const form = page.getByRole("main").locator("form");
  if (!(await form.isVisible())) await page.getByText("Request a legal hold").first().click();
  await page.getByRole("button", { name: "Request hold" }).click();
  await expect(form.getByText("A case number is required.")).toBeVisible();
  await expectAccessible(page);
  await form.getByLabel("Case number").fill(caseNumber);
  await form.getByLabel("Reads from").fill("2026-11-01T00:00");
  await form.getByLabel("Until").fill("2026-11-20T12:00");
  await form.getByLabel("Plates").fill("ab 12345, CD-67890");
  await form.getByLabel("Reason").fill("Evidence for the trial in June");
  await page.getByRole("button", { name: "Request hold" }).click();
  await expect(page.getByRole("region", { name: "Messages" })).toContainText(
    "Another administrator must approve it",
  );
  await expect(hold).toContainText("Waiting for approval");
  await expect(hold).toContainText("AB12345");
  await expect(hold).toContainText("CD67890");
  // The requester cannot approve.
  await expect(hold.getByRole("button", { name: /Approve/ })).toHaveCount(0);
  await expect(hold.getByRole("button", { name: /Withdraw/ })).toBeVisible();

  await openAs(page, "owner");
  await hold.getByRole("button", { name: `Approve the hold of case ${caseNumber}` }).click();
  await expectAccessible(page);
  await confirm(page, { title: "Approve this hold?", label: "Approve", caseNumber });
  await expect(hold).toContainText("Active");
  await expect(hold).toContainText(/approved by/);

  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  await page.setViewportSize({ width: 400, height: 800 });
  // Holds of previous attempts may be above it.
  const release = hold.getByRole("button", { name: /Release/ });
  await release.scrollIntoViewIfNeeded();
  await expect(release).toBeInViewport();
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
    .toBeLessThanOrEqual(0);

  await openAs(page, "admin");
  await expect(hold).toContainText("Active");
  await hold.getByRole("button", { name: `Release the hold of case ${caseNumber}` }).click();
  await confirm(page, { title: "Release this hold?", label: "Release", caseNumber });
  await expect(hold).toContainText("Released");
  await expect(hold.getByRole("button")).toHaveCount(0);
});

test("a hold is hidden from another agency's administrator, and all holds are hidden from officers", async ({
  page,
}) => {
  const caseNumber = newCase();
  await logIn(page, "admin");
  await callAs(page, "POST /legal-holds/request", {
    case_number: caseNumber,
    reason: "Evidence for the trial in June",
    plates: "AB12345",
    start: "2026-11-01T00:00:00Z",
    end: "2026-11-20T12:00:00Z",
  });
  await page.goto("/legal-holds");
  await expect(holdOf(page, caseNumber)).toBeVisible();
  await openAs(page, "admin2");
  await expect(holdOf(page, caseNumber)).toHaveCount(0);
  await forgetSession(page);
  await signIn(page, "officer");
  expect((await page.request.get("/legal-holds")).status()).toBe(403);
});

test("more holds than a page has are reached by the keyboard", async ({ page }) => {
  await logIn(page, "admin2");
  for (let i = 1; i <= 51; i++)
    await callAs(page, "POST /legal-holds/request", {
      case_number: `${newCase()}-${i}`,
      reason: "Evidence for the trial in June",
      plates: "AB12345",
      start: "2026-11-01T00:00:00Z",
      end: "2026-11-20T12:00:00Z",
    });
  await page.goto("/legal-holds");
  const pages = page.getByRole("navigation", { name: "Pages" });
  const holds = page.getByRole("heading", { name: /^Case / });
  // A retry finds the holds of the previous attempt.
  await expect(pages).toContainText(/Page 1 of [2-4]/);
  await expect(holds).toHaveCount(50);
  const first = await holds.first().textContent();
  await expectAccessible(page);
  await pages.getByRole("link", { name: "Next" }).focus();
  await page.keyboard.press("Enter");
  await expect(pages).toContainText(/Page 2 of [2-4]/);
  await expect(page.getByRole("status").filter({ hasText: "Page 2 of" })).toBeVisible();
  await expect(page.getByRole("heading", { name: first ?? "", exact: true })).toHaveCount(0);
  await expectAccessible(page);
  // Previous works on a page that may have no Next.
  await pages.getByRole("link", { name: "Previous" }).focus();
  await page.keyboard.press("Enter");
  await expect(holds.first()).toHaveText(first ?? "");
});
