import { type KeyboardEvent, type MouseEvent, useRef, useState } from "react";
import { ProgramMark } from "#app/components/search/program-mark.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import { useHotkey } from "#app/components/ui/use-hotkey.ts";
import { type AlertRow, dispositionLabel } from "#app/entities/alert.ts";
import { AlertImage } from "./alert-image.tsx";
import { AlertTime } from "./alert-time.tsx";
import { imageAlt, orMissing } from "./alert-words.ts";

export const IMAGE_SIZES = [
  { value: "large", label: "Large", box: "h-[170px] w-[300px]" },
  { value: "small", label: "Small", box: "h-[48px] w-[85px]" },
  { value: "none", label: "None", box: "" },
] as const;
export type ImageSize = (typeof IMAGE_SIZES)[number]["value"];

export type AlertTableProps = {
  alerts: AlertRow[];
  images: ImageSize;
  onOpen: (id: string) => void;
};

/** A page of a history. Arrows and j/k move, Enter opens; a press opens too. */
export function AlertTable({ alerts, images, onOpen }: AlertTableProps) {
  const [at, setAt] = useState(0);
  const body = useRef<HTMLTableSectionElement>(null);
  const reachable = Math.min(at, alerts.length - 1);
  const box = IMAGE_SIZES.find(({ value }) => value === images)?.box;

  function goTo(index: number) {
    const to = Math.min(Math.max(index, 0), alerts.length - 1);
    setAt(to);
    body.current?.querySelectorAll<HTMLElement>("[data-alert]")[to]?.focus();
  }
  const hasFocus = () => body.current?.contains(document.activeElement) ?? false;
  useHotkey("j", () => goTo(hasFocus() ? reachable + 1 : reachable));
  useHotkey("k", () => goTo(hasFocus() ? reachable - 1 : reachable));

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = (event.target as Element).getAttribute("data-alert");
    if (event.key === "ArrowDown" || event.key === "j") goTo(reachable + 1);
    else if (event.key === "ArrowUp" || event.key === "k") goTo(reachable - 1);
    else if (event.key === "Home") goTo(0);
    else if (event.key === "End") goTo(alerts.length - 1);
    else if (event.key === "Enter" && row) onOpen(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function onClick(event: MouseEvent) {
    const target = event.target as Element;
    const row = target.closest<HTMLElement>("[data-alert]");
    if (!row || target.closest("button, a") || getSelection()?.isCollapsed === false) return;
    setAt(alerts.findIndex(({ id }) => id === row.dataset.alert));
    row.focus({ preventScroll: true });
    onOpen(row.dataset.alert as string);
  }

  return (
    <TableBox label="Alert history">
      <Table caption="Alerts of this group, newest first. Arrows move, Enter opens." density="compact">
        <thead>
          <tr>
            <ColumnHeader>Source</ColumnHeader>
            <ColumnHeader>Plate</ColumnHeader>
            <ColumnHeader>State</ColumnHeader>
            <ColumnHeader>Agency</ColumnHeader>
            <ColumnHeader>Camera</ColumnHeader>
            <ColumnHeader>Timestamp</ColumnHeader>
            {box && <ColumnHeader>Vehicle Image</ColumnHeader>}
            <ColumnHeader>Reason</ColumnHeader>
            <ColumnHeader>Disposition</ColumnHeader>
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={onKeyDown} onClick={onClick}>
          {alerts.map((alert, index) => (
            <tr
              key={alert.id}
              data-alert={alert.id}
              tabIndex={index === reachable ? 0 : -1}
              className="cursor-pointer"
              onFocus={(event) => event.target === event.currentTarget && setAt(index)}
            >
              <td>
                <ProgramMark program={alert.source_program} />
              </td>
              <td>
                <span className="flex flex-col items-start gap-1">
                  {alert.plate === "" ? (
                    <span className="text-muted">{orMissing("")}</span>
                  ) : (
                    <PlateChip text={alert.plate} size="sm" copyable />
                  )}
                  {alert.priority === "high" && <Badge tone="hit">High</Badge>}
                  {alert.differences.length > 0 && (
                    <span title={alert.differences.join("; ")}>
                      <Badge tone="warn">
                        {alert.differences.length === 1
                          ? "1 difference"
                          : `${alert.differences.length} differences`}
                      </Badge>
                    </span>
                  )}
                </span>
              </td>
              <td>{orMissing(alert.state)}</td>
              <td className="max-w-48">
                <span className="block min-w-32 wrap-anywhere">{orMissing(alert.agency)}</span>
              </td>
              <td className="max-w-56">
                <span className="block min-w-32 wrap-anywhere">{orMissing(alert.camera)}</span>
              </td>
              <td>
                <AlertTime iso={alert.timestamp} />
              </td>
              {box && (
                <td>
                  <AlertImage url={alert.image_url} alt={imageAlt("vehicle", alert)} className={box} />
                </td>
              )}
              <td className="max-w-64">
                <span className="block min-w-32 wrap-anywhere">{orMissing(alert.justification)}</span>
              </td>
              <td className="whitespace-nowrap">
                {alert.disposition ? (
                  dispositionLabel(alert.disposition)
                ) : (
                  <span className="text-muted">None yet</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </TableBox>
  );
}
