import { useEffect, useState } from "react";
import { LocalTime } from "#app/components/account/local-time.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { ActionsHeader, ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { ReviewRow } from "#app/entities/review-calls.ts";
import { KIND_TONES, kindLabel, openWords, VERDICT_TONES, verdictLabel } from "./review-looks.ts";

/** Findings, each with why it is here. */
export function FindingTable({
  rows,
  busy,
  onOpen,
}: {
  rows: readonly ReviewRow[];
  busy: boolean;
  onOpen: (id: string) => void;
}) {
  // The server's clock and the browser's write different days at midnight.
  const [now, setNow] = useState<number>();
  useEffect(() => setNow(Date.now()), []);
  return (
    <TableBox label="Findings">
      <Table caption="Findings, newest first" density="compact" aria-busy={busy}>
        <thead>
          <tr>
            <ColumnHeader>Finding</ColumnHeader>
            <ColumnHeader>Investigator</ColumnHeader>
            <ColumnHeader>Why</ColumnHeader>
            <ColumnHeader numeric>Searches</ColumnHeader>
            <ColumnHeader>Newest search</ColumnHeader>
            <ColumnHeader>State</ColumnHeader>
            <ActionsHeader />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row" className="whitespace-nowrap align-top font-normal">
                <Badge tone={KIND_TONES[row.kind]}>{kindLabel(row.kind)}</Badge>
              </th>
              <td className="max-w-56 truncate align-top font-medium">
                {row.user_name || row.username}
                {row.user_name && (
                  <span className="block truncate text-xs font-normal text-muted">{row.username}</span>
                )}
              </td>
              <td className="min-w-64 max-w-[36rem] align-top">
                {row.plate && <PlateChip text={row.plate} size="sm" />} {row.reason}
              </td>
              <td className="num align-top">{row.searches}</td>
              <td className="align-top">
                <LocalTime at={row.last_at} short />
              </td>
              <td className="whitespace-nowrap align-top">
                {row.verdict ? (
                  <Badge tone={VERDICT_TONES[row.verdict]}>{verdictLabel(row.verdict)}</Badge>
                ) : (
                  <span className="text-muted">
                    Open {now !== undefined && openWords(row.created_at, now)}
                  </span>
                )}
              </td>
              <td className="text-end align-top">
                <button
                  type="button"
                  className={buttonClass("secondary", "sm")}
                  onClick={() => onOpen(row.id)}
                >
                  Review
                  <span className="sr-only">
                    {" "}
                    {kindLabel(row.kind)}, {row.username}
                  </span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </TableBox>
  );
}
