import { Check, Copy } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { useCopy } from "#app/components/ui/copy-button.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { SearchPlate } from "./search-plate.tsx";

export type PlateActionsProps = {
  plate: string;
  /** Adds the plate to a hotlist. */
  hotlist: ReactNode;
  /** Shows where the plate was read. */
  track: ReactNode;
};

/** What can be done with the plate of a read, side by side. */
export function PlateActions({ plate, hotlist, track }: PlateActionsProps) {
  const { copied, copy } = useCopy();
  if (plate === "") return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are buttons, not fields of a form
    <div
      role="group"
      aria-label="Actions for this plate"
      className="flex flex-wrap gap-2 max-sm:grid max-sm:w-full max-sm:grid-cols-2"
    >
      <SearchPlate plate={plate} />
      {hotlist}
      {track}
      <Button
        icon={copied ? <Check className="text-ok" /> : <Copy />}
        className="noscript:hidden"
        onClick={() => void copy(plate)}
      >
        Copy
      </Button>
      <LiveRegion>{copied ? `${plate} copied` : ""}</LiveRegion>
    </div>
  );
}
