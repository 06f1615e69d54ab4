import { useMemo, useState } from "react";
import { numberText, readsText } from "#app/components/search/sighting/text.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { at } from "#app/lib/at.ts";

export type SpotListProps = {
  /** The number of reads that pass, by spot. */
  counts: Uint32Array;
  total: number;
  nameOf: (spot: number) => string;
  onPick: (spot: number) => void;
};

const PAGE = 30;

/** The markers as a list, for screen readers and keyboards. */
export function SpotList({ counts, total, nameOf, onPick }: SpotListProps) {
  const [isOpen, setOpen] = useState(false);
  const [shown, setShown] = useState(PAGE);
  const spots = useMemo(() => {
    if (!isOpen) return [];
    const found: number[] = [];
    for (let spot = 0; spot < counts.length; spot++) if (counts[spot] !== 0) found.push(spot);
    return found.sort((a, b) => at(counts, b) - at(counts, a) || a - b);
  }, [counts, isOpen]);
  return (
    <div className="border-t border-line bg-raised px-4 py-2">
      <Collapsible title={`Places as a list, ${readsText(total)}`} open={isOpen} onOpenChange={setOpen}>
        <ul aria-label="Places with reads" className="grid gap-x-4 sm:grid-cols-2 lg:grid-cols-3">
          {spots.slice(0, shown).map((spot) => (
            <li key={spot}>
              <button
                type="button"
                className="flex min-h-target w-full items-center gap-2 rounded-sm px-2 py-1 text-start hover:bg-hover"
                onClick={() => onPick(spot)}
              >
                <bdi className="min-w-0 flex-1 truncate">{nameOf(spot)}</bdi>
                <span className="text-sm text-muted tabular-nums">{readsText(at(counts, spot))}</span>
              </button>
            </li>
          ))}
        </ul>
        {spots.length > shown && (
          <Button size="sm" onClick={() => setShown(shown + PAGE)}>
            {numberText(spots.length - shown)} more
          </Button>
        )}
      </Collapsible>
    </div>
  );
}
