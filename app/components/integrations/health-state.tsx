import { LocalTime } from "#app/components/ui/local-time.tsx";
import { StatusDot } from "#app/components/ui/status-dot.tsx";
import type { Health } from "#app/entities/integrations/settings.ts";

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
