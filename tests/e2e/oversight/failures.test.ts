import { expect, signIn, test } from "../fixtures.ts";

test.use({ expectedErrors: [/status of 500/] });

for (const { screen, failed, nothing } of [
  { screen: "audit-log", failed: "The audit log could not be loaded.", nothing: "No entries were loaded." },
  { screen: "review", failed: "The findings could not be loaded.", nothing: "No findings were loaded." },
])
  test(`a page of /${screen} that fails is not counted, and is tried again before the next one`, async ({
    page,
  }) => {
    const asked: unknown[] = [];
    let fails = false;
    await page.route(`**/${screen}/rows`, async (route) => {
      const { after } = route.request().postDataJSON();
      asked.push(after?.at ?? null);
      if (fails) return route.fulfill({ status: 500, json: {} });
      const response = await route.fetch();
      const next = { at: asked.length, seq: 0, id: "next" };
      return route.fulfill({ response, json: { ...(await response.json()), next } });
    });
    await signIn(page, "admin", `/${screen}`);
    await expect(page.getByText(/^Page 1, /)).toBeVisible();
    const next = page.getByRole("button", { name: "Next" });
    fails = true;
    await next.click();
    await expect(page.getByText(failed)).toBeVisible();
    await expect(page.getByText(nothing)).toBeVisible();
    await expect(page.getByText(/^Page \d/)).toHaveCount(0);
    await expect(next).toBeDisabled();
    fails = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByText(/^Page 2, /)).toBeVisible();
    await next.click();
    await expect(page.getByText(/^Page 3, /)).toBeVisible();
    expect(asked).toEqual([null, 1, 1, 3]);
  });

test("a scan of today's searches is canceled, and ends when the user leaves the screen", async ({ page }) => {
  await signIn(page, "admin", "/review");
  let parts = 0;
  await page.route("**/review/examine", async (route) => {
    parts += 1;
    if (parts === 1) await route.fulfill({ json: { msg: "", next: "someone" } });
  });
  const ended = () => page.waitForEvent("requestfailed", (sent) => sent.url().endsWith("/review/examine"));
  const scan = page.getByRole("button", { name: "Scan today's searches" });
  await scan.click();
  await expect.poll(() => parts).toBe(2);
  await expect(page.getByRole("progressbar", { name: "Scanning today's searches" })).toBeVisible();
  const canceled = ended();
  await page.getByRole("button", { name: "Cancel the scan" }).click();
  await canceled;
  await scan.click();
  await expect.poll(() => parts).toBe(3);
  const left = ended();
  await page.getByRole("link", { name: "Audit Log", exact: true }).first().click();
  await expect(page.getByRole("heading", { name: "Audit Log" })).toBeVisible();
  await left;
  await expect(page.getByText("Today's searches could not be scanned.")).toHaveCount(0);
});

test("verification of the audit log ends when the user leaves the screen", async ({ page }) => {
  await signIn(page, "admin", "/audit-log");
  const part = { checked: 1, total: 9, next: 1, head: "", waiting: 0, problem: null };
  let parts = 0;
  await page.route("**/audit-log/verify", async (route) => {
    parts += 1;
    if (parts === 1) await route.fulfill({ json: part });
  });
  await page.getByRole("button", { name: "Verify" }).click();
  await expect.poll(() => parts).toBe(2);
  const ended = page.waitForEvent("requestfailed", (sent) => sent.url().endsWith("/audit-log/verify"));
  await page.getByRole("link", { name: "Review", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Review" })).toBeVisible();
  await ended;
  await expect(page.getByText("The log could not be verified.")).toHaveCount(0);
});
