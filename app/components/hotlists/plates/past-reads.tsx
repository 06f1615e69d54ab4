import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { Spinner } from "#app/components/ui/spinner.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { PastReads, PastReadsQuestion } from "#app/entities/archive/past-reads.ts";
import { MESSAGES } from "#app/entities/messages.ts";

export type PastReadsProps = { question: PastReadsQuestion; onClose: () => void };

const FAILED = "The past reads could not be looked for.";

/** Reads from before an entry was added that it would have hit: listed to whoever asks, pushed to nobody. */
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
      description="Of the Axis cameras that you may search. Rekor and Axon keep their reads themselves: a search asks them."
    >
      <ErrorBox message={problem} />
      <p role="status" className="mb-3 flex items-center gap-2">
        {!found && !problem && (
          <>
            <Spinner /> Looking…
          </>
        )}
        {found && countText(found)}
      </p>
      {found && found.reads.length > 0 && <ReadTable found={found} />}
    </Dialog>
  );
}

function countText({ reads, more, days }: PastReads): string {
  if (reads.length === 0) return `No read of it in the last ${days} days.`;
  const count = `${reads.length}${more ? " newest reads, and more" : reads.length === 1 ? " read" : " reads"}`;
  return `${count} in the last ${days} days.`;
}

function ReadTable({ found }: { found: PastReads }) {
  return (
    <TableBox label="Past reads" className="max-h-[60dvh]">
      <Table caption="Past reads, newest first" density="compact">
        <thead>
          <tr>
            <ColumnHeader>Plate</ColumnHeader>
            <ColumnHeader>State</ColumnHeader>
            <ColumnHeader>Camera</ColumnHeader>
            <ColumnHeader>Agency</ColumnHeader>
            <ColumnHeader>Timestamp</ColumnHeader>
            <ColumnHeader>Vehicle</ColumnHeader>
          </tr>
        </thead>
        <tbody>
          {found.reads.map((read, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and reads have no id here
            <tr key={index}>
              <td>
                <PlateChip text={read.plate} size="sm" copyable />
              </td>
              <td>{read.state || MESSAGES.missing}</td>
              <td className="max-w-64 wrap-anywhere">{read.camera_name || MESSAGES.missing}</td>
              <td className="max-w-56 wrap-anywhere">{read.agency || MESSAGES.missing}</td>
              <td>
                <LocalTime at={read.timestamp} short />
              </td>
              <td>
                {[read.color, read.make, read.body_type].filter(Boolean).join(", ") || MESSAGES.missing}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </TableBox>
  );
}
