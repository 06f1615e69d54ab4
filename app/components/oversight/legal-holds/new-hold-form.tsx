import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { TimeZoneField } from "#app/components/forms/time-zone-field.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input, Textarea } from "#app/components/ui/fields/input.tsx";

/** Requests a hold. Times are the viewer's own; the agency's where no script knows the viewer's. */
export function NewHoldForm({ zone }: { zone: string }) {
  const form = useScreenForm({ intent: "request", failed: "The hold could not be asked for." });
  return (
    <ScreenForm state={form} className="flex flex-col gap-3">
      <TimeZoneField zone={zone} />
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label="Case number" required error={form.problem("case_number")}>
          {(control) => (
            <Input
              {...control}
              name="case_number"
              defaultValue={form.value("case_number")}
              maxLength={64}
              autoComplete="off"
            />
          )}
        </Field>
        <Field label="Reads from" required error={form.problem("start")}>
          {(control) => (
            <Input {...control} name="start" type="datetime-local" defaultValue={form.value("start")} />
          )}
        </Field>
        <Field label="Until" required error={form.problem("end")}>
          {(control) => (
            <Input {...control} name="end" type="datetime-local" defaultValue={form.value("end")} />
          )}
        </Field>
      </div>
      <Field label="Plates" required hint="Separated by commas or lines." error={form.problem("plates")}>
        {(control) => (
          <Textarea
            {...control}
            name="plates"
            rows={2}
            defaultValue={form.value("plates")}
            className="plate-text"
            autoComplete="off"
          />
        )}
      </Field>
      <Field label="Reason" required error={form.problem("reason")}>
        {(control) => (
          <Textarea {...control} name="reason" rows={2} defaultValue={form.value("reason")} maxLength={500} />
        )}
      </Field>
      <Button
        type="submit"
        variant="primary"
        className="self-start"
        pending={form.pending}
        pendingLabel="Asking…"
      >
        Ask for a hold
      </Button>
    </ScreenForm>
  );
}
