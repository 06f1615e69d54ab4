import { useRevalidator } from "@remix-run/react";
import { callApi } from "#app/components/forms/api.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { REKOR_HOSTS, type Tested } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";

/** Adds one key; where scripts run, Rekor is asked with it at once. The key can be read while it is typed and never again. */
export function RekorKeyForm() {
  const { revalidate } = useRevalidator();
  const form = useScreenForm<{ id: string }>({
    intent: "add-key",
    failed: MESSAGES.apiKeyAddFailed,
    onDone: ({ message, result }) => void test(message, result?.id ?? ""),
  });

  async function test(added: string, id: string) {
    const answer = await callApi<Tested>(`/test-api-key/${encodeURIComponent(id)}`, {
      method: "POST",
      failed: MESSAGES.unknownError,
    });
    if (answer.ok && answer.value.ok) notify.success(added, { description: answer.value.msg });
    else if (answer.ok) notify.error(added, { description: answer.value.msg });
    else if (!answer.declined) notify.error(added, { description: answer.message });
    revalidate();
  }

  return (
    <ScreenForm state={form} className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Agency" error={form.problem("agency")} hint="As searches shall name it." required>
          {(control) => (
            <Input
              {...control}
              name="agency"
              defaultValue={form.value("agency")}
              autoComplete="off"
              maxLength={120}
            />
          )}
        </Field>
        <Field
          label="Host"
          error={form.problem("base_url")}
          hint="A server of your own has to be allowed by the operator."
        >
          {(control) => (
            <>
              <Input
                {...control}
                name="base_url"
                defaultValue={form.value("base_url")}
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
          error={form.problem("api_key")}
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
      <Button
        type="submit"
        variant="primary"
        className="self-start"
        pending={form.pending}
        pendingLabel="Adding…"
      >
        Add API Key
      </Button>
    </ScreenForm>
  );
}
