import { FileArchive, FileText } from "lucide-react";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { sessionHasEnded } from "#app/components/accounts/session/events.ts";
import { isSelected } from "#app/components/search/results/selection.ts";
import { type ResultsStore, useResults } from "#app/components/search/results/state.ts";
import { useUser } from "#app/components/shell/use-standing.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Textarea } from "#app/components/ui/fields/input.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import { WaitScreen } from "#app/components/ui/wait-screen.tsx";
import { type ExportKind, MAX_EXPORT_RECORDS, missingText } from "#app/entities/exports/request.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { idAt } from "#app/entities/search/result-columns.ts";
import type { ResultSummary } from "#app/entities/search/result-set.ts";
import { numberText } from "#app/lib/number-text.ts";
import { visibleText } from "#app/lib/text.ts";
import { addPendingExport } from "./pending.ts";
import { deleteExport, runExport, saveExport } from "./run.ts";

type RunningExport = { kind: ExportKind; done: number; total: number };
type ExportReasons = { justification: string; caseNumber: string };

type Run = {
  abort: AbortController;
  /** Id of the export, once the server has started it. */
  id?: string;
  isCanceled: boolean;
};

/** Runs one export at a time: start, progress, cancel and result. */
function useExport(resultId: string) {
  const [running, setRunning] = useState<RunningExport>();
  const current = useRef<Run>();
  const userId = useUser()?.id ?? "";

  /** Returns whether the file is ready or on its way; false if the user may want to try again. */
  async function start(kind: ExportKind, ids: string[], reasons: ExportReasons): Promise<boolean> {
    if (current.current) return false;
    const run: Run = { abort: new AbortController(), isCanceled: false };
    current.current = run;
    setRunning({ kind, done: 0, total: ids.length });
    const outcome = await runExport({
      kind,
      body: {
        records: ids.map((id) => ({ id })),
        justification: reasons.justification,
        case_number: reasons.caseNumber,
        result_id: resultId,
      },
      signal: run.abort.signal,
      onProgress: (progress) => {
        if (progress.type === "started") {
          run.id = progress.id;
          if (run.isCanceled) end(run);
        }
        if (progress.type === "record" && !run.isCanceled)
          setRunning({ kind, done: progress.done, total: progress.total });
      },
    });
    if (run.isCanceled) return false;
    current.current = undefined;
    // The wait screen must return the focus before the dialog below it closes.
    flushSync(() => setRunning(undefined));
    switch (outcome.kind) {
      case "ready": {
        saveExport(outcome.export);
        const gaps = missingText(outcome.export);
        notify.success(`${outcome.export.name} downloaded`, {
          ...(gaps && { description: `${gaps}; the file lists why.` }),
          // In its own tab, so that the results stay open.
          action: { label: "Verify", onSelect: () => open("/verify", "_blank", "noopener") },
        });
        break;
      }
      case "queued":
        addPendingExport(userId, outcome.id);
        notify.info("Odin is creating a large report.", {
          description: "You can continue working. Odin shows a message here when the report is ready.",
        });
        break;
      case "signed-out":
        sessionHasEnded();
        break;
      case "failed":
        notify.error(outcome.message, outcome.reason ? { description: outcome.reason } : {});
        break;
    }
    return outcome.kind === "ready" || outcome.kind === "queued";
  }

  /** Also deletes the export, because the server notices an abort only after the vendor has answered. */
  function end({ abort, id }: Run): void {
    abort.abort();
    if (id) void deleteExport(id);
  }

  /** Without its id, an export cannot be deleted; it is then ended once the server has sent the id. */
  function cancel(): void {
    const run = current.current;
    if (!run) return;
    run.isCanceled = true;
    current.current = undefined;
    setRunning(undefined);
    if (run.id) end(run);
    notify.info("The export was canceled.");
  }

  return { running, start, cancel };
}

