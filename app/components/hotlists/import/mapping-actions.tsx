import { Pencil, Trash2 } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { callApi, notifyFailure } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { MAPPING_NAME_MAX, type SavedMapping } from "#app/entities/hotlists/layout.ts";

/** Loads the agency's saved mappings. Empty until loaded, and if loading fails. */
export function useMappings(): { mappings: SavedMapping[]; reload: () => Promise<void> } {
  const [mappings, setMappings] = useState<SavedMapping[]>([]);
  const reload = useCallback(async () => {
    const answer = await callApi<{ mappings: SavedMapping[] }>("/hotlist/mappings", {
      background: true,
    });
    if (answer.ok) setMappings(answer.value.mappings);
  }, []);
  useEffect(() => {
    void reload();
  }, [reload]);
  return { mappings, reload };
}

/** Renames and deletes a saved mapping. Rendered inside the group's form, so it contains no form. */
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
      notifyFailure(answer);
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
        <InputField
          label="Name"
          error={problem}
          value={name}
          maxLength={MAPPING_NAME_MAX}
          autoComplete="off"
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setProblem("");
          }}
        />
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
        Files with this layout will need their columns chosen again. Imported plates stay.
      </ConfirmDialog>
    </div>
  );
}
