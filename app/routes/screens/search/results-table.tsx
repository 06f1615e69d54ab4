import type { MetaFunction } from "@remix-run/cloudflare";
import { isRouteErrorResponse, useLoaderData, useParams, useRouteError } from "@remix-run/react";
import { ResultsPurged, ResultsUnknown } from "#app/components/search/results/notices.tsx";
import { PlainTable } from "#app/components/search/results/plain-table.tsx";
import { RouteError } from "#app/components/shell/route-error.tsx";
import { openResultPage } from "#app/domain/search/results-page.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Search Results · Odin" }];

export const loader = screenLoader("signed-in", ({ app, actor, params, query }) =>
  openResultPage(app, actor, { id: params.id ?? "", page: query.get("page") ?? "1" }),
);

export default function ResultsTableScreen() {
  return <PlainTable {...useLoaderData<typeof loader>()} />;
}

export function ErrorBoundary() {
  const error = useRouteError();
  const { id = "" } = useParams();
  if (isRouteErrorResponse(error) && error.status === 410) return <ResultsPurged id={id} />;
  if (isRouteErrorResponse(error) && error.status === 404) return <ResultsUnknown />;
  return <RouteError isNested />;
}
