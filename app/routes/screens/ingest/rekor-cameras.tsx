import { Link, useLoaderData } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import { findOf } from "#app/components/forms/find-form.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { RekorCameraList } from "#app/components/ingest/rekor-camera-list.tsx";
import { LoadErrorBoundary, screenTitle } from "#app/components/shell/load-failures.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { agencyNames, correctRekorCamera, rekorCameraPage } from "#app/domain/ingest/rekor-cameras.ts";
import {
  CorrectionFields,
  correctionOf,
  REKOR_CAMERA_CHOICES,
  WITHOUT_CORRECTION,
} from "#app/entities/ingest/camera.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { pageOf } from "#app/lib/pages.ts";

export const meta = screenTitle("Rekor Camera Management");

export const loader = screenLoader("owner", async ({ app, query }) => {
  const find = findOf(query);
  const choice = REKOR_CAMERA_CHOICES.find((value) => value === query.get("show")) ?? "all";
  const [cameras, agencies] = await Promise.all([
    rekorCameraPage(app, { find, choice, page: pageOf(query) }),
    agencyNames(app),
  ]);
  return { find, choice, cameras, agencies };
});

export const action = screenAction("owner", {
  correct: screenForm(
    CorrectionFields,
    ({ app, actor, body }) =>
      correctRekorCamera(app, actor, { id: body.camera_id, change: correctionOf(body) }),
    { done: "The camera was saved", shows: () => undefined },
  ),
  undo: screenForm(
    CorrectionFields,
    ({ app, actor, body }) =>
      correctRekorCamera(app, actor, { id: body.camera_id, change: WITHOUT_CORRECTION }),
    { done: "Rekor's location was restored", shows: () => undefined },
  ),
});

export const clientAction = screenClientAction;

export default function RekorCameraScreen() {
  const { find, choice, cameras, agencies } = useLoaderData<typeof loader>();
  return (
    <Page width="full">
      <PageHead
        title="Rekor Camera Management"
        lead="Correct a camera's location and agency. Corrections apply immediately to results, the map and exports, including those of earlier searches."
      >
        <Link to="/owner" className={buttonClass()}>
          <ArrowLeft aria-hidden="true" />
          Owner Panel
        </Link>
      </PageHead>
      <RekorCameraList find={find} choice={choice} list={cameras} agencies={agencies} />
    </Page>
  );
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.camerasLoadFailed} />;
}
