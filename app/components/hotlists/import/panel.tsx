import { Link } from "@remix-run/react";
import { Columns3, Download, FileUp, TriangleAlert } from "lucide-react";
import { useCallback, useEffect, useId, useRef, useState } from "react";
import { callApi, notifyFailure } from "#app/components/forms/api.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { SelectField } from "#app/components/ui/fields/labeled.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import {
  IMPORT_MAX_BYTES,
  IMPORT_MODES,
  IMPORT_PRESETS,
  type ImportMode,
  type ImportStatus,
  ignoredText,
  isImportBusy,
  SAVED_PREFIX,
} from "#app/entities/hotlists/import.ts";
import { numberText } from "#app/lib/number-text.ts";
import { Counts, Issues, LastImport, STATE_WORDS } from "./findings.tsx";
import { MappingActions, useMappings } from "./mapping-actions.tsx";

const POLL_MS = 1000;

export type ImportPanelProps = {
  groupId: string;
  groupName: string;
  initial: ImportStatus | null;
  /** Called after the import has changed the list in force. */
  onApplied: () => void;
};

/** Imports a hotlist file: choose it, check it in the background, preview the changes, apply them. */
export function ImportPanel({ groupId, groupName, initial, onApplied }: ImportPanelProps) {
  const [status, setStatus] = useState(initial);
  const path = `/groups/${encodeURIComponent(groupId)}/import`;
  const applied = useRef(onApplied);
  applied.current = onApplied;
  const busy = status !== null && isImportBusy(status.state);

  const load = useCallback(
    async (signal?: AbortSignal) => {
      const answer = await callApi<{ import: ImportStatus | null }>(path, { background: true, signal });
      if (!answer.ok || signal?.aborted) return;
      setStatus(answer.value.import);
      if (answer.value.import?.state === "applied") applied.current();
    },
    [path],
  );

  useEffect(() => {
    if (!busy) return;
    const leave = new AbortController();
    const timer = setInterval(() => load(leave.signal), POLL_MS);
    return () => {
      leave.abort();
      clearInterval(timer);
    };
  }, [busy, load]);

  const act = useCallback(
    async (id: string, what: "apply" | "cancel") => {
      const answer = await callApi<ImportStatus>(`${path}/${encodeURIComponent(id)}/${what}`, {
        method: "POST",
        failed: what === "apply" ? "The import could not be applied." : "The import could not be canceled.",
      });
      if (!answer.ok) {
        if (answer.declined) return false;
        notifyFailure(answer);
        // It may have been applied or canceled, here with a lost answer or in another window.
        await load();
        return false;
      }
      setStatus(answer.value);
      if (what === "apply") {
        notify.success("The new list is active.");
        applied.current();
      }
      return true;
    },
    [path, load],
  );

  const open = status !== null && (busy || status.state === "ready" || status.state === "mapping");
  return (
    <div className="flex flex-col gap-3">
      {status && open ? (
        <OpenImport status={status} groupName={groupName} onAct={(what) => act(status.id, what)} />
      ) : (
        <>
          {status && <LastImport status={status} />}
          <NewImport path={path} onStarted={setStatus} onRefused={load} />
        </>
      )}
    </div>
  );
}

type NewImportProps = {
  path: string;
  onStarted: (status: ImportStatus) => void;
  /** Called if another import of the group is open, which the panel then shows instead. */
  onRefused: () => Promise<void>;
};

type ConflictRule = "keep" | "replace";

function NewImport({ path, onStarted, onRefused }: NewImportProps) {
  const id = useId();
  const [file, setFile] = useState<File | null>(null);
  const [preset, setPreset] = useState<string>("auto");
  const [mode, setMode] = useState<ImportMode>("add");
  const [conflict, setConflict] = useState<ConflictRule>("keep");
  const { upload, uploading, problem, clearProblem } = useUpload({ path, onStarted, onRefused });

  return (
    <div className="flex flex-col gap-3">
      <LayoutField preset={preset} onPreset={setPreset} />
      <div className="flex flex-col gap-1">
        <label htmlFor={id} className="text-sm font-medium">
          File
        </label>
        <input
          id={id}
          type="file"
          accept=".csv,.txt,.tsv,.tbl,.dat,text/csv,text/plain"
          className="control w-full min-w-0 p-1.5 text-sm file:me-3 file:rounded-sm file:border-0 file:bg-sunken file:px-2 file:py-1 file:font-medium file:text-text"
          onChange={(event) => {
            setFile(event.currentTarget.files?.[0] ?? null);
            clearProblem();
          }}
        />
      </div>
      {/* Belongs to no form, so that Enter does not submit the one around the panel. */}
      <Segmented label="Mode" form="no-form-import" options={IMPORT_MODES} value={mode} onSelect={setMode} />
      {mode === "add" && (
        <SelectField
          label="If a plate is already listed"
          value={conflict}
          onChange={(event) => setConflict(event.currentTarget.value === "replace" ? "replace" : "keep")}
        >
          <option value="keep">Keep existing entry</option>
          <option value="replace">Change what the file has columns for</option>
        </SelectField>
      )}
      <div role="alert" className="empty:hidden">
        {problem && <p className="text-sm font-medium text-hit">{problem}</p>}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          icon={<FileUp />}
          pending={uploading}
          pendingLabel="Uploading…"
          onClick={() => upload(file, { preset, mode, on_conflict: conflict })}
        >
          Check the file
        </Button>
        <a href="/templates/hotlist-plates.csv" download className={buttonClass("ghost")}>
          <Download aria-hidden="true" />
          Template
        </a>
      </div>
      <p className="text-xs text-muted">You'll preview the changes first. Up to two million rows, 95 MB.</p>
    </div>
  );
}

