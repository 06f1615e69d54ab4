import type { Browser, Page } from "@playwright/test";
import { DEMO_GROUPS, IDENTITY_PASSWORD } from "../../../workers/vendors/identity/people.ts";
import { callAs, expect, expectAccessible, leaveScreen, signIn, test } from "../fixtures.ts";
import { makePatient } from "../wait-for-hydration.ts";

test.use({ otherOrigins: ["ODIN_IDENTITY_URL"] });

const DOMAIN = "new-haven-pd.example";

async function newPage(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await makePatient(page.context());
  return page;
}

/** Signs a person in on the provider's own page. */
async function atProvider(page: Page, name: string): Promise<void> {
  await expect(page.getByRole("heading", { name: "Demo identity provider" })).toBeVisible();
  const person = page.getByRole("option", { name: new RegExp(`^${name} \\(`) });
  await page.getByLabel("Person").selectOption(await person.getAttribute("value"));
  await page.getByLabel("Password", { exact: true }).fill(IDENTITY_PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function expectSearch(page: Page): Promise<void> {
  await page.waitForURL("**/search");
  await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
}

async function expectSignedOut(page: Page): Promise<void> {
  await leaveScreen(page);
  await page.goto("/search");
  await expect(page.getByRole("button", { name: "Login" })).toBeVisible();
}

test("the demo's single sign-on button signs a person in with the rights of their groups", async ({
  page,
}) => {
  await page.goto("/");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Sign in with Hartford SSO" }).click();
  await atProvider(page, "Sara Sergeant");
  await expectSearch(page);
  // Her group makes her an administrator.
  await page.getByRole("link", { name: "Admin", exact: true }).click();
  await expect(page.getByRole("row").filter({ hasText: "Sara Sergeant" })).toBeVisible();
  await page.getByRole("link", { name: "Single Sign-On" }).click();
  await expect(page.getByRole("textbox", { name: "Issuer" })).toHaveValue(/^http:\/\/127\.0\.0\.1:/);
});

/** Disables or enables Nell Newhaven, as soon as she has an account. */
async function setDisabled(admin: Page, disabled: boolean): Promise<void> {
  const { users } = await callAs<{ users: { id: string; name: string }[] }>(admin, "GET /admin-data");
  const nell = users.find(({ name }) => name === "Nell Newhaven");
  if (nell) await callAs(admin, `PUT /admin/disable-user/${nell.id}`, { disabled });
}

/** Removes the settings, after the confirmation. */
async function removeSignOn(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: "Remove", exact: true });
  await button.click();
  const dialog = page.getByRole("alertdialog", { name: "Remove single sign-on?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();
  await button.click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(button).toBeHidden();
}

/** Removes what an earlier attempt of the journey left: the domain, the settings, and the person's disabled account. */
async function startAnew(page: Page): Promise<void> {
  const removeDomain = page.getByRole("button", { name: `Remove ${DOMAIN}` });
  if (await removeDomain.isVisible()) await removeDomain.click();
  await expect(removeDomain).toBeHidden();
  const removeSettings = page.getByRole("button", { name: "Remove", exact: true });
  if (await removeSettings.isVisible()) await removeSignOn(page);
  await setDisabled(page, false);
}

test("a person without the agency's group may not sign in", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Sign in with Hartford SSO" }).click();
  await atProvider(page, "Cleo Clerk");
  await expect(page.getByText("Your account may not sign in to Odin.")).toBeVisible();
});

test("an administrator sets up single sign-on; a person signs in, and loses access once disabled", async ({
  page,
  browser,
  request,
}) => {
  await signIn(page, "admin2", "/single-sign-on");
  await startAnew(page);
  await expectAccessible(page);
  const [redirect, logout] = await page.locator("code").allTextContents();
  const issuer = process.env.ODIN_IDENTITY_URL ?? "";
  const registered = await (
    await request.post(`${issuer}/reg`, {
      data: {
        redirect_uris: [redirect],
        backchannel_logout_uri: logout,
        backchannel_logout_session_required: true,
      },
    })
  ).json();

  // Saves a wrong secret first: the connection test reports it.
  await page.getByRole("textbox", { name: "Issuer" }).fill(issuer);
  await page.getByRole("textbox", { name: "Client ID" }).fill(registered.client_id);
  await page.getByLabel("Client secret").fill("a-wrong-secret-of-the-client");
  await page.getByRole("textbox", { name: "Name on the button" }).fill("New Haven SSO");
  await page.getByRole("checkbox", { name: "Single sign-on is on" }).check();
  await page.getByRole("checkbox", { name: "Create users at their first sign-in" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("These settings have not passed a test.")).toBeVisible();
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await expect(page.getByText("The provider does not accept the client ID or the secret.")).toBeVisible();
  await page.getByLabel("Client secret").fill(registered.client_secret);
  // A test while the settings are saved waits for them.
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await expect(page.getByText("The provider accepts the client ID and the secret.")).toBeVisible();
  await expect(page.getByText("The redirect URI is registered.")).toBeVisible();
  await expect(page.getByText(/^Passed at/)).toBeVisible();
  await expectAccessible(page);

  // The owner approves the email domain.
  await page.getByLabel("Email domain").fill(DOMAIN);
  await page.getByRole("button", { name: "Request" }).click();
  await expect(page.getByText("Awaiting approval")).toBeVisible();
  const owner = await newPage(browser);
  await signIn(owner, "owner", "/owner/email-domains");
  await expectAccessible(owner);
  await owner.getByRole("button", { name: `Approve ${DOMAIN}` }).click();
  await expect(owner.getByRole("button", { name: `Withdraw ${DOMAIN}` })).toBeVisible();

  // The first sign-in, by work email.
  const nell = await newPage(browser);
  const begin = async () => {
    await nell.goto("/");
    await nell.getByLabel("Work email").fill(`nell.newhaven@${DOMAIN}`);
    await nell.getByRole("button", { name: "Continue" }).click();
  };
  await begin();
  await atProvider(nell, "Nell Newhaven");
  await expectSearch(nell);

  // The administrator disables her: the next request is refused, and so is the next sign-in.
  await setDisabled(page, true);
  await expectSignedOut(nell);
  await begin();
  await expect(nell.getByText("Your account may not sign in to Odin.")).toBeVisible();
  await setDisabled(page, false);
  await begin();
  await expectSearch(nell);

  // She signs out at the provider, which ends her session here.
  await nell.goto(`${issuer}/session/end`);
  await nell.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(nell.getByRole("heading", { name: "Signed out" })).toBeVisible();
  await expectSignedOut(nell);

  // Without single sign-on, the form is empty and can be saved again.
  await removeSignOn(page);
  await expect(page.getByLabel("Issuer")).toHaveValue("");
  await page.getByLabel("Issuer").fill(issuer);
  await page.getByLabel("Client ID").fill(registered.client_id);
  await page.getByLabel("Client secret").fill(registered.client_secret);
  await page.getByLabel("Name on the button").fill("New Haven SSO");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("These settings have not passed a test.")).toBeVisible();
});

test("the provider provisions a person with the rights of a group, and deactivates them", async ({
  page,
  browser,
}) => {
  const provider = await (await browser.newContext()).newPage();
  const provisioning = `${process.env.ODIN_IDENTITY_URL}/provisioning`;
  const expectPushed = (text: string) => expect(provider.getByRole("status")).toContainText(text);

  // The administrator creates the token and enters it at the provider.
  await signIn(page, "admin", "/single-sign-on");
  await page.getByRole("button", { name: /^(Create|Replace) Token$/ }).click();
  const token = await page
    .getByRole("dialog")
    .getByText(/^odin_scim_/)
    .textContent();
  await provider.goto(provisioning);
  await provider.getByLabel("SCIM token").fill(`${token}x`);
  await provider.getByRole("button", { name: /^(Connect|Save Connection)$/ }).click();
  await expectPushed("Odin answered 401.");
  await provider.getByLabel("SCIM token").fill(token ?? "");
  await provider.getByRole("button", { name: /^(Connect|Save Connection)$/ }).click();
  await expectPushed("Connected.");

  // The administrator disabled the people of earlier attempts in Odin, which refuses to enable them with each push.
  const isActive = provider.getByRole("checkbox", { name: "Account is active", checked: true });
  const left = provider.getByRole("group", { name: /^Rita Recruit/ }).filter({ has: isActive });
  for (let count = await left.count(); count > 0; count--) {
    // By name: once the box is not checked, the group no longer matches.
    const name = (await left.first().locator("legend").textContent()) ?? "";
    const person = provider.getByRole("group", { name, exact: true });
    await person.getByRole("checkbox", { name: "Account is active" }).uncheck();
    await person.getByRole("button", { name: `Save ${name}` }).click();
    await expect(left).toHaveCount(count - 1);
  }

  // A person added at the provider appears in Odin, and signs in with the rights of the group.
  const name = `Rita Recruit ${String.fromCharCode(...[0, 1, 2].map(() => 97 + Math.random() * 26))}`;
  const added = provider.getByRole("group", { name: "New person" });
  await added.getByLabel("Name", { exact: true }).fill(name);
  await added.getByLabel(/^Email/).fill(name.toLowerCase().replaceAll(" ", "."));
  for (const group of [DEMO_GROUPS.members, DEMO_GROUPS.hotlistAdmins])
    await added.getByRole("checkbox", { name: group, exact: true }).check();
  await added.getByRole("button", { name: "Add Person" }).click();
  await expectPushed("Everything was pushed.");
  const rita = await newPage(browser);
  const begin = async () => {
    await rita.goto("/");
    await rita.getByRole("link", { name: "Sign in with Hartford SSO" }).click();
  };
  await begin();
  await atProvider(rita, name);
  await expectSearch(rita);
  expect(await callAs(rita, "GET /get-current-user")).toMatchObject({ name, hotlist_admin: true });

  // The provider deactivates the person: the session ends with the next request.
  const person = provider.getByRole("group", { name, exact: true });
  const setActive = async (active: boolean) => {
    await person.getByRole("checkbox", { name: "Account is active" }).setChecked(active);
    await person.getByRole("button", { name: `Save ${name}` }).click();
  };
  await provider.getByLabel("Form of PATCH").selectOption("object");
  await provider.getByRole("button", { name: "Save Connection" }).click();
  await expectPushed("Connected.");
  await setActive(false);
  await expectPushed("Everything was pushed.");
  await expectSignedOut(rita);

  // The administrator sees who disabled the account, and prevents the provider from enabling it.
  await page.goto("/admin");
  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("Disabled by provider");
  await row.getByRole("button", { name: /^More for/ }).click();
  await expect(page.getByRole("menuitem", { name: "Enable" })).toBeVisible();
  await page.getByRole("menuitem", { name: "Disable here too" }).click();
  const asked = page.getByRole("alertdialog");
  await expect(asked).toContainText("The identity provider disabled");
  await asked.getByRole("button", { name: "Disable" }).click();
  await expect(row).not.toContainText("Disabled by provider");
  await setActive(true);
  await expectPushed("The user was disabled in Odin.");
  // The provider's own session is still active, so it does not ask for a password.
  await begin();
  await expect(rita.getByText("Your account may not sign in to Odin.")).toBeVisible();
});
