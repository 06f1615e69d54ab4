import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { ApiList } from "#app/components/integrations/api/list.tsx";
import { apiGroups } from "#app/entities/integrations/api-page.ts";
import { screenLoader } from "#app/http/screen.ts";
import { openApiDocument } from "#app/routes/endpoints/api/tables.ts";

export const meta: MetaFunction = () => [{ title: "API · Odin" }];

export const loader = screenLoader("signed-in", ({ query }) => ({
  groups: apiGroups(openApiDocument()),
  find: (query.get("find") ?? "").slice(0, 100),
}));

export default function ApiListScreen() {
  const { groups, find } = useLoaderData<typeof loader>();
  return <ApiList key={find} groups={groups} find={find} />;
}
