import type { Page } from "@playwright/test";
import { expect, expectAccessible, search, signIn, test } from "./fixtures.ts";

const PDF = Buffer.from("%PDF-1.4\n1 0 obj\n<</Type /Catalog>>\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF\n");

let made = 0;
function groupName(): string {
  made += 1;
  return `Journey ${made} ${Date.now()}`;
}

/** A message in the corner; screen readers hear it from another place. */
function told(page: Page, text: string | RegExp) {
  return page.getByRole("region", { name: "Messages" }).getByText(text);
}

/** Makes a group through its screen and opens its edit screen. */
async function newGroup(page: Page, name: string): Promise<void> {
  await page.goto("/create-group");
  await page.getByLabel("Name").fill(name);
  await page.getByRole("checkbox", { name: "Victor Viewer" }).check();
  await page.getByRole("button", { name: "Create Group" }).click();
  await expect(page.getByText("Group created successfully!")).toBeVisible();
  await page.waitForURL("**/alerts");
  await page.getByRole("link", { name, exact: true }).click();
  await page.getByRole("link", { name: "Edit Group" }).click();
  await page.waitForURL("**/edit");
}

async function addPlate(page: Page, plate: string, reason: string): Promise<void> {
  await page.getByLabel("Plate number").fill(plate);
  await page.getByLabel("Reason", { exact: true }).fill(reason);
  await page.getByRole("button", { name: "Add Plate", exact: true }).click();
}

test("a group is made, filled, changed, imported into and archived", async ({ page }) => {
  await signIn(page, "hotadmin");
  const name = groupName();
  await page.goto("/create-group");
  await page.getByRole("button", { name: "Create Group" }).click();
  await expect(page.getByText("Group name is required.")).toBeVisible();
  await expectAccessible(page);
  await newGroup(page, name);
  await expectAccessible(page);

  await addPlate(page, "ab 12345", "Stolen vehicle");
  await expect(page.getByText("Not saved yet: 1 new plate")).toBeVisible();
  await page
    .getByLabel("Attachment")
    .setInputFiles({ name: "warrant.pdf", mimeType: "application/pdf", buffer: PDF });
  await addPlate(page, "CC777", "Missing person");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(told(page, "Group updated successfully!")).toBeVisible();
  const table = page.getByRole("table", { name: "Hotlist vehicles" });
  await expect(table.getByRole("row")).toHaveCount(3);
  const link = table.getByRole("link", { name: "Attachment of CC777" });
  const download = await page.request.get((await link.getAttribute("href")) ?? "");
  expect(download.headers()["content-disposition"]).toContain('attachment; filename="warrant.pdf"');

  await page.getByRole("button", { name: "Remove CC777" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(table.getByRole("row")).toHaveCount(2);

  await page.getByLabel("File", { exact: true }).setInputFiles({
    name: "plates.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("plate,state,reason\nDD1,CT,New\nEE2,NY,New\n!!,CT,Bad\n"),
  });
  await page.getByRole("radio", { name: "Replace All Plates" }).check();
  await page.getByRole("button", { name: "Check the file" }).click();
  await expect(page.getByText("Checked. Nothing has changed yet.")).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole("cell", { name: "A plate has letters and digits only." })).toBeVisible();
  await expect(table.getByRole("button", { name: "Copy AB12345" })).toBeVisible();
  await page.getByRole("button", { name: "Replace All Plates" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Replace All Plates" }).click();
  await expect(table.getByRole("button", { name: "Copy DD1" })).toBeVisible();
  await expect(table.getByRole("button", { name: "Copy AB12345" })).toBeHidden();

  await expect(page.getByText("Last import: plates.csv, applied")).toBeVisible({ timeout: 20_000 });
  await page.getByRole("button", { name: "Delete Group" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete Group" }).click();
  await page.waitForURL("**/alerts");
  await expect(page.getByRole("link", { name, exact: true })).toBeHidden();
});

test("the second of two editors is told, and keeps what was typed", async ({
  page,
  browser,
  baseURL,
  expectedErrors,
}) => {
  expectedErrors.push(/409/);
  await signIn(page, "hotadmin");
  const name = groupName();
  await newGroup(page, name);
  const other = await (await browser.newContext({ baseURL })).newPage();
  await signIn(other, "admin");
  await other.goto(page.url());
  await other.getByLabel("Description").fill("Theirs");
  await other.getByRole("button", { name: "Save Changes" }).click();
  await expect(told(other, "Group updated successfully!")).toBeVisible();
  await addPlate(page, "FF9", "Mine");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText(/Adam Administrator changed this group/)).toBeVisible();
  await expect(page.getByText("FF9").first()).toBeVisible();
  await page.getByRole("button", { name: "Save mine over it" }).click();
  await expect(page.getByRole("button", { name: "Copy FF9" })).toBeVisible();
  await other.context().close();
});

test("a read's plate goes to a hotlist", async ({ page }) => {
  await signIn(page, "hotadmin");
  const name = groupName();
  await newGroup(page, name);
  await page.goto("/search");
  await search(page, { programs: ["Axis"] });
  await page.getByRole("row").nth(1).click();
  await page.getByRole("button", { name: "Add Plate to Hotlist" }).click();
  const dialog = page.getByRole("dialog", { name: /Add Plate to Hotlist/ });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("Please select a group and enter a reason.")).toBeVisible();
  await expect(dialog.getByText(/in the last 21 days/)).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel("Group").selectOption({ label: name });
  await dialog.getByLabel("Reason").fill("Seen at a burglary");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(told(page, /^Successfully added '/)).toBeVisible();
  await expect(dialog).toBeHidden();
});

test("viewers see and do not change, others see nothing", async ({ page, expectedErrors }) => {
  expectedErrors.push(/403/);
  await signIn(page, "viewer");
  await page.getByRole("link", { name: "Alerts" }).first().click();
  await expect(page.getByRole("heading", { name: "My Alert Groups" })).toBeVisible();
  await expect(page.getByRole("link", { name: /Add Group/ })).toBeHidden();
  await expectAccessible(page);
  await page.getByRole("checkbox", { name: "Activate push alerts for the iOS app" }).check();
  await page.reload();
  await expect(page.getByRole("checkbox", { name: "Activate push alerts for the iOS app" })).toBeChecked();
  await page.getByRole("link", { name: "Stolen vehicles", exact: true }).click();
  await expect(page.getByRole("table", { name: "Hotlist vehicles" }).getByRole("row")).toHaveCount(4);
  await expect(page.getByRole("link", { name: "Edit Group" })).toBeHidden();
  await expectAccessible(page);
  await page.goto("/groups/demo-stolen-hfd/edit");
  await expect(page.getByText("Access Denied")).toBeVisible();
});

test("permissions are given to others, never to oneself", async ({ page }) => {
  await signIn(page, "hotadmin");
  await page.goto("/edit-alerts-permissions");
  await expect(page.getByRole("checkbox", { name: "Hotlist Viewer: Hanna Hotlist" })).toBeDisabled();
  await page.getByRole("checkbox", { name: "Hotlist Viewer: Otis Officer" }).check();
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Permissions updated successfully.")).toBeVisible();
  await expect(page.getByText("Permissions updated successfully.")).toBeHidden({ timeout: 5000 });
  await expectAccessible(page);
  await page.getByRole("checkbox", { name: "Hotlist Viewer: Otis Officer" }).uncheck();
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Permissions updated successfully.")).toBeVisible();
});
