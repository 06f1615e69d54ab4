import { Badge } from "#app/components/ui/badge.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import type { ImportStatus, IssueKind } from "#app/entities/hotlists/import.ts";
import { numberText } from "#app/lib/number-text.ts";

/** The label of each state of an import. */
export const STATE_WORDS: Record<ImportStatus["state"], string> = {
  reading: "Reading the file…",
  mapping: "The layout of this file is unknown.",
  comparing: "Looking for plates that are not in the file…",
  ready: "Checked. Nothing has changed yet.",
  renewing: "The new list is active. Renewing the plates it kept…",
  applied: "Applied",
  cancelling: "Removing staged rows…",
  cancelled: "Canceled",
  failed: "Failed",
};

export function Counts({ status }: { status: ImportStatus }) {
  const counts = [
    ["Rows", status.rows],
    ["Added", status.added],
    ["Unchanged", status.unchanged],
    ["Removed", status.removed],
    ["Conflicting", status.conflicting],
    ["Repeated", status.repeated],
    ["Rejected", status.rejected],
  ] as const;
  return (
    <dl className="flex flex-wrap gap-px overflow-hidden rounded-md border border-line bg-line">
      {counts.map(([name, count]) => (
        <div key={name} className="flex-1 basis-24 bg-raised px-2.5 py-1.5">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="text-lg font-semibold tabular-nums">{numberText(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

const KINDS: Record<IssueKind, { label: string; tone: "hit" | "warn" | "neutral" }> = {
  rejected: { label: "Rejected", tone: "hit" },
  conflicting: { label: "Conflicting", tone: "warn" },
  repeated: { label: "Repeated", tone: "neutral" },
};

export function Issues({ status }: { status: ImportStatus }) {
  if (status.issues.length === 0) return null;
  return (
    <DataTable
      label="Rows that need attention"
      boxClass="max-h-72"
      caption="Rows that need attention"
      density="compact"
      cardsBelow="narrow"
      columns={[{ title: "Line", numeric: true }, "Plate", "Result", "Reason"]}
    >
      {status.issues.map((issue) => (
        <tr key={`${issue.kind}${issue.line}`} className="card:grid-cols-2">
          <td data-label="Line" className="num">
            {numberText(issue.line)}
          </td>
          <td className="plate-text row:whitespace-nowrap">{issue.plate}</td>
          <td className="card:col-span-2">
            <Badge tone={KINDS[issue.kind].tone}>{KINDS[issue.kind].label}</Badge>
          </td>
          <td className="card:col-span-2">{issue.reason}</td>
        </tr>
      ))}
    </DataTable>
  );
}

export function LastImport({ status }: { status: ImportStatus }) {
  const failed = status.state === "failed";
  return (
    <div
      className={
        failed
          ? "rounded-md bg-hit-soft px-3 py-2 text-sm text-hit"
          : "rounded-md bg-sunken px-3 py-2 text-sm"
      }
    >
      <p className="font-medium wrap-anywhere">
        Last import: {status.file_name}, {STATE_WORDS[status.state].toLowerCase()}
      </p>
      {status.message ? (
        <p>{status.message}</p>
      ) : status.state === "cancelled" ? (
        // The counts are those of the check.
        <p className="text-muted">No plates were changed.</p>
      ) : (
        <p className="text-muted">
          {numberText(status.added)} added, {numberText(status.removed)} removed,{" "}
          {numberText(status.rejected)} rejected
        </p>
      )}
    </div>
  );
}
