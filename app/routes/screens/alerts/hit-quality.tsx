import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { HitQualityView } from "#app/components/alerts/hit-quality.tsx";
import { pageHitQuality } from "#app/domain/alerts/hit-quality.ts";
import { screenLoader } from "#app/http/screen.ts";
import { pageOf } from "#app/lib/pages.ts";

export const meta: MetaFunction = () => [{ title: "Hit Quality · Odin" }];

export const loader = screenLoader("admin", ({ app, actor, query }) =>
  pageHitQuality(app, actor, pageOf(query)),
);

export default function HitQualityScreen() {
  return <HitQualityView {...useLoaderData<typeof loader>()} />;
}
