import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { useCopy } from "./copy-button.tsx";
import { cx } from "./cx.ts";
import { LiveRegion } from "./live-region.tsx";

export type PlateChipProps = {
  text: string;
  /** The issuing region's short code, shown beside the plate. */
  region?: string;
  size?: "sm" | "md" | "lg";
  /** Whether there is room for eight characters of size `sm` only: a longer plate is smaller instead of cut off. */
  isTight?: boolean;
  /** Copies the text on press. */
  copyable?: boolean;
  className?: string;
};

const SIZES = {
  sm: { text: "px-1.5 py-px text-base", region: "px-1 text-xs" },
  md: { text: "px-2 py-0.5 text-lg", region: "px-1.5 text-xs" },
  lg: { text: "px-3 py-1 text-2xl", region: "px-2 text-base" },
};

/** Returns the classes of a plate's text in a column or tile with room for eight characters. */
function tightText({ length }: string): string {
  if (length > 10) return "px-0.5 py-px text-[0.625rem] tracking-tighter";
  return length > 8 ? "px-1 py-px text-xs" : SIZES.sm.text;
}

const PAINT = "w-fit rounded-sm border border-plate-line bg-plate whitespace-nowrap text-plate-text";

/** A plate: monospace with slashed zero, the region beside it. */
export function PlateChip({
  text,
  region,
  size = "md",
  isTight = false,
  copyable = false,
  className,
}: PlateChipProps) {
  const textSize = isTight ? tightText(text) : SIZES[size].text;
  // Tables show hundreds of plates, so a plain one is a single element.
  if (!region && !copyable) {
    return (
      <span className={cx("plate-text inline-block overflow-clip", PAINT, textSize, className)}>{text}</span>
    );
  }
  const shape = cx("inline-flex items-stretch overflow-hidden", PAINT, className);
  const face = (
    <>
      <span className={cx("plate-text self-center", textSize)}>{text}</span>
      {region && (
        <span
          className={cx(
            "flex items-center border-s border-plate-line bg-plate-region font-semibold tracking-wide",
            SIZES[size].region,
          )}
        >
          {region}
        </span>
      )}
    </>
  );
  return copyable ? (
    <CopyablePlate text={text} shape={shape} face={face} />
  ) : (
    <span className={shape}>{face}</span>
  );
}

function CopyablePlate({ text, shape, face }: { text: string; shape: string; face: ReactNode }) {
  const { copied, copy } = useCopy();
  return (
    <>
      <button
        type="button"
        title="Copy"
        className={cx(shape, "relative min-h-target hover:border-text")}
        onClick={(event) => {
          event.stopPropagation();
          void copy(text);
        }}
      >
        {/* Not copied with a row of a table. */}
        <span className="sr-only select-none">Copy </span>
        {face}
        {copied && (
          <span className="absolute inset-0 grid place-items-center bg-ok-soft text-ok">
            <Check aria-hidden="true" className="size-5" />
          </span>
        )}
      </button>
      <LiveRegion>{copied ? `${text} copied` : ""}</LiveRegion>
    </>
  );
}
