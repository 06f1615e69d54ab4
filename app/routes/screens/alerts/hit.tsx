import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, type ShouldRevalidateFunctionArgs, useLoaderData } from "@remix-run/react";
import { useState } from "react";
import { AlertDetail } from "#app/components/alerts/detail.tsx";
import { usePendingImages } from "#app/components/alerts/live/use-pending-images.ts";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { Page, PageTitle } from "#app/components/ui/page.tsx";
import { decideAlert, openAlert } from "#app/domain/alerts/hit.ts";
import { DispositionCall, dispositionOf } from "#app/entities/alerts/calls.ts";
import { type Alert, dispositionLabel } from "#app/entities/alerts/hit.ts";
import type { NearestAddress } from "#app/entities/search/address.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Hotlist hit · Odin" }];

export const loader = screenLoader("hotlist-viewer", ({ app, actor, params }) =>
  openAlert(app, actor, params.id ?? ""),
);

export const action = screenAction("hotlist-viewer", {
  disposition: screenForm(
    DispositionCall,
    ({ app, actor, params, body }) => decideAlert(app, actor, { id: params.id ?? "", decision: body }),
    {
      shape: ({ fields }) => dispositionOf(fields),
      done: ({ disposition }) =>
        disposition ? `Marked "${dispositionLabel(disposition)}".` : "The disposition was cleared.",
      next: ({ id }) => `/alert-history-detail/${encodeURIComponent(id)}`,
    },
  ),
});

export const clientAction = screenClientAction;

/** The answer to the form contains the hit; loading it again would be audited as another view. */
export function shouldRevalidate({ formMethod, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  return formMethod === "POST" ? false : defaultShouldRevalidate;
}

export default function AlertDetailScreen() {
  const { alert, address } = useLoaderData<typeof loader>();
  return <AlertView key={alert.id} alert={alert} address={address} />;
}

/** The alert modal as a page. */
function AlertView({ alert: loaded, address }: { alert: Alert; address: NearestAddress }) {
  const [alert, setAlert] = useState(loaded);
  usePendingImages(alert, setAlert);
  return (
    <Page width="5xl">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <PageTitle className="me-auto">Hotlist hit: {alert.group.name}</PageTitle>
        <Link
          to={`/alerts/group/${encodeURIComponent(alert.group.id)}`}
          className="inline-flex min-h-target items-center underline"
        >
          Alert history of the group
        </Link>
      </div>
      <AlertDetail alert={alert} address={address} onChange={setAlert} />
    </Page>
  );
}
