import type { ScreenFormState } from "#app/components/forms/use-screen-form.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import {
  type DeliveryState,
  OUTGOING_EVENTS,
  type OutgoingWebhookRow,
} from "#app/entities/integrations/outgoing-webhooks.ts";

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

/** The fields of a new or an edited webhook. */
export function OutgoingFields<T>({
  form,
  webhook,
  mayShowPlates,
}: {
  form: ScreenFormState<T>;
  webhook?: OutgoingWebhookRow;
  /** Only administrators let messages contain plates. */
  mayShowPlates: boolean;
}) {
  const problem = form.problem("events");
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <InputField
          {...form.field("name", webhook?.name)}
          label="Name"
          required
          placeholder="What receives it, for example Dispatch"
          autoComplete="off"
          maxLength={120}
        />
        <InputField
          {...form.field("url", webhook?.url)}
          label="Address"
          hint={
            webhook?.plate_data && !mayShowPlates
              ? "Only administrators see the path, and change a webhook whose messages contain plates."
              : "https. The operator must allow its host. Values of its query are stored encrypted and shown as ***."
          }
          required
          type="url"
          placeholder="https://receiver.example.gov/odin"
          autoComplete="off"
          spellCheck={false}
          maxLength={2000}
        />
      </div>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">Events</legend>
        {OUTGOING_EVENTS.map(({ value, label, hint }) => (
          <Checkbox
            key={value}
            name="events"
            value={value}
            defaultChecked={form.has(
              "events",
              value,
              webhook ? webhook.events.includes(value) : value === "hit",
            )}
            label={label}
            hint={hint}
            aria-invalid={problem ? true : undefined}
          />
        ))}
        {problem && <p className="text-xs font-medium text-hit">{problem}</p>}
      </fieldset>
      {mayShowPlates && (
        <Checkbox
          name="plate_data"
          defaultChecked={form.has("plate_data", "on", webhook?.plate_data)}
          value="on"
          label="Messages contain plates"
          hint="Plate, vehicle, camera and place leave Odin with the message. Otherwise a message contains only ids, and the receiver signs in to fetch the rest."
        />
      )}
    </>
  );
}
