import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { RekorCameraTable } from "#app/components/ingest/rekor-camera-table.tsx";
import { LoadFailed } from "#app/components/integrations/load-failed.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { Page } from "#app/components/ui/page.tsx";
import { agencyNames, correctRekorCamera, rekorCameras } from "#app/domain/ingest/rekor-cameras.ts";
import { CorrectionFields, correctionOf } from "#app/entities/ingest/camera.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Rekor camera management · Odin" }];

export const loader = screenLoader("owner", async ({ app }) => ({
  cameras: await rekorCameras(app),
  agencies: await agencyNames(app),
}));

export const action = screenAction("owner", {
  correct: screenForm(
    CorrectionFields,
    ({ app, actor, body }) =>
      correctRekorCamera(app, actor, { id: body.camera_id, change: correctionOf(body, true) }),
    { done: "The camera was saved", shows: () => undefined },
  ),
  undo: screenForm(
    CorrectionFields,
    ({ app, actor, body }) =>
      correctRekorCamera(app, actor, { id: body.camera_id, change: correctionOf(body, false) }),
    { done: "Rekor's location was restored", shows: () => undefined },
  ),
});

export const clientAction = screenClientAction;

export default function RekorCameraScreen() {
  const { cameras, agencies } = useLoaderData<typeof loader>();
  return (
    <Page width="full">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-64 flex-1">
          <h1 className="text-xl font-semibold tracking-tight">Rekor camera management</h1>
          <p className="mt-0.5 max-w-3xl text-sm text-muted">
            Correct a camera's location and agency. Corrections apply immediately to results, the map and
            exports, including those of earlier searches.
          </p>
        </div>
        <Link to="/owner" className={buttonClass()}>
          <ArrowLeft aria-hidden="true" />
          Owner Panel
        </Link>
      </div>
      <RekorCameraTable cameras={cameras} agencies={agencies} />
    </Page>
  );
}

export function ErrorBoundary() {
  return <LoadFailed message={MESSAGES.camerasLoadFailed} />;
}
