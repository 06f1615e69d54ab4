import { AddPlateButton } from "#app/components/hotlists/plates/add-button.tsx";
import { useStanding } from "#app/components/shell/use-standing.ts";

/** Add Plate to Hotlist on a read; hotlist admins alone see it (specification section 6). */
export function HotlistAction({ plate, state }: { plate: string; state: string }) {
  const standing = useStanding();
  if (!standing?.hotlistAdmin || plate === "") return null;
  return <AddPlateButton plate={plate} state={state} />;
}
