import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { PublicTransparency } from "#app/components/oversight/transparency/public.tsx";
import { Page } from "#app/components/ui/page.tsx";
import { keptAnswers } from "#app/domain/operations/idempotency.ts";
import { saveTransparencyPage, transparencyOverview } from "#app/domain/oversight/transparency.ts";
import { TransparencyPage } from "#app/entities/oversight/transparency-page.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm, settingsVersion } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Transparency Page · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor }) => {
  const overview = await transparencyOverview(app, actor);
  return { overview, version: settingsVersion(overview.page) };
});

export const action = screenAction("admin", {
  page: screenForm(TransparencyPage, ({ app, actor, body }) => saveTransparencyPage(app, actor, body), {
    stepUp: true,
    answers: keptAnswers,
    replaces: async ({ app, actor }) => (await transparencyOverview(app, actor)).page,
  }),
});

export const clientAction = screenClientAction;

export default function PublicTransparencyScreen() {
  const { overview, version } = useLoaderData<typeof loader>();
  return (
    <Page width="4xl" loose>
      <PublicTransparency overview={overview} version={version} />
    </Page>
  );
}
