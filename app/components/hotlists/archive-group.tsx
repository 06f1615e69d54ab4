import { callApi } from "#app/components/forms/api.ts";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import type { GroupDetails } from "#app/entities/hotlists/group.ts";
import { counted } from "#app/lib/number-text.ts";

export type ArchiveGroupProps = {
  group: Pick<GroupDetails, "id" | "name" | "plate_count">;
  open: boolean;
  onClose: () => void;
  onArchived: () => void;
};

/** Confirms, then archives a group. */
export function ArchiveGroup({ group, open, onClose, onArchived }: ArchiveGroupProps) {
  async function archive() {
    const answer = await callApi<{ msg: string }>("/archive-group", {
      json: { group_id: group.id },
      failed: "network error.",
    });
    if (!answer.ok) {
      if (!answer.declined) notify.error(`Failed to archive group: ${answer.message}`);
      return false;
    }
    notify.success(answer.value.msg);
    onArchived();
  }
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={`Delete group ${group.name}?`}
      confirmLabel="Delete Group"
      pendingLabel="Deleting…"
      danger
      onConfirm={archive}
    >
      Odin stops matching its {counted(group.plate_count, "plate")} immediately. Kept as history: its plates,
      hits and audit log entries, which hotlist admins of your agency can still read.
    </ConfirmDialog>
  );
}
