import { LocalTime } from "#app/components/ui/local-time.tsx";
import { StatusDot } from "#app/components/ui/status-dot.tsx";
import type { Health } from "#app/entities/integrations/settings.ts";

const LOOKS = {
  unknown: { tone: "neutral", shape: "ring", label: "Not asked yet" },
  ok: { tone: "ok", shape: "full", label: "Answers" },
  failing: { tone: "warn", shape: "half", label: "Failing" },
  paused: { tone: "hit", shape: "cross", label: "Left alone after failures" },
} as const;

/** How an integration has answered of late, in a word and in the vendor's failure. */
export function HealthState({ health }: { health: Health }) {
  const { last_ok_at: ok, last_failure_at: failed, last_failure: words, state } = health;
  return (
    <div className="flex flex-col text-sm">
      <StatusDot {...LOOKS[state]} />
      {ok !== null && (
        <span className="text-xs text-muted">
          Last answer <LocalTime at={ok} short />
        </span>
      )}
      {state !== "ok" && failed !== null && (
        <span className="text-xs text-muted">
          {words} <LocalTime at={failed} short />
        </span>
      )}
    </div>
  );
}
