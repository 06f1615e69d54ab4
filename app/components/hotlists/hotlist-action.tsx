import { useRouteLoaderData } from "@remix-run/react";
import type { Standing } from "#app/entities/access.ts";
import { AddPlateButton } from "./add-plate-button.tsx";

/** Add Plate to Hotlist on a read; hotlist admins alone see it (specification section 6). */
export function HotlistAction({ plate, state }: { plate: string; state: string }) {
  const standing = (useRouteLoaderData("root") as { standing: Standing | null } | undefined)?.standing;
  if (!standing?.hotlistAdmin || plate === "") return null;
  return <AddPlateButton plate={plate} state={state} />;
}
