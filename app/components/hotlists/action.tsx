import { useRouteLoaderData } from "@remix-run/react";
import { AddPlateButton } from "#app/components/hotlists/plates/add-button.tsx";
import type { Standing } from "#app/entities/accounts/access.ts";

/** Add Plate to Hotlist on a read; hotlist admins alone see it (specification section 6). */
export function HotlistAction({ plate, state }: { plate: string; state: string }) {
  const standing = (useRouteLoaderData("root") as { standing: Standing | null } | undefined)?.standing;
  if (!standing?.hotlistAdmin || plate === "") return null;
  return <AddPlateButton plate={plate} state={state} />;
}
