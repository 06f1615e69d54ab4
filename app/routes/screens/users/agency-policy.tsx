import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { Page } from "#app/components/ui/page.tsx";
import { PolicyForm } from "#app/components/users/policy-form.tsx";
import { agencyForOwner, changeAgency } from "#app/domain/users/agencies.ts";
import { AgencyChange, agencyChangeOf } from "#app/entities/users/policy.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Agency policy · Odin" }];

export const loader = screenLoader("owner", ({ app, params }) => agencyForOwner(app, params.id ?? ""));

export const action = screenAction("owner", {
  policy: screenForm(
    AgencyChange,
    ({ app, actor, params, body }) => changeAgency(app, actor, { id: params.id ?? "", change: body }),
    {
      stepUp: true,
      shape: ({ fields }) => agencyChangeOf(fields),
      done: (_, { name }) => `${name} saved`,
      next: "/owner",
      shows: () => undefined,
    },
  ),
});

export const clientAction = screenClientAction;

export default function AgencyPolicyScreen() {
  const agency = useLoaderData<typeof loader>();
  return (
    <Page width="3xl">
      <h1 className="text-xl font-semibold tracking-tight">{agency.name}</h1>
      <div className="rounded-md border border-line bg-raised p-4 sm:p-5">
        <PolicyForm key={agency.id} agency={agency} />
      </div>
    </Page>
  );
}
