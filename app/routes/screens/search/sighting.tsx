import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { StoredResultsError } from "#app/components/search/results/notices.tsx";
import { PlainSighting } from "#app/components/search/sighting/plain.tsx";
import { listEditableGroups } from "#app/domain/hotlists/groups.ts";
import { addPlateFromScreen } from "#app/domain/hotlists/plate-changes.ts";
import { openSighting } from "#app/domain/search/results-page.ts";
import { AddPlate } from "#app/entities/hotlists/calls.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Sighting · Odin" }];

export const loader = screenLoader("signed-in", async ({ app, actor, params }) => {
  const [sighting, groups] = await Promise.all([
    openSighting(app, actor, { id: params.id ?? "", row: params.row ?? "" }),
    listEditableGroups(app, actor),
  ]);
  return { ...sighting, groups };
});

export const action = screenAction("hotlist-admin", {
  "add-plate": screenForm(AddPlate, ({ app, actor, body }) => addPlateFromScreen(app, actor, body)),
});

export const clientAction = screenClientAction;

export default function SightingScreen() {
  return <PlainSighting {...useLoaderData<typeof loader>()} />;
}

export { StoredResultsError as ErrorBoundary };
