import { History, MoreHorizontal, Pencil, RefreshCw, Search, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { callApi, notifyFailure } from "#app/components/forms/api.ts";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { openSearchFor } from "#app/components/search/form/hand-plate.ts";
import { Button } from "#app/components/ui/button.tsx";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import type { PastReadsQuestion } from "#app/entities/archive/past-reads.ts";
import { LOSS } from "#app/entities/form-answer.ts";
import { type HotlistPlate, RENEW_AT_ONCE } from "#app/entities/hotlists/entry.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { numberText } from "#app/lib/number-text.ts";
import { wallClock } from "#app/lib/time/wall-clock.ts";
import { PlateDialog } from "./dialog.tsx";
import { type PlateDraft, plateDraftOf } from "./fields.tsx";
import { PastReadsDialog } from "./past-reads.tsx";
import type { PlatePages } from "./use-pages.ts";

type PlateActionsProps = {
  groupId: string;
  groupName: string;
  plate: HotlistPlate;
  pages: PlatePages;
  /** Reasons to suggest when the entry is edited. */
  reasons: readonly string[];
  /** The zone of the viewer's agency, in which expiry dates are entered. */
  zone: string;
  onRemoved: () => void;
};

export function PlateActions(props: PlateActionsProps) {
  const { groupId, groupName, plate, pages, reasons, zone, onRemoved } = props;
  const [asking, setAsking] = useState<"edit" | "remove">();
  const [past, setPast] = useState<PastReadsQuestion>();
  function showSaved(saved: HotlistPlate) {
    pages.replace(saved);
    // The plate may belong to another part now.
    if (pages.part !== "in-force") void pages.reload();
  }
  async function renew() {
    const answer = await savePlate(groupId, plate, draftOf(plate), true);
    if (!answer.ok) {
      notifyFailure(answer);
      return isOutdated(answer) ? pages.reload() : undefined;
    }
    notify.success(`${plate.plate_number} has been renewed.`);
    showSaved(answer.value.plate);
  }
  return (
    <>
      <span className="flex items-center gap-1 noscript:hidden">
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
          <MenuItem icon={<Search />} onSelect={() => openSearchFor(plate.plate_number)}>
            Search this plate
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
          reasons={reasons}
          zone={zone}
          onSaved={showSaved}
          onClose={(isStale) => {
            setAsking(undefined);
            if (isStale) void pages.reload();
          }}
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
          });
          if (!answer.ok) {
            if (answer.declined) return false;
            const message = `${MESSAGES.plateRemoveFailed} ${answer.message}`.trim();
            notifyFailure({ ...answer, message });
            if (isOutdated(answer)) void pages.reload();
            return false;
          }
          pages.drop(plate.id);
          onRemoved();
        }}
      >
        The plate is no longer matched, effective immediately. The history keeps the record that it was
        listed.
      </ConfirmDialog>
    </>
  );
}

/** Returns whether the plate may differ from what is shown: a change was refused for that reason, or not answered. */
const isOutdated = ({ status, loss }: { status: number; loss: string }) =>
  status === 409 || status === 404 || loss === LOSS.unanswered;

function questionOf(plate: HotlistPlate): PastReadsQuestion {
  const { plate_number, state, match_policy, state_required, case_number } = plate;
  return { plate_number, state, match_policy, state_required, case_number };
}

type EditPlateProps = {
  groupId: string;
  plate: HotlistPlate;
  reasons: readonly string[];
  zone: string;
  onSaved: (plate: HotlistPlate) => void;
  /** `isStale` says that the plate differs from what is shown. */
  onClose: (isStale: boolean) => void;
};

/** Returns an entry's fields as the API expects them. */
function draftOf(plate: HotlistPlate): PlateDraft {
  return {
    number: plate.plate_number,
    state: plate.state,
    reason: plate.reason,
    notes: plate.notes,
    case_number: plate.case_number,
    expires: "",
    match_policy: plate.match_policy,
    state_required: plate.state_required,
    make: plate.make,
    color: plate.color,
    body_type: plate.body_type,
    priority: plate.priority,
  };
}

function savePlate(groupId: string, plate: HotlistPlate, draft: PlateDraft, renew: boolean) {
  const { number: _, ...details } = draft;
  return callApi<{ plate: HotlistPlate }>(`/groups/${encodeURIComponent(groupId)}/plates/${plate.id}`, {
    method: "PATCH",
    json: { ...details, revision: plate.revision, renew },
    failed: "The plate could not be saved.",
  });
}

function EditPlateDialog({ groupId, plate, reasons, zone, onSaved, onClose }: EditPlateProps) {
  const form = useRef<HTMLFormElement>(null);
  const initial = draftOf(plate);
  const values = useFormValues(form);
  const draft = values ? plateDraftOf(values) : initial;
  const { mutate, pending, problem } = useMutation({ inline: true, refresh: "never" });
  const saving = pending !== undefined;
  const isStale = useRef(false);
  async function save() {
    if (saving) return;
    const saved = savePlate(groupId, plate, draft, false);
    await mutate(saved, {
      done: (saved) => {
        onSaved(saved.plate);
        onClose(false);
      },
    });
    const answer = await saved;
    // Only the closed dialog shows the current plate; until then, typed input stays.
    isStale.current = !answer.ok && isOutdated(answer);
  }
  return (
    <PlateDialog
      title="Edit plate"
      plate={plate.plate_number}
      region={plate.state}
      initial={initial}
      form={form}
      onSave={save}
      onClose={() => onClose(isStale.current)}
      saving={saving}
      problem={problem}
      reasons={reasons}
      reasonRequired={plate.reason !== ""}
      expiryHint={
        plate.expires_at
          ? `Empty: keeps ${wallClock(Date.parse(plate.expires_at), zone).slice(0, 10)}`
          : "Empty: does not expire"
      }
    />
  );
}

/** Renews all plates that have expired or expire soon. */
export function RenewPart({ groupId, pages }: { groupId: string; pages: PlatePages }) {
  const { mutate, pending } = useMutation({ refresh: "never" });
  const { part, counts } = pages;
  if (part === "in-force") return null;
  const count = counts[part];
  async function renew() {
    const renewed = callApi<{ message: string }>(`/groups/${encodeURIComponent(groupId)}/renew-plates`, {
      json: { part },
      failed: "The plates could not be renewed.",
    });
    await mutate(renewed, {
      done: ({ message }) => {
        notify.success(message);
        return pages.reload();
      },
    });
  }
  return (
    <Button
      size="sm"
      icon={<RefreshCw />}
      pending={pending !== undefined}
      pendingLabel="Renewing…"
      onClick={renew}
    >
      {count > RENEW_AT_ONCE
        ? `Renew the first ${numberText(RENEW_AT_ONCE)}`
        : `Renew ${count === 1 ? "it" : `all ${numberText(count)}`}`}
    </Button>
  );
}
