import { KeyRound } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import type { SecondFactorStatus } from "#app/entities/second-factor.ts";
import { callApi, problemOf } from "./call-api.ts";
import { CodeInput } from "./code-input.tsx";
import { answerPasskey, passkeyProblem } from "./passkey.ts";

/** The second half of signing in: a code, a recovery code, or a passkey. */
export function SecondFactorForm({
  factors,
  onTarget,
}: {
  factors: SecondFactorStatus;
  /** Takes the address that comes next; false lets the browser go there. */
  onTarget?: (path: string) => boolean;
}) {
  const [problem, setProblem] = useState("");
  const [pending, setPending] = useState(false);
  const hasPasskey = factors.passkeys.length > 0;

  async function give(
    act: () => Promise<{ redirect_url: string }>,
    words: (error: unknown, fallback: string) => string,
  ) {
    setPending(true);
    setProblem("");
    try {
      const { redirect_url } = await act();
      if (!onTarget?.(redirect_url)) location.assign(redirect_url);
    } catch (error) {
      setPending(false);
      setProblem(words(error, "That could not be checked. Try again."));
    }
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get("code") ?? "");
    give(() => callApi("/second-factor/verify", { method: "POST", body: { code } }), problemOf);
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {hasPasskey && (
        <Button
          variant="primary"
          size="lg"
          icon={<KeyRound />}
          disabled={pending}
          onClick={() => give(() => answerPasskey("/second-factor/verify-passkey"), passkeyProblem)}
        >
          Use your passkey
        </Button>
      )}
      <Field
        label={factors.totp ? "Code of your authenticator app" : "Recovery code"}
        hint={factors.totp ? "Six digits, or one of your recovery codes." : "One of the codes that you kept."}
        error={problem}
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
    </form>
  );
}