/** Buttons for exporting the selected results, disabled while nothing is selected. */
export function ExportActions({ summary, store }: { summary: ResultSummary; store: ResultsStore }) {
  const selected = useResults(store, (state) => state.selection.count);
  const [asking, setAsking] = useState<ExportKind>();
  const { running, start, cancel } = useExport(summary.id);

  function ask(kind: ExportKind) {
    const problem =
      selected === 0
        ? MESSAGES.exportNothing
        : selected > MAX_EXPORT_RECORDS
          ? `An export has at most ${numberText(MAX_EXPORT_RECORDS)} records.`
          : undefined;
    if (problem) notify.error(problem);
    else setAsking(kind);
  }

  return (
    <>
      <Button size="sm" icon={<FileText />} disabled={selected === 0} onClick={() => ask("pdf")}>
        Export Selected to PDF
      </Button>
      <Button size="sm" icon={<FileArchive />} disabled={selected === 0} onClick={() => ask("zip")}>
        Export Selected to ZIP
      </Button>
      {asking && (
        <ExportDialog
          kind={asking}
          count={selected}
          initial={{
            justification: summary.request.justification,
            caseNumber: summary.request.case_number,
          }}
          onClose={() => setAsking(undefined)}
          onExport={async (reasons) => {
            // The dialog stays open below the wait screen, so that its input survives a failure.
            if (await start(asking, selectedIds(store), reasons)) setAsking(undefined);
          }}
        />
      )}
      <ExportWait running={running} onCancel={cancel} />
    </>
  );
}

/** Returns the ids of the selected records, newest read first. */
function selectedIds(store: ResultsStore): string[] {
  const { columns, selection } = store.get();
  const ids: string[] = [];
  for (let row = 0; row < columns.count; row++) if (isSelected(selection, row)) ids.push(idAt(columns, row));
  return ids;
}

const KIND_TEXTS = {
  pdf: { title: "Export to PDF", icon: <FileText />, action: "Create the report" },
  zip: { title: "Export to ZIP", icon: <FileArchive />, action: "Create the archive" },
} as const;

type ExportDialogProps = {
  kind: ExportKind;
  count: number;
  /** The initial values: those of the search. */
  initial: ExportReasons;
  onClose: () => void;
  onExport: (reasons: ExportReasons) => void;
};

/** Asks for the justification of an export. */
function ExportDialog({ kind, count, initial, onClose, onExport }: ExportDialogProps) {
  const [error, setError] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const reason = useRef<HTMLTextAreaElement>(null);
  const { title, icon, action } = KIND_TEXTS[kind];

  function submit() {
    if (!form.current) return;
    const data = new FormData(form.current);
    const justification = String(data.get("justification") ?? "").trim();
    if (visibleText(justification) === "") {
      setError(MESSAGES.justificationRequired);
      reason.current?.focus();
      return;
    }
    onExport({ justification, caseNumber: String(data.get("case_number") ?? "").trim() });
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={`${count === 1 ? "One record, with its" : `${count} records, with their`} images. The export is recorded in the audit log.`}
      initialFocus={reason}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" icon={icon} onClick={submit}>
            {action}
          </Button>
        </>
      }
    >
      <form
        ref={form}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field label="Justification" required error={error}>
          {(control) => (
            <Textarea
              {...control}
              ref={reason}
              name="justification"
              rows={3}
              maxLength={2000}
              defaultValue={initial.justification}
              onChange={() => setError(undefined)}
            />
          )}
        </Field>
        <InputField
          label="Case number"
          hint="Optional. Printed on every page of a report."
          name="case_number"
          maxLength={64}
          defaultValue={initial.caseNumber}
        />
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}

/** Covers the screen while a file is created. */
function ExportWait({ running, onCancel }: { running: RunningExport | undefined; onCancel: () => void }) {
  const { done, total } = running ?? { done: 0, total: 0 };
  return (
    <WaitScreen
      open={running !== undefined}
      title="Export in progress"
      message={MESSAGES.exporting}
      onCancel={onCancel}
    >
      <Progress label="Records written" value={done === 0 ? undefined : done} max={total} />
      <p className="text-muted">
        {done === 0
          ? `Fetching the images of ${total === 1 ? "one record" : `${total} records`}`
          : `${done} of ${total} records`}
      </p>
    </WaitScreen>
  );
}
