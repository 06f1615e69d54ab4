import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { MAPPING_NAME_MAX, type SavedMapping } from "#app/entities/hotlists/layout.ts";

/** Renames and deletes a mapping of the agency. It lies within the form of the group, and is no form of its own. */
export function MappingActions({
  mapping,
  onChanged,
  onDeleted,
}: {
  mapping: SavedMapping;
  onChanged: () => unknown;
  onDeleted: () => void;
}) {
  const [renaming, setRenaming] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [name, setName] = useState(mapping.name);
  const [problem, setProblem] = useState("");
  const path = `/hotlist/mappings/${encodeURIComponent(mapping.id)}`;

  async function rename() {
    const answer = await callApi(path, {
      method: "PATCH",
      json: { name },
      failed: "The mapping could not be renamed.",
    });
    if (!answer.ok) {
      setProblem(answer.message);
      return false;
    }
    notify.success("Mapping renamed.");
    await onChanged();
    return true;
  }

  async function remove() {
    const answer = await callApi(path, { method: "DELETE", failed: "The mapping could not be deleted." });
    if (!answer.ok) {
      notify.error(answer.message);
      return false;
    }
    notify.success("Mapping deleted.");
    onDeleted();
    return true;
  }

  return (
    <div className="flex flex-wrap gap-2">
      <Button size="sm" variant="ghost" icon={<Pencil />} onClick={() => setRenaming(true)}>
        Rename mapping
      </Button>
      <Button size="sm" variant="ghost" icon={<Trash2 />} onClick={() => setDeleting(true)}>
        Delete mapping
      </Button>
      <ConfirmDialog
        open={renaming}
        onClose={() => setRenaming(false)}
        title={`Rename mapping ${mapping.name}`}
        confirmLabel="Rename"
        pendingLabel="Renaming…"
        onConfirm={rename}
      >
        <Field label="Name" error={problem}>
          {(control) => (
            <Input
              {...control}
              value={name}
              maxLength={MAPPING_NAME_MAX}
              autoComplete="off"
              // The form around it is the group's.
              onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
              onChange={(event) => {
                setName(event.currentTarget.value);
                setProblem("");
              }}
            />
          )}
        </Field>
      </ConfirmDialog>
      <ConfirmDialog
        open={deleting}
        onClose={() => setDeleting(false)}
        title={`Delete mapping ${mapping.name}?`}
        confirmLabel="Delete"
        pendingLabel="Deleting…"
        danger
        onConfirm={remove}
      >
        Files with this layout need their columns chosen again. Plates that were imported stay.
      </ConfirmDialog>
    </div>
  );
}
