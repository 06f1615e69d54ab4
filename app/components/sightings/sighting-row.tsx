// biome-ignore-all lint/a11y/useFocusableInteractive: the focus is the row's; its cells are reached by reading
// biome-ignore-all lint/a11y/noRedundantRoles: browsers take the roles of a table from what is laid out as a grid
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: the ARIA grid pattern on a real table
import { Check, Copy, ImageIcon } from "lucide-react";
import { memo, type ReactNode } from "react";
import { ProgramMark } from "#app/components/search/program-mark.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { type ResultColumns, type ResultRow, rowAt } from "#app/entities/result-columns.ts";
import { ReadImage } from "./read-image.tsx";
import type { SortKey } from "./result-sort.ts";
import { orMissing, timeText } from "./sighting-text.ts";
import type { Density } from "./table-columns.ts";

export type SightingRowProps = {
  columns: ResultColumns;
  row: number;
  /** Its place in the view, from 0. */
  index: number;
  top: number;
  height: number;
  keys: readonly SortKey[];
  density: Density;
  selected: boolean;
  current: boolean;
  /** The one row that Tab reaches. */
  reachable: boolean;
  copied: boolean;
};

/** Cells that stay while the table scrolls sideways; they cover what passes beneath. */
export const PINNED_CELL = "sticky z-1 bg-inherit";

/** One read. Presses and keys are heard by the table, so that a row is nothing but its picture. */
export const SightingRow = memo(function SightingRow(props: SightingRowProps) {
  const { columns, row, index, top, height, keys, density, selected, current, reachable, copied } = props;
  const read = rowAt(columns, row);
  return (
    <tr
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-current={current || undefined}
      data-row={row}
      tabIndex={reachable ? 0 : -1}
      style={{ transform: `translateY(${top}px)`, height }}
      className={cx(
        "group absolute inset-x-0 top-0 grid contain-strict cursor-pointer grid-cols-(--columns) border-b border-line text-sm",
        "focus-visible:z-1 focus-visible:-outline-offset-2",
        selected ? "bg-accent-soft" : "bg-raised hover:bg-hover",
      )}
    >
      <td
        role="gridcell"
        aria-colindex={1}
        data-select
        className={cx("start-0 grid place-items-center", PINNED_CELL)}
      >
        {current && <span aria-hidden="true" className="absolute inset-y-0 start-0 w-1 bg-accent" />}
        <input
          type="checkbox"
          className="check"
          tabIndex={-1}
          checked={selected}
          readOnly
          aria-label={`Select ${read.plate || "read without a plate"}, ${timeText(read.capturedAt)}`}
        />
      </td>
      {keys.map((key, at) => (
        <td
          key={key}
          role="gridcell"
          aria-colindex={at + 2}
          className={cx(
            "flex min-w-0 items-center gap-1 overflow-hidden px-2.5",
            key === "plate" && cx("start-10", PINNED_CELL),
          )}
        >
          {cellOf(key, { read, density, index, copied })}
        </td>
      ))}
    </tr>
  );
});

type Cell = { read: ResultRow; density: Density; index: number; copied: boolean };

function cellOf(key: SortKey, { read, density, index, copied }: Cell): ReactNode {
  switch (key) {
    case "program":
      return <ProgramMark program={read.program} named={density !== "full"} />;
    case "plate":
      return <PlateCell read={read} copied={copied} />;
    case "time":
      return <TimeCell at={read.capturedAt} wraps={density === "full"} />;
    case "vehicleImage":
      return density === "compact" ? (
        <HasImage has={read.hasVehicleImage} what="Vehicle image" />
      ) : (
        <ReadImage
          read={read}
          kind="vehicle"
          place={index * 2}
          className={density === "full" ? "h-[203px] w-[360px] shrink-0" : "h-[48px] w-[85px] shrink-0"}
        />
      );
    case "plateImage":
      return density === "compact" ? (
        <HasImage has={read.hasPlateImage} what="Plate image" />
      ) : (
        <ReadImage
          read={read}
          kind="plate"
          place={index * 2 + 1}
          className={density === "full" ? "h-[60px] w-[120px] shrink-0" : "h-[48px] w-[120px] shrink-0"}
        />
      );
    default:
      return <Words text={read[key]} lines={density === "full" ? 4 : density === "medium" ? 2 : 1} />;
  }
}

/** Date and time stand on two lines where there is the height, and never break elsewhere. */
function TimeCell({ at, wraps }: { at: number | null; wraps: boolean }) {
  const text = timeText(at);
  const [date, time] = wraps ? text.split(/ (?=\d)/) : [text];
  return (
    <span className={cx("min-w-0", !wraps && "truncate")}>
      {date} {time && <span className="block truncate">{time}</span>}
    </span>
  );
}

function PlateCell({ read, copied }: { read: ResultRow; copied: boolean }) {
  if (read.plate === "") return <Words text="" lines={1} />;
  return (
    <>
      <PlateChip text={read.plate} size="sm" className="min-w-0 shrink" />
      <button
        type="button"
        tabIndex={-1}
        data-copy
        aria-label={`Copy ${read.plate}`}
        title="Copy (c)"
        className={cx(
          "grid size-6 shrink-0 place-items-center rounded-sm text-muted opacity-0 group-hover:opacity-100 group-focus:opacity-100 hover:bg-sunken hover:text-text",
          copied && "text-ok opacity-100",
        )}
      >
        {copied ? (
          <Check aria-hidden="true" className="size-4" />
        ) : (
          <Copy aria-hidden="true" className="size-4" />
        )}
      </button>
    </>
  );
}

const CLAMPS = { 1: "truncate", 2: "line-clamp-2 wrap-anywhere", 4: "line-clamp-4 wrap-anywhere" };

/** The longest hint: a text of thousands of characters would cover the screen. */
const LONGEST_TITLE = 500;

/** Words of a camera or an agency may be of any length and direction: they keep to their cell and to themselves. */
function Words({ text, lines }: { text: string; lines: 1 | 2 | 4 }) {
  const words = orMissing(text);
  return (
    <bdi
      className={cx("min-w-0", CLAMPS[lines], words !== text && "text-muted")}
      title={text.length > 8 ? text.slice(0, LONGEST_TITLE) : undefined}
    >
      {words.length > LONGEST_TITLE ? words.slice(0, LONGEST_TITLE) : words}
    </bdi>
  );
}

function HasImage({ has, what }: { has: boolean; what: string }) {
  return has ? (
    <>
      <ImageIcon aria-hidden="true" className="size-4 text-muted" />
      <span className="sr-only">{what} available</span>
    </>
  ) : (
    <span className="text-muted">N/A</span>
  );
}
