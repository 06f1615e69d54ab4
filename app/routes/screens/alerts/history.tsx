import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import * as z from "zod/mini";
import { AlertHistory } from "#app/components/alerts/history/view.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { LoadErrorBoundary } from "#app/components/shell/load-failures.tsx";
import { errorTitle } from "#app/components/shell/route-error.tsx";
import { filterAlerts, listAlertCameras, pageAlerts } from "#app/domain/alerts/history.ts";
import { ownTimeZone } from "#app/domain/users/agencies.ts";
import type { PlatePage } from "#app/entities/alerts/hit.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { alertQueryOf, alertSearchOf } from "#app/http/queries.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction<typeof loader> = ({ data, error }) => [
  { title: error ? errorTitle(error) : `Alert History${data ? `: ${data.group.name}` : ""} · Odin` },
];

export const loader = screenLoader("hotlist-viewer", async ({ app, actor, params, query }) => {
  const groupId = params.id ?? "";
  const asked = alertQueryOf(query);
  const [page, cameras, zone] = await Promise.all([
    pageAlerts(app, actor, { groupId, query: asked }),
    listAlertCameras(app, actor, { groupId, filter: asked.filter }),
    ownTimeZone(app, actor),
  ]);
  return { ...page, cameras, zone };
});

/** Answers a filter that was submitted without scripts. It is posted, because it may contain a plate. */
export const action = screenAction("hotlist-viewer", {
  filter: screenForm(
    z.record(z.string(), z.string().check(z.maxLength(200))),
    ({ app, actor, params, body }) =>
      filterAlerts(app, actor, {
        groupId: params.id ?? "",
        query: alertQueryOf(new URLSearchParams(body)),
      }),
    {
      next: ({ query, page }) =>
        query.filter.plate
          ? ""
          : `/alerts/group/${encodeURIComponent(page.group.id)}?${alertSearchOf(query)}`,
      shows: ({ query, page }) =>
        query.filter.plate
          ? ({ plate: query.filter.plate, query: alertSearchOf(query), page } satisfies PlatePage)
          : undefined,
    },
  ),
});

export const clientAction = screenClientAction;

export default function AlertHistoryScreen() {
  const data = useLoaderData<typeof loader>();
  return <AlertHistory key={data.group.id} {...data} />;
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.groupNotFound} />;
}
