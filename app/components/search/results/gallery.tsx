// biome-ignore-all lint/a11y/useSemanticElements: the ARIA grid pattern; a table cannot wrap its cells
// biome-ignore-all lint/a11y/useFocusableInteractive: the tiles take the focus, not their lines

import { Check } from "lucide-react";
import { memo, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { ImpossibleTripFlag } from "#app/components/search/impossible-trips.tsx";
import { ReadImage } from "#app/components/search/sighting/read-image.tsx";
import { orMissing, timeText } from "#app/components/search/sighting/text.ts";
import { cx } from "#app/components/ui/cx.ts";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { type ResultColumns, rowAt } from "#app/entities/search/result-columns.ts";
import { NothingPasses, PrintedReads } from "./notices.tsx";
import { RowCheckbox } from "./row.tsx";
import { isSelected } from "./selection.ts";
import { type ResultsStore, useResults } from "./state.ts";
import { type ReadListHandle, useReadList } from "./use-read-list.ts";
import { useTextScale } from "./use-scroll-window.ts";

const GAP = 8;
/** Two tiles fit on a phone, five on a laptop. In pixels of the usual text size, since a plate must fit. */
const LEAST_TILE_WIDTH = 168;
const WIDEST_TILE = 288;
/** Usual height of plate, time and camera below an image, with borders and padding, in pixels of the usual text size. */
const CAPTION_HEIGHT = 84;

/**
 * Returns how many tiles stand side by side in a box, and the height of a line of them. `textScale` is the size of the
 * user's text relative to the usual size.
 */
export function galleryLines(width: number, textScale = 1): { perLine: number; lineHeight: number } {
  const most = Math.floor((width - GAP) / (LEAST_TILE_WIDTH * textScale + GAP));
  const least = Math.ceil((width - GAP) / (WIDEST_TILE + GAP));
  const perLine = Math.max(1, Math.min(most, least));
  const tile = (width - GAP) / perLine - GAP;
  return { perLine, lineHeight: Math.max(1, Math.round((tile * 9) / 16)) + CAPTION_HEIGHT * textScale + GAP };
}

type SightingGalleryProps = {
  store: ResultsStore;
  onOpen: (row: number) => void;
  handle: RefObject<ReadListHandle>;
};

/** Images of any number of reads; only the lines on screen are rendered. Same order and selection as the table. */
export const SightingGallery = memo(function SightingGallery({
  store,
  onOpen,
  handle,
}: SightingGalleryProps) {
  const { columns, view, selection, current } = useResults(store, (state) => state);
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const { perLine, lineHeight } = galleryLines(width, useTextScale());
  const { seen, indexes, reachable, copiedRow, handlers } = useReadList({
    store,
    handle,
    box,
    body,
    perLine,
    lineHeight,
    headHeight: 0,
    onOpen,
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  return (
    <div
      ref={box}
      onScroll={seen.onScroll}
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain print:overflow-visible"
    >
      <PrintedReads printed={indexes.length * perLine} found={view.length} />
      <div
        ref={body}
        role="grid"
        aria-label="Search results as images. Arrow keys move, Enter opens, Space selects, Shift extends the selection."
        aria-rowcount={Math.ceil(view.length / perLine)}
        aria-colcount={perLine}
        aria-multiselectable="true"
        className="relative print:h-auto!"
        style={{ height: seen.height + GAP }}
        {...handlers}
      >
        {width > 0 &&
          indexes.map((line) => (
            <div
              key={line}
              role="row"
              aria-rowindex={line + 1}
              className="absolute inset-x-0 grid gap-2 px-2 print:static! print:mb-2 print:break-inside-avoid"
              style={{
                // The line may be beyond the end of the box if the box is shorter than its lines.
                top:
                  GAP +
                  Math.min(
                    Math.max(line * lineHeight + seen.shift, 0),
                    Math.max(0, seen.height - lineHeight),
                  ),
                height: lineHeight - GAP,
                gridTemplateColumns: `repeat(${perLine}, minmax(0, 1fr))`,
              }}
            >
              {Array.from(view.subarray(line * perLine, (line + 1) * perLine), (row, column) => (
                <Tile
                  key={row}
                  columns={columns}
                  row={row}
                  index={line * perLine + column}
                  column={column}
                  selected={isSelected(selection, row)}
                  current={row === current}
                  reachable={line * perLine + column === reachable}
                  copied={copiedRow === row}
                />
              ))}
            </div>
          ))}
      </div>
      {view.length === 0 && <NothingPasses store={store} />}
      <LiveRegion>{copiedRow === undefined ? "" : "Plate copied"}</LiveRegion>
    </div>
  );
});

type TileProps = {
  columns: ResultColumns;
  row: number;
  /** Its position in the view. */
  index: number;
  column: number;
  selected: boolean;
  current: boolean;
  /** The one tile in the tab order. */
  reachable: boolean;
  copied: boolean;
};

/** One read. The gallery handles clicks and keys, so that tiles stay cheap to render. */
const Tile = memo(function Tile({
  columns,
  row,
  index,
  column,
  selected,
  current,
  reachable,
  copied,
}: TileProps) {
  const read = rowAt(columns, row);
  const time = timeText(read.capturedAt);
  return (
    <div
      role="gridcell"
      aria-colindex={column + 1}
      aria-selected={selected}
      aria-current={current || undefined}
      data-row={row}
      tabIndex={reachable ? 0 : -1}
      className={cx(
        "relative flex min-w-0 cursor-pointer flex-col overflow-clip rounded-md border contain-strict",
        selected ? "border-accent bg-accent-soft" : "border-line bg-raised hover:bg-hover",
        current && "ring-2 ring-accent",
      )}
    >
      <ReadImage read={read} kind="vehicle" place={index} className="min-h-0 w-full flex-1 rounded-b-none" />
      <span
        data-select
        className="absolute start-1 top-1 grid size-8 place-items-center rounded-sm bg-raised/80"
      >
        <RowCheckbox plate={read.plate} time={time} selected={selected} />
      </span>
      <span className="flex min-h-21 flex-none flex-col justify-center gap-0.5 px-2 py-1 text-sm">
        <span className="flex min-w-0 items-center gap-1.5">
          {read.plate === "" ? (
            <span className="text-muted">{orMissing("")}</span>
          ) : (
            <PlateChip
              text={read.plate}
              region={read.state || undefined}
              size="sm"
              isTight
              className="max-w-full min-w-0"
            />
          )}
          <ImpossibleTripFlag columns={columns} row={read.row} />
          {copied && <Check aria-hidden="true" className="size-4 shrink-0 text-ok" />}
          <ProgramMark program={read.program} className="ms-auto shrink-0" />
        </span>
        <span className="max-sm:text-xs">{time}</span>
        <bdi className="line-clamp-3 wrap-anywhere text-muted" title={read.camera}>
          {orMissing(read.camera)}
        </bdi>
      </span>
    </div>
  );
});
