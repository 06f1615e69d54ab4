import type { Locator, Page } from "@playwright/test";
import type { RekorCamera } from "#app/entities/ingest/camera.ts";
import { callAs, expect, expectAccessible, logIn, search, signIn, test } from "../fixtures.ts";

const unique = (what: string) => `${what} ${Date.now().toString(36)}`;

async function confirm(page: Page, title: string | RegExp, label: string): Promise<void> {
  const question = page.getByRole("alertdialog", { name: title });
  await question.getByRole("button", { name: label, exact: true }).click();
  await expect(question).toBeHidden();
}

/** Clicks Save and waits for the server's answer: a disabled button may still be pending. */
async function saving(page: Page, button: Locator): Promise<void> {
  const answered = page.waitForResponse(
    (response) =>
      response.request().method() === "POST" && response.url().includes("/rekor-camera-management"),
  );
  await button.click();
  expect((await answered).status()).toBe(200);
}

/** Returns the webhook address, which is shown once, and closes its dialog. */
async function shownAddress(page: Page, title: RegExp): Promise<string> {
  const dialog = page.getByRole("dialog", { name: title });
  await expect(dialog.getByText("This address is shown only once")).toBeVisible();
  const address = (await dialog.locator("code").textContent()) ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText(address)).toHaveCount(0);
  return address;
}

