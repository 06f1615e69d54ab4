import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { DeadLetterView } from "#app/components/operations/failed-jobs.tsx";
import { listDeadLetters } from "#app/domain/operations/failed-jobs.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Dead letters · Odin" }];

export const loader = screenLoader("owner", ({ app }) => listDeadLetters(app));

export default function DeadJobsScreen() {
  return <DeadLetterView letters={useLoaderData<typeof loader>()} />;
}
