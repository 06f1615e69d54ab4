import { Route, X } from "lucide-react";
import { useContext, useEffect, useRef, useState } from "react";
import { GLIDE_MS } from "#app/components/map/use-camera.ts";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { isSelected } from "#app/components/search/results/selection.ts";
import { type ResultsStore, useResults } from "#app/components/search/results/state.ts";
import { ImageLayer } from "#app/components/search/sighting/image-layer.tsx";
import { SearchPlate } from "#app/components/search/sighting/plate-actions.tsx";
import { ImageSourceContext, ReadImage } from "#app/components/search/sighting/read-image.tsx";
import { imageAlt, orMissing, timeText } from "#app/components/search/sighting/text.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import type { Pixel, Size } from "#app/entities/search/map/camera.ts";
import { type ResultRow, rowAt } from "#app/entities/search/result-columns.ts";
import { imageReference, imageUrl } from "#app/entities/search/result-set.ts";
import { counted } from "#app/lib/number-text.ts";
import { truncated } from "#app/lib/text.ts";
import { PageButtons, usePageOf } from "./controls.tsx";

const PAGE = 6;
const WIDTH = 600;
const MARGIN = 10;

export type MapPopupProps = {
  store: ResultsStore;
  /** The reads of the spot, newest first. */
  rows: readonly number[];
  /** The read shown. */
  row: number;
  at: Pixel;
  size: Size;
  /** A new object for each opening. */
  opening: object;
  onRow: (row: number) => void;
  onOpen: (row: number) => void;
  onTrack: (plate: string) => void;
  onClose: () => void;
};

/** The reads of a spot: one read with its image, and a list of the others. */
export function MapPopup(props: MapPopupProps) {
  const { store, rows, row, at, size, opening, onRow, onOpen, onTrack, onClose } = props;
  const columns = useResults(store, (state) => state.columns);
  const [enlarged, setEnlarged] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  const source = useContext(ImageSourceContext);
  const read = rowAt(columns, row);
  const width = Math.min(rows.length > 1 ? WIDTH : 440, size.width - 2 * MARGIN);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // On a phone much of the map is below the window; scrolls the popup into view after the camera has moved.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per opening
  useEffect(() => {
    const timer = setTimeout(() => box.current?.scrollIntoView({ block: "nearest" }), GLIDE_MS + 60);
    return () => clearTimeout(timer);
  }, [opening]);

  const isAbove = at.y > size.height / 2;
  const top = isAbove ? at.y - height - 20 : at.y + 20;
  const left = Math.max(MARGIN, Math.min(at.x - width / 2, size.width - width - MARGIN));
  return (
    <div
      ref={box}
      role="dialog"
      // Safari does not focus a pressed button but the element around it, which must receive Escape.
      tabIndex={-1}
      aria-label={`Reads at ${truncated(orMissing(read.camera), 80)}`}
      className="sheet absolute z-10 flex max-h-[min(31rem,calc(100%-1.25rem))] flex-col overflow-hidden !p-0 outline-none"
      style={{ left, top: Math.max(MARGIN, Math.min(top, size.height - height - MARGIN)), width }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || enlarged) return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <header className="flex items-center gap-2 border-b border-line py-1 ps-3 pe-1">
        <ProgramMark program={read.program} />
        <p className="line-clamp-3 min-w-0 flex-1 text-sm wrap-anywhere">
          <bdi className="font-medium">{truncated(orMissing(read.camera), 120)}</bdi>
          <span className="text-muted">{rows.length > 1 && `, ${counted(rows.length, "read")} here`}</span>
        </p>
        <IconButton label="Close" shortcut="Esc" size="sm" icon={<X />} align="end" onClick={onClose} />
      </header>
      <div
        className={cx(
          "grid min-h-0 flex-1 gap-3 overflow-auto p-3",
          rows.length > 1 && "sm:grid-cols-[minmax(0,1fr)_15rem]",
        )}
      >
        <ShownRead {...{ store, read, onOpen, onTrack }} onEnlarge={() => setEnlarged(true)} />
        {rows.length > 1 && <ReadList {...{ store, rows, row, opening, onRow }} />}
      </div>
      {source && (
        <ImageLayer
          open={enlarged}
          onClose={() => setEnlarged(false)}
          src={imageUrl(read.program, imageReference(source.resultId, row, "vehicle"))}
          alt={imageAlt("vehicle", read)}
        />
      )}
    </div>
  );
}

type ShownReadProps = Pick<MapPopupProps, "store" | "onOpen" | "onTrack"> & {
  read: ResultRow;
  onEnlarge: () => void;
};

/** One read with its image and its actions. */
function ShownRead({ store, read, onOpen, onTrack, onEnlarge }: ShownReadProps) {
  const selection = useResults(store, (state) => state.selection);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <ReadImage
        key={read.row}
        read={read}
        kind="vehicle"
        place={-3}
        className="aspect-video max-h-52 w-full"
        onEnlarge={onEnlarge}
      />
      <div className="flex flex-wrap items-center gap-2">
        {read.plate === "" ? (
          <span className="text-muted">{orMissing("")}</span>
        ) : (
          <PlateChip text={read.plate} region={read.state || undefined} copyable />
        )}
        <span className="tabular-nums">{timeText(read.capturedAt)}</span>
      </div>
      <p className="line-clamp-3 text-sm wrap-anywhere text-muted">
        <bdi>{truncated(orMissing(read.agency), 120)}</bdi>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" variant="primary" onClick={() => onOpen(read.row)}>
          Open sighting
        </Button>
        {read.plate !== "" && (
          <Button size="sm" icon={<Route />} onClick={() => onTrack(read.plate)}>
            Show track
          </Button>
        )}
        <SearchPlate plate={read.plate} size="sm" />
        <Checkbox
          label="Selected"
          checked={isSelected(selection, read.row)}
          onCheckedChange={() => store.toggle(read.row)}
        />
      </div>
    </div>
  );
}

type ReadListProps = Pick<MapPopupProps, "store" | "rows" | "row" | "opening" | "onRow">;

function ReadList({ store, rows, row, opening, onRow }: ReadListProps) {
  const columns = useResults(store, (state) => state.columns);
  const [page, setPage] = usePageOf({ list: opening, index: rows.indexOf(row), perPage: PAGE });
  const shown = rows.slice(page * PAGE, page * PAGE + PAGE);
  return (
    <div className="flex min-w-0 flex-col">
      <ul aria-label="Reads at this spot, newest first" className="flex flex-col gap-0.5">
        {shown.map((listed) => {
          const read = rowAt(columns, listed);
          return (
            <li key={listed}>
              <button
                type="button"
                aria-pressed={listed === row}
                className={cx(
                  "flex w-full items-center gap-2 rounded-sm px-2 py-1.5 text-start text-sm hover:bg-hover",
                  listed === row && "bg-accent-soft",
                )}
                onClick={() => onRow(listed)}
              >
                <ProgramMark program={read.program} size="sm" />
                <span className="plate-text min-w-0 flex-1 truncate">{orMissing(read.plate)}</span>
                <span className="text-xs text-muted tabular-nums">
                  {timeText(read.capturedAt).slice(5, 16)}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      <PageButtons
        page={page}
        perPage={PAGE}
        count={rows.length}
        before="Newer reads"
        after="Older reads"
        onPage={setPage}
        className="mt-auto pt-1 text-xs"
      />
    </div>
  );
}