test.describe("an administrator's integrations", () => {
  // The uploaded rows are invalid, and posts to a revoked address are refused.
  test.use({ expectedErrors: [/status of 400/] });

  test("Rekor: a key is added, tested, uploaded and deleted; a webhook is added and revoked", async ({
    page,
  }) => {
    await signIn(page, "admin");
    await page.getByRole("link", { name: "Integrations" }).click();
    await expect(page.getByRole("heading", { name: "Manage Integrations" })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Manage Rekor" }).click();
    await expect(page.getByRole("heading", { name: "Rekor", exact: true })).toBeVisible();
    await expectAccessible(page);

    await page.getByRole("button", { name: "Add API Key" }).click();
    await expect(page.getByText("Agency and API key are required.").first()).toBeVisible();
    const agency = unique("Journey Police");
    await page.getByLabel("Agency", { exact: false }).first().fill(agency);
    await page.getByLabel("Host").fill(process.env.ODIN_VENDORS_URL ?? "");
    await page.getByRole("textbox", { name: "API key" }).fill("a-key-that-rekor-never-gave-9f3e");
    await page.getByRole("button", { name: "Add API Key" }).click();
    await expect(page.getByText("Rekor refused the agency's credentials.").first()).toBeVisible();
    const row = page.getByRole("row", { name: new RegExp(agency) });
    await expect(row).toContainText("••••9f3e");
    await expect(row).toContainText("Failing");
    await expect(page.getByText("a-key-that-rekor-never-gave")).toHaveCount(0);

    const hartford = page.getByRole("row", { name: /^Hartford Police Department/ });
    await hartford.getByRole("button", { name: /^Test/ }).click();
    await expect(hartford.getByRole("status")).toHaveText(
      /^Rekor accepted the key\. It lists \d+ cameras\.$/,
    );
    await expect(hartford).toContainText("Responding");

    await page.getByLabel("CSV file").setInputFiles({
      name: "keys.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(
        "agency,api_key,source_program\nGood,good-enough-to-be-a-key,Rekor\n,another-good-enough,Rekor\n",
      ),
    });
    await page.getByRole("button", { name: "Upload keys" }).click();
    await expect(page.getByRole("list", { name: "Invalid rows" })).toContainText(
      "Line 3 Agency and API key are required.",
    );
    await expectAccessible(page);

    await page.getByRole("button", { name: `Delete the key of ${agency}` }).click();
    await confirm(page, new RegExp(`Delete the key of ${agency}`), "Delete");
    await expect(row).toHaveCount(0);

    const webhook = unique("North side");
    await page.getByLabel("New webhook").fill(webhook);
    await page.getByRole("button", { name: "Add webhook" }).click();
    expect(await shownAddress(page, new RegExp(webhook))).toMatch(/\/ingest\/rekor\/[\w-]{32}$/);
    await page.getByRole("button", { name: `Revoke ${webhook}` }).click();
    await confirm(page, new RegExp(`Revoke ${webhook}`), "Revoke");
    await expect(page.getByRole("row", { name: new RegExp(webhook) })).toHaveCount(0);
    await page.getByText("Revoked webhooks").first().click();
    await expect(page.getByRole("row", { name: new RegExp(webhook) })).toContainText("Revoked");
  });

  test("Axon: an integration is added, blacklists and authorizes an agency, and is deleted", async ({
    page,
  }) => {
    await logIn(page, "admin");
    // A retry may find the integration of the previous attempt.
    const { existing_integration } = await callAs(page, "GET /axon-existing-integration");
    if (existing_integration) await callAs(page, "DELETE /delete-axon-integration");
    await page.goto("/integrations/axon");
    await page.getByRole("button", { name: "Add Axon Integration" }).click();
    await expect(page.getByText(/Client ID, client secret, partner ID and base URL/).first()).toBeVisible();
    await expectAccessible(page);
    for (const [label, value] of [
      ["Client ID", "client-of-the-journey"],
      ["Client secret", "secret-of-the-journey"],
      ["Partner ID", "partner-of-the-journey"],
      ["Base URL", `${process.env.ODIN_VENDORS_URL}/axon/journey`],
    ] as const)
      await page.getByLabel(label).fill(value);
    await page.getByRole("button", { name: "Add Axon Integration" }).click();
    await expect(page.getByRole("heading", { name: "Existing integration" })).toBeVisible();
    await expect(page.getByText("secret-of-the-journey")).toHaveCount(0);
    await expectAccessible(page);

    await page.getByText("Change credentials").click();
    await expect(page.getByLabel("Client ID")).toHaveValue("client-of-the-journey");
    await page.getByLabel("Client ID").fill("second-client-of-the-journey");
    await page.getByRole("button", { name: "Save Credentials" }).click();
    await expect(
      page.getByText(/Client ID, client secret and partner ID are required/).first(),
    ).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel("Client secret").fill("second-secret-of-the-journey");
    await page.getByRole("button", { name: "Save Credentials" }).click();
    await expect(page.getByText("Axon credentials changed").first()).toBeVisible();
    await expect(page.getByRole("definition").getByText("second-client-of-the-journey")).toBeVisible();
    await expect(page.getByText("Change credentials")).toBeFocused();

    const name = "Manchester Police Department";
    await page.getByRole("button", { name: `Blacklist ${name}` }).click();
    await confirm(page, new RegExp(`Blacklist ${name}`), "Blacklist");
    await page.getByRole("button", { name: `Authorize ${name}` }).click();
    await confirm(page, new RegExp(`Authorize ${name}`), "Authorize");
    await expect(page.getByRole("button", { name: `Blacklist ${name}` })).toBeVisible();
    await page.getByRole("button", { name: `Terms ${name}` }).click();
    const dialog = page.getByRole("alertdialog", { name: `Terms with ${name}` });
    await dialog.getByLabel("Agreement or declaration").fill("MOU 26-14 with Manchester");
    await dialog.getByLabel("Shared until").fill("2099-12-31T12:00");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save terms" }).click();
    await expect(page.getByText(/until .*2099.* · MOU 26-14 with Manchester/)).toBeVisible();

    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await confirm(page, /Delete the Axon integration/, "Delete");
    await expect(page.getByRole("heading", { name: "Add an Axon integration" })).toBeVisible();
  });

  test("Axis: a camera is placed with the pin, gets a new secret, and is revoked", async ({ page }) => {
    await signIn(page, "admin", "/integrations/axis");
    await expectAccessible(page);
    const camera = unique("Journey St");
    await page.getByRole("button", { name: "Add camera" }).click();
    const dialog = page.getByRole("dialog", { name: "Add an Axis camera" });
    await dialog.getByLabel("Name").fill(camera);
    await dialog.getByLabel("Latitude").fill("41.763711");
    await dialog.getByLabel("Longitude").fill("-72.685093");
    const pin = dialog.getByRole("button", { name: /^Camera pin/ });
    await expect(pin).toBeVisible();
    await expectAccessible(page);
    await pin.press("ArrowRight");
    await expect(dialog.getByLabel("Longitude")).not.toHaveValue("-72.685093");
    await expect(dialog.getByLabel("Longitude")).toHaveValue(/^-72\.\d{6}$/);
    await dialog.getByRole("button", { name: "Save" }).click();
    const first = await shownAddress(page, new RegExp(camera));
    expect(first).toMatch(/\/ingest\/axis\/[\w-]{32}$/);

    await page.getByRole("button", { name: `New secret for ${camera}` }).click();
    await confirm(page, /a new secret\?/, "New secret");
    expect(await shownAddress(page, new RegExp(camera))).not.toBe(first);
    await page.getByRole("button", { name: `Revoke ${camera}` }).click();
    await confirm(page, new RegExp(`Revoke ${camera}`), "Revoke");
    await expect(page.getByRole("row", { name: new RegExp(camera) })).toContainText("Revoked");
  });

  for (const program of ["Axis", "Rekor"])
    test(`${program}: reads are shared on terms that show times in the viewer's zone, until sharing stops`, async ({
      page,
    }) => {
      await logIn(page, "admin");
      // A retry may find the share of the previous attempt.
      const remove = `/remove-${program.toLowerCase()}-share`;
      await callAs(page, `POST ${remove}`, { agency_id: "manchester-pd" });
      await page.goto(`/integrations/${program.toLowerCase()}`);
      const name = "Manchester Police Department";
      await page.getByRole("button", { name: `Share ${name}` }).click();
      const question = page.getByRole("alertdialog", { name: `Share with ${name}?` });
      const until = question.getByLabel("Shared until");
      // An incomplete time is not treated as "until you stop it".
      await until.pressSequentially("12");
      await question.getByRole("button", { name: "Share" }).click();
      await expect(until).toBeFocused();
      // Nor is a year with a digit too many.
      await until.fill("12030-01-31T12:00");
      await question.getByRole("button", { name: "Share" }).click();
      await expect(until).toBeFocused();
      await expect(question.getByRole("button", { name: "Share" })).toBeEnabled();
      await until.fill("2030-01-31T12:00");
      await question.getByLabel("Agreement or declaration").fill("Declaration 2026-7");
      await question.getByRole("button", { name: "Share" }).click();
      await expect(question).toBeHidden();
      // A server-rendered page also uses the viewer's zone; a hydration mismatch would be a console error.
      await page.reload();
      await expect(page.getByText("until 2030-01-31 12:00:00 EST · Declaration 2026-7")).toBeVisible();
      await page.getByRole("button", { name: `Stop sharing ${name}` }).click();
      await confirm(page, `Stop sharing with ${name}?`, "Stop sharing");
      await expect(page.getByRole("button", { name: `Share ${name}` })).toBeVisible();
    });
});

