import { cx } from "#app/components/ui/cx.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ResultRow } from "#app/entities/search/result-columns.ts";
import { type ImageKind, imageReference, imageUrl } from "#app/entities/search/result-set.ts";
import { imageAlt } from "./text.ts";

export type PlainImageProps = {
  read: ResultRow;
  resultId: string;
  kind: ImageKind;
  timeZone: string;
  className: string;
};

/** An image of a read from the image proxy. Works without scripts. */
export function PlainImage({ read, resultId, kind, timeZone, className }: PlainImageProps) {
  const exists = kind === "vehicle" ? read.hasVehicleImage : read.hasPlateImage;
  if (!exists) {
    const label = kind === "vehicle" ? MESSAGES.imageUnavailable : "Plate image unavailable";
    return <span className="text-sm text-muted">{label}</span>;
  }
  return (
    <img
      src={imageUrl(read.program, imageReference(resultId, read.row, kind))}
      alt={imageAlt(kind, read, timeZone)}
      loading="lazy"
      decoding="async"
      className={cx("rounded-sm bg-sunken text-sm text-muted", "object-contain", className)}
    />
  );
}
