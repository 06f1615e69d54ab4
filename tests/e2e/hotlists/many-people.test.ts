// The form of a group in an installation with more people than a form lists: a search on the server finds them.

import type { Page } from "@playwright/test";
import { callAs, expect, expectAccessible, flash, logIn, test } from "../fixtures.ts";
import { newAgency } from "../new-agency.ts";

/** Creates an agency of 231 people, and signs its administrator in. Returns a word that is in the names of all others. */
async function agencyOfMany(page: Page): Promise<string> {
  const mark = `q${Date.now().toString(36)}`;
  await newAgency(page, mark);
  const rows = Array.from({ length: 230 }, (_, index) => {
    const name = `${["Rosa", "Stan"][index % 2]} ${mark} ${1000 + index}`;
    return `${mark}.${index},${name},${name.replaceAll(" ", ".").toLowerCase()}@state.example,user`;
  });
  const uploaded = await page.request.post("/bulk-upload-users", {
    headers: { "sec-fetch-site": "same-origin" },
    multipart: {
      file: {
        name: "users.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(["username,name,email,role", ...rows].join("\n")),
      },
    },
  });
  expect(uploaded.status(), await uploaded.text()).toBe(200);
  return mark;
}

const boxes = (page: Page) => page.locator("input[name=member]");

test("people are found by words, stay listed once they are chosen, and become members", async ({ page }) => {
  const mark = await agencyOfMany(page);
  await page.goto("/create-group");
  await page.getByLabel("Name").fill(`Found ${mark}`);
  const find = page.getByLabel("Find a user");
  const box = (name: string) => page.getByRole("checkbox", { name: new RegExp(`^${name} ${mark}`) });
  await expect(boxes(page)).toHaveCount(50);
  await expectAccessible(page);

  await find.fill(`1101 ${mark}`);
  await expect(page.getByText("1 user found.").first()).toBeVisible();
  await expect(boxes(page)).toHaveCount(1);
  // The search is not a field of the group: Enter creates nothing. Tab reaches the people who were found.
  await find.press("Enter");
  await expect(page).toHaveURL(/\/create-group$/);
  for (
    let tabs = 0;
    tabs < 5 && !(await box("Stan").evaluate((node) => node === document.activeElement));
    tabs++
  )
    await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await expect(box("Stan")).toBeChecked();

  await find.fill(`rosa ${mark}`);
  await expect(boxes(page)).toHaveCount(51);
  await expect(page.getByText("The first 50 users found.").first()).toBeVisible();
  await page.getByRole("button", { name: "Show 50 more" }).press("Enter");
  await expect(boxes(page)).toHaveCount(101);
  await expect(page.locator("input[name=member]:focus")).toHaveCount(1);
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Show 50 more" }).press("Enter");
  await expect(boxes(page)).toHaveCount(116);
  await expect(page.getByRole("button", { name: "Show 50 more" })).toHaveCount(0);
  await expect(page.locator("input[name=member]:focus")).toHaveCount(1);

  await find.fill("no such user");
  await expect(page.getByText("No user has this").first()).toBeVisible();
  await expect(boxes(page)).toHaveCount(2);
  await expectAccessible(page);
  const said = flash(page, "Group created successfully!");
  await page.getByRole("button", { name: "Create Group" }).click();
  await said;
  await page.waitForURL("**/alerts");

  const groups = await callAs<{ id: string }[]>(page, "GET /alerts-data");
  await page.goto(`/groups/${groups[0]?.id}/edit`);
  await expect(page.locator("input[name=member]:checked")).toHaveCount(2);
  await find.fill(`1101 ${mark}`);
  await expect(page.getByText("1 user found.").first()).toBeVisible();
  await box("Stan").uncheck();
  // A member who is no longer chosen stays listed until the group is saved.
  await find.fill("no such user");
  await expect(page.getByText("No user has this").first()).toBeVisible();
  await expect(box("Stan")).not.toBeChecked();
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Group updated successfully!").first()).toBeVisible();
  await expect(boxes(page)).toHaveCount(1);
  await page.reload();
  await expect(page.locator("input[name=member]:checked")).toHaveCount(1);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("people are found by loading the form again", async ({ page }) => {
    const mark = await agencyOfMany(page);
    await page.goto("/create-group");
    await page.getByLabel("Find a user").fill(`1101 ${mark}`);
    await page.getByRole("button", { name: "Find" }).click();
    await expect(boxes(page)).toHaveCount(1);
    await page.getByLabel("Name").fill(`Found ${mark}`);
    await boxes(page).check();
    await page.getByRole("button", { name: "Create Group" }).click();
    await page.waitForURL("**/alerts");
    const groups = await callAs<{ id: string }[]>(page, "GET /alerts-data");
    await page.goto(`/groups/${groups[0]?.id}/edit?find=rosa`);
    await expect(boxes(page)).toHaveCount(51);
    await expect(page.locator("input[name=member]:checked")).toHaveCount(1);
  });

  test("a group's form hides what needs scripts", async ({ page }) => {
    await logIn(page, "hotadmin");
    await page.goto("/groups/demo-watch-hfd/edit");
    await expect(page.getByRole("button", { name: "Save Changes" })).toBeVisible();
    await expect(page.getByText("This needs JavaScript.")).toHaveCount(2);
    for (const name of ["Delete Group", "Add Plate", "Check the file", "Invite", /^Remove /])
      await expect(page.getByRole("button", { name })).toHaveCount(0);
  });
});
