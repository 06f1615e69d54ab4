import { CalendarClock, Route } from "lucide-react";
import { useMemo, useState } from "react";
import { type ResultsStore, useResults } from "#app/components/search/results/state.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { LazySlot, lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { plateInView } from "#app/entities/search/analysis/plate-in-view.ts";

// Lazy-loaded when a pattern is opened, to keep the first load small.
const PatternView = lazyPart(async () => (await import("./pattern.tsx")).default);

export type PlateToolsProps = {
  store: ResultsStore;
  /** The plate that was searched, in canonical form; "" if none was. */
  searched: string;
  /** Shows the track of a plate on the map. */
  onTrack: (plate: string) => void;
};

/** Track and pattern of a plate, offered while the results show one plate or one plate was searched. */
export function PlateTools({ store, searched, onTrack }: PlateToolsProps) {
  const columns = useResults(store, (state) => state.columns);
  const pass = useResults(store, (state) => state.pass);
  const plate = useMemo(
    () => plateInView(columns, { pass, current: null, searched }),
    [columns, pass, searched],
  );
  if (plate === "") return null;
  return (
    <>
      <Button size="sm" icon={<Route />} onClick={() => onTrack(plate)}>
        Show track
      </Button>
      <PatternButton store={store} plate={plate} />
    </>
  );
}

/** Opens the pattern of a plate in a dialog. */
export function PatternButton({ store, plate }: { store: ResultsStore; plate: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" icon={<CalendarClock />} onClick={() => setOpen(true)}>
        Pattern
      </Button>
      {open && (
        <Dialog
          open
          onClose={() => setOpen(false)}
          size="xl"
          title={
            <>
              Pattern of <span className="plate-text">{plate}</span>
            </>
          }
        >
          <LazySlot fallback={<Skeleton className="h-96 w-full" />}>
            <PatternView store={store} plate={plate} />
          </LazySlot>
        </Dialog>
      )}
    </>
  );
}
