import { ImageOff } from "lucide-react";
import { createContext, useContext, useEffect, useRef, useState } from "react";
import { sessionHasEnded } from "#app/components/accounts/session/end.ts";
import { cx } from "#app/components/ui/cx.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ResultRow } from "#app/entities/search/result-columns.ts";
import { type ImageKind, imageReference, imageUrl } from "#app/entities/search/result-set.ts";
import { EnlargeButton } from "./enlarge-button.tsx";
import { createImageQueue, type ImageQueue } from "./image-queue.ts";
import { imageAlt } from "./text.ts";

/** What the images of one result share. */
export type ImageSource = {
  resultId: string;
  queue: ImageQueue;
  /** Addresses that the browser has: they need no turn. */
  loaded: Set<string>;
  /** When it was last asked why an image failed. */
  askedAt: number;
  onPurged: () => void;
};

export function createImageSource(resultId: string, onPurged: () => void): ImageSource {
  return {
    resultId,
    queue: createImageQueue(),
    loaded: new Set(),
    askedAt: Number.NEGATIVE_INFINITY,
    onPurged,
  };
}

export const ImageSourceContext = createContext<ImageSource | null>(null);

/** A row that only flies by asks for nothing. */
const DWELL_MS = 60;

export type ReadImageProps = {
  read: ResultRow;
  kind: ImageKind;
  /** Its place in the view: nearer to the top comes first. */
  place: number;
  /** The size of the box, which stands before the image does. */
  className: string;
  /** Shows all of it, however it is shaped. */
  whole?: boolean;
  /** Makes a button of it, for as long as there is an image to be seen large. */
  onEnlarge?: () => void;
};

/** An image of a read through our proxy, in a box that never shifts, or a labelled placeholder. */
export function ReadImage(props: ReadImageProps) {
  const { read, kind, place, className, whole = kind === "plate", onEnlarge } = props;
  const source = useContext(ImageSourceContext) as ImageSource;
  const exists = kind === "vehicle" ? read.hasVehicleImage : read.hasPlateImage;
  const url = exists ? imageUrl(read.program, imageReference(source.resultId, read.row, kind)) : undefined;
  const [failed, setFailed] = useState<string>();
  const [turn, setTurn] = useState<string>();
  const [shown, setShown] = useState<string>();
  const leave = useRef<() => void>();
  const known = url !== undefined && source.loaded.has(url);

  useEffect(() => {
    if (url === undefined || source.loaded.has(url)) return;
    const dwell = setTimeout(() => {
      leave.current = source.queue.enter(place, () => setTurn(url));
    }, DWELL_MS);
    return () => {
      clearTimeout(dwell);
      leave.current?.();
      leave.current = undefined;
    };
  }, [url, place, source]);

  function done() {
    leave.current?.();
    leave.current = undefined;
  }

  if (url === undefined || failed === url) {
    const label = kind === "vehicle" ? MESSAGES.imageUnavailable : "Plate image unavailable";
    return (
      <span
        role="img"
        aria-label={label}
        title={label}
        className={cx(
          "flex flex-col items-center justify-center gap-1 rounded-sm border border-dashed border-line-strong bg-sunken px-1 text-center text-xs text-muted",
          className,
        )}
      >
        <ImageOff aria-hidden="true" className="size-4 shrink-0" />
        <span className="max-h-full truncate text-wrap in-data-[density=medium]:hidden">{label}</span>
      </span>
    );
  }
  const isTurn = known || turn === url;
  const image = (
    <span className={cx("relative block overflow-hidden rounded-sm bg-sunken", className)}>
      {isTurn && (
        <img
          src={url}
          alt={imageAlt(kind, read)}
          decoding="async"
          draggable={false}
          className={cx(
            "absolute inset-0 size-full",
            whole ? "object-contain" : "object-cover",
            !known && shown !== url && "opacity-0",
          )}
          onLoad={() => {
            source.loaded.add(url);
            setShown(url);
            done();
          }}
          onError={() => {
            setFailed(url);
            done();
            void askWhy(url, source);
          }}
        />
      )}
    </span>
  );
  if (!onEnlarge) return image;
  return (
    <EnlargeButton kind={kind} onEnlarge={onEnlarge}>
      {image}
    </EnlargeButton>
  );
}

/** What ends the screen ends it for all images: one that asks is enough for a while. */
const ASKED_MS = 5000;

/** An image element does not say why it failed; a purged result ends the whole screen. */
async function askWhy(url: string, source: ImageSource): Promise<void> {
  if (performance.now() - source.askedAt < ASKED_MS) return;
  source.askedAt = performance.now();
  try {
    // Fetched directly: the answer is an image.
    const answer = await fetch(url, { method: "GET" });
    if (answer.status === 410) source.onPurged();
    if (answer.status === 401) sessionHasEnded();
    await answer.body?.cancel();
  } catch {
    // The network is away: the placeholder says what there is to say.
  }
}
