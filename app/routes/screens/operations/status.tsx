import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { StatusView } from "#app/components/operations/status-view.tsx";
import { viewStatus } from "#app/domain/operations/status.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Status · Odin" }];

export const loader = screenLoader("owner", ({ app }) => viewStatus(app));

export default function StatusScreen() {
  return <StatusView report={useLoaderData<typeof loader>()} />;
}
