// biome-ignore-all lint/a11y/useFocusableInteractive: the row takes the focus; screen readers reach the cells by reading
// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the table roles from elements with a grid layout
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: the ARIA grid pattern on a real table
import { Check, Copy } from "lucide-react";
import { memo, type ReactNode } from "react";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { ImpossibleTripFlag } from "#app/components/search/impossible-trips.tsx";
import { ReadImage } from "#app/components/search/sighting/read-image.tsx";
import { orMissing, timeText } from "#app/components/search/sighting/text.ts";
import { cx } from "#app/components/ui/cx.ts";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { type ResultColumns, type ResultRow, rowAt } from "#app/entities/search/result-columns.ts";
import type { SortKey } from "./sort.ts";
import type { Density } from "./table-columns.ts";

export type SightingRowProps = {
  columns: ResultColumns;
  row: number;
  /** Its position in the view, from 0. */
  index: number;
  /** Its top in pixels, if it does not follow the previous row. */
  top: number | undefined;
  keys: readonly SortKey[];
  density: Density;
  selected: boolean;
  current: boolean;
  /** The one row in the tab order. */
  reachable: boolean;
  copied: boolean;
  /** Whether pointer-only controls are rendered; the text is rendered first. */
  hasTools: boolean;
};

/** Cells that stay in place while the table scrolls sideways and cover the cells behind them. */
export const PINNED_CELL = "in-data-aside:sticky in-data-aside:z-1 in-data-aside:bg-(--row)";

/** One read. The table handles clicks and keys, so that rows stay cheap to render. */
export const SightingRow = memo(function SightingRow(props: SightingRowProps) {
  const { columns, row, index, top, keys, selected, current, reachable } = props;
  const read = rowAt(columns, row);
  const time = timeText(read.capturedAt);
  return (
    <tr
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-current={current || undefined}
      data-row={row}
      tabIndex={reachable ? 0 : -1}
      style={top === undefined ? undefined : { position: "absolute", top, insetInline: 0 }}
      className={cx(
        "group grid h-(--row-height) contain-strict cursor-pointer grid-cols-(--columns) border-b border-line bg-(--row) text-sm",
        "focus-visible:z-1 focus-visible:-outline-offset-2",
        selected
          ? "[--row:var(--color-accent-soft)]"
          : "[--row:var(--color-raised)] hover:[--row:var(--color-hover)]",
      )}
    >
      <td
        role="gridcell"
        aria-colindex={1}
        data-select
        className={cx(
          "in-data-aside:start-0 grid place-items-center border-x-4",
          current ? "border-s-accent border-e-transparent" : "border-transparent",
          PINNED_CELL,
        )}
      >
        <input
          type="checkbox"
          className="check"
          tabIndex={-1}
          checked={selected}
          readOnly
          aria-label={`Select ${read.plate || "read without a plate"}, ${time}`}
        />
      </td>
      {keys.map((key, at) => cellOf(key, at + 2, { ...props, read, time }))}
    </tr>
  );
});

type Cell = Pick<SightingRowProps, "columns" | "density" | "index" | "copied" | "hasTools"> & {
  read: ResultRow;
  time: string;
};

// `clip`, not `hidden`: scrollable boxes cost time in every frame. Boxes whose content always fits are not clipped.
/** One line of text directly in its cell: a table of compact rows has hundreds of cells on screen. */
const LINE_CELL =
  "overflow-clip text-ellipsis whitespace-nowrap px-2 text-left leading-[calc(var(--row-height)-1px)] [unicode-bidi:plaintext]";
/** In tall rows the copy button is below the plate, which stays aligned with the text of the other cells. */
const STACKED = "flex-col justify-center !items-start [&>[data-copy]]:-mb-7";
const BOX_CELL = "flex min-w-0 items-center gap-1 px-2";

