import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { StoredResultsError } from "#app/components/search/results/notices.tsx";
import { PlainTable } from "#app/components/search/results/plain-table.tsx";
import { openResultPage } from "#app/domain/search/results-page.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Search Results · Odin" }];

export const loader = screenLoader("signed-in", ({ app, actor, params, query }) =>
  openResultPage(app, actor, { id: params.id ?? "", page: query.get("page") ?? "1" }),
);

export default function ResultsTableScreen() {
  return <PlainTable {...useLoaderData<typeof loader>()} />;
}

export { StoredResultsError as ErrorBoundary };
