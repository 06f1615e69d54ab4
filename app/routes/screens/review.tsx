import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { ReviewView } from "#app/components/review/review-view.tsx";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Review · Odin" }];

export const loader = screenLoader("admin", ({ actor }) => ({ agency: actor.agencyName }));

export default function ReviewScreen() {
  const { agency } = useLoaderData<typeof loader>();
  return <ReviewView agency={agency} />;
}