test("the owner corrects a Rekor camera by typing and with the pin, and results show the new location", async ({
  page,
}) => {
  await signIn(page, "owner");
  // A retry may find the correction of the previous attempt.
  for (const camera of await callAs<RekorCamera[]>(page, "GET /rekor-cameras")) {
    if (!camera.is_manual) continue;
    await callAs(page, `PATCH /rekor-cameras/${encodeURIComponent(camera.camera_id)}`, {
      corrected_latitude: camera.vendor_latitude,
      corrected_longitude: camera.vendor_longitude,
      agency_id: camera.agency_id,
      is_manual: false,
    });
  }
  await search(page, { programs: ["Rekor"] });
  await page.goto("/owner");
  await page.getByRole("link", { name: "Rekor camera management" }).click();
  await expect(page.getByRole("heading", { name: "Rekor camera management" })).toBeVisible();
  const row = page.getByRole("row", { name: /I-84 WB @ High St/ }).first();
  await expect(row).toBeVisible();
  await expectAccessible(page);
  const save = row.getByRole("button", { name: /^Save/ });
  await expect(save).toBeDisabled();
  const latitude = row.getByRole("textbox", { name: /^Latitude/ });
  // On a tablet, the row is a card with both coordinates on one line.
  await page.setViewportSize({ width: 1024, height: 800 });
  const [left, right] = [latitude, row.getByRole("textbox", { name: /^Longitude/ })];
  const lineOf = async (field: Locator) => (await field.boundingBox())?.y;
  await expect.poll(async () => (await lineOf(right)) === (await lineOf(left))).toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
  const before = await latitude.inputValue();
  await latitude.fill("95");
  await expect(save).toBeEnabled();
  await save.click();
  await expect(row.getByRole("alert")).toContainText("strictly between");
  await latitude.fill("41.777777");
  await saving(page, save);
  await expect(row.getByText("Manual")).toBeVisible();
  await expect(save).toBeDisabled();
  // On a card, a cell begins with its label.
  await page.setViewportSize({ width: 390, height: 844 });
  const manual = await row.locator("td").evaluateAll((cells) =>
    cells
      .map((cell) => `${getComputedStyle(cell, "::before").content} ${cell.textContent}`)
      .filter((text) => text.includes("Manual"))
      .flatMap((text) => text.match(/Manual/g)),
  );
  expect(manual).toEqual(["Manual"]);
  await page.setViewportSize({ width: 1280, height: 800 });

  await row.getByRole("button", { name: /on the map$/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Place/ });
  const pin = dialog.getByRole("button", { name: /^Camera pin/ });
  // `hover` waits until the pin has stopped moving.
  await pin.hover();
  const box = await pin.boundingBox();
  if (!box) throw new Error("no pin");
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 50, { steps: 5 });
  await page.mouse.up();
  const dragged = dialog.getByLabel("Latitude");
  await expect(dragged).not.toHaveValue("41.777777");
  await expect(dragged).toHaveValue(/^41\.\d{6}$/);
  await expectAccessible(page);
  const placed = await dragged.inputValue();
  await dialog.getByRole("button", { name: "Use this place" }).click();
  await expect(latitude).toHaveValue(placed);
  await saving(page, save);
  await expect(save).toBeDisabled();

  const rows = await page.evaluate(async () => {
    const cameras: Record<string, unknown>[] = await (await fetch("/rekor-cameras")).json();
    return cameras.filter(({ is_manual }) => is_manual);
  });
  expect(rows).toMatchObject([{ corrected_latitude: Number(placed), is_manual: true }]);
  const found = await page.evaluate(async () => {
    const keys: { id: string }[] = await (await fetch("/api-keys-data")).json();
    const answer = await fetch("/search-data", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        plate: "",
        justification: "Stolen vehicle, case 26-1044",
        case_number: "26-1044",
        start_time: new Date(Date.now() - 7 * 86_400_000).toISOString(),
        end_time: new Date().toISOString(),
        agencies: keys.map(({ id }) => id),
      }),
    });
    const reads: { camera_name: string; latitude: number }[] = await answer.json();
    return reads;
  });
  const there = found.filter(({ camera_name }) => camera_name === "I-84 WB @ High St");
  expect(new Set(there.map(({ latitude }) => latitude))).toEqual(new Set([Number(placed)]));
  // An agency that was chosen in another window meanwhile stays.
  const { camera_id, agency_id, corrected_latitude, corrected_longitude } = rows[0] ?? {};
  const change = (agency: unknown, is_manual: boolean) =>
    callAs(page, `PATCH /rekor-cameras/${encodeURIComponent(String(camera_id))}`, {
      corrected_latitude,
      corrected_longitude,
      agency_id: agency,
      is_manual,
    });
  await change("new-haven-pd", true);
  await row.getByRole("button", { name: /Restore Rekor's location/ }).click();
  await expect(latitude).toHaveValue(before);
  await expect(row.getByText("Manual")).toHaveCount(0);
  await expect(row.getByRole("combobox", { name: /^Agency of/ })).toHaveValue("new-haven-pd");
  await change(agency_id, false);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("the screens of the programs show their lists, and no button that needs scripts", async ({ page }) => {
    for (const [username, program] of [
      ["admin", "axis"],
      ["admin", "rekor"],
      ["admin2", "axon"],
    ] as const) {
      await logIn(page, username);
      await page.goto(`/integrations/${program}`);
      await expect(page.getByText("Changing these lists needs JavaScript.")).toBeVisible();
      await expect(page.getByText("Connecticut State Police").first()).toBeVisible();
      await expect(page.locator("main button[type=button]").filter({ visible: true })).toHaveCount(0);
    }
  });
});
