// biome-ignore-all lint/a11y/useFocusableInteractive: the row takes the focus; screen readers reach the cells by reading
// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the table roles from elements with a grid layout
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: the ARIA grid pattern on a real table

import { Check, Copy } from "lucide-react";
import { memo, type ReactNode } from "react";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { ImpossibleTripFlag } from "#app/components/search/impossible-trips.tsx";
import { ReadImage } from "#app/components/search/sighting/read-image.tsx";
import { matchText, orMissing, timeText } from "#app/components/search/sighting/text.ts";
import { cx } from "#app/components/ui/cx.ts";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { type ResultColumns, type ResultRow, rowAt } from "#app/entities/search/result-columns.ts";
import type { SortKey } from "./sort.ts";
import { columnOf, type Density } from "./table-columns.ts";

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
  /** The zone of its time; the viewer's by default. */
  zone: string | undefined;
  /** Its images wait in the queue, load with the page (the vehicle), or are not loaded yet. */
  images: "queued" | "first" | "none";
};

/**
 * Cells that stay in place while the table scrolls sideways and cover the cells behind them. Firefox does not place a
 * pinned cell until the next scroll if its row has layout containment, so the rows of such a table have none.
 */
export const PINNED_CELL = "in-data-aside:sticky in-data-aside:z-1 in-data-aside:bg-(--row)";

/** On a phone a row is a card: image, then plate, time and camera. The columns name its areas. */
const CARD =
  "max-sm:h-(--card-height) max-sm:content-center max-sm:gap-x-2 max-sm:pe-3 max-sm:grid-cols-[2.5rem_clamp(3rem,100vw_-_16.75rem,7.5rem)_auto_minmax(0,1fr)_auto] max-sm:[grid-template-areas:'select_image_plate_state_program'_'select_image_time_time_time'_'select_image_camera_camera_camera']";
const CARD_CELL = "max-sm:px-0 max-sm:leading-[1.125rem]";

/** Shows whether a read is selected. A press is handled by the row or tile, and keys by the grid. */
export function RowCheckbox({ plate, time, selected }: { plate: string; time: string; selected: boolean }) {
  return (
    <input
      type="checkbox"
      className="check"
      tabIndex={-1}
      checked={selected}
      readOnly
      aria-label={`Select ${plate || "read without a plate"}, ${time}`}
    />
  );
}

/** One read. The table handles clicks and keys, so that rows stay cheap to render. */
export const SightingRow = memo(function SightingRow(props: SightingRowProps) {
  const { columns, row, index, top, keys, selected, current, reachable, zone } = props;
  const read = rowAt(columns, row);
  const time = timeText(read.capturedAt, zone);
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
        "print:static! group grid h-(--row-height) contain-strict in-data-aside:[contain:size_style_paint] cursor-pointer grid-cols-(--columns) border-b border-line bg-(--row) text-sm",
        CARD,
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
          "in-data-aside:start-0 grid place-items-center border-x-4 max-sm:[grid-area:select]",
          // In forced colors, a transparent edge is drawn like any other edge.
          current
            ? "border-s-accent border-e-transparent forced-colors:border-s-[Highlight] forced-colors:border-e-[Canvas]"
            : "border-transparent forced-colors:border-[Canvas]",
          PINNED_CELL,
        )}
      >
        <RowCheckbox plate={read.plate} time={time} selected={selected} />
      </td>
      {keys.map((key, at) => cellOf(key, at + 2, { ...props, read, time }))}
    </tr>
  );
});

type Cell = Pick<SightingRowProps, "columns" | "density" | "index" | "copied" | "hasTools" | "images"> & {
  read: ResultRow;
  time: string;
};

/**
 * One line of text directly in its cell: a table of compact rows has hundreds of cells on screen. Clipped rather than
 * hidden, because boxes that could scroll cost time in every frame. Boxes whose content always fits are not clipped.
 */
const LINE_CELL =
  "overflow-clip text-ellipsis whitespace-nowrap px-2 text-left leading-[calc(var(--row-height)-1px)] [unicode-bidi:plaintext]";
/** In tall rows the copy button is below the plate, which stays aligned with the text of the other cells. */
const STACKED = "flex-col justify-center !items-start [&>[data-copy]]:-mb-7";
const BOX_CELL = "flex min-w-0 items-center gap-1 px-2";

