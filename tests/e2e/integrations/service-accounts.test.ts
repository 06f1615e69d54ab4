import { expect, expectAccessible, signIn, test } from "../fixtures.ts";

test.describe("service accounts", () => {
  // The empty form is refused.
  test.use({ expectedErrors: [/status of 400/] });

  test("an administrator adds a service account, a program uses it, its token is rotated, and it is deleted", async ({
    page,
    baseURL,
    playwright,
  }) => {
    const name = `CAD ${Date.now().toString(36)}`;
    const call = async (token: string) => {
      const program = await playwright.request.newContext({
        ...(baseURL !== undefined && { baseURL }),
        extraHTTPHeaders: { authorization: `Bearer ${token}` },
      });
      const answer = await program.get("/camera-health");
      await program.dispose();
      return answer.status();
    };

    await signIn(page, "admin", "/integrations/outgoing");
    await page
      .getByRole("navigation", { name: "Integrations" })
      .getByRole("link", { name: "Service accounts" })
      .click();
    await expect(page.getByRole("heading", { name: "Service accounts", level: 1 })).toBeVisible();
    await expectAccessible(page);

    await page.getByRole("button", { name: "Add Service Account" }).click();
    await expect(page.getByText("Enter a name for the service account.")).toBeVisible();
    await expect(page.getByText("Choose at least one permission.")).toBeVisible();
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    await page.getByLabel("Read the state of the system").check();
    await page.getByLabel("Allowed addresses").fill("10.1.2.3/8");
    await page.getByRole("button", { name: "Add Service Account" }).click();
    await expect(page.getByText("is within the block 10.0.0.0/8")).toBeVisible();
    await page.getByLabel("Allowed addresses").fill("");
    await page.getByRole("button", { name: "Add Service Account" }).click();
    const dialog = page.getByRole("dialog", { name: `Token of ${name}` });
    const first = (await dialog.locator("code").textContent()) ?? "";
    expect(first).toMatch(/^odin_sa_[\w-]{43}$/);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect(page.getByText(first)).toHaveCount(0);
    expect(await call(first)).toBe(200);

    await page
      .getByRole("row", { name: new RegExp(name) })
      .getByRole("link", { name })
      .click();
    await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel("The current token").selectOption("0");
    await page.getByRole("button", { name: "Create New Token" }).click();
    const renewed = page.getByRole("dialog", { name: `New token of ${name}` });
    const second = (await renewed.locator("code").textContent()) ?? "";
    await renewed.getByRole("button", { name: "Done" }).click();
    expect([await call(first), await call(second)]).toEqual([401, 200]);

    await page.getByRole("button", { name: "Disable" }).click();
    await expect(page.getByText("Disabled", { exact: true })).toBeVisible();
    expect(await call(second)).toBe(401);
    await page.getByRole("button", { name: "Enable" }).click();
    await expect(page.getByText("Enabled", { exact: true })).toBeVisible();
    expect(await call(second)).toBe(200);

    await page.getByLabel("Delete this service account and its tokens").check();
    await page.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByRole("heading", { name: "Service accounts", level: 1 })).toBeVisible();
    await expect(page.getByRole("row", { name: new RegExp(name) })).toHaveCount(0);
    expect(await call(second)).toBe(401);
  });
});
