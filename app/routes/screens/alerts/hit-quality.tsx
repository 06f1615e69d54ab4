import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { GROUPS, HitQualityView } from "#app/components/alerts/hit-quality.tsx";
import { listQueryOf } from "#app/components/forms/find-form.tsx";
import { pageHitQuality } from "#app/domain/alerts/hit-quality.ts";
import { screenLoader } from "#app/http/screen.ts";
import { pageOf } from "#app/lib/pages.ts";

export const meta: MetaFunction = () => [{ title: "Hit Quality · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor, query }) => ({
  ...(await pageHitQuality(app, actor, { groups: pageOf(query, GROUPS), cameras: pageOf(query) })),
  query: listQueryOf(query, ["page", GROUPS]),
}));

export default function HitQualityScreen() {
  return <HitQualityView {...useLoaderData<typeof loader>()} />;
}
