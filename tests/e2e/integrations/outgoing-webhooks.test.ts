import { Webhook } from "standardwebhooks";
import { expect, expectAccessible, signIn } from "../fixtures.ts";
import { newPlate, test, watch } from "../hits.ts";

type Received = { headers: Record<string, string>; body: string };

test.describe("a screen that fails to load", () => {
  // The page cannot read the answer, which the framework logs.
  test.use({ expectedErrors: [/status of 500|^SyntaxError/] });

  test("is loaded again by its button", async ({ page }) => {
    await signIn(page, "admin", "/api-keys");
    await page.route("**/integrations/outgoing.data*", (route) =>
      route.fulfill({ status: 500, contentType: "text/x-script", body: "" }),
    );
    await page
      .getByRole("navigation", { name: "Integrations" })
      .getByRole("link", { name: "Outgoing" })
      .click();
    await page.getByRole("link", { name: "Try again" }).click();
    await expect(page.getByRole("heading", { name: "Outgoing webhooks", level: 1 })).toBeVisible();
  });
});

test.describe("outgoing webhooks", () => {
  // The empty form is refused.
  test.use({ expectedErrors: [/status of 400/] });

  test("an administrator adds a webhook, tests it, and sees a hit fail and be retried", async ({
    page,
    newCamera,
    faults,
    request,
  }) => {
    const vendors = process.env.ODIN_VENDORS_URL ?? "";
    const name = `dispatch-${Date.now().toString(36)}`;
    const received = async (): Promise<Received[]> =>
      (await request.get(`${vendors}/_simulator/receiver?name=${name}`)).json();

    await signIn(page, "admin");
    await page.getByRole("link", { name: "Integrations" }).click();
    await page
      .getByRole("navigation", { name: "Integrations" })
      .getByRole("link", { name: "Outgoing" })
      .click();
    await expect(page.getByRole("heading", { name: "Outgoing webhooks", level: 1 })).toBeVisible();
    await expectAccessible(page);

    await page.getByRole("button", { name: "Add Webhook" }).click();
    await expect(page.getByText("Enter a name for the webhook.")).toBeVisible();
    await page.getByLabel("Name", { exact: false }).fill(name);
    await page.getByLabel("Address", { exact: false }).fill("https://192.168.0.10/hook");
    await page.getByRole("button", { name: "Add Webhook" }).click();
    await expect(page.getByText("The address must be a public host.")).toBeVisible();
    await page.getByLabel("Address", { exact: false }).fill(`${vendors}/receiver/${name}`);
    await page.getByRole("button", { name: "Add Webhook" }).click();
    const dialog = page.getByRole("dialog", { name: `Secret of ${name}` });
    const secret = (await dialog.locator("code").textContent()) ?? "";
    expect(secret).toMatch(/^whsec_/);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect(page.getByText(secret)).toHaveCount(0);

    await page
      .getByRole("row", { name: new RegExp(name) })
      .getByRole("link", { name })
      .click();
    await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
    await page.getByRole("button", { name: "Send a test" }).click();
    await expect(page.getByText("Accepted with status 200")).toBeVisible();
    await expect(page.getByText('{"accepted":true}')).toBeVisible();

    // The receiver answers 410 Gone to the hit, which turns the webhook off.
    await faults({ program: "receiver", agencyId: name, kind: "status", code: 410 });
    const plate = newPlate();
    await watch(page, plate);
    await (await newCamera()).pass(plate, { state: "CT", hasPicture: false });
    await expect(async () => {
      await page.reload();
      await expect(page.getByText("The receiver answered 410 Gone.")).toBeVisible({ timeout: 1000 });
    }).toPass({ timeout: 60_000 });
    const row = page.getByRole("row", { name: /^Hit / });
    await expect(row).toContainText("Failed");
    await expectAccessible(page);

    await faults();
    await page.getByRole("button", { name: "Turn on" }).click();
    await expect(page.getByText("On", { exact: true })).toBeVisible();
    await row.getByRole("button", { name: "Retry" }).click();
    await expect(async () => {
      await page.reload();
      await expect(row).toContainText("Delivered", { timeout: 1000 });
    }).toPass({ timeout: 60_000 });

    const [tested, hit] = await received();
    for (const message of [tested, hit])
      expect(new Webhook(secret).verify(message?.body ?? "", message?.headers ?? {})).toBeTruthy();
    const { type, data } = JSON.parse(hit?.body ?? "{}");
    expect(type).toBe("hit");
    expect(Object.keys(data)).toEqual(["alert_id", "group_id"]);
    expect(hit?.body).not.toContain(plate);

    await page.getByRole("button", { name: "New secret" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Create" }).click();
    const renewed = page.getByRole("dialog", { name: `New secret of ${name}` });
    await expect(renewed.locator("code")).toContainText("whsec_");
    await renewed.getByRole("button", { name: "Done" }).click();
    await expect(page.getByText("signed with the previous secret too until")).toBeVisible();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await expect(page.getByRole("heading", { name: "Outgoing webhooks", level: 1 })).toBeVisible();
    await expect(page.getByRole("row", { name: new RegExp(name) })).toHaveCount(0);
  });
});
