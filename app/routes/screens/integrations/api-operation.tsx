import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { OperationView } from "#app/components/integrations/api/operation.tsx";
import { apiPage } from "#app/entities/integrations/api-page.ts";
import { screenLoader } from "#app/http/screen.ts";
import { AppError } from "#app/lib/errors.ts";
import { openApiDocument } from "#app/routes/endpoints/api/tables.ts";

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data ? `${data.method} ${data.path}` : "API"} · Odin` },
];

export const loader = screenLoader("signed-in", ({ app, params, request }) => {
  const origin = app.config.publicOrigin || new URL(request.url).origin;
  const page = apiPage(openApiDocument(), params.operation ?? "", origin);
  if (!page) throw new AppError("not_found", "There is no such call.");
  return page;
});

export default function ApiOperationScreen() {
  return <OperationView page={useLoaderData<typeof loader>()} />;
}
