import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { openSearchFor } from "#app/components/search/form/hand-plate.ts";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { Spinner } from "#app/components/ui/spinner.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import type { PastReads, PastReadsQuestion } from "#app/entities/archive/past-reads.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { vehicleText } from "#app/entities/search/vehicle-text.ts";

export type PastReadsProps = { question: PastReadsQuestion; onClose: () => void };

const FAILED = "The past reads could not be loaded.";

/** Reads from before an entry was added that it would have hit. Shown on request; no alert is sent. */
export function PastReadsDialog({ question, onClose }: PastReadsProps) {
  const [found, setFound] = useState<PastReads>();
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const leave = new AbortController();
    callApi<PastReads>("/hotlist/past-reads", { json: question, failed: FAILED, signal: leave.signal }).then(
      (answer) => {
        if (leave.signal.aborted) return;
        if (answer.ok) setFound(answer.value);
        else setProblem(answer.message);
      },
    );
    return () => leave.abort();
  }, [question]);

  return (
    <Dialog
      open
      onClose={onClose}
      size="xl"
      title={
        <span className="flex flex-wrap items-center gap-3">
          Past reads
          <PlateChip text={question.plate_number} region={question.state || undefined} size="sm" />
        </span>
      }
      description="From the Axis cameras that you may search. Rekor and Axon store their own reads: use a search to find them."
    >
      <ErrorBox message={problem} />
      <p role="status" className="mb-3 flex items-center gap-2">
        {!found && !problem && (
          <>
            <Spinner /> Loading…
          </>
        )}
        {found && countText(found)}
      </p>
      {found && found.reads.length > 0 && <ReadTable found={found} />}
    </Dialog>
  );
}

function countText({ reads, more, days }: PastReads): string {
  if (reads.length === 0) return `No reads in the last ${days} days.`;
  if (more) return `More than ${reads.length} reads in the last ${days} days. The newest are shown.`;
  return `${reads.length} ${reads.length === 1 ? "read" : "reads"} in the last ${days} days.`;
}

function ReadTable({ found }: { found: PastReads }) {
  return (
    <DataTable
      label="Past reads"
      boxClass="max-h-[60dvh]"
      caption="Past reads, newest first"
      density="compact"
      cardsBelow="medium"
      columns={["Plate", "State", "Camera", "Agency", "Timestamp", "Vehicle"]}
    >
      {found.reads.map((read, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and reads have no id here
        <tr key={index} className="card:grid-cols-2">
          <td>
            <span className="flex items-center gap-1.5">
              <PlateChip text={read.plate} size="sm" copyable />
              {/* Not a form: the dialog may be within one. */}
              <IconButton
                size="sm"
                label={`Search this plate: ${read.plate}`}
                icon={<Search />}
                onClick={() => openSearchFor(read.plate)}
              />
            </span>
          </td>
          <td data-label="State">{read.state || MESSAGES.missing}</td>
          <td data-label="Camera" className="wrap-anywhere card:col-span-2 row:max-w-64">
            {read.camera_name || MESSAGES.missing}
          </td>
          <td data-label="Agency" className="wrap-anywhere card:col-span-2 row:max-w-56">
            {read.agency || MESSAGES.missing}
          </td>
          <td className="card:order-first card:col-span-2">
            <LocalTime at={read.timestamp} short />
          </td>
          <td data-label="Vehicle" className="card:col-span-2">
            {vehicleText(read) || MESSAGES.missing}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
