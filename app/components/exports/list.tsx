import { Download, FileArchive, FileText, Trash2, X } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { Tone } from "#app/components/ui/tones.ts";
import { type ExportState, type ExportSummary, missingText } from "#app/entities/exports/request.ts";
import { sizeText } from "#app/lib/number-text.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { deleteExport } from "./run.ts";

const STATES: Record<ExportState, { label: string; tone: Tone }> = {
  queued: { label: "Waiting", tone: "neutral" },
  running: { label: "In progress", tone: "accent" },
  ready: { label: "Ready", tone: "ok" },
  failed: { label: "Failed", tone: "hit" },
  cancelled: { label: "Canceled", tone: "neutral" },
};

const isUnfinished = ({ state }: ExportSummary) => state === "queued" || state === "running";

/** The user's exports of the last seven days, with the hash of each file. */
export function ExportList() {
  const [exports, setExports] = useState<ExportSummary[] | "failed">();
  const { ask, dialog } = useConfirm();

  const load = useCallback(async (background = false) => {
    const answer = await callApi<ExportSummary[]>("/exports", { background, handles401: true });
    setExports((before) => (answer.ok ? answer.value : (before ?? "failed")));
  }, []);
  useEffect(() => void load(), [load]);
  const isChanging = Array.isArray(exports) && exports.some(isUnfinished);
  useEffect(() => {
    if (!isChanging) return;
    const timer = setInterval(() => load(true), 3 * SECOND);
    return () => clearInterval(timer);
  }, [isChanging, load]);

  const remove = (item: ExportSummary) =>
    ask({
      title: isUnfinished(item) ? `Cancel ${item.name}?` : `Delete ${item.name}?`,
      body: "Odin deletes the file and keeps only the audit log entry. Downloaded copies are not affected.",
      confirm: isUnfinished(item) ? "Cancel the export" : "Delete",
      danger: true,
      run: async () => {
        if (await deleteExport(item.id)) return load();
        notify.error("The export could not be deleted.");
        return false;
      },
    });

  if (exports === undefined) return <Skeleton className="h-16 w-full" />;
  if (exports === "failed")
    return (
      <p className="flex flex-wrap items-center gap-3 text-muted">
        Your exports could not be loaded.
        <Button size="sm" onClick={() => load()}>
          Try again
        </Button>
      </p>
    );
  if (exports.length === 0) {
    return (
      <EmptyState icon={<FileText />} title="No exports">
        Select reads in search results and export them.
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="flex flex-col divide-y divide-line">
        {exports.map((item) => (
          <ExportItem key={item.id} item={item} onRemove={() => remove(item)} />
        ))}
      </ul>
      {dialog}
    </>
  );
}

function ExportItem({ item, onRemove }: { item: ExportSummary; onRemove: () => void }) {
  const { label, tone } = STATES[item.state];
  const Icon = item.kind === "pdf" ? FileText : FileArchive;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
      <Icon aria-hidden="true" className="size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{item.name}</span>
          <Badge tone={tone}>{label}</Badge>
        </p>
        <p className="text-sm text-muted">
          <LocalTime at={item.createdAt} /> · {item.records === 1 ? "1 record" : `${item.records} records`}
          {item.state === "ready" && ` · ${sizeText(item.bytes)}`}
          {item.missing > 0 && ` · ${missingText(item)}`}
          {item.caseNumber && ` · case ${item.caseNumber}`}
        </p>
        <p className="text-sm wrap-anywhere text-muted">{item.message || item.justification}</p>
        {isUnfinished(item) && (
          <Progress
            className="mt-1"
            label={`${item.name}: records written`}
            value={item.done}
            max={item.records}
          />
        )}
        {item.state === "ready" && (
          <p className="flex items-center gap-1 text-xs text-muted">
            <span className="whitespace-nowrap">SHA-256</span>{" "}
            <code className="min-w-0 truncate">{item.sha256}</code>
            <CopyButton text={item.sha256} label={`Copy the SHA-256 of ${item.name}`} />
            {/* In its own tab, as after the export. */}
            <a href="/verify" target="_blank" rel="noreferrer noopener" className="ms-1 text-sm underline">
              Verify<span className="sr-only"> a copy of {item.name} (new tab)</span>
            </a>
          </p>
        )}
      </div>
      {item.state === "ready" && (
        <a href={`/exports/${item.id}/file`} download={item.name} className={buttonClass("secondary", "sm")}>
          <Download aria-hidden="true" />
          Download
        </a>
      )}
      <IconButton
        label={isUnfinished(item) ? `Cancel ${item.name}` : `Delete ${item.name}`}
        icon={isUnfinished(item) ? <X /> : <Trash2 />}
        onClick={onRemove}
      />
    </li>
  );
}
