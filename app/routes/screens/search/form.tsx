import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { SearchForm } from "#app/components/search/form/form.tsx";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { buttonClass } from "#app/components/ui/button.tsx";
import { PageTitle } from "#app/components/ui/page.tsx";
import { searchByForm, searchFormFor } from "#app/domain/search/form.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import { PlateOnly, SearchFields } from "#app/entities/search/request.ts";
import { surviveHangUp } from "#app/http/progress.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const loader = screenLoader("signed-in", ({ app, actor, query }) =>
  searchFormFor(app, actor, {
    refined: query.get("refine"),
    again: query.get("again"),
    range: query.get("range"),
  }),
);

/** Fills in a plate, or runs a search that was submitted without scripts or before they arrived. */
export const action = screenAction("signed-in", {
  // Sent by "Search this plate" on other screens.
  prefill: screenForm(PlateOnly, ({ body }) => body),
  search: screenForm(
    SearchFields,
    ({ app, actor, body, request }) =>
      surviveHangUp(app, searchByForm(app, actor, { fields: body, signal: request.signal })),
    { shape: ({ lists }) => lists, next: ({ resultId }) => `/results?id=${encodeURIComponent(resultId)}` },
  ),
});

export const meta: MetaFunction = () => [{ title: "Search LPR Records · Odin" }];

export default function SearchScreen() {
  const { refined, again, ...form } = useLoaderData<typeof loader>();
  return (
    <div className="flex flex-1 flex-col">
      <div className="mx-auto w-full max-w-7xl px-4 pt-5 pb-3 sm:px-6">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <PageTitle>Search LPR Records</PageTitle>
          <div className="flex flex-wrap gap-2">
            <Link to="/searches" className={buttonClass()}>
              Search History
            </Link>
            {mayUse("investigator", useStanding()) && (
              <Link to="/investigate" className={buttonClass()}>
                Investigate Places and Convoys
              </Link>
            )}
          </div>
        </div>
        {again && (
          <p className="mt-0.5 text-sm text-muted">
            {again.note}{" "}
            {again.other && (
              <Link
                to={`?again=${encodeURIComponent(again.id)}&range=${again.other.range}`}
                className="inline-flex min-h-target items-center underline"
              >
                {again.other.label}
              </Link>
            )}
          </p>
        )}
        {refined !== null && (
          <p className="mt-0.5 text-sm text-muted">
            {form.previous
              ? "Filled in from your previous search."
              : "Your previous search has been purged, so this is an empty form."}
          </p>
        )}
      </div>
      <SearchForm
        key={again ? again.id + again.range : (refined ?? "")}
        keepsRange={again?.range === "original"}
        {...form}
      />
    </div>
  );
}
