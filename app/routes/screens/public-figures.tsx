import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { PublicFigures } from "#app/components/figures/public-figures.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { figuresOverview, saveFiguresPage } from "#app/domain/figures.ts";
import { FiguresPage } from "#app/entities/figures-page.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Public Figures · Odin" }];

export const loader = screenLoader("admin", ({ app, actor }) => figuresOverview(app, actor));

export const action = screenAction("admin", {
  page: screenForm(FiguresPage, ({ app, actor, body }) => saveFiguresPage(app, actor, body), {
    stepUp: true,
  }),
});

export const clientAction = screenClientAction;

export default function PublicFiguresScreen() {
  const overview = useLoaderData<typeof loader>();
  return (
    <div className="mx-auto flex w-full max-w-4xl flex-col gap-5 px-4 py-5 sm:px-6">
      <PublicFigures overview={overview} />
    </div>
  );
}
