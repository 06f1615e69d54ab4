import { ListPlus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import type { PastReadsQuestion } from "#app/entities/archive/past-reads.ts";
import type { AddPlateProps } from "./add-dialog.tsx";

// Lazy-loaded, to keep the first load of /results within its budget.
const AddPlateDialog = lazy(() => import("./add-dialog.tsx"));
const PastReadsDialog = lazy(async () => ({ default: (await import("./past-reads.tsx")).PastReadsDialog }));

/** The button of a sighting, with its dialog: hotlist admins only. */
export function AddPlateButton(props: AddPlateProps) {
  const [open, setOpen] = useState(false);
  const [added, setAdded] = useState<PastReadsQuestion>();
  return (
    <>
      <Button variant="primary" icon={<ListPlus />} onClick={() => setOpen(true)}>
        Add Plate to Hotlist
      </Button>
      <Suspense>
        {open && <AddPlateDialog {...props} onClose={() => setOpen(false)} onPastReads={setAdded} />}
        {added && <PastReadsDialog question={added} onClose={() => setAdded(undefined)} />}
      </Suspense>
    </>
  );
}
