import { MESSAGES } from "#app/entities/messages.ts";
import { expect, forgetSession, signIn, test } from "./fixtures.ts";

// What a screen says if Odin fails while it changes something (specification, section 8).

const REFERENCE = "ABCD-EFGH-JKLM";
const words = "Something went wrong.";
/** Odin's answer to a call that met a bug. */
const BUG = {
  status: 500,
  headers: { "x-request-id": REFERENCE },
  json: { msg: words, message: words, error: words, request_id: REFERENCE },
};

type Change = { as: string; screen: string; button: RegExp; confirm: string; call: RegExp; says: string };

const CHANGES: readonly Change[] = [
  {
    as: "admin",
    screen: "/admin",
    button: /^Reset Password of/,
    confirm: "Reset Password",
    call: /\/admin\/reset-user-password/,
    says: MESSAGES.userResetFailed,
  },
  {
    as: "admin",
    screen: "/admin",
    button: /^Edit Role of/,
    confirm: "Change role",
    call: /\/admin\/toggle-role\//,
    says: MESSAGES.roleFailed,
  },
  {
    as: "admin",
    screen: "/admin",
    button: /^Delete User/,
    confirm: "Delete User",
    call: /\/admin\/delete-user\//,
    says: MESSAGES.userDeleteFailed,
  },
  {
    as: "admin",
    screen: "/integrations/rekor",
    button: /^Delete the key of/,
    confirm: "Delete",
    call: /\/delete-api-key\//,
    says: MESSAGES.apiKeyDeleteFailed,
  },
  {
    as: "admin2",
    screen: "/integrations/axon",
    button: /^Blacklist/,
    confirm: "Blacklist",
    call: /\/add-to-blacklist/,
    says: MESSAGES.blacklistFailed,
  },
  {
    as: "admin2",
    screen: "/integrations/axon",
    button: /^Terms/,
    confirm: "Save terms",
    call: /\/remove-from-blacklist/,
    says: MESSAGES.unblacklistFailed,
  },
];

test.use({ expectedErrors: [/status of 500/] });

test("a change that Odin fails to make is named, with the reference of the request", async ({ page }) => {
  let user = "";
  for (const { as, screen, button, confirm, call, says } of CHANGES) {
    if (as === user) await page.goto(screen);
    else {
      await forgetSession(page);
      await signIn(page, as, screen);
    }
    user = as;
    await page.route(call, (route) => route.fulfill(BUG));
    await page.getByRole("button", { name: button }).and(page.locator(":enabled")).first().click();
    await page.getByRole("alertdialog").getByRole("button", { name: confirm }).click();
    await expect(page.getByText(`${says} Reference: ${REFERENCE}`).first()).toBeVisible();
  }
});
