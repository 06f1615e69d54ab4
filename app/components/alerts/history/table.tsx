import { type KeyboardEvent, type MouseEvent, useRef, useState } from "react";
import { AlertImage } from "#app/components/alerts/image.tsx";
import { imageAlt, plateText } from "#app/components/alerts/text.ts";
import { AlertTime } from "#app/components/alerts/time.tsx";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { orMissing } from "#app/components/search/sighting/text.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { Table, TableBox, TableHead } from "#app/components/ui/table.tsx";
import { type AlertRow, dispositionLabel } from "#app/entities/alerts/hit.ts";

export const IMAGE_SIZES = [
  {
    value: "large",
    label: "Large",
    box: "h-[170px] w-[300px] card:@max-xl:h-auto card:@max-xl:w-full card:@max-xl:aspect-video",
  },
  { value: "small", label: "Small", box: "h-[48px] w-[85px]" },
  { value: "none", label: "None", box: "" },
] as const;
type ImageSize = (typeof IMAGE_SIZES)[number]["value"];

/** The link in a row has the focus; the row shows the focus outline. */
const ROW =
  "has-[[data-open]:focus-visible]:outline-2 has-[[data-open]:focus-visible]:-outline-offset-2 has-[[data-open]:focus-visible]:outline-focus";
/** The layout of a card by its image: above the texts on a phone and beside them on a tablet, or small. */
const CARDS = {
  large:
    "card:items-center card:grid-cols-[auto_1fr_auto] card:[grid-template-areas:'image_image_image'_'source_plate_state'_'time_time_time'_'camera_camera_camera'_'agency_agency_agency'_'reason_reason_reason'_'disposition_disposition_disposition'] card:@xl:grid-cols-[auto_auto_1fr_auto] card:@xl:[grid-template-areas:'image_source_plate_state'_'image_time_time_time'_'image_camera_camera_camera'_'image_agency_agency_agency'_'image_reason_reason_reason'_'image_disposition_disposition_disposition']",
  small:
    "card:items-center card:grid-cols-[auto_auto_1fr_auto] card:[grid-template-areas:'image_source_plate_state'_'image_time_time_time'_'camera_camera_camera_camera'_'agency_agency_agency_agency'_'reason_reason_reason_reason'_'disposition_disposition_disposition_disposition']",
  none: "card:items-center card:grid-cols-[auto_1fr_auto] card:[grid-template-areas:'source_plate_state'_'time_time_time'_'camera_camera_camera'_'agency_agency_agency'_'reason_reason_reason'_'disposition_disposition_disposition']",
};
const TEXT = "min-w-28 wrap-anywhere row:block";

export type AlertTableProps = {
  alerts: AlertRow[];
  images: ImageSize;
  onOpen: (id: string) => void;
};

/** One page of an alert history. Arrow keys and j/k move between hits; Enter or a click on a row opens the hit. */
export function AlertTable({ alerts, images, onOpen }: AlertTableProps) {
  const [at, setAt] = useState(0);
  const body = useRef<HTMLTableSectionElement>(null);
  const reachable = Math.min(at, alerts.length - 1);

  function goTo(index: number) {
    const to = Math.min(Math.max(index, 0), alerts.length - 1);
    setAt(to);
    body.current?.querySelectorAll<HTMLElement>("[data-open]")[to]?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowDown" || event.key === "j") goTo(reachable + 1);
    else if (event.key === "ArrowUp" || event.key === "k") goTo(reachable - 1);
    else if (event.key === "Home") goTo(0);
    else if (event.key === "End") goTo(alerts.length - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function onClick(event: MouseEvent) {
    const { target } = event;
    if (!(target instanceof Element) || target.closest("button, a")) return;
    const row = target.closest<HTMLElement>("[data-alert]");
    const id = row?.dataset.alert;
    if (!row || id === undefined || getSelection()?.isCollapsed === false) return;
    row.querySelector<HTMLElement>("[data-open]")?.focus({ preventScroll: true });
    onOpen(id);
  }

  return (
    <TableBox label="Alert history" cardsBelow="widest">
      <Table caption="Hits of this group, newest first. Arrows move, Enter opens." density="compact">
        <TableHead
          columns={[
            "Source",
            "Plate",
            "State",
            "Agency",
            "Camera",
            "Timestamp",
            ...(images === "none" ? [] : ["Vehicle Image"]),
            "Reason",
            "Disposition",
          ]}
        />
        <tbody ref={body} onKeyDown={onKeyDown} onClick={onClick}>
          {alerts.map((alert, index) => (
            <Row
              key={alert.id}
              alert={alert}
              images={images}
              onFocus={() => setAt(index)}
              onOpen={() => onOpen(alert.id)}
            />
          ))}
        </tbody>
      </Table>
    </TableBox>
  );
}

type RowProps = { alert: AlertRow; images: ImageSize; onFocus: () => void; onOpen: () => void };

function Row({ alert, images, onFocus, onOpen }: RowProps) {
  const box = IMAGE_SIZES.find(({ value }) => value === images)?.box;
  return (
    <tr data-alert={alert.id} className={cx("cursor-pointer", ROW, CARDS[images])} onFocus={onFocus}>
      <td className="card:[grid-area:source]">
        <ProgramMark program={alert.source_program} />
      </td>
      <td className="card:[grid-area:plate]">
        <Plate alert={alert} />
      </td>
      <td data-label="State" className="card:[grid-area:state]">
        {orMissing(alert.state)}
      </td>
      <td data-label="Agency" className="row:max-w-48 card:[grid-area:agency]">
        <span className={TEXT}>{orMissing(alert.agency)}</span>
      </td>
      <td data-label="Camera" className="row:max-w-56 card:[grid-area:camera]">
        <span className={TEXT}>{orMissing(alert.camera)}</span>
      </td>
      <td className="card:[grid-area:time]">
        {/* A link, so that it works without scripts and can open in a new tab. */}
        <a
          href={`/alert-history-detail/${encodeURIComponent(alert.id)}`}
          data-open=""
          className="inline-block min-h-target text-start outline-none noscript:underline"
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            onOpen();
          }}
        >
          <span className="sr-only select-none">Open the hit {plateText(alert)} </span>
          <AlertTime iso={alert.timestamp} />
        </a>
      </td>
      {box && (
        <td className="card:[grid-area:image]">
          <AlertImage url={alert.image_url} alt={imageAlt("vehicle", alert)} className={box} />
        </td>
      )}
      <td data-label="Reason" className="row:max-w-64 card:[grid-area:reason]">
        <span className={TEXT}>{orMissing(alert.justification)}</span>
      </td>
      <td data-label="Disposition" className="whitespace-nowrap card:[grid-area:disposition]">
        {alert.disposition ? (
          dispositionLabel(alert.disposition)
        ) : (
          <span className="text-muted">None yet</span>
        )}
      </td>
    </tr>
  );
}

/** The plate, and what the member should notice about the hit. */
function Plate({ alert }: { alert: AlertRow }) {
  return (
    <span className="flex flex-col items-start gap-1 card:flex-row card:flex-wrap card:items-center">
      {alert.plate === "" ? (
        <span className="text-muted">{orMissing("")}</span>
      ) : (
        <PlateChip text={alert.plate} size="sm" copyable />
      )}
      {alert.priority === "high" && <Badge tone="hit">High</Badge>}
      {alert.differences.length > 0 && (
        <span title={alert.differences.join("; ")}>
          <Badge tone="warn">
            {alert.differences.length === 1 ? "1 difference" : `${alert.differences.length} differences`}
          </Badge>
        </span>
      )}
    </span>
  );
}
