import { useNavigate } from "@remix-run/react";
import { type FormEvent, useState } from "react";
import { callApi, problemOf, wasDeclined } from "#app/components/account/call-api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Checkbox } from "#app/components/ui/checkbox.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { notify } from "#app/components/ui/notify.ts";
import { Select } from "#app/components/ui/select.tsx";
import {
  AgencyChange,
  type AgencyWithPolicy,
  POLICY_NUMBERS,
  POLICY_SWITCHES,
  TIME_ZONES,
} from "#app/entities/policy.ts";

/** An agency's name and its policy, saved as a whole. */
export function PolicyForm({ agency }: { agency: Pick<AgencyWithPolicy, "id" | "name" | "policy"> }) {
  const navigate = useNavigate();
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const numbers = POLICY_NUMBERS.map(({ key }) => [key, numberOf(String(form.get(key) ?? ""))]);
    const switches = POLICY_SWITCHES.map(({ key }) => [key, form.has(key)]);
    const zone = ["time_zone", form.get("time_zone")];
    const change = { name: form.get("name"), policy: Object.fromEntries([...numbers, ...switches, zone]) };
    const parsed = AgencyChange.safeParse(change);
    if (!parsed.success) {
      const found = parsed.error.issues.map(({ path, message }) => [String(path.at(-1)), message] as const);
      event.currentTarget.querySelector<HTMLElement>(`[name=${found[0]?.[0]}]`)?.focus();
      return setProblems(Object.fromEntries(found));
    }
    setProblems({});
    setPending(true);
    try {
      await callApi(`/owner/agencies/${encodeURIComponent(agency.id)}`, { method: "PUT", body: parsed.data });
      notify.success(`${parsed.data.name} saved`);
      navigate("/owner");
    } catch (error) {
      if (!wasDeclined(error)) setProblems({ name: problemOf(error, "The agency could not be saved.") });
    } finally {
      setPending(false);
    }
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-6">
      <Field label="Name" error={problems.name} required>
        {(control) => <Input {...control} name="name" defaultValue={agency.name} maxLength={120} />}
      </Field>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-lg font-semibold">Policy</legend>
        {POLICY_SWITCHES.map(({ key, label, hint }) => (
          <Checkbox key={key} name={key} defaultChecked={agency.policy[key]} label={label} hint={hint} />
        ))}
        <div className="mt-2 grid gap-x-4 gap-y-4 sm:grid-cols-2">
          <Field
            label="Time zone"
            hint="Unusual hours of searches are told by it."
            error={problems.time_zone}
          >
            {(control) => (
              <Select {...control} name="time_zone" defaultValue={agency.policy.time_zone}>
                {TIME_ZONES.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          {POLICY_NUMBERS.map(({ key, label, unit, least, most, hint }) => (
            <Field
              key={key}
              label={label}
              hint={hint}
              error={problems[key]}
              aside={`${least} to ${most} ${unit}`}
            >
              {(control) => (
                <Input
                  {...control}
                  name={key}
                  type="number"
                  inputMode="numeric"
                  min={least}
                  max={most}
                  step={1}
                  defaultValue={agency.policy[key]}
                />
              )}
            </Field>
          ))}
        </div>
      </fieldset>
      <div className="flex gap-2">
        <Button type="submit" variant="primary" pending={pending} pendingLabel="Saving…">
          Save Changes
        </Button>
        <Button onClick={() => navigate("/owner")}>Cancel</Button>
      </div>
    </form>
  );
}

/** An empty field is no number, and not nought. */
function numberOf(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text);
}
