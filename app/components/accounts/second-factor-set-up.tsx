import { Download } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { encode } from "uqr";
import { callApi } from "#app/components/forms/api.ts";
import { saveText } from "#app/components/forms/save-file.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { CodeInput } from "./code-input.tsx";
import { makePasskey } from "./passkey.ts";

/** Shows new recovery codes. They cannot be shown again. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const text = codes.join("\n");
  return (
    <div className="flex flex-col gap-3">
      <p className="text-base">
        Store these codes in a safe place. If you lose your device, each code lets you sign in once. They are
        shown only now.
      </p>
      <ol className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-md bg-sunken px-4 py-3 font-mono text-base">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex items-center gap-2 noscript:hidden">
        <Button
          icon={<Download />}
          onClick={() => saveText({ name: "odin-recovery-codes.txt", type: "text/plain", text: `${text}\n` })}
        >
          Save as file
        </Button>
        <CopyButton text={text} label="Copy all codes" size="md" />
      </div>
    </div>
  );
}

export type Enrolled = { recovery_codes: string[]; redirect_url: string };

export type TotpSecret = { secret: string; address: string };

/** Adds an authenticator app: the user scans the secret and enters a first code. Without `initialSecret`, loads a new secret. */
export function TotpSetUp({
  initialSecret,
  onDone,
  onCancel,
}: {
  initialSecret?: TotpSecret;
  onDone: (enrolled: Enrolled) => void;
  onCancel: () => void;
}) {
  const form = useScreenForm<Enrolled>({
    intent: "confirm-totp",
    action: "/second-factor/set-up",
    failed: "The code could not be checked. Try again.",
    onDone: ({ result }) => result && onDone(result),
  });
  const [fetched, setFetched] = useState<TotpSecret>();
  const [failure, setFailure] = useState("");
  const secret = initialSecret ?? fetched;
  // After a rejected code, keep the secret: the user has already scanned it.
  const begun = useRef(initialSecret !== undefined || form.posted !== undefined);

  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    callApi<TotpSecret>("/second-factor/totp", {
      method: "POST",
      failed: "The app could not be set up. Try again.",
    }).then((answer) => {
      if (answer.ok) setFetched(answer.value);
      else setFailure(answer.message);
    });
  }, []);

  return (
    <ScreenForm state={form} className="flex flex-col gap-4">
      <ErrorBox message={failure} />
      <div className="flex flex-wrap gap-4">
        {secret && <QrCode text={secret.address} label="QR code for your authenticator app" />}
        {!secret && !form.posted && <Skeleton className="size-44" />}
        <ol className="flex min-w-48 flex-1 list-decimal flex-col gap-1 ps-5 text-base">
          <li>Open an authenticator app on your phone.</li>
          <li>
            Scan the code, or enter this key:
            {secret && (
              <span className="mt-1 flex items-center gap-1">
                <code className="font-mono text-sm break-all">
                  {secret.secret.match(/.{1,4}/g)?.join(" ")}
                </code>
                <CopyButton text={secret.secret} label="Copy the key" className="noscript:hidden" />
              </span>
            )}
            {!secret && form.posted && (
              <a href="/second-factor/set-up" className="block underline">
                Start over with a new code
              </a>
            )}
          </li>
          <li>Enter the six digits that it shows.</li>
        </ol>
      </div>
      <Field label="Code" error={form.problem("code")}>
        {(control) => <CodeInput {...control} name="code" inputMode="numeric" controlSize="lg" />}
      </Field>
      <div className="flex gap-2">
        <Button
          type="submit"
          variant="primary"
          pending={form.pending}
          pendingLabel="Checking…"
          disabled={!secret && !form.posted}
        >
          Add the app
        </Button>
        <Button className="noscript:hidden" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </ScreenForm>
  );
}

/** A QR code, dark on white in every theme, because cameras need that contrast. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: "M", border: 3 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      className="size-44 shrink-0 rounded-md"
      data-undimmed
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}

/** Adds a passkey: the user names it, then the browser creates it. */
export function PasskeySetUp({
  onDone,
  onCancel,
}: {
  onDone: (enrolled: Enrolled) => void;
  onCancel: () => void;
}) {
  const [problem, setProblem] = useState("");
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name") ?? "").trim();
    if (!name) return setProblem("Enter a name for the passkey.");
    setPending(true);
    setProblem("");
    const answer = await makePasskey<Enrolled>(name, "The passkey could not be added. Try again.");
    setPending(false);
    if (answer.ok) onDone(answer.value);
    else setProblem(answer.message);
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4" noValidate>
      <p className="text-base">
        Your browser will ask for a fingerprint, a face, a PIN or a security key. This data never leaves your
        device.
      </p>
      <InputField
        label="Passkey name"
        hint="To recognize it later, for example “Patrol laptop”."
        error={problem}
        name="name"
        maxLength={60}
        defaultValue="This device"
      />
      <div className="flex gap-2">
        <Button type="submit" variant="primary" pending={pending} pendingLabel="Waiting for the browser…">
          Add the passkey
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
