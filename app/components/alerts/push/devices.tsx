import { Bell, BellOff, Globe, Smartphone, Trash2 } from "lucide-react";
import { type FormEvent, useCallback, useEffect, useState } from "react";
import { Sheet } from "#app/components/accounts/sheet.tsx";
import { type Answer, callApi, notifyFailure } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useStanding, useUser } from "#app/components/shell/use-standing.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { SelectField } from "#app/components/ui/fields/labeled.tsx";
import { TimeInput } from "#app/components/ui/fields/time-input.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { CurrentUser } from "#app/entities/accounts/actor.ts";
import { NO_IPHONES, type PushChannel, type PushDevice, PushSettings } from "#app/entities/alerts/push.ts";
import { viewerZone } from "#app/lib/time/wall-clock.ts";
import { ownHash, pushProblemHere, rememberHere, subscribeHere, unsubscribeHere } from "./this-browser.ts";

type Channels = Record<PushChannel, boolean>;
type Loaded = {
  devices: PushDevice[];
  channels: Channels;
  settings: PushSettings;
  browserHash: string | null;
};

/** The user's push devices and push settings. Empty for users who may not see hotlists. */
export function PushDevices() {
  const standing = useStanding();
  const user = useUser();
  return user && mayUse("hotlist-viewer", standing) ? <Panel user={user} /> : null;
}

function Panel({ user }: { user: CurrentUser }) {
  const [loaded, setLoaded] = useState<Loaded | "failed">();

  const load = useCallback(async () => {
    const [list, settings, browserHash] = await Promise.all([
      callApi<{ devices: PushDevice[]; channels: Channels }>("/push/devices"),
      callApi<PushSettings>("/push/settings"),
      ownHash().catch(() => null),
    ]);
    if (list.ok && settings.ok) setLoaded({ ...list.value, settings: settings.value, browserHash });
    else setLoaded("failed");
  }, []);
  useEffect(() => void load(), [load]);

  return (
    <Sheet
      title="Push alerts"
      lead="Notifies your devices of hits, even when they are locked. Notifications show no plate, name or reason."
      needsScripts
    >
      {loaded === undefined && <Skeleton className="h-40 w-full" />}
      {loaded === "failed" && (
        <p className="flex flex-wrap items-center gap-3 text-muted">
          Your push settings could not be loaded.
          <Button size="sm" onClick={load}>
            Try again
          </Button>
        </p>
      )}
      {typeof loaded === "object" && (
        <div className="flex flex-col gap-4">
          <PushSettingsForm
            key={JSON.stringify(loaded.settings)}
            settings={loaded.settings}
            onSaved={(settings) => setLoaded({ ...loaded, settings })}
          />
          {!loaded.channels.apns && <p className="text-sm text-muted">{NO_IPHONES}</p>}
          {loaded.channels.webpush ? (
            <ThisBrowser user={user} loaded={loaded} onChanged={load} />
          ) : (
            <p className="text-sm text-muted">Pushes to browsers are not set up in this installation.</p>
          )}
          <DeviceList
            user={user}
            devices={loaded.devices}
            channels={loaded.channels}
            browserHash={loaded.browserHash}
            onChanged={load}
          />
        </div>
      )}
    </Sheet>
  );
}

const CHANGE_FAILED = "The setting of this browser could not be saved.";

function ThisBrowser({
  user,
  loaded,
  onChanged,
}: {
  user: CurrentUser;
  loaded: Loaded;
  onChanged: () => Promise<void>;
}) {
  const { devices, browserHash, settings } = loaded;
  const [pending, setPending] = useState(false);
  const here = devices.find((device) => device.address_hash === browserHash && device.dropped_at === null);
  const problem = pushProblemHere();

  async function change(work: () => Promise<Answer<unknown>>, done: string) {
    setPending(true);
    try {
      const answer = await work();
      if (answer.ok) notify.success(done);
      else notifyFailure(answer);
    } catch (error) {
      // The browser's refusals are plain errors with a message for the user.
      notify.error((error instanceof Error && error.name === "Error" && error.message) || CHANGE_FAILED);
    } finally {
      await onChanged();
      setPending(false);
    }
  }
  const turnOn = () =>
    change(async () => {
      const found = await callApi<{ key: string }>("/push/key", { failed: CHANGE_FAILED });
      if (!found.ok) return found;
      const added = await callApi<PushDevice>("/push/devices", {
        json: await subscribeHere(found.value.key),
        failed: CHANGE_FAILED,
      });
      if (!added.ok) return added;
      rememberHere(user, added.value.address_hash);
      // Always sent: another device may have turned push alerts off in the meantime.
      return callApi("/toggle-push-alerts", { json: { push_alerts: true }, failed: CHANGE_FAILED });
    }, "Push alerts are on, and this browser shows hits from now on");
  const turnOff = () =>
    change(async () => {
      await unsubscribeHere(user.id);
      if (!here) return { ok: true, value: undefined };
      return callApi(`/push/devices/${encodeURIComponent(here.id)}`, {
        method: "DELETE",
        failed: CHANGE_FAILED,
      });
    }, "This browser no longer shows hits");

  if (problem) return <p className="text-sm text-muted">{problem}</p>;
  return here ? (
    <>
      {!settings.enabled && (
        <p className="text-sm text-warn">
          Push alerts are off: this browser shows no hits until they are turned on above.
        </p>
      )}
      <Button className="self-start" icon={<BellOff />} pending={pending} onClick={turnOff}>
        Turn off in this browser
      </Button>
    </>
  ) : (
    <Button className="self-start" icon={<Bell />} pending={pending} onClick={turnOn}>
      Turn on in this browser
    </Button>
  );
}