function cellOf(key: SortKey, column: number, cell: Cell): ReactNode {
  const { read, density, time } = cell;
  const words = isWord(key) ? read[key] : key === "time" && density !== "full" ? time : null;
  const rest = { key, role: "gridcell", "aria-colindex": column };
  if (words === null || (density !== "compact" && key !== "time")) {
    return (
      <td
        {...rest}
        className={
          key === "plate"
            ? cx(BOX_CELL, density === "full" && STACKED, "in-data-aside:start-10", PINNED_CELL)
            : cx(BOX_CELL, !(density === "compact" && key.endsWith("Image")) && "overflow-clip")
        }
      >
        {contentOf(key, cell)}
      </td>
    );
  }
  const text = orMissing(words);
  return (
    <td {...rest} data-words className={cx(LINE_CELL, text !== words && "text-muted")}>
      {text.length > LONGEST_TITLE ? text.slice(0, LONGEST_TITLE) : text}
    </td>
  );
}

type WordKey = Exclude<SortKey, "program" | "plate" | "time" | "vehicleImage" | "plateImage">;
const NO_WORDS: readonly SortKey[] = ["program", "plate", "time", "vehicleImage", "plateImage"];

function isWord(key: SortKey): key is WordKey {
  return !NO_WORDS.includes(key);
}

function contentOf(key: SortKey, { columns, read, density, index, copied, hasTools, time }: Cell): ReactNode {
  switch (key) {
    case "program":
      return <ProgramMark program={read.program} named={density !== "full"} />;
    case "plate":
      return <PlateCell columns={columns} read={read} copied={copied} hasTools={hasTools} />;
    case "time":
      return <TimeCell text={time} />;
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
      return <Words text={read[key]} lines={density === "full" ? 4 : 2} />;
  }
}

/** Date and time on two lines if the row is tall enough; no other line breaks. */
function TimeCell({ text }: { text: string }) {
  const [date, time] = text.split(/ (?=\d)/);
  return (
    <span className="min-w-0">
      {date} {time && <span className="block truncate">{time}</span>}
    </span>
  );
}

function PlateCell({
  columns,
  read,
  copied,
  hasTools,
}: Pick<Cell, "columns" | "read" | "copied" | "hasTools">) {
  if (read.plate === "") return <span className="text-muted">{orMissing("")}</span>;
  return (
    <>
      <PlateChip text={read.plate} size="sm" className="max-w-full min-w-0 shrink" />
      <ImpossibleTripFlag columns={columns} row={read.row} />
      {hasTools && (
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
          {copied ? COPIED_ICON : COPY_ICON}
        </button>
      )}
    </>
  );
}

// Created once, since they are the same in every row.
const COPY_ICON = <Copy aria-hidden="true" className="size-4" />;
const COPIED_ICON = <Check aria-hidden="true" className="size-4" />;
const IMAGE_PATH =
  "M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM9 7a2 2 0 1 1 0 4a2 2 0 1 1 0-4M21 15l-3.1-3.1a2 2 0 0 0-2.8 0L6 21";

const CLAMPS = { 2: "line-clamp-2 wrap-anywhere", 4: "line-clamp-4 wrap-anywhere" };

/** Longest text in a cell or tooltip: thousands of characters would cover the screen. */
const LONGEST_TITLE = 500;

/** Text from a vendor, of any length and direction; isolated and clamped to its cell. */
function Words({ text, lines }: { text: string; lines: 2 | 4 }) {
  const words = orMissing(text);
  return (
    <bdi data-words className={cx("min-w-0", CLAMPS[lines], words !== text && "text-muted")}>
      {words.length > LONGEST_TITLE ? words.slice(0, LONGEST_TITLE) : words}
    </bdi>
  );
}

function HasImage({ has, what }: { has: boolean; what: string }) {
  return has ? (
    <svg
      role="img"
      aria-label={`${what} available`}
      viewBox="0 0 24 24"
      className="size-4 fill-none stroke-current stroke-2 text-muted"
    >
      <path d={IMAGE_PATH} />
    </svg>
  ) : (
    <span className="text-muted">N/A</span>
  );
}
