import { useEffect, useState } from "react";
import { Badge } from "#app/components/ui/badge.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { ActionsHeader, ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { ReviewRow } from "#app/entities/oversight/review-calls.ts";
import { KIND_TONES, kindLabel, openWords, VERDICT_TONES, verdictLabel } from "./looks.ts";

/** How a row stands on a phone. */
const CARD =
  "max-sm:items-center max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:[grid-template-areas:'kind_state'_'why_why'_'who_act'_'time_count']";

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
      <Table caption="Findings, newest first" density="compact" aria-busy={busy} className="card-rows">
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
            <tr key={row.id} className={CARD}>
              <th scope="row" className="whitespace-nowrap align-top font-normal max-sm:[grid-area:kind]">
                <Badge tone={KIND_TONES[row.kind]}>{kindLabel(row.kind)}</Badge>
              </th>
              <td
                className="truncate align-top font-medium sm:max-w-56 max-sm:[grid-area:who]"
                title={row.user_name || row.username}
              >
                <bdi>{row.user_name || row.username}</bdi>
                {row.user_name && (
                  <span className="block truncate text-xs font-normal text-muted">{row.username}</span>
                )}
              </td>
              <td className="align-top wrap-anywhere sm:min-w-64 sm:max-w-[36rem] max-sm:[grid-area:why]">
                {row.plate && <PlateChip text={row.plate} size="sm" />} {row.reason}
              </td>
              <td data-label="Searches" className="num align-top max-sm:[grid-area:count]">
                {row.searches}
              </td>
              <td className="align-top max-sm:[grid-area:time]">
                <LocalTime at={row.last_at} short />
              </td>
              <td className="whitespace-nowrap align-top max-sm:[grid-area:state]">
                {row.verdict ? (
                  <Badge tone={VERDICT_TONES[row.verdict]}>{verdictLabel(row.verdict)}</Badge>
                ) : (
                  <span className="text-muted">
                    Open {now !== undefined && openWords(row.created_at, now)}
                  </span>
                )}
              </td>
              <td className="text-end align-top max-sm:[grid-area:act]">
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
