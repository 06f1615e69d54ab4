import { ImageOff } from "lucide-react";
import { useState } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { MESSAGES } from "#app/entities/messages.ts";

export type AlertImageProps = {
  url: string | null;
  alt: string;
  /** The size of the box, which is reserved before the image loads. */
  className: string;
  /** Shows the whole image instead of filling the box. */
  whole?: boolean;
  missing?: string;
  onFail?: () => void;
};

/** A lazily loaded image of a hit in a box of fixed size, or a text if there is no image. */
export function AlertImage({
  url,
  alt,
  className,
  whole = false,
  missing = MESSAGES.imageUnavailable,
  onFail,
}: AlertImageProps) {
  const [failed, setFailed] = useState<string>();
  if (url === null || failed === url) {
    return (
      <span
        className={cx(
          "flex flex-col items-center justify-center gap-1 rounded-sm border border-dashed border-line-strong bg-sunken px-1 text-center text-xs text-muted",
          className,
        )}
      >
        <ImageOff aria-hidden="true" className="size-4 shrink-0" />
        {missing}
      </span>
    );
  }
  return (
    <span className={cx("relative block overflow-hidden rounded-sm bg-sunken", className)}>
      <img
        src={url}
        alt={alt}
        loading="lazy"
        decoding="async"
        draggable={false}
        className={cx("absolute inset-0 size-full", whole ? "object-contain" : "object-cover")}
        onError={() => {
          setFailed(url);
          onFail?.();
        }}
      />
    </span>
  );
}
