import { expect, expectAccessible, logIn, signIn } from "../fixtures.ts";
import { newPlate, test, watch } from "../hits.ts";

test("the owner adds an agency, sets its policy, and adds its first administrator", async ({
  page,
  expectedErrors,
}) => {
  const suffix = Date.now().toString(36);
  const name = `Windsor ${suffix}`;
  await signIn(page, "owner");
  await page.getByRole("link", { name: "Owner", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Owner Panel" })).toBeVisible();
  await page.getByText("Agencies and their policies").click();
  await page.getByLabel("New agency").fill(name);
  await page.getByRole("button", { name: "Add agency" }).click();
  const agency = page.getByRole("row").filter({ hasText: name });
  await expect(agency).toContainText("Optional");
  await agency.getByRole("link", { name: `Edit ${name}` }).click();

  const retention = page.getByLabel("Reads from own cameras are kept for");
  await expect(retention).toHaveValue("21");
  await expectAccessible(page);
  await retention.fill("91");
  await page.getByRole("checkbox", { name: "Case number required for every search" }).check();
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("a whole number of days from 1 to 90.")).toBeVisible();
  await retention.fill("14");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await page.waitForURL("**/owner");
  await page.getByText("Agencies and their policies").click();
  await agency.getByRole("link", { name: `Edit ${name}` }).click();
  await expect(page.getByLabel("Reads from own cameras are kept for")).toHaveValue("14");
  await expect(page.getByRole("checkbox", { name: "Case number required for every search" })).toBeChecked();

  // A change that was saved in another window meanwhile stays, and the form says so where its user looks.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByLabel("Reads from own cameras are kept for").fill("15");
  await other.getByRole("button", { name: "Save Changes" }).click();
  await other.waitForURL("**/owner");
  await other.close();
  expectedErrors.push(/409/);
  await page.getByLabel("Session ends when unused for").fill("10");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Someone else changed these settings")).toBeInViewport({ ratio: 1 });
  await page.getByRole("link", { name: "Cancel" }).click();

  await page.getByLabel("Username").fill(`chief${suffix}`);
  await page.getByLabel("Full name").fill("Carla Chief");
  await page.getByLabel("Email").fill("carla@windsor.example");
  await page.getByRole("button", { name: "Generate" }).click();
  await page.getByLabel("Role").selectOption("admin");
  await page.getByRole("combobox", { name: /^Agency/ }).selectOption({ label: name });
  await page.getByRole("button", { name: "Add User" }).last().click();
  await expect(
    page.getByRole("region", { name: "Messages" }).getByText("User added successfully"),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("row").filter({ hasText: `chief${suffix}` })).toContainText(name);
});

test("an administrator sees hit quality by camera and by group", async ({ page, newCamera }) => {
  const camera = await newCamera();
  const plate = newPlate();
  await logIn(page, "admin");
  await watch(page, plate);
  await camera.pass(plate);
  await page.goto("/alerts");
  await page.getByRole("link", { name: "Hit Quality" }).click();
  await expect(page.getByRole("table", { name: "Hit quality by group" })).toBeVisible();
  await expectAccessible(page);
});