const ICONS = { apns: Smartphone, webpush: Globe } as const;

function DeviceList({
  user,
  devices,
  channels,
  browserHash,
  onChanged,
}: {
  user: CurrentUser;
  devices: PushDevice[];
  channels: Channels;
  browserHash: string | null;
  onChanged: () => Promise<void>;
}) {
  if (devices.length === 0) {
    return (
      <p className="text-sm text-muted">
        No device is registered.{channels.apns && " An iPhone registers itself in the app."}
      </p>
    );
  }
  async function remove({ id, address_hash }: PushDevice) {
    const failed = "The device could not be removed.";
    try {
      if (address_hash === browserHash) await unsubscribeHere(user.id);
      const answer = await callApi(`/push/devices/${encodeURIComponent(id)}`, { method: "DELETE", failed });
      if (answer.ok) notify.success("Device removed");
      else notifyFailure(answer);
    } catch {
      notify.error(failed);
    }
    await onChanged();
  }
  return (
    <ul aria-label="Devices" className="flex flex-col divide-y divide-line border-t border-line">
      {devices.map((device) => {
        const Icon = ICONS[device.channel];
        return (
          <li key={device.id} className="flex items-center gap-3 py-2">
            <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
            <span className="min-w-0 flex-1">
              <span className="flex flex-wrap items-center gap-2 font-medium">
                <span className="min-w-0">{device.name}</span>
                {device.address_hash === browserHash && <Badge tone="ok">This browser</Badge>}
                {device.dropped_at !== null && <Badge tone="warn">No longer notified</Badge>}
              </span>
              <span className="block text-xs text-muted">
                {device.dropped_at !== null ? (
                  <>
                    {device.dropped} since <LocalTime at={device.dropped_at} short />
                  </>
                ) : device.last_used_at !== null ? (
                  <>
                    Last notified <LocalTime at={device.last_used_at} short />
                  </>
                ) : (
                  <>
                    Registered <LocalTime at={device.created_at} short />, not notified yet
                  </>
                )}
              </span>
            </span>
            <IconButton
              label={`Remove ${device.name}`}
              icon={<Trash2 />}
              variant="ghost"
              onClick={() => remove(device)}
            />
          </li>
        );
      })}
    </ul>
  );
}

const NIGHT = { quiet_from: "22:00", quiet_until: "06:00" };
const QUIET_TIMES = [
  { label: "From", name: "from", setting: "quiet_from" },
  { label: "Until", name: "until", setting: "quiet_until" },
] as const;

/** Turns push alerts on or off immediately. Quiet hours need Save, because a partly typed time is invalid. */
function PushSettingsForm({
  settings,
  onSaved,
}: {
  settings: PushSettings;
  onSaved: (settings: PushSettings) => void;
}) {
  // Otherwise, after a move to another zone, quiet hours would stay in the former one.
  const zones = [...new Set([settings.time_zone || viewerZone(), viewerZone()])];
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
    const text = (name: string) => String(form.get(name) ?? "");
    void save(
      { ...settings, quiet_from: text("from"), quiet_until: text("until"), time_zone: text("zone") },
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
          {QUIET_TIMES.map(({ label, name, setting }) => (
            <Field key={name} label={label}>
              {(control) => (
                <TimeInput
                  {...control}
                  name={name}
                  type="time"
                  required
                  defaultValue={settings[setting] ?? NIGHT[setting]}
                />
              )}
            </Field>
          ))}
          <SelectField
            label="Time zone"
            name="zone"
            options={zones.map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }))}
          />
          <Button type="submit" pending={pending !== undefined}>
            Save quiet hours
          </Button>
        </div>
      )}
      <ErrorBox message={problem} />
    </form>
  );
}
