import { KeyRound } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import type { SecondFactorStatus } from "#app/entities/second-factor.ts";
import { callApi, problemOf } from "./call-api.ts";
import { CodeInput } from "./code-input.tsx";
import { answerPasskey, passkeyProblem } from "./passkey.ts";
import { PasswordInput } from "./password-input.tsx";
import { settleStepUp } from "./step-up.ts";

/** The password again, or a code, or a passkey. */
export default function StepUpForm() {
  const [factors, setFactors] = useState<SecondFactorStatus>();
  const [useCode, setUseCode] = useState(false);
  const [problem, setProblem] = useState("");
  const [pending, setPending] = useState(false);

  useEffect(() => {
    callApi<SecondFactorStatus>("/second-factor-data").then(setFactors, () => {});
  }, []);

  async function confirm(act: () => Promise<unknown>) {
    setPending(true);
    setProblem("");
    try {
      await act();
      settleStepUp(true);
    } catch (error) {
      setPending(false);
      setProblem(passkeyProblem(error, problemOf(error, "That could not be confirmed. Try again.")));
    }
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const value = String(new FormData(event.currentTarget).get("proof") ?? "");
    const body = useCode ? { code: value } : { password: value };
    confirm(() => callApi("/step-up", { method: "POST", body }));
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label={useCode ? "Code of your authenticator app" : "Your password"} error={problem}>
        {(control) =>
          useCode ? (
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
        {factors?.totp && (
          <Button variant="ghost" className="me-auto" onClick={() => setUseCode(!useCode)}>
            {useCode ? "Use the password" : "Use a code"}
          </Button>
        )}
        {factors && factors.passkeys.length > 0 && (
          <Button
            icon={<KeyRound />}
            onClick={() => confirm(async () => answerPasskey("/step-up/passkey"))}
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
