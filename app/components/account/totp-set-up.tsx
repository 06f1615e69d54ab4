import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { callApi, problemOf } from "./call-api.ts";
import { CodeInput } from "./code-input.tsx";
import { QrCode } from "./qr-code.tsx";

export type Enrolled = { recovery_codes: string[]; redirect_url: string };

/** Adds an authenticator app: scan, then a first code. */
export function TotpSetUp({
  onDone,
  onCancel,
}: {
  onDone: (enrolled: Enrolled) => void;
  onCancel: () => void;
}) {
  const [secret, setSecret] = useState<{ secret: string; address: string }>();
  const [problem, setProblem] = useState("");
  const [pending, setPending] = useState(false);
  const begun = useRef(false);

  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    callApi<{ secret: string; address: string }>("/second-factor/totp", { method: "POST" }).then(
      setSecret,
      (error) => setProblem(problemOf(error, "The app could not be set up. Try again.")),
    );
  }, []);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get("code") ?? "").replace(/\s/g, "");
    setPending(true);
    setProblem("");
    try {
      onDone(await callApi<Enrolled>("/second-factor/totp/confirm", { method: "POST", body: { code } }));
    } catch (error) {
      setProblem(problemOf(error, "The code could not be checked. Try again."));
    } finally {
      setPending(false);
    }
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="flex flex-wrap gap-4">
        {secret ? (
          <QrCode text={secret.address} label="QR code for your authenticator app" />
        ) : (
          <Skeleton className="size-44" />
        )}
        <ol className="flex min-w-48 flex-1 list-decimal flex-col gap-1 ps-5 text-base">
          <li>Open an authenticator app on your telephone.</li>
          <li>
            Scan the code, or enter this key:
            {secret && (
              <span className="mt-1 flex items-center gap-1">
                <code className="font-mono text-sm break-all">
                  {secret.secret.match(/.{1,4}/g)?.join(" ")}
                </code>
                <CopyButton text={secret.secret} label="Copy the key" />
              </span>
            )}
          </li>
          <li>Enter the six digits that it shows.</li>
        </ol>
      </div>
      <Field label="Code" error={problem}>
        {(control) => <CodeInput {...control} name="code" inputMode="numeric" controlSize="lg" />}
      </Field>
      <div className="flex gap-2">
        <Button type="submit" variant="primary" pending={pending} pendingLabel="Checking…" disabled={!secret}>
          Add the app
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
