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

const FAILED = "That could not be checked. Try again.";

/** The second half of signing in: a code, a recovery code, or a passkey. */
export function SecondFactorForm({
  factors,
  onTarget,
}: {
  factors: SecondFactorStatus;
  /** Takes the address that comes next; false lets the browser go there. */
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

  // On the lock the code is sent past the router: a fetcher answers only after the screen's loaders, and
  // `keepPageStanding` holds their 401 until the lock is gone.
  function goOn({ redirect_url }: Confirmed) {
    if (!onTarget?.(redirect_url)) location.assign(redirect_url);
  }
  const [sentOnLock, setSentOnLock] = useState({ pending: false, problem: "" });
  async function giveCodeOnLock(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get("code") ?? "");
    setSentOnLock({ pending: true, problem: "" });
    const answer = await callApi<Confirmed>("/second-factor/verify", { json: { code }, failed: FAILED });
    if (answer.ok) goOn(answer.value);
    else setSentOnLock({ pending: false, problem: answer.message });
  }
  const onSubmit = onTarget ? giveCodeOnLock : form.onSubmit;
  const pending = form.pending || sentOnLock.pending;

  async function givePasskey() {
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
            onClick={givePasskey}
          >
            Use your passkey
          </Button>
          <ErrorBox message={passkeyFailure} />
        </>
      )}
      <Field
        label={factors.totp ? "Code of your authenticator app" : "Recovery code"}
        hint={factors.totp ? "Six digits, or one of your recovery codes." : "One of the codes that you kept."}
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
