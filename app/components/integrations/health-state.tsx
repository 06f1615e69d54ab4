import { useRevalidator } from "@remix-run/react";
import { PlugZap } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { StatusDot } from "#app/components/ui/status-dot.tsx";
import type { Health, Tested } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";

/** Tests the credentials with the vendor and shows the result beside the button. */
export function TestButton({ path, of }: { path: string; of: string }) {
  const { revalidate } = useRevalidator();
  const [pending, setPending] = useState(false);
  const [answer, setAnswer] = useState<Tested>();

  async function test() {
    setPending(true);
    setAnswer(undefined);
    const tested = await callApi<Tested>(path, { method: "POST", failed: MESSAGES.unknownError });
    setPending(false);
    setAnswer(tested.ok ? tested.value : { ok: false, msg: tested.message });
    if (tested.ok) revalidate();
  }

  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <Button
        size="sm"
        icon={<PlugZap />}
        className="noscript:hidden"
        pending={pending}
        pendingLabel="Testing…"
        onClick={test}
      >
        Test<span className="sr-only"> {of}</span>
      </Button>
      <span role="status" className={cx("text-sm", answer && !answer.ok ? "text-hit" : "text-muted")}>
        {answer?.msg}
      </span>
    </span>
  );
}

const LOOKS = {
  unknown: { tone: "neutral", shape: "ring", label: "Not tested yet" },
  ok: { tone: "ok", shape: "full", label: "Responding" },
  failing: { tone: "warn", shape: "half", label: "Failing" },
  paused: { tone: "hit", shape: "cross", label: "Paused after failures" },
} as const;

/** Shows an integration's recent health: a label and the vendor's last error. */
export function HealthState({ health }: { health: Health }) {
  const { last_ok_at: ok, last_failure_at: failed, last_failure: reason, state } = health;
  return (
    <div className="flex flex-col text-sm">
      <StatusDot {...LOOKS[state]} />
      {ok !== null && (
        <span className="text-xs text-muted">
          Last response <LocalTime at={ok} short />
        </span>
      )}
      {state !== "ok" && failed !== null && (
        <span className="text-xs text-muted">
          {reason} <LocalTime at={failed} short />
        </span>
      )}
    </div>
  );
}
