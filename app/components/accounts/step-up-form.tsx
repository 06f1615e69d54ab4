import { KeyRound } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { type Answer, callApi } from "#app/components/forms/api.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { hasSecondFactor, type SecondFactorStatus } from "#app/entities/accounts/second-factor.ts";
import { CodeInput } from "./code-input.tsx";
import { answerPasskey } from "./passkey.ts";
import { PasswordInput } from "./password-input.tsx";
import { settleStepUp } from "./step-up.ts";

const FAILED = "That could not be confirmed. Try again.";
type Status = SecondFactorStatus & { single_sign_on?: boolean };
const NO_FACTORS: Status = { required: false, totp: false, passkeys: [], recovery_codes_left: 0 };

/** Asks for the password or, if the user has a second factor, for a code or a passkey. */
export default function StepUpForm() {
  const [factors, setFactors] = useState<Status>();
  const [problem, setProblem] = useState("");
  const [pending, setPending] = useState(false);

  useEffect(() => {
    // If this call fails, the server still decides: it rejects the password of a user with a second factor.
    callApi<Status>("/second-factor-data").then((answer) =>
      setFactors(answer.ok ? answer.value : NO_FACTORS),
    );
  }, []);

  async function confirm(act: () => Promise<Answer<unknown>>) {
    setPending(true);
    setProblem("");
    const answer = await act();
    if (answer.ok) return settleStepUp(true);
    setPending(false);
    setProblem(answer.message);
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const value = String(new FormData(event.currentTarget).get("proof") ?? "");
    const body = usesCode ? { code: value } : { password: value };
    confirm(() => callApi("/step-up", { json: body, failed: FAILED }));
  }

  if (!factors) return <Skeleton className="h-24 w-full" />;
  const usesCode = hasSecondFactor(factors);
  // A user of single sign-on may have no password.
  if (factors.single_sign_on && !usesCode) return <SignOnStepUp />;
  const codeLabel = factors.totp ? "Code from your authenticator app, or a recovery code" : "Recovery code";

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label={usesCode ? codeLabel : "Your password"} error={problem}>
        {(control) =>
          usesCode ? (
            <CodeInput {...control} key="code" name="proof" autoFocus />
          ) : (
            <PasswordInput
              {...control}
              key="password"
              name="proof"
              required
              autoFocus
              autoComplete="current-password"
              maxLength={1024}
            />
          )
        }
      </Field>
      <div className="flex flex-wrap justify-end gap-2">
        {factors.passkeys.length > 0 && (
          <Button
            icon={<KeyRound />}
            onClick={() => confirm(() => answerPasskey("/step-up/passkey", FAILED))}
            disabled={pending}
          >
            Use a passkey
          </Button>
        )}
        <Button type="submit" variant="primary" pending={pending} pendingLabel="Confirming…">
          Confirm
        </Button>
      </div>
    </form>
  );
}

/** Confirms in another window, so that unsaved input on this page is kept. */
function SignOnStepUp() {
  return (
    <div className="flex flex-col gap-4">
      <p className="text-base">
        Sign in with your agency's identity provider again. It opens in another window. Then come back here.
      </p>
      <div className="flex flex-wrap justify-end gap-2">
        <a href="/sso/step-up" target="_blank" rel="noopener" className={buttonClass("secondary")}>
          Confirm with single sign-on
        </a>
        <Button variant="primary" onClick={() => settleStepUp(true)}>
          I have confirmed
        </Button>
      </div>
    </div>
  );
}