type UploadChoices = { preset: string; mode: ImportMode; on_conflict: ConflictRule };

/** The longest name that the server accepts, in characters. */
const FILE_NAME_MAX = 200;

/** Uploads a file, which starts its import. `problem` says why it did not start; "" if nothing is wrong. */
function useUpload({ path, onStarted, onRefused }: NewImportProps) {
  const [uploading, setUploading] = useState(false);
  const [problem, setProblem] = useState("");

  async function upload(file: File | null, choices: UploadChoices) {
    if (uploading) return;
    if (!file) return setProblem("Choose a file.");
    if (file.size > IMPORT_MAX_BYTES)
      return setProblem("A hotlist file has at most 95 MB. Split it, and use Add.");
    setUploading(true);
    setProblem("");
    const query = new URLSearchParams({ ...choices, name: file.name.slice(-FILE_NAME_MAX) });
    const answer = await callApi<ImportStatus>(`${path}?${query}`, {
      method: "POST",
      body: new Blob([file], { type: "application/octet-stream" }),
    });
    setUploading(false);
    if (answer.ok) onStarted(answer.value);
    else if (answer.status === 409) {
      notifyFailure(answer);
      await onRefused();
    } else setProblem(`Upload failed: ${answer.message || "network error."}`);
  }

  return { upload, uploading, problem, clearProblem: () => setProblem("") };
}

type LayoutFieldProps = { preset: string; onPreset: (preset: string) => void };

/** The layout of the file: one that the agency has saved, which can be changed here, or a vendor's layout. */
function LayoutField({ preset, onPreset }: LayoutFieldProps) {
  const { mappings, reload } = useMappings();
  const saved = mappings.find(({ id }) => `${SAVED_PREFIX}${id}` === preset);
  const chosen = IMPORT_PRESETS.find(({ value }) => value === preset);
  return (
    <>
      <SelectField
        label="Layout"
        hint={saved ? "Saved by your agency" : chosen?.hint}
        value={preset}
        onChange={(event) => onPreset(event.currentTarget.value)}
      >
        {mappings.length > 0 && (
          <optgroup label="Your agency">
            {mappings.map((mapping) => (
              <option key={mapping.id} value={`${SAVED_PREFIX}${mapping.id}`}>
                {mapping.name}
              </option>
            ))}
          </optgroup>
        )}
        {IMPORT_PRESETS.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </SelectField>
      {saved && (
        <MappingActions
          key={saved.id}
          mapping={saved}
          onChanged={reload}
          onDeleted={() => {
            onPreset("auto");
            void reload();
          }}
        />
      )}
    </>
  );
}

function OpenImport({
  status,
  groupName,
  onAct,
}: {
  status: ImportStatus;
  groupName: string;
  onAct: (what: "apply" | "cancel") => Promise<boolean>;
}) {
  const [confirming, setConfirming] = useState(false);
  const [canceling, setCanceling] = useState(false);
  const replaces = status.mode === "replace";
  const canCancel = ["reading", "mapping", "comparing", "ready"].includes(status.state);
  return (
    <section aria-label="Import" className="flex flex-col gap-3">
      <p className="min-w-0 wrap-anywhere">
        <strong>{status.file_name}</strong>{" "}
        <span className="text-sm text-muted">
          {status.layout_name && `${status.layout_name}, `}
          {IMPORT_MODES.find(({ value }) => value === status.mode)?.label}, by {status.started_by}
        </span>
      </p>
      <p aria-live="polite" className="text-sm font-medium">
        {STATE_WORDS[status.state]}
      </p>
      {isImportBusy(status.state) && (
        <Progress
          label={STATE_WORDS[status.state]}
          value={status.state === "reading" ? status.offset : undefined}
          max={status.size}
        />
      )}
      {status.state !== "mapping" && <Counts status={status} />}
      {status.state === "ready" && replaces && status.rejected > 0 && (
        <p className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          Plates in rejected rows will not be on the new list.
        </p>
      )}
      {status.ignored_columns.length > 0 && (
        <p className="text-sm text-warn wrap-anywhere">
          {ignoredText(status.ignored_columns)} To use one, cancel, and import the file with the layout
          "Choose the columns".
        </p>
      )}
      <Issues status={status} />
      <div className="flex flex-wrap gap-2">
        {status.state === "mapping" && (
          <Link to={`/groups/${encodeURIComponent(status.group_id)}/columns`} className={buttonClass()}>
            <Columns3 aria-hidden="true" />
            Choose Columns
          </Link>
        )}
        {status.state === "ready" && (
          <Button variant={replaces ? "danger" : "secondary"} onClick={() => setConfirming(true)}>
            {replaces ? "Replace All Plates" : "Add Plates"}
          </Button>
        )}
        {canCancel && (
          <Button
            pending={canceling}
            onClick={async () => {
              setCanceling(true);
              await onAct("cancel");
              setCanceling(false);
            }}
          >
            Cancel import
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        title={replaces ? `Replace all plates of ${groupName}?` : `Add plates to ${groupName}?`}
        confirmLabel={replaces ? "Replace All Plates" : "Add Plates"}
        pendingLabel="Applying…"
        danger={replaces}
        onConfirm={() => onAct("apply")}
      >
        {numberText(status.added)} plates are added
        {replaces && `, ${numberText(status.removed)} are removed from matching`},{" "}
        {numberText(status.unchanged)} stay unchanged. All changes take effect together; removed plates stay
        in the history.
      </ConfirmDialog>
    </section>
  );
}
