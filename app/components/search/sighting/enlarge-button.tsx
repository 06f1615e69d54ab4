import { Maximize2 } from "lucide-react";
import type { ReactNode } from "react";

type EnlargeButtonProps = { kind: "vehicle" | "plate"; onEnlarge: () => void; children: ReactNode };

/** Wraps an image in a button that shows it full screen. */
export function EnlargeButton({ kind, onEnlarge, children }: EnlargeButtonProps) {
  return (
    <button
      type="button"
      aria-label={`Show the ${kind} image full screen`}
      className="group relative block w-full cursor-zoom-in self-start rounded-sm"
      onClick={onEnlarge}
    >
      {children}
      <span className="sheet absolute end-2 top-2 p-1.5 opacity-80 group-hover:opacity-100 noscript:hidden">
        <Maximize2 aria-hidden="true" className="size-4" />
      </span>
    </button>
  );
}
