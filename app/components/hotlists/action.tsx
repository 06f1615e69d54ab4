import { ListPlus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { AddPlateProps } from "#app/components/hotlists/plates/add-dialog.tsx";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { Button } from "#app/components/ui/button.tsx";
import type { PastReadsQuestion } from "#app/entities/archive/past-reads.ts";

/** The button on a read that adds its plate to a hotlist. Only hotlist admins see it (specification section 6). */
export function HotlistAction({ plate, state }: { plate: string; state: string }) {
  const standing = useStanding();
  if (!standing?.hotlistAdmin || plate === "") return null;
  return <AddPlateButton plate={plate} state={state} />;
}

// Lazy-loaded, to keep the first load of /results within its budget.
const AddPlateDialog = lazy(() => import("#app/components/hotlists/plates/add-dialog.tsx"));
const PastReadsDialog = lazy(async () => ({
  default: (await import("#app/components/hotlists/plates/past-reads.tsx")).PastReadsDialog,
}));

/** The button with its dialogs. */
function AddPlateButton(props: AddPlateProps) {
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
