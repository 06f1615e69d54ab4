import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { PublicFigures } from "#app/components/figures/public-figures.tsx";
import { figuresOverview } from "#app/domain/figures.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Public Figures · Odin" }];

export const loader = screenLoader("admin", ({ app, actor }) => figuresOverview(app, actor));

export default function PublicFiguresScreen() {
  const overview = useLoaderData<typeof loader>();
  return (
    <div className="mx-auto flex w-full max-w-4xl flex-col gap-5 px-4 py-5 sm:px-6">
      <PublicFigures overview={overview} />
    </div>
  );
}