function cellOf(key: SortKey, column: number, cell: Cell): ReactNode {
  const { read, density, time } = cell;
  const { text: textOf, card } = columnOf(key);
  const word = textOf ? textOf(read) : isWord(key) ? read[key] : null;
  const line = density === "compact" ? word : null;
  const words = key === "time" && density === "compact" ? time : line;
  const rest = {
    key,
    role: "gridcell",
    "aria-colindex": column,
  };
  const onCard = card === undefined ? "max-sm:hidden" : cx(CARD_CELL, card);
  if (words === null) {
    return (
      <td
        {...rest}
        className={
          key === "plate"
            ? cx(BOX_CELL, onCard, density === "full" && STACKED, "in-data-aside:start-10", PINNED_CELL)
            : cx(BOX_CELL, onCard, !(density === "compact" && key.endsWith("Image")) && "overflow-clip")
        }
      >
        {word === null ? (
          contentOf(key, cell)
        ) : (
          <Words text={word} lines={density === "full" ? 4 : 2} whole={textOf !== undefined} />
        )}
      </td>
    );
  }
  const text = orMissing(words);
  return (
    <td {...rest} data-words className={cx(LINE_CELL, onCard, text !== words && "text-muted")}>
      {text.length > LONGEST_TITLE ? text.slice(0, LONGEST_TITLE) : text}
    </td>
  );
}

type WordKey = Exclude<SortKey, "program" | "plate" | "match" | "time" | "vehicleImage" | "plateImage">;
const NO_WORDS: readonly SortKey[] = ["program", "plate", "match", "time", "vehicleImage", "plateImage"];

function isWord(key: SortKey): key is WordKey {
  return !NO_WORDS.includes(key);
}

function contentOf(
  key: SortKey,
  { columns, read, density, index, copied, hasTools, time, images }: Cell,
): ReactNode {
  switch (key) {
    case "program":
      return (
        <ProgramMark program={read.program} named={density !== "full"} className="max-sm:[&>span]:sr-only" />
      );
    case "plate":
      return <PlateCell columns={columns} read={read} copied={copied} hasTools={hasTools} />;
    case "match":
      return <Words text={matchText(read.match)} lines={density === "full" ? 4 : 2} whole />;
    case "time":
      return <TimeCell text={time} />;
    case "vehicleImage":
    case "plateImage":
      return (
        <ImageCell kind={key === "plateImage" ? "plate" : "vehicle"} {...{ read, density, index, images }} />
      );
    default:
      return null;
  }
}

/** Sizes of the images in a row; on a phone's card the vehicle is larger. */
const IMAGE_SIZES = {
  vehicle: {
    full: "h-[203px] w-[360px] shrink-0",
    medium: "h-[48px] w-[85px] shrink-0 max-sm:h-[68px] max-sm:w-full",
  },
  plate: { full: "h-[60px] w-[120px] shrink-0", medium: "h-[48px] w-[120px] shrink-0" },
};

type ImageCellProps = Pick<Cell, "read" | "density" | "index" | "images"> & { kind: "vehicle" | "plate" };

function ImageCell({ kind, read, density, index, images }: ImageCellProps) {
  const isVehicle = kind === "vehicle";
  const has = isVehicle ? read.hasVehicleImage : read.hasPlateImage;
  if (density === "compact") return <HasImage has={has} what={isVehicle ? "Vehicle image" : "Plate image"} />;
  const className = IMAGE_SIZES[kind][density];
  const eager = images === "first" && isVehicle;
  if (images !== "queued" && !eager && has) return <span className={cx("rounded-sm bg-sunken", className)} />;
  return (
    <ReadImage
      read={read}
      kind={kind}
      place={index * 2 + (isVehicle ? 0 : 1)}
      eager={eager}
      className={className}
    />
  );
}

/**
 * Date and time, on two lines if the column is narrow; no other line breaks. On one line of a phone's card, even with
 * wider letters (WCAG 1.4.12).
 */
function TimeCell({ text }: { text: string }) {
  const [date, time] = text.split(/ (?=\d)/);
  return (
    <span className="min-w-0 max-sm:truncate max-sm:text-xs print:text-[0.5rem]">
      <span className="whitespace-nowrap print:whitespace-nowrap!">{date}</span>{" "}
      {time && <span className="inline-block max-w-full truncate align-bottom max-sm:inline">{time}</span>}
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
      <PlateChip text={read.plate} size="sm" isTight className="max-w-full min-w-0 shrink" />
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

const CLAMPS = { 2: "line-clamp-2", 4: "line-clamp-4" };

/** Longest text in a cell or tooltip: thousands of characters would cover the screen. */
const LONGEST_TITLE = 500;

/** Text from a vendor, of any length and direction; isolated and clamped to its cell. `whole` never breaks a word. */
function Words({ text, lines, whole }: { text: string; lines: 2 | 4; whole: boolean }) {
  const words = orMissing(text);
  return (
    <bdi
      data-words
      className={cx("min-w-0", CLAMPS[lines], !whole && "wrap-anywhere", words !== text && "text-muted")}
    >
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
