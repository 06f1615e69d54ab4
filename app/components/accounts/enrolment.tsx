import { useActionData } from "@remix-run/react";
import { KeyRound, Smartphone } from "lucide-react";
import { useState } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import type { FormAnswer } from "#app/entities/form-answer.ts";
import { PasskeySetUp } from "./passkey-set-up.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { type Enrolled, type TotpSecret, TotpSetUp } from "./totp-set-up.tsx";

/** Sets up the first second factor where the agency asks for one. */
export function Enrolment() {
  const page = useActionData<FormAnswer<Enrolled>>();
  const confirmed = page?.intent === "confirm-totp" ? page : undefined;
  const [way, setWay] = useState<"passkey">();
  const [secret, setSecret] = useState<TotpSecret>();
  const [enrolled, setEnrolled] = useState(confirmed?.result);
  const [cancelled, setCancelled] = useState(false);
  const begin = useScreenForm<TotpSecret>({
    intent: "begin-totp",
    failed: "The app could not be set up. Try again.",
    onDone: ({ result }) => setSecret(result),
  });
  if (enrolled) {
    return (
      <div className="flex flex-col gap-5">
        <RecoveryCodes codes={enrolled.recovery_codes} />
        <form method="get" action={enrolled.redirect_url} className="flex flex-col">
          <Button type="submit" variant="primary" size="lg">
            I have kept them, continue
          </Button>
        </form>
      </div>
    );
  }
  const cancel = () => {
    setWay(undefined);
    setSecret(undefined);
    setCancelled(true);
  };
  const given = secret ?? (cancelled ? undefined : begin.posted?.result);
  if (way === "passkey") return <PasskeySetUp onDone={setEnrolled} onCancel={cancel} />;
  if (given || (confirmed && !cancelled))
    return <TotpSetUp given={given} onDone={setEnrolled} onCancel={cancel} />;
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
      <p className="text-sm text-muted">Six digits of an app on your telephone, new every 30 seconds.</p>
      <Button size="lg" icon={<KeyRound />} className="noscript:hidden" onClick={() => setWay("passkey")}>
        Passkey
      </Button>
      <p className="text-sm text-muted noscript:hidden">
        Your device's fingerprint, face or PIN, or a security key.
      </p>
    </div>
  );
}
