import { ChevronLeft, ChevronRight } from "lucide-react";
import { type Ref, type RefObject, useRef } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { topmost } from "#app/components/ui/dialogs/top-layer.ts";
import { useBrowserLayoutEffect } from "#app/components/ui/hydration.ts";
import { singleKeysAct, useSingleKeys } from "./single-keys.ts";

/** Elements that use the arrow keys themselves. */
const HAS_ARROW_KEYS = "input, select, textarea, [role=slider], canvas";

export type Direction = "back" | "next";

/**
 * Calls `move` for the arrow keys, and for j and k if single-key shortcuts are on, while the dialog around `content` is
 * the topmost one and the focused element does not use arrow keys itself. Always calls the latest `move`, since keys
 * can be faster than renders.
 */
export function useNeighborKeys(content: RefObject<HTMLElement>, move: (direction: Direction) => void) {
  const latest = useRef(move);
  latest.current = move;
  useBrowserLayoutEffect(() => {
    function listen(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (topmost() !== content.current?.closest("dialog")) return;
      if (event.target instanceof Element && event.target.closest(HAS_ARROW_KEYS)) return;
      const back = event.key === "ArrowLeft" || event.key === "k";
      const next = event.key === "ArrowRight" || event.key === "j";
      if (!back && !next) return;
      if (event.key.length === 1 && !singleKeysAct()) return;
      event.preventDefault();
      latest.current(back ? "back" : "next");
    }
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [content]);
}

export type NeighborButtonsProps = {
  back: string;
  next: string;
  /** Undefined at the start or the end of the list, where the button stays but does nothing. */
  onBack: (() => void) | undefined;
  onNext: (() => void) | undefined;
  nextRef?: Ref<HTMLButtonElement>;
};

/** Buttons to the previous and next item of a list, for a dialog's footer. */
export function NeighborButtons({ back, next, onBack, onNext, nextRef }: NeighborButtonsProps) {
  const lettersAct = useSingleKeys();
  return (
    <span className="me-auto flex gap-2">
      <Button
        icon={<ChevronLeft />}
        aria-keyshortcuts={lettersAct ? "ArrowLeft k" : "ArrowLeft"}
        aria-disabled={!onBack || undefined}
        onClick={onBack}
      >
        {back}
      </Button>
      <Button
        ref={nextRef}
        aria-keyshortcuts={lettersAct ? "ArrowRight j" : "ArrowRight"}
        aria-disabled={!onNext || undefined}
        onClick={onNext}
      >
        {next}
        <ChevronRight aria-hidden="true" />
      </Button>
    </span>
  );
}
