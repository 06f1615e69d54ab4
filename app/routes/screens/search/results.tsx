import type { MetaFunction } from "@remix-run/cloudflare";
import { type ShouldRevalidateFunctionArgs, useLoaderData, useSearchParams } from "@remix-run/react";
import { Suspense } from "react";
import { areOfOneSearch, useHoldSearch, useLiveSearchOf } from "#app/components/search/live.ts";
import { StoredResultsError } from "#app/components/search/results/notices.tsx";
import { ResultsView } from "#app/components/search/results/view.tsx";
import { openResults } from "#app/domain/search/results.ts";
import { resultPageAddress, sightingAddress } from "#app/entities/search/result-set.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Search Results · Odin" }];

export const loader = screenLoader("signed-in", ({ app, actor, query }) =>
  openResults(app, actor, query.get("id") ?? ""),
);

/** Does not run the loader for another read, or for a newer set of the same search, which the view loads itself. */
export function shouldRevalidate({
  currentUrl,
  nextUrl,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs) {
  const [shown = "", next = ""] = [currentUrl, nextUrl].map((url) => url.searchParams.get("id") ?? "");
  const isSameResult = shown === next || areOfOneSearch(shown, next);
  return isSameResult && currentUrl.search !== nextUrl.search ? false : defaultShouldRevalidate;
}

export default function Results() {
  const summary = useLoaderData<typeof loader>();
  const [query] = useSearchParams();
  const live = useLiveSearchOf(summary.id);
  useHoldSearch();
  return (
    <>
      <WithoutScripts id={summary.id} read={query.get("read") ?? ""} />
      {/* React hydrates the parts inside in small steps, so that the page stays responsive. */}
      <Suspense>
        <ResultsView key={live?.key ?? summary.id} summary={summary} />
      </Suspense>
    </>
  );
}

/** The view needs scripts. Without them, the browser is redirected to the table that the server renders. */
function WithoutScripts({ id, read }: { id: string; read: string }) {
  const address = /^\d{1,7}$/.test(read) ? sightingAddress(id, Number(read)) : resultPageAddress(id, 1);
  return (
    <noscript>
      <meta httpEquiv="refresh" content={`0;url=${address}`} />
      <p className="p-4">
        <a href={address} className="underline">
          Show the results without scripts
        </a>
      </p>
    </noscript>
  );
}

export { StoredResultsError as ErrorBoundary };
