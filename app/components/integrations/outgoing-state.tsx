import { Badge } from "#app/components/ui/badge.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { DeliveryState, OutgoingWebhookRow } from "#app/entities/integrations/outgoing-webhooks.ts";

export const SECRET_ONCE =
  "This secret is shown only once. The receiver verifies every message with it, by the Standard Webhooks specification.";

/** Shows whether a webhook is on, and if not, why. */
export function OutgoingState({ webhook }: { webhook: OutgoingWebhookRow }) {
  const { state, group, off_reason, paused_until, last_failure } = webhook;
  if (state === "off")
    return (
      <>
        <Badge tone="neutral">Off</Badge>
        <span className="block text-xs text-muted">{off_reason}</span>
      </>
    );
  if (group?.archived)
    return (
      <>
        <Badge tone="neutral">No events</Badge>
        <span className="block text-xs text-muted">The group is archived.</span>
      </>
    );
  if (state === "paused")
    return (
      <>
        <Badge tone="warn">Paused</Badge>
        <span className="block text-xs text-muted">
          {last_failure}. Tried again {paused_until === null ? "soon" : <LocalTime at={paused_until} short />}
          .
        </span>
      </>
    );
  return <Badge tone="ok">On</Badge>;
}

const DELIVERY_LOOKS = {
  pending: { tone: "accent", label: "Waiting" },
  delivered: { tone: "ok", label: "Delivered" },
  failed: { tone: "hit", label: "Failed" },
  cancelled: { tone: "neutral", label: "Canceled" },
} as const satisfies Record<DeliveryState, { tone: string; label: string }>;

export const DELIVERY_STATES = [
  { value: "", label: "All" },
  { value: "failed", label: DELIVERY_LOOKS.failed.label },
  { value: "pending", label: DELIVERY_LOOKS.pending.label },
  { value: "delivered", label: DELIVERY_LOOKS.delivered.label },
  { value: "cancelled", label: DELIVERY_LOOKS.cancelled.label },
] as const;

export function DeliveryStateBadge({ state }: { state: DeliveryState }) {
  const { tone, label } = DELIVERY_LOOKS[state];
  return <Badge tone={tone}>{label}</Badge>;
}
