import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { SearchForm } from "#app/components/search/search-form.tsx";
import { searchFormFor } from "#app/domain/search-form.ts";
import { screenLoader } from "#app/http/screen.ts";

export const loader = screenLoader("signed-in", ({ app, actor, query }) =>
  searchFormFor(app, actor, query.get("refine")),
);

export const meta: MetaFunction = () => [{ title: "Search LPR Records · Odin" }];

export default function SearchScreen() {
  const { agencies, unavailable, refined, previous, limitDays, caseNumberRequired, purposeRequired } =
    useLoaderData<typeof loader>();
  return (
    <div className="flex flex-1 flex-col">
      <div className="mx-auto w-full max-w-7xl px-4 pt-5 pb-3 sm:px-6">
        <h1 className="text-xl font-semibold tracking-tight">Search LPR Records</h1>
        {refined !== null && (
          <p className="mt-0.5 text-sm text-muted">
            {previous
              ? "Filled in from your previous search."
              : "Your previous search has been purged, so this is an empty form."}
          </p>
        )}
      </div>
      <SearchForm
        key={refined ?? ""}
        agencies={agencies}
        unavailable={unavailable}
        previous={previous}
        limitDays={limitDays}
        caseNumberRequired={caseNumberRequired}
        purposeRequired={purposeRequired}
      />
    </div>
  );
}
