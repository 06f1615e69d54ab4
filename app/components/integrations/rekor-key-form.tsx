import { useRevalidator } from "@remix-run/react";
import { type FormEvent, useRef, useState } from "react";
import { callApi, problemOf, wasDeclined } from "#app/components/account/call-api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { notify } from "#app/components/ui/notify.ts";
import { NewApiKey, REKOR_HOSTS, type Tested } from "#app/entities/integration.ts";
import { MESSAGES } from "#app/entities/messages.ts";

type Problems = Partial<Record<keyof NewApiKey, string>>;

/** Adds one key and asks Rekor with it at once. The key can be read while it is typed and never again. */
export function RekorKeyForm() {
  const { revalidate } = useRevalidator();
  const form = useRef<HTMLFormElement>(null);
  const [problems, setProblems] = useState<Problems>({});
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const parsed = NewApiKey.safeParse(Object.fromEntries(new FormData(event.currentTarget)));
    const found: Problems = {};
    if (!parsed.success)
      for (const { path, message } of parsed.error.issues) found[path[0] as keyof NewApiKey] ??= message;
    setProblems(found);
    if (!parsed.success) {
      form.current?.querySelector<HTMLElement>(`[name=${Object.keys(found)[0]}]`)?.focus();
      return;
    }
    setPending(true);
    try {
      const { id, msg } = await callApi<{ id: string; msg: string }>("/add-api-key", {
        method: "POST",
        body: parsed.data,
      });
      form.current?.reset();
      revalidate();
      const tested = await callApi<Tested>(`/test-api-key/${encodeURIComponent(id)}`, { method: "POST" });
      if (tested.ok) notify.success(msg, { description: tested.msg });
      else notify.error(msg, { description: tested.msg });
      revalidate();
    } catch (error) {
      if (!wasDeclined(error)) notify.error(problemOf(error, MESSAGES.apiKeyAddFailed));
    } finally {
      setPending(false);
    }
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Agency" error={problems.agency} hint="As searches shall name it." required>
          {(control) => <Input {...control} name="agency" autoComplete="off" maxLength={120} />}
        </Field>
        <Field
          label="Host"
          error={problems.base_url}
          hint="A server of your own has to be allowed by the operator."
        >
          {(control) => (
            <>
              <Input
                {...control}
                name="base_url"
                type="url"
                list="rekor-hosts"
                autoComplete="off"
                spellCheck={false}
                placeholder={REKOR_HOSTS[0]}
              />
              <datalist id="rekor-hosts">
                {REKOR_HOSTS.map((host) => (
                  <option key={host} value={host} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field
          label="API key"
          error={problems.api_key}
          hint="Sealed when it is saved; afterwards only its last four characters are shown."
          required
          className="sm:col-span-2"
        >
          {(control) => (
            <Input
              {...control}
              name="api_key"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={400}
              className="font-mono"
            />
          )}
        </Field>
      </div>
      <Button type="submit" variant="primary" className="self-start" pending={pending} pendingLabel="Adding…">
        Add API Key
      </Button>
    </form>
  );
}
