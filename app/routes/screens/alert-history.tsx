import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { AlertHistory } from "#app/components/alerts/alert-history.tsx";
import { listAlertCameras, pageAlerts } from "#app/domain/alerts.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `Alert History${data ? `: ${data.group.name}` : ""} · Odin` },
];

export const loader = screenLoader("hotlist-viewer", async ({ app, actor, params, query }) => {
  const groupId = params.id ?? "";
  const page = await pageAlerts(app, actor, { groupId, query });
  return { ...page, cameras: await listAlertCameras(app, actor, groupId) };
});

export default function AlertHistoryScreen() {
  const data = useLoaderData<typeof loader>();
  return <AlertHistory key={data.group.id} {...data} />;
}
