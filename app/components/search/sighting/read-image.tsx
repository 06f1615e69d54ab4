import { ImageOff } from "lucide-react";
import { createContext, useContext, useEffect, useRef, useState } from "react";
import { sessionHasEnded } from "#app/components/accounts/session/events.ts";
import { cx } from "#app/components/ui/cx.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ResultRow } from "#app/entities/search/result-columns.ts";
import { type ImageKind, imageReference, imageUrl } from "#app/entities/search/result-set.ts";
import { textIn } from "#app/lib/json/parse.ts";
import { EnlargeButton } from "./enlarge-button.tsx";
import { createImageQueue, type ImageQueue } from "./image-queue.ts";
import { imageAlt } from "./text.ts";

/** State shared by the images of one result. */
export type ImageSource = {
  resultId: string;
  queue: ImageQueue;
  /** URLs that the browser has loaded; they skip the queue. */
  loaded: Set<string>;
  /** When the cause of a failed image was last checked, from performance.now(). */
  checkedAt: number;
  /** Called with the server's message once the results may no longer be shown. */
  onGone: (message: string) => void;
};

export function createImageSource(resultId: string, onGone: ImageSource["onGone"]): ImageSource {
  return {
    resultId,
    queue: createImageQueue(),
    loaded: new Set(),
    checkedAt: Number.NEGATIVE_INFINITY,
    onGone,
  };
}

export const ImageSourceContext = createContext<ImageSource | null>(null);

/** Rows that are visible for a shorter time load no images. */
const DWELL_MS = 60;

export type ReadImageProps = {
  read: ResultRow;
  kind: ImageKind;
  /** Its position in the view; lower positions load first. */
  place: number;
  /** The size of the box, which is reserved before the image loads. */
  className: string;
  /** Loads the image with the page, before scripts run, without waiting in the queue. */
  eager?: boolean;
  /** Shows the whole image, without cropping. */
  whole?: boolean;
  /** Makes the image a button, if there is an image. */
  onEnlarge?: () => void;
};

/** An image of a read from the image proxy, in a box of fixed size, or a labeled placeholder. */
export function ReadImage(props: ReadImageProps) {
  const { read, kind, place, className, eager = false, whole = kind === "plate", onEnlarge } = props;
  const source = useContext(ImageSourceContext);
  if (!source) throw new Error("ReadImage needs an ImageSourceContext.");
  const exists = kind === "vehicle" ? read.hasVehicleImage : read.hasPlateImage;
  const url = exists ? imageUrl(read.program, imageReference(source.resultId, read.row, kind)) : undefined;
  const [failed, setFailed] = useState<string>();
  const [early] = useState(eager ? url : undefined);
  const [turn, setTurn] = useState<string>();
  const [shown, setShown] = useState<string>();
  const leave = useRef<() => void>();
  const element = useRef<HTMLImageElement>(null);
  const isLoaded = url !== undefined && source.loaded.has(url);

  useEffect(() => {
    if (url === undefined || url === failed || source.loaded.has(url)) return;
    if (url === early) {
      // The image's events may have fired before hydration.
      if (!element.current?.complete) return;
      if (element.current.naturalWidth > 0) source.loaded.add(url);
      else setFailed(url);
      return;
    }
    const dwell = setTimeout(() => {
      // The image was already loading at another position, and has arrived.
      if (source.loaded.has(url)) return;
      leave.current = source.queue.enter(place, () => setTurn(url));
    }, DWELL_MS);
    return () => {
      clearTimeout(dwell);
      leave.current?.();
      leave.current = undefined;
    };
  }, [url, failed, early, place, source]);

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
  const isTurn = isLoaded || turn === url || early === url;
  const image = (
    <span className={cx("relative block overflow-hidden rounded-sm bg-sunken", className)}>
      {isTurn && (
        <img
          ref={element}
          // React 18 does not know the attribute in its own spelling.
          {...(early === url && { fetchpriority: "high" })}
          src={url}
          alt={imageAlt(kind, read)}
          decoding="async"
          draggable={false}
          className={cx(
            "absolute inset-0 size-full",
            whole ? "object-contain" : "object-cover",
            !isLoaded && shown !== url && early !== url && "opacity-0",
          )}
          onLoad={() => {
            source.loaded.add(url);
            setShown(url);
            done();
          }}
          onError={() => {
            setFailed(url);
            done();
            void checkFailure(url, source);
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

/** The cause of a failure is the same for all images, so it is checked at most once in this time. */
const CHECK_INTERVAL_MS = 5000;

/** Fetches a failed image again to learn the status: an image element does not report it. */
async function checkFailure(url: string, source: ImageSource): Promise<void> {
  if (performance.now() - source.checkedAt < CHECK_INTERVAL_MS) return;
  source.checkedAt = performance.now();
  try {
    // Fetched directly: the answer is an image.
    const answer = await fetch(url, { method: "GET" });
    if (answer.status === 401) sessionHasEnded();
    if (answer.status === 410) source.onGone(textIn(await answer.json(), "message"));
    else await answer.body?.cancel();
  } catch {
    // No network: the placeholder is enough.
  }
}
