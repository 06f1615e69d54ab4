import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ReviewView } from "#app/components/oversight/review/view.tsx";
import { viewReview } from "#app/domain/oversight/review.ts";
import { ReviewFilter, reviewFilterOf } from "#app/entities/oversight/review-calls.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Review · Odin" }];

export const loader = screenLoader("admin", ({ actor }) => ({ agency: actor.agencyName }));

// The filter is sent as a form, to keep user names out of URLs.
export const action = screenAction("admin", {
  filter: screenForm(ReviewFilter, ({ app, actor, body }) => viewReview(app, actor, { filter: body }), {
    shape: ({ fields }) => reviewFilterOf(fields),
    shows: (page, filter) => ({ ...page, filter }),
    keeps: true,
  }),
});

export const clientAction = screenClientAction;

export default function ReviewScreen() {
  const { agency } = useLoaderData<typeof loader>();
  return <ReviewView agency={agency} />;
}
