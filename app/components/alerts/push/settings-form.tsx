import { type FormEvent, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { TimeInput } from "#app/components/ui/fields/time-input.tsx";
import { PushSettings } from "#app/entities/alerts/push.ts";

const NIGHT = { quiet_from: "22:00", quiet_until: "06:00" };

/** Turns push alerts on or off immediately. Quiet hours need Save, because a partly typed time is invalid. */
export function PushSettingsForm({
  settings,
  onSaved,
}: {
  settings: PushSettings;
  onSaved: (settings: PushSettings) => void;
}) {
  const zone = settings.time_zone || Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [hours, setHours] = useState(settings.quiet_from !== null);
  const { mutate, pending, problem, setProblem } = useMutation({ inline: true, refresh: "never" });

  async function save(next: PushSettings, message: string) {
    const parsed = PushSettings.safeParse(next);
    if (!parsed.success) return setProblem(parsed.error.issues[0]?.message ?? "");
    setProblem("");
    const saved = callApi<PushSettings>("/push/settings", {
      method: "PUT",
      json: parsed.data,
      failed: "Your push settings could not be saved.",
    });
    await mutate(saved, {
      done: (value) => {
        onSaved(value);
        notify.success(message);
      },
    });
  }
  const toggle = (enabled: boolean) =>
    save({ ...settings, enabled }, enabled ? "Push alerts are on" : "Push alerts are off");
  const withoutHours = () =>
    save({ ...settings, quiet_from: null, quiet_until: null }, "Quiet hours are off");

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const time = (name: string) => String(form.get(name) ?? "");
    void save(
      { ...settings, quiet_from: time("from"), quiet_until: time("until"), time_zone: zone },
      "Quiet hours saved",
    );
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      <Checkbox
        checked={settings.enabled}
        disabled={pending !== undefined}
        onCheckedChange={toggle}
        label="Push alerts to my devices"
        hint="Applies to the iOS app and to browsers."
      />
      <Checkbox
        checked={hours}
        disabled={pending !== undefined}
        onCheckedChange={(on) => {
          setHours(on);
          if (!on && settings.quiet_from !== null) void withoutHours();
        }}
        label="Quiet hours"
        hint="Hits still appear in the list, without notifications."
      />
      {hours && (
        <div className="flex flex-wrap items-end gap-3">
          <Field label="From">
            {(control) => (
              <TimeInput
                {...control}
                name="from"
                type="time"
                required
                defaultValue={settings.quiet_from ?? NIGHT.quiet_from}
              />
            )}
          </Field>
          <Field label="Until">
            {(control) => (
              <TimeInput
                {...control}
                name="until"
                type="time"
                required
                defaultValue={settings.quiet_until ?? NIGHT.quiet_until}
              />
            )}
          </Field>
          <Button type="submit" pending={pending !== undefined}>
            Save quiet hours
          </Button>
          <p className="w-full text-xs text-muted">Time zone: {zone.replaceAll("_", " ")}.</p>
        </div>
      )}
      <ErrorBox message={problem} />
    </form>
  );
}
