import type { MetaFunction } from "@remix-run/cloudflare";
import { type ShouldRevalidateFunctionArgs, useLoaderData } from "@remix-run/react";
import { AlertView } from "#app/components/alerts/view.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { decideAlert, openAlert } from "#app/domain/alerts/history.ts";
import { DispositionCall, dispositionOf } from "#app/entities/alerts/calls.ts";
import { dispositionLabel } from "#app/entities/alerts/hit.ts";
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
        disposition ? `Marked "${dispositionLabel(disposition)}".` : "The disposition was taken back.",
      next: ({ id }) => `/alert-history-detail/${encodeURIComponent(id)}`,
    },
  ),
});

export const clientAction = screenClientAction;

/** The answer to the form holds the hit: asking for it again would be noted as another look. */
export function shouldRevalidate({ formMethod, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  return formMethod === "POST" ? false : defaultShouldRevalidate;
}

export default function AlertDetailScreen() {
  const { alert, address } = useLoaderData<typeof loader>();
  return <AlertView key={alert.id} alert={alert} address={address} />;
}
