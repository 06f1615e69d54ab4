import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { FailedJobsView } from "#app/components/operations/failed-jobs.tsx";
import { viewFailedJobs } from "#app/domain/operations/failed-jobs.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Dead letters · Odin" }];

export const loader = screenLoader("owner", ({ app }) => viewFailedJobs(app));

export default function FailedJobsScreen() {
  return <FailedJobsView letters={useLoaderData<typeof loader>()} />;
}
