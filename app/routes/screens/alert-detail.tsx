import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { AlertView } from "#app/components/alerts/alert-view.tsx";
import { describeAlert } from "#app/domain/alerts.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Hotlist hit · Odin" }];

export const loader = screenLoader("hotlist-viewer", ({ app, actor, params }) =>
  describeAlert(app, actor, params.id ?? ""),
);

export default function AlertDetailScreen() {
  const alert = useLoaderData<typeof loader>();
  return <AlertView key={alert.id} alert={alert} />;
}
