import type { MetaFunction } from "@remix-run/cloudflare";
import { useActionData } from "@remix-run/react";
import { KeyRound, Smartphone } from "lucide-react";
import { useState } from "react";
import {
  type Enrolled,
  PasskeySetUp,
  RecoveryCodes,
  type TotpSecret,
  TotpSetUp,
} from "#app/components/accounts/second-factor-set-up.tsx";
import { SingleSheet } from "#app/components/accounts/sheet.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { beginTotp, confirmNewTotp } from "#app/domain/accounts/second-factor.ts";
import { FactorCode } from "#app/entities/accounts/calls.ts";
import type { FormAnswer } from "#app/entities/form-answer.ts";
import { firstScreen } from "#app/http/return-path.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { noFields, screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Set up a second factor · Odin" }];

export const loader = screenLoader("signed-in", () => ({}), { during: ["must-enrol-second-factor"] });

// The dialog on the profile posts its code here too.
export const action = screenAction(
  "signed-in",
  {
    "begin-totp": screenForm(noFields, ({ app, actor }) => beginTotp(app, actor), { stepUp: true }),
    "confirm-totp": screenForm(FactorCode, ({ app, actor, body }) => confirmNewTotp(app, actor, body), {
      stepUp: true,
      session: (signedIn) => signedIn,
      shows: ({ recoveryCodes, state }, _, { request }) => ({
        recovery_codes: recoveryCodes,
        redirect_url: firstScreen(request, state),
      }),
    }),
  },
  { during: ["full", "must-enrol-second-factor"] },
);

export const clientAction = screenClientAction;

/** Revalidating would redirect once the factor exists, and the recovery codes, shown only once, would be lost. */
export const shouldRevalidate = () => false;

export default function SecondFactorSetUpScreen() {
  return (
    <SingleSheet
      title="Set up a second factor"
      lead="Your agency requires a second factor in addition to your password. Setup takes about a minute."
    >
      <Enrollment />
    </SingleSheet>
  );
}

/** Sets up the user's first second factor. */
function Enrollment() {
  const page = useActionData<FormAnswer<Enrolled>>();
  const confirmed = page?.intent === "confirm-totp" ? page : undefined;
  const [method, setMethod] = useState<"passkey">();
  const [secret, setSecret] = useState<TotpSecret>();
  const [enrolled, setEnrolled] = useState(confirmed?.result);
  const [canceled, setCanceled] = useState(false);
  const begin = useScreenForm<TotpSecret>({
    intent: "begin-totp",
    failed: "The app could not be set up. Try again.",
    onDone: ({ result }) => setSecret(result),
  });
  if (enrolled) {
    return (
      <div className="flex flex-col gap-5">
        <RecoveryCodes codes={enrolled.recovery_codes} />
        <a href={enrolled.redirect_url} className={buttonClass("primary", "lg")}>
          I saved them, continue
        </a>
      </div>
    );
  }
  const cancel = () => {
    setMethod(undefined);
    setSecret(undefined);
    setCanceled(true);
  };
  const initialSecret = secret ?? (canceled ? undefined : begin.posted?.result);
  if (method === "passkey") return <PasskeySetUp onDone={setEnrolled} onCancel={cancel} />;
  if (initialSecret || (confirmed && !canceled))
    return <TotpSetUp initialSecret={initialSecret} onDone={setEnrolled} onCancel={cancel} />;
  return (
    <div className="flex flex-col gap-3">
      <ScreenForm state={begin} className="flex flex-col gap-3">
        <Button
          type="submit"
          size="lg"
          variant="primary"
          icon={<Smartphone />}
          pending={begin.pending}
          pendingLabel="Preparing…"
        >
          Authenticator app
        </Button>
      </ScreenForm>
      <p className="text-sm text-muted">
        A six-digit code from an app on your phone. It changes every 30 seconds.
      </p>
      <Button size="lg" icon={<KeyRound />} className="noscript:hidden" onClick={() => setMethod("passkey")}>
        Passkey
      </Button>
      <p className="text-sm text-muted noscript:hidden">
        Your device's fingerprint, face or PIN, or a security key.
      </p>
    </div>
  );
}
