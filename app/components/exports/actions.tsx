import { FileArchive, FileText } from "lucide-react";
import { useState } from "react";
import { isSelected } from "#app/components/search/results/selection.ts";
import { type ResultsStore, useResults } from "#app/components/search/results/state.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { type ExportKind, MAX_EXPORT_RECORDS } from "#app/entities/exports/request.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { idAt } from "#app/entities/search/result-columns.ts";
import type { ResultSummary } from "#app/entities/search/result-set.ts";
import { ExportDialog } from "./dialog.tsx";
import { useExport } from "./use-run.ts";
import { ExportWait } from "./wait.tsx";

/** Export Selected to PDF and to ZIP: disabled while nothing is selected. */
export function ExportActions({ summary, store }: { summary: ResultSummary; store: ResultsStore }) {
  const selected = useResults(store, (state) => state.selection.count);
  const [asking, setAsking] = useState<ExportKind>();
  const { running, start, cancel } = useExport(summary.id);

  function ask(kind: ExportKind) {
    const problem =
      selected === 0
        ? MESSAGES.exportNothing
        : selected > MAX_EXPORT_RECORDS
          ? `An export has at most ${MAX_EXPORT_RECORDS.toLocaleString("en-US")} records.`
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
          caseNumber={summary.request.case_number}
          onClose={() => setAsking(undefined)}
          onExport={async (reasons) => {
            // It stays beneath the wait, so that a session that ends meanwhile takes no reasons with it.
            if (await start(asking, selectedIds(store), reasons)) setAsking(undefined);
          }}
        />
      )}
      <ExportWait running={running} onCancel={cancel} />
    </>
  );
}

/** Ids of the chosen records, newest read first. */
function selectedIds(store: ResultsStore): string[] {
  const { columns, selection } = store.get();
  const ids: string[] = [];
  for (let row = 0; row < columns.count; row++) if (isSelected(selection, row)) ids.push(idAt(columns, row));
  return ids;
}
