import type { MetaFunction } from "@remix-run/cloudflare";
import { Enrolment } from "#app/components/accounts/enrolment.tsx";
import { LonelySheet } from "#app/components/accounts/sheet.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { beginTotp, confirmNewTotp } from "#app/domain/accounts/second-factor.ts";
import { HOME_OF } from "#app/entities/accounts/access.ts";
import { FactorCode } from "#app/entities/accounts/second-factor-calls.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { noFields, screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Set up a second factor · Odin" }];

export const loader = screenLoader("signed-in", () => ({}), { during: ["must-enrol-second-factor"] });

// The profile's dialog sends its code here too.
export const action = screenAction(
  "signed-in",
  {
    "begin-totp": screenForm(noFields, ({ app, actor }) => beginTotp(app, actor), { stepUp: true }),
    "confirm-totp": screenForm(FactorCode, ({ app, actor, body }) => confirmNewTotp(app, actor, body), {
      stepUp: true,
      token: ({ token }) => token,
      shows: ({ recoveryCodes, state }) => ({ recovery_codes: recoveryCodes, redirect_url: HOME_OF[state] }),
    }),
  },
  { during: ["full", "must-enrol-second-factor"] },
);

export const clientAction = screenClientAction;

/** Once the factor is there this screen would redirect, and the recovery codes, shown only once, be lost. */
export const shouldRevalidate = () => false;

export default function SecondFactorSetUpScreen() {
  return (
    <LonelySheet
      title="Set up a second factor"
      lead="Your agency asks for something beside the password. It takes a minute, and then you are in."
    >
      <Enrolment />
    </LonelySheet>
  );
}
