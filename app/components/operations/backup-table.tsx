import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { ActionsHeader, ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { Tone } from "#app/components/ui/tones.ts";
import type { BackupSummary } from "#app/entities/operations/backup.ts";

const STATES: Record<BackupSummary["state"], { label: string; tone: Tone }> = {
  running: { label: "Running", tone: "accent" },
  finished: { label: "Finished", tone: "ok" },
  failed: { label: "Failed", tone: "hit" },
  cancelled: { label: "Cancelled", tone: "neutral" },
};

const DOING: Record<string, string> = {
  plan: "reading small tables",
  rows: "reading tables",
  keys: "copying keys",
  objects: "copying images and files",
  manifest: "finishing",
};

function sizeOf(bytes: number): string {
  if (bytes < 1_000_000) return `${(bytes / 1000).toLocaleString("en-US", { maximumFractionDigits: 1 })} kB`;
  return `${(bytes / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
}

type BackupTableProps = {
  runs: BackupSummary[];
  pending: string | undefined;
  onVerify: (run: BackupSummary) => void;
  onCancel: (run: BackupSummary) => void;
};

export function BackupTable({ runs, pending, onVerify, onCancel }: BackupTableProps) {
  return (
    <TableBox label="Backups">
      <Table caption="Backups, newest first" density="compact">
        <thead>
          <tr>
            <ColumnHeader>Started</ColumnHeader>
            <ColumnHeader>State</ColumnHeader>
            <ColumnHeader>By</ColumnHeader>
            <ColumnHeader numeric>Rows</ColumnHeader>
            <ColumnHeader numeric>Tables&rsquo; size</ColumnHeader>
            <ColumnHeader numeric>Objects</ColumnHeader>
            <ColumnHeader numeric>Key</ColumnHeader>
            <ColumnHeader>Id</ColumnHeader>
            <ActionsHeader />
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th scope="row" className="font-medium">
                <LocalTime at={run.started_at} short />
              </th>
              <td>
                <StateCell run={run} />
              </td>
              <td>{run.started_by || "Every night"}</td>
              <td className="num">{run.rows.toLocaleString("en-US")}</td>
              <td className="num">{sizeOf(run.bytes)}</td>
              <td className="num">{run.objects.toLocaleString("en-US")}</td>
              <td className="num">{run.key_version}</td>
              <td className="font-mono text-xs text-muted">{run.id}</td>
              <td className="text-right">
                {run.state === "running" && (
                  <Button
                    size="sm"
                    variant="ghost"
                    disabled={pending !== undefined}
                    onClick={() => onCancel(run)}
                  >
                    Cancel<span className="sr-only"> the backup {run.id}</span>
                  </Button>
                )}
                {run.state === "finished" && !run.removed && (
                  <Button
                    size="sm"
                    pending={pending === `verify ${run.id}`}
                    pendingLabel="Verifying…"
                    disabled={pending !== undefined}
                    onClick={() => onVerify(run)}
                  >
                    Verify<span className="sr-only"> the backup {run.id}</span>
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </TableBox>
  );
}

function StateCell({ run }: { run: BackupSummary }) {
  const { label, tone } = STATES[run.state];
  const doing = run.state === "running" ? (DOING[run.phase] ?? run.phase) : run.message;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone={run.removed ? "neutral" : tone}>
        {run.removed && run.state === "finished" ? "Removed" : label}
      </Badge>
      {doing && <span className="text-xs text-muted">{doing}</span>}
    </span>
  );
}
