import { KeyRound, Smartphone } from "lucide-react";
import { useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { PasskeySetUp } from "./passkey-set-up.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { type Enrolled, TotpSetUp } from "./totp-set-up.tsx";

/** Setting up the first second factor where the agency asks for one. */
export function Enrolment() {
  const [way, setWay] = useState<"totp" | "passkey">();
  const [enrolled, setEnrolled] = useState<Enrolled>();
  if (enrolled) {
    return (
      <div className="flex flex-col gap-5">
        <RecoveryCodes codes={enrolled.recovery_codes} />
        <Button variant="primary" size="lg" onClick={() => location.assign(enrolled.redirect_url)}>
          I have kept them, continue
        </Button>
      </div>
    );
  }
  const props = { onDone: setEnrolled, onCancel: () => setWay(undefined) };
  if (way === "totp") return <TotpSetUp {...props} />;
  if (way === "passkey") return <PasskeySetUp {...props} />;
  return (
    <div className="flex flex-col gap-3">
      <Button size="lg" variant="primary" icon={<Smartphone />} onClick={() => setWay("totp")}>
        Authenticator app
      </Button>
      <p className="text-sm text-muted">Six digits of an app on your telephone, new every 30 seconds.</p>
      <Button size="lg" icon={<KeyRound />} onClick={() => setWay("passkey")}>
        Passkey
      </Button>
      <p className="text-sm text-muted">Your device's fingerprint, face or PIN, or a security key.</p>
    </div>
  );
}
