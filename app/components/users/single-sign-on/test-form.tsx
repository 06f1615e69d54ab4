import { useFetchers } from "@remix-run/react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { StatusDot, type StatusDotProps } from "#app/components/ui/status-dot.tsx";
import type { SignOnCheck, SignOnProvider } from "#app/entities/accounts/sign-on-settings.ts";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";

const STATES: Record<SignOnCheck["result"], Pick<StatusDotProps, "tone" | "shape"> & { label: string }> = {
  ok: { tone: "ok", shape: "full", label: "OK" },
  problem: { tone: "hit", shape: "cross", label: "Problem" },
  unknown: { tone: "warn", shape: "half", label: "Unknown" },
};

/** Tests the saved settings, which waits until they are, and shows what works and what does not. */
export function SignOnTestForm({ provider }: { provider: SignOnProvider }) {
  const form = useScreenForm<{ checks: SignOnCheck[] }>({
    intent: "test",
    failed: "The test could not be run.",
    keep: true,
    onDone: () => {},
  });
  const isSaving = useFetchers().some(({ formData }) => formData?.get(FORM_FIELDS.intent) === "save");
  const checks = form.answer?.ok ? form.answer.result?.checks : undefined;
  return (
    <div className="flex flex-col gap-3">
      <ScreenForm state={form} className="flex flex-wrap items-center gap-3">
        <Button type="submit" disabled={isSaving} pending={form.pending} pendingLabel="Testing…">
          Test
        </Button>
        <p className="text-sm text-muted">
          {provider.tested_at === null ? (
            "These settings have not passed a test."
          ) : (
            <>
              Passed at <LocalTime at={provider.tested_at} />
            </>
          )}
        </p>
      </ScreenForm>
      <div role="status">
        {checks && (
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 text-sm">
            {checks.map(({ name, result, message }) => (
              <div key={name} className="contents">
                <dt>
                  <StatusDot
                    {...STATES[result]}
                    label={
                      <>
                        {name}
                        <span className="sr-only">: {STATES[result].label}</span>
                      </>
                    }
                  />
                </dt>
                <dd>{message}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      {provider.last_failure_at !== null && (
        <p className="text-sm text-muted">
          Last failed sign-in at <LocalTime at={provider.last_failure_at} />: {provider.last_failure}
        </p>
      )}
    </div>
  );
}
