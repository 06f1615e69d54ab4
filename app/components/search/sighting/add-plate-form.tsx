import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { StateOptions } from "#app/components/hotlists/plates/fields.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input, Textarea } from "#app/components/ui/fields/input.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { NOTES_MAX, REASON_MAX } from "#app/entities/hotlists/entry.ts";
import { MESSAGES } from "#app/entities/messages.ts";

export type AddPlateFormProps = {
  read: { plate: string; state: string };
  groups: { id: string; name: string }[];
};

/** Adds the plate of a sighting to a hotlist, also without scripts. */
export function AddPlateForm({ read, groups }: AddPlateFormProps) {
  const form = useScreenForm({ intent: "add-plate", failed: MESSAGES.hotlistFailed });
  return (
    <section aria-labelledby="add-plate" className="rounded-md border border-line bg-raised p-4">
      <h2 id="add-plate" className="mb-3 text-lg font-semibold">
        Add Plate to Hotlist
      </h2>
      <ScreenForm state={form} aria-labelledby="add-plate" className="flex max-w-xl flex-col gap-3">
        <input type="hidden" name="plate_number" value={read.plate} />
        <Field
          label="Group"
          required
          hint={groups.length === 0 ? "Your agency has no group yet. Create one under Alerts." : undefined}
          error={form.problem("group_id")}
        >
          {(control) => (
            <Select {...control} name="group_id" defaultValue={form.value("group_id", "")}>
              <option value="">Select a group</option>
              {groups.map((group) => (
                <option key={group.id} value={group.id}>
                  {group.name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Reason" required error={form.problem("reason")}>
          {(control) => (
            <Input {...control} name="reason" maxLength={REASON_MAX} defaultValue={form.value("reason")} />
          )}
        </Field>
        <Field label="State" hint="Optional" error={form.problem("state")}>
          {(control) => (
            <Select {...control} name="state" defaultValue={form.value("state", read.state)}>
              <option value="">Any state</option>
              <StateOptions current={read.state} />
            </Select>
          )}
        </Field>
        <Field label="Notes" hint="Optional" error={form.problem("notes")}>
          {(control) => (
            <Textarea
              {...control}
              name="notes"
              rows={3}
              maxLength={NOTES_MAX}
              defaultValue={form.value("notes")}
            />
          )}
        </Field>
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          pending={form.pending}
          pendingLabel="Saving..."
        >
          Add Plate to Hotlist
        </Button>
      </ScreenForm>
    </section>
  );
}
