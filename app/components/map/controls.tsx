import { ChevronLeft, ChevronRight, Maximize, Minus, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { type Camera, MAX_ZOOM, MIN_ZOOM, scaleBar } from "#app/entities/search/map/camera.ts";
import { numberText } from "#app/lib/number-text.ts";

const BUTTON =
  "grid size-11 place-items-center border-b border-line bg-raised text-text last:border-b-0 hover:bg-hover disabled:opacity-40 [&_svg]:size-5";

export type ZoomButtonsProps = { zoom: number; onZoom: (steps: number) => void; onFit?: () => void };

/** Zoom buttons, 44 px for touch and gloves. */
export function ZoomButtons({ zoom, onZoom, onFit }: ZoomButtonsProps) {
  return (
    <div className="sheet absolute end-3 top-3 flex flex-col overflow-hidden !p-0 print:hidden">
      <MapButton label="Zoom in" disabled={zoom >= MAX_ZOOM} onPress={() => onZoom(1)}>
        <Plus />
      </MapButton>
      <MapButton label="Zoom out" disabled={zoom <= MIN_ZOOM} onPress={() => onZoom(-1)}>
        <Minus />
      </MapButton>
      {onFit && (
        <MapButton label="Show all reads" onPress={onFit}>
          <Maximize />
        </MapButton>
      )}
    </div>
  );
}

type MapButtonProps = { label: string; disabled?: boolean; onPress: () => void; children: ReactNode };

function MapButton({ label, disabled, onPress, children }: MapButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={BUTTON}
      disabled={disabled}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

/** A scale bar. */
export function ScaleBar({ camera }: { camera: Camera }) {
  const { pixels, label } = scaleBar(camera, 110);
  return (
    <div className="pointer-events-none absolute bottom-2 start-3">
      <span className="rounded-sm bg-raised/85 px-1 text-xs font-medium text-text">{label}</span>
      <div className="mt-0.5 h-1.5 border-2 border-t-0 border-text" style={{ width: pixels }} />
    </div>
  );
}

export function Attribution({ text }: { text: string }) {
  return (
    <p className="pointer-events-none absolute end-0 bottom-0 max-w-[65%] rounded-ss-sm text-end bg-raised/85 px-1.5 text-xs text-muted">
      {text}
    </p>
  );
}

/**
 * Returns the page of a list, from 0, and a function that turns to another. Initially, and whenever the list or the
 * item at `index` changes, it is the page of that item.
 */
export function usePageOf({ list, index, perPage }: { list: unknown; index: number; perPage: number }) {
  const own = { list, index, page: Math.max(0, Math.floor(index / perPage)) };
  const [shown, setShown] = useState(own);
  const isOwn = shown.list !== list || shown.index !== index;
  if (isOwn) setShown(own);
  const turnTo = (page: number) => setShown({ list, index, page });
  return [isOwn ? own.page : shown.page, turnTo] as const;
}

type PageButtonsProps = {
  /** The page, from 0. */
  page: number;
  perPage: number;
  /** The number of items on all pages. */
  count: number;
  /** The names of the buttons. */
  before: string;
  after: string;
  onPage: (page: number) => void;
  className: string;
};

/** Buttons to the neighboring pages of a list, and the items of this one. A list of one page has none. */
export function PageButtons({ page, perPage, count, before, after, onPage, className }: PageButtonsProps) {
  if (count <= perPage) return null;
  const first = page * perPage;
  const end = Math.min(count, first + perPage);
  return (
    <div className={cx("flex items-center justify-between text-muted", className)}>
      <IconButton
        label={before}
        size="sm"
        icon={<ChevronLeft />}
        disabled={page === 0}
        onClick={() => onPage(page - 1)}
      />
      {numberText(first + 1)} to {numberText(end)} of {numberText(count)}
      <IconButton
        label={after}
        size="sm"
        icon={<ChevronRight />}
        disabled={end === count}
        onClick={() => onPage(page + 1)}
      />
    </div>
  );
}
