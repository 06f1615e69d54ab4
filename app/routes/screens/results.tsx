import type { MetaFunction } from "@remix-run/cloudflare";
import {
  isRouteErrorResponse,
  type ShouldRevalidateFunctionArgs,
  useLoaderData,
  useRouteError,
  useSearchParams,
} from "@remix-run/react";
import { ResultsPurged, ResultsUnknown } from "#app/components/sightings/results-notices.tsx";
import { ResultsView } from "#app/components/sightings/results-view.tsx";
import { summarizeResults } from "#app/domain/results.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Search Results | Odin" }];

export const loader = screenLoader("signed-in", ({ app, actor, query }) =>
  summarizeResults(app, actor, query.get("id") ?? ""),
);

/** Opening another read of the same result asks the server for nothing. */
export function shouldRevalidate({
  currentUrl,
  nextUrl,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs) {
  const isSameResult = currentUrl.searchParams.get("id") === nextUrl.searchParams.get("id");
  return isSameResult && currentUrl.search !== nextUrl.search ? false : defaultShouldRevalidate;
}

export default function Results() {
  const summary = useLoaderData<typeof loader>();
  return <ResultsView key={summary.id} summary={summary} />;
}

export function ErrorBoundary() {
  const error = useRouteError();
  const [query] = useSearchParams();
  if (isRouteErrorResponse(error) && error.status === 410)
    return <ResultsPurged id={query.get("id") ?? ""} />;
  if (isRouteErrorResponse(error) && error.status === 404) return <ResultsUnknown />;
  throw error;
}
