import { Maximize2 } from "lucide-react";
import type { ReactNode } from "react";

/** Makes a vehicle's image the button that shows it full screen. */
export function EnlargeButton({ onEnlarge, children }: { onEnlarge: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label="Show the vehicle image full screen"
      className="group relative block w-full cursor-zoom-in self-start rounded-sm"
      onClick={onEnlarge}
    >
      {children}
      <span className="sheet absolute end-2 top-2 p-1.5 opacity-80 group-hover:opacity-100">
        <Maximize2 aria-hidden="true" className="size-4" />
      </span>
    </button>
  );
}
