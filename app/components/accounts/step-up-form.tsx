import { KeyRound } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { type Answer, callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { hasSecondFactor, type SecondFactorStatus } from "#app/entities/accounts/second-factor.ts";
import { CodeInput } from "./code-input.tsx";
import { answerPasskey } from "./passkey.ts";
import { PasswordInput } from "./password-input.tsx";
import { settleStepUp } from "./step-up.ts";

const FAILED = "That could not be confirmed. Try again.";
const NO_FACTORS: SecondFactorStatus = { required: false, totp: false, passkeys: [], recovery_codes_left: 0 };

/** The password again; where a second factor is set up, a code or a passkey instead. */
export default function StepUpForm() {
  const [factors, setFactors] = useState<SecondFactorStatus>();
  const [problem, setProblem] = useState("");
  const [pending, setPending] = useState(false);

  useEffect(() => {
    // If it cannot be asked, the server still decides: it takes no password where there is a second factor.
    callApi<SecondFactorStatus>("/second-factor-data").then((answer) =>
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
  const codeLabel = factors.totp ? "Code of your authenticator app, or a recovery code" : "Recovery code";

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
