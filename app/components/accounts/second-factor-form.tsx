import { KeyRound } from "lucide-react";
import { type FormEvent, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import type { SecondFactorStatus } from "#app/entities/accounts/second-factor.ts";
import { CodeInput } from "./code-input.tsx";
import { answerPasskey } from "./passkey.ts";

type Confirmed = { redirect_url: string };

const FAILED = "The check failed. Try again.";

/** The second step of signing in: an authenticator code, a recovery code, or a passkey. */
export function SecondFactorForm({
  factors,
  onTarget,
}: {
  factors: SecondFactorStatus;
  /** Handles the next path; if it returns false, the browser navigates there. */
  onTarget?: (path: string) => boolean;
}) {
  const [passkeyFailure, setPasskeyFailure] = useState("");
  const [asking, setAsking] = useState(false);
  const hasPasskey = factors.passkeys.length > 0;
  const form = useScreenForm({
    intent: "code",
    action: "/second-factor",
    failed: FAILED,
    onDone: ({ next }) => {
      if (!onTarget?.(next)) location.assign(next);
    },
  });

  // On the session lock, the code bypasses the router: a fetcher resolves only after the screen's loaders, and
  // `keepPageOnFailure` holds their 401 until the lock is gone.
  function goOn({ redirect_url }: Confirmed) {
    if (!onTarget?.(redirect_url)) location.assign(redirect_url);
  }
  const [sentOnLock, setSentOnLock] = useState({ pending: false, problem: "" });
  async function submitCodeOnLock(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get("code") ?? "");
    setSentOnLock({ pending: true, problem: "" });
    const answer = await callApi<Confirmed>("/second-factor/verify", { json: { code }, failed: FAILED });
    if (answer.ok) goOn(answer.value);
    else setSentOnLock({ pending: false, problem: answer.message });
  }
  const onSubmit = onTarget ? submitCodeOnLock : form.onSubmit;
  const pending = form.pending || sentOnLock.pending;

  async function submitPasskey() {
    setAsking(true);
    setPasskeyFailure("");
    const answer = await answerPasskey<Confirmed>("/second-factor/verify-passkey", FAILED);
    if (answer.ok) return goOn(answer.value);
    setPasskeyFailure(answer.message);
    setAsking(false);
  }

  return (
    <ScreenForm state={{ ...form, onSubmit }} ownProblem className="flex flex-col gap-4">
      {hasPasskey && (
        <>
          <Button
            variant="primary"
            size="lg"
            icon={<KeyRound />}
            className="noscript:hidden"
            disabled={asking || pending}
            onClick={submitPasskey}
          >
            Use your passkey
          </Button>
          <ErrorBox message={passkeyFailure} />
        </>
      )}
      <Field
        label={factors.totp ? "Code from your authenticator app" : "Recovery code"}
        hint={
          factors.totp ? "Six digits, or one of your recovery codes." : "One of the codes that you saved."
        }
        error={form.problem("code") || form.message || sentOnLock.problem}
      >
        {(control) => (
          <CodeInput
            {...control}
            name="code"
            controlSize="lg"
            autoFocus
            placeholder={factors.totp ? "123456" : "ABCD-EFGH-JKLM"}
          />
        )}
      </Field>
      <Button
        type="submit"
        variant={hasPasskey ? "secondary" : "primary"}
        size="lg"
        pending={pending}
        pendingLabel="Checking…"
      >
        Continue
      </Button>
    </ScreenForm>
  );
}
