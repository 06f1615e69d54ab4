import { History, MoreHorizontal, Pencil, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import type { PastReadsQuestion } from "#app/entities/archive/past-reads.ts";
import type { HotlistPlate } from "#app/entities/hotlists/entry.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { draftOf, EditPlateDialog, savePlate } from "./edit-dialog.tsx";
import { PastReadsDialog } from "./past-reads.tsx";
import type { usePlatePages } from "./use-pages.ts";

type PlateActionsProps = {
  groupId: string;
  groupName: string;
  plate: HotlistPlate;
  pages: ReturnType<typeof usePlatePages>;
  onRemoved: () => void;
};

export function PlateActions({ groupId, groupName, plate, pages, onRemoved }: PlateActionsProps) {
  const [asking, setAsking] = useState<"edit" | "remove">();
  const [past, setPast] = useState<PastReadsQuestion>();
  async function renew() {
    const answer = await savePlate(groupId, plate, draftOf(plate), true);
    if (!answer.ok) return notify.error(answer.message);
    pages.replace(answer.value.plate);
    notify.success(`${plate.plate_number} has been renewed.`);
    if (pages.part !== "in-force") await pages.reload();
  }
  return (
    <>
      <span className="flex items-center gap-1">
        {pages.part !== "in-force" && (
          <Button size="sm" variant="ghost" onClick={renew}>
            Renew<span className="sr-only"> {plate.plate_number}</span>
          </Button>
        )}
        <Button size="sm" variant="ghost" onClick={() => setAsking("remove")}>
          Remove<span className="sr-only"> {plate.plate_number}</span>
        </Button>
        <Menu
          label={`More for ${plate.plate_number}`}
          align="end"
          trigger={
            <IconButton size="sm" label={`More for ${plate.plate_number}`} icon={<MoreHorizontal />} />
          }
        >
          <MenuItem icon={<Pencil />} onSelect={() => setAsking("edit")}>
            Edit
          </MenuItem>
          <MenuItem icon={<RefreshCw />} onSelect={renew}>
            Renew
          </MenuItem>
          <MenuItem icon={<History />} onSelect={() => setPast(questionOf(plate))}>
            Past reads
          </MenuItem>
          <MenuItem icon={<Trash2 />} danger onSelect={() => setAsking("remove")}>
            Remove
          </MenuItem>
        </Menu>
      </span>
      {asking === "edit" && (
        <EditPlateDialog
          groupId={groupId}
          plate={plate}
          onSaved={pages.replace}
          onClose={() => setAsking(undefined)}
        />
      )}
      {past && <PastReadsDialog question={past} onClose={() => setPast(undefined)} />}
      <ConfirmDialog
        open={asking === "remove"}
        onClose={() => setAsking(undefined)}
        title={`Remove ${plate.plate_number} from ${groupName}?`}
        confirmLabel="Remove"
        pendingLabel="Removing…"
        danger
        onConfirm={async () => {
          const answer = await callApi(`/groups/${encodeURIComponent(groupId)}/remove-plate`, {
            body: new URLSearchParams({ plate_id: String(plate.id) }),
            failed: MESSAGES.plateRemoveFailed,
          });
          if (!answer.ok) {
            if (answer.declined) return false;
            notify.error(
              answer.message === MESSAGES.plateRemoveFailed
                ? answer.message
                : `${MESSAGES.plateRemoveFailed} ${answer.message}`,
            );
            return false;
          }
          pages.drop(plate.id);
          onRemoved();
        }}
      >
        It is no longer matched, from this moment on. That it was watched stays in the history.
      </ConfirmDialog>
    </>
  );
}

function questionOf(plate: HotlistPlate): PastReadsQuestion {
  const { plate_number, state, match_policy, state_required, case_number } = plate;
  return { plate_number, state, match_policy, state_required, case_number };
}
