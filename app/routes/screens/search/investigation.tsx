import {
  isRouteErrorResponse,
  type ShouldRevalidateFunctionArgs,
  useLoaderData,
  useRouteError,
} from "@remix-run/react";
import { InvestigationView } from "#app/components/search/investigate/view.tsx";
import { ResultsGone, ResultsUnknown } from "#app/components/search/results/notices.tsx";
import { screenTitle } from "#app/components/shell/load-failures.tsx";
import { RouteError } from "#app/components/shell/route-error.tsx";
import { openInvestigation } from "#app/domain/search/investigate/investigation.ts";
import { screenLoader } from "#app/http/screen.ts";
import { textIn } from "#app/lib/json/parse.ts";

export const meta = screenTitle("Investigation");

export const loader = screenLoader("investigator", ({ app, actor, params }) =>
  openInvestigation(app, actor, params.id ?? ""),
);

/** Another page of the plates loads nothing, because all plates are loaded. */
export function shouldRevalidate(args: ShouldRevalidateFunctionArgs) {
  const { currentUrl, nextUrl, defaultShouldRevalidate } = args;
  const isSameAnswer = currentUrl.pathname === nextUrl.pathname && currentUrl.search !== nextUrl.search;
  return isSameAnswer ? false : defaultShouldRevalidate;
}

export default function InvestigationScreen() {
  const answer = useLoaderData<typeof loader>();
  return <InvestigationView key={answer.result_id} answer={answer} />;
}

export function ErrorBoundary() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 410)
    return <ResultsGone id="" message={textIn(error.data, "message")} />;
  if (isRouteErrorResponse(error) && error.status === 404) return <ResultsUnknown />;
  return <RouteError />;
}
