import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { Search } from "lucide-react";
import { useState } from "react";
import { FilterField } from "#app/components/forms/filter-field.tsx";
import { MethodMark } from "#app/components/integrations/api/method-mark.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import {
  type ApiEntry,
  type ApiGroup,
  apiGroups,
  findOperations,
} from "#app/entities/integrations/api-page.ts";
import { screenLoader } from "#app/http/screen.ts";
import { counted } from "#app/lib/number-text.ts";
import { openApiDocument } from "#app/routes/endpoints/api/tables.ts";

export const meta: MetaFunction = () => [{ title: "API · Odin" }];

export const loader = screenLoader("signed-in", ({ query }) => ({
  groups: apiGroups(openApiDocument()),
  find: (query.get("find") ?? "").slice(0, 100),
}));

/** All calls by group, with a filter. Without scripts, the filter is a form. */
function ApiList({ groups, find }: { groups: readonly ApiGroup[]; find: string }) {
  const [typed, setTyped] = useState(find);
  const shown = findOperations(groups, typed);
  const count = shown.reduce((sum, { entries }) => sum + entries.length, 0);
  const found = counted(count, "call");
  return (
    <Page width="5xl" loose>
      <PageHead
        title="API"
        lead="Every call that programs, phones and cameras can make. The list is generated from the code, so it is always complete."
      >
        <a href="/openapi.json" download="odin-openapi.json" className={buttonClass()}>
          Download OpenAPI document
        </a>
      </PageHead>
      <SignInNote />
      <form method="get" action="/docs/api" className="flex flex-col gap-1" aria-label="Filter calls">
        <FilterField
          maxLength={100}
          placeholder="Path, permission or what a call does"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <p className="text-sm text-muted">{found}</p>
        <LiveRegion>{typed === "" ? "" : found}</LiveRegion>
      </form>
      {shown.length === 0 && (
        <EmptyState icon={<Search />} title="No calls match this filter">
          Try a shorter word, such as part of a path.
        </EmptyState>
      )}
      {shown.map((group) => (
        <Group key={group.name} group={group} />
      ))}
    </Page>
  );
}

function SignInNote() {
  return (
    <p className="max-w-3xl text-sm">
      A program signs in with{" "}
      <Link to="/docs/api/postLogin" className="font-mono underline">
        POST /login
      </Link>{" "}
      and <code className="font-mono">"client": "api"</code>, and sends the token from the response as{" "}
      <code className="font-mono">Authorization: Bearer …</code>. Every error has the same shape, with a
      message for the user and usually a code.
    </p>
  );
}

function Group({ group: { name, description, entries } }: { group: ApiGroup }) {
  return (
    <section aria-label={name} className="flex min-w-0 flex-col gap-2">
      <div>
        <h2 className="text-lg font-semibold">{name}</h2>
        <p className="text-sm text-muted">{description}</p>
      </div>
      <ul className="divide-y divide-line rounded-md border border-line bg-raised">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ entry: { id, method, path, summary, permission, isInternal } }: { entry: ApiEntry }) {
  return (
    <li>
      <Link
        to={`/docs/api/${id}`}
        className="flex min-h-target flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 hover:bg-hover"
      >
        <MethodMark method={method} />
        <span className="min-w-0 font-mono text-sm font-medium break-all">{path}</span>
        <span className="min-w-0 basis-full text-sm text-muted sm:flex-1 sm:basis-0">{summary}</span>
        {isInternal && <Badge>Internal</Badge>}
        <Badge>{permission}</Badge>
      </Link>
    </li>
  );
}

export default function ApiListScreen() {
  const { groups, find } = useLoaderData<typeof loader>();
  return <ApiList key={find} groups={groups} find={find} />;
}
