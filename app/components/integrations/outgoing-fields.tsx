import type { ScreenFormState } from "#app/components/forms/use-screen-form.ts";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { OUTGOING_EVENTS, type OutgoingWebhookRow } from "#app/entities/integrations/outgoing-webhooks.ts";

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
          hint="https, without a query. The operator must allow its host."
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
